"""How accurate schur and eig are: kinds of matrices against SciPy, random ones by fixed bounds."""

import general_accuracy
import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
import threadpoolctl
from trnsci import linalg

# No error may be larger than 1.5 times SciPy's largest one of the same matrices, unless it is below half a unit.
FACTOR, TINY = 1.5, 0.5
# Vectors may have what a vector of a random matrix has in any case.
TINY_VECTORS = 2.5
# Where matrices are few, SciPy's largest error says less.
TINY_OF_FEW = 2.5

# What form and factor of random matrices stay below: from order 64 on, and under it.
RANDOM_LIMITS = (2.0, 2.5)
SMALL_RANDOM_LIMIT = 4.0

DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
ALL_KINDS = pytest.mark.parametrize("kind", general_accuracy.KINDS)


def check_beside_scipy(kind, dtype, orders, tiny):
    ours, theirs = general_accuracy.measure(kind, dtype, orders)
    limits = np.maximum(FACTOR * np.array(theirs), [tiny, tiny, TINY_VECTORS, TINY_VECTORS, 0.0])
    limits[2:4] = np.minimum(
        limits[2:4], residuals.GENERAL_LIMIT
    )  # SciPy's eigenvalues of tiny and huge matrices are wrong
    limits[4] = residuals.GENERAL_LIMIT
    if kind in general_accuracy.EXCEPTIONS:
        limits[:2] = np.maximum(limits[:2], general_accuracy.EXCEPTIONS[kind].limits)
    assert np.all(ours <= limits), (ours, theirs)


@DTYPES
@ALL_KINDS
def test_as_accurate_as_scipy(kind, dtype):
    check_beside_scipy(kind, dtype, (6, 34), TINY_OF_FEW)


@pytest.mark.slow
@DTYPES
@ALL_KINDS
def test_as_accurate_as_scipy_in_many_orders(kind, dtype):
    check_beside_scipy(kind, dtype, general_accuracy.ORDERS, TINY)


@DTYPES
@pytest.mark.parametrize("n", [*range(1, 131, 9), 200, 257, 384])
def test_random_errors_are_small(n, dtype):
    a = matrices.random((n, n), dtype, n)
    found = general_accuracy.errors(linalg, a)
    if n < 64:
        assert max(found) < SMALL_RANDOM_LIMIT, found
    else:
        form, factor = RANDOM_LIMITS
        assert found.form < form and max(found) < factor, found


@DTYPES
@ALL_KINDS
def test_forms_are_exactly_triangular(kind, dtype):
    t, _ = linalg.schur(general_accuracy.KINDS[kind](21, dtype))
    if t.dtype.kind == "c":
        assert not np.tril(t, -1).any()
    else:
        assert residuals.schur_fault(t) == ""


@DTYPES
def test_symmetric_matrices_become_diagonal(dtype):
    n = 40
    a = matrices.hermitian(n, dtype)
    t, _ = linalg.schur(a)
    outside = residuals.scaled(t - np.diag(np.diagonal(t)))
    assert np.linalg.norm(outside) <= 4 * n * residuals.eps(dtype) * residuals.spectral_norm(residuals.scaled(a))


@DTYPES
@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_cyclic_permutations(step, dtype):
    """Up to orders of the multishift iteration, where exchanges of eigenvalues cost some digits, as in LAPACK."""
    found = [], []
    with threadpoolctl.threadpool_limits(1):
        for n in range(4, 201, step):
            a = matrices.cyclic(n).astype(dtype)
            for results, module in zip(found, (linalg, scipy.linalg), strict=True):
                results.append(general_accuracy.errors(module, a, vectors=False))
    ours, theirs = (np.max(results, axis=0) for results in found)
    assert np.all(ours <= FACTOR * theirs), (ours, theirs)


def test_wrong_results_are_seen():
    """The measure itself: a perturbation of 50 m eps, in a form and in vectors."""
    n = 20
    a = matrices.random((n, n), "float64")
    shift = 50 * n * residuals.eps("float64") * np.linalg.norm(a, 2) * np.eye(n)
    t, z = linalg.schur(a)
    w, v = linalg.eig(a)
    assert residuals.similarity_residual(a, z, t + shift) > 25
    assert residuals.pair_residual(a, w + np.diagonal(shift), v) > 25
