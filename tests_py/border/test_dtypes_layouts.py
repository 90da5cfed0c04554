"""What all functions share: dtypes, memory layouts, bad arguments, devices, memory, threads."""

import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import matrices
import ml_dtypes
import numpy as np
import pytest
import residuals
import trnsci
from trnsci import linalg

FUNCTIONS = {
    "eigh": trnsci.eigh,
    "eigvalsh": linalg.eigvalsh,
    "cholesky": linalg.cholesky,
    "schur": trnsci.schur,
    "hessenberg": partial(linalg.hessenberg, calc_q=True),
}
HERMITIAN = ("eigh", "eigvalsh", "cholesky")
FOUR_DTYPES = (*HERMITIAN, "hessenberg")
WORKS_WITH = [(f, dtype) for f in FUNCTIONS for dtype in matrices.DTYPES if f in FOUR_DTYPES or dtype == "float64"]

ALL_FUNCTIONS = pytest.mark.parametrize("name", FUNCTIONS)
HERMITIAN_FUNCTIONS = pytest.mark.parametrize("name", HERMITIAN)
FUNCTIONS_AND_DTYPES = pytest.mark.parametrize(("name", "dtype"), WORKS_WITH)


def suitable(name, n, dtype="float64", batch=(), seed=0):
    """A matrix or a stack of them that the function `name` can take."""
    if name == "cholesky":
        return matrices.positive_definite(n, dtype, seed, batch)
    if name in HERMITIAN:
        return matrices.hermitian(n, dtype, seed, batch)
    return matrices.random((*batch, n, n), dtype, seed)


def arrays(result):
    return result if isinstance(result, tuple) else (result,)


def bits(result):
    return [x.tobytes() for x in arrays(result)]


# Layouts


@FUNCTIONS_AND_DTYPES
@pytest.mark.parametrize("layout", matrices.LAYOUTS)
@pytest.mark.parametrize("n", [1, 6, 35])
def test_layout(n, layout, name, dtype):
    a = suitable(name, n, dtype)
    view, memory = matrices.LAYOUTS[layout](a)
    before = memory.tobytes()
    result = FUNCTIONS[name](view)
    assert memory.tobytes() == before
    residuals.assert_solved(name, a, result)
    assert all(type(x) is np.ndarray and x.dtype.isnative for x in arrays(result))


@FUNCTIONS_AND_DTYPES
@pytest.mark.parametrize("layout", matrices.LAYOUTS)
def test_layout_with_overwrite(layout, name, dtype):
    a = suitable(name, 20, dtype)
    view, memory = matrices.LAYOUTS[layout](a)
    before = memory.tobytes()
    residuals.assert_solved(name, a, FUNCTIONS[name](view, overwrite_a=True))
    if layout == "read-only":
        assert memory.tobytes() == before
    if memory.size > view.nbytes:  # the memory around the elements is nobody's scratch
        view[...] = a
        assert memory.tobytes() == before


@HERMITIAN_FUNCTIONS
@pytest.mark.parametrize("layout", matrices.LAYOUTS)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_layout_and_triangle(dtype, lower, layout, name):
    a = suitable(name, 9, dtype)
    used = (np.tril if lower else np.triu)(a)
    for overwrite in (False, True):
        view, _ = matrices.LAYOUTS[layout](used)
        result = FUNCTIONS[name](view, lower=lower, overwrite_a=overwrite)
        residuals.assert_solved(name, a, result, lower=lower)


@FUNCTIONS_AND_DTYPES
@pytest.mark.parametrize("overwrite", [False, True])
def test_broadcast_input(overwrite, name, dtype):
    a = suitable(name, 7, dtype)
    before = a.tobytes()
    result = FUNCTIONS[name](np.broadcast_to(a, (3, 2, 7, 7)), overwrite_a=overwrite)
    assert a.tobytes() == before
    for index in np.ndindex(3, 2):
        member = tuple(x[index] for x in arrays(result))
        residuals.assert_solved(name, a, member if len(member) > 1 else member[0])


@FUNCTIONS_AND_DTYPES
def test_constant_input_of_stride_zero(name, dtype):
    element = np.ones((), dtype)
    a = np.broadcast_to(element, (1, 1)) if name == "cholesky" else np.broadcast_to(element, (6, 6))
    residuals.assert_solved(name, a, FUNCTIONS[name](a))
    assert element == 1


