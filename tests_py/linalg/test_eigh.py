"""eigh: standard and generalized problems, their residuals, batches, and refused arguments."""

import itertools

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
import trnsci

PROBLEMS = (1, 2, 3)

# In the units of generalized_residual and metric_orthogonality, for metrics with a condition number of about 5.
GENERALIZED_LIMIT = 4.0


def check_pairs(a, w, v):
    """Check a full set of eigenpairs of the Hermitian matrix `a`."""
    assert w.dtype == matrices.real_dtype(a.dtype) and v.dtype == a.dtype
    residuals.assert_solved("eigh", a, (w, v))
    assert residuals.eigenvalue_error(a, w) < residuals.HERMITIAN_LIMIT


def check_members(a, w, v):
    for index in np.ndindex(a.shape[:-2]):
        check_pairs(a[index], w[index], v[index])


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("n", [*matrices.SIZES, matrices.LARGE])
def test_random(n, dtype):
    a = matrices.hermitian(n, dtype)
    check_pairs(a, *trnsci.eigh(a))


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("n", [2, 8, 66])
@pytest.mark.parametrize("name", matrices.SYMMETRIC)
def test_special(name, n, dtype):
    a = matrices.with_phases(matrices.SYMMETRIC[name](n), dtype)
    check_pairs(a, *trnsci.eigh(a))


def extreme_scales(dtype):
    largest, smallest = np.finfo(dtype).max, np.finfo(dtype).tiny
    middle = np.sqrt(float(largest))
    # 30 is more than the norm of the matrices that are scaled; the last ones have subnormal elements only.
    return [largest / 30, 1e3 * middle, middle, 1 / middle, 1e-3 / middle, *(smallest * 2.0**-k for k in (0, 10, 20))]


SCALES = [(dtype, scale) for dtype in matrices.DTYPES for scale in extreme_scales(dtype)]


@pytest.mark.parametrize(("dtype", "scale"), SCALES)
@pytest.mark.parametrize("n", [1, 2, 20])
def test_scales(n, dtype, scale):
    a = matrices.hermitian(n, dtype) * matrices.real_dtype(dtype).type(scale)
    check_pairs(a, *trnsci.eigh(a))


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("exponent", [-300, -200, -100, 100, 200, 300])
def test_decimal_scales(exponent, dtype):
    a = matrices.hermitian(20, dtype) * 10.0**exponent
    check_pairs(a, *trnsci.eigh(a))


@pytest.mark.parametrize("dtype", matrices.DTYPES)
def test_elements_of_all_sizes(dtype):
    tiny = np.finfo(dtype).tiny
    a = matrices.with_phases(matrices.hermitian(12, "float64"), dtype)
    a[::2] *= matrices.real_dtype(dtype).type(tiny / 8)
    a = matrices.from_lower(a)
    assert np.abs(a[np.abs(a) > 0]).min() < tiny < np.abs(a).max()
    check_pairs(a, *trnsci.eigh(a))


def test_eigenvalue_beyond_the_range_is_an_infinity():
    w, v = trnsci.eigh(np.full((2, 2), 0.9 * np.finfo(np.float32).max, np.float32))
    assert w[1] == np.inf
    assert residuals.orthogonality(v) < residuals.HERMITIAN_LIMIT


# Which elements count


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("n", [2, 33, 70])
def test_other_triangle_is_ignored(n, lower, dtype):
    a = matrices.hermitian(n, dtype)
    poisoned = a.copy()
    other = np.triu_indices(n, 1) if lower else np.tril_indices(n, -1)
    poisoned[other] = 7
    for x, y in zip(trnsci.eigh(a, lower=lower), trnsci.eigh(poisoned, lower=lower), strict=True):
        np.testing.assert_array_equal(x, y)
    poisoned[other] = np.nan
    w, v = trnsci.eigh(poisoned, lower=lower, check_finite=False)
    check_pairs(a, w, v)


@pytest.mark.parametrize("lower", [True, False])
def test_imaginary_parts_of_the_diagonal_are_ignored(lower):
    a = matrices.hermitian(9, "complex128")
    w, v = trnsci.eigh(a + np.diag(1j * np.arange(1, 10)), lower=lower)
    check_pairs(a, w, v)


