"""lu_factor, lu_solve, lu, det and slogdet: residuals, SciPy's conventions, layouts and errors."""

import warnings

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
import trnsci
from hypothesis import given
from hypothesis import strategies as st
from strategies import dtypes, presented, properties
from trnsci import linalg
from trnsci.linalg import det, lu, lu_factor, lu_solve, slogdet

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
SHAPES = [(0, 0), (0, 3), (3, 0), (1, 1), (1, 4), (4, 1), (2, 2), (7, 7), (9, 5), (5, 9), (33, 33), (65, 65), (130, 90)]
LIMIT = 2.0  # |P A - L U|, entry by entry, in units of m eps |L| |U|, m = max(K, 8); complex numbers cost twice as much
SOLVE_LIMIT = 4.0  # as in test_solve.py


def wide(a):
    return np.asarray(a, np.complex128)


def rows_of(piv, m):
    """The order of the rows after the exchanges."""
    rows = np.arange(m)
    for k, p in enumerate(piv):
        rows[[k, p]] = rows[[p, k]]
    return rows


def expect_factors(a, factor, piv):
    m, n = a.shape
    k = min(m, n)
    assert factor.shape == a.shape and factor.dtype == a.dtype and piv.shape == (k,) and piv.dtype == np.int32
    lower, upper = wide(np.tril(factor[:, :k], -1)) + np.eye(m, k), wide(np.triu(factor[:k]))
    assert (abs(lower.real) + abs(lower.imag)).max(initial=0) <= (1 if a.dtype.kind == "f" else 2) + 1e-6
    difference = abs(wide(a)[rows_of(piv, m)] - lower @ upper)
    unit = residuals.divisor(k) * residuals.eps(a.dtype) * (abs(lower) @ abs(upper))
    assert (difference <= LIMIT * (2 if a.dtype.kind == "c" else 1) * unit).all()


@ALL_DTYPES
@pytest.mark.parametrize("shape", SHAPES)
def test_factors(shape, dtype):
    a = matrices.random(shape, dtype)
    for view in (a, np.asfortranarray(a), a[::-1]):
        expect_factors(view, *lu_factor(view))
        expect_factors(view, *lu_factor(view, threads=2))


@ALL_DTYPES
@pytest.mark.parametrize("n", [1, 3, 20, 64, 65, 100])
def test_small_matrices_have_the_same_bits(n, dtype):
    a = matrices.random((n, n), dtype)
    for ours, common in zip(lu_factor(a), lu_factor(a, threads=1), strict=True):
        assert ours.tobytes("F") == common.tobytes("F") and ours.strides == common.strides


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_pivots_are_those_of_scipy(dtype):
    for shape in ((5, 5), (40, 40), (9, 4), (4, 9), (100, 100)):
        a = matrices.random(shape, dtype)
        factor, piv = lu_factor(a)
        expected, expected_piv = scipy.linalg.lu_factor(a)
        assert piv.tolist() == expected_piv.tolist()
        np.testing.assert_allclose(factor, expected, rtol=1e-9, atol=1e-11)


@properties
@given(st.data())
def test_any_matrix(data):
    dtype = data.draw(dtypes)
    m, n = data.draw(st.integers(0, 9)), data.draw(st.integers(0, 9))
    a = matrices.random((m, n), dtype, data.draw(st.integers(0, 99)))
    if data.draw(st.booleans()) and m:  # graded rows
        reach = 30 if matrices.real_dtype(dtype) == np.float32 else 500
        a = (a * 2.0 ** np.linspace(-reach, reach, m)[:, None]).astype(dtype)
    if data.draw(st.booleans()) and m:  # singular
        a[data.draw(st.integers(0, m - 1))] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", trnsci.LinAlgWarning)
        expect_factors(a, *lu_factor(data.draw(presented(a)), overwrite_a=data.draw(st.booleans())))