@FUNCTIONS_AND_DTYPES
@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0), (0, 2, 1)])
def test_permuted_batch(order, overwrite, name, dtype):
    """A stack whose batch dimension lies anywhere in memory."""
    a = suitable(name, 8, dtype, batch=(3,))
    stack = a.transpose(order).copy().transpose(np.argsort(order))
    assert stack.shape == a.shape
    result = FUNCTIONS[name](stack, overwrite_a=overwrite)
    for k in range(3):
        member = tuple(x[k] for x in arrays(result))
        residuals.assert_solved(name, a[k], member if len(member) > 1 else member[0])


@pytest.mark.parametrize("layout_b", matrices.LAYOUTS)
@pytest.mark.parametrize("layout_a", ["C", "F", "negative strides", "odd address"])
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_layouts_of_a_generalized_problem(overwrite, dtype, layout_a, layout_b):
    a, b = suitable("eigh", 11, dtype, seed=1), suitable("cholesky", 11, dtype, seed=2)
    view_a, memory_a = matrices.LAYOUTS[layout_a](a)
    view_b, memory_b = matrices.LAYOUTS[layout_b](b)
    before = memory_a.tobytes(), memory_b.tobytes()
    w, v = trnsci.eigh(view_a, view_b, overwrite_a=overwrite, overwrite_b=overwrite)
    assert residuals.generalized_residual(1, a, b, w, v) < residuals.HERMITIAN_LIMIT
    if not overwrite:
        assert (memory_a.tobytes(), memory_b.tobytes()) == before


@pytest.mark.parametrize(("overwrite_a", "overwrite_b"), [(True, False), (False, True)])
def test_one_overwrite_flag_does_not_permit_the_other(overwrite_a, overwrite_b):
    a, b = suitable("eigh", 9, seed=1), suitable("cholesky", 9, seed=2)
    kept = b if overwrite_a else a
    before = kept.tobytes()
    w, v = trnsci.eigh(a.copy() if overwrite_a else a, b, overwrite_a=overwrite_a, overwrite_b=overwrite_b)
    assert kept.tobytes() == before
    assert residuals.generalized_residual(1, a, suitable("cholesky", 9, seed=2), w, v) < residuals.HERMITIAN_LIMIT


@pytest.mark.parametrize("overwrite", [False, True])
def test_matrix_and_metric_are_the_same_array(overwrite):
    b = suitable("cholesky", 8)
    np.testing.assert_allclose(trnsci.eigh(b, b, overwrite_a=overwrite, overwrite_b=overwrite)[0], 1, rtol=1e-14)


