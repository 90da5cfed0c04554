"""ordqz: the selected eigenvalues come first, for every kind of selection, as in SciPy."""

import matrices
import numpy as np
import pencils
import pytest
import residuals
import scipy.linalg
import trnsci
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from trnsci.linalg import ordqz, qz

properties = settings(deadline=None, max_examples=1000, derandomize=True, print_blob=True)

WORDS = ("lhp", "rhp", "iuc", "ouc")

# Which eigenvalues SciPy's words select, by the definition in its documentation, and how far x is from the border.
DEFINITIONS = {
    "lhp": (lambda x: x.real < 0, lambda x: abs(x.real)),
    "rhp": (lambda x: x.real > 0, lambda x: abs(x.real)),
    "iuc": (lambda x: abs(x) < 1, lambda x: abs(abs(x) - 1)),
    "ouc": (lambda x: abs(x) > 1, lambda x: abs(abs(x) - 1)),
}


@properties
@given(pencils.random_pair(), st.sampled_from(WORDS), st.booleans())
def test_words(pair, word, to_complex):
    a, b = pair
    output = "complex" if to_complex else "real"
    aa, bb, alpha, beta, q, z = ordqz(a, b, word, output)
    pencils.assert_form(a, b, aa, bb, q, z)
    is_chosen, distance = DEFINITIONS[word]
    x = alpha / beta
    size = np.abs(alpha) + np.abs(beta)
    assume((distance(x) * np.abs(beta) > 1e4 * residuals.eps(a.dtype) * size).all())
    chosen = is_chosen(x)
    assert not (np.diff(chosen.astype(int)) > 0).any()
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    theirs = scipy.linalg.ordqz(a.astype(wide), b.astype(wide), word, output)
    assert chosen.sum() == is_chosen(theirs[2] / theirs[3]).sum()
    assert pencils.largest_distance((alpha, beta), theirs[2:4]) < 1e5 * residuals.eps(a.dtype)


# Eigenvalues far apart, 1 and +-8192i, but the block of the pair has elements of 1 and 7e7, and the interchange with it
# is ill-conditioned: LAPACK refuses it too.
GRADED = (
    np.array([[0, 0, 0, 1], [0, 0, 2**26, 0], [1, 0, 0, 0], [0, 0, 0, 0]], np.float32),
    np.array([[0, 0, 2**25, 0], [0, 0, 0, -1], [1, 0, 0, 1], [0, 1, 0, 3]], np.float32),
)


def scipy_refuses(a, b, mask):
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    try:
        scipy.linalg.ordqz(a.astype(wide), b.astype(wide), lambda alpha, beta: mask)
    except ValueError:
        return True
    return False


@properties
@example(GRADED, 4)
@given(pencils.any_pair(5), st.integers(0, 2**8 - 1))
def test_any_selection(pair, bits):
    """A callable that selects by position; members of complex pairs of real forms follow each other."""
    a, b = pair
    n = len(a)
    mask = np.array([bits >> k & 1 for k in range(n)], bool)
    found = {}

    def select(alpha, beta):
        found.update(alpha=alpha.copy(), beta=beta.copy())
        return mask

    try:
        aa, bb, alpha, beta, q, z = ordqz(a, b, select)
    except trnsci.LinAlgError:
        # Eigenvalues that are too close; each has the distance 0 from itself.
        gaps = pencils.distances((found["alpha"], found["beta"]), (found["alpha"], found["beta"]))
        assert n > 1
        assert np.sort(gaps, axis=None)[n] < 1e-2 or scipy_refuses(a, b, mask)
        return
    pencils.assert_form(a, b, aa, bb, q, z)
    assert pencils.singularity(a, b, alpha, beta) < pencils.LIMIT


def test_callable_gets_scipys_arguments():
    for dtype in matrices.DTYPES:
        for output in ("real", "complex"):
            a, b = pencils.random(5, dtype)
            seen = []

            def select(alpha, beta, seen=seen):
                seen.append((alpha.dtype, alpha.shape, beta.dtype, beta.shape))
                return alpha.imag > 0

            ours = ordqz(a, b, select, output)
            theirs = scipy.linalg.ordqz(a, b, select, output)
            assert seen[0] == seen[1]
            assert [(x.dtype, x.shape) for x in ours] == [(x.dtype, x.shape) for x in theirs]


