"""Level 3 of trnsci.blas against definitions in extended precision and against SciPy."""

import sys
from concurrent.futures import ThreadPoolExecutor

import blas_definitions as definitions
import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg.blas
import trnsci
from trnsci import blas

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
ALL_FUNCTIONS = pytest.mark.parametrize("name", definitions.LEVEL3)
TWO_DTYPES = pytest.mark.parametrize("dtype", ["float32", "complex128"])


def check(call, result):
    call.check(result)
    if call.name in ("herk", "her2k"):
        assert not np.einsum("...ii->...i", result).imag.any()


@ALL_FUNCTIONS
@ALL_DTYPES
@pytest.mark.parametrize(
    ("m", "n", "k"), [(0, 0, 0), (0, 3, 2), (3, 0, 2), (3, 2, 0), (1, 1, 1), (2, 5, 3), (17, 33, 20), (40, 70, 65)]
)
def test_definition(m, n, k, dtype, name):
    for flags in definitions.variants(name):
        call = definitions.Call(name, dtype, m, n, k, flags)
        result = call()
        assert result.flags.c_contiguous
        check(call, result)


@ALL_DTYPES
@pytest.mark.parametrize("name", [f for f in definitions.LEVEL3 if f in definitions.WITH_BETA])
def test_beta_zero_does_not_read(name, dtype):
    for flags in definitions.variants(name):
        call = definitions.Call(name, dtype, flags=flags, beta=False)
        check(call, call())
        if name != "gemmt":  # whose other triangle stays as it is
            check(call, call(out=call.arrays["C"]))
        call.arrays["C"] = None
        check(call, call())


@ALL_DTYPES
def test_alpha_zero_does_not_read(dtype):
    nothing, c = np.full((3, 3), np.nan, dtype), matrices.random((3, 3), dtype)
    assert (blas.gemm(0, nothing, nothing, 1, c) == c).all()
    assert (blas.gemm(0.0, nothing, nothing) == 0).all()


@ALL_FUNCTIONS
@ALL_DTYPES
@pytest.mark.parametrize("layout", matrices.LAYOUTS)
def test_layout(layout, dtype, name):
    for flags in definitions.variants(name):
        call = definitions.Call(name, dtype, 6, 9, 7, flags)
        laid_out = {key: definitions.laid_out(layout, x) for key, x in call.arrays.items()}
        call.arrays = {key: view for key, (view, _) in laid_out.items()}
        before = [memory.tobytes() for _, memory in laid_out.values()]
        result = call()
        assert type(result) is np.ndarray
        check(call, result)
        assert [memory.tobytes() for _, memory in laid_out.values()] == before


@TWO_DTYPES
@pytest.mark.parametrize("layout_a", ["C", "F", "padded rows", "strided"])
@pytest.mark.parametrize("layout_b", ["C", "F", "padded rows", "strided"])
@pytest.mark.parametrize("layout_out", ["C", "F", "padded rows", "strided"])
@pytest.mark.parametrize("name", ["gemm", "gemmt", "syr2k", "trsm"])
def test_layouts_of_each_operand(name, layout_out, layout_b, layout_a, dtype):
    start = definitions.STARTS[name]
    for flags in definitions.variants(name):
        call = definitions.Call(name, dtype, 5, 6, 4, flags)
        for key, layout in zip(call.arrays, (layout_a, layout_b, layout_out), strict=False):
            call.arrays[key] = definitions.laid_out(layout, call.arrays[key])[0]
        out, _ = definitions.laid_out(layout_out, np.zeros_like(call.exact[start]))
        assert call(out=out) is out
        check(call, out)


@ALL_FUNCTIONS
@TWO_DTYPES
@pytest.mark.parametrize(
    "layout",
    ["C", "F", "padded rows", "strided", "negative strides", "odd address", "record field", "other byte order"],
)
def test_out(layout, dtype, name):
    start = definitions.STARTS[name]
    for flags in definitions.variants(name):
        call = definitions.Call(name, dtype, 8, 11, 5, flags)
        out, memory = definitions.laid_out(layout, np.zeros_like(call.arrays[start]))
        assert call(out=out) is out
        check(call, out.astype(dtype))
        out[...] = 0
        _, untouched = definitions.laid_out(layout, np.zeros_like(call.arrays[start]))
        assert memory.tobytes() == untouched.tobytes()
        here, _ = definitions.laid_out(layout, call.arrays[start])
        call.arrays[start] = here
        assert call(out=here) is here
        result = here.astype(dtype)
        if name == "gemmt":  # the NaNs of the other triangle are still there
            uplo = flags["uplo"]
            other = definitions.triangle(np.ones(result.shape), uplo) == 0
            assert np.isnan(result[other]).all()
            result = definitions.triangle(result, uplo)
        check(call, result)


