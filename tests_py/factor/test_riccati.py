"""Riccati equations: published examples, residuals, stability of the closed loop, what is refused."""

import matrices
import mpmath
import numpy as np
import pytest
import residuals
import scipy.linalg
import strategies
import trnsci
from hypothesis import given, settings
from hypothesis import strategies as st
from trnsci.linalg import solve_continuous_are, solve_discrete_are

CONTINUOUS, DISCRETE = "solve_continuous_are", "solve_discrete_are"
SOLVERS = {CONTINUOUS: solve_continuous_are, DISCRETE: solve_discrete_are}
BOTH = pytest.mark.parametrize("name", SOLVERS)
ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)

# Of backward errors, in units of max(M + N, 8) eps of the dtype.
LIMIT = 0.5
# How much larger than SciPy's the worst residual may be, and what is never too large.
MORE, SMALL = 1.5, 1.0


def adjoint(x):
    return x.conj().swapaxes(-1, -2)


class Equation:
    """The operands of an equation."""

    def __init__(self, a, b, q, r, e=None, s=None):
        self.given = (a, b, q, r, e, s)
        self.a, self.b, self.q, self.r = (residuals.scaled(np.atleast_2d(x)) for x in (a, b, q, r))
        self.e = np.eye(len(self.a)) if e is None else residuals.scaled(np.atleast_2d(e))
        self.s = np.zeros(self.b.shape) if s is None else residuals.scaled(np.atleast_2d(s))

    def terms(self, name, x):
        """The terms whose sum is zero, and the gain of the feedback."""
        a, b, q, r, e, s = self.a, self.b, self.q, self.r, self.e, self.s
        if name == CONTINUOUS:
            left = adjoint(e) @ x @ b + s
            gain = np.linalg.solve(r, adjoint(left)) if r.size else np.zeros((0, len(a)))
            return [adjoint(e) @ x @ a, adjoint(a) @ x @ e, -left @ gain, q], gain
        left = adjoint(a) @ x @ b + s
        gain = np.linalg.solve(r + adjoint(b) @ x @ b, adjoint(left))
        return [adjoint(a) @ x @ a, -adjoint(e) @ x @ e, -left @ gain, q], gain

    def residual(self, name, x):
        """The norm of the sum of the terms relative to the sum of their norms, in units of eps."""
        terms, _ = self.terms(name, x)
        scale = sum(np.linalg.norm(term) for term in terms)
        return np.linalg.norm(sum(terms)) / (residuals.eps("float64") * scale) if scale else 0.0

    def backward_error(self, name, x, dtype="float64"):
        """The residual in units of that which errors of eps in the pencil cause.

        The columns of (I; X E; -K) span its deflating subspace, and the rows of (Y, -I, -K^H), with Y = E^H X or A^H X,
        turn errors in the equation of that subspace into those of Riccati's equation.
        """
        terms, gain = self.terms(name, x)
        norm = np.linalg.norm
        right = 1 + norm(x @ self.e) + norm(gain)
        left = 1 + norm(adjoint(self.e if name == CONTINUOUS else self.a) @ x) + norm(gain)
        sizes = [norm(part) for part in (self.a, self.b, self.q, self.r, self.s)]
        others = norm(self.e) + (norm(self.a) + norm(self.b) if name == DISCRETE else 0.0)
        loop = norm(np.linalg.solve(self.e, self.a - self.b @ gain))
        unit = residuals.divisor(sum(self.b.shape)) * residuals.eps(dtype)
        return norm(sum(terms)) / (unit * left * right * (sum(sizes) + others * (1 + loop)))

    def closed_loop(self, name, x):
        """Eigenvalues of the pencil A - B K - z E."""
        return scipy.linalg.eigvals(self.a - self.b @ self.terms(name, x)[1], self.e)

    def is_stable(self, name, x):
        values = self.closed_loop(name, x)
        return (values.real < 0).all() if name == CONTINUOUS else (np.abs(values) < 1).all()


