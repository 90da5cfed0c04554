"""Functions of singular, Hermitian, defective or non-normal matrices: NaN and a warning where none exists.

Matrices are P J P^-1 with Jordan forms J and integer P of determinant 1, so that they are exact in every dtype, or such
ones after rounding errors. Values are P f(J) P^-1 with mpmath.
"""

import matrices
import mpmath
import numpy as np
import pytest
import residuals
import trnsci
from matfunc_calls import called, power
from trnsci.linalg import expm, fractional_matrix_power, logm, signm, sqrtm

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
DIGITS = 50


def norm(a):
    return float(np.linalg.norm(np.asarray(a, np.result_type(a, np.float64))))


def unimodular(rng, n):
    p, inverse = np.eye(n), np.eye(n)
    for _ in range(2 * n):
        i, j = rng.choice(n, 2, replace=False)
        factor = rng.integers(-1, 2)
        p[:, j] += factor * p[:, i]
        inverse[i] -= factor * inverse[j]
    np.testing.assert_array_equal(p @ inverse, np.eye(n))
    return p, inverse


def jordan(blocks):
    n = sum(order for _, order in blocks)
    j, first = np.zeros((n, n), np.result_type(np.float64, *[w for w, _ in blocks])), 0
    for w, order in blocks:
        last = first + order
        j[first:last, first:last] = w * np.eye(order) + np.eye(order, k=1)
        first = last
    return j


def function_of(blocks, p, inverse, value):
    """P f(J) P^-1, where `value(w, k)` is the k-th derivative of f at w over k!."""
    n, first = len(p), 0
    with mpmath.workdps(DIGITS):
        f = mpmath.zeros(n)
        for w, order in blocks:
            for k in range(order):
                for i in range(order - k):
                    f[first + i, first + i + k] = value(mpmath.mpmathify(complex(w)), k)
            first += order
        x = mpmath.matrix(p.tolist()) * f * mpmath.matrix(inverse.tolist())
        return np.array(x.tolist(), complex)


def power_of(t):
    return lambda w, k: mpmath.binomial(t, k) * mpmath.exp((t - k) * mpmath.log(w)) if w else mpmath.mpf(0)


def logarithm(w, k):
    return mpmath.log(w) if k == 0 else (-1) ** (k + 1) / (k * w**k)


def with_dependent_columns(rng, n, dtype):
    a = rng.integers(-3, 4, (n, n)).astype(dtype)
    if a.dtype.kind == "c":
        a += 1j * rng.integers(-3, 4, (n, n))
    column, factors = rng.integers(n), rng.integers(-2, 3, n)
    factors[column] = 0
    a[:, column] = a @ factors
    return a


@ALL_DTYPES
def test_negative_powers_of_singular_matrices(dtype):
    rng = np.random.default_rng(11)
    for k in range(100):
        a = with_dependent_columns(rng, 2 + k % 5, dtype)
        for t in (-0.5, -1.5, -2.7):
            x, warned = called(power(t), a)
            assert warned and not np.isfinite(x).all()
        with pytest.raises(trnsci.LinAlgError, match=r"^A: the matrix is singular"):
            fractional_matrix_power(a, -1)
        for function in (sqrtm, logm):
            assert called(function, a)[1]


def test_known_singular_matrices():
    for a in (np.array([[1, 2], [3, 6]], complex), np.arange(1.0, 10).reshape(3, 3)):
        x, warned = called(power(-0.5), a)
        assert warned and np.isnan(x).all()
        x, warned = called(sqrtm, a)
        assert warned and norm(x @ x - a) <= 10 * len(a) * np.finfo(float).eps * norm(x) ** 2
        assert called(logm, a)[1]
        with pytest.raises(trnsci.LinAlgError, match=r"^A: the matrix is singular"):
            fractional_matrix_power(a, -2)


def test_small_numbers_that_are_exact_are_not_zero():
    rng = np.random.default_rng(1)
    tiny = np.array([[1e-30, 2e-30], [3e-30, 4e-30]])
    sum_of_two = np.zeros((4, 4))
    sum_of_two[:2, :2], sum_of_two[2:, 2:] = [[1, 2], [3, 4]], tiny
    for a in (np.diag([1, 1e-20, 1e-10]), np.array([[1, 1e-5], [0, 1e-20]]), sum_of_two):
        order = rng.permutation(len(a))
        a = a[np.ix_(order, order)]
        for t in (-0.5, -1):
            x, warned = called(power(t), a)
            assert not warned and np.isfinite(x).all()
        for function in (logm, sqrtm):
            assert not called(function, a)[1]
    np.testing.assert_allclose(fractional_matrix_power(np.diag([1, 1e-20]), -0.5), np.diag([1, 1e10]), rtol=1e-15)
    x, warned = called(logm, [[1e-100]])
    assert not warned and x[0, 0] == pytest.approx(np.log(1e-100), rel=1e-15)