@pytest.mark.parametrize("eigvals_only", [True, False])
def test_eigvals_only(eigvals_only):
    a = matrices.hermitian(12, "complex64")
    result = trnsci.eigh(a, eigvals_only=eigvals_only)
    assert isinstance(result, np.ndarray if eigvals_only else tuple)
    assert residuals.eigenvalue_error(a, result if eigvals_only else result[0]) < residuals.HERMITIAN_LIMIT


# Public reports: the kinds of input that went wrong elsewhere


def test_complex_off_diagonal_alone():  # numpy#24640
    h = np.array([[0, 1j], [-1j, 0]])
    w, v = trnsci.eigh(h)
    check_pairs(h, w, v)
    np.testing.assert_allclose(w, [-1, 1], rtol=1e-15)


@pytest.mark.parametrize("driver", ["ev", "evd", "evr", "evx"])
def test_order_one(driver):  # scipy#20512
    w, v = trnsci.eigh(np.ones((1, 1)), driver=driver)
    assert w.tolist() == [1.0] and abs(v[0, 0]) == 1


def test_pseudo_inverse_of_a_singular_matrix():  # scipy#12515
    a = np.array([[1, -1, 0], [-1, 2, -1], [0, -1, 1]])
    w, v = trnsci.eigh(a)
    np.testing.assert_allclose(w, [0, 1, 3], atol=1e-15)
    np.testing.assert_allclose(
        v[:, 1:] / w[1:] @ v[:, 1:].T, np.array([[5, -1, -4], [-1, 2, -1], [-4, -1, 5]]) / 9, atol=1e-15
    )


@pytest.mark.parametrize("driver", ["evr", "evx"])
def test_subset_of_a_complex_matrix(driver):  # scipy#13239, scipy#13220
    a = matrices.hermitian(10, "complex128")
    w, v = trnsci.eigh(a, driver=driver, subset_by_index=[8, 9])
    assert w.shape == (2,) and v.shape == (10, 2)
    assert residuals.eigen_residual(a, w, v) < residuals.HERMITIAN_LIMIT


# Batches and empty input


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize(("batch", "n"), [((4,), 1), ((2, 3), 5), ((2, 3), 33), ((1,), 40), ((3, 1, 2), 7)])
def test_batch(batch, n, dtype):
    a = matrices.hermitian(n, dtype, batch=batch)
    w, v = trnsci.eigh(a)
    assert w.shape == (*batch, n) and v.shape == a.shape
    check_members(a, w, v)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3, 3), (5, 0, 0), (2, 0, 3, 3), (0, 0, 0)])
@pytest.mark.parametrize("metric", [False, True])
@pytest.mark.parametrize("dtype", matrices.DTYPES)
def test_empty(dtype, metric, shape):  # numpy#3343 and many others
    a = np.zeros(shape, dtype)
    w, v = trnsci.eigh(a, np.eye(shape[-1], dtype=dtype) if metric else None)
    assert w.shape == shape[:-1] and v.shape == shape
    assert w.dtype == matrices.real_dtype(dtype) and v.dtype == dtype
    assert trnsci.eigh(a, eigvals_only=True).shape == shape[:-1]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", matrices.DTYPES)
def test_bad_member_does_not_touch_its_neighbours(dtype, bad):
    a = matrices.hermitian(17, dtype, batch=(2, 3))
    w, v = trnsci.eigh(a)
    a[1, 1, 5, 3] = bad
    with pytest.raises(ValueError, match=r"a: .*infinities or NaNs"):
        trnsci.eigh(a)
    bad_w, bad_v = trnsci.eigh(a, check_finite=False)
    assert np.isnan(bad_w[1, 1]).all() and np.isnan(bad_v[1, 1]).all()
    bad_w[1, 1], bad_v[1, 1] = w[1, 1], v[1, 1]
    assert bad_w.tobytes() == w.tobytes() and bad_v.tobytes() == v.tobytes()


