"""Sylvester's and Lyapunov's equations: residuals, SciPy's conventions, batches and errors."""

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
import trnsci
from trnsci import linalg
from trnsci.linalg import solve_continuous_lyapunov, solve_discrete_lyapunov, solve_sylvester

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
LIMIT = 8.0  # residuals, in units of m eps times the sizes of coefficients and solution, m = max(M, N, 8)


def wide(a):
    return np.asarray(a, np.complex128)


def norm(a):
    return float(np.linalg.norm(wide(a)))


def in_units(difference, size, x):
    """|difference|_F / (m eps size)."""
    unit = residuals.divisor(max(x.shape)) * residuals.eps(x.dtype) * size
    return 0.0 if norm(difference) == 0 else norm(difference) / unit


def sylvester_residual(a, b, q, x):
    return in_units(wide(a) @ wide(x) + wide(x) @ wide(b) - wide(q), (norm(a) + norm(b)) * norm(x), x)


def lyapunov_residual(a, q, x):
    return sylvester_residual(a, residuals.adjoint(wide(a)), q, x)


def discrete_residual(a, q, x):
    return in_units(wide(a) @ wide(x) @ residuals.adjoint(wide(a)) - wide(x) + wide(q), (norm(a) ** 2 + 1) * norm(x), x)


def shifted(n, dtype, seed, shift=2.0):
    """A random matrix whose eigenvalues lie around `shift`."""
    return (matrices.random((n, n), dtype, seed) / max(1, n) ** 0.5 + shift * np.eye(n)).astype(dtype)


@ALL_DTYPES
@pytest.mark.parametrize("m, n", [(0, 0), (0, 3), (2, 0), (1, 1), (1, 4), (5, 3), (33, 64), (80, 17), (130, 140)])
def test_residuals(m, n, dtype):
    a, b, q = shifted(m, dtype, 1), shifted(n, dtype, 2), matrices.random((m, n), dtype, 3)
    x = solve_sylvester(a, b, q)
    assert x.shape == (m, n) and x.dtype == dtype
    assert sylvester_residual(a, b, q, x) < LIMIT
    q = matrices.random((m, m), dtype, 4)
    for f, residual in ((solve_continuous_lyapunov, lyapunov_residual), (solve_discrete_lyapunov, discrete_residual)):
        x = f(a, q)
        assert x.shape == (m, m) and x.dtype == dtype
        assert residual(a, q, x) < LIMIT


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_agrees_with_scipy(dtype):
    a, b = shifted(30, dtype, 1), shifted(20, dtype, 2)
    q, s = matrices.random((30, 20), dtype, 3), matrices.random((30, 30), dtype, 4)
    tolerance = 1e4 * residuals.eps(dtype)  # far below what another equation or sign would make
    assert abs(solve_sylvester(a, b, q) - scipy.linalg.solve_sylvester(a, b, q)).max() < tolerance
    assert abs(solve_continuous_lyapunov(a, s) - scipy.linalg.solve_continuous_lyapunov(a, s)).max() < tolerance
    for method in (None, "direct", "bilinear"):
        assert (
            abs(solve_discrete_lyapunov(a, s, method) - scipy.linalg.solve_discrete_lyapunov(a, s, method)).max()
            < tolerance
        )


def test_older_name():
    assert linalg.solve_lyapunov is solve_continuous_lyapunov


@ALL_DTYPES
def test_hermitian_right_sides_give_hermitian_solutions(dtype):
    a, g = shifted(25, dtype, 1), matrices.random((25, 25), dtype, 2)
    q = g + residuals.adjoint(g)
    for f in (solve_continuous_lyapunov, solve_discrete_lyapunov):
        x = f(a, q)
        assert np.array_equal(x, residuals.adjoint(x))


def test_stacks_broadcast():
    a, b, q = (matrices.random(shape, "float64", k) for k, shape in enumerate([(3, 1, 6, 6), (2, 4, 4), (6, 4)]))
    x = solve_sylvester(a, b, q)
    assert x.shape == (3, 2, 6, 4)
    for i in range(3):
        for j in range(2):
            assert np.array_equal(x[i, j], solve_sylvester(a[i, 0], b[j], q))
    q = matrices.random((6, 6), "float64", 5)
    for f in (solve_continuous_lyapunov, solve_discrete_lyapunov):
        x = f(a, q)
        assert x.shape == (3, 1, 6, 6)
        assert np.array_equal(x[2, 0], f(a[2, 0], q))
    assert solve_sylvester(np.zeros((0, 3, 3)), np.eye(2), np.zeros((3, 2))).shape == (0, 3, 2)


def test_operands_of_different_dtypes():
    a, b, q = shifted(8, "float32", 1), shifted(5, "float64", 2), matrices.random((8, 5), "complex64", 3)
    x = solve_sylvester(a, b, q)
    assert x.dtype == np.complex128 and sylvester_residual(a, b, q, x) < LIMIT
    half = a.astype(np.float16)
    assert solve_continuous_lyapunov(half, half).dtype == np.float16
    assert solve_continuous_lyapunov(2, 8).tolist() == [[2.0]]
    assert solve_sylvester([[1]], [[3]], [[8]]).tolist() == [[2.0]]


def test_layouts_and_inputs():
    a, b, q = shifted(9, "float64", 1), shifted(7, "float64", 2), matrices.random((9, 7), "float64", 3)
    expected = solve_sylvester(a, b, q)
    wide_a = np.zeros((18, 27))
    wide_a[::2, ::3] = a
    copies = [m.copy() for m in (a, b, q)]
    got = solve_sylvester(wide_a[::2, ::3], np.asfortranarray(b), q[::-1][::-1].astype(">f8"))
    assert np.array_equal(got, expected)
    assert all(np.array_equal(m, copy) for m, copy in zip((a, b, q), copies, strict=True))


