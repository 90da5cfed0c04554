"""Circulant systems: residuals, singular matrices, SciPy's conventions and errors."""

import bands
import matrices
import numpy as np
import pytest
import scipy.linalg
import trnsci
from trnsci.linalg import solve_circulant

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
LIMIT = 1.0  # residuals, in units of m eps |A|_F |X|_F, m = max(n, 8)
CASES = 250  # of each dtype


@ALL_DTYPES
def test_random_systems(dtype):
    rng = np.random.default_rng(1)
    comparison = bands.Comparison(LIMIT)
    for seed in range(CASES):
        n = int(rng.integers(1, 40))
        c = matrices.random(n, dtype, seed)
        b = matrices.random((n,) if seed % 2 else (n, int(rng.integers(1, 5))), dtype, seed + 1)
        before = c.copy(), b.copy()
        x = solve_circulant(c, b)
        assert x.dtype == dtype and (c == before[0]).all() and (b == before[1]).all()
        comparison.note(scipy.linalg.circulant(c), x, scipy.linalg.solve_circulant(c, b), b)
    comparison.check()


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize(
    ("cdim", "bdim", "axes"),
    [
        ((5,), (5,), {}),
        ((2, 1, 5), (3, 5), {"baxis": -1, "outaxis": -1}),
        ((2, 1, 5), (3, 5), {"baxis": 1}),
        ((5, 2), (2, 5), {"caxis": 0, "baxis": -1, "outaxis": 1}),
        ((4, 5), (3, 5, 4), {"baxis": 1, "outaxis": 1}),
    ],
)
def test_axes(cdim, bdim, axes, dtype):
    c, b = matrices.random(cdim, dtype, 1), matrices.random(bdim, dtype, 2)
    x, expected = solve_circulant(c, b, **axes), scipy.linalg.solve_circulant(c, b, **axes)
    assert x.shape == expected.shape
    np.testing.assert_allclose(x, expected, rtol=1e-10, atol=1e-12)


@ALL_DTYPES
def test_singular_matrices(dtype):
    """Of [1, 1, 0, 0] the third eigenvalue is zero, exactly."""
    c, b = np.array([1, 1, 0, 0], dtype), np.array([1, 2, 3, 4], dtype)
    with pytest.raises(trnsci.LinAlgError, match=r"^c: the circulant matrix is singular to working precision"):
        solve_circulant(c, b)
    with pytest.raises(scipy.linalg.LinAlgError):
        scipy.linalg.solve_circulant(c, b)
    wide = scipy.linalg.circulant(c.astype(complex))
    least = np.linalg.lstsq(wide, b, rcond=1e-10)[0]
    x = solve_circulant(c, b, singular="lstsq")
    assert x.dtype == dtype
    np.testing.assert_allclose(x, least, rtol=1e-5, atol=1e-6)
    both = solve_circulant(c, np.stack([b, 2 * b], 1), singular="lstsq")  # where SciPy mixes up the axes
    np.testing.assert_allclose(both, np.stack([least, 2 * least], 1), rtol=1e-5, atol=1e-6)


def test_tolerance():
    c, b = np.array([1.0, 0.5, 0, 0]), np.array([1.0, 2, 3, 4])  # the eigenvalues 1.5, 1 -+ i / 2, 0.5
    np.testing.assert_allclose(scipy.linalg.circulant(c) @ solve_circulant(c, b, tol=0.49), b, rtol=1e-14)
    with pytest.raises(trnsci.LinAlgError, match=r"modulus 0.5$"):
        solve_circulant(c, b, tol=0.51)
    np.testing.assert_allclose(
        solve_circulant(c, b, "lstsq", tol=0.51), scipy.linalg.solve_circulant(c, b, "lstsq", tol=0.51), rtol=1e-14
    )


def test_empty_and_mixed_dtypes():
    assert solve_circulant(np.ones(0), np.ones(0)).shape == (0,)
    assert solve_circulant(np.ones(0), np.ones((0, 3), "f4")).shape == (0, 3)
    assert solve_circulant(np.ones(0, "f4"), np.ones((0, 3), "f4")).dtype == np.float32
    assert solve_circulant(np.ones((2, 0)), np.ones((0, 2))).shape == (0, 2)
    assert solve_circulant([2, 1], [1, 1]).dtype == np.float64
    assert solve_circulant(np.array([2, 1], "f4"), np.array([1j, 1], "F")).dtype == np.complex64
    assert solve_circulant(2.0, 4.0).tolist() == [2.0]


@pytest.mark.parametrize("scale", [1e-290, 1e290])
def test_huge_and_tiny_matrices(scale):
    c, b = matrices.random(30, "float64", 1), matrices.random(30, "float64", 2)
    np.testing.assert_allclose(solve_circulant(c * scale, b) * scale, solve_circulant(c, b), rtol=1e-9)


def test_not_finite():
    with np.errstate(invalid="ignore"):
        assert np.isnan(solve_circulant([1.0, np.nan, 0.0], [1.0, 2.0, 3.0])).all()


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("b: 3 elements along baxis do not fit the 2 of c", lambda: solve_circulant([1.0, 2], [1.0, 2, 3])),
        ("b: dimensions other than baxis", lambda: solve_circulant(np.ones((2, 3)), np.ones((3, 5)))),
        ("caxis: 1 is not a dimension", lambda: solve_circulant([1.0], [1.0], caxis=1)),
        ("baxis: -2 is not a dimension", lambda: solve_circulant([1.0], [1.0], baxis=-2)),
        ("outaxis: 1 is not a dimension", lambda: solve_circulant([1.0], [1.0], outaxis=1)),
        ("singular: 'ignore' is not one of", lambda: solve_circulant([1.0], [1.0], singular="ignore")),
    ],
)
def test_bad_arguments(words, call):
    with pytest.raises(ValueError, match=f"^{words}"):
        call()