def similar(rng, kind, j, dtype):
    """J in another basis: after a permutation, exact or rounded."""
    n = len(j)
    if kind == "permutation":
        order = rng.permutation(n)
        return j[np.ix_(order, order)].astype(dtype)
    if kind == "exact":
        p, inverse = unimodular(rng, n)
        return (p @ j @ inverse).astype(dtype)
    q = rng.standard_normal((n, n))
    if np.dtype(dtype).kind == "c":
        q = q + 1j * rng.standard_normal((n, n))
    if kind == "unitary":
        q = np.linalg.qr(q)[0]
    return (q @ j @ np.linalg.inv(q)).astype(dtype)


@ALL_DTYPES
@pytest.mark.parametrize("kind", ["permutation", "exact", "unitary", "any basis"])
def test_zero_in_jordan_blocks(kind, dtype):
    """A power t of a nilpotent block of order m exists for m < t + 1, and square roots for m = 1."""
    rng = np.random.default_rng(5)
    for n in range(2, 7):
        for order in range(2, n + 1):
            blocks = [(0, order)] + [(float(rng.choice([1, 2, -1, 3, 0])), 1) for _ in range(n - order)]
            for _ in range(4):
                rng.shuffle(blocks)
                a = similar(rng, kind, jordan([(w, int(m)) for w, m in blocks]), dtype)
                for function in (sqrtm, power(0.5), power(0.7), power(-0.5)):
                    x, warned = called(function, a)
                    assert warned and not np.isfinite(x).all()
                assert called(logm, a)[1]
                if kind == "any basis":  # in a bad one, the order of a block may look larger than it is
                    continue
                for t in (1.5, 2.5):
                    x, warned = called(power(t), a)
                    assert warned == (order >= t + 1) != np.isfinite(x).all()


def test_known_matrices_without_roots():
    for a in ([[0, 1, 0], [0, 0, 0], [0, 0, 1]], [[1, 1, 0], [0, 0, 1], [0, 0, 0]], [[0, 2, 2], [0, 0, 0], [0, 0, 0]]):
        for function in (sqrtm, power(0.5)):
            x, warned = called(function, np.array(a, float))
            assert warned and not np.isfinite(x).all()


def test_what_is_missing_leaves_other_parts_alone():
    a = np.zeros((4, 4))
    a[0, 2], a[1, 1], a[3, 3] = 1, 4, 9
    x, warned = called(sqrtm, a)
    assert warned and np.isnan(x[np.ix_([0, 2], [0, 2])]).all()
    np.testing.assert_array_equal(x[np.ix_([1, 3], [1, 3])], np.diag([2.0, 3]))


EIGENVALUES = {"f": (1, 2, 3, 0.5, 1.5), "c": (1, 2, 3, 0.5, 1.5, 1j, 2 + 1j, -1 - 2j)}


@ALL_DTYPES
@pytest.mark.parametrize("singular", [False, True])
def test_values(singular, dtype):
    """Semisimple zeros, and others in Jordan blocks of orders up to 3, which are off the negative axis."""
    rng = np.random.default_rng(3)
    for n in range(2, 8):
        for _ in range(4):
            blocks = [(0, 1)] * int(rng.integers(1, 3)) if singular else []
            while (left := n - len(jordan(blocks) if blocks else [])) > 0:
                w = rng.choice(EIGENVALUES[np.dtype(dtype).kind])
                blocks.append(
                    (complex(w) if np.dtype(dtype).kind == "c" else float(w), int(rng.integers(1, min(left, 3) + 1)))
                )
            blocks = blocks[:n]
            rng.shuffle(blocks)
            blocks = [(w, int(np.real(m))) for w, m in blocks]
            p, inverse = unimodular(rng, n)
            a = (p @ jordan(blocks) @ inverse).astype(dtype)
            cases = [
                (sqrtm, power_of(0.5), singular),
                (power(0.3), power_of(0.3), False),
                (power(1.7), power_of(1.7), False),
            ]
            if not singular:
                cases += [(power(-0.5), power_of(-0.5), False), (logm, logarithm, False)]
            for function, value, warns in cases:
                x, warned = called(function, a)
                exact = function_of(blocks, p, inverse, value)
                unit = residuals.eps(dtype) + residuals.eps("float64") * (norm(p) * norm(inverse)) ** 4
                assert warned == warns and norm(x - exact) <= 100 * unit * max(norm(exact), 1)


