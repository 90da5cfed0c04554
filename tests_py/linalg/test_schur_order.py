"""Ordered Schur forms, rsf2csf, schur_condition: the selected eigenvalues first, SciPy's conventions, errors."""

import matrices
import numpy as np
import pages
import pytest
import residuals
import scipy.linalg
import trnsci
from trnsci.linalg import rsf2csf, schur, schur_condition

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
OUTPUTS = pytest.mark.parametrize("output", ["real", "complex"])
WORDS = {
    "lhp": lambda w: w.real < 0,
    "rhp": lambda w: w.real >= 0,
    "iuc": lambda w: abs(w) <= 1,
    "ouc": lambda w: abs(w) > 1,
}
EXAMPLE = np.array([[0.0, 2, 2], [0, 1, 2], [1, 0, 1]])  # of SciPy's documentation: 2.659 and -0.329 +- 0.802i
LIMIT = residuals.GENERAL_LIMIT


def eigenvalues(t):
    return np.diagonal(t) if t.dtype.kind == "c" else residuals.schur_eigenvalues(t)


def wide(a):
    return np.asarray(a, np.complex128)


def assert_form(a, t, z):
    """A form of the right structure that belongs to `a`, in units of eps of its dtype."""
    a, n = np.asarray(a), len(a)
    if t.dtype.kind == "c":
        assert not np.tril(t, -1).any()
    else:
        assert residuals.schur_fault(t) == ""
    unit = residuals.divisor(n) * residuals.eps(t.dtype)
    assert np.linalg.norm(wide(z) @ wide(t) @ residuals.adjoint(wide(z)) - a) <= LIMIT * unit * np.linalg.norm(a)
    assert np.linalg.norm(wide(z) @ residuals.adjoint(wide(z)) - np.eye(n)) <= LIMIT * unit


@ALL_DTYPES
@OUTPUTS
@pytest.mark.parametrize("n", [1, 2, 3, 6, 20, 70, 140])
@pytest.mark.parametrize("word", WORDS)
def test_words(word, n, output, dtype):
    a = matrices.random((n, n), dtype, 1) / np.asarray(n**0.5, matrices.real_dtype(dtype))
    t, z, sdim = schur(a, output, sort=word)
    assert_form(a, t, z)
    assert t.dtype == (dtype if output == "real" else np.result_type(dtype, np.complex64))
    w = eigenvalues(t)
    chosen = WORDS[word](w)
    assert type(sdim) is int and sdim == np.count_nonzero(chosen)
    assert chosen[:sdim].all()
    unordered = eigenvalues(schur(a, output)[0])
    expected = np.concatenate([unordered[WORDS[word](unordered)], unordered[~WORDS[word](unordered)]])
    # The eigenvalues of a random matrix have condition numbers up to about n.
    np.testing.assert_allclose(w, expected, rtol=0, atol=100 * n * residuals.eps(dtype))


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@OUTPUTS
@pytest.mark.parametrize("sort", ["lhp", "rhp", "iuc", "ouc", "callable"])
@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_scipy(seed, sort, output, dtype):
    a = matrices.random((12, 12), dtype, seed) / 3
    real = output == "real" and dtype == "float64"
    if real and sort in ("iuc", "ouc") and pages.SCIPY < (1, 15):
        pytest.skip(f"SciPy {scipy.__version__} looks at real parts alone, 1.15 and later at moduli")
    if sort == "callable":
        sort = (lambda x, y: y**2 > 0.1 * x) if real else (lambda w: w.imag**2 > 0.1 * w.real)
    _, z, sdim = schur(a, output, sort=sort)
    _, theirs, expected = scipy.linalg.schur(a, output, sort=sort)
    assert sdim == expected
    # The invariant subspaces are the same, whatever the order inside of the cluster.
    ours, theirs = (q[:, :sdim] @ residuals.adjoint(q[:, :sdim]) for q in (z, theirs))
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_pair_outside_of_the_unit_circle():
    a = np.array([[0.15, 5.0], [-5.0, 0.2]])  # 0.175 +- 4.9999375i, of modulus 5.0029991
    for output in ("real", "complex"):
        t, z, sdim = schur(a, output, sort="ouc")
        assert sdim == 2
        assert_form(a, t, z)
        np.testing.assert_allclose(
            sorted(eigenvalues(t), key=np.imag), [0.175 - 4.9999375j, 0.175 + 4.9999375j], atol=1e-6
        )
        assert schur(a, output, sort="iuc")[2] == 0


