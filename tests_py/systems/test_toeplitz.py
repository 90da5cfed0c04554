"""Toeplitz matrices: Levinson's recursion and products by Fourier transforms."""

import bands
import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
import trnsci
from trnsci.linalg import matmul_toeplitz, solve, solve_toeplitz

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
LIMIT = 1.0  # residuals of positive definite and dominant matrices, in units of m eps |A|_F |X|_F, m = max(n, 8)
CASES = 250  # of each dtype
PRODUCT_LIMIT = 4.0  # errors of products, in units of eps log2(length) |t| |x|


def prolate(n):
    """Slepian's prolate matrix with the bandwidth 0.3: positive definite, and soon ill-conditioned."""
    k = np.arange(1, n)
    return np.concatenate(([0.6], np.sin(0.6 * np.pi * k) / (np.pi * k)))


def columns_and_rows(rng, n, dtype):
    """First columns and rows of matrices with well-conditioned leading submatrices."""
    kind = rng.choice(["dominant", "definite", "Kac-Murdock-Szego", "prolate"])
    column, row = (matrices.random(n, dtype, int(rng.integers(1 << 30))) for _ in range(2))
    if kind == "dominant":
        column[0] += 4 * n
        return column, row
    if kind == "definite":
        column[0] = 4 * n
    elif kind == "Kac-Murdock-Szego":
        column = (rng.uniform(-0.9, 0.9) ** np.arange(n)).astype(dtype)
    else:
        column = prolate(n).astype(dtype)
        column[0] += 0.1
    return column, column.conj()


@ALL_DTYPES
def test_random_systems(dtype):
    rng = np.random.default_rng(1)
    comparison = bands.Comparison(LIMIT)
    for _ in range(CASES):
        n = int(rng.integers(1, 14)) if rng.random() < 0.95 else int(rng.integers(30, 100))
        c, r = columns_and_rows(rng, n, dtype)
        shape = (n,) if rng.random() < 0.5 else (n, int(rng.integers(1, 6)))
        b = matrices.random(shape, dtype, int(rng.integers(1 << 30)))
        before = c.copy(), r.copy(), b.copy()
        x = solve_toeplitz((c, r), b)
        assert x.dtype == dtype and all((x == y).all() for x, y in zip(before, (c, r, b), strict=True))
        comparison.note(scipy.linalg.toeplitz(c, r), x, scipy.linalg.solve_toeplitz((c, r), b), b)
    comparison.check()


@ALL_DTYPES
def test_matrices_that_are_not_definite(dtype):
    """Errors grow with the condition numbers of leading submatrices, as SciPy's do, which computes in double precision
    for all dtypes, too."""
    rng = np.random.default_rng(2)
    wide = np.result_type(dtype, np.float64)
    ours, theirs = [], []
    for seed in range(CASES):
        n = int(rng.integers(1, 14))
        c, r, b = (matrices.random(n, dtype, 3 * seed + k) for k in range(3))
        a = scipy.linalg.toeplitz(c, r).astype(wide)
        worst = max(np.linalg.cond(a[:k, :k]) for k in range(1, n + 1))
        ours.append(bands.residual(a, solve_toeplitz((c, r), b), b))
        theirs.append(bands.residual(a, scipy.linalg.solve_toeplitz((c, r), b).astype(dtype), b))
        assert ours[-1] <= 4 * worst**2 * residuals.eps(wide) / residuals.eps(dtype) + LIMIT
    assert np.median(ours) <= 1.5 * np.median(theirs)


@ALL_DTYPES
@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 65, 200])
def test_orders_of_blocks(n, dtype):
    c, r = columns_and_rows(np.random.default_rng(n), n, dtype)
    b = matrices.random((n, 3), dtype, 4)
    assert bands.residual(scipy.linalg.toeplitz(c, r), solve_toeplitz((c, r), b), b) <= LIMIT


def test_inverses_by_formula():
    """The inverse of r^|i-j| is tridiagonal: 1 + r^2, at the ends 1, and -r next to it, divided by 1 - r^2."""
    n, r = 40, -0.75
    exact = np.diag(np.full(n, 1 + r * r)) - r * (np.eye(n, k=1) + np.eye(n, k=-1))
    exact[0, 0] = exact[-1, -1] = 1
    exact /= 1 - r * r
    np.testing.assert_allclose(solve_toeplitz(r ** np.arange(n), np.eye(n)), exact, rtol=1e-13, atol=1e-14)


