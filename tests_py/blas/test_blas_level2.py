"""Level 2 of trnsci.blas against definitions in extended precision and against SciPy."""

import blas_definitions as definitions
import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg.blas
from trnsci import blas

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
ALL_FUNCTIONS = pytest.mark.parametrize("name", definitions.LEVEL2)


@ALL_FUNCTIONS
@ALL_DTYPES
@pytest.mark.parametrize(("m", "n"), [(0, 0), (0, 3), (3, 0), (1, 1), (2, 5), (33, 17), (70, 130)])
def test_definition(m, n, dtype, name):
    for flags in definitions.variants(name):
        call = definitions.Call(name, dtype, m, n, 1, flags)
        result = call()
        assert result.flags.c_contiguous
        call.check(result)


@ALL_DTYPES
@pytest.mark.parametrize("name", [f for f in definitions.LEVEL2 if f in definitions.WITH_BETA])
def test_beta_zero_does_not_read(name, dtype):
    for flags in definitions.variants(name):
        call = definitions.Call(name, dtype, flags=flags, beta=False)
        call.check(call())
        call.check(call(out=call.arrays["y"]))
        call.arrays["y"] = None
        call.check(call())


@pytest.mark.parametrize("name", ["ger", "gerc", "syr", "her", "syr2", "her2"])
def test_update_of_nothing(name):
    call = definitions.Call(name, "complex128")
    call.arrays["A"], call.exact["A"] = None, np.zeros_like(call.arrays["A"])
    call.check(call())


@ALL_FUNCTIONS
@ALL_DTYPES
@pytest.mark.parametrize("layout", [x for x in matrices.LAYOUTS if x != "matrix"])
def test_layout(layout, dtype, name):
    for flags in definitions.variants(name):
        call = definitions.Call(name, dtype, 13, 21, 1, flags)
        laid_out = {key: definitions.laid_out(layout, x) for key, x in call.arrays.items()}
        call.arrays = {key: view for key, (view, _) in laid_out.items()}
        before = [memory.tobytes() for _, memory in laid_out.values()]
        call.check(call())
        assert [memory.tobytes() for _, memory in laid_out.values()] == before


@ALL_FUNCTIONS
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize(
    "layout", ["C", "F", "padded rows", "strided", "negative strided", "odd address", "other byte order"]
)
def test_out(layout, dtype, name):
    start = definitions.STARTS[name]
    for flags in definitions.variants(name):
        call = definitions.Call(name, dtype, 8, 11, 1, flags)
        out, memory = definitions.laid_out(layout, np.full_like(call.arrays[start], 7))
        assert call(out=out) is out
        call.check(out.astype(dtype))
        out[...] = 0
        clean, untouched = definitions.laid_out(layout, np.zeros_like(call.arrays[start]))
        assert memory.tobytes() == untouched.tobytes() and clean.shape == out.shape  # nothing around it was written
        here, _ = definitions.laid_out(layout, call.arrays[start])
        call.arrays[start] = here
        assert call(out=here) is here
        call.check(here.astype(dtype))


def test_out_that_overlaps_an_operand():
    memory = matrices.random((40,), "float64")
    a = memory[:36].reshape(6, 6)
    for out, x in ((memory[30:36], memory[20:26].copy()), (memory[31:37], memory[30:36])):
        expected = a.copy() @ x.copy()
        memory_before = memory.copy()
        result = blas.gemv(1, a, x, out=out)
        assert abs(result - expected).max() < 20 * residuals.eps("float64")
        memory[...] = memory_before
    x = memory[:6]
    expected = np.triu(a) @ x
    assert abs(blas.trmv(a, x, out=x) - expected).max() < 20 * residuals.eps("float64")