def test_overwrites_only_where_it_may():
    a = matrices.random((6, 6), "float64")
    stored = np.asfortranarray(a)
    assert np.shares_memory(lu_factor(stored, overwrite_a=True)[0], stored)
    expect_factors(a, stored, lu_factor(a)[1])
    for view in (a, a.T):
        before = view.copy()
        assert not np.shares_memory(lu_factor(view)[0], view) and (view == before).all()


@ALL_DTYPES
def test_stacks(dtype):
    a = matrices.random((2, 3, 5, 4), dtype)
    factor, piv = lu_factor(a)
    assert factor.shape == a.shape and piv.shape == (2, 3, 4)
    for index in np.ndindex(2, 3):
        expect_factors(a[index], factor[index], piv[index])
    assert lu_factor(a[:0])[1].shape == (0, 3, 4)
    square = matrices.random((2, 3, 4, 4), dtype)
    factors = lu_factor(square)
    for shape in ((4,), (4, 2), (3, 4, 2), (5, 1, 1, 4, 1)):
        b = matrices.random(shape, dtype, 4)
        x = lu_solve(factors, b)
        core = shape[-1:] if len(shape) == 1 else shape[-2:]
        lead = np.broadcast_shapes((2, 3), shape[: -len(core)])
        assert x.shape == (*lead, *core)
        for index in np.ndindex(lead):
            expect_solved(np.broadcast_to(square, (*lead, 4, 4))[index], x[index],
                          np.broadcast_to(b, (*lead, *core))[index])  # fmt: skip


def expect_solved(a, x, b):
    difference = np.linalg.norm(wide(a) @ wide(x) - wide(b))
    scale = np.linalg.norm(wide(a)) * np.linalg.norm(wide(x))
    assert difference <= SOLVE_LIMIT * residuals.divisor(len(a)) * residuals.eps(x.dtype) * scale


@ALL_DTYPES
@pytest.mark.parametrize("n", [0, 1, 2, 9, 64, 130])
@pytest.mark.parametrize("k", [None, 0, 1, 3, 300])
def test_lu_solve(k, n, dtype):
    a, b = matrices.random((n, n), dtype), matrices.random((n,) if k is None else (n, k), dtype, 9)
    factor, piv = lu_factor(a)
    for trans, op in ((0, a), (1, a.T), (2, a.conj().T)):
        for stored in (factor, np.ascontiguousarray(factor)):
            x = lu_solve((stored, piv), b, trans)
            assert x.shape == b.shape and x.dtype == dtype
            expect_solved(op, x, b)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_takes_the_factors_of_scipy_and_gives_it_ours(dtype):
    a, b = matrices.random((12, 12), dtype), matrices.random((12, 3), dtype, 2)
    for trans in (0, 1, 2):
        expected = scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), b, trans)
        np.testing.assert_allclose(lu_solve(scipy.linalg.lu_factor(a), b, trans), expected, rtol=1e-9)
        np.testing.assert_allclose(scipy.linalg.lu_solve(lu_factor(a), b, trans), expected, rtol=1e-9)


def test_lu_solve_overwrites_b_when_asked():
    factors, b = lu_factor(2 * np.eye(3)), np.ones((3, 2))
    assert not np.shares_memory(lu_solve(factors, b), b) and (b == 1).all()
    assert np.shares_memory(lu_solve(factors, b, overwrite_b=True), b) and (b == 0.5).all()


@ALL_DTYPES
@pytest.mark.parametrize("shape", [*SHAPES, (2, 3, 4, 4), (2, 5, 3), (0, 2, 2)])
def test_lu(shape, dtype):
    a = matrices.random(shape, dtype)
    m, n = shape[-2:]
    p, low, up = lu(a)
    k = min(m, n)
    assert p.shape == (*shape[:-2], m, m) and low.shape == (*shape[:-1], k) and up.shape == (*shape[:-2], k, n)
    assert low.dtype == up.dtype == dtype and p.dtype == matrices.real_dtype(dtype)
    limit = 8 * residuals.divisor(k) * residuals.eps(dtype) * abs(wide(a)).max(initial=0)
    assert (abs(wide(p) @ wide(low) @ wide(up) - a) <= limit).all()
    assert (np.triu(low) == np.eye(m, k)).all() and (np.tril(up, -1) == 0).all()
    permuted, again = lu(a, permute_l=True)
    np.testing.assert_array_equal(permuted, p @ low)
    np.testing.assert_array_equal(again, up)
    rows, low_again, _ = lu(a, p_indices=True)
    assert rows.dtype == np.int32 and rows.shape == (*shape[:-2], m)
    np.testing.assert_array_equal(np.take_along_axis(low_again, rows[..., None].astype(int), -2), permuted)


