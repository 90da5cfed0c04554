"""cholesky: residuals, structure, the triangle that is read, and matrices that are not positive definite."""

import re
import tracemalloc

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
import trnsci
from trnsci.linalg import cholesky

TRIANGLES = pytest.mark.parametrize("lower", [True, False])
ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)


def check_factor(a, factor, lower):
    assert factor.dtype == a.dtype
    residuals.assert_solved("cholesky", a, factor, lower=lower)


@ALL_DTYPES
@TRIANGLES
@pytest.mark.parametrize("n", [*matrices.SIZES, matrices.LARGE])
def test_random(n, lower, dtype):
    a = matrices.positive_definite(n, dtype)
    factor = cholesky(a, lower)
    check_factor(a, factor, lower)
    # The factor is unique; the condition number is about 5.
    expected = scipy.linalg.cholesky(a.astype(np.result_type(dtype, np.float64)), lower) if n else a
    assert np.abs(factor - expected).max(initial=0) < 8 * residuals.divisor(n) * residuals.eps(dtype)


# Positive definite, but not all of them by much.
SPECIAL = {
    "identity": np.eye,
    "diagonal": lambda n: np.diag(np.arange(1.0, n + 1)),
    "tridiagonal": matrices.SYMMETRIC["tridiagonal"],
    "ones plus identity": lambda n: np.ones((n, n)) + np.eye(n),
    "graded": lambda n: matrices.positive_definite(n, "float64") * np.outer(*[10 ** (-6 * np.arange(n) / n)] * 2),
    "ill-conditioned": lambda n: matrices.with_spectrum(np.logspace(-4, 0, n), "float64"),
    "minimum": lambda n: np.minimum.outer(np.arange(1.0, n + 1), np.arange(1.0, n + 1)),
}


@ALL_DTYPES
@TRIANGLES
@pytest.mark.parametrize("n", [3, 20, 100])
@pytest.mark.parametrize("name", SPECIAL)
def test_special(name, n, lower, dtype):
    a = matrices.with_phases(SPECIAL[name](n), dtype)
    check_factor(a, cholesky(a, lower), lower)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_exact_factor(dtype):
    # L is all ones: the factor of min(i, j) has only small integers on the way.
    a = SPECIAL["minimum"](70).astype(dtype)
    np.testing.assert_array_equal(cholesky(a, lower=True), np.tril(np.ones((70, 70))))


@pytest.mark.parametrize("exponent", [-300, -200, -100, 100, 200, 300])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@TRIANGLES
def test_scales(lower, dtype, exponent):
    a = matrices.positive_definite(20, dtype) * 10.0**exponent
    check_factor(a, cholesky(a, lower), lower)


@pytest.mark.parametrize("scale", [1e-45, 1e-40, 1e-35, 1e-20, 1e20, 1e37])
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_single_precision_scales(dtype, scale):
    a = matrices.from_lower(4 * np.eye(5, dtype=dtype)) * np.float32(scale)
    check_factor(a, cholesky(a), False)


@pytest.mark.parametrize("scale", [5e-324, 1e-320, 1e-310])
def test_subnormal_elements(scale):
    a = (np.eye(6) * 8 + np.ones((6, 6))) * scale
    check_factor(a, cholesky(a, lower=True), True)


def test_complex_upper_factor_is_not_conjugated():  # dask#12335
    a = np.array([[2, 1j], [-1j, 2]])
    low, up = cholesky(a, lower=True), cholesky(a)
    np.testing.assert_allclose(low @ low.conj().T, a, rtol=1e-15)
    np.testing.assert_allclose(up.conj().T @ up, a, rtol=1e-15)
    np.testing.assert_allclose(up, low.conj().T, rtol=1e-15)
    np.testing.assert_allclose(up[0, 1], 1j / 2**0.5, rtol=1e-15)


def test_default_is_upper():
    np.testing.assert_array_equal(cholesky([[4.0, 2.0], [2.0, 5.0]]), [[2.0, 1.0], [0.0, 2.0]])


# What is read


@ALL_DTYPES
@TRIANGLES
@pytest.mark.parametrize("n", [2, 33, 130])
def test_only_the_named_triangle_is_read(n, lower, dtype):
    a = matrices.positive_definite(n, dtype)
    poisoned = a.copy()
    poisoned[np.triu_indices(n, 1) if lower else np.tril_indices(n, -1)] = np.nan
    factor = cholesky(poisoned, lower, check_finite=False)
    check_factor(a, factor, lower)
    assert factor.tobytes() == cholesky(a, lower).tobytes()
    with pytest.raises(ValueError, match=r"a: .*infinities or NaNs"):
        cholesky(poisoned, lower)


@TRIANGLES
def test_imaginary_parts_of_the_diagonal_are_ignored(lower):
    a = matrices.positive_definite(9, "complex128")
    check_factor(a, cholesky(a + np.diag(1j * np.arange(1, 10)), lower), lower)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 0), (2, 1), (4, 4)])
@ALL_DTYPES
def test_not_finite(dtype, place, bad):
    a = np.eye(5, dtype=dtype)
    a[place] = bad
    with pytest.raises(ValueError, match=r"a: .*infinities or NaNs"):
        cholesky(a, lower=True)
    with pytest.raises(trnsci.LinAlgError, match=f"order {place[0] + 1} "):
        cholesky(a, lower=True, check_finite=False)


# Not positive definite


@ALL_DTYPES
@TRIANGLES
@pytest.mark.parametrize("value", [-1.0, 0.0])
@pytest.mark.parametrize("k", [0, 1, 62, 63, 64, 65, 128, 129])
def test_order_of_the_leading_minor(k, value, lower, dtype):
    a = np.eye(130, dtype=dtype)
    a[k, k] = value
    with pytest.raises(trnsci.LinAlgError, match=rf"^a: the leading minor of order {k + 1} is not positive definite$"):
        cholesky(a, lower)


