"""eigvalsh: known spectra, subsets and SciPy's driver names."""

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
import trnsci
from trnsci.linalg import eigvalsh

LIMIT = residuals.HERMITIAN_LIMIT


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("n", [*matrices.SIZES, matrices.LARGE])
def test_random(n, dtype):
    a = matrices.hermitian(n, dtype)
    w = eigvalsh(a)
    assert w.dtype == matrices.real_dtype(dtype)
    assert np.all(np.diff(w) >= 0)
    assert residuals.eigenvalue_error(a, w) < LIMIT


def _hadamard_spectrum(n):
    return np.sqrt(2) * np.repeat([-1.0, 1.0], n // 2)


# The ascending eigenvalues of special matrices of even order n, by formula.
KNOWN = {
    "identity": np.ones,
    "zero": np.zeros,
    "ones": lambda n: np.append(np.zeros(n - 1), n),
    "diagonal": lambda n: np.sort(np.diagonal(matrices.SYMMETRIC["diagonal"](n))),
    "tridiagonal": lambda n: 2 - 2 * np.cos(np.pi * np.arange(1, n + 1) / (n + 1)),
    "Clement": lambda n: np.arange(1.0 - n, n, 2),
    "Hadamard x identity": _hadamard_spectrum,
    "reversal": lambda n: np.repeat([-1.0, 1.0], n // 2),
}


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("n", [2, 10, 64, 130])
@pytest.mark.parametrize("name", KNOWN)
def test_known_spectrum(name, n, dtype):
    a = matrices.with_phases(matrices.SYMMETRIC[name](n), dtype)
    assert residuals.eigenvalue_error(a, eigvalsh(a), KNOWN[name](n)) < LIMIT


@pytest.mark.parametrize("dtype", matrices.DTYPES)
def test_prescribed_spectrum(dtype):
    spectrum = np.sort(matrices.random(60, "float64"))
    a = matrices.with_spectrum(spectrum, dtype)
    assert residuals.eigenvalue_error(a, eigvalsh(a), spectrum) < LIMIT


def test_wilkinson_21():
    # J. H. Wilkinson, The Algebraic Eigenvalue Problem, 1965, chapter 5: the two largest ones agree to 14 digits.
    w = eigvalsh(matrices.wilkinson(21))
    np.testing.assert_allclose(w[-2:], 10.746194182903, rtol=1e-13)
    np.testing.assert_allclose(w.sum(), 110, rtol=1e-14)


def test_subnormal_eigenvalue_survives():  # jax#37765
    d = np.array([1, 0.01, 1e-40], np.float32)
    assert eigvalsh(np.diag(d)).tolist() == sorted(d.tolist())


def test_small_eigenvalues_of_a_graded_matrix():
    # A diagonal matrix that a rotation of two neighbours has filled in: each eigenvalue keeps its leading digits.
    d = 10.0 ** -np.arange(0, 60, 6)
    blocks = [d[i] * np.array([[2.0, 1], [1, 2]]) for i in range(len(d))]
    w = eigvalsh(scipy.linalg.block_diag(*blocks))
    np.testing.assert_allclose(w, np.sort(np.concatenate([d, 3 * d])), rtol=1e-13)


@pytest.mark.parametrize(
    ("a", "lower", "expected"),
    [
        ([[0, 1], [2, 3]], True, [-1, 4]),  # numpy#8098
        ([[0, 1], [2, 3]], False, [(3 - 13**0.5) / 2, (3 + 13**0.5) / 2]),
        ([[1, 0, 0], [2, 1, 0], [3, 2, 1]], True, [-2, (5 - 41**0.5) / 2, (5 + 41**0.5) / 2]),  # jax#9473
        ([[1, 0, 0], [2, 1, 0], [3, 2, 1]], False, [1, 1, 1]),
    ],
)
def test_only_one_triangle_is_used(a, lower, expected):
    np.testing.assert_allclose(eigvalsh(a, lower=lower), expected, rtol=1e-14)


# Subsets


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("subset", [(0, 0), (0, 3), (9, 10), (10, 10), (4, 7), (0, 10)])
@pytest.mark.parametrize("vectors", [True, False])
def test_subset_by_index(vectors, subset, dtype):  # scipy#12441, scipy#13220
    a = matrices.hermitian(11, dtype)
    first, last = subset
    result = trnsci.eigh(a, subset_by_index=subset, eigvals_only=not vectors)
    w = result[0] if vectors else result
    expected = scipy.linalg.eigvalsh(a)[first : last + 1]
    assert w.shape == expected.shape
    np.testing.assert_allclose(w, expected, rtol=0, atol=LIMIT * 11 * residuals.eps(dtype) * np.linalg.norm(a, 2))
    if vectors:
        v = result[1]
        assert v.shape == (11, last - first + 1)
        assert residuals.eigen_residual(a, w, v) < LIMIT
        assert residuals.orthogonality(v) < LIMIT


def test_subset_by_index_is_inclusive():
    np.testing.assert_array_equal(eigvalsh(np.diag(np.arange(10.0)), subset_by_index=[0, 3]), [0, 1, 2, 3])


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        ((2, 5), [3, 4, 5]),  # the lower end is out, the upper one in
        ((-np.inf, 1), [0, 1]),
        ((7.5, np.inf), [8, 9]),
        ((-np.inf, np.inf), range(10)),
        ((-1, 0), [0]),
        ((2.25, 2.75), []),
        ((9, 100), []),
        ((-5, -1), []),
    ],
)
def test_subset_by_value(interval, expected, dtype):
    a = np.diag(np.arange(10)[::-1].astype(dtype))
    w, v = trnsci.eigh(a, subset_by_value=interval)
    np.testing.assert_array_equal(w, list(expected))
    assert w.dtype == matrices.real_dtype(dtype) and v.dtype == dtype
    assert v.shape == (10, len(expected))
    np.testing.assert_array_equal(np.abs(a @ v), np.abs(v * w))
    np.testing.assert_array_equal(eigvalsh(a, subset_by_value=interval), w)