def test_stack_of_bad_matrices():  # numpy#20280
    stack = [[[np.nan, 0], [0, np.nan]], [[np.nan, 0.1], [0.1, 1]], [[np.inf, 0], [0, 1]], [[0, 0], [0, 0]]]
    w, v = trnsci.eigh(stack, check_finite=False)
    assert np.isnan(w[:3]).all() and np.isnan(v[:3]).all()
    assert not w[3].any()
    assert residuals.orthogonality(v[3]) == 0


@pytest.mark.parametrize("place", [(0, 0), (3, 1), (1, 3)])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("argument", ["a", "b"])
def test_not_finite(argument, bad, place):
    arguments = {"a": matrices.hermitian(4, "float64"), "b": np.eye(4)}
    arguments[argument][place] = bad
    with pytest.raises(ValueError, match=f"{argument}: .*infinities or NaNs"):
        trnsci.eigh(**arguments)
    used = place[0] >= place[1]
    assert np.isnan(trnsci.eigh(**arguments, check_finite=False)[0]).all() == used


@pytest.mark.parametrize("bad", [complex(0, np.nan), complex(np.inf, 0)])
def test_not_finite_complex(bad):
    a = matrices.hermitian(4, "complex64")
    a[2, 1] = bad
    with pytest.raises(ValueError, match=r"a: .*infinities or NaNs"):
        trnsci.eigh(a)
    assert np.isnan(trnsci.eigh(a, check_finite=False)[1]).all()


# Generalized problems


