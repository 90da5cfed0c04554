"""Band matrices: solutions, Cholesky factors, SciPy's conventions and errors."""

import bands
import matrices
import numpy as np
import pytest
import scipy.linalg
import trnsci
from trnsci.linalg import cho_solve_banded, cholesky_banded, solve_banded, solveh_banded

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
BOTH_TRIANGLES = pytest.mark.parametrize("lower", [False, True])
LIMIT = 2.0  # residuals, in units of m eps |A|_F |X|_F, m = max(n, 8)
CASES = 250  # of each dtype
# Orders and diagonals below and above, on both sides of the sizes of blocks.
SHAPES = [(1, 0, 0), (1, 2, 1), (2, 1, 1), (6, 1, 1), (6, 0, 2), (6, 2, 0), (5, 0, 0), (4, 6, 5), (33, 31, 4),
          (90, 32, 40), (129, 64, 3), (70, 69, 69)]  # fmt: skip


def drawn(rng, dtype):
    """A band matrix of a small order, or now and then of one with blocks, and right-hand sides of a random shape."""
    large = rng.random() < 0.04
    n = int(rng.integers(40, 110)) if large else int(rng.integers(1, 13))
    low, high = (int(x) for x in rng.integers(0, 50 if large else 5, 2))
    shape = (n,) if rng.random() < 0.5 else (n, int(rng.integers(1, 20)))
    return n, low, high, matrices.random(shape, dtype, int(rng.integers(1 << 30)))


def laid_out(rng, a):
    return matrices.LAYOUTS[rng.choice(sorted(matrices.LAYOUTS))](a)[0] if a.ndim == 2 else a


@ALL_DTYPES
def test_random_general_bands(dtype):
    rng = np.random.default_rng(1)
    comparison = bands.Comparison(LIMIT)
    for _ in range(CASES):
        n, low, high, b = drawn(rng, dtype)
        ab = bands.KINDS[rng.choice(sorted(bands.KINDS))](rng, n, low, high, dtype)
        before, right = ab.copy(), laid_out(rng, b).copy()
        try:
            theirs = scipy.linalg.solve_banded((low, high), ab, b)
        except scipy.linalg.LinAlgError:
            continue
        if not np.abs(theirs).max() < np.sqrt(np.finfo(dtype).max):  # in triangles solutions grow without bounds
            continue
        x = solve_banded((low, high), laid_out(rng, ab), laid_out(rng, b))
        assert x.dtype == dtype and (ab == before).all() and (b == right).all()
        comparison.note(bands.full(ab, low, high), x, theirs, b)
    comparison.check()
    assert len(comparison.ours) > 0.9 * CASES


@ALL_DTYPES
def test_random_definite_bands(dtype):
    rng = np.random.default_rng(2)
    comparisons = [bands.Comparison(LIMIT) for _ in range(2)]
    for _ in range(CASES):
        n, rows, _, b = drawn(rng, dtype)
        rows, lower = rows + 1, bool(rng.integers(2))
        ab = bands.definite(rng, n, rows, dtype, lower)
        a = bands.full_hermitian(ab, lower)
        x = solveh_banded(laid_out(rng, ab), laid_out(rng, b), lower=lower)
        if n > 1 or rows != 2:  # SciPy refuses matrices of order 1 with two diagonals
            comparisons[0].note(a, x, scipy.linalg.solveh_banded(ab, b, lower=lower), b)
        factor = cholesky_banded(laid_out(rng, ab), lower=lower)
        expect_factor(a, factor, lower)
        x = cho_solve_banded((factor, lower), laid_out(rng, b))
        comparisons[1].note(a, x, scipy.linalg.cho_solve_banded((factor, lower), b), b)
    for comparison in comparisons:
        comparison.check()