@pytest.mark.parametrize("dtype", matrices.DTYPES)
def test_subset_by_value_of_a_dense_matrix(dtype):
    a = matrices.hermitian(40, dtype)
    expected = scipy.linalg.eigvalsh(a)
    interval = ((expected[7] + expected[8]) / 2, (expected[30] + expected[31]) / 2)
    w, v = trnsci.eigh(a, subset_by_value=interval)
    assert w.shape == (23,) and v.shape == (40, 23)
    assert residuals.eigen_residual(a, w, v) < LIMIT
    assert residuals.orthogonality(v) < LIMIT


@pytest.mark.parametrize("problem", [1, 2, 3])
@pytest.mark.parametrize("subset", [{"subset_by_index": (2, 5)}, {"subset_by_value": (-0.5, 0.75)}])
def test_subset_of_a_generalized_problem(subset, problem):
    a, b = matrices.hermitian(12, "complex128", 1), matrices.positive_definite(12, "complex128", 2)
    expected = scipy.linalg.eigh(a, b, type=problem, eigvals_only=True)
    w, v = trnsci.eigh(a, b, type=problem, **subset)
    if "subset_by_index" in subset:
        expected = expected[2:6]
    else:
        expected = expected[(expected > -0.5) & (expected <= 0.75)]
        assert 0 < len(expected) < 12
    np.testing.assert_allclose(w, expected, atol=1e-13)
    assert residuals.generalized_residual(problem, a, b, w, v) < LIMIT


def test_subset_by_index_of_a_batch():
    a = matrices.hermitian(6, "float64", batch=(2, 2))
    w, v = trnsci.eigh(a, subset_by_index=(1, 3))
    assert w.shape == (2, 2, 3) and v.shape == (2, 2, 6, 3)
    for index in np.ndindex(2, 2):
        assert residuals.eigen_residual(a[index], w[index], v[index]) < LIMIT
        np.testing.assert_allclose(w[index], scipy.linalg.eigvalsh(a[index])[1:4], atol=1e-13)


def test_subset_by_value_of_order_zero():
    w, v = trnsci.eigh(np.zeros((0, 0)), subset_by_value=(0, 1))
    assert w.shape == (0,) and v.shape == (0, 0)


