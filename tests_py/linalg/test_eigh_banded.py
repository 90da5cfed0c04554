"""eigh_tridiagonal, eig_banded and their relatives for eigenvalues alone, against SciPy and by residuals."""

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
from trnsci import linalg

LIMIT = residuals.HERMITIAN_LIMIT
REAL = ("float32", "float64")
# Wide bands, narrow ones, and bands with more diagonals than the matrix; at order 200 the narrow ones are reduced as
# bands.
SHAPES = [(1, 0), (1, 3), (2, 1), (5, 0), (5, 1), (5, 4), (33, 2), (100, 1), (100, 7), (200, 2), (200, 3), (200, 40)]


def couplings(n, dtype, seed=0, batch=()):
    return matrices.random((*batch, n), dtype, seed), matrices.random((*batch, n - 1), dtype, seed + 1)


def dense_tridiagonal(d, e):
    return np.diag(d) + np.diag(e, 1) + np.diag(e, -1)


def banded(n, width, dtype, seed=0):
    """A Hermitian band matrix, and its diagonals from the main one down."""
    a = matrices.hermitian(n, dtype, seed)
    i, j = np.indices((n, n))
    a[abs(i - j) > width] = 0
    band = np.zeros((width + 1, n), dtype)
    for k in range(min(width + 1, n)):
        band[k, : n - k] = np.diagonal(a, -k)
    return a, band


def upper(band):
    """The same matrix, from its diagonals above the main one."""
    result = np.zeros_like(band)
    for k in range(min(band.shape)):
        result[len(band) - 1 - k, k:] = band[k, : band.shape[1] - k].conj()
    return result


def check_pairs(a, w, v):
    assert w.dtype == matrices.real_dtype(a.dtype) and v.dtype == a.dtype
    assert w.shape == v.shape[1:] and v.shape[0] == len(a)
    assert np.all(np.diff(w) >= 0)
    assert residuals.eigen_residual(a, w, v) < LIMIT
    assert residuals.orthogonality(v) < LIMIT


def assert_same_values(w, expected, dtype, n):
    assert w.shape == expected.shape
    np.testing.assert_allclose(w, expected, rtol=0, atol=LIMIT * residuals.divisor(n) * residuals.eps(dtype) * 4)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("n", [n for n in matrices.SIZES if n > 0])
def test_tridiagonal(n, dtype):
    d, e = couplings(n, dtype)
    w, v = linalg.eigh_tridiagonal(d, e)
    a = dense_tridiagonal(d, e)
    check_pairs(a, w, v)
    assert residuals.eigenvalue_error(a, w) < LIMIT
    values = linalg.eigvalsh_tridiagonal(d, e)
    assert values.dtype == dtype and residuals.eigenvalue_error(a, values) < LIMIT


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize(("n", "width"), SHAPES)
def test_banded(n, width, lower, dtype):
    a, band = banded(n, width, dtype)
    band = band if lower else upper(band)
    before = band.copy()
    w, v = linalg.eig_banded(band, lower=lower)
    check_pairs(a, w, v)
    assert residuals.eigenvalue_error(a, w) < LIMIT
    values = linalg.eigvals_banded(band, lower=lower, overwrite_a_band=True)
    assert residuals.eigenvalue_error(a, values) < LIMIT
    assert values.tobytes() == linalg.eig_banded(band, lower=lower, eigvals_only=True).tobytes()
    np.testing.assert_array_equal(band, before)


@pytest.mark.parametrize("exponent", [-300, -160, 160, 300])
@pytest.mark.parametrize("width", [1, 2, 9])
def test_scales(width, exponent):
    a, band = banded(140, width, "complex128")
    scale = 10.0**exponent
    w, v = linalg.eig_banded(band * scale, lower=True)
    check_pairs(a * scale, w, v)
    assert residuals.eigenvalue_error(a * scale, linalg.eigvals_banded(band * scale, lower=True)) < LIMIT
    if width == 1:
        d, e = band.real * scale
        check_pairs(dense_tridiagonal(d, e[:-1]), *linalg.eigh_tridiagonal(d, e[:-1]))