class Holder:
    """An array-like that hands out its own memory."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values


@ALL_FUNCTIONS
def test_array_likes(name):
    a = suitable(name, 4)
    before = a.tobytes()
    rows = a.tolist()
    for like in (rows, tuple(map(tuple, rows)), list(a), memoryview(a), Holder(a), np.ma.array(a)):
        result = FUNCTIONS[name](like)
        residuals.assert_solved(name, a, result)
        assert all(type(x) is np.ndarray for x in arrays(result))
        assert not any(np.shares_memory(x, a) for x in arrays(result))
    assert a.tobytes() == before and rows == a.tolist()


@FUNCTIONS_AND_DTYPES
@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("n", [1, 2, 20])
def test_results_share_no_memory(n, overwrite, name, dtype):
    a = suitable(name, n, dtype)
    results = arrays(FUNCTIONS[name](a, overwrite_a=overwrite))
    for i, x in enumerate(results):
        assert x.flags.writeable
        # A factor takes the place of its matrix if that is allowed.
        assert np.may_share_memory(x, a) == (overwrite and name == "cholesky")
        assert not any(np.may_share_memory(x, y) for y in results[:i])


# Dtypes


@HERMITIAN_FUNCTIONS
@pytest.mark.parametrize("dtype", matrices.SHORT_DTYPES, ids=str)
def test_short_dtypes_are_computed_in_float32_and_cast_back(dtype, name):
    a = suitable(name, 10, "float32").astype(dtype)
    result = arrays(FUNCTIONS[name](a))
    expected = arrays(FUNCTIONS[name](a.astype(np.float32)))
    for x, y in zip(result, expected, strict=True):
        assert x.dtype == dtype
        assert x.tobytes() == y.astype(dtype).tobytes()


@pytest.mark.parametrize("dtype", matrices.SHORT_DTYPES, ids=str)
@pytest.mark.parametrize("other", [*matrices.SHORT_DTYPES, *map(np.dtype, matrices.DTYPES)], ids=str)
@pytest.mark.parametrize("swap", [False, True])
def test_short_dtypes_with_others(swap, other, dtype):
    pair = [np.eye(3, dtype=dtype), np.eye(3, dtype=other)]
    w, v = trnsci.eigh(*reversed(pair) if swap else pair)
    if other == dtype:
        assert w.dtype == v.dtype == dtype
    else:
        expected = np.dtype(np.float32) if other in matrices.SHORT_DTYPES else other
        assert v.dtype == expected and w.dtype == matrices.real_dtype(expected)
    np.testing.assert_array_equal(w.astype(float), 1)


def test_overflow_of_a_short_dtype_warns():
    with pytest.warns(RuntimeWarning, match="overflow"):
        w = linalg.eigvalsh(np.full((2, 2), 6e4, np.float16))
    assert w.dtype == np.float16 and w[1] == np.inf


INTEGERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", ">i4")


@ALL_FUNCTIONS
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_are_computed_in_float64(dtype, name):
    a = (np.eye(5) + (0 if dtype == "bool" else np.diag(np.arange(1, 6)))).astype(dtype)
    a[0, 4] = a[4, 0] = 1 if name != "cholesky" else 0
    before = a.tobytes()
    result, expected = FUNCTIONS[name](a), FUNCTIONS[name](a.astype(np.float64))
    assert all(x.dtype == np.float64 for x in arrays(result))
    assert bits(result) == bits(expected)
    assert a.tobytes() == before


def test_python_numbers():
    assert trnsci.eigh([[2]])[0].dtype == np.float64
    assert trnsci.eigh([[2, 1j], [-1j, 2]])[1].dtype == np.complex128


REFUSED = {
    "object": np.array([[1, 0], [0, 1]], object),
    "None": None,
    "str": np.array([["1", "0"], ["0", "1"]]),
    "bytes": np.array([[b"1", b"0"], [b"0", b"1"]]),
    "datetime64": np.zeros((2, 2), "M8[s]"),
    "timedelta64": np.zeros((2, 2), "m8[s]"),
    "void": np.zeros((2, 2), "V4"),
    "record": np.zeros((2, 2), [("x", "f8")]),
    "float8": np.eye(2).astype(ml_dtypes.float8_e4m3fn),
}
if np.dtype(np.longdouble).itemsize > 8:  # else it is float64 under another name
    REFUSED["longdouble"] = np.eye(2, dtype=np.longdouble)
    REFUSED["clongdouble"] = np.eye(2, dtype=np.clongdouble)


@ALL_FUNCTIONS
@pytest.mark.parametrize("kind", REFUSED)
def test_refused_dtype(kind, name):
    a = REFUSED[kind]
    with pytest.raises(TypeError) as error:
        FUNCTIONS[name](a)
    text = str(error.value)
    assert text.startswith("a: ")
    assert str(np.asarray(a).dtype) in text
    for accepted in (*matrices.DTYPES, "integers", "bool", "float16", "bfloat16"):
        assert accepted in text


@pytest.mark.parametrize("kind", [kind for kind in REFUSED if kind != "None"])
def test_refused_dtype_of_the_metric(kind):
    with pytest.raises(TypeError, match=f"^b: .*{re.escape(str(REFUSED[kind].dtype))}.*accepted"):
        trnsci.eigh(np.eye(2), REFUSED[kind])


# Shapes and other bad arguments


@ALL_FUNCTIONS
@pytest.mark.parametrize("shape", [(), (1,), (3,), (0,), (2, 3), (3, 2), (1, 0), (0, 1), (2, 2, 3), (4, 0, 3)])
def test_not_square(shape, name):
    if name == "cholesky" and shape in ((), (1,)):  # a number, which is not positive definite
        with pytest.raises(trnsci.LinAlgError, match=r"^a: .*order 1 "):
            FUNCTIONS[name](np.zeros(shape))
        return
    with pytest.raises(ValueError, match=rf"^a: .*square.*{re.escape(str(shape))}"):
        FUNCTIONS[name](np.zeros(shape))


@ALL_FUNCTIONS
def test_ragged_rows(name):
    with pytest.raises(ValueError, match=r"^a: "):
        FUNCTIONS[name]([[1.0, 2.0], [3.0]])


@ALL_FUNCTIONS
@pytest.mark.parametrize("device", [None, "cpu"])
def test_host_devices(device, name):
    a = suitable(name, 5)
    assert bits(FUNCTIONS[name](a, device=device)) == bits(FUNCTIONS[name](a))


@ALL_FUNCTIONS
@pytest.mark.parametrize(
    "device", ["cuda", "interp", "sim:trn1", "sim:trn2", "pjrt:cpu", "pjrt:/some/plugin.so", "neuron", "neuron:3"]
)
def test_devices_that_this_version_lacks(device, name):
    with pytest.raises(trnsci.UnsupportedError, match=f"device: '{device}'"):
        FUNCTIONS[name](np.eye(2), device=device)


UNKNOWN_DEVICES = ("tpu", "", "CPU", "sim", "sim:trn9", "neuron:x", "pjrt:", "cuda:0", 0, b"cpu", ["cpu"])


@ALL_FUNCTIONS
@pytest.mark.parametrize("device", UNKNOWN_DEVICES)
def test_unknown_devices(device, name):
    with pytest.raises(ValueError) as error:
        FUNCTIONS[name](np.eye(2), device=device)
    text = str(error.value)
    assert text.startswith("device: ") and repr(device) in text
    for word in ("'cpu'", "'cuda'", "'interp'", "'sim:trn2'", "'pjrt:cpu'", "'neuron'"):
        assert word in text


@ALL_FUNCTIONS
@pytest.mark.parametrize("shape", [(10**7, 10**7), (10**13, 10, 10)])
def test_too_large_for_memory(shape, name):
    """The input needs no memory; results or workspace would need more than the address space has."""
    a = np.broadcast_to(0.0, shape)
    with pytest.raises(MemoryError, match=r"\d{6,} bytes \(.* GiB\)"):
        FUNCTIONS[name](a)


# Threads


@FUNCTIONS_AND_DTYPES
@pytest.mark.parametrize(("n", "batch"), [(3, ()), (65, ()), (200, ()), (20, (5,))])
def test_number_of_threads_does_not_change_a_bit(n, batch, name, dtype):
    a = suitable(name, n, dtype, batch)
    expected = bits(FUNCTIONS[name](a, threads=1))
    for threads in (2, 3):
        assert bits(FUNCTIONS[name](a, threads=threads)) == expected


@pytest.mark.parametrize("problem", [1, 2, 3])
@pytest.mark.parametrize("dtype", matrices.DTYPES)
def test_number_of_threads_and_generalized_problems(dtype, problem):
    a, b = suitable("eigh", 130, dtype, seed=1), suitable("cholesky", 130, dtype, seed=2)
    expected = bits(trnsci.eigh(a, b, type=problem, threads=1))
    assert bits(trnsci.eigh(a, b, type=problem, threads=2)) == expected


@FUNCTIONS_AND_DTYPES
def test_calls_from_four_threads_at_once(name, dtype):
    inputs = [suitable(name, n, dtype, seed=n) for n in (30, 40, 50, 90)] * 3
    expected = [bits(FUNCTIONS[name](a)) for a in inputs]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda a: bits(FUNCTIONS[name](a)), inputs)) == expected


@ALL_FUNCTIONS
def test_four_threads_with_one_input(name):
    a = suitable(name, 60)
    expected = bits(FUNCTIONS[name](a))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: bits(FUNCTIONS[name](a)), range(12))) == [expected] * 12


def test_masked_arrays():
    a = np.ma.masked_array(np.diag([3.0, 1.0]), mask=False)
    assert trnsci.eigh(a)[0].tolist() == [1, 3]
    a[0, 0] = np.ma.masked
    with pytest.raises(ValueError, match=r"a: .*masked"):
        trnsci.eigh(a)


def test_big_endian_half_precision():
    w, v = trnsci.eigh(np.diag([3.0, 1.0]).astype(">f2"))
    assert w.dtype == v.dtype == np.float16
    assert w.tolist() == [1, 3]


@pytest.mark.parametrize("argument", [dict(type=1.5), dict(type=np.array([1, 2])), dict(subset_by_value=(0, 10**400)),
                                      dict(driver=["evr"]), dict(device=np.array([1, 2])),
                                      dict(progress=1.5)])  # fmt: skip
def test_arguments_of_strange_types_are_named(argument):
    with pytest.raises((ValueError, TypeError), match=next(iter(argument))):
        trnsci.eigh(np.eye(2), **argument)


def test_subset_and_driver_as_arrays():
    assert linalg.eigvalsh(np.diag([3.0, 1.0, 2.0]), driver="evr", subset_by_index=np.array([0, 1])).tolist() == [1, 2]
