"""ldl, and solve with assume_a='sym' and 'her': residuals, SciPy's conventions, inertia, layouts and errors."""

import itertools
import warnings

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
import trnsci
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import dtypes, presented, properties
from trnsci.linalg import ldl, solve

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
LIMIT = 1.0  # as docs/numerics.md says
SOLVE_LIMIT = 4.0


def symmetric(n, dtype, hermitian, seed=0):
    a = matrices.random((n, n), dtype, seed)
    mirrored = np.tril(a, -1)
    diagonal = np.diag(np.diag(a).real if hermitian else np.diag(a))
    return (mirrored + (mirrored.conj().T if hermitian else mirrored.T) + diagonal).astype(dtype)


def forms(dtype):
    """Whether a matrix is Hermitian or symmetric, and which triangle is used."""
    kinds = (True, False) if np.dtype(dtype).kind == "c" else (True,)
    return [(hermitian, lower) for hermitian in kinds for lower in (True, False)]


def backward_error(a, factors, hermitian):
    """|A - L D L^H|_F / (m eps ||L| |D| |L|^T|_F)."""
    left, middle = (np.asarray(f, np.complex128) for f in factors[:2])
    with np.errstate(all="ignore"):
        error = np.linalg.norm(left @ middle @ (left.conj().T if hermitian else left.T) - a)
        scale = np.linalg.norm(abs(left) @ abs(middle) @ abs(left).T)
    return 0.0 if error == 0 else error / (residuals.divisor(len(a)) * residuals.eps(factors[0].dtype) * scale)


def expect_factors(a, factors, hermitian, lower):
    left, middle, perm = factors
    n = len(a)
    assert left.shape == middle.shape == a.shape and left.dtype == middle.dtype == a.dtype
    assert perm.dtype == np.int64 and sorted(perm) == list(range(n))
    triangle = left[perm]
    assert (np.diag(triangle) == 1).all()
    assert not (np.triu(triangle, 1) if lower else np.tril(triangle, -1)).any()
    assert not np.tril(middle, -2).any() and not np.triu(middle, 2).any()
    below = np.diag(middle, -1)
    np.testing.assert_array_equal(np.diag(middle, 1), below.conj() if hermitian else below)
    assert not (below[1:] * below[:-1]).any()  # blocks do not overlap
    assert backward_error(a, factors, hermitian) <= LIMIT


@ALL_DTYPES
@pytest.mark.parametrize("n", [*range(71), 130])
def test_factors(n, dtype):
    for hermitian, lower in forms(dtype):
        a = symmetric(n, dtype, hermitian)
        factors = ldl(a, lower, hermitian)
        expect_factors(a, factors, hermitian, lower)
        if n <= 30:  # beyond that, rounding errors may choose between pivots
            expected = scipy.linalg.ldl(a, lower, hermitian)
            assert factors[2].tolist() == expected[2].tolist()
            tolerance = 1e3 * residuals.eps(dtype)
            for ours, scipys in zip(factors[:2], expected[:2], strict=True):
                np.testing.assert_allclose(ours, scipys, rtol=tolerance, atol=tolerance * abs(scipys).max(initial=0))


SPECIAL = {
    "zero": lambda a: a * 0,
    "identity": lambda a: np.eye(len(a)),
    "zero diagonal": lambda a: a - np.diag(np.diag(a)),
    "graded": lambda a: a * 1e-6 ** np.add.outer(np.arange(len(a)), np.arange(len(a))).clip(0, 4),
    "graded upward": lambda a: a * 1e-6 ** np.add.outer(np.arange(len(a)), np.arange(len(a)))[::-1, ::-1].clip(0, 4),
    "small integers": lambda a: np.round(a),
    "rank one": lambda a: np.outer(a[0], a[0].conj()),
    "tridiagonal": lambda a: np.triu(np.tril(a, 1), -1),
    "huge": lambda a: a * 1e36,
    "tiny": lambda a: a * 1e-37,
    "one row": lambda a: a * (np.add.outer(np.arange(len(a)) == 0, np.arange(len(a)) == 0)),
}


