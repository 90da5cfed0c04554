"""cho_factor, cho_solve and solve_triangular: residuals, SciPy's conventions, layouts and errors."""

import matrices
import numpy as np
import pages
import pytest
import residuals
import scipy.linalg
import trnsci
from blas_definitions import op, triangle
from trnsci import linalg
from trnsci.linalg import cho_factor, cho_solve, solve_triangular

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
TRIANGLES = pytest.mark.parametrize("lower", [True, False])
ORDERS = pytest.mark.parametrize("n", [0, 1, 2, 5, 33, 64, 65, 130])
COLUMNS = pytest.mark.parametrize("k", [None, 0, 1, 3, 300])
LIMIT = 4.0  # residuals of solves, in units of m eps |A|_F |X|_F, m = max(n, 8)


def wide(a):
    return np.asarray(a, np.complex128)


def solve_residual(a, x, b):
    """|A X - B|_F / (m eps |A|_F |X|_F), in double precision."""
    difference = np.linalg.norm(wide(a) @ wide(x) - wide(b))
    scale = np.linalg.norm(wide(a)) * np.linalg.norm(wide(x))
    return 0.0 if difference == 0 else difference / (residuals.divisor(len(a)) * residuals.eps(x.dtype) * scale)


def right_side(n, k, dtype):
    return matrices.random((n,) if k is None else (n, k), dtype, 9)


def well_conditioned(n, dtype, lower=True, unit=False):
    """A triangular matrix with NaNs where nothing is to be read, and the one that is meant."""
    a = matrices.random((n, n), dtype) / max(n, 1) + 2 * np.eye(n, dtype=dtype)
    meant = triangle(a, "lower" if lower else "upper", "unit" if unit else "nonunit")
    stored = np.where(np.tri(n, dtype=bool) if lower else np.tri(n, dtype=bool).T, a, np.nan).astype(dtype)
    if unit:
        np.fill_diagonal(stored, np.nan)
    return stored, meant.astype(dtype)


# solve_triangular


@ALL_DTYPES
@TRIANGLES
@ORDERS
@COLUMNS
def test_solve_triangular(k, n, lower, dtype):
    b = right_side(n, k, dtype)
    for trans in (0, 1, 2, "N", "T", "C"):
        for unit in (False, True):
            stored, meant = well_conditioned(n, dtype, lower, unit)
            x = solve_triangular(stored, b, trans, lower, unit, check_finite=False)
            assert x.shape == b.shape and x.dtype == dtype
            a = op(meant, {0: False, "N": False, 1: True, "T": True}.get(trans, "C"))
            assert solve_residual(a, x, b) < LIMIT


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@TRIANGLES
def test_solve_triangular_agrees_with_scipy(lower, dtype):
    _, a = well_conditioned(20, dtype, lower)
    b = right_side(20, 4, dtype)
    for trans in (0, 1, 2):
        expected = scipy.linalg.solve_triangular(a, b, trans, lower)
        assert abs(solve_triangular(a, b, trans, lower) - expected).max() < 1e3 * residuals.eps(dtype)


@ALL_DTYPES
@pytest.mark.parametrize("pivot", [1, 3, 5])
def test_zero_on_the_diagonal_is_named(pivot, dtype):
    a = np.eye(5, dtype=dtype)
    a[pivot - 1, pivot - 1] = 0
    b = np.ones(5, dtype)
    words = rf"^a: the matrix is singular: element {pivot} of its diagonal is zero$"
    with pytest.raises(trnsci.LinAlgError, match=words):
        solve_triangular(a, b)
    with pytest.raises(scipy.linalg.LinAlgError):
        scipy.linalg.solve_triangular(a, b)
    assert solve_triangular(a, b, unit_diagonal=True).tolist() == b.tolist()
    with pytest.raises(trnsci.LinAlgError, match=r"element 5 .*batch member 1"):
        solve_triangular(np.stack([np.eye(5), np.diag([1.0, 1, 1, 1, 0])]), b)


# cho_factor and cho_solve


@ALL_DTYPES
@TRIANGLES
@ORDERS
def test_cho_factor(n, lower, dtype):
    a = matrices.positive_definite(n, dtype)
    c, flag = cho_factor(a, lower)
    factor = linalg.cholesky(a, lower)
    assert flag is lower
    used = np.tri(n, dtype=bool) if lower else np.tri(n, dtype=bool).T
    np.testing.assert_array_equal(np.where(used, c, 0), factor)
    np.testing.assert_array_equal(c[~used], a[~used])


