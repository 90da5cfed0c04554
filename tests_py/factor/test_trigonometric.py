"""Trigonometric and hyperbolic functions of matrices: errors against mpmath, identities, SciPy."""

import functools

import matrices
import ml_dtypes
import mpmath
import numpy as np
import pytest
import residuals
import scipy.linalg
import strategies
import trnsci
from hypothesis import given, settings
from hypothesis import strategies as st
from trnsci import linalg

# mpmath's function of numbers for each.
NAMES = {
    "cosm": mpmath.cos,
    "sinm": mpmath.sin,
    "tanm": mpmath.tan,
    "coshm": mpmath.cosh,
    "sinhm": mpmath.sinh,
    "tanhm": mpmath.tanh,
}
FUNCTIONS = pytest.mark.parametrize("name", NAMES)
ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
DIGITS = 40
LIMIT = 10.0


@functools.cache
def exponentials(elements, n, is_hyperbolic):
    """The two exponentials that functions of a matrix are made of."""
    wide = mpmath.matrix(np.frombuffer(elements, np.complex128).reshape(n, n).tolist())
    if not is_hyperbolic:
        wide *= 1j
    return [mpmath.expm(sign * wide, method="taylor") for sign in (1, -1)]


def as_array(matrix):
    return np.array(matrix.tolist(), dtype=np.complex128)


def precise(name, a):
    """The function, and the scale of its error: norms of the exponentials, and the condition of the cosine."""
    is_hyperbolic = name.endswith("hm")
    with mpmath.workdps(DIGITS):
        forward, backward = exponentials(np.asarray(a, np.complex128).tobytes(), len(a), is_hyperbolic)
        cosine, sine = (forward + backward) / 2, (forward - backward) / (2 if is_hyperbolic else 2j)
        size = max(np.linalg.norm(as_array(x)) for x in (forward, backward))
        if name.startswith("cos"):
            return as_array(cosine), size
        if name.startswith("sin"):
            return as_array(sine), size
        inverse = mpmath.inverse(cosine)
        tangent = as_array(inverse * sine)
    return tangent, size * np.linalg.norm(as_array(inverse)) * (1 + np.linalg.norm(tangent))


@FUNCTIONS
@ALL_DTYPES
@pytest.mark.parametrize("size", [1e-3, 0.4, 1.0, 3.0])
def test_against_mpmath(size, dtype, name):
    for n in (1, 2, 4, 6):
        a = (matrices.random((n, n), dtype, seed=n) * matrices.real_dtype(dtype).type(size / n**0.5)).astype(dtype)
        exact, scale = precise(name, a)
        x = getattr(linalg, name)(a)
        assert x.dtype == dtype
        assert np.linalg.norm(x - exact) < LIMIT * residuals.eps(dtype) * (1 + np.linalg.norm(a)) * scale


@FUNCTIONS
def test_numbers(name):
    for x in (0.0, 0.3, -2.0):
        exact = float(NAMES[name](x))
        for given_as in (x, [x], [[x]], np.array(x)):
            result = getattr(linalg, name)(given_as)
            assert result.shape == (1, 1)
            assert result[0, 0] == pytest.approx(exact, rel=1e-15, abs=1e-16)


@st.composite
def presented(draw):
    dtype = draw(strategies.dtypes)
    n = draw(st.integers(0, 5))
    a = matrices.random((n, n), dtype, seed=draw(st.integers(0, 99)))
    size = draw(st.sampled_from([0.01, 0.5, 1.0, 2.0]))
    return (a * a.real.dtype.type(size)).astype(dtype), draw(strategies.layouts)


@settings(strategies.properties, max_examples=1000)
@given(presented())
def test_identities(case):
    """cos^2 + sin^2 = 1, cosh^2 - sinh^2 = 1, cosh + sinh = exp."""
    a, layout = case
    view, memory = matrices.LAYOUTS[layout](a)
    before = memory.copy()
    results = {name: residuals.scaled(getattr(linalg, name)(view)) for name in ("cosm", "sinm", "coshm", "sinhm")}
    assert np.array_equal(memory.view(np.uint8), before.view(np.uint8))
    eps, n, wide = residuals.eps(a.dtype), len(a), residuals.scaled(a)
    growth = (1 + np.linalg.norm(wide)) * LIMIT * eps
    for c, s, sign in ((results["cosm"], results["sinm"], 1), (results["coshm"], results["sinhm"], -1)):
        turned = wide * (1j if sign > 0 else 1)
        size = max(np.linalg.norm(linalg.expm(x)) for x in (turned, -turned))
        assert np.linalg.norm(c @ c + sign * s @ s - np.eye(n)) <= growth * size**2 * 4
    total = results["coshm"] + results["sinhm"]
    largest = np.exp(np.linalg.norm(wide, 2)) if n else 1.0
    assert np.linalg.norm(total - linalg.expm(wide)) <= growth * largest


