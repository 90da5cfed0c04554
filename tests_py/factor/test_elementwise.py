"""bandwidth, issymmetric, ishermitian, khatri_rao and cdf2rdf: by definition, and beside SciPy."""

import matrices
import ml_dtypes
import numpy as np
import pytest
import residuals
import scipy.linalg
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from trnsci.linalg import bandwidth, cdf2rdf, eig, ishermitian, issymmetric, khatri_rao

CODES = "?bhilBHILfdFD"
TOLERANCES = ({}, {"atol": 1}, {"rtol": 0.5}, {"atol": 0.1, "rtol": 0.2}, {"atol": 0})


@st.composite
def sparse(draw, square):
    """A matrix with many zeros, often symmetric or Hermitian, with infinities and NaNs."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    code, m = draw(st.sampled_from(CODES)), draw(st.integers(0, 6))
    n = m if square else draw(st.integers(0, 6))
    a = rng.integers(0, 3, (m, n)) * (rng.random((m, n)) < 0.4)
    if code in "FD":
        a = a + 1j * rng.integers(-1, 2, (m, n)) * (rng.random((m, n)) < 0.4)
    a = a.astype(code)
    kind = draw(st.sampled_from(["any", "symmetric", "Hermitian"])) if square else "any"
    if kind != "any":
        strict = np.triu(a, 1)
        a = (np.triu(a) + (strict.T if kind == "symmetric" else strict.conj().T)).astype(code)
    if code in "fdFD" and a.size and draw(st.booleans()):
        a[rng.integers(m), rng.integers(n)] = draw(st.sampled_from([np.nan, np.inf]))
    return matrices.LAYOUTS[draw(strategies.layouts)](a)[0] if code in "fdFD" else a


@settings(strategies.properties, max_examples=1000)
@given(sparse(square=False))
def test_bandwidth_by_definition(a):
    rows, columns = np.nonzero(a)
    assert bandwidth(a) == (int((rows - columns).max(initial=0)), int((columns - rows).max(initial=0)))


@settings(strategies.properties, max_examples=1000)
@given(sparse(square=True))
def test_square_matrices_as_in_scipy(a):
    plain = np.array(a, a.dtype.newbyteorder("="), order="C")  # SciPy takes no other byte order
    assert bandwidth(a) == scipy.linalg.bandwidth(plain)
    for function, theirs in ((issymmetric, scipy.linalg.issymmetric), (ishermitian, scipy.linalg.ishermitian)):
        for given_tolerances in TOLERANCES:
            answer = function(a, **given_tolerances)
            assert isinstance(answer, bool)
            assert answer == theirs(plain, **given_tolerances)


def test_large_integers_are_compared_exactly():
    a = np.array([[1, 2**62], [2**62 + 1, 1]])
    assert not issymmetric(a) and not ishermitian(a)


def test_stacks():
    a = np.stack([np.eye(3), np.triu(np.ones((3, 3))), np.eye(3)[::-1]])
    lower, upper = bandwidth(a)
    assert lower.tolist() == [0, 0, 2] and upper.tolist() == [0, 2, 2]
    assert issymmetric(a).tolist() == ishermitian(a).tolist() == [True, False, True]
    assert issymmetric(a, atol=2.0).tolist() == [True, True, True]
    for function in (issymmetric, ishermitian):
        assert function(np.zeros((0, 3, 3))).shape == (0,)
        assert function(np.zeros((2, 0, 0))).tolist() == [True, True]
    assert [x.tolist() for x in bandwidth(np.zeros((2, 0, 3)))] == [[0, 0], [0, 0]]
    assert bandwidth(np.zeros((3, 0))) == (0, 0)


@pytest.mark.parametrize("function", [bandwidth, issymmetric, ishermitian])
def test_what_is_refused(function):
    for bad in (1.0, [1.0, 2.0]):
        with pytest.raises(ValueError, match=r"^a: expected a "):
            function(bad)
    for dtype in (object, np.longdouble, "S1"):
        with pytest.raises(TypeError, match=r"^a: dtype .* is not supported"):
            function(np.zeros((2, 2), dtype))
    for dtype in (np.float16, ml_dtypes.bfloat16):
        assert function(np.eye(2, dtype=dtype)) in (True, (0, 0))
    if function is not bandwidth:
        with pytest.raises(ValueError, match=r"^a: expected a square matrix"):
            function(np.ones((2, 3)))


@st.composite
def factors(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m, n, k = (draw(st.integers(0, 5)) for _ in range(3))
    return [rng.integers(-5, 6, (rows, k)).astype(draw(st.sampled_from("hilfdFD"))) for rows in (m, n)]


@settings(strategies.properties, max_examples=1000)
@given(factors())
def test_columns_are_kronecker_products(pair):
    a, b = pair
    c = khatri_rao(a, b)
    assert c.shape == (len(a) * len(b), a.shape[1]) and c.dtype == np.result_type(a, b)
    for k in range(a.shape[1]):
        assert np.array_equal(c[:, k], np.kron(a[:, k], b[:, k]))
    if c.size:
        theirs = scipy.linalg.khatri_rao(a, b)
        assert np.array_equal(c, theirs) and c.dtype == theirs.dtype


def test_stacks_of_products():
    a, b = matrices.random((2, 1, 3, 4), "float64"), matrices.random((5, 2, 4), "float64")
    c = khatri_rao(a, b)
    assert c.shape == (2, 5, 6, 4)
    for i, j in np.ndindex(2, 5):
        assert np.array_equal(c[i, j], khatri_rao(a[i, 0], b[j]))


def test_factors_that_do_not_fit():
    with pytest.raises(ValueError, match=r"^b: expected any x 3 matrices, got shape \(2, 4\)"):
        khatri_rao(np.ones((2, 3)), np.ones((2, 4)))
    with pytest.raises(ValueError, match=r"^b: expected a matrix"):
        khatri_rao(np.ones((2, 3)), np.ones(3))
    with pytest.raises(TypeError, match=r"^a: "):
        khatri_rao([["x"]], [[1]])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [0, 1, 2, 5, 12, 33])
def test_real_forms_of_eigenvectors(n, dtype):
    for seed in range(5):
        a = matrices.random((n, n), dtype, seed=seed)
        wr, vr = cdf2rdf(*eig(a))
        assert wr.dtype == vr.dtype == dtype
        wide = residuals.scaled(a)
        error = np.linalg.norm(wide @ vr - residuals.scaled(vr) @ wr)
        scale = residuals.divisor(n) * residuals.eps(dtype) * np.linalg.norm(wide) * np.linalg.norm(vr)
        assert error <= residuals.GENERAL_LIMIT * scale
        assert np.all(np.abs(np.subtract(*np.nonzero(wr))) <= 1)


def test_real_forms_as_in_scipy():
    for seed in range(200):
        a = matrices.random((2, 3, seed % 7, seed % 7), "float64", seed=seed)
        w, v = np.linalg.eig(a)
        wr, vr = cdf2rdf(w, v)
        theirs = scipy.linalg.cdf2rdf(w, v)
        assert np.array_equal(wr, theirs[0]) and np.allclose(vr, theirs[1], rtol=0, atol=1e-16)


def test_eigenvalues_that_are_refused():
    v = np.eye(3)
    with pytest.raises(ValueError, match=r"^w: expected complex eigenvalues in pairs"):
        cdf2rdf([1j, 1.0, 2.0], v)
    with pytest.raises(ValueError, match=r"^v: shape \(3, 3\) does not fit w's shape \(2,\)"):
        cdf2rdf([1.0, 2.0], v)
    with pytest.raises(ValueError, match=r"^v: expected a square matrix"):
        cdf2rdf([1.0, 2.0], np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"^w: contains infinities or NaNs"):
        cdf2rdf([1.0, np.nan, 2.0], v)
