"""Level 1 of trnsci.blas against definitions in extended precision and against SciPy."""

import blas_definitions as definitions
import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg.blas
from numpy.lib.stride_tricks import as_strided
from trnsci import blas

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
ALL_FUNCTIONS = pytest.mark.parametrize("name", definitions.LEVEL1)


@ALL_FUNCTIONS
@ALL_DTYPES
@pytest.mark.parametrize("n", [0, 1, 2, 5, 16, 33, 1000])
def test_definition(n, dtype, name):
    call = definitions.Call(name, dtype, n=n)
    call.check(call())


@ALL_FUNCTIONS
@ALL_DTYPES
@pytest.mark.parametrize("layout", [x for x in matrices.LAYOUTS if x != "matrix"])
def test_layout(layout, dtype, name):
    call = definitions.Call(name, dtype, n=37)
    laid_out = {key: definitions.laid_out(layout, x) for key, x in call.arrays.items()}
    call.arrays = {key: view for key, (view, _) in laid_out.items()}
    before = [memory.tobytes() for _, memory in laid_out.values()]
    call.check(call())
    assert [memory.tobytes() for _, memory in laid_out.values()] == before


@ALL_FUNCTIONS
def test_constant_vector_of_stride_zero(name):
    call = definitions.Call(name, "float64", n=5)
    call.arrays["x"] = np.broadcast_to(np.float64(3), (5,))
    call.exact["x"] = np.full(5, 3.0)
    call.check(call())


@ALL_DTYPES
@pytest.mark.parametrize("n", [1, 7, 100])
@pytest.mark.parametrize("layout", ["C", "negative strides", "strided"])
def test_iamax(layout, n, dtype):
    x = matrices.random((n,), dtype)
    size = abs(x.real) + abs(x.imag)
    assert blas.iamax(definitions.laid_out(layout, x)[0]) == int(np.argmax(size))


def test_iamax_of_equal_elements_and_of_none():
    assert blas.iamax([1.0, -3.0, 3.0, 2.0]) == 1
    assert blas.iamax([]) == -1
    assert isinstance(blas.iamax([1.0]), int)


@pytest.mark.parametrize(("letter", "dtype"), list(zip("sdcz", matrices.DTYPES, strict=True)))
def test_agrees_with_scipy(letter, dtype):
    x, y = matrices.random((50,), dtype, 1), matrices.random((50,), dtype, 2)
    axpy, scal, iamax = (
        getattr(scipy.linalg.blas, f) for f in (letter + "axpy", letter + "scal", "i" + letter + "amax")
    )
    limit = 4 * residuals.eps(dtype) * 10
    assert abs(blas.axpy(2.5, x, y) - axpy(x, y.copy(), a=2.5)).max() <= limit
    assert abs(blas.scal(-0.5, x) - scal(-0.5, x.copy())).max() <= limit
    assert blas.iamax(x) == iamax(x)


@ALL_DTYPES
def test_norm_of_huge_and_tiny_vectors(dtype):
    real = np.finfo(dtype)
    for scale in (real.max / 8, real.tiny * 4):
        x = np.array([3 * scale, 4 * scale], dtype) / 4
        assert abs(float(blas.nrm2(x)) / (5 * float(scale) / 4) - 1) < 4 * residuals.eps(dtype)


@pytest.mark.parametrize("dtype", matrices.SHORT_DTYPES)
def test_half_precision(dtype):
    x = np.array([1, 2, 3], dtype)
    assert blas.axpy(2, x, x).dtype == dtype and blas.axpy(2, x, x).tolist() == [3, 6, 9]
    assert blas.dot(x, x) == 14 and blas.dot(x, x).dtype == dtype
    assert blas.nrm2(np.array([3, 4], dtype)) == 5


def test_mixed_dtypes_and_complex_scalars():
    x, y = np.ones(3, np.float32), np.ones(3, np.complex64)
    assert blas.axpy(1, x, y).dtype == np.complex64
    assert blas.axpy(1, x, [1, 2, 3]).dtype == np.float64
    scaled = blas.scal(2j, x)
    assert scaled.dtype == np.complex64 and scaled.tolist() == [2j] * 3


@pytest.mark.parametrize("name", ["axpy", "scal"])
@ALL_DTYPES
@pytest.mark.parametrize(
    "layout", ["C", "strided", "negative strides", "odd address", "record field", "other byte order"]
)
def test_out(layout, dtype, name):
    call = definitions.Call(name, dtype, n=9)
    start = call.arrays[definitions.STARTS[name]]
    out, _ = definitions.laid_out(layout, np.zeros_like(start))
    assert call(out=out) is out
    call.check(out.astype(out.dtype.newbyteorder("=")))
    here, _ = definitions.laid_out(layout, start)
    call.arrays[definitions.STARTS[name]] = here
    assert call(out=here) is here
    call.check(here.astype(out.dtype.newbyteorder("=")))


def test_out_that_overlaps():
    memory = np.arange(10.0)
    assert blas.axpy(1, memory[:9], memory[1:], out=memory[1:]).tolist() == [2.0 * i + 1 for i in range(9)]
    memory = np.arange(10.0)
    assert blas.scal(2, memory[:9], out=memory[1:]).tolist() == [2.0 * i for i in range(9)]
    assert memory[0] == 0
    memory = np.arange(4.0)
    assert blas.axpy(1, memory[::-1], memory, out=memory).tolist() == [3, 3, 3, 3]


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (ValueError, "x: expected a vector", lambda: blas.nrm2(np.ones((2, 2)))),
        (ValueError, "x: expected a vector", lambda: blas.asum(1.0)),
        (ValueError, "y: expected 2 elements, got 3", lambda: blas.dot([1, 2], [1, 2, 3])),
        (TypeError, "alpha: expected a number", lambda: blas.scal("2", [1, 2])),
        (TypeError, "alpha: expected a number", lambda: blas.scal([1, 2], [1, 2])),
        (TypeError, "x: dtype object", lambda: blas.asum(np.array([None]))),
        (ValueError, r"out: expected shape \(2,\), got \(3,\)", lambda: blas.scal(1, [1, 2], out=np.ones(3))),
        (TypeError, "out: expected dtype float64, got float32", lambda: blas.scal(1, [1, 2], out=np.ones(2, "f4"))),
        (TypeError, "out: expected an array, got list", lambda: blas.scal(1, [1, 2], out=[1, 2])),
        (ValueError, "out: the array is read-only", lambda: blas.scal(1, [1, 2], out=np.broadcast_to(1.0, 2))),
        (ValueError, "out: elements", lambda: blas.scal(1, [1, 2], out=as_strided(np.zeros(1), (2,), (0,)))),
        (
            ValueError,
            "out: elements",
            lambda: blas.gemm(1, np.eye(2), np.eye(2), out=as_strided(np.zeros(3), (2, 2), (8, 8))),
        ),
        (ValueError, "alpha: an integer of", lambda: blas.scal(10**400, [1, 2])),
        (ValueError, "alpha: an integer of", lambda: blas.gemm(10**400, np.eye(2), np.eye(2))),
        (ValueError, "device: 'tpu'", lambda: blas.dot([1], [1], device="tpu")),
        (ValueError, "threads", lambda: blas.dot([1], [1], threads=0)),
    ],
)
def test_bad_arguments(error, words, call):
    with pytest.raises(error, match=f"^{words}"):
        call()