def random_equation(m, n, dtype, seed=0, generalized=False, cross=False, grading=0.0):
    """An equation whose a and b are graded by powers of ten, with definite q and r."""

    def random(rows, columns, k):
        return matrices.random((rows, columns), dtype, seed=10 * seed + k)

    def definite(order, k):
        x = residuals.scaled(random(order, order, k))
        x = x @ adjoint(x) + np.eye(order)
        return (x + adjoint(x)).astype(dtype) / 2

    scales = 10.0 ** np.round(grading * matrices.random((m,), "float64", seed=10 * seed + 7))
    a = (random(m, m, 1) * scales[:, None] / scales).astype(dtype)
    b = (random(m, n, 2) * scales[:, None]).astype(dtype)
    q = (definite(m, 3) / scales / scales[:, None]).astype(dtype)
    e = (random(m, m, 5) / m + 2 * np.eye(m)).astype(dtype) if generalized else None
    s = (random(m, n, 6) / (20 * scales[:, None])).astype(dtype) if cross else None
    return Equation(a, b, (q + adjoint(q)) / 2, definite(n, 4).astype(dtype), e, s)


ROOT = 2**0.5
# Benner, Laub and Mehrmann, collections of benchmark examples for continuous-time (CAREX, 1995) and discrete-time
# Riccati equations (DAREX, 1995): examples 1.1 and 1.2 of both, with their solutions; numbers.
PUBLISHED = [
    (CONTINUOUS, Equation([[0, 1], [0, 0]], [[0], [1]], [[1, 0], [0, 2]], 1), [[2, 1], [1, 2]]),
    (
        CONTINUOUS,
        Equation([[4, 3], [-4.5, -3.5]], [[1], [-1]], [[9, 6], [6, 4]], 1),
        np.array([[9, 6], [6, 4]]) * (1 + ROOT),
    ),
    (DISCRETE, Equation([[2, -1], [1, 0]], [[1], [0]], [[0, 0], [0, 1]], 0), [[1, 0], [0, 1]]),
    (
        DISCRETE,
        Equation([[0, 1], [0, -1]], [[1, 0], [2, 1]], [[-4, -4], [-4, 7]], [[9, 3], [3, 1]]),
        [[-4, -4], [-4, 7]],
    ),
    (CONTINUOUS, Equation(1.0, 1.0, 1.0, 1.0), [[1 + ROOT]]),
    (DISCRETE, Equation(2.0, 1.0, 3.0, 3.0), [[6 + 45**0.5]]),
]


@pytest.mark.parametrize(("name", "equation", "expected"), PUBLISHED)
def test_published_examples(name, equation, expected):
    for balanced in (True, False):
        x = SOLVERS[name](*equation.given, balanced=balanced)
        assert np.linalg.norm(x - expected) <= 1e-13 * np.linalg.norm(expected)


@BOTH
@ALL_DTYPES
@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize(("generalized", "cross"), [(False, False), (True, False), (False, True), (True, True)])
def test_residuals(generalized, cross, balanced, dtype, name):
    for m, n in ((1, 1), (2, 3), (5, 2), (12, 12), (30, 4)):
        equation = random_equation(m, n, dtype, 1, generalized, cross)
        x = SOLVERS[name](*equation.given, balanced=balanced)
        assert x.dtype == dtype and np.array_equal(x, adjoint(x))
        assert equation.backward_error(name, residuals.scaled(x), dtype) < LIMIT
        assert equation.is_stable(name, residuals.scaled(x))


@st.composite
def equations(draw):
    dtype = draw(strategies.dtypes)
    m, n = draw(st.integers(0, 6)), draw(st.integers(1, 4))
    flags = [draw(st.booleans()) for _ in range(2)]
    grading = 0.0 if np.dtype(dtype).itemsize <= 8 and dtype != "float64" else draw(st.sampled_from([0.0, 0.5, 1.0]))
    return dtype, random_equation(m, n, dtype, draw(st.integers(0, 999)), *flags, grading), draw(strategies.layouts)


