"""What rests on svd: pinv, pinvh, polar, orth, null_space, lstsq, subspace_angles, orthogonal_procrustes."""

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import dtypes, properties
from trnsci import linalg

SHAPES = ((1, 1), (5, 5), (3, 8), (8, 3), (40, 25), (25, 40), (60, 60))
EMPTY = ((0, 0), (0, 4), (4, 0))

every_dtype = pytest.mark.parametrize("dtype", matrices.DTYPES)
every_shape = pytest.mark.parametrize("shape", SHAPES)


def low_rank(shape, rank, dtype, seed=0):
    left, right = matrices.random((shape[0], rank), dtype, seed), matrices.random((rank, shape[1]), dtype, seed + 1)
    return (left @ right).astype(dtype)


def close(x, y, dtype, scale=1.0, units=50):
    """Whether arrays of equal shapes differ by that many units of n eps."""
    assert x.shape == y.shape
    n = residuals.divisor(max(x.shape, default=1))
    return float(np.abs(x - y).max(initial=0)) <= units * n * residuals.eps(dtype) * scale


@every_dtype
@every_shape
def test_pinv_has_the_four_properties(shape, dtype):
    """Of Moore and Penrose, for a matrix of full and one of half rank."""
    for rank in (min(shape), (min(shape) + 1) // 2):
        a = low_rank(shape, rank, dtype)
        inverse, found = linalg.pinv(a, rtol=max(shape) * 10 * residuals.eps(dtype), return_rank=True)
        assert inverse.dtype == a.dtype
        assert found == rank
        s = scipy.linalg.svdvals(a.astype(np.complex128))
        condition = s[0] / s[rank - 1]
        for product in (a @ inverse, inverse @ a):
            assert close(product, product.conj().T, dtype, condition)
        assert close(a @ inverse @ a, a, dtype, condition * s[0])
        assert close(inverse @ a @ inverse, inverse, dtype, condition / s[rank - 1])


@every_dtype
def test_pinvh(dtype):
    q = matrices.unitary(30, dtype)
    w = np.r_[np.linspace(-3, -1, 12), np.zeros(8), np.linspace(1, 2, 10)]
    a = ((q * w) @ q.conj().T).astype(dtype)
    with np.errstate(divide="ignore"):
        exact = (q * np.where(w == 0, 0, 1 / np.where(w == 0, 1, w))) @ q.conj().T
    for lower in (True, False):
        given = np.tril(a) if lower else np.triu(a)
        inverse, rank = linalg.pinvh(given, rtol=100 * residuals.eps(dtype), lower=lower, return_rank=True)
        assert rank == 22
        assert close(inverse, exact, dtype, 3)


@every_dtype
@every_shape
@pytest.mark.parametrize("side", ["right", "left"])
def test_polar(shape, dtype, side):
    a = matrices.random(shape, dtype)
    u, p = linalg.polar(a, side)
    assert u.dtype == p.dtype == a.dtype
    norm = np.linalg.norm(a, 2)
    assert close(u @ p if side == "right" else p @ u, a, dtype, norm)
    assert close(p, p.conj().T, dtype, norm)
    assert np.linalg.eigvalsh(p)[0] >= -50 * max(shape) * residuals.eps(dtype) * norm
    gram = u.conj().T @ u if shape[0] >= shape[1] else u @ u.conj().T
    assert close(gram, np.eye(len(gram)), dtype)
    assert [x.shape for x in (u, p)] == [x.shape for x in scipy.linalg.polar(a, side)]


@every_dtype
@every_shape
def test_orth_and_null_space(shape, dtype):
    for rank in (min(shape), (min(shape) + 1) // 2):
        a = low_rank(shape, rank, dtype)
        rcond = max(shape) * 10 * residuals.eps(dtype)
        q, z = linalg.orth(a, rcond), linalg.null_space(a, rcond)
        assert q.shape == (shape[0], rank)
        assert z.shape == (shape[1], shape[1] - rank)
        norm = np.linalg.norm(a, 2)
        assert close(q @ (q.conj().T @ a), a, dtype, norm)
        assert close(a @ z, np.zeros((shape[0], z.shape[1])), dtype, norm)
        for basis in (q, z):
            assert close(basis.conj().T @ basis, np.eye(basis.shape[1]), dtype)


@every_dtype
@every_shape
@pytest.mark.parametrize("driver", [None, "gelsd", "gelss", "gelsy"])
@pytest.mark.parametrize("columns", [None, 0, 3])
def test_lstsq(shape, dtype, driver, columns):
    """The residual is orthogonal to the range of a, and x to its null space."""
    for rank in (min(shape), (min(shape) + 1) // 2):
        a = low_rank(shape, rank, dtype)
        b = matrices.random(shape[0] if columns is None else (shape[0], columns), dtype, 9)
        cond = max(shape) * 10 * residuals.eps(dtype)
        x, squares, found, s = linalg.lstsq(a, b, cond, lapack_driver=driver)
        theirs = scipy.linalg.lstsq(a, b, cond, lapack_driver=driver) if columns != 0 else None
        assert found == rank
        values = scipy.linalg.svdvals(a.astype(np.complex128))
        condition, size = values[0] / values[rank - 1], float(np.abs(b).max(initial=0))
        assert close(a.conj().T @ (a @ x - b), np.zeros_like(x), dtype, values[0] * condition * size)
        z = scipy.linalg.null_space(a.astype(np.complex128), cond)
        assert close(z.conj().T @ x, np.zeros((z.shape[1], *x.shape[1:])), dtype, condition * size / values[rank - 1])
        if theirs is not None:
            assert x.shape == theirs[0].shape
            assert squares.shape == theirs[1].shape
            assert squares.dtype == theirs[1].dtype
            assert close(squares, theirs[1], dtype, size**2 * condition)
            assert (s is None) == (theirs[3] is None)
            assert s is None or close(s, theirs[3], dtype, values[0])


def test_lstsq_keeps_digits_of_small_residuals():
    """The square of a residual of 1e-6 beside b of length 1 has the digits that the residual has."""
    a = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    squares = linalg.lstsq(a, [1.0, 1.0, 1e-6])[1]
    assert abs(squares - 1e-12) < 1e-26


@every_dtype
@pytest.mark.parametrize("shape", EMPTY)
def test_empty(shape, dtype):
    a = np.zeros(shape, dtype)
    m, n = shape
    assert linalg.pinv(a).shape == (n, m)
    np.testing.assert_array_equal(linalg.null_space(a), np.eye(n))
    assert linalg.orth(a).shape == (m, 0)
    b = matrices.random((m, 2), dtype)
    for mine, theirs in zip(linalg.lstsq(a, b), scipy.linalg.lstsq(a, b), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=10 * residuals.eps(dtype))


@every_dtype
@pytest.mark.parametrize("angles", [[0.3], [1e-9, 0.5, 1.5], [0.0, 1e-5, np.pi / 2]])
def test_subspace_angles(dtype, angles):
    """Between coordinate vectors and the same turned by known angles out of their space, behind a unitary matrix."""
    k = len(angles)
    q = matrices.unitary(3 * k, dtype)
    first = q[:, :k]
    second = q[:, :k] * np.cos(angles) + q[:, k : 2 * k] * np.sin(angles)
    found = linalg.subspace_angles((first @ matrices.random((k, k), dtype)).astype(dtype), second.astype(dtype))
    assert found.shape == (k,)
    np.testing.assert_allclose(found, sorted(angles, reverse=True), atol=1e4 * residuals.eps(dtype))


@every_dtype
def test_orthogonal_procrustes(dtype):
    a, q = matrices.random((20, 6), dtype), matrices.unitary(6, dtype)
    r, scale = linalg.orthogonal_procrustes(a, (a @ q).astype(dtype))
    assert close(r, q, dtype, 10)
    expected = scipy.linalg.orthogonal_procrustes(a.astype(np.complex128), a.astype(np.complex128) @ q)[1]
    assert abs(scale - expected) <= 1e3 * residuals.eps(dtype) * expected


def test_arguments():
    eye = np.eye(3)
    for call, message in [
        (lambda: linalg.pinv(np.zeros((2, 3, 3))), "a: expected a matrix"),
        (lambda: linalg.pinv(eye, rtol=-1.0), "rtol: must not be negative"),
        (lambda: linalg.pinv(eye, atol=-1.0), "atol: must not be negative"),
        (lambda: linalg.polar(eye, "both"), "side: "),
        (lambda: linalg.lstsq(eye, np.ones(2)), "b: expected 3 rows"),
        (lambda: linalg.lstsq(eye, [1.0, np.nan, 0.0]), "b: "),
        (lambda: linalg.lstsq(np.full((3, 3), np.inf), np.ones(3)), "a: "),
        (lambda: linalg.lstsq(eye, np.ones(3), lapack_driver="gels"), "lapack_driver: "),
        (lambda: linalg.subspace_angles(eye, np.ones((2, 1))), "B: expected as many rows"),
        (lambda: linalg.orthogonal_procrustes(eye, np.ones((2, 3))), "B: expected the shape of A"),
    ]:
        with pytest.raises(ValueError, match=f"^{message}"):
            call()
    assert linalg.pinv(np.eye(2, dtype=np.float16)).dtype == np.float16
    assert np.isnan(linalg.lstsq(eye * np.nan, np.ones(3), check_finite=False)[0]).all()


@settings(properties, max_examples=1000)
@given(st.data(), dtypes)
def test_properties(data, dtype):
    """Least squares solutions are pinv(a) @ b, and pinv(a) of a well-conditioned a is the one of SciPy."""
    shape = data.draw(st.integers(1, 10)), data.draw(st.integers(1, 10))
    seed = data.draw(st.integers(0, 2**32))
    a, b = matrices.random(shape, dtype, seed), matrices.random((shape[0], 2), dtype, seed + 1)
    s = scipy.linalg.svdvals(a.astype(np.complex128))
    condition = s[0] / s[-1]
    inverse = linalg.pinv(a)
    exact = scipy.linalg.pinv(a.astype(np.complex128))
    if condition < 0.01 / residuals.eps(dtype):
        assert close(inverse, exact, dtype, condition / s[-1])
        x = linalg.lstsq(a, b)[0]
        assert close(x, exact @ b, dtype, condition * np.abs(b).max() * 4 / s[-1])
