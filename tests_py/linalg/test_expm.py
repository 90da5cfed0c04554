"""expm: errors in units of eps against mpmath, and every kind of argument."""

import hypothesis.extra.numpy
import matrices
import ml_dtypes
import mpmath
import numpy as np
import pytest
import residuals
import scipy.linalg
import trnsci
from hypothesis import given, settings
from hypothesis import strategies as st
from trnsci.linalg import expm

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)

# Errors relative to eps times the condition number of the exponential at A, which is at least norm(A) and not much more
# for these matrices.
LIMIT = 10.0
# Decimal digits of the reference.
DIGITS = 40


def precise(a):
    with mpmath.workdps(DIGITS):
        wide = mpmath.expm(mpmath.matrix(np.asarray(a, np.complex128).tolist()), method="taylor")
        return np.array(wide.tolist(), dtype=np.complex128).reshape(a.shape)


def error(a, x, reference):
    scale = np.linalg.norm(reference) * (1 + np.linalg.norm(a))
    return float(np.linalg.norm(x - reference) / (residuals.eps(a.dtype) * scale))


@ALL_DTYPES
@pytest.mark.parametrize("size", [1e-6, 0.01, 0.2, 0.9, 2.0, 4.0, 12.0])
def test_against_mpmath(size, dtype):
    for n in (1, 2, 4, 6):
        a = (matrices.random((n, n), dtype, seed=n) * matrices.real_dtype(dtype).type(size / n**0.5)).astype(dtype)
        assert error(a, expm(a), precise(a)) < LIMIT


KINDS = {
    "random": lambda n, seed: matrices.random((n, n), "float64", seed),
    "triangular": lambda n, seed: np.triu(matrices.random((n, n), "float64", seed)),
    "lower triangular": lambda n, seed: np.tril(matrices.random((n, n), "float64", seed)),
    "nilpotent": lambda n, seed: np.triu(matrices.random((n, n), "float64", seed), 1) * 10.0 ** (seed % 5),
    "skew": lambda n, seed: (
        np.triu(matrices.random((n, n), "float64", seed), 1) - np.triu(matrices.random((n, n), "float64", seed), 1).T
    ),
    "symmetric": lambda n, seed: matrices.hermitian(n, "float64", seed) * 2,
    "negative definite": lambda n, seed: -30 * matrices.positive_definite(n, "float64", seed),
    "generator of a Markov chain": lambda n, seed: (
        np.abs(matrices.random((n, n), "float64", seed)) @ (np.eye(n) - 1 / n) * 5
    ),
    "Jordan": lambda n, seed: (seed % 7 - 3) * np.eye(n) + np.eye(n, k=1),
    "far from normal": lambda n, seed: np.triu(
        matrices.random((n, n), "float64", seed) * 9.0 ** np.add.outer(-np.arange(n), np.arange(n))
    ),
    "Grcar": lambda n, seed: matrices.grcar(n) * (1 + seed % 4),
}


@pytest.mark.parametrize("kind", KINDS)
def test_worst_errors(kind):
    """SciPy's are below 400 units for these kinds."""
    for seed in range(25):
        a = KINDS[kind](2 + seed % 5, seed)
        assert error(a, expm(a), precise(a)) < LIMIT


@pytest.mark.parametrize("kind", KINDS)
def test_worst_errors_in_single_precision(kind):
    for seed in range(60):
        a = KINDS[kind](2 + seed % 30, seed).astype(np.float32)
        if kind in ("far from normal", "nilpotent"):
            a = a[:5, :5]
        wide = a.astype(float)
        exact = precise(wide) if len(a) < 8 else expm(wide)  # the test above is about double precision
        if np.abs(exact).max() < 1e30:  # else beyond single precision
            assert error(a, expm(a), exact) < LIMIT


@ALL_DTYPES
@pytest.mark.parametrize("n", [17, 64, 129, 300])
def test_larger_ones_against_scipy(n, dtype):
    a = (matrices.random((n, n), dtype) * matrices.real_dtype(dtype).type(1.5 / n**0.5)).astype(dtype)
    wide = scipy.linalg.expm(a.astype(np.result_type(dtype, np.float64)))
    assert np.linalg.norm(expm(a) - wide) <= LIMIT * n**0.5 * residuals.eps(dtype) * np.linalg.norm(wide)


