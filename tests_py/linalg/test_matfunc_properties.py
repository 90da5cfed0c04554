"""Matrix functions and matrix equations against SciPy's for random matrices, dtypes, layouts and arguments.

Results may differ from SciPy's by rounding errors times what the function makes of a small change of its matrix.
"""

import warnings

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
import trnsci
from hypothesis import given, settings
from hypothesis import strategies as st
from trnsci import linalg

properties = settings(deadline=None, max_examples=1000, derandomize=True, print_blob=True)

LARGEST_ORDER = 8
# How often rounding errors, times what the problem makes of them, may be seen.
LIMIT = 10.0
# The relative change of a matrix by which the condition of a function is found.
CHANGE = 1e-7
# Norms of logarithms of matrices that are not singular, whose exponentials the series here computes well.
MODERATE = 100.0

orders = st.integers(1, LARGEST_ORDER)
dtypes = st.sampled_from(matrices.DTYPES)
seeds = st.integers(0, 2**32 - 1)
threads = st.sampled_from([None, 1, 2])
# How a matrix is handed over: a layout of an array in memory, or Python's lists, or integers.
forms = st.sampled_from([*sorted(matrices.LAYOUTS), "list", "integer list", "integer array"])


def _normal(rng, n):
    return rng.standard_normal((n, n)) / n**0.5


# Real matrices with spectral norms of about 1 or 2.
KINDS = {
    "normal": _normal,
    "small integers": lambda rng, n: rng.integers(-2, 3, (n, n)),
    "sparse": lambda rng, n: _normal(rng, n) * (rng.random((n, n)) < 0.3),
    "upper": lambda rng, n: np.triu(_normal(rng, n)),
    "lower": lambda rng, n: np.tril(_normal(rng, n)),
    "diagonal": lambda rng, n: np.diag(rng.standard_normal(n)),
    "symmetric": lambda rng, n: _normal(rng, n) + _normal(rng, n).T,
    "orthogonal": lambda rng, n: np.linalg.qr(rng.standard_normal((n, n)))[0],
    "graded": lambda rng, n: _normal(rng, n) * 10.0 ** rng.uniform(-3, 0, (n, 1)),
    "low rank": lambda rng, n: rng.standard_normal((n, 1)) @ rng.standard_normal((1, n)) / n,
    "Jordan": lambda rng, n: np.eye(n, k=1) + rng.integers(0, 2) * np.eye(n),
    "companion": lambda rng, n: np.eye(n, k=-1) + np.pad(rng.standard_normal((1, n)), ((0, n - 1), (0, 0))),
}
kinds = st.sampled_from(sorted(KINDS))


def matrix_of(rng, kind, n, dtype):
    a = KINDS[kind](rng, n)
    return a + 1j * KINDS[kind](rng, n) if np.dtype(dtype).kind == "c" else a


@st.composite
def problems(draw, shifts=(0.0,), sizes=(1.0,)):
    """A matrix as it is handed over, and the same as a plain array of the dtype of its computation."""
    n, dtype, form = draw(orders), draw(dtypes), draw(forms)
    a = matrix_of(np.random.default_rng(draw(seeds)), draw(kinds), n, dtype)
    return present(draw(st.sampled_from(sizes)) * a + draw(st.sampled_from(shifts)) * np.eye(n), dtype, form)


def present(a, dtype, form):
    if form.startswith("integer"):
        a = np.round(np.real(a)).astype(np.int64)
        return (a.tolist() if form == "integer list" else a), a.astype(np.float64)
    a = a.astype(dtype)
    if form == "list":
        return a.tolist(), a.astype(np.result_type(dtype, np.float64))
    return matrices.LAYOUTS[form](a)[0], a


def wide(a):
    return np.asarray(a, np.result_type(np.asarray(a).dtype, np.float64))


def norm(a):
    return float(np.linalg.norm(wide(a)))


