"""Batches of small matrices, which are solved several at a time: members do not influence one another."""

import itertools

import matrices
import numpy as np
import pytest
import residuals
import trnsci
from trnsci import linalg

# Matrices up to the first order, and from the second one on those of single precision, have the same bits in a batch
# and alone.
SAME_BITS, SINGLE_SAME_BITS = 18, 40


def mixed(count, n, dtype):
    """A stack whose members are random, zero, diagonal, clustered, large, small, graded or negative."""
    a = matrices.hermitian(n, dtype, batch=(count,))
    real = matrices.real_dtype(dtype)
    largest = int(np.finfo(real).maxexp) - 8
    steps = np.exp2(-np.arange(n)).astype(real)
    kinds = [
        lambda x: x,
        lambda x: 0 * x,
        lambda x: np.diag(np.diag(x)),
        lambda x: np.eye(n, dtype=dtype) + real.type(1e-5) * x,
        lambda x: np.ldexp(1, largest).astype(real) * x / np.abs(x).max(),
        lambda x: np.ldexp(1, 16 - largest).astype(real) * x,
        lambda x: steps[:, None] * x * steps,
        lambda x: -x,
    ]
    return np.stack([kinds[k % len(kinds)](x) for k, x in enumerate(a)]).astype(dtype) if count else a


def in_single(dtype):
    """Whether a dtype is of single precision."""
    return matrices.real_dtype(dtype) == np.float32


def check_member(a, w, v):
    residuals.assert_solved("eigh", a, (w, v))
    assert residuals.eigenvalue_error(a, w) < residuals.HERMITIAN_LIMIT


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize(
    ("count", "n"),
    [
        *itertools.product([0, 1, 7, 8, 9, 17], [1, 2, 3, 8]),
        (3, 15),
        (9, 18),
        (9, 32),
        (2, 33),
        (3, 33),
        (9, 64),
        (3, 65),
    ],
)
def test_members(count, n, dtype):
    a = mixed(count, n, dtype)
    w, v = trnsci.eigh(a)
    assert w.shape == (count, n) and v.shape == a.shape
    assert w.dtype == matrices.real_dtype(dtype) and v.dtype == dtype
    for k in range(count):
        check_member(a[k], w[k], v[k])
        if n <= SAME_BITS or (n >= SINGLE_SAME_BITS and in_single(dtype)):
            alone_w, alone_v = trnsci.eigh(a[k])
            assert alone_w.tobytes() == w[k].tobytes() and alone_v.tobytes() == v[k].tobytes()


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("n", [4, 21, 50])
def test_order_of_members_does_not_matter(n, dtype):
    a = mixed(19, n, dtype)
    w, v = trnsci.eigh(a)
    order = np.random.default_rng(5).permutation(len(a))
    shuffled_w, shuffled_v = trnsci.eigh(a[order])
    assert shuffled_w.tobytes() == w[order].tobytes()
    assert np.array_equal(shuffled_v, v[order])


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("n", [5, 24, 40])
def test_threads_change_no_bits(n, dtype):
    a = mixed(33, n, dtype)
    w, v = trnsci.eigh(a, threads=1)
    other_w, other_v = trnsci.eigh(a, threads=2)
    assert other_w.tobytes() == w.tobytes() and other_v.tobytes() == v.tobytes()


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("n", [6, 24, 40])
def test_subsets_and_values_alone(n, dtype):
    a = mixed(11, n, dtype)
    w, v = trnsci.eigh(a)
    values = linalg.eigvalsh(a)
    if n >= SINGLE_SAME_BITS and in_single(dtype):  # divide and conquer, which finds eigenvalues alone in another way
        assert (np.abs(values - w) <= n * np.finfo(dtype).eps * np.abs(w).max(axis=-1, keepdims=True)).all()
    else:
        assert values.tobytes() == w.tobytes()
    some_w, some_v = trnsci.eigh(a, subset_by_index=(1, n // 2))
    assert some_w.shape == (11, n // 2) and some_v.shape == (11, n, n // 2)
    assert np.array_equal(some_w, w[:, 1 : n // 2 + 1]) and np.array_equal(some_v, v[..., 1 : n // 2 + 1])


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("lower", [True, False])
def test_layouts_and_triangles(lower, dtype):
    a = mixed(12, 9, dtype)
    w, v = trnsci.eigh(a)
    one = a.copy()
    rest = np.triu_indices(9, 1) if lower else np.tril_indices(9, -1)
    one[:, rest[0], rest[1]] = 7
    wide = np.zeros((24, 9, 18), dtype)
    wide[::2, :, ::2] = one
    for stack in (one, np.asfortranarray(one), wide[::2, :, ::2], one[::-1][::-1], one.reshape(3, 4, 9, 9)):
        got_w, got_v = trnsci.eigh(stack, lower=lower)
        assert got_w.tobytes() == w.tobytes() and np.array_equal(got_v.reshape(v.shape), v)


@pytest.mark.parametrize("n", [3, 40])
def test_error_names_the_first_bad_member(n):
    a = mixed(20, n, "float64")
    a[13, n - 1, 0] = np.nan
    with pytest.raises(ValueError, match=r"a: .*infinities or NaNs.*member 13"):
        trnsci.eigh(a)
    w, v = trnsci.eigh(a, check_finite=False)
    assert np.isnan(w[13]).all() and np.isnan(v[13]).all()
    assert np.isfinite(np.delete(w, 13, axis=0)).all() and np.isfinite(np.delete(v, 13, axis=0)).all()
