"""hessenberg: residuals and structure."""

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
from trnsci.linalg import hessenberg


def check(a):
    h, q = hessenberg(a, calc_q=True)
    assert h.dtype == q.dtype == np.float64
    residuals.assert_solved("hessenberg", a, (h, q))
    return h, q


@pytest.mark.parametrize("n", [*matrices.SIZES, matrices.LARGE])
def test_random(n):
    a = matrices.random((n, n), "float64")
    h, q = check(a)
    # The first column stays: the first row of A meets all others through it.
    np.testing.assert_array_equal(q[:, :1], np.eye(n, min(n, 1)))
    np.testing.assert_array_equal(q[:1], np.eye(min(n, 1), n))
    assert np.linalg.norm(h) == pytest.approx(np.linalg.norm(a), rel=1e-13)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 10, 33, 66])
@pytest.mark.parametrize("name", matrices.GENERAL)
def test_special(name, n):
    check(matrices.GENERAL[name](n))


@pytest.mark.parametrize("name", matrices.GENERAL)
def test_eigenvalues_stay(name):
    # LAPACK takes a Hessenberg matrix as it is, so these are the eigenvalues of H itself.
    a = matrices.GENERAL[name](10)
    assert residuals.unmatched_eigenvalues(a, scipy.linalg.eigvals(hessenberg(a))) == 0


@pytest.mark.parametrize("n", [3, 8, 20])
def test_agrees_with_scipy_up_to_signs(n):
    a = matrices.random((n, n), "float64")
    expected_h, expected_q = scipy.linalg.hessenberg(a, calc_q=True)
    h, q = hessenberg(a, calc_q=True)
    signs = np.sign(np.sum(q * expected_q, axis=0))
    # Both are determined by the first column of Q; errors grow with the order.
    np.testing.assert_allclose(q * signs, expected_q, atol=1e-10)
    np.testing.assert_allclose(h * np.outer(signs, signs), expected_h, atol=1e-9)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 40])
def test_without_q(n):
    a = matrices.random((n, n), "float64")
    h = hessenberg(a)
    assert isinstance(h, np.ndarray)
    np.testing.assert_array_equal(h, hessenberg(a, calc_q=True)[0])


@pytest.mark.parametrize("name", ["Grcar", "Frank", "companion", "triangular", "quasi-triangular", "cyclic", "zero"])
def test_hessenberg_input_comes_back(name):
    a = matrices.GENERAL[name](12)
    h, q = hessenberg(a, calc_q=True)
    np.testing.assert_array_equal(h, a)
    np.testing.assert_array_equal(q, np.eye(12))


@pytest.mark.parametrize("exponent", [-320, -310, -300, -160, -100, 100, 160, 300, 306])
@pytest.mark.parametrize("n", [2, 3, 20])
def test_scales(n, exponent):
    check(matrices.random((n, n), "float64") * 10.0**exponent)


def test_overflow_is_refused():
    with pytest.raises(ValueError, match=r"a: .*too large"):
        hessenberg(np.full((3, 3), 1.5e308))


@pytest.mark.parametrize("shape", [(2, 3, 6, 6), (0, 3, 3), (5, 0, 0), (1, 1, 1)])
def test_batch(shape):
    a = matrices.random(shape, "float64")
    h, q = hessenberg(a, calc_q=True)
    assert h.shape == q.shape == shape
    for index in np.ndindex(shape[:-2]):
        residuals.assert_solved("hessenberg", a[index], (h[index], q[index]))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_not_finite(bad):
    a = matrices.random((2, 4, 4), "float64")
    clean = hessenberg(a)
    a[1, 2, 1] = bad
    with pytest.raises(ValueError, match=r"a: .*infinities or NaNs"):
        hessenberg(a)
    h, q = hessenberg(a, calc_q=True, check_finite=False)
    assert np.isnan(h[1]).all() and np.isnan(q[1]).all()
    assert h[0].tobytes() == clean[0].tobytes()


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("n", [0, 1, 2, 7, 40, 90, 170])
def test_dtypes(n, dtype):
    a = matrices.random((n, n), dtype)
    h, q = hessenberg(a, calc_q=True)
    assert h.dtype == q.dtype == np.dtype(dtype)
    residuals.assert_solved("hessenberg", a, (h, q))
    np.testing.assert_array_equal(hessenberg(a), h)


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("n", [90, 333])
def test_threads_do_not_change_a_bit(n, dtype):
    a = matrices.random((n, n), dtype)
    one = hessenberg(a, calc_q=True, threads=1)
    two = hessenberg(a, calc_q=True, threads=2)
    assert [x.tobytes() for x in one] == [x.tobytes() for x in two]


@pytest.mark.parametrize("dtype", matrices.SHORT_DTYPES)
def test_short_dtypes_are_computed_in_float32(dtype):
    a = matrices.random((6, 6), "float32").astype(dtype)
    h, q = hessenberg(a, calc_q=True)
    expected = hessenberg(a.astype(np.float32), calc_q=True)
    assert h.dtype == q.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(h, expected[0].astype(dtype))
    np.testing.assert_array_equal(q, expected[1].astype(dtype))