SELECTIONS = [
    ("a", None), ("A", None), ("all", None), (0, None), ("i", (0, 0)), ("i", (3, 9)), ("index", [19, 19]),
    (2, np.array([0, 19])), ("v", (-1.0, 1.0)), ("value", (-np.inf, 0)), (1, (0.5, 100)), ("V", (50, 60)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("select", "select_range"), SELECTIONS)
def test_tridiagonal_selections_agree_with_scipy(select, select_range, dtype):
    d, e = couplings(20, dtype)
    options = dict(select=select, select_range=select_range)
    w, v = linalg.eigh_tridiagonal(d, e, **options)
    wide = d.astype(np.float64), e.astype(np.float64)
    assert_same_values(w, scipy.linalg.eigvalsh_tridiagonal(*wide, **options), dtype, 20)
    assert_same_values(linalg.eigvalsh_tridiagonal(d, e, **options), w, dtype, 20)
    check_pairs(dense_tridiagonal(d, e), w, v)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize(("select", "select_range"), SELECTIONS)
@pytest.mark.parametrize("width", [0, 1, 4])
def test_banded_selections_agree_with_scipy(width, select, select_range, dtype):
    a, band = banded(20, width, dtype)
    options = dict(lower=True, select=select, select_range=select_range)
    w, v = linalg.eig_banded(band, **options)
    wide = band.astype(np.result_type(dtype, np.float64))
    assert_same_values(w, scipy.linalg.eigvals_banded(wide, **options), dtype, 20)
    assert_same_values(linalg.eigvals_banded(band, **options), w, dtype, 20)
    check_pairs(a, w, v)


def test_interval_is_half_open():
    for w in (
        linalg.eigvalsh_tridiagonal(np.arange(10.0), np.zeros(9), "v", (2, 5)),
        linalg.eigvals_banded(np.arange(10.0)[None], select="v", select_range=(2, 5)),
    ):
        assert w.tolist() == [3, 4, 5]


@pytest.mark.parametrize("batch", [(3,), (2, 2), (0,)])
def test_batches(batch):
    d, e = couplings(9, "float64", batch=batch)
    w, v = linalg.eigh_tridiagonal(d, e[..., :1, :] if e.ndim > 2 else e, select="i", select_range=(1, 4))
    assert w.shape == (*batch, 4) and v.shape == (*batch, 9, 4)
    band = np.stack([d, np.pad(e, [(0, 0)] * len(batch) + [(0, 1)])], axis=-2)
    wb, vb = linalg.eig_banded(band, lower=True)
    assert wb.shape == (*batch, 9) and vb.shape == (*batch, 9, 9)
    for index in np.ndindex(batch):
        beside = e[(*index[:-1], 0)] if e.ndim > 2 else e[index]
        check_pairs(dense_tridiagonal(d[index], beside), w[index], v[index])
        check_pairs(dense_tridiagonal(d[index], e[index]), wb[index], vb[index])


def test_layouts_and_dtypes():
    d, e = couplings(12, "float64")
    expected = linalg.eigh_tridiagonal(d, e)
    spread = np.repeat(d, 3)[::3], np.repeat(e[::-1], 2)[::-2]
    for x, y in zip(linalg.eigh_tridiagonal(*spread), expected, strict=True):
        np.testing.assert_array_equal(x, y)
    _, band = banded(12, 3, "complex64")
    for x, y in zip(linalg.eig_banded(np.asfortranarray(band)[:, ::-1][:, ::-1]), linalg.eig_banded(band), strict=True):
        np.testing.assert_array_equal(x, y)
    assert linalg.eigvalsh_tridiagonal([2, 2], [1]).dtype == np.float64
    assert linalg.eigvalsh_tridiagonal(np.float16([2, 2]), np.float16([1])).dtype == np.float16
    assert linalg.eigvalsh_tridiagonal(np.float32([2, 2]), [1.0]).dtype == np.float64
    assert linalg.eigvals_banded(np.float16([[2, 2]])).dtype == np.float16


def test_threads_do_not_change_bits():
    d, e = couplings(300, "float64")
    _, band = banded(300, 3, "complex128")
    for solve in (lambda **k: linalg.eigh_tridiagonal(d, e, **k), lambda **k: linalg.eig_banded(band, **k)):
        for x, y in zip(solve(threads=1), solve(threads=2), strict=True):
            assert x.tobytes() == y.tobytes()


def test_many_eigenvalues_of_a_narrow_band():
    n = 5000  # a dense matrix of this order takes 200 MB
    w = linalg.eigvals_banded(np.vstack([np.full(n, 6.0), np.full(n, -4.0), np.ones(n)]), lower=True)
    reference = scipy.linalg.eigvals_banded(np.vstack([np.full(n, 6.0), np.full(n, -4.0), np.ones(n)]), lower=True)
    np.testing.assert_allclose(w, reference, rtol=0, atol=LIMIT * n * residuals.eps("float64") * 16)


def test_empty():
    w, v = linalg.eig_banded(np.zeros((2, 0), "complex64"))
    assert w.shape == (0,) and w.dtype == np.float32 and v.shape == (0, 0) and v.dtype == np.complex64
    assert linalg.eigvals_banded(np.zeros((3, 2, 0))).shape == (3, 0)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_not_finite(bad):
    for name, d, e in (("d", [0, bad, 0], [0, 0]), ("e", [0, 0, 0], [0, bad])):
        with pytest.raises(ValueError, match=f"{name}: .*infinities or NaNs"):
            linalg.eigh_tridiagonal(d, e)
        w, v = linalg.eigh_tridiagonal(d, e, check_finite=False)
        assert np.isnan(w).all() and np.isnan(v).all()
    band = np.array([[1.0, 2, 3], [0, 0, bad]])  # the last element belongs to no element of the matrix
    with pytest.raises(ValueError, match=r"a_band: .*infinities or NaNs"):
        linalg.eig_banded(band, lower=True)
    assert linalg.eigvals_banded(band, lower=True, check_finite=False).tolist() == [1, 2, 3]


REFUSED = [
    (dict(select="x"), ValueError, "select: 'x'"),
    (dict(select=3), ValueError, "select: 3"),
    (dict(select=[]), ValueError, "select: "),
    (dict(select="i"), ValueError, "select_range: .*None"),
    (dict(select="i", select_range=(0.0, 1.0)), ValueError, "select_range: expected two integers"),
    (dict(select="i", select_range=(-1, 1)), ValueError, "select_range: "),
    (dict(select="i", select_range=(0, 4)), ValueError, "select_range: .* < 4"),
    (dict(select="i", select_range=(2, 1)), ValueError, "select_range: "),
    (dict(select="v", select_range=(0, 1, 2)), ValueError, "select_range: expected two numbers"),
    (dict(select="v", select_range=(1, 0)), ValueError, "select_range: .*interval"),
    (dict(select="v", select_range=(np.nan, 1)), ValueError, "select_range: .*interval"),
    (dict(device="nowhere"), ValueError, "device"),
]
REFUSED_DRIVERS = [
    (dict(lapack_driver=3), TypeError, "lapack_driver: "),
    (dict(lapack_driver="evd"), ValueError, "lapack_driver: 'evd'"),
    (dict(lapack_driver="sterf"), ValueError, "lapack_driver: .*eigenvectors"),
    (dict(lapack_driver="stevd", select="i", select_range=(0, 1)), ValueError, "lapack_driver: .*subsets"),
]


@pytest.mark.parametrize(("options", "error", "text"), REFUSED + REFUSED_DRIVERS)
def test_refused_options(options, error, text):
    with pytest.raises(error, match=text):
        linalg.eigh_tridiagonal(np.arange(4.0), np.ones(3), **options)
    if "lapack_driver" not in options:
        with pytest.raises(error, match=text):
            linalg.eig_banded(np.ones((2, 4)), **options)


@pytest.mark.parametrize(
    ("d", "e", "error", "text"),
    [
        (np.ones(3), np.ones(3), ValueError, r"e: .*2, got shape \(3,\)"),
        (np.ones(0), np.ones(0), ValueError, "e: "),
        (1.0, np.ones(0), ValueError, "d: expected a vector"),
        (np.ones((2, 3)), np.ones((3, 2)), ValueError, "e: shape"),
        (np.ones(3, complex), np.ones(2), TypeError, "d: dtype complex128"),
        (np.ones(3), np.ones(2, "complex64"), TypeError, "e: dtype complex64"),
        (np.array(["x"]), np.ones(0), TypeError, "d: dtype"),
    ],
)
def test_refused_tridiagonals(d, e, error, text):
    with pytest.raises(error, match=text):
        linalg.eigh_tridiagonal(d, e)


@pytest.mark.parametrize("shape", [(3,), (), (0, 3)])
def test_refused_bands(shape):
    with pytest.raises(ValueError, match="a_band: expected a matrix"):
        linalg.eig_banded(np.ones(shape))


def test_a_stack_has_no_interval():
    with pytest.raises(ValueError, match=r"select: .*stack"):
        linalg.eigh_tridiagonal(np.ones((2, 3)), np.ones((2, 2)), select="v", select_range=(0, 1))
    with pytest.raises(ValueError, match=r"select: .*stack"):
        linalg.eig_banded(np.ones((2, 2, 3)), select="v", select_range=(0, 1))