@pytest.mark.parametrize("seed", range(6))
@TRIANGLES
def test_order_of_the_leading_minor_of_a_dense_matrix(lower, seed):
    n = 40
    a = matrices.hermitian(n, "complex128", seed) + (2 + 2 * seed) * np.eye(n)
    smallest = [scipy.linalg.eigvalsh(a[:k, :k])[0] for k in range(1, n + 1)]
    order = int(np.argmax(np.array(smallest) <= 0)) + 1
    assert smallest[order - 1] < -1e-10  # far enough from singular
    with pytest.raises(trnsci.LinAlgError, match=f"order {order} "):
        cholesky(a, lower)
    with pytest.raises(scipy.linalg.LinAlgError) as error:
        scipy.linalg.cholesky(a, lower)
    assert int(re.search(r"\d+", str(error.value))[0]) == order


def test_error_is_numpys_and_scipys():
    with pytest.raises(np.linalg.LinAlgError):
        cholesky([[1.0, 2.0], [2.0, 1.0]])
    assert issubclass(trnsci.LinAlgError, scipy.linalg.LinAlgError)


# Batches


@ALL_DTYPES
@TRIANGLES
@pytest.mark.parametrize("shape", [(2, 3, 5, 5), (3, 70, 70), (0, 3, 3), (5, 0, 0), (1, 1, 1)])
def test_batch(shape, lower, dtype):
    a = matrices.positive_definite(shape[-1], dtype, batch=shape[:-2])
    factors = cholesky(a, lower)
    assert factors.shape == shape and factors.dtype == a.dtype
    for index in np.ndindex(shape[:-2]):
        check_factor(a[index], factors[index], lower)


def test_error_names_the_member_of_a_batch():
    a = np.broadcast_to(np.eye(3), (2, 2, 3, 3)).copy()
    a[1, 0, 2, 2] = -1
    with pytest.raises(trnsci.LinAlgError, match=r"order 3 .*member 2"):
        cholesky(a)


def test_imaginary_part_of_the_diagonal_is_not_looked_at():
    a = np.array([[2, 1, 0], [1, 3, 1], [0, 1, 4]], complex)
    expected = cholesky(a, lower=True)
    a[0, 0] = complex(2, np.nan)
    assert np.array_equal(cholesky(a, lower=True, check_finite=False), expected)


def test_progress_of_one_matrix():
    calls = []
    cholesky(np.eye(300), progress=lambda done, total: calls.append((done, total)))
    assert calls[-1][0] == calls[-1][1] > 0


# Numbers, and factors in the place of their matrix


@pytest.mark.parametrize("a", [4.0, [4.0], (4,), np.array(4.0), np.float32(4), np.array([4.0]), [[4.0]]])
def test_a_number_is_a_matrix_of_order_1(a):
    for factor in (cholesky(a), cholesky(a, lower=True), trnsci.linalg.cho_factor(a)[0], scipy.linalg.cholesky(a)):
        assert factor.shape == (1, 1) and factor[0, 0] == 2
    with pytest.raises(ValueError, match=r"^a: expected a square matrix"):
        cholesky([1.0, 2.0])
    with pytest.raises(trnsci.LinAlgError, match="order 1"):
        cholesky(-4.0)


@ALL_DTYPES
@TRIANGLES
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("n", [1, 5, 33, 130])
def test_overwrite_a_factors_in_place(n, order, lower, dtype):
    a = matrices.positive_definite(n, dtype)
    expected = cholesky(a, lower)
    for function in (cholesky, lambda *args: trnsci.linalg.cho_factor(*args)[0]):
        place = np.array(a, order=order)
        factor = function(place, lower, True)
        assert np.shares_memory(factor, place) and factor.tobytes() == place.tobytes()
        np.testing.assert_array_equal(factor, expected)


def test_overwrite_a_of_stacks_and_views():
    a = matrices.positive_definite(6, "complex128", batch=(2, 3))
    for lower in (False, True):
        expected = cholesky(a, lower)
        for place in (a.copy(), a.swapaxes(-1, -2).copy().swapaxes(-1, -2)):
            assert np.shares_memory(cholesky(place, lower, overwrite_a=True), place)
            np.testing.assert_array_equal(place, expected)
        # Arrays with gaps, read-only ones and those of other dtypes stay as they are.
        wide = np.zeros((2, 3, 6, 12), complex)
        wide[..., ::2] = a
        fixed, integers = a.copy(), np.array([[4, 2], [2, 5]])
        fixed.setflags(write=False)
        for given in (wide[..., ::2], fixed, integers):
            before = given.copy()
            factor = cholesky(given, lower, overwrite_a=True)
            np.testing.assert_array_equal(factor, cholesky(before, lower))
            np.testing.assert_array_equal(given, before)


@pytest.mark.parametrize("order", ["C", "F"])
@TRIANGLES
def test_overwrite_a_needs_no_memory(lower, order):
    n = 1500
    place = np.array(np.eye(n) * 4, order=order)
    tracemalloc.start()
    try:
        cholesky(place, lower, overwrite_a=True)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < place.nbytes / 10  # what NumPy allocates; that the library needs none its own tests show


def test_overwrite_a_of_what_is_not_finite_leaves_it():
    a = np.array([[4.0, np.nan], [2, 5]])
    with pytest.raises(ValueError, match=r"a: .*infinities or NaNs"):
        cholesky(a, lower=True, overwrite_a=True)
    assert a[0, 0] == 4 and a[1, 0] == 2