def quiet(function, *args):
    """SciPy's result, whatever it warns of or prints; None if it finds none."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args)
        except (ValueError, np.linalg.LinAlgError):
            return None


def ours(function, *args, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return function(*args, **options), caught


def expect_near(x, function, theirs, a, factor=1.0):
    """Compare x = function(a) with what SciPy's function makes of `a`, to what rounding errors in `a` and x explain."""
    plain = wide(a)
    expected = quiet(theirs, plain)
    if expected is None or not np.isfinite(expected).all():
        return
    change = np.random.default_rng(len(a)).standard_normal(a.shape)
    moved = quiet(function, plain + change * (CHANGE * norm(a) / norm(change))) - quiet(function, plain)
    condition = len(a) * norm(moved) / CHANGE
    unit = residuals.divisor(len(a)) * residuals.eps(x.dtype) * (norm(expected) + condition)
    assert norm(x - expected) <= factor * LIMIT * unit


def exponential(a):
    """The exponential by its series in longdouble: SciPy's of triangles may lose three digits."""
    squarings = max(0, int(np.frexp(norm(a))[1]) + 1)
    scaled = np.ldexp(1.0, -squarings) * a.astype(np.result_type(a.dtype, np.longdouble))
    term = total = np.eye(len(a), dtype=scaled.dtype)
    for k in range(1, 22):
        term = term @ scaled / k
        total = total + term
    for _ in range(squarings):
        total = total @ total
    return total.astype(wide(a).dtype)


def smallest_gap(w):
    """The smallest distance of two eigenvalues, 1 at most."""
    return float(np.abs(np.subtract.outer(w, w))[np.triu_indices(len(w), 1)].min(initial=1))


def off_the_cut(a):
    """Whether no eigenvalue is near enough to the numbers from minus infinity to 0 for its functions to jump."""
    w = np.linalg.eigvals(wide(a))
    return bool((np.abs(np.angle(w)) < 3.1).all() and np.abs(w).min() > 1e-3 * max(1, np.abs(w).max()))


@properties
@given(problems(shifts=(0.0, -3.0, 2.0), sizes=(1e-3, 0.3, 1.0, 3.0, 12.0)), threads)
def test_expm(problem, threads):
    given, a = problem
    x = linalg.expm(given, threads=threads)
    assert type(x) is np.ndarray and x.dtype == a.dtype
    expect_near(x, linalg.expm, exponential, a)


@properties
@given(
    problems(shifts=(0.0, 0.0, 3.0), sizes=(1e-3, 1.0, 100.0)),
    threads,
    st.sampled_from([None, {"disp": True}, {"disp": False}, {"blocksize": 4}]),
)
def test_sqrtm(problem, threads, options):
    given, a = problem
    result, caught = ours(linalg.sqrtm, given, threads=threads, **options or {})
    x, error = result if options == {"disp": False} else (result, None)
    assert (options is not None) == any(w.category is DeprecationWarning for w in caught)
    if any(issubclass(w.category, trnsci.LinAlgWarning) for w in caught):
        return
    assert np.finfo(x.dtype).eps == np.finfo(a.dtype).eps and (x.dtype.kind == "c" or a.dtype.kind == "f")
    assert norm(wide(x) @ wide(x) - a) <= LIMIT * residuals.divisor(len(a)) * residuals.eps(a.dtype) * norm(x) ** 2
    if error is not None and norm(a):
        assert error == pytest.approx(norm(x @ x - a) ** 2 / norm(a), rel=1e-2)
    if off_the_cut(a):
        assert x.dtype == a.dtype
        expect_near(x, linalg.sqrtm, scipy.linalg.sqrtm, a)


@properties
@given(problems(shifts=(0.0, 2.0, 3.0), sizes=(1e-3, 1.0, 100.0)), threads, st.sampled_from([None, False, True, False]))
def test_logm(problem, threads, disp):
    given, a = problem
    result, caught = ours(linalg.logm, given, threads=threads, **({} if disp is None else {"disp": disp}))
    x, error = result if disp is False else (result, None)
    assert (disp is not None) == any(w.category is DeprecationWarning for w in caught)
    assert np.finfo(x.dtype).eps == np.finfo(a.dtype).eps
    if error is not None and norm(a) and norm(x) < MODERATE:
        back = norm(exponential(x) - a) / norm(a)
        assert error <= LIMIT * (back + 100 * len(a) * residuals.eps(a.dtype) * (1 + norm(x)))
    if off_the_cut(a):
        assert x.dtype == a.dtype
        if disp is not False:  # half of the cases: SciPy's takes long
            expect_near(x, linalg.logm, scipy.linalg.logm, a)


