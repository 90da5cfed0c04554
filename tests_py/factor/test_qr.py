"""qr, rq and qr_multiply: residuals, structure, SciPy's shapes and factors, arguments."""

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st
from strategies import dtypes, presented, properties
from trnsci.linalg import qr, qr_multiply, rq

LIMIT = 4.0  # as docs/numerics.md says
SHAPES = ((1, 1), (1, 7), (7, 1), (5, 5), (17, 16), (16, 40), (64, 64), (150, 40), (40, 150), (200, 200))
EMPTY = ((0, 0), (0, 4), (4, 0))
FORMED = ("full", "economic")

every_dtype = pytest.mark.parametrize("dtype", matrices.DTYPES)
every_shape = pytest.mark.parametrize("shape", SHAPES)
with_pivots = pytest.mark.parametrize("pivoting", [False, True])


def in_eps(error, dtype, shape, scale, floor=0.0):
    norm = float(np.linalg.norm(error))
    return norm and norm / (residuals.divisor(max(shape)) * residuals.eps(dtype) * scale + floor)


def assert_factors(a, triangle, q, q_first):
    """Check residual, orthogonality, and that Q has the right side: ``q @ triangle``, or ``triangle @ q``."""
    assert triangle.dtype == q.dtype == a.dtype
    shift = -residuals.exponent(a)
    exact, r, factor = residuals.scaled(a, shift), residuals.scaled(triangle, shift), residuals.scaled(q)
    shape = np.atleast_2d(exact).shape
    product = factor @ r if q_first else r @ factor
    floor = residuals.rounding_floor(a.dtype, max(a.shape), shift)
    assert in_eps(product - exact.reshape(a.shape), a.dtype, shape, np.linalg.norm(exact), floor) < LIMIT
    columns = q if q_first else q.conj().T
    assert_orthonormal(columns, shape)


def assert_orthonormal(q, shape):
    wide, columns = residuals.scaled(q).reshape(q.shape), q.shape[1]
    error = residuals.adjoint(wide) @ wide - np.eye(columns)
    assert in_eps(error, q.dtype, shape, max(1, columns) ** 0.5) < LIMIT


def assert_triangle(r, diagonal=0):
    np.testing.assert_array_equal(np.tril(r, diagonal - 1), 0)
    assert not np.diagonal(r, diagonal).imag.any()


def assert_like_scipys(ours, scipys):
    """Check shapes, and elements as far as well-conditioned factors of random matrices are determined."""
    assert len(ours) == len(scipys)
    for mine, theirs in zip(ours, scipys, strict=True):
        if isinstance(mine, tuple):
            assert_like_scipys(mine, theirs)
            continue
        assert mine.shape == theirs.shape
        assert mine.dtype == theirs.dtype or mine.dtype == np.int64
        tolerance = 1e4 * residuals.eps(theirs.dtype) if theirs.dtype.kind in "fc" else 0
        np.testing.assert_allclose(mine, theirs, atol=tolerance * np.abs(theirs).max(initial=0), rtol=0)


@every_dtype
@every_shape
@with_pivots
@pytest.mark.parametrize("mode", FORMED)
def test_random(shape, dtype, pivoting, mode):
    a = matrices.random(shape, dtype)
    result = qr(a, mode=mode, pivoting=pivoting)
    permuted = a[:, result[2]] if pivoting else a
    assert_factors(permuted, result[1], result[0], True)
    assert_triangle(result[1])
    assert_like_scipys(result, scipy.linalg.qr(a, mode=mode, pivoting=pivoting))


@every_dtype
@every_shape
@pytest.mark.parametrize("mode", FORMED)
def test_rq_random(shape, dtype, mode):
    a = matrices.random(shape, dtype)
    r, q = rq(a, mode=mode)
    assert_factors(a, r, q, False)
    assert_triangle(r, r.shape[1] - r.shape[0])
    assert_like_scipys((r, q), scipy.linalg.rq(a, mode=mode))
    assert_like_scipys((rq(a, mode="r"),), (scipy.linalg.rq(a, mode="r"),))