def test_complex_form_takes_one_of_a_pair_and_the_real_form_both():
    assert schur(EXAMPLE, "complex", sort=lambda w: w.imag > 0)[2] == 1
    assert scipy.linalg.schur(EXAMPLE, "complex", sort=lambda w: w.imag > 0)[2] == 1
    assert schur(EXAMPLE, "real", sort=lambda x, y: y > 0)[2] == 2
    assert scipy.linalg.schur(EXAMPLE, "real", sort=lambda x, y: y > 0)[2] == 2


def recorder(function, arguments):
    """A callable of that many arguments, and the list of what it was called with."""
    seen = []

    def one(x):
        seen.append((x,))
        return function(x)

    def two(x, y=None):
        seen.append((x, y))
        return function(x)

    return {1: one, 2: two}[arguments], seen


@pytest.mark.parametrize("arguments", [1, 2])
@OUTPUTS
def test_callables_get_what_scipy_gives_them(output, arguments):
    sort, ours = recorder(lambda x: x.real > 0, arguments)
    expected_sort, theirs = recorder(lambda x: x.real > 0, arguments)
    sdim = schur(EXAMPLE, output, sort=sort)[2]
    assert sdim == scipy.linalg.schur(EXAMPLE, output, sort=expected_sort)[2] == 1
    assert len(ours) == len(theirs)
    for got, expected in zip(ours, theirs, strict=True):
        assert [type(x) for x in got] == [type(x) for x in expected]
        assert got == pytest.approx(expected)


def test_kinds_of_callables():
    class Condition:
        def __call__(self, x, y):
            return x > 0

        def method(self, x, y):
            return np.bool_(x > 0)

    for sort in (Condition(), Condition().method, lambda *x: x[0] > 0, max):
        assert schur(EXAMPLE, sort=sort)[2] in (1, 3)


def test_exception_of_a_callable_reaches_the_caller():
    def fails(x, y):
        raise KeyError(x)

    given = EXAMPLE.copy()
    with pytest.raises(KeyError):
        schur(given, sort=fails)
    assert np.array_equal(given, EXAMPLE)
    assert schur(given, sort="lhp")[2] == 2  # nothing is held


def test_condition_that_changes_its_mind():
    answers = iter([True, False, False, False, False, True])
    with pytest.raises(trnsci.LinAlgError, match=r"^sort: rounding errors of the reordering"):
        schur(np.diag([1.0, 2.0, 3.0]), sort=lambda x, y: next(answers))


@pytest.mark.parametrize("sort", ["LHP", "", 3, ["lhp"], b"lhp"])
def test_bad_sort(sort):
    with pytest.raises(
        ValueError, match=r"^sort: .* is neither None nor a callable nor one of 'lhp', 'rhp', 'iuc', 'ouc'"
    ):
        schur(EXAMPLE, sort=sort)


def test_stacks_and_empty_matrices():
    a = np.stack([EXAMPLE, -EXAMPLE, np.eye(3)]).reshape(3, 1, 3, 3)
    t, z, sdim = schur(a, sort="lhp")
    assert sdim.dtype == np.int64 and sdim.tolist() == [[2], [1], [0]]
    for k in range(3):
        assert_form(a[k, 0], t[k, 0], z[k, 0])
    t, z, sdim = schur(np.empty((0, 0)), sort="lhp")
    assert t.shape == z.shape == (0, 0) and sdim == 0
    assert schur(np.empty((0, 3, 3)), sort="lhp")[2].shape == (0,)


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("sort", ["lhp", "ouc", lambda x, y=0: True])
def test_matrices_that_are_not_finite_have_nothing_to_select(sort, dtype):
    a = np.stack([EXAMPLE, EXAMPLE, EXAMPLE]).astype(dtype)
    a[1, 2, 0] = np.nan
    for output in ("real", "complex"):
        t, z, sdim = schur(a, output, sort=sort, check_finite=False)
        expected, factor, count = schur(EXAMPLE.astype(dtype), output, sort=sort)
        assert sdim.tolist() == [count, 0, count]
        assert np.isnan(t[1]).all() and np.isnan(z[1]).all()
        for k in (0, 2):
            assert np.array_equal(t[k], expected) and np.array_equal(z[k], factor)
        assert schur(a[1], output, sort=sort, check_finite=False)[2] == 0


@ALL_DTYPES
@OUTPUTS
@pytest.mark.parametrize("n", [7, 70, 170])
@pytest.mark.parametrize("sort", ["lhp", "ouc", lambda *x: x[0].real > 0.5])
def test_another_call_gives_the_same_bits(sort, n, output, dtype):
    """Memory that is kept between calls, in which other matrices were worked on, leaves no trace."""
    a = matrices.random((n, n), dtype, n)
    first = schur(a, output, sort=sort)
    schur(matrices.random((n, n), dtype, n + 1), output, sort=sort)
    second = schur(a, output, sort=sort)
    assert first[2] == second[2]
    assert first[0].tobytes() == second[0].tobytes()
    assert first[1].tobytes() == second[1].tobytes()


