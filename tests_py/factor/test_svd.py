"""svd and svdvals: residuals, SciPy's shapes, kinds of matrices, scaling, stacks, arguments."""

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import dtypes, presented, properties
from trnsci import LinAlgError, threads
from trnsci.linalg import svd, svdvals

LIMIT = 4.0  # as docs/numerics.md says
SHAPES = ((1, 1), (1, 7), (7, 1), (5, 5), (17, 16), (16, 40), (64, 64), (150, 40), (40, 150), (130, 130), (200, 160))
EMPTY = ((0, 0), (0, 4), (4, 0))

every_dtype = pytest.mark.parametrize("dtype", matrices.DTYPES)
either = pytest.mark.parametrize("full", [True, False])


def assert_decomposes(a, u, s, vh):
    """Check the residual, the orthogonality of both factors, and that the values are real and descend."""
    shift = -residuals.exponent(a)
    exact, k, n = residuals.scaled(a, shift).reshape(a.shape), min(a.shape), max(a.shape)
    values = residuals.scaled(s, shift).reshape(s.shape)
    unit = residuals.divisor(n) * residuals.eps(a.dtype)
    left, right = u[:, :k].astype(exact.dtype), vh[:k].astype(exact.dtype)
    norm = np.linalg.norm(exact, 2) if exact.any() else 0
    floor = residuals.rounding_floor(a.dtype, n, shift)
    assert np.linalg.norm(left * values @ right - exact, 2) <= LIMIT * unit * norm + floor
    for q in (u, vh.conj().T):
        wide = q.astype(exact.dtype)
        assert np.linalg.norm(wide.conj().T @ wide - np.eye(q.shape[1]), 2) <= LIMIT * unit
    assert s.dtype == matrices.real_dtype(a.dtype)
    assert u.dtype == vh.dtype == a.dtype
    assert (s >= 0).all()
    assert (np.diff(s) <= 0).all()


def assert_values(a, s, units=LIMIT):
    """Check singular values against SciPy's, in double precision and by the QR iteration."""
    shift = -residuals.exponent(a)
    expected = scipy.linalg.svd(residuals.scaled(a, shift).reshape(a.shape), compute_uv=False, lapack_driver="gesvd")
    unit = residuals.divisor(max(a.shape)) * residuals.eps(a.dtype)
    difference = np.abs(residuals.scaled(s, shift).reshape(s.shape) - expected).max(initial=0)
    floor = residuals.rounding_floor(a.dtype, 1, shift)
    assert difference <= units * unit * expected.max(initial=0) + floor


@every_dtype
@pytest.mark.parametrize("shape", SHAPES)
@either
def test_random(shape, dtype, full):
    a = matrices.random(shape, dtype)
    result = svd(a, full_matrices=full)
    assert_decomposes(a, *result)
    assert_values(a, result[1])
    assert_values(a, svdvals(a))
    for mine, theirs in zip(result, scipy.linalg.svd(a, full_matrices=full), strict=True):
        assert mine.shape == theirs.shape
        assert mine.dtype == theirs.dtype


