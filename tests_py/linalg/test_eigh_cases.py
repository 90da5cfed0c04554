"""Inputs of eigh that failed in other libraries according to public reports, and stacks of very different members."""

import re
import subprocess
import sys
import textwrap

import matrices
import numpy as np
import pytest
import residuals
import trnsci
from trnsci import linalg

DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
DRIVERS = ("ev", "evd", "evr", "evx")


def parts(result):
    return result if isinstance(result, tuple) else (result,)


def bits(result):
    return [x.tobytes() for x in parts(result)]


# Order 1


@DTYPES
@pytest.mark.parametrize("driver", [None, *DRIVERS])
@pytest.mark.parametrize("x", [0.0, -0.0, 1.0, -3.0, 1e-45, 1e38, -1e38])
def test_order_one(x, driver, dtype):
    w, v = trnsci.eigh(np.full((1, 1), x, dtype), driver=driver)
    assert w.tolist() == [matrices.real_dtype(dtype).type(x)] and v.tolist() == [[1]]


@DTYPES
@pytest.mark.parametrize("problem", [1, 2, 3])
def test_order_one_with_a_metric(problem, dtype):
    w, v = trnsci.eigh(np.full((1, 1), 3, dtype), np.full((1, 1), 4, dtype), type=problem)
    assert w.tolist() == [0.75 if problem == 1 else 12] and v.tolist() == [[2 if problem == 3 else 0.5]]


@DTYPES
def test_imaginary_part_of_order_one_is_ignored(dtype):
    if np.dtype(dtype).kind == "c":
        assert linalg.eigvalsh(np.array([[2 + 5j]], dtype)).tolist() == [2]


# Large orders: LAPACK's 32-bit counts of workspace end between 32766 and 32767.