@FUNCTIONS
@ALL_DTYPES
def test_errors_are_not_larger_than_scipys(dtype, name):
    """The worst errors for matrices of every kind: at most 1.5 times SciPy's, or 2 units."""
    ours, theirs = 0.0, 0.0
    for seed in range(8):
        for kind in ("random", "symmetric", "triangular", "skew"):
            n = 2 + seed % 4
            a = matrices.random((n, n), dtype, seed=seed)
            if kind == "symmetric":
                a = (a + a.conj().T) / 2
            elif kind == "triangular":
                a = np.triu(a)
            elif kind == "skew":
                a = (a - a.conj().T) / 2
            a = a.astype(dtype)
            exact, scale = precise(name, a)
            unit = residuals.eps(dtype) * scale * (1 + np.linalg.norm(a))
            ours = max(ours, np.linalg.norm(getattr(linalg, name)(a) - exact) / unit)
            theirs = max(theirs, np.linalg.norm(getattr(scipy.linalg, name)(a) - exact) / unit)
    assert ours <= max(1.5 * theirs, 2.0)


@FUNCTIONS
def test_stacks(name):
    a = matrices.random((2, 3, 4, 4), "float64") / 2
    x = getattr(linalg, name)(a)
    assert x.shape == a.shape
    for member in np.ndindex(2, 3):
        assert np.array_equal(x[member], getattr(linalg, name)(a[member]))
    assert getattr(linalg, name)(np.zeros((0, 3, 3))).shape == (0, 3, 3)
    assert getattr(linalg, name)(np.zeros((2, 0, 0), np.complex64)).shape == (2, 0, 0)


@FUNCTIONS
def test_threads_give_the_same_bits(name):
    for dtype in ("float64", "complex128"):
        a = matrices.random((60, 60), dtype) / 8
        one = getattr(linalg, name)(a, threads=1)
        assert np.array_equal(getattr(linalg, name)(a, threads=3), one)


@FUNCTIONS
def test_dtypes(name):
    f = getattr(linalg, name)
    assert f(np.eye(2, dtype=int)).dtype == np.float64
    assert f(np.eye(2, dtype=np.float16)).dtype == np.float16
    assert f(np.eye(2, dtype=ml_dtypes.bfloat16)).dtype == ml_dtypes.bfloat16
    with pytest.raises(ValueError, match=r"^A: expected a square matrix"):
        f(np.ones((2, 3)))
    with pytest.raises(TypeError, match=r"^A: "):
        f(np.eye(2, dtype=object))


@pytest.mark.parametrize("name", ["tanm", "tanhm"])
def test_what_tangents_refuse(name):
    f = getattr(linalg, name)
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match=r"^A: contains infinities or NaNs"):
            f(np.array([[1.0, bad], [0.0, 1.0]]))
    with pytest.raises(ValueError, match="overflows"):
        linalg.tanhm(np.diag([800.0, 1.0]))


def test_an_ill_conditioned_cosine():
    with pytest.warns(trnsci.LinAlgWarning, match=r"^A: its hyperbolic cosine is ill-conditioned"):
        linalg.tanhm(np.diag([40.0, 0.1]))
    # The cosine of this nilpotent matrix plus pi/2 is singular up to rounding errors.
    with pytest.warns(trnsci.LinAlgWarning, match=r"^A: its cosine is ill-conditioned.*batch member 1"):
        linalg.tanm(np.stack([np.eye(2), np.diag([np.pi / 2, 0.1])]))


@pytest.mark.parametrize("name", ["cosm", "sinm", "coshm", "sinhm"])
def test_infinities(name):
    f = getattr(linalg, name)
    assert np.isnan(f(np.array([[1.0, np.inf], [0.5, 1.0]]))).any()
    assert not np.isfinite(f(np.array([[np.nan, 0.0], [0.0, 1.0]]))).all()


def test_the_largest_hyperbolic_functions():
    x = 709.5
    assert linalg.coshm(x)[0, 0] == pytest.approx(float(mpmath.cosh(x)), rel=1e-12)
    assert linalg.sinhm(-x)[0, 0] == pytest.approx(float(mpmath.sinh(-x)), rel=1e-12)