@properties
@given(
    problems(shifts=(0.0, 2.0, 3.0), sizes=(0.1, 1.0, 10.0)),
    threads,
    st.integers(-4, 5) | st.floats(-3, 3, width=16) | st.sampled_from([0.5, -0.5, 1 / 3]),
)
def test_fractional_matrix_power(problem, threads, t):
    given, a = problem
    if not off_the_cut(a):  # jumps, or divisions by zero
        a = a + (2 + np.abs(wide(a)).sum()) * np.eye(len(a), dtype=a.dtype)
        given = a
    x = linalg.fractional_matrix_power(given, t, threads=threads)
    assert x.dtype == a.dtype
    expect_near(x, *(lambda b, m=m: m.fractional_matrix_power(b, t) for m in (linalg, scipy.linalg)), a)


@properties
@given(problems(shifts=(0.0, 0.5, 2.0), sizes=(1e-3, 1.0, 100.0)), threads, st.sampled_from([None, True, False]))
def test_signm(problem, threads, disp):
    given, a = problem
    x, caught = ours(linalg.signm, given, threads=threads, **({} if disp is None else {"disp": disp}))
    assert (disp is not None) == any(w.category is DeprecationWarning for w in caught)
    assert x.dtype == a.dtype and x.shape == a.shape
    w = np.linalg.eigvals(wide(a))
    if np.abs(w.real).min() > 1e-3 * np.abs(w).max():
        unit = residuals.divisor(len(a)) * residuals.eps(a.dtype) * norm(x) ** 2
        assert norm(wide(x) @ wide(x) - np.eye(len(a))) <= LIMIT * LIMIT * unit
        assert norm(wide(x) @ a - a @ wide(x)) <= LIMIT * LIMIT * unit * norm(a)
        assert round(np.trace(wide(x)).real) == np.sign(w.real).sum()
        if smallest_gap(w) > 1e-2 * np.abs(w).max():  # else SciPy's takes a hundred iterations
            expect_near(x, linalg.signm, scipy.linalg.signm, a, LIMIT)


# Functions of numbers, and the matrix functions that they are, without divisions by differences of eigenvalues.
NUMBERS = {
    "exp": (np.exp, exponential),
    "cosh": (np.cosh, lambda a: (exponential(a) + exponential(-a)) / 2),
    "cube": (lambda w: w**3, lambda a: a @ a @ a),
}


@properties
@given(problems(shifts=(0.0, 1.0), sizes=(0.1, 1.0, 3.0)), threads, st.sampled_from(sorted(NUMBERS)), st.booleans())
def test_funm(problem, threads, name, disp):
    given, a = problem
    function, exact = NUMBERS[name]
    result, caught = ours(linalg.funm, given, function, disp, threads=threads)
    x, error = (result, None) if disp else result
    assert np.finfo(x.dtype).eps == np.finfo(a.dtype).eps and x.shape == a.shape
    if not disp:
        assert not caught and (residuals.eps(a.dtype) <= error <= 1 or error == np.inf)
    expected = exact(wide(a))
    scipys, _ = quiet(scipy.linalg.funm, a, function, False)
    limit = LIMIT * residuals.divisor(len(a)) * residuals.eps(a.dtype) * max(norm(expected), 1) * (1 + norm(a))
    # Both lose digits where eigenvalues are near each other, by other rounding errors; equal ones give what no bound
    # describes.
    gap = smallest_gap(np.linalg.eigvals(wide(a)))
    if gap > 1e-2:
        assert norm(x - expected) <= LIMIT * norm(scipys - expected) + limit / gap**2