@ALL_DTYPES
def test_hermitian_matrices_have_real_eigenvalues(dtype):
    """The branch of negative eigenvalues is that of negative numbers, whatever rounding errors are."""
    rng = np.random.default_rng(7)
    for k in range(120):
        n = 2 + k % 6
        a = (
            rng.integers(-3, 4, (n, n)) + 1j * rng.integers(-3, 4, (n, n))
            if k % 2
            else matrices.random((n, n), "complex128", k)
        )
        a = (a if np.dtype(dtype).kind == "c" else a.real).astype(dtype)
        a = a + a.conj().T
        w, v = np.linalg.eigh(np.asarray(a, complex))
        if np.abs(w).min() < 1e-3:
            continue
        for function, value in (
            (sqrtm, lambda w: np.sqrt(w + 0j)),
            (logm, lambda w: np.log(w + 0j)),
            (power(0.3), lambda w: np.exp(0.3 * np.log(w + 0j))),
            (power(-1.5), lambda w: np.exp(-1.5 * np.log(w + 0j))),
            (signm, np.sign),
        ):
            x, warned = called(function, a)
            exact = (v * value(w)) @ v.conj().T
            assert not warned
            limit = 20 * residuals.divisor(n) * residuals.eps(dtype) * norm(exact)
            assert (
                norm(x - exact)
                <= limit + residuals.eps("float64") * 100 * norm(exact) * np.abs(w).max() / np.abs(w).min()
            )


def test_known_hermitian_matrix():
    h = np.array([[-3, -2 - 1j], [-2 + 1j, -3]])
    # sqrt(a + b) and sqrt(a - b) with a = 3, b = sqrt(5), by hand.
    upper, lower = np.sqrt(3 + 5**0.5), np.sqrt(3 - 5**0.5)
    direction = np.array([[0, 2 + 1j], [2 - 1j, 0]]) / 5**0.5
    expected = 1j * ((upper + lower) / 2 * np.eye(2) + (upper - lower) / 2 * direction)
    np.testing.assert_allclose(sqrtm(h), expected, rtol=0, atol=2e-15)
    np.testing.assert_allclose(np.trace(logm(h)), np.log(4) + 2j * np.pi, rtol=1e-15)


def test_real_numbers_stored_as_complex_ones():
    rng = np.random.default_rng(2)
    for n in (1, 2, 3, 6, 20):
        a = rng.standard_normal((n, n))
        for function in (sqrtm, logm, power(0.3), power(-1.2), signm):
            x = function(a.astype(complex))
            assert x.dtype == np.complex128
            np.testing.assert_array_equal(x, function(a))


def test_negative_diagonals_of_triangles():
    a = np.array([[-4, 1 + 1j], [0, -9 - 0j]])
    for b in (a, a.conj(), a.T):
        np.testing.assert_allclose(np.diag(sqrtm(b)), [2j, 3j], rtol=1e-15)
        np.testing.assert_allclose(np.diag(logm(b)).imag, [np.pi, np.pi], rtol=1e-15)


