"""schur: residuals, the exact structure of T, and eigenvalues against SciPy."""

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
from trnsci import schur


def check(a):
    t, z = schur(a)
    assert t.dtype == z.dtype == np.float64
    residuals.assert_solved("schur", a, (t, z))
    return t, z


def check_with_eigenvalues(a):
    t, _ = check(a)
    assert residuals.unmatched_eigenvalues(a, residuals.schur_eigenvalues(t)) == 0


@pytest.mark.parametrize("n", matrices.SIZES)
def test_random(n):
    check_with_eigenvalues(matrices.random((n, n), "float64"))


def test_large():
    check(matrices.random((matrices.LARGE, matrices.LARGE), "float64"))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 10, 33, 66])
@pytest.mark.parametrize("name", matrices.GENERAL)
def test_special(name, n):
    check_with_eigenvalues(matrices.GENERAL[name](n))


@pytest.mark.parametrize("n", range(1, 41))
def test_cyclic_permutations(n):
    """A plain QR step reproduces these matrices: without exceptional shifts the iteration never ends."""
    t, _ = check(matrices.cyclic(n))
    found = np.sort_complex(np.round(residuals.schur_eigenvalues(t), 9))
    np.testing.assert_allclose(found, np.sort_complex(np.round(np.exp(2j * np.pi * np.arange(n) / n), 9)), atol=1e-8)


@pytest.mark.parametrize("seed", range(10))
def test_integer_matrices(seed):
    a = np.random.default_rng(seed).integers(-4, 5, (12, 12))
    t, z = schur(a)
    residuals.assert_solved("schur", a.astype(float), (t, z))
    assert residuals.unmatched_eigenvalues(a.astype(float), residuals.schur_eigenvalues(t)) == 0


@pytest.mark.parametrize("seed", range(200))
def test_order_two(seed):
    """Blocks of every kind: real, complex, double and nearly double eigenvalues."""
    rng = np.random.default_rng(seed)
    a = rng.integers(-2, 3, (2, 2)) * 10.0 ** rng.integers(-9, 10, (2, 2))
    check_with_eigenvalues(a)


@pytest.mark.parametrize("name", ["triangular", "quasi-triangular", "identity", "zero", "Jordan"])
@pytest.mark.parametrize("n", [1, 2, 7, 34])
def test_schur_form_comes_back(n, name):
    a = matrices.GENERAL[name](n)
    t, z = schur(a)
    np.testing.assert_array_equal(t, a)
    np.testing.assert_array_equal(z, np.eye(n))


def test_symmetric_matrix_becomes_diagonal():
    a = matrices.hermitian(30, "float64")
    t, _ = check(a)
    assert not np.diagonal(t, -1).any()
    assert residuals.eigenvalue_error(a, np.sort(np.diagonal(t))) < residuals.GENERAL_LIMIT
    assert np.linalg.norm(np.triu(t, 1)) < 1e-13 * np.linalg.norm(a)


def test_skew_matrix_has_imaginary_eigenvalues():
    a = matrices.GENERAL["skew"](31)
    t, _ = check(a)
    values = residuals.schur_eigenvalues(t)
    assert np.abs(values.real).max() < 1e-13 * np.linalg.norm(a)
    assert np.sum(values.imag == 0) == 1


def test_orthogonal_matrix_has_eigenvalues_on_the_unit_circle():
    t, _ = check(matrices.unitary(40, "float64"))
    np.testing.assert_allclose(np.abs(residuals.schur_eigenvalues(t)), 1, rtol=1e-13)


@pytest.mark.parametrize("exponent", [-320, -310, -300, -160, -100, 100, 160, 300, 306])
@pytest.mark.parametrize("n", [2, 3, 20])
def test_scales(n, exponent):
    check_with_eigenvalues(matrices.random((n, n), "float64") * 10.0**exponent)


@pytest.mark.parametrize("power", [3, 20, 100, 150])
@pytest.mark.parametrize("n", [3, 12])
def test_strongly_graded(n, power):
    d = 10.0 ** (-power * np.arange(n) / (n - 1))
    for a in (np.outer(d, d), np.outer(d, d[::-1]), np.outer(d, np.ones(n))):
        check(a * matrices.random((n, n), "float64"))


def test_overflow_is_refused():
    with pytest.raises(ValueError, match=r"a: .*too large"):
        schur(np.full((2, 2), 1.5e308))


def test_diagonal_elements_of_a_block_are_equal_bit_for_bit():
    # An imaginary pair so far from the rest that its real part, of the order 1e-505, is lost.
    check(np.array([[0.0, 1, 0], [0, 0, 1], [1, -5.55e252, 0]]))