@BOTH
@settings(strategies.properties, max_examples=1000)
@given(equations())
def test_random_equations(name, case):
    dtype, equation, layout = case
    presented = [None if x is None else matrices.LAYOUTS[layout](x)[0] for x in equation.given]
    before = [None if x is None else x.copy() for x in presented]
    x = residuals.scaled(SOLVERS[name](*presented))
    assert equation.backward_error(name, x, dtype) < LIMIT
    assert equation.is_stable(name, x)
    for array, old in zip(presented, before, strict=True):
        assert array is None or np.array_equal(array, old)


@BOTH
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_worst_residuals_beside_scipys(dtype, name):
    """Without e: where e is given, SciPy multiplies a basis of the scaled pencil by the e that is not scaled."""
    theirs, ours = 0.0, 0.0
    for seed in range(60):
        equation = random_equation(2 + seed % 9, 1 + seed % 4, dtype, seed, False, seed % 3 == 0, grading=seed % 2)
        ours = max(ours, equation.residual(name, SOLVERS[name](*equation.given)))
        theirs = max(theirs, equation.residual(name, getattr(scipy.linalg, name)(*equation.given)))
    assert ours <= max(MORE * theirs, SMALL)


@BOTH
def test_generalized_equations_of_bad_scaling(name):
    """Scaling makes e differ from the one that is given."""
    for seed in range(20):
        equation = random_equation(6, 2, "float64", seed, True, True, grading=1.0)
        x = SOLVERS[name](*equation.given)
        assert equation.backward_error(name, x) < LIMIT
        assert equation.is_stable(name, x)


def test_solution_against_mpmath():
    """A double integrator with damping: x follows from square roots, which mpmath computes."""
    with mpmath.workdps(30):
        q1, q2, r = mpmath.mpf(3), mpmath.mpf(5), mpmath.mpf(7)
        x12 = mpmath.sqrt(q1 * r)
        x22 = mpmath.sqrt(r * (2 * x12 + q2))
        exact = np.array([[x12 * x22 / r, x12], [x12, x22]], float)
    x = solve_continuous_are([[0, 1], [0, 0]], [[0], [1]], np.diag([3, 5]), 7)
    assert np.abs(x - exact).max() <= 1e-14 * np.abs(exact).max()


@BOTH
def test_stacks(name):
    cases = [random_equation(4, 2, "float64", seed, True, True).given for seed in range(6)]
    stacked = [np.stack(x).reshape(2, 3, *x[0].shape) for x in zip(*cases, strict=True)]
    x = SOLVERS[name](*stacked)
    assert x.shape == (2, 3, 4, 4)
    for k, member in enumerate(np.ndindex(2, 3)):
        assert np.array_equal(x[member], SOLVERS[name](*cases[k]))
    a, b, q, r, *_ = cases[0]
    assert SOLVERS[name](np.stack([a, a]), b, q, r).shape == (2, 4, 4)


@BOTH
def test_without_elements(name):
    solve = SOLVERS[name]
    assert solve(np.zeros((0, 0)), np.zeros((0, 2)), np.zeros((0, 0)), np.eye(2)).shape == (0, 0)
    assert solve(np.zeros((0, 3, 3)), np.ones((3, 1)), np.eye(3), 1).shape == (0, 3, 3)


def test_without_inputs_they_are_lyapunovs_equations():
    a = np.array([[-1.0, 2.0], [0.0, -3.0]])
    x = solve_continuous_are(a, np.zeros((2, 0)), np.eye(2), np.zeros((0, 0)))
    assert np.allclose(x, scipy.linalg.solve_continuous_lyapunov(a.T, -np.eye(2)), rtol=1e-14)
    x = solve_discrete_are(a / 4, np.zeros((2, 0)), np.eye(2), np.zeros((0, 0)))
    assert np.allclose(x, scipy.linalg.solve_discrete_lyapunov(a.T / 4, np.eye(2)), rtol=1e-14)


@BOTH
def test_dtypes(name):
    solve = SOLVERS[name]
    assert solve(*(np.eye(2, dtype=int),) * 4).dtype == np.float64
    single = random_equation(3, 1, "float32").given[:4]
    assert solve(*single).dtype == np.float32
    assert solve(single[0].astype(complex), *single[1:]).dtype == np.complex128
    assert solve(*(x.astype(np.float16) for x in (np.eye(2),) * 4)).dtype == np.float16
    wide = solve(*(x.astype(float) for x in single))
    assert np.array_equal(solve(*single), wide.astype(np.float32))


