"""matrix_balance against SciPy's."""

import matrices
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from trnsci import linalg
from trnsci.linalg import matrix_balance


def sparse(n, dtype, seed, density):
    """Return a matrix of elements of many sizes, the others zero."""
    rng = np.random.default_rng(seed)
    sizes = 2.0 ** rng.integers(-20, 21, (n, n)) * (rng.random((n, n)) < density)
    return (matrices.random((n, n), dtype, seed) * sizes).astype(dtype)


def check(a, permute=True, scale=True):
    """Check what both forms of the result say about `a`, to the last bit."""
    b, (scaling, perm) = matrix_balance(a, permute, scale, separate=True)
    assert b.dtype == a.dtype
    np.testing.assert_array_equal(np.sort(perm), np.arange(len(a)))
    np.testing.assert_array_equal(
        b, a[np.ix_(perm, perm)] * scaling.astype(b.real.dtype) / scaling.astype(b.real.dtype)[:, None]
    )
    same, t = matrix_balance(a, permute, scale)
    np.testing.assert_array_equal(same, b)
    np.testing.assert_array_equal(t[perm], np.diag(scaling))
    return b, scaling, perm


@settings(deadline=None, max_examples=1000, derandomize=True)
@given(
    st.integers(1, 30),
    st.sampled_from(matrices.DTYPES),
    st.integers(0, 10**6),
    st.floats(0.02, 1),
    st.booleans(),
    st.booleans(),
)
def test_agrees_with_scipy(n, dtype, seed, density, permute, scale):
    a = sparse(n, dtype, seed, density)
    b, scaling, perm = check(a, permute, scale)
    expected, (expected_scaling, expected_perm) = scipy.linalg.matrix_balance(a, permute, scale, separate=True)
    if np.array_equal(perm, expected_perm):
        np.testing.assert_array_equal(scaling, expected_scaling)
        np.testing.assert_array_equal(b, expected)
    else:  # equal eigenvalues may be isolated in another order
        assert permute


@pytest.mark.parametrize("name", matrices.GENERAL)
@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_kinds(name, n):
    a = matrices.GENERAL[name](n)
    b, scaling, _ = check(a)
    expected, (expected_scaling, _) = scipy.linalg.matrix_balance(a, separate=True)
    assert np.linalg.norm(b) == pytest.approx(np.linalg.norm(expected), rel=1e-12)
    np.testing.assert_array_equal(np.sort(scaling), np.sort(expected_scaling))


@pytest.mark.parametrize("shape", [(2, 3, 5, 5), (0, 3, 3), (4, 0, 0), (0, 0)])
def test_stacks(shape):
    a = matrices.random(shape, "float64")
    b, t = matrix_balance(a)
    same, (scaling, perm) = matrix_balance(a, separate=True)
    assert b.shape == t.shape == same.shape == shape
    assert scaling.shape == perm.shape == shape[:-1]
    for index in np.ndindex(shape[:-2]):
        np.testing.assert_array_equal(b[index], matrix_balance(a[index])[0])


def test_input_stays():
    a = sparse(10, "float64", 1, 0.5)
    before = a.copy()
    matrix_balance(a, overwrite_a=True)
    np.testing.assert_array_equal(a, before)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_not_finite(bad):
    a = np.eye(3)
    a[1, 2] = bad
    with pytest.raises(ValueError, match=r"^A: contains infinities or NaNs"):
        matrix_balance(a)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (0,)])
def test_not_square(shape):
    with pytest.raises(ValueError, match=r"A: expected a square matrix"):
        matrix_balance(np.zeros(shape))


def test_a_number_is_a_matrix_of_order_1():
    for a in (-3.0, [-3.0], np.array(-3.0), [[-3.0]]):
        for m in (linalg, scipy.linalg):
            balanced, t = m.matrix_balance(a)
            assert (balanced.tolist(), t.tolist()) == ([[-3.0]], [[1.0]])


def test_separate_is_a_tuple_for_stacks_too():
    a = np.stack([np.array([[1, 1024], [1 / 1024, 1]]), np.array([[1.0, 0], [5, 2]])])
    balanced, (scaling, perm) = matrix_balance(a, separate=True)
    assert scaling.shape == perm.shape == (2, 2) and perm.dtype == np.int64
    for k in range(2):
        want, (s, p) = scipy.linalg.matrix_balance(a[k], separate=True)
        assert balanced[k].tolist() == want.tolist()
        assert (scaling[k].tolist(), perm[k].tolist()) == (s.tolist(), p.tolist())