@every_dtype
@pytest.mark.parametrize("shape", EMPTY)
@either
def test_empty(shape, dtype, full):
    a = np.zeros(shape, dtype)
    for mine, theirs in zip(svd(a, full), scipy.linalg.svd(a, full), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert svdvals(a).shape == (0,)


def kahan(n, angle=1.2):
    """W. Kahan, Canadian Math. Bull. 9, 1966: ill conditioned, which the triangular factor of QR does not show."""
    sine, cosine = np.sin(angle), np.cos(angle)
    return sine ** np.arange(n)[:, None] * (np.eye(n) - cosine * np.triu(np.ones((n, n)), 1))


def with_values(s):
    n = len(s)
    return (matrices.unitary(n, "float64") * s) @ matrices.unitary(n, "float64", 1)


N = 90
KINDS = {
    "clusters": with_values(np.repeat([1.0, 1e-3, 1e-9], N // 3)),
    "bidiagonal": np.diag(np.ones(N)) + np.diag(np.full(N - 1, 1e-3), 1),
    "graded": np.logspace(0, -150, N)[:, None] * matrices.random((N, N), "float64"),
    "graded both ways": np.logspace(-150, 150, N)[:, None] * matrices.random((N, N), "float64"),
    "rank deficient": matrices.random((N, 5), "float64") @ matrices.random((5, N), "float64"),
    "Kahan": kahan(N),
    "Lauchli": np.vstack([np.ones(N), np.eye(N) * 1e-9]),
    "Vandermonde": np.vander(np.linspace(-1, 1, N)),
    "Hilbert": matrices.hilbert(N),
    "diagonal": np.diag(np.arange(N) % 7.0),
    "identity": np.eye(N),
    "zero": np.zeros((N, N)),
    "ones": np.ones((N, N)),
    "one column": np.eye(N)[:, :1] * np.eye(N)[3],
    "orthogonal": matrices.unitary(N, "float64"),
    "geometric": with_values(np.logspace(0, -16, N)),
}


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("wide", [False, True])
def test_kinds(name, wide):
    a = KINDS[name].T if wide else KINDS[name]
    u, s, vh = svd(a, full_matrices=False)
    assert_decomposes(a, u, s, vh)
    assert_values(a, s)
    assert_values(a, svdvals(a))


# Their columns are so alike that all sums of a product are rounded the same way, here more often than in OpenBLAS.
ALIKE = ("ones", "Lauchli")


@pytest.mark.parametrize("name", KINDS)
def test_residuals_beside_scipys(name):
    """At most 1.5 times SciPy's, or half a unit of n eps."""
    a = KINDS[name]
    least = (2.0 if name in ALIKE else 0.5) * N * residuals.eps(float)
    shift = -residuals.exponent(a)
    exact = residuals.scaled(a, shift)

    def errors(u, s, vh):
        values = residuals.scaled(s, shift)
        yield np.linalg.norm(u * values @ vh - exact, 2) / max(np.linalg.norm(exact, 2), 1e-300)
        yield np.linalg.norm(u.T @ u - np.eye(u.shape[1]), 2)
        yield np.linalg.norm(vh @ vh.T - np.eye(len(vh)), 2)

    ours, theirs = errors(*svd(a, False)), errors(*scipy.linalg.svd(a, False))
    for mine, other in zip(ours, theirs, strict=True):
        assert mine <= max(1.5 * other, least)


@every_dtype
@pytest.mark.parametrize("power", [0.95, -0.98])
def test_huge_and_tiny(dtype, power):
    scale = np.finfo(dtype).dtype.type(float(np.finfo(dtype).max) ** power)
    for shape in [(30, 20), (60, 60)]:
        a = matrices.random(shape, dtype) * scale
        assert_decomposes(a, *svd(a, False))
        assert_values(a, svdvals(a))


def test_relative_accuracy_of_bidiagonal_values():
    """The values alone of a bidiagonal matrix keep their digits: their product is the determinant."""
    d = 10.0 ** -np.arange(0, 120, 4)
    a = np.diag(d) + np.diag(d[:-1], 1)
    np.testing.assert_allclose(np.prod(svdvals(a) * 10.0 ** np.arange(0, 120, 4)), 1, rtol=1e-13)


@every_dtype
def test_stacks(dtype):
    a = matrices.random((2, 3, 9, 6), dtype)
    u, s, vh = svd(a)
    assert u.shape == (2, 3, 9, 9)
    assert vh.shape == (2, 3, 6, 6)
    for at in np.ndindex(2, 3):
        assert_decomposes(a[at], u[at], s[at], vh[at])
        for mine, alone in zip((u[at], s[at], vh[at]), svd(a[at]), strict=True):
            np.testing.assert_array_equal(mine, alone)
    assert svdvals(np.zeros((0, 3, 3), dtype)).shape == (0, 3)


@every_dtype
def test_threads_do_not_change_bits(dtype):
    a = matrices.random((190, 180), dtype)
    expected = svd(a, threads=1)
    for count in (2, 3):
        with threads(count):
            for mine, other in zip(svd(a), expected, strict=True):
                np.testing.assert_array_equal(mine, other)


@every_dtype
@pytest.mark.parametrize("layout", sorted(matrices.LAYOUTS))
def test_layouts(dtype, layout):
    a = matrices.random((12, 12), dtype)
    given = matrices.LAYOUTS[layout](a)[0]
    before = given.copy()
    assert_decomposes(a, *svd(given))
    np.testing.assert_array_equal(given, before)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@every_dtype
def test_not_finite(bad, dtype):
    for shape in [(5, 5), (70, 40), (40, 70)]:
        a = matrices.random(shape, dtype)
        a[-1, 0] = bad
        with pytest.raises(ValueError, match=r"^a: "):
            svd(a)
        for x in svd(a, check_finite=False):
            assert np.isnan(x).all()
        assert np.isnan(svdvals(a, check_finite=False)).all()


def test_arguments():
    with pytest.raises(ValueError, match=r"^a: expected a matrix"):
        svd(np.zeros(3))
    with pytest.raises(ValueError, match=r"^lapack_driver: "):
        svd(np.eye(2), lapack_driver="gejsv")
    with pytest.raises(TypeError, match=r"^lapack_driver: "):
        svd(np.eye(2), lapack_driver=1)
    for half in (np.float16,):
        u, s, vh = svd(np.eye(3, dtype=half) * 2)
        assert u.dtype == s.dtype == vh.dtype == half
        np.testing.assert_array_equal(s, 2)
    assert svdvals([[3, 4], [0, 0]]).dtype == np.float64
    assert issubclass(LinAlgError, np.linalg.LinAlgError)


@settings(properties, max_examples=1000)
@given(st.data(), dtypes)
def test_properties(data, dtype):
    m, n = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 12))
    seed, grade = data.draw(st.integers(0, 2**32)), data.draw(st.sampled_from([0, 0, 0, 3, 12, 30]))
    rank = data.draw(st.integers(1, 12))
    a = matrices.random((m, rank), dtype, seed) @ matrices.random((rank, n), dtype, seed + 1)
    a = (a * 10.0 ** -np.linspace(0, grade, m)[:, None]).astype(dtype)
    given = data.draw(presented(a))
    for full in (True, False):
        assert_decomposes(a, *svd(given, full))
    assert_values(a, svdvals(given))
