"""The quick path of one small plain matrix gives the same bits and the same errors as the common path.

Both ways are taken by giving the same numbers in two layouts: without gaps, and as every other column of a wider array.
"""

import matrices
import numpy as np
import pytest
import trnsci
from trnsci import blas, linalg
from trnsci._core import _small
from trnsci.blas import _level3

DTYPES = "float32", "float64", "complex64", "complex128"
ORDERS = 1, 2, 3, 5, 8, 17, 32, 33, 64, 65


def spread(a):
    """Return the matrix in memory with gaps, which the short way does not take."""
    wide = np.zeros((a.shape[0], 2 * a.shape[1]), a.dtype)
    wide[:, ::2] = a
    return wide[:, ::2]


def positive_definite(n, dtype, seed=0):
    rng = np.random.default_rng((seed, n))
    a = rng.standard_normal((n, n)) + (1j * rng.standard_normal((n, n)) if np.dtype(dtype).kind == "c" else 0)
    return (a @ a.conj().T + n * np.eye(n)).astype(dtype)


def test_the_short_way_is_taken():
    assert _small.is_possible()
    assert _small.order(np.eye(3)) == 3
    read_only = np.eye(3)
    read_only.flags.writeable = False
    assert _small.order(read_only) == 3
    unaligned = np.zeros(9 * 8 + 1, np.uint8)[1:].view(np.float64).reshape(3, 3)
    others = (
        spread(np.eye(3)), np.asfortranarray(np.arange(9.0).reshape(3, 3)), np.eye(3).astype(">f8"),
        np.eye(3, dtype=np.int64),
        np.eye(3)[None], np.ones((2, 3)), np.empty((0, 0)), np.eye(65), np.eye(33, dtype=complex), unaligned, [[1.0]],
        np.ma.array(np.eye(2)),
    )  # fmt: skip
    assert [_small.order(a) for a in others] == [0] * len(others)
    assert _small.pencil_order(np.eye(64), np.eye(64)) == 64
    assert [_small.general_order((np.eye(n),), None, None, None) for n in (32, 33)] == [32, 0]
    assert [_small.general_order((np.eye(n), np.eye(n)), 1, None, None) for n in (32, 33)] == [32, 0]
    assert _small.general_order((np.eye(3),), None, False, None) == 0
    assert _small.general_order((np.eye(3),), None, None, "cpu") == 0
    for b in (np.eye(2), np.eye(3, dtype=np.float32), np.eye(3, dtype=complex), spread(np.eye(3)), None):
        assert _small.pencil_order(np.eye(3), b) == 0


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_results_are_the_same_bits(dtype, lower):
    for n in ORDERS:
        a = positive_definite(n, dtype)
        before = a.copy()
        for one, other in (
            (trnsci.eigh(a, lower=lower), trnsci.eigh(spread(a), lower=lower)),
            ((linalg.eigvalsh(a, lower=lower),), (linalg.eigvalsh(spread(a), lower=lower),)),
            ((trnsci.eigh(a, lower=lower, eigvals_only=True),), (linalg.eigvalsh(spread(a), lower=lower),)),
            (trnsci.eigh(a, lower=lower, threads=2), trnsci.eigh(spread(a), lower=lower, threads=2)),
            (trnsci.eigh(a, lower=lower, driver="ev"), trnsci.eigh(spread(a), lower=lower, driver="ev")),
            ((linalg.cholesky(a, lower=lower),), (linalg.cholesky(spread(a), lower=lower),)),
        ):
            for x, y in zip(one, other, strict=True):
                assert x.dtype == y.dtype and x.shape == y.shape and x.strides == y.strides
                np.testing.assert_array_equal(x, y)
        np.testing.assert_array_equal(a, before)


