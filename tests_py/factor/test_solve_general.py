"""solve and inv: residuals, structures, conditions, SciPy's conventions and errors."""

import warnings

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
import trnsci
from hypothesis import given
from hypothesis import strategies as st
from strategies import dtypes, presented, properties
from trnsci.linalg import inv, solve

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
LIMIT = 4.0  # residuals, in units of m eps |A|_F |X|_F, m = max(n, 8)
STRUCTURES = [
    None, "gen", "general", "diagonal", "tridiagonal", "banded", "upper triangular", "lower triangular", "pos",
    "positive definite", "sym", "symmetric", "her", "hermitian",
]  # fmt: skip
OF_TRIANGLES = {"pos", "positive definite", "sym", "symmetric", "her", "hermitian"}


def wide(a):
    return np.asarray(a, np.complex128)


def expect_solved(a, x, b):
    difference = np.linalg.norm(wide(a) @ wide(x) - wide(b))
    scale = np.linalg.norm(wide(a)) * np.linalg.norm(wide(x))
    assert difference <= LIMIT * residuals.divisor(len(a)) * residuals.eps(x.dtype) * scale


def shaped(n, dtype, structure, lower=False, seed=1):
    """A well-conditioned matrix of a structure, and one with large numbers where nothing is to be read."""
    a = matrices.random((n, n), dtype, seed) + 3 * n * np.eye(n, dtype=dtype)
    junk = np.full((n, n), 1e3, dtype)
    below = np.tri(n, dtype=bool)
    used = {
        "diagonal": np.eye(n, dtype=bool), "upper triangular": below.T, "lower triangular": below,
        "tridiagonal": below.T ^ np.triu(np.ones((n, n), bool), 2) | np.eye(n, k=-1, dtype=bool),
    }.get(structure)  # fmt: skip
    if structure in OF_TRIANGLES:
        if structure not in ("sym", "symmetric"):
            np.einsum("ii->i", a)[...] = np.einsum("ii->i", a).real
        used = below if lower else below.T
        mirrored = a.T if structure in ("sym", "symmetric") else a.conj().T
        return np.where(used, a, mirrored).astype(dtype), np.where(used, a, junk).astype(dtype)
    if structure == "banded":
        a = np.triu(np.tril(a, 2), -1)
    if used is None:
        return a, a
    return np.where(used, a, 0).astype(dtype), np.where(used, a, junk).astype(dtype)


@ALL_DTYPES
@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("n", [1, 2, 6, 40, 80])
def test_structures(n, structure, dtype):
    b = matrices.random((n, 3), dtype, 5)
    for lower in (False, True):
        meant, stored = shaped(n, dtype, structure, lower)
        for a in (stored, np.asfortranarray(stored)):
            before = a.copy()
            x = solve(a, b, lower, assume_a=structure)
            assert x.shape == b.shape and x.dtype == dtype and (a == before).all()
            expect_solved(meant, x, b)
            if np.dtype(dtype).kind == "f":
                expect_solved(meant.T, solve(a, b, lower, assume_a=structure, transposed=True), b)
            y = inv(a, assume_a=structure, lower=lower)
            expect_solved(meant, y, np.eye(n))
        expect_solved(meant, solve(meant, b), b)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("structure", [s for s in STRUCTURES if s != "banded"])