def test_callable_that_raises():
    a, b = pencils.random(4, "float64")
    with pytest.raises(ZeroDivisionError):
        ordqz(a, b, lambda alpha, beta: 1 // 0)
    pencils.assert_form(a, b, *qz(a, b))


@pytest.mark.parametrize("answer", [True, [True, False], np.ones((3, 1)), []])
def test_callable_with_a_wrong_answer(answer):
    with pytest.raises(ValueError, match=r"^sort: expected 3 truth values"):
        ordqz(np.eye(3), np.eye(3), lambda alpha, beta: answer)


@pytest.mark.parametrize("sort", ["LHP", "", None, 1])
def test_unknown_sort(sort):
    with pytest.raises(ValueError, match=r"^sort: .*'lhp', 'rhp', 'iuc', 'ouc'"):
        ordqz(np.eye(2), np.eye(2), sort)
    with pytest.raises(ValueError, match="sort"):
        scipy.linalg.ordqz(np.eye(2), np.eye(2), sort)


@pytest.mark.parametrize("word", WORDS)
def test_infinite_and_undefined_eigenvalues(word):
    """1/0 is outside of the unit circle and in no half plane, 0/0 is nowhere; diagonal pairs do not change."""
    a, b = np.diag([0.0, 1, 0.5, -2]), np.diag([0.0, 0, 1, 1])
    expected = {"lhp": [-2], "rhp": [0.5], "iuc": [0.5], "ouc": [np.inf, -2]}[word]
    for m in (trnsci.linalg, scipy.linalg):
        with np.errstate(divide="ignore", invalid="ignore"):
            alpha, beta = m.ordqz(a, b, word)[2:4]
            np.testing.assert_allclose(np.real(alpha / beta)[: len(expected)], expected, rtol=1e-14)


def riccati(kind, n, m, rng, is_complex):
    """The extended pencil of a Riccati equation, whose second matrix is singular, and how many eigenvalues some words
    name.

    n eigenvalues are stable, n are not, and m are infinite.
    """

    def random(*shape):
        x = rng.standard_normal(shape)
        return x + 1j * rng.standard_normal(shape) if is_complex else x

    a, b, q, r = random(n, n), random(n, m), random(n, n), random(m, m)
    q, r = q @ q.conj().T, r @ r.conj().T + np.eye(m)
    zero, wide, high, square = np.zeros((n, n)), np.zeros((n, m)), np.zeros((m, n)), np.zeros((m, m))
    if kind == "continuous":
        first = np.block([[a, zero, b], [-q, -a.conj().T, wide], [high, b.conj().T, r]])
        second = np.block([[np.eye(n), zero, wide], [zero, np.eye(n), wide], [high, high, square]])
        return first, second, {"lhp": n, "rhp": n}
    first = np.block([[a, zero, b], [-q, np.eye(n), wide], [high, high, r]])
    second = np.block([[np.eye(n), zero, wide], [zero, a.conj().T, wide], [high, -b.conj().T, square]])
    return first, second, {"iuc": n, "ouc": n + m}


def counted(word, alpha, beta):
    """Which eigenvalues a user finds selected who counts: ordinary arithmetic, with infinities."""
    with np.errstate(all="ignore"):
        x = np.where(beta == 0, np.inf, alpha / np.where(beta == 0, 1, beta))
    if word in ("lhp", "rhp"):
        return (beta != 0) & (x.real < 0 if word == "lhp" else x.real > 0)
    return abs(x) < 1 if word == "iuc" else abs(x) > 1


# "exact" pencils have exact zeros. In "rounded" ones infinite eigenvalues are infinite but for rounding errors of the
# matrices.
@pytest.mark.parametrize("how", ["exact", "rounded"])
@pytest.mark.parametrize("kind", ["continuous", "discrete"])
@pytest.mark.parametrize("dtype", matrices.DTYPES)
def test_counting_gives_the_dimension_selected(dtype, kind, how):
    rng = np.random.default_rng(55)
    is_complex = np.dtype(dtype).kind == "c"
    for _ in range(60):
        n, m = int(rng.integers(1, 5)), int(rng.integers(1, 4))
        a, b, known = riccati(kind, n, m, rng, is_complex)
        if how == "rounded":
            u, v = (np.linalg.qr(rng.standard_normal((2 * n + m, 2 * n + m)))[0] for _ in range(2))
            a, b = u @ a @ v, u @ b @ v
        a, b = a.astype(dtype), b.astype(dtype)
        for word in WORDS:
            for output in ("real", "complex"):
                aa, bb, alpha, beta, q, z = ordqz(a, b, word, output)
                pencils.assert_form(a, b, aa, bb, q, z)
                chosen = counted(word, alpha, beta)
                assert not (np.diff(chosen.astype(int)) > 0).any()
                if how == "exact":
                    assert chosen.sum() == known.get(word, chosen.sum())
                    assert kind == "discrete" or (beta == 0).sum() == m


ZEROS = (lambda alpha, beta: beta == 0, lambda alpha, beta: alpha == 0, lambda alpha, beta: beta != 0)


@pytest.mark.parametrize("sort", [*WORDS, *ZEROS])
@pytest.mark.parametrize("dtype", matrices.DTYPES)
def test_zeros_of_alpha_and_beta_stay_exact(dtype, sort):
    """Triangular pairs with zeros on both diagonals, some also with complex pairs; stacks of them give the same."""
    rng = np.random.default_rng(7)
    a, b = (np.triu(matrices.random((40, 7, 7), dtype, seed)) for seed in (1, 2))
    for k in range(len(a)):
        kinds = rng.integers(0, 3, 7)
        a[k][np.diag_indices(7)] = np.where(kinds == 1, 0, 1 + rng.random(7))
        b[k][np.diag_indices(7)] = np.where(kinds == 2, 0, 1 + rng.random(7))
        if a.dtype.kind != "c" and k % 2:
            a[k, 2:4, 2:4], b[k, 2:4, 2:4] = [[1, 2], [-2, 1]], np.eye(2)
    aa, bb, alpha, beta, q, z = ordqz(a, b, sort)
    for k in range(len(a)):
        before = []

        def select(x, y, before=before):
            before.append((x.copy(), y.copy()))
            return sort(x, y) if callable(sort) else counted(sort, x, y)

        single = ordqz(a[k], b[k], select)
        for x, y in zip((aa, bb, alpha, beta, q, z), single, strict=True):
            assert x[k].tobytes() == y.tobytes()
        pencils.assert_form(a[k], b[k], *single[:2], *single[4:])
        chosen = sort(*single[2:4]) if callable(sort) else counted(sort, *single[2:4])
        assert not (np.diff(chosen.astype(int)) > 0).any()
        for old, new in zip(before[0], single[2:4], strict=True):
            assert (old == 0).sum() == (new == 0).sum() > 0 or not (old == 0).any()


def test_infinite_eigenvalue_below_a_finite_one():  # scipy#9001
    for dtype in matrices.DTYPES:
        a, b = np.array([[1, 2], [3, 4]], dtype), np.array([[0, 1], [0, 1]], dtype)
        for word, expected in (("rhp", [1, np.inf]), ("ouc", [np.inf, 1]), ("iuc", None), ("lhp", None)):
            alpha, beta = ordqz(a, b, word)[2:4]
            assert (beta == 0).sum() == 1
            if expected:
                values = [np.inf if y == 0 else complex(x / y) for x, y in zip(alpha, beta, strict=True)]
                np.testing.assert_allclose(values, expected, rtol=1e-5)


def test_pair_moves_as_a_whole():
    a, b = np.array([[1.0, 5, 0, 0], [0, 2, 0, 0], [0, 0, 3, 4], [0, 0, -4, 3]]), np.eye(4)
    for imaginary in (1, -1):
        alpha, beta = ordqz(a, b, lambda alpha, beta, s=imaginary: s * alpha.imag > 0)[2:4]
        np.testing.assert_allclose(alpha / beta, [3 + 4j, 3 - 4j, 1, 2], rtol=1e-13)


def test_stacks():
    a, b = pencils.random(6, "float32", batch=(3,))
    stack = ordqz(a, b[1], "rhp")
    for k in range(3):
        for x, y in zip(stack, ordqz(a[k], b[1], "rhp"), strict=True):
            assert x[k].tobytes() == y.tobytes()
    assert [x.shape for x in ordqz(np.zeros((0, 0)), np.zeros((0, 0)))] == [(0, 0), (0, 0), (0,), (0,), (0, 0), (0, 0)]


def test_too_close():
    """Two pairs that differ by 4e-6 in badly scaled blocks, coupled by numbers of 1e10."""
    size = 3.6e10
    a = np.array(
        [
            [1, 1, -0.8 * size, 0.7 * size],
            [-1, 1, -0.1 * size, -size],
            [0, 0, 1.0000036, size],
            [0, 0, -1 / size, 1.0000036],
        ]
    )
    with pytest.raises(trnsci.LinAlgError, match="too close"):
        ordqz(a, np.eye(4), lambda alpha, beta: [0, 0, 1, 1])