@ALL_DTYPES
@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("n", [1, 2, 9, 33, 70])
def test_special_matrices(n, kind, dtype):
    for hermitian, lower in forms(dtype):
        if kind == "rank one" and not hermitian:
            continue
        a = SPECIAL[kind](symmetric(n, dtype, hermitian)).astype(dtype)
        a = matrices.from_lower(a) if hermitian else a
        expect_factors(a, ldl(a, lower, hermitian), hermitian, lower)


@ALL_DTYPES
def test_residuals_beside_scipys(dtype):
    """The largest of many residuals is at most half as large again as SciPy's."""
    for hermitian, lower in forms(dtype):
        ours, scipys = [], []
        for n in range(1, 66):
            for kind in ("zero diagonal", "graded", "tridiagonal", "small integers"):
                a = SPECIAL[kind](symmetric(n, dtype, hermitian, seed=n)).astype(dtype)
                a = matrices.from_lower(a) if hermitian else a
                ours.append(backward_error(a, ldl(a, lower, hermitian), hermitian))
                scipys.append(backward_error(a, scipy.linalg.ldl(a, lower, hermitian), hermitian))
        assert max(ours) <= 1.5 * max(scipys) and np.mean(ours) <= 1.5 * np.mean(scipys)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("n", [1, 7, 40, 100])