def test_threads_do_not_change_bits():
    a, b, q = shifted(150, "float64", 1), shifted(140, "float64", 2), matrices.random((150, 140), "float64", 3)
    assert np.array_equal(solve_sylvester(a, b, q, threads=1), solve_sylvester(a, b, q, threads=3))
    s = matrices.random((150, 150), "float64", 4)
    for f in (solve_continuous_lyapunov, solve_discrete_lyapunov):
        assert np.array_equal(f(a, s, threads=1), f(a, s, threads=3))


def test_singular_equations_warn():
    nilpotent = np.triu(np.ones((4, 4)), 1)
    with pytest.warns(RuntimeWarning, match="a and -b have an eigenvalue in common") as caught:
        solve_sylvester(nilpotent, nilpotent, np.eye(4))
    assert caught[0].filename == __file__
    with pytest.warns(RuntimeWarning, match="eigenvalues whose sum is zero"):
        solve_continuous_lyapunov(nilpotent, np.eye(4))
    with pytest.warns(RuntimeWarning, match="sum"):
        scipy.linalg.solve_continuous_lyapunov(nilpotent, np.eye(4))
    with pytest.warns(RuntimeWarning, match="eigenvalues whose product is one"):
        solve_discrete_lyapunov(np.eye(4), np.eye(4))


def test_overflow_is_an_error():
    with pytest.raises(trnsci.LinAlgError, match="the solution overflows"):
        solve_continuous_lyapunov([[1e-300]], [[1e300]])
    with pytest.raises(trnsci.LinAlgError, match=r"batch member 1"):
        solve_continuous_lyapunov([[[1.0]], [[1e-300]]], [[[1.0]], [[1e300]]])


@pytest.mark.parametrize(
    "a, b, q, words",
    [
        (np.ones((2, 3)), np.ones((2, 2)), np.ones((2, 2)), "^a: expected a square matrix"),
        (np.ones((2, 2)), np.ones((3, 2)), np.ones((2, 2)), "^b: expected a square matrix"),
        (np.ones((2, 2)), np.ones((3, 3)), np.ones((3, 2)), "^q: expected 2 x 3 matrices"),
        (np.ones((2, 2)), np.ones((3, 3)), np.ones(6), "^q: expected a matrix"),
        (np.ones((2, 2, 2)), np.ones((3, 2, 2)), np.ones((2, 2)), "^a: leading dimensions do not broadcast"),
        (np.full((2, 2), np.nan), np.ones((2, 2)), np.ones((2, 2)), "^a: contains infinities or NaNs"),
        (np.ones((2, 2)), np.full((2, 2), np.inf), np.ones((2, 2)), "^b: contains infinities or NaNs"),
        (np.ones((2, 2)), np.ones((2, 2)), np.full((2, 2), np.nan), "^q: contains infinities or NaNs"),
    ],
)
def test_errors(a, b, q, words):
    with pytest.raises(ValueError, match=words):
        solve_sylvester(a, b, q)


def test_errors_of_lyapunov_equations():
    with pytest.raises(ValueError, match=r"^q: expected 2 x 2 matrices"):
        solve_continuous_lyapunov(np.eye(2), np.eye(3))
    with pytest.raises(ValueError, match=r"^a: expected a square matrix"):
        solve_discrete_lyapunov(np.ones((2, 3)), np.eye(2))
    for method in ("exact", 3):
        with pytest.raises(ValueError, match=r"^method: .* is not one of 'direct', 'bilinear'"):
            solve_discrete_lyapunov(np.eye(2), np.eye(2), method)
    with pytest.raises(TypeError, match=r"^q: dtype"):
        solve_continuous_lyapunov(np.eye(2), np.array([["a", "b"], ["c", "d"]]))
    given = {"a": np.eye(2), "b": np.eye(2), "q": np.eye(2)}
    for name in given:
        with pytest.raises(TypeError, match=f"^{name}: dtype object .* None was given"):
            solve_sylvester(**{**given, name: None})
    with pytest.raises(trnsci.UnsupportedError):
        solve_sylvester(np.eye(2), np.eye(2), np.eye(2), device="interp")


def test_progress_reaches_the_end():
    seen = []
    a = shifted(60, "float64", 1)
    solve_continuous_lyapunov(a, a, progress=lambda done, total: seen.append((done, total)))
    assert seen and seen[-1][0] == seen[-1][1] > 0


@pytest.mark.parametrize("solve", [solve_continuous_lyapunov, solve_discrete_lyapunov])
def test_operands_that_are_no_matrices_are_named(solve):
    with pytest.raises(ValueError, match=r"^a: cannot be made an array"):
        solve([[1, 2], [3]], np.eye(2))
    with pytest.raises(TypeError, match=r"^q: .*None was given"):
        solve(np.eye(2), None)


def test_numbers_are_matrices_of_order_1():
    for a, q in [([2.0], [3.0]), (np.array([2.0]), 3), ((2,), np.float16(3))]:
        assert solve_continuous_lyapunov(a, q) == [[0.75]]
        assert solve_discrete_lyapunov(a, q) == [[-1.0]]
    for a, q in [(2.0, np.float32(3)), (np.array(2), 3), (np.int64(2), np.array([[3.0]]))]:
        assert solve_continuous_lyapunov(a, q) == [[0.75]]