@pytest.mark.parametrize("name", ["gemm", "symm", "syr2k", "trmm", "trsm"])
@pytest.mark.parametrize("shift", [0, 1, 6])
def test_out_that_overlaps_an_operand(shift, name):
    """Every operand in turn shares memory with `out`, at the same place or a little further."""
    for key in definitions.Call(name, "float64").arrays:
        call = definitions.Call(name, "float64", 6, 6, 6)
        memory = np.zeros(50)
        operand = memory[:36].reshape(6, 6)
        operand[...] = call.arrays[key]
        call.arrays[key] = operand
        check(call, call(out=memory[shift : shift + 36].reshape(6, 6)).copy())
        operand[...] = call.exact[key]
        check(call, call(out=memory[shift : shift + 36].reshape(6, 6).T).copy())


# Stacks


@ALL_FUNCTIONS
@TWO_DTYPES
@pytest.mark.parametrize("batch", [(0,), (1,), (3,), (2, 3), (40,)])
def test_stack(batch, dtype, name):
    for flags in definitions.variants(name)[:4]:
        call = definitions.Call(name, dtype, 4, 6, 5, flags, batch=batch)
        check(call, call())


@ALL_FUNCTIONS
def test_stacks_broadcast(name):
    for single in definitions.Call(name, "complex64").arrays:
        call = definitions.Call(name, "complex64", 4, 5, 6, batch=(2, 3))
        call.arrays[single] = call.exact[single] = call.arrays[single][0, 0]
        check(call, call())
        call.arrays[single] = call.exact[single] = np.broadcast_to(call.exact[single], (3, *call.exact[single].shape))
        check(call, call())


@pytest.mark.parametrize("axes", [(1, 0, 2, 3), (2, 3, 0, 1), (3, 1, 2, 0)])
@pytest.mark.parametrize("name", ["gemm", "symm", "trsm"])
def test_stacks_of_any_strides(name, axes):
    call = definitions.Call(name, "float64", 4, 5, 6, batch=(2, 3))
    call.arrays = {key: x.transpose(axes).copy().transpose(np.argsort(axes)) for key, x in call.arrays.items()}
    check(call, call())
    call.arrays = {key: x[::-1, ::-1] for key, x in call.arrays.items()}
    call.exact = {key: x[::-1, ::-1] for key, x in call.exact.items()}
    check(call, call())
    start = definitions.STARTS[name]
    call.arrays[start] = out = np.array(call.arrays[start][::-1])[::-1]
    assert call(out=out) is out
    check(call, out)


def test_batched_gemm():
    a, b = matrices.random((3, 4, 5), "float64", 1), matrices.random((3, 5, 2), "float64", 2)
    np.testing.assert_array_equal(blas.batched_gemm(1, a, b), blas.gemm(1, a, b))
    assert abs(blas.batched_gemm(2, a, b) - 2 * a @ b).max() < 50 * residuals.eps("float64")


# dtypes


@ALL_FUNCTIONS
@pytest.mark.parametrize("dtype", matrices.SHORT_DTYPES)
def test_half_precision(dtype, name):
    call = definitions.Call(name, "float32", 3, 3, 3)
    call.arrays = {key: np.ones_like(x).astype(dtype) for key, x in call.arrays.items()}
    in_single = getattr(blas, name)(**call.scalars, **{k: x.astype("f4") for k, x in call.arrays.items()}, **call.flags)
    result = call()
    assert result.dtype == dtype and (result == in_single.astype(dtype)).all()


def test_mixed_dtypes():
    single, double, z = np.eye(2, dtype="f4"), np.eye(2), np.eye(2, dtype="c8")
    assert blas.gemm(1, single, double).dtype == np.float64
    assert blas.gemm(1, single, z).dtype == np.complex64
    assert blas.gemm(1, double, z).dtype == np.complex128
    assert blas.gemm(1, [[1]], [[True]]).dtype == np.float64
    assert blas.gemm(1j, single, single).dtype == np.complex64
    assert blas.gemm(1, single, single, 1, z).dtype == np.complex64
    assert blas.gemm(1, single, single.astype("f2")).dtype == np.float32
    assert blas.gemm(np.float64(1), single, single).dtype == np.float32


# Against SciPy, and the quick way of gemm