def expect_factor(a, factor, lower):
    """|L L^H - A|_F <= (n + 1) eps |A|_F (Higham, Accuracy and Stability, 2nd ed., theorem 10.3, with twice that of
    complex arithmetic), and a real positive diagonal."""
    triangle = bands.full(factor, len(factor) - 1, 0) if lower else bands.full(factor, 0, len(factor) - 1).conj().T
    diagonal = np.diag(triangle)
    assert (diagonal.real > 0).all() and not diagonal.imag.any()
    wide = triangle.astype(np.complex128)
    limit = 2 * (len(factor) + 1) * np.finfo(a.dtype).eps * np.linalg.norm(a)
    assert np.linalg.norm(wide @ wide.conj().T - a) <= limit


@ALL_DTYPES
@pytest.mark.parametrize(("n", "low", "high"), SHAPES)
def test_shapes_of_bands(n, low, high, dtype):
    rng = np.random.default_rng(n)
    ab = bands.KINDS["random"](rng, n, low, high, dtype)
    a = bands.full(ab, low, high)
    unused = bands.stored(a, low, high, np.nan)
    for shape in ((n,), (n, 1), (n, 5), (n, 40)):
        b = matrices.random(shape, dtype, 3)
        x = solve_banded((low, high), unused, b, check_finite=False)
        assert x.shape == shape and bands.residual(a, x, b) <= LIMIT
        for lower in (False, True):
            h = bands.definite(rng, n, low + 1, dtype, lower)
            a_h = bands.full_hermitian(h, lower)
            junk = bands.stored(a_h, low, 0, np.nan) if lower else bands.stored(a_h, 0, low, np.nan)
            x = solveh_banded(junk, b, lower=lower, check_finite=False)
            assert bands.residual(a_h, x, b) <= LIMIT
            factor = cholesky_banded(junk, lower=lower, check_finite=False)
            assert (np.isnan(factor) == np.isnan(junk)).all()
            x = cho_solve_banded((factor, lower), b, check_finite=False)
            assert bands.residual(a_h, x, b) <= LIMIT


@BOTH_TRIANGLES
def test_imaginary_parts_of_the_diagonal_do_not_count(lower):
    for rows in (1, 2, 3, 40):
        ab = bands.definite(np.random.default_rng(3), 50, rows, "complex128", lower)
        odd = ab.copy()
        odd[0 if lower else -1] += 5j
        b = matrices.random((50, 2), "complex128")
        assert solveh_banded(odd, b, lower=lower).tobytes() == solveh_banded(ab, b, lower=lower).tobytes()
        assert cholesky_banded(odd, lower=lower).tobytes() == cholesky_banded(ab, lower=lower).tobytes()


def test_second_differences():
    """The solution of -x'' = 2 by differences is a parabola: x_i = (i + 1) (n - i)."""
    n = 100
    i = np.arange(n)
    ab = np.array([[-1.0] * n, [2.0] * n, [-1.0] * n])
    exact = (i + 1.0) * (n - i)
    for x in (solve_banded((1, 1), ab, np.full(n, 2.0)), solveh_banded(ab[:2], np.full(n, 2.0))):
        np.testing.assert_allclose(x, exact, rtol=1e-12)


@ALL_DTYPES
def test_batches(dtype):
    ab, definite = matrices.random((2, 3, 3, 5), dtype, 1), matrices.random((2, 3, 3, 5), dtype, 2)
    definite[..., -1, :] = 10
    for bdim in ((5,), (5, 4), (2, 3, 5, 4), (3, 5, 1), (4, 1, 1, 5, 2)):
        b = matrices.random(bdim, dtype, 3)
        core = bdim if len(bdim) <= 2 else bdim[-2:]
        lead = np.broadcast_shapes((2, 3), bdim[: -len(core)])
        x, y = solve_banded((1, 1), ab, b), solveh_banded(definite, b)
        z = cho_solve_banded((cholesky_banded(definite), False), b)
        assert x.shape == y.shape == z.shape == (*lead, *core)
        spread = np.broadcast_to(b, (*lead, *core))
        for index in np.ndindex(lead):
            assert x[index].tobytes() == solve_banded((1, 1), ab[index[-2:]], spread[index]).tobytes()
            assert y[index].tobytes() == solveh_banded(definite[index[-2:]], spread[index]).tobytes()
            assert bands.residual(bands.full_hermitian(definite[index[-2:]], False), z[index], spread[index]) <= LIMIT