@pytest.mark.parametrize("flags", [{}, {"p_indices": True}, {"permute_l": True}])
def test_lu_agrees_with_scipy(flags):
    for shape in ((6, 6), (7, 3), (3, 7), (2, 4, 4)):
        a = matrices.random(shape, "float64")
        for ours, theirs in zip(lu(a, **flags), scipy.linalg.lu(a, **flags), strict=True):
            assert ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)


# Determinants


@ALL_DTYPES
@pytest.mark.parametrize("n", [0, 1, 2, 5, 30])
def test_determinants(n, dtype):
    a = matrices.random((3, n, n), dtype)
    values, (signs, logarithms) = det(a), slogdet(a)
    expected_signs, expected_logarithms = np.linalg.slogdet(a.astype("c16" if a.dtype.kind == "c" else "f8"))
    limit = 30 * residuals.divisor(n) * residuals.eps(dtype)
    scale = abs(np.linalg.inv(wide(a))).sum() * abs(a).max(initial=1)
    np.testing.assert_allclose(values, expected_signs * np.exp(expected_logarithms), rtol=limit * scale)
    np.testing.assert_allclose(signs, expected_signs, rtol=limit * scale)
    np.testing.assert_allclose(logarithms, expected_logarithms, rtol=limit, atol=limit * scale)
    assert values.dtype == (np.complex128 if a.dtype.kind == "c" else np.float64)
    assert signs.dtype == dtype and logarithms.dtype == matrices.real_dtype(dtype)


def test_determinants_out_of_range():
    assert det(np.diag([1e200, 1e200, 1e-200, 1e-200])) == pytest.approx(1)
    assert det(1e10 * np.eye(100)) == np.inf and det(1e-10 * np.eye(100)) == 0
    assert det(np.full((2, 2), 1e30, "f4") + np.diag([1e30, 0]).astype("f4")) == pytest.approx(1e60, rel=1e-5)
    sign, logarithm = slogdet(-1e10 * np.eye(101))
    assert sign == -1 and logarithm == pytest.approx(1010 * np.log(10))


def test_singular_and_not_finite_determinants():
    assert det(np.ones((3, 3))) == 0 and slogdet(np.ones((3, 3))) == (0, -np.inf)
    assert np.isnan(det(np.full((3, 3), np.nan), check_finite=False))
    assert np.isnan(slogdet(np.full((3, 3), np.nan)).logabsdet)
    assert slogdet(np.diag([-np.inf, 1])) == (-1, np.inf) == np.linalg.slogdet(np.diag([-np.inf, 1]))
    assert type(det(np.eye(2))) is np.float64 and type(det(1j * np.eye(2))) is np.complex128


# Warnings and errors