@pytest.mark.parametrize(("letter", "dtype"), list(zip("sdcz", matrices.DTYPES, strict=True)))
def test_agrees_with_scipy(letter, dtype):
    a, b, c = (matrices.random((9, 9), dtype, seed) for seed in range(3))
    theirs = lambda name, *x, **y: getattr(scipy.linalg.blas, letter + name)(*x, **y)  # noqa: E731
    limit = 500 * residuals.eps(dtype)
    assert abs(blas.gemm(2, a, b, 3, c, "C", True) - theirs("gemm", 2, a, b, 3, c, trans_a=2, trans_b=1)).max() < limit
    assert (
        abs(blas.symm(2, a, b, 3, c, "right", "lower") - theirs("symm", 2, a, b, 3, c, side=1, lower=1)).max() < limit
    )
    assert abs(np.triu(blas.syrk(2, a, trans=True)) - np.triu(theirs("syrk", 2, a, trans=1))).max() < limit
    assert (
        abs(blas.trmm(2, a, b, "right", "lower", "C") - theirs("trmm", 2, a, b, side=1, lower=1, trans_a=2)).max()
        < limit
    )


@ALL_DTYPES
@pytest.mark.parametrize("shapes", [((3, 4), (4, 5)), ((1, 1), (1, 1)), ((64, 64), (64, 64)), ((2, 300), (300, 3))])
def test_quick_way_agrees_with_the_common_one(shapes, dtype):
    a, b = (matrices.random(shape, dtype, seed) for seed, shape in enumerate(shapes))
    expected = blas.gemm(1.5, a, b, out=np.empty((len(a), b.shape[1]), dtype))
    for x, trans_a in (
        (a, False),
        (a.T.copy(), True),
        (a.T.copy().T, "N"),
        (a.T.copy(), "T"),
        (np.asfortranarray(a.T), True),
    ):
        for y, trans_b in ((b, False), (b.T.copy(), True), (np.asfortranarray(b), False)):
            assert blas.gemm(1.5, x, y, 0, None, trans_a, trans_b).tobytes() == expected.tobytes()


@ALL_DTYPES
def test_bits_do_not_depend_on_threads(dtype):
    for name in definitions.LEVEL3:
        call = definitions.Call(name, dtype, 300, 260, 280)
        assert call(threads=1).tobytes() == call(threads=2).tobytes(), name


def test_long_calls_run_as_jobs(monkeypatch):
    jobs = []
    run_job = trnsci._core._native._run_job
    monkeypatch.setattr(trnsci._core._native, "_run_job", lambda *args: jobs.append(args[0][0]) or run_job(*args))
    a = matrices.random((900, 900), "float64")
    result = blas.gemm(1, a, a)
    assert jobs == ["Gemm"]
    assert abs(result - a @ a).max() < 900 * residuals.eps("float64") * 100
    blas.gemm(1, a[:9, :9], a[:9, :9])
    assert jobs == ["Gemm"]


def test_many_python_threads_at_once():
    calls = [definitions.Call(name, "complex64", 60, 70, 50) for name in definitions.LEVEL3 + definitions.LEVEL2]

    def repeat(call):
        for _ in range(5):
            call.check(call(threads=2))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(repeat, calls))


def test_no_reference_is_kept():
    a = np.ones((500, 500))
    before = sys.getrefcount(a)
    blas.gemm(1, a, a)
    blas.symm(1, a, a, 1, a)
    assert sys.getrefcount(a) == before


# Bad arguments