def test_arguments_of_scipy():
    c, r, y = [1, 2, 4, 7], [1, 3, 9, 12], [5, 1, 4, 2]
    np.testing.assert_allclose(solve_toeplitz((c, r), y), solve(scipy.linalg.toeplitz(c, r), y), rtol=1e-12)
    np.testing.assert_allclose(solve_toeplitz(c, b=y), solve(scipy.linalg.toeplitz(c), y), rtol=1e-12)
    np.testing.assert_allclose(matmul_toeplitz((c, r), y), scipy.linalg.toeplitz(c, r) @ y, rtol=1e-12)
    z = np.array([3 + 1j, 1 - 1j, 0.5j])
    x = solve_toeplitz(z, np.ones(3))
    np.testing.assert_allclose(scipy.linalg.toeplitz(z, z.conj()) @ x, np.ones(3), rtol=1e-12)
    assert solve_toeplitz([[3.0, 1.0]], [1.0, 1.0]).shape == (1, 2)
    x = solve_toeplitz(([4.0, 2.0], [np.nan, 2.0]), [6.0, 6.0], check_finite=False)
    np.testing.assert_allclose(x, [1, 1], rtol=1e-15)
    assert solve_toeplitz(np.array([2, 1], "f2"), np.array([3, 3], "f2")).dtype == np.float16
    assert solve_toeplitz(np.array([2, 1], "f4"), np.array([3, 3], "f8")).dtype == np.float64


@pytest.mark.parametrize(
    ("c", "r", "order"), [([0.0, 1], [0.0, 1], 1), ([2, 2, 1], [2, 2, 1], 2), ([1, 0, 1], [1, 0, 1], 3)]
)
def test_singular_minors(c, r, order):
    """The second matrix is not singular itself."""
    with pytest.raises(trnsci.LinAlgError, match=rf"^c: the leading principal minor of order {order} is") as caught:
        solve_toeplitz((c, r), np.ones(len(c)))
    assert caught.value.minor is None
    with pytest.raises(scipy.linalg.LinAlgError):
        scipy.linalg.solve_toeplitz((c, r), np.ones(len(c)))
    good = np.eye(len(c))[0]
    with pytest.raises(trnsci.LinAlgError, match=r"\(batch member 1\)$"):
        solve_toeplitz((np.stack([good, c]), np.stack([good, r])), np.ones(len(c)))


@ALL_DTYPES
def test_batches(dtype):
    c, r = matrices.random((2, 3, 5), dtype, 1), matrices.random((3, 5), dtype, 2)
    c[..., 0] += 12
    for bdim in ((5,), (5, 4), (2, 3, 5, 4), (4, 1, 1, 5, 2)):
        b = matrices.random(bdim, dtype, 3)
        core = bdim if len(bdim) <= 2 else bdim[-2:]
        lead = np.broadcast_shapes((2, 3), bdim[: -len(core)])
        spread = np.broadcast_to(b, (*lead, *core))
        for argument in ((c, r), c):
            x, y = solve_toeplitz(argument, b), matmul_toeplitz(argument, b)
            assert x.shape == y.shape == (*lead, *core)
            for index in np.ndindex(lead):
                one = c[index[-2:]]
                row = r[index[-1]] if argument is not c else one.conj()
                t = scipy.linalg.toeplitz(one, row)
                assert bands.residual(t, x[index], spread[index]) <= LIMIT
                assert product_error(t, y[index], spread[index]) <= PRODUCT_LIMIT


def product_error(t, y, x):
    wide = np.result_type(t.dtype, np.complex128)
    error = np.linalg.norm(y - t.astype(wide) @ x.astype(wide))
    length = sum(t.shape)
    return error / (residuals.eps(y.dtype) * np.log2(length + 1) * np.linalg.norm(t) * np.linalg.norm(x))


@ALL_DTYPES
def test_random_products(dtype):
    rng = np.random.default_rng(3)
    for seed in range(CASES):
        m, n = (int(x) for x in rng.integers(1, 40, 2))
        c, r = matrices.random(m, dtype, seed), matrices.random(n, dtype, seed + 1)
        x = matrices.random((n,) if seed % 2 else (n, int(rng.integers(1, 5))), dtype, seed + 2)
        y = matmul_toeplitz((c, r), x)
        assert y.dtype == dtype and y.shape == (m, *x.shape[1:])
        t = scipy.linalg.toeplitz(c, r)
        assert product_error(t, y, x) <= PRODUCT_LIMIT
        theirs = scipy.linalg.matmul_toeplitz((c, r), x).astype(dtype)
        assert product_error(t, y, x) <= 1.5 * product_error(t, theirs, x) + 1


