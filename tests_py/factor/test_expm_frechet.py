"""expm_frechet and expm_cond: errors against mpmath, identities, SciPy's answers."""

import matrices
import ml_dtypes
import mpmath
import numpy as np
import pytest
import residuals
import scipy.linalg
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from trnsci.linalg import expm, expm_cond, expm_frechet

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
METHODS = pytest.mark.parametrize("method", [None, "SPS", "blockEnlarge"])
DIGITS = 40
LIMIT = 20.0
# Of condition numbers relative to 1 + norm(A), in units of eps.
CONDITION_LIMIT = 100.0


def precise(a, e):
    """The derivative from the exponential of a block triangular matrix."""
    n = len(a)
    block = np.zeros((2 * n, 2 * n), np.complex128)
    block[:n, :n] = block[n:, n:] = a
    block[:n, n:] = e
    with mpmath.workdps(DIGITS):
        wide = mpmath.expm(mpmath.matrix(block.tolist()), method="taylor")
        return np.array(wide.tolist(), np.complex128).reshape(2 * n, 2 * n)[:n, n:]


def random_pair(n, dtype, size, seed=0):
    real = matrices.real_dtype(dtype).type
    a = matrices.random((n, n), dtype, seed=seed) * real(size / n**0.5)
    return a.astype(dtype), matrices.random((n, n), dtype, seed=seed + 100)


@METHODS
@ALL_DTYPES
@pytest.mark.parametrize("size", [1e-6, 0.05, 0.4, 1.2, 3.0, 12.0])
def test_against_mpmath(size, dtype, method):
    for n in (1, 2, 4):
        a, e = random_pair(n, dtype, size, seed=n)
        power, derivative = expm_frechet(a, e, method)
        assert power.dtype == derivative.dtype == dtype
        exact = precise(a, e)
        scale = residuals.eps(dtype) * (1 + np.linalg.norm(a)) * np.linalg.norm(exact)
        assert np.linalg.norm(derivative - exact) < LIMIT * scale
        if method != "blockEnlarge":
            assert np.array_equal(power, expm(a))


def test_single_precision_is_rounded_once():
    a, e = random_pair(6, "float32", 2.0)
    wide = expm_frechet(a.astype(float), e.astype(float), compute_expm=False)
    assert np.array_equal(expm_frechet(a, e, compute_expm=False), wide.astype(np.float32))


@st.composite
def pairs(draw):
    dtype, n = draw(strategies.dtypes), draw(st.integers(0, 6))
    size = draw(st.sampled_from([0.0, 1e-8, 0.1, 0.7, 2.0, 6.0]))
    a, e = random_pair(max(n, 1), dtype, size, seed=draw(st.integers(0, 99)))
    return a[:n, :n], e[:n, :n], draw(strategies.layouts), draw(strategies.layouts)


@settings(strategies.properties, max_examples=1000)
@given(pairs())
def test_identities(case):
    """The derivative in the direction A is A exp(A), and that of I is exp(A); L is linear."""
    a, e, layout, other = case
    view, memory = matrices.LAYOUTS[layout](a)
    direction, _ = matrices.LAYOUTS[other](e)
    before = memory.copy()
    derivative = residuals.scaled(expm_frechet(view, direction, compute_expm=False))
    assert np.array_equal(memory.view(np.uint8), before.view(np.uint8))
    wide, unit, n = residuals.scaled(a), residuals.scaled(e), len(a)
    growth = np.exp(np.linalg.norm(wide, 2)) if n else 1.0
    bound = LIMIT * residuals.eps(a.dtype) * (1 + np.linalg.norm(wide)) * growth
    exact = scipy.linalg.expm_frechet(wide, unit, compute_expm=False) if n else unit
    assert np.linalg.norm(derivative - exact) <= bound * np.linalg.norm(unit)
    identity = np.eye(n, dtype=a.dtype)
    power, along = expm_frechet(a, identity)
    assert np.linalg.norm(residuals.scaled(along) - power) <= bound * n**0.5
    along = residuals.scaled(expm_frechet(a, a, compute_expm=False))
    assert np.linalg.norm(along - wide @ power) <= bound * np.linalg.norm(wide)


def test_triangles_far_from_normal():
    """Elements of a Jordan block of large norm: those of exp are known to every digit."""
    for n, size in ((3, 1e6), (4, 1e5)):
        a = -np.eye(n) + size * np.eye(n, k=1)
        e = np.zeros((n, n))
        e[n - 1, 0] = 1
        exact = precise(a, e).real
        for x, d, lower in ((a, e, False), (a.T, e.T, True)):
            derivative = expm_frechet(x, d, compute_expm=False)
            wanted = exact.T if lower else exact
            assert np.linalg.norm(derivative - wanted) <= 1e-8 * np.linalg.norm(wanted)


def test_real_and_complex_operands():
    a, e = random_pair(4, "float64", 1.0)
    power, derivative = expm_frechet(a, e + 1j * e.T)
    assert power.dtype == np.float64 and derivative.dtype == np.complex128
    parts = expm_frechet(a, e, compute_expm=False) + 1j * expm_frechet(a, e.T, compute_expm=False)
    assert np.linalg.norm(derivative - parts) <= 1e-14 * np.linalg.norm(parts)
    assert expm_frechet(a.astype(np.float32), e, compute_expm=False).dtype == np.float64
    for dtype in (np.float16, ml_dtypes.bfloat16):
        assert [x.dtype for x in expm_frechet(np.eye(2, dtype=dtype), np.eye(2, dtype=dtype))] == [dtype, dtype]


