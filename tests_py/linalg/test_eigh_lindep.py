"""Generalized eigenproblems with a nearly singular or indefinite metric: refused, or solved with lindep=."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.linalg
import trnsci
from trnsci import linalg

DTYPES = ("float32", "float64", "complex64", "complex128")


def unitary(rng, n):
    return np.linalg.qr(rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n)))[0]


def hermitian(rng, n, dtype="float64"):
    a = rng.standard_normal((n, n)) + (1j * rng.standard_normal((n, n)) if np.dtype(dtype).kind == "c" else 0)
    return (a + a.conj().T).astype(dtype)


def metric(rng, values, dtype="float64"):
    q = (
        unitary(rng, len(values))
        if np.dtype(dtype).kind == "c"
        else np.linalg.qr(rng.standard_normal((len(values),) * 2))[0]
    )
    b = (q * values) @ q.conj().T
    return ((b + b.conj().T) / 2).astype(dtype)


def spectrum(n, *small):
    return np.concatenate((small, np.linspace(1, 2, n - len(small))))


def canonical(a, b, lindep):
    """The definition, by NumPy in double precision."""
    s, u = np.linalg.eigh(b.astype(np.result_type(b.dtype, np.float64)))
    x = u[:, s > lindep] / np.sqrt(s[s > lindep])
    return np.linalg.eigvalsh(x.conj().T @ a @ x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [3, 12, 64, 130])
def test_against_the_definition(dtype, n):
    rng = np.random.default_rng(n)
    a, b = hermitian(rng, n, dtype), metric(rng, spectrum(n, 1e-6, 1e-5), dtype)
    with pytest.warns(
        trnsci.LinearDependencyWarning, match=rf"b: 2 of {n} eigenvectors .* to lindep=0.001 and were dropped"
    ):
        w, v = trnsci.eigh(a, b, lindep=1e-3)
    eps = np.finfo(dtype).eps
    assert w.dtype == np.finfo(dtype).dtype and v.dtype == a.dtype and w.shape == (n - 2,) and v.shape == (n, n - 2)
    tolerance = 10 * n * eps * np.linalg.norm(a, 2)
    assert np.abs(w - canonical(a, b, 1e-3)).max() < tolerance
    wide = v.astype(np.result_type(dtype, np.float64))
    assert np.abs(wide.conj().T @ b @ wide - np.eye(n - 2)).max() < 10 * n * eps
    assert np.abs(wide.conj().T @ a @ wide - np.diag(w)).max() < tolerance
    with pytest.warns(trnsci.LinearDependencyWarning):
        assert np.abs(linalg.eigvalsh(a, b, lindep=1e-3) - w).max() < tolerance


def test_nothing_is_dropped_silently_or_loudly():
    rng = np.random.default_rng(1)
    a, b = hermitian(rng, 20), metric(rng, spectrum(20))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        w, v = trnsci.eigh(a, b, lindep=1e-8)
    assert v.shape == (20, 20) and np.abs(w - scipy.linalg.eigh(a, b)[0]).max() < 1e-13 * np.abs(a).sum()


def test_subsets_count_what_is_left():
    rng = np.random.default_rng(2)
    n = 30
    a, b = hermitian(rng, n), metric(rng, spectrum(n, 0, 0, 0))
    with pytest.warns(trnsci.LinearDependencyWarning, match="3 of 30"):
        every = linalg.eigvalsh(a, b, lindep=1e-8)
        w, v = trnsci.eigh(a, b, lindep=1e-8, subset_by_index=(2, 26))
        assert v.shape == (n, 25) and np.abs(w - every[2:27]).max() < 1e-12
        middle = (every[3] + every[4]) / 2
        w, v = trnsci.eigh(a, b, lindep=1e-8, subset_by_value=(-np.inf, middle))
        assert v.shape == (n, 4) and np.abs(w - every[:4]).max() < 1e-12
    with pytest.warns(
        trnsci.LinearDependencyWarning, match="dropped; subset_by_index counts the 27 eigenpairs that are left$"
    ):
        linalg.eigvalsh(a, b, lindep=1e-8, subset_by_index=(0, 3))
    with pytest.raises(ValueError, match=r"subset_by_index: .* last < 27, got \(0, 27\); 3 of 30 eigenvectors of b "):
        trnsci.eigh(a, b, lindep=1e-8, subset_by_index=(0, 27))


def test_stacks():
    rng = np.random.default_rng(3)
    n = 10
    a = np.stack([hermitian(rng, n, "complex128") for _ in range(3)])
    b = np.stack([metric(rng, spectrum(n, *small), "complex128") for small in ([], [1e-9], [1e-9])])
    with pytest.raises(ValueError, match=r"lindep: .* different numbers of eigenpairs: 10 of member 0, 9 of member 1"):
        trnsci.eigh(a, b, lindep=1e-6)
    with pytest.warns(trnsci.LinearDependencyWarning, match="b: 0 or 1 of 10 .* counts the 10 or 9 eigenpairs"):
        w, v = trnsci.eigh(a, b, lindep=1e-6, subset_by_index=(0, 3))
    with pytest.warns(trnsci.LinearDependencyWarning, match="b: 1 of 10"):
        pairs, vectors = trnsci.eigh(a[1:], b[1:], lindep=1e-6)
    assert w.shape == (3, 4) and v.shape == (3, n, 4) and pairs.shape == (2, 9) and vectors.shape == (2, n, 9)
    for k in range(3):
        assert np.abs(w[k] - canonical(a[k], b[k], 1e-6)[:4]).max() < 1e-12
    assert np.abs(pairs[1] - canonical(a[2], b[2], 1e-6)).max() < 1e-12
    assert trnsci.eigh(np.empty((0, 3, 3)), np.empty((0, 3, 3)), lindep=0)[1].shape == (0, 3, 3)
    assert trnsci.eigh(np.empty((0, 0)), np.empty((0, 0)), lindep=0)[1].shape == (0, 0)


@pytest.mark.parametrize(
    ("error", "message", "arguments"),
    [
        (ValueError, "lindep: there is no b", {"b": None}),
        (ValueError, "lindep: possible for type 1 only, got type 2", {"type": 2}),
        (ValueError, "lindep: expected a finite number that is not negative, got -1", {"lindep": -1}),
        (ValueError, "lindep: expected a finite number that is not negative, got NaN", {"lindep": float("nan")}),
        (TypeError, "lindep: expected a number, got 'x'", {"lindep": "x"}),
        (ValueError, "b: none of its eigenvalues is above lindep = 5, the largest is 2", {"lindep": 5}),
        (
            np.linalg.LinAlgError,
            "b: not positive definite: the smallest eigenvalue is -2",
            {"b": np.diag([1.0, -2, 2])},
        ),
        (np.linalg.LinAlgError, "b: the leading minor of order 1 is not positive", {"b": np.zeros((3, 3))}),
        (np.linalg.LinAlgError, "b: the leading minor of order 1 is not positive", {"b": -np.diag([1.0, 2, 2])}),
        (ValueError, "b: contains infinities or NaNs", {"b": np.diag([1.0, np.nan, 1])}),
    ],
)
def test_errors(error, message, arguments):
    with pytest.raises(error, match=message):
        trnsci.eigh(**{"a": np.eye(3), "b": np.diag([1.0, 1, 2]), "lindep": 1e-8, **arguments})


def test_the_warning_can_be_an_error_and_pickled():
    with warnings.catch_warnings():
        warnings.simplefilter("error", trnsci.LinearDependencyWarning)
        with pytest.raises(trnsci.LinearDependencyWarning, match="1 of 2") as caught:
            trnsci.eigh(np.eye(2), np.ones((2, 2)), lindep=1e-8)
    assert isinstance(pickle.loads(pickle.dumps(caught.value)), trnsci.LinearDependencyWarning)


def test_input_is_left_alone():
    rng = np.random.default_rng(5)
    a, b = hermitian(rng, 20), metric(rng, spectrum(20, 0))
    before = a.copy(), b.copy()
    with pytest.warns(trnsci.LinearDependencyWarning):
        trnsci.eigh(a, b, lindep=1e-8)
    assert (a == before[0]).all() and (b == before[1]).all()


# Without lindep


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("type", [1, 2, 3])
@pytest.mark.parametrize(
    ("b", "order"), [([[1, 1], [1, 1]], 2), ([[1, 0], [0, -1]], 2), ([[0.1] * 3] * 3, 2), ([[0]], 1)]
)
def test_a_metric_that_is_not_positive_definite(dtype, type, b, order):
    """scipy#21951, abacus#5707: neither finite nonsense nor a hang; the order is named, and for type 1 the remedy."""
    with pytest.raises(np.linalg.LinAlgError, match=f"b: the leading minor of order {order} is not positive") as caught:
        trnsci.eigh(np.eye(len(b), dtype=dtype), np.array(b, dtype), type=type)
    assert ("lindep=" in str(caught.value)) == (type == 1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [5, 40, 150])