@settings(deadline=None, max_examples=150, derandomize=True)
@given(
    st.sampled_from(matrices.DTYPES).flatmap(
        lambda dtype: st.integers(0, 6).flatmap(
            lambda n: hypothesis.extra.numpy.arrays(
                dtype,
                (n, n),
                elements=st.integers(-3, 3).map(float) | st.floats(-2, 2, width=16).map(float),
                fill=st.just(0),
            )
        )
    )
)
def test_random_arrays(a):
    exact = precise(a) if a.size else a
    x = expm(a)
    assert x.dtype == a.dtype and x.shape == a.shape
    growth = np.exp(np.linalg.norm(a, 2)) if a.size else 1.0
    assert np.linalg.norm(x - exact) <= 20 * residuals.eps(a.dtype) * growth * (1 + np.linalg.norm(a))


@ALL_DTYPES
@pytest.mark.parametrize("layout", matrices.LAYOUTS)
def test_layouts(layout, dtype):
    a = matrices.random((9, 9), dtype)
    view, memory = matrices.LAYOUTS[layout](a)
    before = memory.copy()
    x = expm(view)
    assert type(x) is np.ndarray and np.array_equal(memory, before)
    np.testing.assert_array_equal(x, expm(a))


@ALL_DTYPES
def test_stacks_are_their_members(dtype):
    a = matrices.random((2, 3, 5, 5), dtype)
    for threads in (1, 2):
        x = expm(a, threads=threads)
        assert x.shape == a.shape
        for k in np.ndindex(2, 3):
            np.testing.assert_array_equal(x[k], expm(a[k]))


@pytest.mark.parametrize("shape", [(0, 0), (0, 4, 4), (3, 0, 0)])
def test_empty(shape):
    x = expm(np.zeros(shape, np.complex64))
    assert x.shape == shape and x.dtype == np.complex64


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_short_dtypes(dtype):
    x = expm(np.diag([0.0, 1.0, -1.0]).astype(dtype))
    assert x.dtype == dtype
    np.testing.assert_array_equal(x, np.diag(np.exp([0.0, 1.0, -1.0])).astype(dtype) * np.eye(3, dtype=dtype))


def test_single_numbers():
    for number in (2.0, [2.0], [[2]]):
        np.testing.assert_allclose(expm(number), [[np.exp(2.0)]], rtol=1e-15)


def test_triangles_stay_triangles():
    a = matrices.random((20, 20), "float64") * 5
    assert not np.tril(expm(np.triu(a)), -1).any()
    assert not np.triu(expm(np.tril(a)), 1).any()
    np.testing.assert_allclose(np.diagonal(expm(np.triu(a))), np.exp(np.diagonal(a)), rtol=1e-13)


def test_infinities_and_nans():
    assert np.isnan(expm([[1, np.nan], [0, 1]])).all()
    np.testing.assert_array_equal(expm([[-np.inf, 0], [0, np.inf]]), [[0, 0], [0, np.inf]])


@pytest.mark.parametrize("bad", [np.zeros((2, 3)), np.zeros(3), np.zeros((2, 2, 3))])
def test_wrong_shapes(bad):
    with pytest.raises(ValueError, match=r"^A: expected a square matrix"):
        expm(bad)


def test_wrong_arguments():
    with pytest.raises(TypeError, match=r"^A: dtype object"):
        expm(np.eye(2, dtype=object))
    with pytest.raises(trnsci.UnsupportedError, match="device"):
        expm(np.eye(2), device="interp")


def test_interrupt_and_progress():
    seen = []
    a = matrices.random((600, 600), "float64") / 10
    expm(a, progress=lambda done, total: seen.append((done, total)))
    assert seen and all(done <= total for done, total in seen)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        expm(a, progress=stop)


def test_ends_of_the_range():
    """Exponentials of diagonal elements just below the logarithm of the largest number are finite."""
    x = 709.75
    assert expm([[x]])[0, 0] == pytest.approx(np.exp(x), rel=1e-13)
    with mpmath.workdps(DIGITS):
        wanted = float(mpmath.exp(x))
    for a in ([[x, 1.0], [0.0, x]], [[x, 0.0], [1.0, x]]):
        found = expm(a)
        assert found[np.nonzero(a)] == pytest.approx([wanted] * 3, rel=1e-13)
    upper = expm([[800.0, 0.0, 1.0], [0.0, 1.0, 2.0], [0.0, 0.0, 3.0]])
    assert upper[0, 0] == np.inf and upper[0, 1] == 0 and np.isfinite(upper[1:]).all()


def test_divided_differences_overflow_to_infinity():
    found = expm([[800.0, 1.0], [0.0, 1.0]])
    assert np.isposinf(found[0]).all() and found[1].tolist() == [0.0, pytest.approx(np.e)]