LIMITED = """
import resource
import numpy as np, trnsci
from trnsci import linalg
trnsci.eigh(np.eye(2))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 10**9, resource.RLIM_INFINITY))
calls = trnsci.eigh, linalg.eigvalsh, lambda a: trnsci.eigh(a, a), lambda a: trnsci.eigh(a, subset_by_index=(0, 9))
for n in (32766, 32767, 45001, 10**6):
    for dtype in (np.float32, np.float64, np.complex64, np.complex128):
        a = np.broadcast_to(np.zeros((), dtype), (n, n))
        for call in calls:
            try:
                call(a)
            except MemoryError as error:
                print(n, a.itemsize, error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space are tested on Linux")
def test_orders_beyond_32_bit_counts_are_refused_with_the_bytes_they_need():
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(LIMITED)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 4 * 4 * 4, done.stdout
    for line in lines:
        n, itemsize, needed = map(int, re.match(r"(\d+) (\d+) \D*(\d+) bytes", line).groups())
        assert n * n * itemsize / 2 < needed < 100 * n * n * itemsize, line


# Eigenvalues at the ends of the range


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("function", [linalg.eigvalsh, lambda a: trnsci.eigh(a)[0]], ids=["eigvalsh", "eigh"])
def test_subnormal_eigenvalues_survive(function, dtype):
    d = np.array([1, 0.01, 1e-40, -1e-40, 1e-45], np.float32)
    assert function(np.diag(d).astype(dtype)).tolist() == sorted(d.tolist())


@DTYPES
def test_matrices_of_subnormal_numbers_alone(dtype):
    smallest = np.finfo(dtype).smallest_subnormal
    w, v = trnsci.eigh(np.diag(np.array([3, 1, 2, -5]) * smallest).astype(dtype))
    np.testing.assert_array_equal(w, np.array([-5, 1, 2, 3]) * smallest)
    assert residuals.orthogonality(v) == 0


# Drivers: SciPy's 'evr' fails with an internal error for some matrices that 'evd' can do.


@DTYPES
@pytest.mark.parametrize("n", [2, 34, 66])
@pytest.mark.parametrize("name", matrices.SYMMETRIC)
def test_driver_words_change_no_bit(name, n, dtype):
    a = matrices.with_phases(matrices.SYMMETRIC[name](n), dtype)
    expected = bits(trnsci.eigh(a))
    assert all(bits(trnsci.eigh(a, driver=driver)) == expected for driver in DRIVERS)


# Stacks


def of_all_kinds(n, dtype):
    """Matrices that have little in common, for members of one stack."""
    info = np.finfo(dtype)
    a = matrices.hermitian(n, dtype, batch=(3,))
    sizes = np.array([1, info.max / 1000, info.tiny], info.dtype)
    extreme = a * sizes[:, None, None]
    cases = [*extreme, np.zeros((n, n)), np.eye(n), np.ones((n, n)), np.diag(np.arange(n)), matrices.wilkinson(n)]
    return np.stack([np.asarray(x, dtype) for x in cases])


@DTYPES
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13, 24, 32, 33])
def test_members_do_not_depend_on_one_another(n, dtype):
    kinds = of_all_kinds(n, dtype)
    order = np.random.default_rng(n).integers(len(kinds), size=37)
    w, v = trnsci.eigh(kinds[order])
    first = {}
    for i, kind in enumerate(order):
        residuals.assert_solved("eigh", kinds[kind], (w[i], v[i]))
        assert bits((w[i], v[i])) == first.setdefault(kind, bits((w[i], v[i])))
    values = linalg.eigvalsh(kinds[order])
    for i, kind in enumerate(order):
        residuals.assert_solved("eigvalsh", kinds[kind], values[i])


@DTYPES
@pytest.mark.parametrize("metric", [False, True])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("n", [1, 2, 8, 24])
def test_bad_members_of_a_long_stack(n, bad, metric, dtype):
    """Those alone are NaN; the others keep their bits, and zeros stay exact."""
    a = matrices.hermitian(n, dtype, batch=(41,))
    a[5] = 0
    b = matrices.positive_definite(n, dtype) if metric else None
    w, v = trnsci.eigh(a, b)
    spoiled = [0, 4, 9, 17, 40]
    a[spoiled, -1, 0] = bad
    with pytest.raises(ValueError, match=r"^a: "):
        trnsci.eigh(a, b)
    bad_w, bad_v = trnsci.eigh(a, b, check_finite=False)
    good = np.setdiff1d(np.arange(41), spoiled)
    assert np.isnan(bad_w[spoiled]).all() and np.isnan(bad_v[spoiled]).all()
    assert bad_w[good].tobytes() == w[good].tobytes() and bad_v[good].tobytes() == v[good].tobytes()
    assert not w[5].any()
    assert np.isnan(linalg.eigvalsh(a, b, check_finite=False)).any(axis=-1).nonzero()[0].tolist() == spoiled


@DTYPES
@pytest.mark.parametrize("count", [1, 7, 8, 9, 15, 16, 17])
@pytest.mark.parametrize("n", [2, 8, 24])
def test_stacks_of_every_length(n, count, dtype):
    a = matrices.hermitian(n, dtype, batch=(count,))
    for subset in ({}, {"subset_by_index": (n // 2, n - 1)}):
        w, v = trnsci.eigh(a, **subset)
        first = n // 2 if subset else 0
        assert w.shape == (count, n - first) and v.shape == (count, n, n - first)
        for k in range(count):
            assert residuals.eigen_residual(a[k], w[k], v[k]) < residuals.HERMITIAN_LIMIT
            assert residuals.orthogonality(v[k]) < residuals.HERMITIAN_LIMIT
            everything = linalg.eigvalsh(a[k])
            everything[first:] = w[k]
            assert residuals.eigenvalue_error(a[k], everything) < residuals.HERMITIAN_LIMIT


@pytest.mark.parametrize(("n", "member"), [(2, 0), (2, 6), (8, 10), (24, 19)])
def test_bad_metric_of_a_stack_is_named(n, member):
    b = np.stack([np.eye(n)] * 20)
    b[member, n - 1, n - 1] = -1
    with pytest.raises(trnsci.LinAlgError, match=rf"b: .*order {n} .*member {member}\b"):
        trnsci.eigh(np.stack([np.eye(n)] * 20), b)
