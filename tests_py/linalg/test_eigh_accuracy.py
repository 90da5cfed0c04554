"""How accurate eigh is: kinds of matrices against SciPy, random ones by fixed bounds, small ones by mpmath."""

import eigh_accuracy
import matrices
import mpmath
import numpy as np
import pytest
import residuals
import trnsci
from trnsci import linalg

# An error of one unit, m eps, is as small as it needs to be where SciPy's is zero, for permutations for example.
TINY = 1.0

DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
ALL_KINDS = pytest.mark.parametrize("kind", eigh_accuracy.KINDS)


# The largest errors of random matrices from each order on.
RANDOM_LIMITS = {1: 3.0, 16: 2.0, 64: 1.2}


def check_beside_scipy(kind, dtype, orders, drivers=eigh_accuracy.DRIVERS, tiny=TINY):
    """The largest errors are at most twice those of SciPy's best driver, or tiny."""
    measured = eigh_accuracy.measure(kind, dtype, orders, drivers)
    limits = np.maximum(2 * np.array(eigh_accuracy.best(measured)), tiny)
    assert np.all(measured["ours"] <= limits), measured


@DTYPES
@ALL_KINDS
def test_as_accurate_as_scipy(kind, dtype):
    """SciPy's largest errors scatter where the matrices are few."""
    check_beside_scipy(kind, dtype, range(2, 132, 16), tiny=min(RANDOM_LIMITS.values()))


@pytest.mark.slow
@DTYPES
@ALL_KINDS
def test_as_accurate_as_scipy_in_many_orders(kind, dtype):
    check_beside_scipy(kind, dtype, eigh_accuracy.ORDERS)


@pytest.mark.slow
@DTYPES
@ALL_KINDS
def test_as_accurate_as_scipy_in_larger_orders(kind, dtype):
    check_beside_scipy(kind, dtype, (256, 500), ("evd",))


# With few equal eigenvalues, with many, and with some that differ by rounding errors; 'evr' takes minutes for some of
# these.
LARGE_KINDS = ("random", "half equal", "glued Wilkinson", "geometric spectrum")


@pytest.mark.slow
@DTYPES
@pytest.mark.parametrize("n", [1000, 2000])
@pytest.mark.parametrize("kind", LARGE_KINDS)
def test_as_accurate_as_scipy_in_large_orders(kind, n, dtype):
    a = eigh_accuracy.KINDS[kind](n, dtype)
    found = {name: eigh_accuracy.errors(a, *solve(a)) for name, solve in eigh_accuracy.solvers(("evd",)).items()}
    assert np.all(found["ours"] <= np.maximum(2 * np.array(found["evd"]), TINY)), found


@DTYPES
@pytest.mark.parametrize("n", [*range(1, 131, 3), 200, 513])
def test_random_errors_are_small(n, dtype):
    a = matrices.hermitian(n, dtype, n)
    found = eigh_accuracy.errors(a, *trnsci.eigh(a))
    assert max(found) < RANDOM_LIMITS[max(order for order in RANDOM_LIMITS if order <= n)]


@DTYPES
@pytest.mark.parametrize("n", [2, 3, 5, 8, 13, 16, 24, 32])
def test_random_errors_of_stacks_are_small(n, dtype):
    """Small matrices are solved some at a time, with arithmetic of their own."""
    a = matrices.hermitian(n, dtype, n, (60,))
    found = eigh_accuracy.worst(eigh_accuracy.errors(*member) for member in zip(a, *trnsci.eigh(a), strict=True))
    assert max(found) < RANDOM_LIMITS[max(order for order in RANDOM_LIMITS if order <= n)]


# Eigenvalues beside those of arithmetic with many digits

DIGITS = 50
# In units of n eps |A|.
EIGENVALUE_LIMIT = 2.0


def exact_eigenvalues(a):
    """The ascending eigenvalues of a Hermitian matrix to DIGITS digits."""
    with mpmath.workdps(DIGITS):
        real = a.dtype.kind != "c"
        convert = (lambda x: mpmath.mpf(float(x))) if real else (lambda x: mpmath.mpc(float(x.real), float(x.imag)))
        matrix = mpmath.matrix([[convert(x) for x in row] for row in a])
        return sorted((mpmath.eigsy if real else mpmath.eighe)(matrix, eigvals_only=True))


def eigenvalue_error(w, exact, dtype):
    """max |w - exact| / (n eps |A|), with what n roundings to subnormal numbers cost."""
    with mpmath.workdps(DIGITS):
        n, largest = len(exact), max(map(abs, exact))
        error = max(abs(mpmath.mpf(float(x)) - y) for x, y in zip(w, exact, strict=True))
        floor = n * mpmath.mpf(float(np.finfo(dtype).smallest_subnormal))
        return float(error / (n * residuals.eps(dtype) * largest + floor))


@DTYPES
@pytest.mark.parametrize("n", [2, 4, 6, 12])
@ALL_KINDS
def test_eigenvalues_beside_many_digits(kind, n, dtype):
    for a in eigh_accuracy.variants(eigh_accuracy.KINDS[kind](n, dtype))[1:]:
        exact = exact_eigenvalues(a)
        stack = np.stack([a] * 9)
        for w in (trnsci.eigh(a)[0], linalg.eigvalsh(a), trnsci.eigh(stack)[0][4], linalg.eigvalsh(stack)[8]):
            assert eigenvalue_error(w, exact, dtype) <= EIGENVALUE_LIMIT


def test_exact_eigenvalues_are_those_of_a_formula():
    """The measure itself: 2 - 2 cos(k pi / (n + 1)), and a wrong digit is seen."""
    n = 7
    w = 2 - 2 * np.cos(np.pi * np.arange(1, n + 1) / (n + 1))
    exact = exact_eigenvalues(matrices.SYMMETRIC["tridiagonal"](n))
    assert eigenvalue_error(w, exact, "float64") < 1
    assert eigenvalue_error(w + 1e-13, exact, "float64") > EIGENVALUE_LIMIT