@ALL_DTYPES
@TRIANGLES
@ORDERS
@COLUMNS
def test_cho_solve(k, n, lower, dtype):
    a, b = matrices.positive_definite(n, dtype), right_side(n, k, dtype)
    c, _ = cho_factor(a, lower)
    c[~(np.tri(n, dtype=bool) if lower else np.tri(n, dtype=bool).T)] = np.nan  # not to be read
    x = cho_solve((c, lower), b, check_finite=False)
    assert x.shape == b.shape and x.dtype == dtype
    assert solve_residual(a, x, b) < LIMIT


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@TRIANGLES
def test_takes_the_factors_of_scipy_and_gives_it_ours(lower, dtype):
    a, b = matrices.positive_definite(12, dtype), right_side(12, 3, dtype)
    expected = scipy.linalg.solve(a, b)
    limit = 1e3 * residuals.eps(dtype)
    assert abs(cho_solve(scipy.linalg.cho_factor(a, lower), b) - expected).max() < limit
    assert abs(scipy.linalg.cho_solve(cho_factor(a, lower), b) - expected).max() < limit


@ALL_DTYPES
def test_flags_of_stacks(dtype):
    """Factors of a stack come with an array of flags, and any mix of flags is understood."""
    a, b = matrices.positive_definite(5, dtype, batch=(2, 3)), right_side(5, 2, dtype)
    for lower in (False, True):
        c, flags = cho_factor(a, lower)
        assert flags.dtype == bool and flags.tolist() == [[lower] * 3] * 2
    mixed = np.array([[True, False, False], [False, True, True]])
    c = np.where(mixed[..., None, None], cho_factor(a, True)[0], cho_factor(a, False)[0])
    c[~(np.tri(5, dtype=bool) == mixed[..., None, None]) & ~np.eye(5, dtype=bool)] = np.nan  # not to be read
    for flags in (mixed, mixed.astype(int), mixed.tolist()):
        x = cho_solve((c, flags), b, check_finite=False)
        for index in np.ndindex(2, 3):
            assert solve_residual(a[index], x[index], b) < LIMIT
    empty = cho_factor(np.zeros((0, 3, 3), dtype))
    assert empty[1].shape == (0,) and cho_solve(empty, np.ones((3, 1), dtype)).shape == (0, 3, 1)


def test_flags_that_do_not_fit():
    c = np.stack([np.eye(2)] * 3)
    for flags in ([True, False], [[True] * 3], [True]):
        with pytest.raises(ValueError, match=r"^c_and_lower: flags of shape"):
            cho_solve((c, flags), np.ones(2))
    with pytest.raises(TypeError, match=r"^c_and_lower: expected flags, got dtype"):
        cho_solve((c, ["L", "U", "L"]), np.ones(2))


@pytest.mark.skipif(
    pages.SCIPY < (1, 16), reason=f"SciPy {scipy.__version__} has no stacks of factors, 1.16 and later have"
)
def test_takes_stacks_of_factors_of_scipy_and_gives_it_ours():
    a, b = matrices.positive_definite(4, "float64", batch=(3,)), np.ones((3, 4, 2))
    expected = np.linalg.solve(a, b)
    np.testing.assert_array_equal(cho_factor(a)[1], scipy.linalg.cho_factor(a)[1])
    np.testing.assert_allclose(cho_solve(scipy.linalg.cho_factor(a), b), expected, rtol=1e-12)
    np.testing.assert_allclose(scipy.linalg.cho_solve(cho_factor(a), b), expected, rtol=1e-12)


def test_numbers_are_no_matrices_of_systems():
    """As in SciPy; the factor of a number is a matrix."""
    for m in (linalg, scipy.linalg):
        for c in (4.0, [4.0]):
            with pytest.raises(ValueError):
                m.cho_solve((c, True), [8.0])
            with pytest.raises(ValueError):
                m.solve_triangular(c, [8.0])
    assert cho_solve(cho_factor(4.0), [8.0]).tolist() == [2.0]


def test_cho_factor_of_a_matrix_that_is_not_positive_definite():
    with pytest.raises(trnsci.LinAlgError, match="order 2"):
        cho_factor([[1.0, 2.0], [2.0, 1.0]])


# What they share


@ALL_DTYPES
@TRIANGLES
@pytest.mark.parametrize("layout_b", ["C", "F", "strided", "negative strides"])
@pytest.mark.parametrize("layout", matrices.LAYOUTS)
def test_layout(layout, layout_b, lower, dtype):
    a, b = matrices.positive_definite(9, dtype), right_side(9, 2, dtype)
    factor = linalg.cholesky(a, lower)
    view, memory = matrices.LAYOUTS[layout](factor)
    right, right_memory = matrices.LAYOUTS[layout_b](b)
    before = memory.tobytes(), right_memory.tobytes()
    assert solve_residual(a, cho_solve((view, lower), right), b) < LIMIT
    for trans in (0, 1, 2):
        x = solve_triangular(view, right, trans, lower)
        assert solve_residual(op(factor, [False, True, "C"][trans]), x, b) < LIMIT
    assert (memory.tobytes(), right_memory.tobytes()) == before
    x = solve_triangular(view, right, 0, lower, overwrite_b=True)
    assert solve_residual(factor, x, b) < LIMIT
    assert memory.tobytes() == before[0]