def test_threads_do_not_change_bits():
    a = matrices.random((150, 150), "float64", 2)
    for x, y in zip(schur(a, sort="lhp", threads=1), schur(a, sort="lhp", threads=3), strict=True):
        assert np.array_equal(x, y)


# rsf2csf


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 65])
def test_rsf2csf(n, dtype):
    a = matrices.random((n, n), dtype, 3)
    t, z = schur(a)
    tc, zc = rsf2csf(t, z)
    assert tc.dtype == zc.dtype == np.result_type(dtype, np.complex64)
    if n:
        assert_form(a, tc, zc)
        np.testing.assert_allclose(
            np.diagonal(tc), residuals.schur_eigenvalues(t), rtol=1e-6 if dtype == "float32" else 1e-14
        )


def test_rsf2csf_agrees_with_scipy():
    t, z = scipy.linalg.schur(matrices.random((9, 9), "float64", 4))
    for ours, theirs in zip(rsf2csf(t, z), scipy.linalg.rsf2csf(t, z), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-13)


def test_rsf2csf_of_stacks_and_of_what_is_complex_already():
    t, z = schur(matrices.random((2, 5, 5), "float64", 5))
    tc, zc = rsf2csf(t, z)
    for k in range(2):
        one = rsf2csf(t[k], z[k])
        assert np.array_equal(tc[k], one[0]) and np.array_equal(zc[k], one[1])
    again = rsf2csf(tc, zc)
    assert np.array_equal(again[0], tc) and np.array_equal(again[1], zc)


def test_rsf2csf_errors():
    for bad, words in [
        ((np.ones((2, 3)), np.eye(2)), "^T: expected a square matrix"),
        ((np.eye(2), np.ones((2, 3))), "^Z: expected a square matrix"),
        ((np.eye(2), np.eye(3)), "^Z: shape .* does not fit"),
        ((np.eye(2) * np.nan, np.eye(2)), "^T: contains infinities or NaNs"),
    ]:
        with pytest.raises(ValueError, match=words):
            rsf2csf(*bad)
    with pytest.raises(TypeError, match=r"^Z: dtype object .* None was given"):
        rsf2csf(np.eye(2), None)


# schur_condition


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("seed", range(8))
def test_condition_agrees_with_lapack(seed, dtype):
    t, z, sdim = schur(matrices.random((11, 11), dtype, seed), sort="lhp")
    trsen = scipy.linalg.get_lapack_funcs("trsen", (t,))
    room = {"lwork": 2 * t.size} | ({"liwork": t.size} if dtype == "float64" else {})
    *_, expected_s, expected_sep, info = trsen(np.arange(11) < sdim, t, z, job="B", **room)
    assert info == 0
    s, sep = schur_condition(t, sdim)
    assert s == pytest.approx(expected_s, rel=1e-9)
    assert sep == pytest.approx(expected_sep, rel=1e-9)


def test_condition_of_stacks():
    t = np.stack([np.diag([1.0, 3, 7]), np.diag([2.0, 2, 2]), np.triu(np.ones((3, 3)))])
    s, sep = schur_condition(t, [2, 3, 0])
    assert s.tolist() == [1, 1, 1] and sep.tolist() == [4, 2, 3]
    s, sep = schur_condition(t, 1)
    assert s.shape == sep.shape == (3,) and sep[0] == 2
    assert schur_condition(np.empty((0, 0)), 0) == (1.0, 0.0)


def test_condition_errors():
    pair = np.array([[0.0, 1], [-1, 0]])
    for sdim, words in [
        (-1, "^sdim: expected numbers from 0 to 2"),
        (3, "^sdim: "),
        ([1, 1], "^sdim: shape"),
        (1, "^sdim: 1 cuts a 2 x 2 block"),
    ]:
        with pytest.raises(ValueError, match=words):
            schur_condition(pair, sdim)
    with pytest.raises(TypeError, match=r"^sdim: expected integers"):
        schur_condition(pair, 1.5)
    with pytest.raises(ValueError, match=r"^T: expected a square matrix"):
        schur_condition(np.ones((2, 3)), 1)
    with pytest.raises(ValueError, match=r"is not a Schur form"):
        schur_condition(np.ones((4, 4)), 3)