@pytest.mark.parametrize(
    ("n", "subset", "named"),
    [
        (3, {"subset_by_index": (0, 3)}, "subset_by_index: .*< 3"),
        (3, {"subset_by_index": (-1, 1)}, "subset_by_index"),
        (3, {"subset_by_index": (2, 1)}, "subset_by_index"),
        (3, {"subset_by_index": (0.5, 1)}, "subset_by_index: .*integers"),
        (3, {"subset_by_index": (0, 1, 2)}, "subset_by_index"),
        (3, {"subset_by_index": 1}, "subset_by_index"),
        (3, {"subset_by_index": (0, 2**70)}, "subset_by_index"),
        (0, {"subset_by_index": (0, 0)}, "subset_by_index"),
        (3, {"subset_by_value": (1, 1)}, "subset_by_value"),
        (3, {"subset_by_value": (2, 1)}, "subset_by_value"),
        (3, {"subset_by_value": (np.nan, 1)}, "subset_by_value"),
        (3, {"subset_by_value": (0, np.nan)}, "subset_by_value"),
        (3, {"subset_by_value": ("x", 1)}, "subset_by_value"),
        (3, {"subset_by_value": (1j, 2)}, "subset_by_value"),
        (3, {"subset_by_value": 1.0}, "subset_by_value"),
        (3, {"subset_by_index": (0, 1), "subset_by_value": (0, 1)}, "subset_by_index.*subset_by_value"),
    ],
)
@pytest.mark.parametrize("function", [trnsci.eigh, eigvalsh])
def test_bad_subset(function, n, subset, named):
    with pytest.raises(ValueError, match=named):
        function(np.eye(n), **subset)


def test_subset_by_value_of_a_batch_is_refused():
    with pytest.raises(ValueError, match=r"subset_by_value: .*stack"):
        eigvalsh(np.zeros((2, 3, 3)), subset_by_value=(0, 1))


# Drivers

DRIVERS = (None, "ev", "evd", "evr", "evx", "gv", "gvd", "gvx", "evrr", "", "EV")


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("generalized", [False, True])
@pytest.mark.parametrize("subset", [{}, {"subset_by_index": (0, 1)}, {"subset_by_value": (0.5, 2)}])
def test_driver_words_are_taken_and_refused_as_by_scipy(driver, generalized, subset):
    arguments = (np.diag([3.0, 1, 2]), np.eye(3) if generalized else None)
    try:
        expected = scipy.linalg.eigvalsh(*arguments, driver=driver, **subset)
    except ValueError:
        with pytest.raises(ValueError, match="driver"):
            eigvalsh(*arguments, driver=driver, **subset)
    else:
        np.testing.assert_allclose(eigvalsh(*arguments, driver=driver, **subset), expected, rtol=1e-14)


@pytest.mark.parametrize("driver", ["ev", "evd", "evr", "evx"])
def test_driver_words_change_nothing(driver):
    a = matrices.hermitian(20, "float64")
    assert eigvalsh(a, driver=driver).tobytes() == eigvalsh(a).tobytes()


# Batches


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("shape", [(2, 3, 9, 9), (0, 3, 3), (5, 0, 0), (1, 1, 1)])
def test_batch(shape, dtype):
    a = matrices.hermitian(shape[-1], dtype, batch=shape[:-2])
    w = eigvalsh(a)
    assert w.shape == shape[:-1] and w.dtype == matrices.real_dtype(dtype)
    for index in np.ndindex(shape[:-2]):
        assert residuals.eigenvalue_error(a[index], w[index]) < LIMIT


@pytest.mark.parametrize("problem", [1, 2, 3])
@pytest.mark.parametrize("lower", [True, False])
def test_generalized(lower, problem):
    a, b = matrices.hermitian(25, "complex128", 1), matrices.positive_definite(25, "complex128", 2)
    used = np.tril if lower else np.triu
    w = eigvalsh(used(a), used(b), type=problem, lower=lower)
    expected = scipy.linalg.eigvalsh(a, b, type=problem)
    np.testing.assert_allclose(w, expected, rtol=0, atol=50 * 25 * residuals.eps("float64") * np.abs(expected).max())
