"""Functions of triangles with eigenvalues of many magnitudes: all digits are right, and no warning is given."""

from functools import partial

import mpmath
import numpy as np
import pytest
import residuals
from matfunc_calls import called, power
from matrices import DTYPES
from numpy.linalg import norm
from trnsci.linalg import fractional_matrix_power, logm, sqrtm

ALL_DTYPES = pytest.mark.parametrize("dtype", DTYPES)


def precise_function(a, function):
    """A function of a triangle with different eigenvalues, by Parlett's recurrence in 400 digits."""
    n = len(a)
    with mpmath.workdps(400):
        x, f = mpmath.matrix(a.tolist()), mpmath.zeros(n)
        for j in range(n):
            f[j, j] = function(x[j, j])
            for i in range(j - 1, -1, -1):
                total = x[i, j] * (f[j, j] - f[i, i])
                total += sum(x[i, k] * f[k, j] - f[i, k] * x[k, j] for k in range(i + 1, j))
                f[i, j] = total / (x[j, j] - x[i, i])
        return np.array(f.tolist(), complex)


def precise_power(t, z):
    return mpmath.exp(t * mpmath.log(z))


@ALL_DTYPES
def test_negative_powers_of_ill_conditioned_triangles(dtype):
    """Their elements are given, so that they have all digits, whatever the condition number is."""
    rng = np.random.default_rng(12)
    is_complex, most = np.dtype(dtype).kind == "c", 30 if np.finfo(dtype).eps < 1e-10 else 6
    for k in range(40):
        n = 2 + k % 3
        a = np.triu(rng.standard_normal((n, n)), 1) + np.diag(10.0 ** rng.uniform(-most, 0, n))
        if is_complex:
            a = a * np.exp(1j * rng.uniform(-1, 1, (n, n)))
        if k % 2:  # one small eigenvalue in any place
            a[np.diag_indices(n)] = np.arange(1, n + 1)
            a[k % n, k % n] = 10.0**-most
        a = a.astype(dtype)
        for t in (-0.5, -0.3, -0.01, -0.99, -1.5, -3.7):
            exact = precise_function(a, partial(precise_power, t))
            if np.abs(exact).max() > np.finfo(dtype).max ** 0.5:
                continue
            x, _ = called(power(t), a)
            assert norm(x - exact) <= 100 * residuals.eps(dtype) * norm(exact)


def test_powers_of_triangles_with_small_eigenvalues_in_any_place():
    """Two factors commute, but in one order large elements of the fractional power cancel."""
    a = np.array([[1, 3, 1], [0, 1e-12, 1], [0, 0, 4e-12]])
    for b in (a, a[::-1, ::-1].T):
        for t in (1.5, 2.4, 3.7):
            exact = precise_function(b, partial(precise_power, t))
            assert norm(fractional_matrix_power(b, t) - exact) <= 100 * residuals.eps("float64") * norm(exact)


@pytest.mark.parametrize("place", ["upper", "lower"])
def test_right_results_of_graded_triangles_are_not_warned_of(place):
    """Residuals are large since the exponential and the square of the exact result are ill-conditioned."""
    rng = np.random.default_rng(31)
    given = [np.array([[d, 2, 3], [0, 2 * d, 4], [0, 0, 2]]) for d in (1e-5, 1e-8, 1e-20)]
    for k in range(120):
        n = 2 + k % 4
        given.append(np.triu(rng.standard_normal((n, n)), 1) + np.diag(10.0 ** rng.uniform(-30, 0, n)))
    for a in given:
        functions = ((logm, mpmath.log), (sqrtm, mpmath.sqrt), (power(-0.5), partial(precise_power, -0.5)))
        for function, of_number in functions:
            exact = precise_function(a, of_number)
            x, warned = called(function, a if place == "upper" else a.T)
            assert norm((x if place == "upper" else x.T) - exact) <= 100 * residuals.eps("float64") * norm(exact)
            assert not warned