@every_dtype
@pytest.mark.parametrize("shape", [*SHAPES, *EMPTY])
@with_pivots
@pytest.mark.parametrize("mode", ["r", "raw"])
def test_without_q(shape, dtype, pivoting, mode):
    a = matrices.random(shape, dtype)
    assert_like_scipys(qr(a, mode=mode, pivoting=pivoting), scipy.linalg.qr(a, mode=mode, pivoting=pivoting))


@every_dtype
@pytest.mark.parametrize("shape", EMPTY)
@pytest.mark.parametrize("mode", FORMED)
def test_empty(shape, dtype, mode):
    a = np.zeros(shape, dtype)
    assert_like_scipys(qr(a, mode=mode), scipy.linalg.qr(a, mode=mode))
    assert_like_scipys(qr(a, mode=mode, pivoting=True), scipy.linalg.qr(a, mode=mode, pivoting=True))
    assert_like_scipys(rq(a, mode=mode), scipy.linalg.rq(a, mode=mode))


def random_rows(shape, dtype):
    """Normally distributed numbers, stored by rows."""
    return np.ascontiguousarray(matrices.random(shape, dtype, 3))


@every_dtype
@every_shape
@pytest.mark.parametrize("conjugate", [False, True])
@with_pivots
def test_qr_multiply(shape, dtype, conjugate, pivoting):
    a = matrices.random(shape, dtype)
    m, k = shape[0], min(shape)
    flags = {"pivoting": pivoting, "conjugate": conjugate}
    for mode, c in [
        ("left", random_rows((k, 3), dtype)),
        ("left", random_rows((k,), dtype)),
        ("right", random_rows((3, m), dtype)),
        ("right", random_rows((m,), dtype)),
    ]:
        ours = qr_multiply(a, c, mode, **flags)
        assert_like_scipys(ours, scipy.linalg.qr_multiply(a, c, mode, **flags))
        q = qr(a, mode="economic", pivoting=pivoting)[0]
        q = q.conj() if conjugate else q
        error = ours[0] - (q @ c if mode == "left" else c @ q)
        assert in_eps(error, dtype, shape, np.linalg.norm(c)) < LIMIT
    whole = random_rows((m, 2), dtype)
    if m > shape[1]:
        ours = qr_multiply(a, whole, "left", overwrite_c=True, **flags)
        full = qr(a, pivoting=pivoting)[0]
        assert (
            in_eps(ours[0] - (full.conj() if conjugate else full) @ whole, dtype, shape, np.linalg.norm(whole)) < LIMIT
        )


SCALES = {"one": (0, 0), "graded columns": (0, 30), "graded rows": (30, 0), "both": (20, -20)}


@st.composite
def rectangles(draw):
    """A matrix, of any rank and grading, near overflow and underflow too, and an argument that stands for it."""
    m, n, dtype = draw(st.integers(0, 12)), draw(st.integers(0, 12)), draw(dtypes)
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    a = rng.integers(-2, 3, (m, n)) if draw(st.booleans()) else rng.standard_normal((m, n))
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.integers(-1, 2, (m, n))
    rank = draw(st.integers(0, 12))
    a[:, rank:] = a[:, : max(0, n - rank)] if n - rank <= rank else 0
    rows, columns = SCALES[draw(st.sampled_from(sorted(SCALES)))]
    i, j = np.arange(m)[:, None] / max(1, m), np.arange(n) / max(1, n)
    limits = np.finfo(dtype)
    middle = draw(st.sampled_from([0, limits.maxexp - 65, limits.minexp]))
    a = (a * 2.0 ** (rows * i + columns * j)).astype(dtype)
    a = residuals.scaled(a, middle).reshape(a.shape).astype(dtype)
    return a, draw(presented(a))


@properties
@given(rectangles(), st.sampled_from(FORMED), st.booleans(), st.booleans())
def test_properties(pair, mode, pivoting, check):
    a, given_a = pair
    result = qr(given_a, mode=mode, pivoting=pivoting, check_finite=check)
    q, r = result[:2]
    assert [x.shape for x in result[:2]] == [x.shape for x in scipy.linalg.qr(a, mode=mode)]
    assert_triangle(r)
    order = np.arange(a.shape[1])
    if pivoting:
        assert sorted(result[2]) == list(order)
        order = result[2]
        d = np.abs(np.diagonal(r)).astype(np.float64)
        assert (d[1:] <= d[:-1] + 100 * residuals.eps(a.dtype) * d[:1].max(initial=0)).all()
    assert_factors(a[:, order], r, q, True)
    r, q = rq(given_a, mode=mode, check_finite=check)
    assert_triangle(r, r.shape[1] - r.shape[0])
    assert_factors(a, r, q, False)


