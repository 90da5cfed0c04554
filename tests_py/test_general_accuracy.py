"""How accurate schur and eig are: kinds of matrices beside SciPy, random ones by fixed bounds."""

import general_accuracy
import matrices
import numpy as np
import pytest
import residuals
from trnsci import linalg

# Errors up to this, in units of m eps, are as small as they need to be: SciPy permutes matrices first, so that its errors are
# zero for triangular ones, and where matrices are few its largest error says less. Rotations by complex numbers lose more
# digits than reflectors.
TINY = {"f": 2.5, "c": 8.0}
TINY_OF_FEW = {"f": 4.0, "c": 8.0}
FACTOR = 1.5  # beside SciPy's largest error

LIMITS = {"f": 2.5, "c": 4.0}  # of random matrices of order 64 and more; 4 of others

DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
ALL_KINDS = pytest.mark.parametrize("kind", general_accuracy.KINDS)


def check_beside_scipy(kind, dtype, orders, tiny):
    ours, theirs = general_accuracy.measure(kind, dtype, orders)
    limits = np.maximum(FACTOR * np.array(theirs), tiny[np.dtype(dtype).kind])
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
@pytest.mark.parametrize("n", [*range(1, 131, 9), 200, 257])
def test_random_errors_are_small(n, dtype):
    a = matrices.random((n, n), dtype, n)
    found = general_accuracy.errors(linalg, a)
    limit = LIMITS[np.dtype(dtype).kind]
    assert max(found) < (limit if n >= 64 else 4.0), found


def test_wrong_results_are_seen():
    """The measure itself: a perturbation of 50 m eps, in a form and in vectors."""
    n = 20
    a = matrices.random((n, n), "float64")
    shift = 50 * n * residuals.eps("float64") * np.linalg.norm(a, 2) * np.eye(n)
    t, z = linalg.schur(a)
    w, v = linalg.eig(a)
    assert residuals.similarity_residual(a, z, t + shift) > 25
    assert residuals.pair_residual(a, w + np.diagonal(shift), v) > 25