def test_inertia(n, dtype):
    for negative in range(0, n + 1, max(1, n // 5)):
        spectrum = np.linspace(1, 2, n) * np.where(np.arange(n) < negative, -1, 1)
        a = matrices.with_spectrum(spectrum, dtype)
        for lower in (True, False):
            d = ldl(a, lower)[1]
            assert (np.linalg.eigvalsh(d) < 0).sum() == negative == (np.linalg.eigvalsh(a) < 0).sum()


@settings(properties, max_examples=1000)
@given(st.data())
def test_any_matrix(data):
    dtype, n = data.draw(dtypes), data.draw(st.integers(0, 9))
    hermitian, lower = data.draw(st.sampled_from(forms(dtype)))
    a = symmetric(n, dtype, hermitian, data.draw(st.integers(0, 999)))
    if data.draw(st.booleans()):  # graded
        scale = 2.0 ** np.linspace(-15, 15, n)
        a = (a * scale[:, None] * scale).astype(dtype)
    if data.draw(st.booleans()) and n:  # singular
        i = data.draw(st.integers(0, n - 1))
        a[i] = a[:, i] = 0
    if data.draw(st.booleans()):
        a = a - np.diag(np.diag(a))
    layout = data.draw(presented(np.tril(a) if lower else np.triu(a)))
    expect_factors(a, ldl(layout, lower, hermitian), hermitian, lower)


def test_shapes_and_dtypes():
    left, middle, perm = ldl(np.zeros((0, 0), np.complex64))
    assert left.shape == middle.shape == (0, 0) and left.dtype == np.complex64 and perm.shape == (0,)
    assert ldl(4.0)[1].tolist() == [[4.0]]
    assert ldl([[1, 2], [2, 1]])[0].dtype == np.float64
    assert ldl(np.eye(2, dtype=np.float16))[0].dtype == np.float16
    a = np.stack([symmetric(5, "complex64", True, seed) for seed in range(6)]).reshape(2, 3, 5, 5)
    left, middle, perm = ldl(a, lower=False)
    for index in np.ndindex(2, 3):
        expect_factors(a[index], (left[index], middle[index], perm[index]), True, False)
    assert ldl(a[:0])[2].shape == (0, 3, 5)


def test_does_not_overwrite():
    a = symmetric(6, "float64", True)
    for order in "CF":
        stored = a.copy(order)
        ldl(stored, overwrite_a=True)
        assert (stored == a).all()


@ALL_DTYPES
def test_threads_change_no_bit(dtype):
    a = symmetric(300, dtype, True)
    one, two = ldl(a, threads=1), ldl(a, threads=2)
    for x, y in zip(one, two, strict=True):
        assert x.tobytes() == y.tobytes()


def test_imaginary_parts_of_the_diagonal():
    category = getattr(np, "exceptions", np).ComplexWarning
    with pytest.warns(category, match="^A: the imaginary parts"):
        d = ldl(np.eye(3) * (1 + 1j))[1]
    np.testing.assert_array_equal(d, np.eye(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ldl(np.eye(3) * 1j, hermitian=False)
        ldl(np.eye(3))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@ALL_DTYPES
def test_not_finite(bad, dtype):
    for n in (1, 2, 40, 90):
        for where in range(min(n, 8)):
            a = symmetric(n, dtype, True)
            a[n - 1 - where, where] = a[where, n - 1 - where] = bad
            with pytest.raises(ValueError, match=r"^A: contains infinities or NaNs$"):
                ldl(a)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", getattr(np, "exceptions", np).ComplexWarning)
                for lower in (True, False):
                    left, middle, perm = ldl(a, lower, check_finite=False)
                    assert sorted(perm) == list(range(n))
                    assert not (np.isfinite(left).all() and np.isfinite(middle).all())


@pytest.mark.parametrize("a", [np.ones((2, 3)), np.ones(3), np.ones((2, 3, 4))])
def test_bad_arguments(a):
    with pytest.raises(ValueError, match=r"^A: expected a square matrix"):
        ldl(a)
    with pytest.raises(ValueError, match=r"^device: 'tpu'"):
        ldl(np.eye(2), device="tpu")


@ALL_DTYPES
@pytest.mark.parametrize("n", [*range(1, 71, 3), 32, 33, 64, 65])
def test_solve(n, dtype):
    b = matrices.random((n, 3), dtype, 5)
    for structure, hermitian in (("sym", False), ("her", True)):
        for lower in (True, False):
            a = symmetric(n, dtype, hermitian, 7)
            x = solve(np.tril(a) if lower else np.triu(a), b, lower, assume_a=structure)
            error = np.linalg.norm(a.astype(complex) @ x - b)
            scale = np.linalg.norm(a) * np.linalg.norm(x)
            assert error <= SOLVE_LIMIT * residuals.divisor(n) * residuals.eps(dtype) * scale


@ALL_DTYPES
def test_solve_beside_scipy(dtype):
    """Residuals relative to those of SciPy's sysv and hesv: the largest ones are at most half as large again."""
    for structure, hermitian in (("sym", False), ("her", True)):
        ours, scipys = [], []
        for n, seed in itertools.product(range(2, 66), range(6)):
            a, b = symmetric(n, dtype, hermitian, seed), matrices.random((n, 2), dtype, n)
            for errors, solver in ((ours, solve), (scipys, scipy.linalg.solve)):
                x = solver(a, b, assume_a=structure).astype(complex)
                errors.append(np.linalg.norm(a.astype(complex) @ x - b) / (np.linalg.norm(a) * np.linalg.norm(x)))
        assert np.mean(sorted(ours)[-10:]) <= 1.5 * np.mean(sorted(scipys)[-10:])
        assert np.mean(ours) <= 1.5 * np.mean(scipys)


@ALL_DTYPES
@pytest.mark.parametrize("structure", ["sym", "her"])
def test_singular_and_ill_conditioned_systems(structure, dtype):
    with pytest.raises(trnsci.LinAlgError, match=r"^a: the matrix is singular: pivot 2 of its LDL\^[TH] factorization"):
        solve(np.ones((3, 3), dtype), np.ones(3), assume_a=structure)
    a = np.array([[0, 1, 0], [1, 0, 0], [0, 0, residuals.eps(dtype) / 100]], dtype)
    with pytest.warns(trnsci.LinAlgWarning, match=r"^a: the matrix is ill-conditioned"):
        solve(a, np.ones(3, dtype), assume_a=structure)
    with pytest.warns(scipy.linalg.LinAlgWarning):
        scipy.linalg.solve(a, np.ones(3, dtype), assume_a=structure)