def test_large_elements_alone_do_not_overflow():
    check(np.array([[1.7e308, 0.0], [1.0, -1.7e308]]))


# Public reports


def test_complex_pair_with_close_moduli():  # scipy#13137
    a = np.array([[0.15, 5], [-5, 0.2]])
    t, _ = check(a)
    values = residuals.schur_eigenvalues(t)
    # Half the trace, and the root of the determinant less its square.
    np.testing.assert_allclose(values.real, 0.175, rtol=1e-14)
    np.testing.assert_allclose(np.abs(values), np.sqrt(0.15 * 0.2 + 25), rtol=1e-15)


def test_example_of_scipys_documentation():
    t, _ = check(np.array([[0, 2, 2], [0, 1, 2], [1, 0, 1.0]]))
    values = residuals.schur_eigenvalues(t)
    # Digits that SciPy's documentation of schur shows.
    np.testing.assert_allclose(np.sort(values.real), [-0.32948354, -0.32948354, 2.65896708], atol=5e-9)
    np.testing.assert_allclose(np.sort(values.imag), [-0.80225456, 0, 0.80225456], atol=5e-9)


def test_polynomial_roots_of_a_companion_matrix():
    # (x - 1)(x - 2)...(x - 6): the coefficients are integers.
    a = scipy.linalg.companion(np.poly(np.arange(1, 7)))
    t, _ = check(a)
    np.testing.assert_allclose(np.sort(np.diagonal(t)), np.arange(1, 7), rtol=1e-9)


# Batches and arguments


@pytest.mark.parametrize("shape", [(2, 3, 6, 6), (0, 3, 3), (5, 0, 0), (1, 1, 1)])
def test_batch(shape):
    a = matrices.random(shape, "float64")
    t, z = schur(a)
    assert t.shape == z.shape == shape
    for index in np.ndindex(shape[:-2]):
        residuals.assert_solved("schur", a[index], (t[index], z[index]))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_not_finite(bad):
    a = matrices.random((3, 5, 5), "float64")
    clean_t, clean_z = schur(a)
    a[1, 4, 0] = bad
    with pytest.raises(ValueError, match=r"a: .*infinities or NaNs"):
        schur(a)
    t, z = schur(a, check_finite=False)
    assert np.isnan(t[1]).all() and np.isnan(z[1]).all()
    t[1], z[1] = clean_t[1], clean_z[1]
    assert t.tobytes() == clean_t.tobytes() and z.tobytes() == clean_z.tobytes()


@pytest.mark.parametrize("output", ["real", "r"])
def test_output_words(output):
    np.testing.assert_array_equal(schur([[1.0, 2], [3, 4]], output)[0], schur([[1.0, 2], [3, 4]])[0])


def test_lwork_is_ignored():
    np.testing.assert_array_equal(schur([[1.0, 2], [3, 4]], lwork=-1)[0], schur([[1.0, 2], [3, 4]])[0])


@pytest.mark.parametrize("output", ["complex", "c"])
@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("n", [0, 1, 2, 7, 33, 70])
def test_complex_form(n, dtype, output):
    a = matrices.random((n, n), dtype)
    t, z = schur(a, output)
    assert t.dtype == z.dtype == np.result_type(dtype, np.complex64)
    assert not np.tril(t, -1).any()
    unit = residuals.divisor(n) * residuals.eps(dtype)
    wide = np.asarray(z, np.complex128)
    assert np.linalg.norm(wide @ t @ wide.conj().T - a) <= residuals.GENERAL_LIMIT * unit * np.linalg.norm(a)
    assert np.linalg.norm(wide @ wide.conj().T - np.eye(n)) <= residuals.GENERAL_LIMIT * unit


def test_complex_form_of_a_real_matrix_has_exact_pairs():
    w = np.diagonal(schur(matrices.random((40, 40), "float64"), "complex")[0])
    first = np.flatnonzero(w.imag > 0)
    assert len(first) and np.array_equal(w[first + 1], w[first].conj())
    assert 2 * len(first) == np.count_nonzero(w.imag)


@pytest.mark.parametrize("output", ["", "imaginary", None, 1])
def test_unknown_output(output):
    with pytest.raises(ValueError, match=r"output: .*'real', 'complex'"):
        schur(np.eye(2), output)


@pytest.mark.parametrize("dtype", matrices.SHORT_DTYPES)
def test_short_dtypes(dtype):
    a = matrices.random((6, 6), "float32").astype(dtype)
    t, z = schur(a)
    assert t.dtype == z.dtype == dtype
    for got, expected in zip((t, z), schur(a.astype(np.float32)), strict=True):
        assert np.array_equal(got, expected.astype(dtype))
