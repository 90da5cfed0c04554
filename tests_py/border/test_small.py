"""The quick path of one small plain matrix gives the same bits and the same errors as the common path.

Both ways are taken by giving the same numbers in two layouts: without gaps, and as every other column of a wider array.
"""

import numpy as np
import pytest
import trnsci
from trnsci import blas, linalg
from trnsci._core import _small

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


@pytest.mark.parametrize("call", [trnsci.eigh, linalg.eigvalsh, linalg.cholesky])
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
        blas.gemm(1, a, a)
    assert sys.getrefcount(a) == before