@BOTH
@pytest.mark.parametrize(("where", "operands", "message"), [
    ("a", (np.ones((2, 3)), np.ones((2, 1)), np.eye(2), 1), r"^a: expected a square matrix"),
    ("b", (np.eye(2), np.ones((3, 1)), np.eye(2), 1), r"^a: expected 3 x 3 matrices"),
    ("q", (np.eye(2), np.ones((2, 1)), np.eye(3), 1), r"^q: expected 2 x 2 matrices"),
    ("r", (np.eye(2), np.ones((2, 1)), np.eye(2), np.eye(2)), r"^r: expected 1 x 1 matrices"),
    ("e", (np.eye(2), np.ones((2, 1)), np.eye(2), 1, np.eye(3)), r"^e: expected 2 x 2 matrices"),
    ("s", (np.eye(2), np.ones((2, 1)), np.eye(2), 1, None, np.ones((1, 2))), r"^s: expected 2 x 1 matrices"),
    ("q, Hermitian", (np.eye(2), np.ones((2, 1)), [[1, 2], [0, 1]], 1), r"^q: expected a Hermitian matrix"),
    ("r, Hermitian", (np.eye(2), np.ones((2, 1)), np.eye(2), 1j), r"^r: expected a Hermitian matrix"),
    ("e, singular", (np.eye(2), np.ones((2, 1)), np.eye(2), 1, np.ones((2, 2))), r"^e: the matrix is singular"),
    ("NaN", (np.eye(2), np.ones((2, 1)), np.eye(2), np.nan), r"^r: contains infinities or NaNs"),
])  # fmt: skip
def test_what_is_refused(where, operands, message, name):
    with pytest.raises(ValueError, match=message):
        SOLVERS[name](*operands)
    with pytest.raises(ValueError):
        getattr(scipy.linalg, name)(*operands)


def test_a_singular_r():
    operands = np.eye(2), np.eye(2), np.eye(2), np.ones((2, 2))
    with pytest.raises(ValueError, match=r"^r: the matrix is singular to working precision"):
        solve_continuous_are(*operands)
    assert solve_discrete_are(*operands).shape == (2, 2)


def test_no_solution():
    """A pencil with eigenvalues on the imaginary axis and on the unit circle."""
    with pytest.raises(trnsci.LinAlgError, match=r"^a, b, q, r: .*(imaginary axis|finite solution)"):
        solve_continuous_are([[0, 1], [-1, 0]], [[0], [0]], np.eye(2), 1)
    with pytest.raises(trnsci.LinAlgError, match=r"^a, b, q, r: .* too close to the unit circle$"):
        solve_discrete_are([[0, 1], [-1, 0]], [[1], [0]], [[-1, 0], [0, 0]], 1)
    for solve in SOLVERS.values():  # an unstable state that cannot be controlled
        with pytest.raises(trnsci.LinAlgError, match=r"^a, b, q, r: the equation has no finite solution$"):
            solve(2, 0, 1, 1)
    good, bad = -np.eye(2), np.array([[0.0, 1.0], [-1.0, 0.0]])
    with pytest.raises(trnsci.LinAlgError, match=r"\(batch member 1\)$"):
        solve_continuous_are(np.stack([good, bad]), [[0], [0]], np.eye(2), 1)


@BOTH
def test_threads_give_the_same_bits(name):
    given = random_equation(40, 10, "float64", 3, True, True).given
    assert np.array_equal(SOLVERS[name](*given, threads=3), SOLVERS[name](*given, threads=1))


@pytest.mark.parametrize("name", ["a", "b", "q", "r"])
@pytest.mark.parametrize("solver", [solve_continuous_are, solve_discrete_are])
def test_an_operand_that_is_missing(solver, name):
    operands = dict.fromkeys("abqr", np.eye(2))
    operands[name] = None
    with pytest.raises(TypeError, match=f"^{name}: "):
        solver(**operands)