def check_generalized(problem, a, b, w, v):
    dtype = np.result_type(a.dtype, b.dtype)
    assert w.dtype == matrices.real_dtype(dtype) and v.dtype == dtype
    assert w.shape == a.shape[:1] and v.shape == a.shape
    assert np.all(np.diff(w) >= 0)
    assert residuals.generalized_residual(problem, a, b, w, v) < GENERALIZED_LIMIT
    assert residuals.metric_orthogonality(problem, b, v) < GENERALIZED_LIMIT


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("n", [1, 2, 5, 33, 65, 130])
def test_generalized(n, problem, lower, dtype):
    a, b = matrices.hermitian(n, dtype, 1), matrices.positive_definite(n, dtype, 2)
    used = np.tril if lower else np.triu
    w, v = trnsci.eigh(used(a), used(b), type=problem, lower=lower)
    check_generalized(problem, a, b, w, v)
    wide = np.result_type(dtype, np.float64)
    expected = scipy.linalg.eigvalsh(a.astype(wide), b.astype(wide), type=problem)
    tolerance = 50 * residuals.divisor(n) * residuals.eps(dtype) * np.abs(expected).max()
    np.testing.assert_allclose(w, expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize(("dtype_a", "dtype_b"), list(itertools.permutations(matrices.DTYPES, 2)))
def test_generalized_with_mixed_dtypes(dtype_a, dtype_b, problem):
    a, b = matrices.hermitian(7, dtype_a, 1), matrices.positive_definite(7, dtype_b, 2)
    check_generalized(problem, a, b, *trnsci.eigh(a, b, type=problem))


# Decimal exponents of A's and B's size for which the eigenvalues are in range.
GENERALIZED_SCALES = {
    1: [(300, 300), (-200, -150), (-300, -20), (0, -300)],
    2: [(-300, 300), (200, -300), (-100, -150), (300, 0)],
}


@pytest.mark.parametrize(("problem", "exponents"), [(k, e) for k in PROBLEMS for e in GENERALIZED_SCALES[min(k, 2)]])
def test_generalized_scales(problem, exponents):
    a = matrices.hermitian(9, "float64", 1) * 10.0 ** exponents[0]
    b = matrices.positive_definite(9, "float64", 2) * 10.0 ** exponents[1]
    w, v = trnsci.eigh(a, b, type=problem)
    assert residuals.generalized_residual(problem, a, b, w, v) < GENERALIZED_LIMIT


@pytest.mark.parametrize("batch_b", [(), (1,), (3,), (2, 1), (2, 3), (1, 1)])
@pytest.mark.parametrize("batch_a", [(), (2, 3), (1, 3), (2, 1)])
@pytest.mark.parametrize("overwrite", [False, True])
def test_batches_are_broadcast(overwrite, batch_a, batch_b):
    a = matrices.hermitian(4, "complex128", 1, batch_a)
    b = matrices.positive_definite(4, "complex128", 2, batch_b)
    w, v = trnsci.eigh(a.copy(), b.copy(), overwrite_a=overwrite, overwrite_b=overwrite)
    batch = np.broadcast_shapes(batch_a, batch_b)
    assert w.shape == (*batch, 4) and v.shape == (*batch, 4, 4)
    matrix, metric = np.broadcast_to(a, v.shape), np.broadcast_to(b, v.shape)
    for index in np.ndindex(batch):
        check_generalized(1, matrix[index], metric[index], w[index], v[index])


@pytest.mark.parametrize("shape_b", [(3, 3), (4,), (), (4, 3), (2, 4, 4), (2, 2, 4, 4), (0, 4, 4)])
def test_metric_of_another_shape(shape_b):
    a = np.broadcast_to(np.eye(4), (2, 3, 4, 4))
    with pytest.raises(ValueError) as error:
        trnsci.eigh(a, np.ones(shape_b))
    assert str(error.value).startswith("b: ")
    assert str(shape_b) in str(error.value) and str(a.shape) in str(error.value)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("problem", PROBLEMS)
def test_ill_conditioned_metric(problem, seed):  # scipy#12258
    smallest = 1e-9
    a = matrices.hermitian(12, "float64", seed)
    b = matrices.with_spectrum(np.append(smallest, np.logspace(-3, 0, 11)), "float64", seed)
    w, v = trnsci.eigh(a, b, type=problem)
    # The theory allows the condition number itself; its root is what the vectors may be stretched by.
    assert residuals.generalized_residual(problem, a, b, w, v) < smallest**-0.5
    assert residuals.metric_orthogonality(problem, b, v) < GENERALIZED_LIMIT


def _outer(n, dtype):
    x = matrices.random(n, dtype)
    return np.outer(x, x.conj())


NOT_POSITIVE_DEFINITE = {
    "ones": (np.ones((2, 2)), 2),
    "indefinite": (np.diag([1.0, -1.0]), 2),
    "zero": (np.zeros((3, 3)), 1),
    "negative": (-np.eye(3), 1),
    "thirds": (np.full((3, 3), 1 / 3), 2),
    "singular integers": (np.array([[2.0, -3, 0], [-3, 5, -1], [0, -1, 2]]), 3),
    "outer product": (_outer(6, "float64"), 2),
    "complex outer product": (_outer(6, "complex128"), 2),
    "float32 outer product": (_outer(6, "float32").astype("float64"), 2),
    "late": (np.diag([*np.ones(99), -1.0]), 100),
}


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("name", NOT_POSITIVE_DEFINITE)
def test_metric_not_positive_definite(name, problem, lower):  # scipy#21951, abacus#5707
    b, order = NOT_POSITIVE_DEFINITE[name]
    with pytest.raises(trnsci.LinAlgError, match=rf"b: .*minor of order {order} "):
        trnsci.eigh(np.eye(len(b)), b, type=problem, lower=lower)


def test_singular_metrics_are_refused_or_solved():
    """Exactly singular integer matrices, whose last pivot is a rounding error of either sign."""
    wrong = {}
    for seed in range(100):
        g = np.random.default_rng(seed).integers(-3, 4, (6, 5))
        a, b = matrices.hermitian(6, "float64", seed), (g @ g.T).astype(float)
        try:
            w, v = trnsci.eigh(a, b)
        except trnsci.LinAlgError:
            continue
        # Half the digits, relative to |A| + |w| |B|.
        error = residuals.generalized_residual(1, a, b, w, v)
        if not error < residuals.eps("float64") ** -0.5:
            wrong[seed] = error
    assert wrong == {}


def test_error_names_the_member_of_a_batch():
    b = np.stack([np.eye(2), np.eye(2), np.ones((2, 2))])
    with pytest.raises(trnsci.LinAlgError, match=r"order 2 .*member 2"):
        trnsci.eigh(np.broadcast_to(np.eye(2), b.shape), b)


@pytest.mark.parametrize("problem", [0, 4, -1, "1", None])
def test_unknown_type(problem):
    with pytest.raises(ValueError, match=r"type: .*1, 2 or 3"):
        trnsci.eigh(np.eye(2), np.eye(2), type=problem)