@TRIANGLES
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_stacks_broadcast(dtype, lower):
    a = matrices.positive_definite(6, dtype, batch=(2, 3))
    c, _ = cho_factor(a, lower)
    for shape in ((6,), (6, 2), (3, 6, 2), (2, 1, 6, 2), (4, 1, 1, 6, 1)):
        b = matrices.random(shape, dtype, 3)
        x = cho_solve((c, lower), b)
        y = solve_triangular(linalg.cholesky(a, lower), b, 0, lower)
        core = shape[-1:] if len(shape) == 1 else shape[-2:]
        lead = np.broadcast_shapes((2, 3), shape[: -len(core)])
        assert x.shape == y.shape == (*lead, *core)
        every_a = np.broadcast_to(a, (*lead, 6, 6))
        every_l = np.broadcast_to(linalg.cholesky(a, lower), (*lead, 6, 6))
        every_b = np.broadcast_to(b, (*lead, *core))
        for index in np.ndindex(lead):
            assert solve_residual(every_a[index], x[index], every_b[index]) < LIMIT
            assert solve_residual(every_l[index], y[index], every_b[index]) < LIMIT


def test_overwrite_b_uses_its_memory_only_when_asked():
    a, b = 2 * np.eye(3), np.ones((3, 2))
    assert not np.shares_memory(solve_triangular(a, b), b) and (b == 1).all()
    x = solve_triangular(a, b, overwrite_b=True)
    assert np.shares_memory(x, b) and (b == 0.5).all()
    y = np.full(3, 4.0)
    assert np.shares_memory(cho_solve((a, True), y, overwrite_b=True), y) and (y == 1).all()
    whole = np.eye(4)
    assert solve_triangular(whole, whole, overwrite_b=True).tolist() == np.eye(4).tolist()


@pytest.mark.parametrize("dtype", matrices.SHORT_DTYPES)
def test_half_precision(dtype):
    a, b = np.array([[4, 2], [2, 5]], dtype), np.array([8, 12], dtype)
    factor = cho_factor(a)
    assert factor[0].dtype == dtype and factor[0].tolist() == [[2, 1], [2, 2]]
    assert cho_solve(factor, b).dtype == dtype and cho_solve(factor, b).tolist() == [1, 2]
    assert solve_triangular(np.array([[2, 0], [1, 1]], dtype), b, lower=True, overwrite_b=True).tolist() == [4, 8]


def test_integers_and_mixed_dtypes():
    assert solve_triangular([[2, 0], [1, 1]], [2, 3], lower=True).tolist() == [1, 2]
    assert solve_triangular(np.eye(2, dtype="f4"), np.ones(2, "c8")).dtype == np.complex64
    assert cho_solve((np.eye(2, dtype="f4"), False), np.ones(2)).dtype == np.float64


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_not_finite(bad):
    with pytest.raises(ValueError, match=r"^a: .*infinities or NaNs"):
        solve_triangular([[1, bad], [0, 1]], [1, 1], lower=True)
    with pytest.raises(ValueError, match=r"^b: .*infinities or NaNs"):
        solve_triangular(np.eye(2), [1, bad])
    with pytest.raises(ValueError, match=r"^c: .*infinities or NaNs"):
        cho_solve(([[1, bad], [0, 1]], True), [1, 1])
    assert np.isnan(solve_triangular(np.eye(2), [[1, np.nan]] * 2, check_finite=False)[:, 1]).all()


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("a: expected a square matrix", lambda: solve_triangular(np.ones((2, 3)), np.ones(2))),
        (r"b: shape \(3,\) does not fit a's shape \(2, 2\)", lambda: solve_triangular(np.eye(2), np.ones(3))),
        (r"b: shape \(3, 2\) does not fit a's", lambda: solve_triangular(np.eye(2), np.ones((3, 2)))),
        (r"b: shape \(\) does not fit c's", lambda: cho_solve((np.eye(2), True), 1.0)),
        ("c_and_lower: expected what cho_factor returns", lambda: cho_solve(np.eye(3), np.ones(3))),
        ("trans: 3 is not one of", lambda: solve_triangular(np.eye(2), np.ones(2), trans=3)),
        ("a: leading dimensions do not broadcast", lambda: solve_triangular(np.ones((2, 1, 1)), np.ones((3, 1, 1)))),
        ("device: 'tpu'", lambda: solve_triangular(np.eye(2), np.ones(2), device="tpu")),
    ],
)
def test_bad_arguments(words, call):
    with pytest.raises(ValueError, match=f"^{words}"):
        call()


def test_progress_reaches_its_end():
    seen = []
    solve_triangular(np.eye(300), np.ones((300, 600)), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] > 0


@ALL_DTYPES
def test_bits_do_not_depend_on_threads(dtype):
    a, b = matrices.positive_definite(200, dtype), right_side(200, 300, dtype)
    c, _ = cho_factor(a)
    assert cho_solve((c, False), b, threads=1).tobytes() == cho_solve((c, False), b, threads=2).tobytes()
    assert solve_triangular(c, b, threads=1).tobytes() == solve_triangular(c, b, threads=2).tobytes()
