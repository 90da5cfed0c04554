"""eigh with driver="jacobi": residuals, and eigenvalues of graded matrices with all their digits."""

import matrices
import mpmath
import numpy as np
import pytest
import residuals
import trnsci
from trnsci.linalg import eigvalsh

# Units of N eps for the relative errors of eigenvalues, for scaled matrices with a condition number of about 5.
RELATIVE_LIMIT = 100


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 16, 33, 64, 129])
@pytest.mark.parametrize("make", [matrices.hermitian, matrices.positive_definite])
def test_random(make, n, dtype):
    a = make(n, dtype)
    residuals.assert_solved("eigh", a, trnsci.eigh(a, driver="jacobi"))
    residuals.assert_solved("eigvalsh", a, eigvalsh(a, driver="jacobi"))


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("n", [2, 8, 66])
@pytest.mark.parametrize("name", matrices.SYMMETRIC)
def test_special(name, n, dtype):
    a = matrices.with_phases(matrices.SYMMETRIC[name](n), dtype)
    residuals.assert_solved("eigh", a, trnsci.eigh(a, driver="jacobi"))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_nearly_the_identity(dtype, seed):
    """The columns of the factor are nearly orthogonal from the start: one sweep leaves them so."""
    n = 200
    q = np.linalg.qr(matrices.random((n, n), dtype, seed))[0]
    a = matrices.from_lower((q * (1 + 2 * residuals.eps(dtype) * np.arange(n))) @ q.conj().T)
    residuals.assert_solved("eigh", a, trnsci.eigh(a, driver="jacobi"))


def graded(n, decades, dtype):
    """D H D in float64 with H well conditioned and D from 1 to 10**-decades in a random order."""
    h = matrices.positive_definite(n, dtype, n)
    d = 10.0 ** -np.random.default_rng(n).permutation(np.linspace(0, decades, n)) / np.sqrt(np.diagonal(h).real)
    return matrices.from_lower(h * np.outer(d, d))


def exact_eigenvalues(a):
    """The ascending eigenvalues with 120 digits, of which the grading of the matrix may cost some."""
    with mpmath.workdps(120):
        matrix = mpmath.matrix(a.tolist())
        return sorted(mpmath.eighe(matrix, eigvals_only=True))


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("decades", [3, 8, 15, 30])
@pytest.mark.parametrize("n", [2, 7, 14])
def test_eigenvalues_of_graded_matrices_have_all_their_digits(n, decades, dtype):
    a = graded(n, decades, dtype)
    exact = exact_eigenvalues(a)
    with mpmath.workdps(40):
        for lower in (True, False):
            w, _ = trnsci.eigh(a, driver="jacobi", lower=lower)
            errors = [float(abs(mpmath.mpf(float(x)) - y) / y) for x, y in zip(w, exact, strict=True)]
            assert max(errors) < RELATIVE_LIMIT * n * residuals.eps("float64")


def test_the_default_method_does_not_have_them():
    a = graded(14, 15, "float64")  # its condition number is 1e30
    relative = np.abs(eigvalsh(a) / eigvalsh(a, driver="jacobi") - 1)
    assert relative.max() > 1e-3


@pytest.mark.parametrize("make", [matrices.hermitian, matrices.positive_definite])
def test_subsets_batches_and_scratch_memory(make):
    a = make(12, "complex128", batch=(2, 3))
    w, v = trnsci.eigh(a, driver="jacobi")
    for index in np.ndindex(2, 3):
        residuals.assert_solved("eigh", a[index], (w[index], v[index]))
    few = trnsci.eigh(a, driver="jacobi", subset_by_index=(2, 4))
    np.testing.assert_array_equal(few[0], w[..., 2:5])
    np.testing.assert_array_equal(few[1], v[..., 2:5])
    low, high = float(w[0, 0, 3]), float(w[0, 0, 6])
    np.testing.assert_array_equal(eigvalsh(a[0, 0], driver="jacobi", subset_by_value=(low, high)), w[0, 0, 4:7])
    np.testing.assert_array_equal(trnsci.eigh(a.copy(), driver="jacobi", overwrite_a=True)[1], v)


def test_threads_do_not_change_bits():
    for make in (matrices.hermitian, matrices.positive_definite):
        a = make(200, "float64")
        for x, y in zip(*(trnsci.eigh(a, driver="jacobi", threads=k) for k in (1, 2)), strict=True):
            assert x.tobytes() == y.tobytes()


def test_progress():
    calls = []
    trnsci.eigh(
        matrices.hermitian(300, "float64"), driver="jacobi", progress=lambda done, total: calls.append((done, total))
    )
    assert calls[-1][0] == calls[-1][1] > 0


def test_standard_problems_only():
    with pytest.raises(ValueError, match="driver: 'jacobi' does not solve a generalized problem"):
        trnsci.eigh(np.eye(2), np.eye(2), driver="jacobi")