@pytest.mark.parametrize("type", [1, 2, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_pencils_are_the_same_bits(dtype, type):
    for n in ORDERS:
        a, b = positive_definite(n, dtype, 1), positive_definite(n, dtype, 2)
        before = a.copy(), b.copy()
        for options in ({}, {"lower": False}, {"eigvals_only": True}, {"driver": "gvd", "threads": 1}):
            one = trnsci.eigh(a, b, type=type, **options)
            other = trnsci.eigh(spread(a), spread(b), type=type, **options)
            if options.get("eigvals_only"):
                one, other = (one,), (other,)
            for x, y in zip(one, other, strict=True):
                assert x.dtype == y.dtype and x.shape == y.shape and x.strides == y.strides
                np.testing.assert_array_equal(x, y)
        np.testing.assert_array_equal(a, before[0])
        np.testing.assert_array_equal(b, before[1])


def random(n, dtype, seed=0):
    """A general matrix; that of the seed 2 is singular."""
    a = matrices.random((n, n), dtype, seed)
    if seed == 2:
        a[:, 0] = 0
    return a


def assert_same(one, other):
    """Check that two results, arrays or tuples of arrays, do not differ in a bit nor in how they are stored."""
    assert isinstance(one, tuple) == isinstance(other, tuple)
    for x, y in zip(*(r if isinstance(r, tuple) else (r,) for r in (one, other)), strict=True):
        assert (x.dtype, x.shape, x.strides) == (y.dtype, y.shape, y.strides)
        assert x.flags.writeable and y.flags.writeable
        assert x.tobytes("A") == y.tobytes("A")


GENERAL = [
    (linalg.eig, {}), (linalg.eig, {"left": True}), (linalg.eig, {"left": True, "right": False}),
    (linalg.eig, {"right": False, "homogeneous_eigvals": True, "overwrite_a": True}),
    (linalg.eig, {"left": 1, "right": 1, "homogeneous_eigvals": 1, "check_finite": 0, "threads": 2}),
    (linalg.eigvals, {}), (linalg.eigvals, {"homogeneous_eigvals": True, "threads": 1}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "options"),
    [*GENERAL, (linalg.schur, {}), (linalg.schur, {"output": "r", "overwrite_a": True, "threads": 2}),
     (linalg.schur, {"output": "complex", "check_finite": False}), (linalg.schur, {"sort": "lhp"})],
)  # fmt: skip
@pytest.mark.parametrize("dtype", DTYPES)
def test_general_matrices_are_the_same_bits(dtype, call, options):
    for n in ORDERS:
        for a in (random(n, dtype), random(n, dtype, 2), positive_definite(n, dtype)):
            before = a.copy()
            other = spread(a)
            if "sort" in options:
                *one, count = call(a, **options)
                *two, expected = call(other, **options)
                assert count == expected
                assert_same(tuple(one), tuple(two))
            else:
                assert_same(call(a, **options), call(other, **options))
            np.testing.assert_array_equal(a, before)


@pytest.mark.parametrize(
    ("call", "options"),
    [*GENERAL, (linalg.qz, {}), (linalg.qz, {"output": "r", "overwrite_a": True, "overwrite_b": True, "threads": 2}),
     (linalg.qz, {"output": "c", "lwork": 7, "check_finite": False})],
)  # fmt: skip
@pytest.mark.parametrize("dtype", DTYPES)
def test_general_pencils_are_the_same_bits(dtype, call, options):
    for n in ORDERS:
        for seed in (1, 2):  # the pencil of the second one has an infinite eigenvalue
            a, b = random(n, dtype), random(n, dtype, seed)
            before = a.copy(), b.copy()
            assert_same(call(a, b, **options), call(spread(a), spread(b), **options))
            assert_same((a, b), before)
    diagonal = np.diag([1, 2, 0, 3]).astype(dtype), np.diag([2, 0, 0, 1]).astype(dtype)  # 2/0 and 0/0
    assert_same(call(*diagonal, **options), call(*map(spread, diagonal), **options))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("trans", ["N", "T", "C"])
def test_products_are_the_same_bits(dtype, trans):
    for n in ORDERS:
        a, b = positive_definite(n, dtype, 1)[:, : (n + 1) // 2].copy(), positive_definite(n, dtype, 2)
        for left, right in ((a.T.copy(), b), (a, b), (np.asfortranarray(a), np.asfortranarray(b))):
            if (left.shape[1] if trans == "N" else left.shape[0]) != n:
                continue
            for out in (None, np.empty((left.shape[0] if trans == "N" else left.shape[1], n), dtype)):
                one = blas.gemm(1.25, left, right, transA=trans, out=out)
                np.testing.assert_array_equal(one, blas.gemm(1.25, spread(left), spread(right), transA=trans))
                assert out is None or one is out


@pytest.mark.parametrize("dtype", DTYPES)
def test_larger_products_are_the_same_bits(dtype):
    """Products that are shared by threads, one of them with an operand that begins in the middle of a cache line."""
    rng = np.random.default_rng(3)
    for m, k, n in ((200, 150, 170), (64, 300, 400), (3, 700, 900)):
        memory = rng.standard_normal(k * n + 1).astype(dtype)
        a, b = rng.standard_normal((m, k)).astype(dtype), memory[1:].reshape(k, n)
        expected = blas.gemm(1, spread(a), spread(b), threads=1)
        for threads in (1, 2, 3):
            for other in (b, b.copy()):
                np.testing.assert_array_equal(blas.gemm(1, a, other, threads=threads), expected)


def gaps(a):
    """Return a stack in memory with gaps between the rows, which the short way does not take."""
    wide = np.zeros((*a.shape[:-1], a.shape[-1] + 1), a.dtype)
    wide[..., :-1] = a
    return wide[..., :-1]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("trans", [("N", "N"), ("T", "N"), ("N", "T"), ("C", "C")])
def test_stacks_of_products_are_the_same_bits(dtype, trans):
    for lead in ((1,), (7,), (2, 3), (70,)):
        for m, n, k in ((1, 1, 1), (3, 5, 2), (8, 8, 8), (12, 20, 9), (16, 16, 16), (33, 25, 40)):
            a = matrices.random((*lead, m, k) if trans[0] == "N" else (*lead, k, m), dtype, 1)
            b = matrices.random((*lead, k, n) if trans[1] == "N" else (*lead, n, k), dtype, 2)
            b.flags.writeable = False
            expected = blas.gemm(0.5, gaps(a), gaps(b), transA=trans[0], transB=trans[1])
            for options in ({}, {"threads": 1}, {"threads": 3}, {"out": np.empty((*lead, m, n), dtype)}):
                one = blas.gemm(0.5, a, b, transA=trans[0], transB=trans[1], **options)
                assert one.flags.c_contiguous and one.shape == expected.shape and one.dtype == expected.dtype
                np.testing.assert_array_equal(one, expected)
                assert one is options.get("out", one)


def test_which_stacks_take_the_short_way():
    a = np.ones((4, 3, 3))

    def is_short(a, b, out=None):
        return _level3._quick(1.0, a, b, False, False, out, None) is not None

    assert is_short(a, a) and is_short(a.reshape(2, 2, 3, 3), a.reshape(2, 2, 3, 3)) and is_short(a, a, a.copy())
    turned = a.swapaxes(1, 2)
    others = (a, a[0]), (a[0], a), (a[:1], a), (a, turned), (turned, a), (a.T, a.T), (a[:0], a[:0]), (a[0, 0], a[0, 0])
    assert not any(is_short(*pair) for pair in others)
    assert not any(is_short(a, a, out) for out in (a, a[:3].copy(), turned, a.astype("f4"), a[0].copy()))
    np.testing.assert_array_equal(blas.gemm(1, a, a, out=a), np.full((4, 3, 3), 3.0))


def test_a_product_into_its_own_operand():
    a = np.arange(9.0).reshape(3, 3)
    expected = a @ a.T
    assert blas.gemm(1, a, a.T.copy(), out=a) is a
    np.testing.assert_array_equal(a, expected)


def error_of(call):
    try:
        call()
    except Exception as error:
        return type(error), str(error)
    return None


@pytest.mark.parametrize(
    "call", [trnsci.eigh, linalg.eigvalsh, linalg.cholesky, linalg.eig, linalg.eigvals, linalg.schur]
)
@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_errors_are_the_same(call, value):
    a = np.eye(4)
    a[2, 2] = value
    assert error_of(lambda: call(a)) == error_of(lambda: call(spread(a)))
    assert error_of(lambda: call(a, check_finite=False)) == error_of(lambda: call(spread(a), check_finite=False))
    assert (error_of(lambda: call(a)) is None) == (value == -1.0 and call is not linalg.cholesky)


@pytest.mark.parametrize("type", [1, 2, 3])
@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_errors_of_pencils_are_the_same(value, type):
    good, bad = np.eye(4), np.eye(4)
    bad[2, 2] = value
    for a, b in ((good, bad), (bad, good)):
        for check_finite in (True, False):
            plain = error_of(lambda: trnsci.eigh(a, b, type=type, check_finite=check_finite))  # noqa: B023
            wide = error_of(lambda: trnsci.eigh(spread(a), spread(b), type=type, check_finite=check_finite))  # noqa: B023
            assert plain == wide
    assert error_of(lambda: trnsci.eigh(good, bad, type=type)) is not None


@pytest.mark.parametrize("call", [linalg.eig, linalg.eigvals, linalg.qz])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_errors_of_general_pencils_are_the_same(value, call):
    good, bad = np.eye(4), np.eye(4)
    bad[2, 2] = value
    for a, b in ((good, bad), (bad, good)):
        assert error_of(lambda: call(a, b)) == error_of(lambda: call(spread(a), spread(b))) is not None  # noqa: B023
        assert_same(call(a, b, check_finite=False), call(spread(a), spread(b), check_finite=False))


@pytest.mark.parametrize("call", [linalg.eig, linalg.eigvals, linalg.qz, linalg.schur])
@pytest.mark.parametrize(
    "options",
    [{"threads": 0}, {"threads": 1.5}, {"threads": "1"}, {"device": "no"}, {"check_finite": np.ones(2)},
     {"threads": -1, "check_finite": np.ones(2)}, {"progress": 3}],
)  # fmt: skip
def test_errors_of_options_of_general_problems_are_the_same(call, options):
    a = np.eye(4)
    for pair in ((a,), (a, a)) if call in (linalg.eig, linalg.eigvals) else ((a, a),) if call is linalg.qz else ((a,),):
        plain = error_of(lambda: call(*pair, **options))  # noqa: B023
        assert plain == error_of(lambda: call(*map(spread, pair), **options)) is not None  # noqa: B023


@pytest.mark.parametrize("other", [None, "text", 1.0, [[None]]])
@pytest.mark.parametrize("n", [3, 33])  # an order with and one without the short way
def test_errors_of_what_is_no_matrix_are_the_same(n, other):
    a = np.eye(n)
    assert error_of(lambda: linalg.qz(a, other)) == error_of(lambda: linalg.qz(spread(a), other)) is not None
    assert error_of(lambda: linalg.qz(other, a)) == error_of(lambda: linalg.qz(other, spread(a))) is not None


@pytest.mark.parametrize("call", [linalg.qz, linalg.schur])
@pytest.mark.parametrize("options", [{"output": "no"}, {"output": 3}, {"sort": "no"}, {"output": np.array(["r", "c"])}])
def test_errors_of_words_are_the_same(call, options):
    pair = (np.eye(4),) * (2 if call is linalg.qz else 1)
    plain = error_of(lambda: call(*pair, **options))
    assert plain == error_of(lambda: call(*map(spread, pair), **options)) is not None


ONLY_OF_PENCILS = {"driver": "gvd"}


@pytest.mark.parametrize(
    "options",
    [ONLY_OF_PENCILS, {"driver": "no"}, {"driver": ["ev"]}, {"driver": np.array(["ev", "evd"])}, {"threads": 0},
     {"threads": 1.5}, {"threads": "1"}, {"type": 4}, {"type": "1"}, {"device": "no"}, {"driver": 3, "threads": -1}],
)  # fmt: skip
def test_errors_of_options_are_the_same(options):
    a = np.eye(4)
    plain = error_of(lambda: trnsci.eigh(a, **options))
    assert plain == error_of(lambda: trnsci.eigh(spread(a), **options)) is not None
    if options is not ONLY_OF_PENCILS:
        plain = error_of(lambda: trnsci.eigh(a, a, **options))
        assert plain == error_of(lambda: trnsci.eigh(spread(a), spread(a), **options)) is not None


def test_no_array_outlives_its_call():
    """Counts of references are those of before: the library keeps no array whose object it was given."""
    import sys

    a = positive_definite(3, "float64")
    before = sys.getrefcount(a)
    for _ in range(100):
        trnsci.eigh(a)
        trnsci.eigh(a, a)
        linalg.cholesky(a)
        linalg.schur(a)
        linalg.qz(a, a)
        linalg.eig(a)
        linalg.eig(a, a)
        blas.gemm(1, a, a)
    assert sys.getrefcount(a) == before