def expect_solution(x, expected, size, equation):
    """Compare with SciPy's solution of an equation whose coefficients have the given size.

    Solutions move by the inverse of the smallest singular value of the equation, a linear map of matrices.
    """
    if expected is None:
        return
    columns = [equation(unit.reshape(x.shape)).ravel() for unit in np.eye(x.size)]
    smallest = np.linalg.svd(np.array(columns), compute_uv=False)[-1]
    unit = residuals.divisor(len(x)) * residuals.eps(x.dtype) * size
    if smallest > LIMIT * LIMIT * unit:
        assert norm(x - expected) <= LIMIT * unit / smallest * norm(expected)


@st.composite
def equations(draw, count, square=True):
    """`count` operands, the last one a right-hand side, as they are handed over and as plain arrays of one dtype."""
    m, dtype, rng = draw(st.integers(1, 6)), draw(dtypes), np.random.default_rng(draw(seeds))
    n = m if square else draw(st.integers(1, 6))
    pairs = []
    for k in range(count - 1):
        order = (m, n)[k]
        a = matrix_of(rng, draw(kinds), order, dtype) + draw(st.sampled_from([0.0, 2.0, -0.5])) * np.eye(order)
        pairs.append(present(a, dtype, draw(forms)))
    q = rng.standard_normal((m, n)) + (1j * rng.standard_normal((m, n)) if np.dtype(dtype).kind == "c" else 0)
    if square and draw(st.booleans()):
        q = q + q.conj().T
    pairs.append(present(q, dtype, draw(forms)))
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def operands_of(plain):
    """The operands in their common dtype, in double precision: SciPy's mixtures of real and complex ones go wrong."""
    common = np.result_type(np.float64, *plain)
    return [np.asarray(p, common) for p in plain]


def solution(function, operands, plain, equation, q, size, threads, *args):
    """The solution, with its residual checked in units of eps times the sizes of coefficients and solution.

    None if it overflows, or if a warning says that the equation is singular to working precision.
    """
    try:
        x, caught = ours(function, *operands, *args, threads=threads)
    except trnsci.LinAlgError as error:
        assert "overflows" in str(error)
        return None
    assert type(x) is np.ndarray and x.dtype == np.result_type(*plain) and x.shape == plain[-1].shape
    if caught:
        assert all(w.category is RuntimeWarning for w in caught)
        return None
    unit = residuals.divisor(max(x.shape)) * residuals.eps(x.dtype) * size * norm(x)
    assert norm(equation(wide(x)) - q) <= LIMIT * unit
    return x


@properties
@given(equations(3, square=False), threads)
def test_solve_sylvester(problem, threads):
    operands, plain = problem
    a, b, q = operands_of(plain)

    def equation(x):
        return a @ x + x @ b

    x = solution(linalg.solve_sylvester, operands, plain, equation, q, norm(a) + norm(b), threads)
    if x is not None:
        expect_solution(x, quiet(scipy.linalg.solve_sylvester, a, b, q), norm(a) + norm(b), equation)


@properties
@given(equations(2), threads, st.booleans())
def test_solve_continuous_lyapunov(problem, threads, older):
    operands, plain = problem
    a, q = operands_of(plain)

    def equation(x):
        return a @ x + x @ a.conj().T

    function = linalg.solve_lyapunov if older else linalg.solve_continuous_lyapunov
    x = solution(function, operands, plain, equation, q, 2 * norm(a), threads)
    if x is not None:
        assert not np.array_equal(q, q.conj().T) or np.array_equal(x, x.conj().T)
        expect_solution(x, quiet(scipy.linalg.solve_continuous_lyapunov, a, q), 2 * norm(a), equation)


@properties
@given(equations(2), threads, st.sampled_from([None, "direct", "bilinear", "Direct", "BILINEAR"]))
def test_solve_discrete_lyapunov(problem, threads, method):
    operands, plain = problem
    a, q = operands_of(plain)

    def equation(x):
        return x - a @ x @ a.conj().T

    size = norm(a) ** 2 + 1
    x = solution(linalg.solve_discrete_lyapunov, operands, plain, equation, q, size, threads, method)
    if x is not None:
        assert not np.array_equal(q, q.conj().T) or np.array_equal(x, x.conj().T)
        expect_solution(x, quiet(scipy.linalg.solve_discrete_lyapunov, a, q, "direct"), size, equation)
