"""Properties over random shapes, dtypes, layouts, elements and arguments."""

import warnings

import matrices
import numpy as np
import residuals
import scipy.linalg
import trnsci
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import LARGEST_ORDER, dtypes, orders, presented, properties, square
from trnsci import linalg

LIMIT = residuals.HERMITIAN_LIMIT

problems = st.sampled_from([1, 2, 3])


@st.composite
def hermitian(draw, n=None):
    return matrices.from_lower(draw(square(draw(dtypes), n)))


@st.composite
def definite(draw, dtype, n):
    """Well-conditioned, of any scale."""
    b = matrices.positive_definite(n, dtype, draw(st.integers(0, 99)))
    reach = 100 if np.dtype(dtype).itemsize > 8 or dtype == "float64" else 10
    return b * matrices.real_dtype(dtype).type(2.0 ** draw(st.integers(-reach, reach)))


@st.composite
def batched(draw):
    """A stack of Hermitian matrices, each axis of which may be permuted or reversed in memory."""
    shape = draw(st.lists(st.integers(0, 3), min_size=1, max_size=2))
    a = matrices.hermitian(draw(st.integers(0, 6)), draw(dtypes), draw(st.integers(0, 99)), tuple(shape))
    order = draw(st.permutations(range(a.ndim)))
    flips = tuple(slice(None, None, draw(st.sampled_from([1, -1]))) for _ in range(a.ndim))
    moved = a.transpose(order)[flips].copy()[flips].transpose(np.argsort(order))
    assert np.array_equal(moved, a)
    return moved


@properties
@given(st.data())
def test_eigh(data):
    a = data.draw(hermitian())
    lower, overwrite = data.draw(st.booleans()), data.draw(st.booleans())
    view = data.draw(presented((np.tril if lower else np.triu)(a)))
    residuals.assert_solved("eigh", a, trnsci.eigh(view, lower=lower, overwrite_a=overwrite))


@properties
@given(st.data())
def test_eigvalsh(data):
    a = data.draw(hermitian())
    lower, overwrite = data.draw(st.booleans()), data.draw(st.booleans())
    view = data.draw(presented((np.tril if lower else np.triu)(a)))
    residuals.assert_solved("eigvalsh", a, linalg.eigvalsh(view, lower=lower, overwrite_a=overwrite))


@properties
@given(st.data())
def test_subset_by_index(data):
    a = data.draw(hermitian(data.draw(st.integers(1, LARGEST_ORDER))))
    n = len(a)
    first = data.draw(st.integers(0, n - 1))
    last = data.draw(st.integers(first, n - 1))
    w, v = trnsci.eigh(data.draw(presented(a)), subset_by_index=(first, last))
    assert w.shape == (last - first + 1,) and v.shape == (n, last - first + 1)
    assert residuals.eigen_residual(a, w, v) < LIMIT
    assert residuals.orthogonality(v) < LIMIT
    everything = linalg.eigvalsh(a)
    everything[first : last + 1] = w
    assert residuals.eigenvalue_error(a, everything) < LIMIT


@properties
@given(st.data())
def test_subset_by_value(data):
    a = data.draw(hermitian())
    everything = linalg.eigvalsh(a).astype(np.float64)
    ends = st.one_of(st.floats(-10, 10), st.sampled_from([-np.inf, np.inf, *everything.tolist()]))
    low, high = data.draw(ends), data.draw(ends)
    assume(low < high)
    w, v = trnsci.eigh(data.draw(presented(a)), subset_by_value=(low, high))
    wide = w.astype(np.float64)  # in float32, NumPy would round the ends
    assert np.all((low < wide) & (wide <= high))
    assert v.shape == (len(a), len(w))
    assert residuals.eigen_residual(a, w, v) < LIMIT
    assert residuals.orthogonality(v) < LIMIT
    # Only eigenvalues within rounding errors of an end may be counted differently.
    slack = LIMIT * residuals.divisor(len(a)) * residuals.eps(a.dtype) * float(np.abs(everything).max(initial=0))
    inside = np.sum((everything > low + slack) & (everything <= high - slack))
    outside = np.sum((everything <= low - slack) | (everything > high + slack))
    assert inside <= len(w) <= len(a) - outside