def test_agrees_with_scipy(structure, dtype):
    meant, _ = shaped(9, dtype, structure)
    b = matrices.random((9, 2), dtype, 3)
    np.testing.assert_allclose(solve(meant, b, assume_a=structure), np.linalg.solve(meant, b), rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(inv(meant, assume_a=structure), np.linalg.inv(meant), rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(solve(meant, b), scipy.linalg.solve(meant, b), rtol=1e-11, atol=1e-14)


@properties
@given(st.data())
def test_any_system(data):
    dtype, n = data.draw(dtypes), data.draw(st.integers(1, 9))
    a = matrices.random((n, n), dtype, data.draw(st.integers(0, 99)))
    kind = data.draw(st.sampled_from(["full", "upper", "lower", "hermitian", "diagonal"]))
    a = {"full": a, "upper": np.triu(a), "lower": np.tril(a), "hermitian": a + a.conj().T,
         "diagonal": np.diag(np.diag(a))}[kind]  # fmt: skip
    k = data.draw(st.one_of(st.none(), st.integers(1, 4)))
    b = matrices.random((n,) if k is None else (n, k), dtype, 7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", trnsci.LinAlgWarning)
        x = solve(data.draw(presented(a)), b, overwrite_a=data.draw(st.booleans()))
    expect_solved(a, x, b)


@ALL_DTYPES
def test_stacks_broadcast(dtype):
    a = np.stack([shaped(5, dtype, s)[0] for s in (None, "upper triangular", "pos", "her", "diagonal", "sym")])
    a = a.reshape(2, 3, 5, 5)
    for shape in ((5,), (5, 2), (3, 5, 2), (4, 1, 1, 5, 1)):
        b = matrices.random(shape, dtype, 4)
        core = shape[-1:] if len(shape) == 1 else shape[-2:]
        lead = np.broadcast_shapes((2, 3), shape[: -len(core)])
        x = solve(a, b)
        assert x.shape == (*lead, *core)
        for index in np.ndindex(lead):
            expect_solved(np.broadcast_to(a, (*lead, 5, 5))[index], x[index],
                          np.broadcast_to(b, (*lead, *core))[index])  # fmt: skip
    for index in np.ndindex(2, 3):
        expect_solved(a[index], inv(a)[index], np.eye(5))


def test_shapes_of_scipy():
    assert solve(np.eye(3), np.ones((3, 0))).shape == (3, 0)
    assert solve(np.zeros((0, 0)), np.ones((0, 2))).shape == (0, 2)
    assert inv(np.zeros((0, 0))).shape == (0, 0) and inv(np.zeros((0, 2, 2))).shape == (0, 2, 2)
    for a, b in ((2.0, [4.0, 6.0]), ([2.0], [4.0]), ([[2.0]], [4.0, 6.0]), ([[2.0]], [[4.0, 6.0]]), ([[2.0]], 4.0)):
        expected = scipy.linalg.solve(a, b)
        assert solve(a, b).tolist() == expected.tolist() and solve(a, b).shape == expected.shape
    with pytest.raises(ValueError, match=r"^b: shape \(2, 3\) does not fit"):
        solve(np.stack([np.eye(3)] * 2), np.ones((2, 3)))
    assert solve(np.eye(2, dtype="f4"), np.ones(2)).dtype == np.float64


def test_overwrite_b():
    a, b = 2 * np.eye(3), np.ones((3, 2))
    assert not np.shares_memory(solve(a, b), b) and (b == 1).all()
    assert np.shares_memory(solve(a, b, overwrite_b=True), b) and (b == 0.5).all()
    assert solve(a, a, overwrite_a=True, overwrite_b=True).tolist() == np.eye(3).tolist()


@ALL_DTYPES
@pytest.mark.parametrize("structure", [None, "gen", "upper triangular", "lower triangular", "diagonal", "sym", "her"])
def test_singular_matrices_are_refused(structure, dtype):
    a, b = np.diag([1, 2, 0, 4]).astype(dtype), np.ones(4, dtype)
    for call in (lambda a: solve(a, b, assume_a=structure), lambda a: inv(a, assume_a=structure)):
        with pytest.raises(trnsci.LinAlgError, match=r"^a: the matrix is singular: .* 3 .* zero$"):
            call(a)
        with pytest.raises(trnsci.LinAlgError, match=r"^a: the matrix is singular: .* 3 .*\(batch member 1\)$"):
            call(np.stack([np.eye(4, dtype=dtype), a]))
    with pytest.raises(scipy.linalg.LinAlgError):
        scipy.linalg.solve(a, b)


def test_matrices_that_are_not_positive_definite():
    a = np.array([[1.0, 2], [2, 1]])
    for call in (lambda: solve(a, [1, 1], assume_a="pos"), lambda: inv(a, assume_a="pos")):
        with pytest.raises(trnsci.LinAlgError, match="leading minor of order 2") as caught:
            call()
        assert caught.value.minor == 2
    expect_solved(a, solve(a, [1, 1]), [1, 1])


@pytest.mark.parametrize("dtype", ["float64", "complex128", "float32"])
@pytest.mark.parametrize("structure", [None, "gen", "pos", "upper triangular", "diagonal"])
def test_ill_conditioned_matrices_warn(structure, dtype):
    scale = residuals.eps(dtype) / 100
    a = np.diag([1, scale, 2]).astype(dtype)
    if structure not in ("diagonal", "upper triangular"):
        a = a + np.diag([scale / 10] * 2, 1) + np.diag([scale / 10] * 2, -1)
    a = a.astype(dtype)
    exact = 1 / (np.linalg.norm(wide(a), 1) * np.linalg.norm(np.linalg.inv(wide(a)), 1))
    for call in (lambda a: solve(a, np.ones(3, dtype), assume_a=structure), lambda a: inv(a, assume_a=structure)):
        with pytest.warns(trnsci.LinAlgWarning, match="^a: the matrix is ill-conditioned: its rec") as caught:
            call(a)
        rcond = float(str(caught[0].message).rsplit(" ", 1)[1])
        assert exact / 1.1 < rcond < 3 * exact
        with pytest.warns(trnsci.LinAlgWarning, match=r"\(batch member 1\)$"):
            call(np.stack([np.eye(3, dtype=dtype), a]))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call(np.eye(3, dtype=dtype) * scale)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_not_finite(bad):
    a = np.eye(3)
    a[0, 2] = bad
    for call in (lambda: solve(a, np.ones(3)), lambda: inv(a)):
        with pytest.raises(ValueError, match=r"^a: contains infinities or NaNs$"):
            call()
    with pytest.raises(ValueError, match=r"^b: contains infinities or NaNs$"):
        solve(np.eye(2), [1, bad])
    for structure in STRUCTURES[:8]:
        full = np.full((3, 3), bad)
        with pytest.warns(trnsci.LinAlgWarning):
            solve(full, np.ones(3), check_finite=False, assume_a=structure)
        with pytest.warns(trnsci.LinAlgWarning):
            inv(full, check_finite=False, assume_a=structure)


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("a: expected a square matrix", lambda: solve(np.ones((2, 3)), np.ones(2))),
        ("a: expected a square matrix", lambda: inv(np.ones((2, 3)))),
        ("a: expected a square matrix", lambda: inv(2.0)),
        (r"b: shape \(3,\) does not fit a's shape \(2, 2\)", lambda: solve(np.eye(2), np.ones(3))),
        ("assume_a: 'foo' is not one of", lambda: solve(np.eye(2), np.ones(2), assume_a="foo")),
        ("assume_a: 'foo' is not one of", lambda: inv(np.eye(2), assume_a="foo")),
        ("device: 'tpu'", lambda: solve(np.eye(2), np.ones(2), device="tpu")),
        ("device: 'tpu'", lambda: inv(np.eye(2), device="tpu")),
    ],
)
def test_bad_arguments(words, call):
    with pytest.raises(ValueError, match=f"^{words}"):
        call()


def test_transposed_complex_matrices_are_refused():
    with pytest.raises(NotImplementedError, match=r"^transposed: "):
        solve(1j * np.eye(2), np.ones(2), transposed=True)
    a, b = matrices.random((4, 4), "float64"), matrices.random((4,), "complex128", 2)
    expect_solved(a.T, solve(a, b, transposed=True), b)


@ALL_DTYPES
def test_threads_do_not_change_bits(dtype):
    a, b = matrices.random((300, 300), dtype), matrices.random((300, 7), dtype, 2)
    for call in (lambda threads: solve(a, b, threads=threads), lambda threads: inv(a, threads=threads)):
        assert call(1).tobytes() == call(2).tobytes()