def test_members_with_different_numbers_of_diagonals():
    ab, b = matrices.random((2, 3, 3, 5), "float64", 4), matrices.random((5, 2), "float64", 5)
    x = solve_banded(([2, 1, 0], [0, 1, 2]), ab, b)
    for i, j in np.ndindex(2, 3):
        assert bands.residual(bands.full(ab[i, j], 2 - j, j), x[i, j], b) <= LIMIT
    x = solve_banded(([[2], [0]], [[0], [2]]), ab[0, 0], b)
    assert x.shape == (2, 1, 5, 2)
    assert bands.residual(bands.full(ab[0, 0], 0, 2), x[1, 0], b) <= LIMIT


def test_empty():
    shapes = ((3, 0), (0,)), ((3, 0), (0, 2)), ((3, 4), (4, 0)), ((0, 3, 4), (4,)), ((2, 3, 4), (0, 1, 4, 2))
    for shape, bdim in shapes:
        ab, b = np.ones(shape), np.ones(bdim)
        core = bdim if len(bdim) <= 2 else bdim[-2:]
        expected = (*np.broadcast_shapes(shape[:-2], bdim[: -len(core)]), *core)
        for x in (solve_banded((1, 1), ab, b), solveh_banded(ab, b), cho_solve_banded((ab, True), b)):
            assert x.shape == expected and x.dtype == np.float64
    assert cholesky_banded(np.ones((2, 0), "f4")).shape == (2, 0)
    assert cholesky_banded(np.ones((0, 2, 3))).shape == (0, 2, 3)