@properties
@given(st.data())
def test_generalized(data):
    dtype, n, problem = data.draw(dtypes), data.draw(orders), data.draw(problems)
    a = matrices.hermitian(n, dtype, data.draw(st.integers(0, 99)))
    b = data.draw(definite(dtype, n))
    lower, overwrite = data.draw(st.booleans()), data.draw(st.booleans())
    used = np.tril if lower else np.triu
    w, v = trnsci.eigh(
        data.draw(presented(used(a))),
        data.draw(presented(used(b))),
        type=problem,
        lower=lower,
        overwrite_a=overwrite,
        overwrite_b=overwrite,
    )
    assert residuals.generalized_residual(problem, a, b, w, v) < LIMIT
    assert residuals.metric_orthogonality(problem, b, v) < LIMIT
    if n:
        wide = np.result_type(dtype, np.float64)
        expected = scipy.linalg.eigh(a.astype(wide), b.astype(wide), type=problem, eigvals_only=True)
        tolerance = 50 * residuals.divisor(n) * residuals.eps(dtype) * np.abs(expected).max()
        np.testing.assert_allclose(w, expected, rtol=0, atol=tolerance)


@properties
@given(batched())
def test_batches(a):
    w, v = trnsci.eigh(a)
    values = linalg.eigvalsh(a)
    assert w.shape == values.shape == a.shape[:-1] and v.shape == a.shape
    for index in np.ndindex(a.shape[:-2]):
        residuals.assert_solved("eigh", a[index], (w[index], v[index]))
        residuals.assert_solved("eigvalsh", a[index], values[index])


@properties
@given(st.data())
def test_cholesky_of_definite_matrices(data):
    dtype = data.draw(dtypes)
    a = data.draw(definite(dtype, data.draw(orders)))
    lower, overwrite = data.draw(st.booleans()), data.draw(st.booleans())
    view = data.draw(presented((np.tril if lower else np.triu)(a)))
    residuals.assert_solved("cholesky", a, linalg.cholesky(view, lower, overwrite), lower=lower)


@properties
@given(hermitian(), st.booleans())
def test_cholesky_finds_out_what_is_definite(a, lower):
    n = len(a)
    shift = -residuals.exponent(a)
    values = scipy.linalg.eigvalsh(residuals.scaled(a, shift)) if n else np.ones(1)
    floor = residuals.rounding_floor(a.dtype, n, shift)
    margin = 8 * residuals.divisor(n) ** 2 * (residuals.eps(a.dtype) * np.abs(values).max() + floor)
    try:
        factor = linalg.cholesky(a, lower)
    except trnsci.LinAlgError:
        assert values[0] < margin
    else:
        assert values[0] > -margin
        assert residuals.cholesky_residual(a, factor, lower) <= 1


def frobenius(a):
    """The Frobenius norm in extended precision, whose range holds the squares of all numbers."""
    parts = np.abs(a.astype(np.clongdouble))
    return np.sqrt((parts * parts).sum())


@properties
@given(st.data())
def test_matrix_equations(data):
    dtype = data.draw(dtypes)
    a, b = data.draw(square(dtype)), data.draw(square(dtype))
    assume(a.any() or b.any())  # no change by eps makes an equation of zeros solvable
    q = matrices.random((len(a), len(b)), dtype, data.draw(st.integers(0, 99)))
    q *= matrices.real_dtype(dtype).type(2.0 ** data.draw(st.integers(-100, 100)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of singular equations
        try:
            x = linalg.solve_sylvester(data.draw(presented(a)), data.draw(presented(b)), q)
        except trnsci.LinAlgError as error:
            assert "overflows" in str(error)
            return
    assert np.isfinite(x).all()
    exact = [m.astype(np.clongdouble) for m in (a, b, q, x)]
    difference = exact[0] @ exact[3] + exact[3] @ exact[1] - exact[2]
    size = frobenius(a) + frobenius(b)
    order = residuals.divisor(max(len(a), len(b)))
    floor = np.finfo(dtype).smallest_subnormal.astype(np.longdouble) * order * size
    assert frobenius(difference) <= 10 * order * (residuals.eps(dtype) * size * frobenius(x) + floor)