def test_semidefinite_matrices_have_real_roots():
    rng = np.random.default_rng(4)
    for n in range(2, 20):
        b = rng.standard_normal((n, max(1, n // 2)))
        a = b @ b.T
        x, warned = called(sqrtm, a)
        assert warned and x.dtype == np.float64
        assert norm(x @ x - a) <= 10 * n * residuals.eps("float64") * norm(a)
        x, warned = called(power(0.5), a)
        assert not warned and x.dtype == np.float64


def test_defective_negative_eigenvalues_are_not_silent():
    """Rounding errors make pairs of double negative eigenvalues, whose roots are wrong or of another branch."""
    rng = np.random.default_rng(6)
    for _ in range(60):
        blocks = [(-2.0, 2), (1.0, 1)]
        p, inverse = unimodular(rng, 3)
        a = p @ jordan(blocks) @ inverse
        for function, value in ((sqrtm, power_of(0.5)), (logm, logarithm), (power(0.3), power_of(0.3))):
            x, warned = called(function, a)
            exact = function_of(blocks, p, inverse, value)
            assert warned or norm(x - exact) <= 1e-5 * norm(exact)


# The first experiment of A. H. Al-Mohy and N. J. Higham, SIAM J. Sci. Comput. 34, 2012.
FAR_FROM_NORMAL = np.array(
    [[3.2346e-1, 3e4, 3e4, 3e4], [0, 3.0089e-1, 3e4, 3e4], [0, 0, 3.221e-1, 3e4], [0, 0, 0, 3.0744e-1]]
)


def precise_log(a):
    """The logarithm of a triangle, by square roots and a series."""
    with mpmath.workdps(200):
        x, roots = mpmath.matrix(a.tolist()), 60
        n = len(a)
        for _ in range(roots):
            r = mpmath.zeros(n)
            for j in range(n):
                r[j, j] = mpmath.sqrt(x[j, j])
                for i in range(j - 1, -1, -1):
                    r[i, j] = (x[i, j] - sum(r[i, k] * r[k, j] for k in range(i + 1, j))) / (r[i, i] + r[j, j])
            x = r
        y, term, total = x - mpmath.eye(n), mpmath.eye(n), mpmath.zeros(n)
        for k in range(1, 40):
            term = term * y
            total += (-1) ** (k + 1) * term / k
        return np.array((total * 2**roots).tolist(), complex)


@ALL_DTYPES
def test_warnings_of_logarithms_are_true(dtype):
    rng = np.random.default_rng(8)
    cases = [FAR_FROM_NORMAL.astype(dtype)]
    for k in range(12):
        n = 2 + k % 4
        a = np.triu(rng.standard_normal((n, n)), 1) * 10.0 ** (k % 6) + np.diag(rng.uniform(0.1, 2, n))
        cases.append(a.astype(dtype))
    for a in cases:
        exact = precise_log(a)
        x, warned = called(logm, a)
        assert not warned and norm(x - exact) <= 100 * residuals.eps(dtype) * norm(exact)


@ALL_DTYPES
def test_signs_of_small_numbers(dtype):
    np.testing.assert_array_equal(signm(np.diag([1, 1e-4]).astype(dtype)), np.eye(2))
    np.testing.assert_array_equal(signm(np.diag([1, -1e-30, 0]).astype(dtype)), np.diag([1, -1, 0]))
    triangle = np.array([[1, 5], [0, 1e-6]], dtype)
    np.testing.assert_allclose(signm(triangle), np.eye(2), rtol=0, atol=1e-15)
    rng = np.random.default_rng(9)
    q = np.linalg.qr(rng.standard_normal((5, 5)))[0]
    smallest = 1e-4 if np.finfo(dtype).eps > 1e-10 else 1e-11
    a = ((q * [1, 2, smallest, -smallest, -3]) @ q.T).astype(dtype)
    signs = (q * [1, 1, 1, -1, -1]) @ q.T
    assert norm(signm(a) - signs) <= 100 * residuals.eps(dtype) / smallest
    for _ in range(20):
        p, inverse = unimodular(rng, 4)
        a = (p * [0, 0, 2, -1]) @ inverse
        np.testing.assert_allclose(
            signm(a.astype(dtype)), (p * [0, 0, 1, -1]) @ inverse, rtol=0, atol=1e3 * residuals.eps(dtype)
        )


def precise_exp(a):
    size = max(norm(a), 1)
    squarings = int(np.log2(size)) + 4
    with mpmath.workdps(60 + 8 * int(np.log10(size))):
        x = mpmath.matrix(a.tolist()) / mpmath.mpf(2) ** squarings
        total = term = mpmath.eye(len(a))
        for k in range(1, 60):
            term = term * x / k
            total = total + term
        for _ in range(squarings):
            total = total * total
        return np.array(total.tolist(), complex)


@ALL_DTYPES
@pytest.mark.parametrize("layout", ["upper", "lower", "permuted", "block"])
def test_exponentials_far_from_normal(layout, dtype):
    """Exponentials of triangles with elements up to 1e15 times their eigenvalues keep the digits of the elements."""
    rng = np.random.default_rng(10)
    most = 15 if np.finfo(dtype).eps < 1e-10 else 6
    for k in range(16):
        n = 3 + k % 4
        a = np.triu(rng.standard_normal((n, n)), 1) * 10.0 ** rng.uniform(0, most / 2, (n, n))
        a[0, -1] = 10.0**most
        a += np.diag(rng.uniform(-2, 2, n))
        if layout == "block":  # a full block that nothing but scales makes smaller
            a[1, 0] = 1 / 10.0**most
        if layout == "lower":
            a = a.T
        elif layout != "upper":
            order = rng.permutation(n)
            a = a[np.ix_(order, order)]
        a = a.astype(dtype)
        exact = precise_exp(a)
        assert norm(expm(a) - exact) <= 200 * n * residuals.eps(dtype) * norm(exact)