def test_a_long_product():
    n = 1 << 20
    c = np.zeros(n)
    c[:2] = 1, -1
    x = np.arange(n) % 7.0
    y = matmul_toeplitz((c, np.zeros(n)), x, workers=2)
    np.testing.assert_allclose(y, np.diff(x, prepend=0), atol=1e-12)


def test_empty():
    for dtype in ("f4", "D"):
        assert solve_toeplitz(np.ones(0, dtype), np.ones(0, dtype)).shape == (0,)
        assert solve_toeplitz(np.ones(0, dtype), np.ones((0, 3), dtype)).dtype == dtype
        assert matmul_toeplitz((np.ones(2, dtype), np.ones(3, dtype)), np.ones((3, 0), dtype)).shape == (2, 0)
        assert matmul_toeplitz((np.ones(0, dtype), np.ones(3, dtype)), np.ones(3, dtype)).shape == (0,)
        assert matmul_toeplitz((np.ones(2, dtype), np.ones(0, dtype)), np.ones(0, dtype)).tolist() == [0, 0]
    assert solve_toeplitz(np.ones((0, 2)), np.ones(2)).shape == (0, 2)
    assert matmul_toeplitz(np.ones((0, 2)), np.ones((2, 3))).shape == (0, 2, 3)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_not_finite(bad):
    good, odd = np.array([4.0, 1, 1]), np.array([4.0, bad, 1])
    for call in (solve_toeplitz, lambda *args: matmul_toeplitz(*args, check_finite=True)):
        for name, args in {
            "c": ((odd, good), good), "r": ((good, odd), good), "[bx]": ((good, good), odd),
        }.items():  # fmt: skip
            with pytest.raises(ValueError, match=rf"^{name}: contains infinities or NaNs$"):
                call(*args)
    assert np.isnan(solve_toeplitz(odd, good, check_finite=False)).any()
    with np.errstate(invalid="ignore"):
        assert np.isnan(matmul_toeplitz(odd, good)).all()


@ALL_DTYPES
def test_huge_and_tiny_matrices(dtype):
    real = matrices.real_dtype(dtype).type
    power = 100 if real == np.float32 else 900
    c, r = columns_and_rows(np.random.default_rng(4), 60, dtype)
    b = matrices.random((60, 2), dtype, 5)
    x, y = solve_toeplitz((c, r), b), matmul_toeplitz((c, r), b)
    for k in (power, -power):
        shift = real(2.0**k)
        assert (solve_toeplitz((c * shift, r * shift), b) * shift == x).all()
        np.testing.assert_allclose(matmul_toeplitz((c * shift, r * shift), b), y * shift, rtol=1e-4)


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (ValueError, r"r: shape \(2,\) does not fit c's", lambda: solve_toeplitz(([1.0, 2, 3], [1.0, 2]), [1.0, 2, 3])),
        (
            ValueError,
            r"r: shape \(3, 2\) does not fit c's",
            lambda: solve_toeplitz((np.eye(2), np.ones((3, 2))), [1, 2]),
        ),
        (ValueError, r"b: shape \(2,\) does not fit c's", lambda: solve_toeplitz([1.0, 2, 3], [1.0, 2])),
        (ValueError, "c: expected a vector", lambda: solve_toeplitz(1.0, [1.0])),
        (ValueError, "r: expected a vector", lambda: matmul_toeplitz(([1.0], 1.0), [1.0])),
        (TypeError, "b: dtype object", lambda: solve_toeplitz([1.0], None)),
        (ValueError, r"x: shape \(2,\) does not fit r's shape \(3,\)", lambda: matmul_toeplitz([1.0, 2, 3], [1.0, 2])),
        (ValueError, "c: leading dimensions", lambda: matmul_toeplitz((np.ones((2, 2)), np.ones((3, 2))), [1.0, 2])),
        (ValueError, "device: 'tpu'", lambda: solve_toeplitz([1.0], [1.0], device="tpu")),
    ],
)
def test_bad_arguments(error, words, call):
    with pytest.raises(error, match=f"^{words}"):
        call()


@ALL_DTYPES
def test_threads_do_not_change_bits(dtype):
    c, r = columns_and_rows(np.random.default_rng(5), 150, dtype)
    b = matrices.random((150, 9), dtype, 6)
    assert solve_toeplitz((c, r), b, threads=1).tobytes() == solve_toeplitz((c, r), b, threads=2).tobytes()
