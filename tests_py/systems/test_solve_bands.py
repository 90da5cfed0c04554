"""solve with the structures 'banded' and 'tridiagonal', said or found out: residuals, conditions and errors."""

import warnings

import bands
import matrices
import numpy as np
import pytest
import scipy.linalg
import trnsci
from trnsci.linalg import solve

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
LIMIT = 2.0  # residuals, in units of m eps |A|_F |X|_F, m = max(n, 8)
CASES = 250  # of each dtype


@ALL_DTYPES
def test_random_bands(dtype):
    rng = np.random.default_rng(1)
    comparison = bands.Comparison(LIMIT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # LinAlgWarning of both
        for seed in range(CASES):
            large = rng.random() < 0.04
            n = int(rng.integers(100, 200)) if large else int(rng.integers(4, 16))
            structure = rng.choice([None, "banded", "tridiagonal"])
            low, high = (1, 1) if structure == "tridiagonal" else rng.integers(1, 45 if large else 4, 2)
            ab = bands.KINDS[rng.choice(["random", "dominant", "small pivots"])](rng, n, low, high, dtype)
            a = bands.full(ab, low, high)
            b = matrices.random((n,) if seed % 2 else (n, 3), dtype, seed)
            theirs = scipy.linalg.solve(a, b, assume_a=structure)
            presented = matrices.LAYOUTS[rng.choice(sorted(matrices.LAYOUTS))](a)[0]
            comparison.note(a, solve(presented, b, assume_a=structure), theirs, b)
            if np.dtype(dtype).kind == "f":
                x = solve(a, b, assume_a=structure, transposed=True)
                assert bands.residual(a.T, x, b) <= LIMIT
    comparison.check()


@ALL_DTYPES
@pytest.mark.parametrize("order", "CF")
def test_tridiagonal_matrices_are_found_out(order, dtype):
    """From order 4 on, as in SciPy; other methods round differently."""
    for n, found in ((3, False), (4, True), (30, True)):
        a = bands.full(bands.KINDS["random"](np.random.default_rng(n), n, 1, 1, dtype), 1, 1)
        a, b = np.array(a, order=order), matrices.random((n, 3), dtype)
        x = solve(a, b)
        assert x.tobytes() == solve(a, b, assume_a="tridiagonal" if found else "general").tobytes()
        a[0, -1] = 1e-3
        assert solve(a, b).tobytes() == solve(a, b, assume_a="general").tobytes()


def test_only_the_diagonals_count():
    a = np.full((6, 6), np.nan)
    band = bands.full(bands.KINDS["dominant"](np.random.default_rng(2), 6, 1, 1, "float64"), 1, 1)
    inside = np.abs(np.subtract.outer(np.arange(6), np.arange(6))) <= 1
    a[inside] = band[inside]
    b = np.ones(6)
    assert bands.residual(band, solve(a, b, assume_a="tridiagonal", check_finite=False), b) <= LIMIT


@pytest.mark.parametrize("structure", ["tridiagonal", "banded", None])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_ill_conditioned_matrices_warn_as_in_scipy(structure, dtype):
    n = 6
    eps = np.finfo(dtype).eps
    a = (np.eye(n) + np.eye(n, k=1) / 2 + np.eye(n, k=-1) / 3).astype(dtype)
    a[-1, -2:] = a[-2, -2:] = 0
    a[-1, -1], a[-2, -2], a[-1, -2] = eps / 100, 1, eps / 200
    exact = 1 / np.linalg.cond(a.astype(complex), 1)
    with pytest.warns(trnsci.LinAlgWarning, match="^a: the matrix is ill-conditioned: its rec") as caught:
        solve(a, np.ones(n, dtype), assume_a=structure)
    assert exact / 1.1 < float(str(caught[0].message).rsplit(" ", 1)[1]) < 3 * exact
    with pytest.warns(scipy.linalg.LinAlgWarning):
        scipy.linalg.solve(a, np.ones(n, dtype), assume_a=structure)
    a[-1, -1] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solve(a, np.ones(n, dtype), assume_a=structure)


@ALL_DTYPES
@pytest.mark.parametrize("structure", ["tridiagonal", "banded", None])
def test_singular_matrices(structure, dtype):
    a = (np.eye(5) + np.eye(5, k=1) + np.eye(5, k=-1)).astype(dtype)  # its minor of order 5 vanishes
    for call in (solve, scipy.linalg.solve):
        with pytest.raises(np.linalg.LinAlgError, match="singular"):
            call(a, np.ones(5, dtype), assume_a=structure)
    with pytest.raises(trnsci.LinAlgError, match=r"^a: the matrix is singular: pivot 5 of .* \(batch member 1\)$"):
        solve(np.stack([np.eye(5, dtype=dtype), a]), np.ones(5, dtype), assume_a=structure)


def test_wide_bands_are_solved_as_dense_matrices():
    a, b = matrices.random((50, 50), "float64"), matrices.random((50, 2), "float64", 2)
    assert solve(a, b, assume_a="banded").tobytes() == solve(a, b, assume_a="general").tobytes()


@ALL_DTYPES
def test_threads_do_not_change_bits(dtype):
    for width in (1, 5, 50):
        ab = bands.KINDS["random"](np.random.default_rng(3), 300, width, width, dtype)
        a, b = bands.full(ab, width, width), matrices.random((300, 40), dtype, 2)
        x = solve(a, b, assume_a="banded", threads=1)
        assert x.tobytes() == solve(a, b, assume_a="banded", threads=2).tobytes()