@pytest.mark.parametrize(("n", "low", "high"), [(1, 0, 0), (5, 1, 1), (5, 2, 1), (90, 40, 5)])
def test_singular_matrices(n, low, high):
    ab = np.zeros((low + high + 1, n))
    ab[high] = 2
    ab[high, n // 2] = 0
    with pytest.raises(trnsci.LinAlgError, match=rf"^ab: the matrix is singular: pivot {n // 2 + 1} of .* zero$"):
        solve_banded((low, high), ab, np.ones(n))
    stack = np.stack([np.ones((low + high + 1, n)) * (np.arange(low + high + 1) == high)[:, None], ab])
    with pytest.raises(trnsci.LinAlgError, match=r"pivot .* \(batch member 1\)$"):
        solve_banded((low, high), stack, np.ones(n))
    if n > 1:
        with pytest.raises(scipy.linalg.LinAlgError):
            scipy.linalg.solve_banded((low, high), ab, np.ones(n))


@BOTH_TRIANGLES
@pytest.mark.parametrize("rows", [1, 2, 3, 40])
def test_matrices_that_are_not_positive_definite(rows, lower):
    ab = np.zeros((rows, 50))
    ab[0 if lower else -1] = 1
    ab[0 if lower else -1, 20] = -1
    calls = (
        lambda: solveh_banded(ab, np.ones(50), lower=lower),
        lambda: cholesky_banded(ab, lower=lower),
        lambda: scipy.linalg.solveh_banded(ab, np.ones(50), lower=lower),
    )
    for call in calls[:2]:
        with pytest.raises(trnsci.LinAlgError, match=r"^ab: the leading minor of order 21 is not positive") as caught:
            call()
        assert caught.value.minor == 21
    with pytest.raises(scipy.linalg.LinAlgError, match="21"):
        calls[2]()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_not_finite(bad):
    good = bands.definite(np.random.default_rng(5), 4, 3, "float64", True)
    for place in ((0, 1), (2, 3)):  # the second one belongs to no element
        ab = good.copy()
        ab[place] = bad
        for call in (
            lambda ab=ab: solve_banded((2, 0), ab, np.ones(4)),
            lambda ab=ab: solveh_banded(ab, np.ones(4), lower=True),
            lambda ab=ab: cholesky_banded(ab, lower=True),
        ):
            with pytest.raises(ValueError, match=r"^ab: contains infinities or NaNs$"):
                call()
        with pytest.raises(ValueError, match=r"^cb: contains infinities or NaNs$"):
            cho_solve_banded((ab, True), np.ones(4))
    for call in (
        lambda: solve_banded((2, 0), good, [1, 1, bad, 1]),
        lambda: solveh_banded(good, [1, 1, bad, 1]),
        lambda: cho_solve_banded((good, True), [1, 1, bad, 1]),
    ):
        with pytest.raises(ValueError, match=r"^b: contains infinities or NaNs$"):
            call()
    x = solve_banded((2, 0), good, [1, 1, bad, 1], check_finite=False)
    assert np.isfinite(x[:2]).all() and not np.isfinite(x[2:]).any()
    for width in (1, 2, 3, 40):
        h = bands.definite(np.random.default_rng(6), 50, width, "float64", True)
        h[0, 30] = np.nan
        for call in (
            lambda h=h: solveh_banded(h, np.ones(50), lower=True, check_finite=False),
            lambda h=h: cholesky_banded(h, lower=True, check_finite=False),
        ):
            with pytest.raises(trnsci.LinAlgError, match="leading minor of order 31"):
                call()
        ab = np.ones((width + 2, 50))
        ab[1] = 10
        ab[1, 30] = np.nan
        assert np.isnan(solve_banded((width, 1), ab, np.ones(50), check_finite=False)).any()


@ALL_DTYPES
@pytest.mark.parametrize("rows", [1, 2, 3, 40])
def test_huge_and_tiny_matrices(rows, dtype):
    """Powers of four change no bit but those of exponents."""
    power = 100 if matrices.real_dtype(dtype) == np.float32 else 1000
    rng = np.random.default_rng(7)
    ab, b = bands.definite(rng, 60, rows, dtype, True), matrices.random((60, 3), dtype, 2)
    ab = bands.stored(bands.full(ab, rows - 1, 0), rows - 1, 0)  # what is not used is copied to the factor
    x, factor, y = solveh_banded(ab, b, lower=True), cholesky_banded(ab, lower=True), solve_banded((rows - 1, 0), ab, b)
    for k in (power, -power):
        shift, half = matrices.real_dtype(dtype).type(2.0**k), matrices.real_dtype(dtype).type(2.0 ** (k // 2))
        if k > 0:  # the elements, about 3 `rows`, have room above
            shift, half = shift / 256, half / 16
        assert (solveh_banded(ab * shift, b, lower=True) * shift == x).all()
        assert (solve_banded((rows - 1, 0), ab * shift, b) * shift == y).all()
        assert (cholesky_banded(ab * shift, lower=True) == factor * half).all()


def test_overwriting():
    ab, b = np.array([[0.0, 1, 1], [4, 4, 4], [1, 1, 0]]), np.ones((3, 2))
    for call in (
        lambda **flags: solve_banded((1, 1), ab, b, **flags),
        lambda **flags: solveh_banded(ab[:2], b, **flags),
        lambda **flags: cho_solve_banded((ab[1:], True), b, **flags),
    ):
        b[...] = 1
        x = call()
        assert not np.shares_memory(x, b) and (b == 1).all()
        y = call(overwrite_b=True)
        assert np.shares_memory(y, b) and (y == x).all()
    before = ab.copy()
    solve_banded((1, 1), ab, np.ones(3), overwrite_ab=True)
    solveh_banded(ab[:2], np.ones(3), overwrite_ab=True)
    assert (ab == before).all()
    for order in "CF":
        h = np.array(ab[1:], order=order)
        c = cholesky_banded(h, lower=True)
        assert not np.shares_memory(c, h) and (h == ab[1:]).all()
        d = cholesky_banded(h, overwrite_ab=True, lower=True)
        assert np.shares_memory(d, h) and (d == c).all()
    h = -ab[1:]
    with pytest.raises(trnsci.LinAlgError):
        cholesky_banded(h, overwrite_ab=True, lower=True)
    assert (h == -ab[1:]).all()
    # The right-hand sides may be the matrix itself.
    square = np.eye(3) + 4
    expected = solve_banded((1, 1), square, square.copy())
    assert (solve_banded((1, 1), square, square, overwrite_b=True) == expected).all()


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (ValueError, "l_and_u: l . u . 1 is not the number", lambda: solve_banded((1, 2), np.ones((3, 4)), np.ones(4))),
        (ValueError, "l_and_u: a number of diagonals is neg", lambda: solve_banded((-1, 3), np.ones((3, 4)), [1] * 4)),
        (ValueError, "l_and_u: expected a pair", lambda: solve_banded(1, np.ones((3, 4)), np.ones(4))),
        (ValueError, "l_and_u: shapes", lambda: solve_banded(([1, 1], [1]), np.ones((3, 3, 4)), np.ones(4))),
        (TypeError, "l_and_u: expected integers", lambda: solve_banded((1.0, 1), np.ones((3, 4)), np.ones(4))),
        (ValueError, r"b: shape \(3,\) does not fit ab's", lambda: solve_banded((1, 1), np.ones((3, 4)), [1] * 3)),
        (ValueError, r"b: shape \(3,\) does not fit ab's shape", lambda: solveh_banded(np.ones((3, 4)), [1] * 3)),
        (ValueError, r"b: shape \(3,\) does not fit cb's", lambda: cho_solve_banded((np.ones((3, 4)), True), [1] * 3)),
        (ValueError, "ab: expected a matrix", lambda: cholesky_banded(np.ones(3))),
        (ValueError, "ab: expected a matrix", lambda: solveh_banded(np.ones(3), np.ones(3))),
        (ValueError, "ab: expected a row for each", lambda: solveh_banded(np.ones((0, 3)), np.ones(3))),
        (ValueError, "ab: expected a row for each", lambda: cholesky_banded(np.ones((0, 3)))),
        (ValueError, "cb: expected a row for each", lambda: cho_solve_banded((np.ones((0, 3)), True), np.ones(3))),
        (ValueError, "cb_and_lower: expected a pair", lambda: cho_solve_banded(np.ones((3, 4)), np.ones(4))),
        (TypeError, "ab: dtype object", lambda: solve_banded((1, 1), None, np.ones(4))),
        (ValueError, "device: 'tpu'", lambda: solve_banded((0, 0), [[1.0]], [1.0], device="tpu")),
        (ValueError, "device: 'tpu'", lambda: solveh_banded([[1.0]], [1.0], device="tpu")),
        (ValueError, "device: 'tpu'", lambda: cholesky_banded([[1.0]], device="tpu")),
        (ValueError, "device: 'tpu'", lambda: cho_solve_banded(([[1.0]], True), [1.0], device="tpu")),
    ],
)
def test_bad_arguments(error, words, call):
    with pytest.raises(error, match=f"^{words}"):
        call()


@ALL_DTYPES
def test_threads_do_not_change_bits(dtype):
    rng = np.random.default_rng(8)
    for width in (1, 5, 70):
        ab, b = bands.KINDS["random"](rng, 300, width, width, dtype), matrices.random((300, 40), dtype, 2)
        h = bands.definite(rng, 300, width + 1, dtype, True)
        for call in (
            lambda threads, w=width, ab=ab, b=b: solve_banded((w, w), ab, b, threads=threads),
            lambda threads, h=h, b=b: solveh_banded(h, b, lower=True, threads=threads),
            lambda threads, h=h: cholesky_banded(h, lower=True, threads=threads),
            lambda threads, h=h, b=b: cho_solve_banded((h, True), b, threads=threads),
        ):
            assert call(1).tobytes() == call(2).tobytes()