def test_singular_semidefinite_metrics(dtype, n):
    """They are refused, or what comes out satisfies the equation to the precision of the dtype."""
    rng = np.random.default_rng(n)
    g = hermitian(rng, n, dtype)[:, : n - n // 4]
    b = g @ g.conj().T
    try:
        v = trnsci.eigh(hermitian(rng, n, dtype), b)[1]
    except np.linalg.LinAlgError:
        return
    # Rounding to single precision can make it definite; it is then taken to be exact.
    assert dtype in ("float32", "complex64")
    wide = v.astype("complex128")
    gram = wide.conj().T @ b @ wide
    assert np.abs(gram - np.eye(n)).max() < n * np.finfo(dtype).eps * np.linalg.norm(b, 2) * np.linalg.norm(v, 2) ** 2


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_a_metric_with_an_eigenvalue_of_a_billionth(dtype):
    """scipy#12258: residuals are small relative to |a| + |w| |b|; with lindep= the pair is gone."""
    rng = np.random.default_rng(6)
    for _ in range(20):
        a, b = hermitian(rng, 12, dtype), metric(rng, np.geomspace(1e-9, 1, 12), dtype)
        w, v = trnsci.eigh(a, b)
        residual = np.linalg.norm(a @ v - b @ v * w, axis=0) / np.linalg.norm(v, axis=0)
        assert (residual < 1e-12 * (np.linalg.norm(a, 2) + np.abs(w) * np.linalg.norm(b, 2))).all()
        with pytest.warns(trnsci.LinearDependencyWarning, match="1 of 12"):
            assert trnsci.eigh(a, b, lindep=2e-9)[1].shape == (12, 11)