@METHODS
def test_stacks_and_empty_ones(method):
    a, e = matrices.random((2, 1, 3, 3), "float64"), matrices.random((4, 3, 3), "float64")
    powers, derivatives = expm_frechet(a, e, method)
    assert powers.shape == derivatives.shape == (2, 4, 3, 3)
    for i, j in np.ndindex(2, 4):
        assert np.array_equal(derivatives[i, j], expm_frechet(a[i, 0], e[j], method)[1])
    for shape in ((0, 2, 2), (3, 0, 0), (0, 0)):
        assert expm_frechet(np.zeros(shape), np.zeros(shape), method)[1].shape == shape
    assert expm_frechet(2.0, 3.0, method)[1][0, 0] == pytest.approx(3 * np.exp(2), rel=1e-14)


@METHODS
def test_errors(method):
    with pytest.raises(ValueError, match=r"^A: expected a square"):
        expm_frechet(np.ones((2, 3)), np.ones((2, 3)), method)
    with pytest.raises(ValueError, match=r"^E: shape"):
        expm_frechet(np.ones((2, 2)), np.ones((3, 3)), method)
    bad = np.array([[1.0, np.nan], [0.0, 1.0]])
    with pytest.raises(ValueError, match=r"^A: contains infinities or NaNs"):
        expm_frechet(bad, np.eye(2), method)
    with pytest.raises(ValueError, match=r"^E: contains infinities or NaNs"):
        expm_frechet(np.eye(2), bad, method)
    assert np.isnan(expm_frechet(bad, np.eye(2), method, check_finite=False)[1]).any()


def test_unknown_method():
    with pytest.raises(ValueError, match=r"^method: 'Taylor' is not one of"):
        expm_frechet(np.eye(2), np.eye(2), "Taylor")


def exact_condition(a):
    """By the singular values of the derivative as a matrix of order n^2."""
    n = len(a)
    columns = [precise(a, e.reshape(n, n)).ravel() for e in np.eye(n * n)]
    with mpmath.workdps(DIGITS):
        power = mpmath.expm(mpmath.matrix(np.asarray(a, np.complex128).tolist()), method="taylor")
    exponential = np.array(power.tolist(), np.complex128)
    return np.linalg.norm(columns, 2) * np.linalg.norm(residuals.scaled(a)) / np.linalg.norm(exponential)


@ALL_DTYPES
@pytest.mark.parametrize("size", [0.01, 1.0, 4.0])
def test_condition_against_mpmath(size, dtype):
    for n in (1, 2, 3):
        a = random_pair(n, dtype, size, seed=n)[0]
        exact = exact_condition(a)
        assert abs(expm_cond(a) - exact) <= CONDITION_LIMIT * 2.2e-16 * (1 + size) * exact


def test_a_bad_condition():
    """An example of SciPy's tests, whose condition number is 1.860343e36 by mpmath with 60 digits."""
    a = [
        [-1.128679820, 9.614183771e4, -4.524855739e9, 2.924969411e14],
        [0, -1.201010529, 9.634696872e4, -4.681048289e9],
        [0, 0, -1.132893222, 9.532491830e4],
        [0, 0, 0, -1.179475332],
    ]
    assert expm_cond(a) == pytest.approx(1.860343e36, rel=1e-2)


KINDS = {
    "random": lambda n, seed: matrices.random((n, n), "float64", seed),
    "complex": lambda n, seed: matrices.random((n, n), "complex128", seed),
    "symmetric": lambda n, seed: matrices.hermitian(n, "float64", seed) * 3,
    "Hermitian": lambda n, seed: matrices.hermitian(n, "complex128", seed) * 3,
    "triangular": lambda n, seed: np.triu(matrices.random((n, n), "float64", seed)),
    "nearly a multiple of the identity": lambda n, seed: np.eye(n) + matrices.random((n, n), "float64", seed) * 1e-6,
    "identity": lambda n, seed: np.eye(n),
    "diagonal": lambda n, seed: np.diag(np.arange(float(n))),
    "orthogonal": lambda n, seed: matrices.unitary(n, "float64", seed),
    "Jordan": lambda n, seed: np.eye(n, k=1) - np.eye(n),
}


@pytest.mark.parametrize("kind", KINDS)
def test_condition_against_scipy(kind):
    for seed in range(10):
        a = KINDS[kind](2 + seed % 5, seed)
        theirs = scipy.linalg.expm_cond(a)
        assert abs(expm_cond(a) - theirs) <= 1e-11 * theirs


def test_univariate_condition():
    for x in (-5.0, -0.5, 0.0, 1e-8, 3.0):
        assert expm_cond(x) == pytest.approx(abs(x), rel=1e-14)
        assert isinstance(expm_cond(x), float)


def test_conditions_of_stacks():
    a = matrices.random((2, 3, 3, 3), "complex64")
    conditions = expm_cond(a)
    assert conditions.shape == (2, 3) and conditions.dtype == np.float64
    for member in np.ndindex(2, 3):
        assert conditions[member] == expm_cond(a[member])
    assert expm_cond(np.zeros((0, 2, 2))).shape == (0,)
    assert expm_cond(np.zeros((0, 0))) == 0.0


def test_conditions_that_are_no_numbers():
    bad = np.array([[1.0, np.inf], [0.0, 1.0]])
    with pytest.raises(ValueError, match=r"^A: contains infinities or NaNs"):
        expm_cond(bad)
    assert np.isnan(expm_cond(bad, check_finite=False))
    assert np.isnan(expm_cond(np.eye(2) * 1000))


def test_threads_give_the_same_bits():
    a, e = random_pair(70, "float64", 5.0)
    one, condition = expm_frechet(a, e, threads=1), expm_cond(a, threads=1)
    for x, y in zip(expm_frechet(a, e, threads=3), one, strict=True):
        assert np.array_equal(x, y)
    assert expm_cond(a, threads=3) == condition