@pytest.mark.parametrize(("letter", "dtype"), list(zip("sdcz", matrices.DTYPES, strict=True)))
def test_agrees_with_scipy(letter, dtype):
    a, x, y = matrices.random((8, 8), dtype), matrices.random((8,), dtype, 1), matrices.random((8,), dtype, 2)
    f = {name: getattr(scipy.linalg.blas, letter + name) for name in ("gemv", "trmv", "trsv")}
    limit = 200 * residuals.eps(dtype)
    assert abs(blas.gemv(2, a, x, 3, y, "C") - f["gemv"](2, a, x, 3, y, trans=2)).max() < limit
    a = a / 8 + 2 * np.eye(8, dtype=dtype)
    for lower, uplo in enumerate(definitions.UPLOS):
        assert abs(blas.trmv(a, x, uplo, "T") - f["trmv"](a, x, lower=lower, trans=1)).max() < limit
        assert abs(blas.trsv(a, x, uplo, diag="unit") - f["trsv"](a, x, lower=lower, diag=1)).max() < limit


@pytest.mark.parametrize("dtype", matrices.SHORT_DTYPES)
def test_half_precision(dtype):
    a, x = np.array([[1, 2], [3, 4]], dtype), np.array([1, 1], dtype)
    result = blas.gemv(1, a, x, 1, x)
    assert result.dtype == dtype and result.tolist() == [4, 8]
    out = np.zeros(2, dtype)
    assert blas.gemv(1, a, x, out=out) is out and out.tolist() == [3, 7]
    assert blas.syr(1, x).dtype == dtype


@ALL_DTYPES
def test_bits_do_not_depend_on_threads(dtype):
    for name in ("gemv", "symv", "trmv", "trsv", "ger", "syr2"):
        call = definitions.Call(name, dtype, 700, 600, 1)
        assert call(threads=1).tobytes() == call(threads=2).tobytes(), name


SQUARE, WIDE, VECTOR = np.ones((3, 3)), np.ones((2, 3)), np.ones(3)


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (ValueError, "A: expected a matrix", lambda: blas.gemv(1, VECTOR, VECTOR)),
        (ValueError, "A: expected a matrix", lambda: blas.gemv(1, np.ones((2, 3, 3)), VECTOR)),
        (ValueError, "x: expected 3 elements, got 2", lambda: blas.gemv(1, WIDE, [1, 2])),
        (ValueError, "y: expected 2 elements, got 3", lambda: blas.gemv(1, WIDE, VECTOR, 1, VECTOR)),
        (ValueError, "y: beta is not zero", lambda: blas.gemv(1, WIDE, VECTOR, 1)),
        (ValueError, "y: beta is not zero", lambda: blas.hemv(1, SQUARE, VECTOR, 1)),
        (ValueError, "trans: 'X' is not one of", lambda: blas.gemv(1, WIDE, VECTOR, trans="X")),
        (ValueError, r"trans: \['T'\] is not one of", lambda: blas.gemv(1, WIDE, VECTOR, trans=["T"])),
        (
            ValueError,
            "uplo: 'up' is not one of 'upper', 'lower', 'U', 'L'",
            lambda: blas.symv(1, SQUARE, VECTOR, uplo="up"),
        ),
        (ValueError, "diag: 'one'", lambda: blas.trmv(SQUARE, VECTOR, diag="one")),
        (ValueError, "A: expected any x 2 matrices, got shape", lambda: blas.symv(1, WIDE, VECTOR)),
        (ValueError, "A: expected any x 2 matrices, got shape", lambda: blas.trsv(WIDE, VECTOR)),
        (ValueError, "A: expected 3 x 2 matrices", lambda: blas.ger(1, VECTOR, [1, 2], SQUARE)),
        (ValueError, "y: expected 3 elements", lambda: blas.syr2(1, VECTOR, [1, 2])),
        (ValueError, "x: expected a vector", lambda: blas.syr(1, 2.0)),
        (TypeError, "alpha: expected a real number", lambda: blas.her(1j, VECTOR)),
        (TypeError, "beta: expected a number", lambda: blas.gemv(1, WIDE, VECTOR, None)),
        (TypeError, "out: expected dtype complex128", lambda: blas.gemv(1j, WIDE, VECTOR, out=np.zeros(2))),
        (ValueError, "out: expected shape", lambda: blas.ger(1, VECTOR, VECTOR, out=np.zeros((2, 3)))),
    ],
)
def test_bad_arguments(error, words, call):
    with pytest.raises(error, match=f"^{words}"):
        call()