def test_singular_matrices_warn():
    a = np.array([[1.0, 2, 3], [2, 4, 6], [1, 1, 1]])
    words = r"^a: the matrix is singular: element 3 of U's diagonal is exactly zero"
    for options in ({}, {"threads": 1}):
        with pytest.warns(trnsci.LinAlgWarning, match=words + "$"):
            factor, piv = lu_factor(a, **options)
        expect_factors(a, factor, piv)
        with pytest.warns(trnsci.LinAlgWarning, match=words + r" \(batch member 1\)$"):
            lu_factor(np.stack([np.eye(3), a]), **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lu(a)
        det(a)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("call", [lu_factor, lu, det])
def test_not_finite(call, bad):
    a = np.eye(3)
    a[0, 2] = bad
    with pytest.raises(ValueError, match=r"^a: contains infinities or NaNs$"):
        call(a)
    with pytest.raises(ValueError, match=r"^a: .*\(batch member 1\)$"):
        call(np.stack([np.eye(3), a]))
    call(a, check_finite=False)


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("a: expected a matrix", lambda: lu_factor(np.ones(3))),
        ("a: expected a matrix", lambda: lu(2.0)),
        ("a: expected a square matrix", lambda: det(np.ones((2, 3)))),
        ("a: expected a square matrix", lambda: slogdet(np.ones(3))),
        ("lu: expected a square matrix", lambda: lu_solve((np.ones((2, 3)), [0, 1]), [1, 1])),
        (r"b: shape \(4,\) does not fit lu's", lambda: lu_solve(lu_factor(np.eye(3)), np.ones(4))),
        (r"piv: expected shape \(2,\), got \(1,\)", lambda: lu_solve((np.eye(2), [1]), np.ones(2))),
        ("piv: pivots from -1 to 1", lambda: lu_solve((np.eye(2), [-1, 1]), np.ones(2))),
        ("piv: pivots from 0 to 2", lambda: lu_solve((np.eye(2), [0, 2]), np.ones(2))),
        ("lu_and_piv: expected what lu_factor returns", lambda: lu_solve(np.eye(3), np.ones(3))),
        ("trans: 3 is not one of", lambda: lu_solve(lu_factor(np.eye(2)), np.ones(2), trans=3)),
        ("lu: .*infinities or NaNs", lambda: lu_solve(([[1, np.nan], [0, 1]], [0, 1]), np.ones(2))),
        ("b: .*infinities or NaNs", lambda: lu_solve((np.eye(2), [0, 1]), [1, np.inf])),
        ("device: 'tpu'", lambda: lu_factor(np.eye(2), device="tpu")),
    ],
)
def test_bad_arguments(words, call):
    with pytest.raises(ValueError, match=f"^{words}"):
        call()


def test_bad_types():
    with pytest.raises(TypeError, match=r"^piv: expected integers"):
        lu_solve((np.eye(2), [0.0, 1.0]), np.ones(2))
    with pytest.raises(TypeError, match=r"^a: dtype"):
        lu_factor(np.array([["x"]]))


@pytest.mark.parametrize("dtype", matrices.SHORT_DTYPES)
def test_half_precision(dtype):
    a = np.array([[2, 2], [4, 8]], dtype)
    factor, piv = lu_factor(a)
    assert factor.dtype == dtype and factor.tolist() == [[4, 8], [0.5, -2]] and piv.tolist() == [1, 1]
    assert all(x.dtype == dtype for x in lu(a)) and det(a) == 8 and slogdet(a)[0].dtype == dtype
    assert lu_solve((factor, piv), np.array([4, 12], dtype)).tolist() == [1, 1]


@ALL_DTYPES
def test_threads_do_not_change_bits(dtype):
    a, b = matrices.random((300, 300), dtype), matrices.random((300, 7), dtype, 2)
    one, two = lu_factor(a, threads=1), lu_factor(a, threads=2)
    assert all(x.tobytes("F") == y.tobytes("F") for x, y in zip(one, two, strict=True))
    assert lu_solve(one, b, threads=1).tobytes() == lu_solve(one, b, threads=2).tobytes()


@pytest.mark.parametrize("name", ["lu_factor", "lu_solve", "lu", "det", "slogdet", "inv", "solve"])
def test_progress_reaches_its_end(name):
    a, seen = matrices.random((700, 700), "float64"), []
    given = {"lu_solve": (lu_factor(a), a), "solve": (a, a)}.get(name, (a,))
    getattr(linalg, name)(*given, progress=lambda done, total: seen.append((done, total)))
    assert seen and seen[-1][0] == seen[-1][1] and seen == sorted(seen)