@every_dtype
def test_batches(dtype):
    a = matrices.random((2, 3, 6, 4), dtype)
    c = matrices.random((3, 5, 6), dtype)
    for function, options in [
        (qr, {"pivoting": True}), (qr, {"mode": "economic"}), (qr, {"mode": "r"}), (rq, {}),
        (qr, {"mode": "raw"}),
    ]:  # fmt: skip
        together = function(a, **options)
        for index in np.ndindex(2, 3):
            alone = function(a[index], **options)
            for all_of_them, one in zip(flat(together), flat(alone), strict=True):
                np.testing.assert_array_equal(all_of_them[index], one)
    products, r = qr_multiply(a, c)
    for index in np.ndindex(2, 3):
        one, one_r = qr_multiply(a[index], c[index[1]])
        np.testing.assert_array_equal(products[index], one)
        np.testing.assert_array_equal(r[index], one_r)
    assert [x.shape for x in qr(np.zeros((0, 3, 2)))] == [(0, 3, 3), (0, 3, 2)]


def flat(result):
    return [x for part in result for x in flat(part)] if isinstance(result, tuple) else [result]


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads):
    a = matrices.random((400, 300), "float64")
    for options in ({}, {"pivoting": True}, {"mode": "raw"}):
        for one, many in zip(flat(qr(a, threads=1, **options)), flat(qr(a, threads=threads, **options)), strict=True):
            np.testing.assert_array_equal(one, many)


def test_inputs_stay():
    a, c = np.asfortranarray(matrices.random((6, 4), "float64")), matrices.random((6, 6), "float64")
    kept = a.copy(), c.copy()
    qr(a, overwrite_a=True), rq(a, overwrite_a=True)
    qr_multiply(a, c, overwrite_a=True, overwrite_c=True)
    np.testing.assert_array_equal(a, kept[0])
    np.testing.assert_array_equal(c, kept[1])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_not_finite(bad):
    a = np.ones((4, 3))
    a[2, 1] = bad
    for call in (qr, rq, lambda a: qr_multiply(a, np.ones((2, 4)))):
        with pytest.raises(ValueError, match=r"^a: "):
            call(a)
    with pytest.raises(ValueError, match=r"^c: "):
        qr_multiply(np.ones((4, 3)), np.full((2, 4), bad))
    for result in (*qr(a, check_finite=False), *rq(a, check_finite=False)):
        assert np.isnan(result).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: qr(np.ones(3)), "a: expected a matrix"),
        (lambda: rq(np.ones(3)), "a: expected a matrix"),
        (lambda: qr(np.ones((2, 2)), mode="thin"), "mode: 'thin' is not one of 'full', 'r', 'economic', 'raw'"),
        (lambda: rq(np.ones((2, 2)), mode="raw"), "mode: 'raw' is not one of 'full', 'r', 'economic'"),
        (lambda: qr_multiply(np.ones((2, 2)), np.ones((2, 2)), "up"), "mode: 'up' is not one of 'left', 'right'"),
        (lambda: qr_multiply(np.ones((4, 2)), np.ones((4, 2)), "left"), "c: expected 2 rows"),
        (lambda: qr_multiply(np.ones((4, 2)), np.ones((2, 2))), "c: expected 4 columns"),
        (lambda: qr_multiply(np.ones((2, 4, 2)), np.ones((3, 1, 4))), "a: leading dimensions do not broadcast"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()


def test_half_precision_and_integers():
    a = matrices.random((5, 3), "float32").astype(np.float16)
    assert [x.dtype for x in qr(a)] == [np.float16] * 2
    assert [x.dtype for x in rq(np.arange(6).reshape(2, 3))] == [np.float64] * 2