SQUARE, WIDE = np.ones((3, 3)), np.ones((2, 3))


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (ValueError, r"B: shape \(2, 3\) does not fit A's shape \(2, 3\)", lambda: blas.gemm(1, WIDE, WIDE)),
        (ValueError, "A: expected a matrix or a stack", lambda: blas.gemm(1, np.ones(3), SQUARE)),
        (ValueError, "B: expected a matrix or a stack", lambda: blas.gemm(1, SQUARE, 2.0)),
        (ValueError, "C: expected 2 x 3 matrices", lambda: blas.gemm(1, WIDE, SQUARE, 1, SQUARE)),
        (ValueError, "C: beta is not zero", lambda: blas.gemm(1, WIDE, SQUARE, 1)),
        (ValueError, "C: beta is not zero", lambda: blas.syrk(1, WIDE, 0.5)),
        (ValueError, "transA: 'X' is not one of", lambda: blas.gemm(1, WIDE, SQUARE, transA="X")),
        (ValueError, "transB: None is not one of", lambda: blas.gemm(1, WIDE, SQUARE, transB=None)),
        (
            ValueError,
            "side: 'top' is not one of 'left', 'right', 'L', 'R'",
            lambda: blas.symm(1, SQUARE, SQUARE, side="top"),
        ),
        (ValueError, "uplo: 0", lambda: blas.trsm(1, SQUARE, SQUARE, uplo=0)),
        (ValueError, "diag: 'NonUnit'", lambda: blas.trmm(1, SQUARE, SQUARE, diag="NonUnit")),
        (
            ValueError,
            "trans: 'C' is not possible for a complex symmetric",
            lambda: blas.syrk(1, 1j * SQUARE, trans="C"),
        ),
        (
            ValueError,
            "trans: True is not possible for a complex Hermitian",
            lambda: blas.herk(1, 1j * SQUARE, trans=True),
        ),
        (ValueError, "A: expected 2 x 2 matrices", lambda: blas.symm(1, SQUARE, WIDE)),
        (ValueError, "B: expected 2 x 3 matrices", lambda: blas.syr2k(1, WIDE, SQUARE)),
        (ValueError, "B: expected 3 x 2 matrices", lambda: blas.gemmt(1, WIDE, SQUARE)),
        (
            ValueError,
            "A: leading dimensions do not broadcast",
            lambda: blas.gemm(1, np.ones((2, 3, 3)), np.ones((4, 3, 3))),
        ),
        (ValueError, "A: expected three dimensions", lambda: blas.batched_gemm(1, SQUARE, SQUARE)),
        (ValueError, r"out: expected shape \(2, 3\)", lambda: blas.gemm(1, WIDE, SQUARE, out=np.zeros((3, 3)))),
        (TypeError, "out: expected dtype float64", lambda: blas.gemm(1, WIDE, SQUARE, out=np.zeros((2, 3), "f4"))),
        (TypeError, "A: dtype object", lambda: blas.gemm(1, np.array([[None]]), SQUARE)),
        (TypeError, "alpha: expected a number", lambda: blas.gemm(None, SQUARE, SQUARE)),
        (TypeError, "beta: expected a real number", lambda: blas.herk(1, SQUARE, 1j, SQUARE)),
        (trnsci.UnsupportedError, "device: 'neuron'", lambda: blas.gemm(1, SQUARE, SQUARE, device="neuron")),
        (TypeError, "threads: expected an integer", lambda: blas.gemm(1, SQUARE, SQUARE, threads=1.5)),
    ],
)
def test_bad_arguments(error, words, call):
    with pytest.raises(error, match=f"^{words}"):
        call()


def test_result_that_does_not_fit():
    huge = np.broadcast_to(0.0, (10**7, 1))
    with pytest.raises(MemoryError, match="bytes"):
        blas.gemm(1, huge, huge, transB=True)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("uplo", ["upper", "lower"])
def test_hermitian_updates_that_add_nothing_make_the_diagonal_real(dtype, uplo):
    c = np.array([[1 + 5j, 2 + 1j], [2 - 1j, 3 - 4j]], dtype)
    expected = c - 1j * np.diag(c.diagonal().imag)
    nothing, one, x = np.ones((2, 0), dtype), np.ones((2, 1), dtype), np.ones(2, dtype)
    assert np.array_equal(blas.herk(1, nothing, 1, c, uplo=uplo), expected)
    assert np.array_equal(blas.herk(0, one, 1, c, uplo=uplo), expected)
    assert np.array_equal(blas.her2k(1, nothing, nothing, 1, c, uplo=uplo), expected)
    assert np.array_equal(blas.her(0, x, c, uplo), expected)
    assert np.array_equal(blas.her2(0, x, x, c, uplo), expected)
    assert np.array_equal(blas.herk(0, one, 1, c, uplo=uplo, out=c), expected)


@pytest.mark.parametrize("order", ["C", "F"])
def test_errors_name_what_the_caller_gave(order):
    a, b = np.ones((2, 3)), np.ones((3, 4))
    with pytest.raises(ValueError, match=r"out: expected shape \(2, 4\), got \(5, 2\)"):
        blas.gemm(1, a, b, out=np.zeros((5, 2), order=order))
    with pytest.raises(ValueError, match=r"B: shape \(5, 4\) does not fit A's shape \(2, 3\): op\(A\) has 3 columns"):
        blas.gemm(1, a, np.ones((5, 4)), out=np.zeros((2, 4), order=order))
    with pytest.raises(ValueError, match=r"C: expected 2 x 4 matrices, got shape \(4, 2\)"):
        blas.gemm(1, a, b, 1, np.ones((4, 2)), out=np.zeros((2, 4), order=order))
    with pytest.raises(ValueError, match=r"A \(3, 2, 3\), B \(2, 3, 4\)"):
        blas.gemm(1, np.zeros((3, 2, 3)), np.zeros((2, 3, 4)), out=np.zeros((3, 4, 2)).swapaxes(1, 2))
