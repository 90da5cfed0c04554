"""trnsci.df_fit against SciPy's and PySCF's fits: layouts, dtypes, singular and indefinite metrics, errors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import trnsci

EPS = {"float32": float(np.finfo(np.float32).eps), "float64": float(np.finfo(np.float64).eps)}


def metric_of(rng, w):
    """Return a symmetric matrix with the eigenvalues w."""
    q = np.linalg.qr(rng.normal(size=(len(w), len(w))))[0]
    metric = (q * w) @ q.T
    return (metric + metric.T) / 2


def difference(a, b):
    """Return the norm of a difference relative to the reference."""
    return float(np.linalg.norm(np.asarray(a, np.float64) - b) / np.linalg.norm(b))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("naux", "pairs"), [(1, 1), (5, 3), (64, 40), (97, 200), (150, 5000)])
def test_against_cholesky(naux, pairs, dtype):
    rng = np.random.default_rng(naux)
    w = np.geomspace(1e-2, 1, naux)
    metric, integrals = metric_of(rng, w).astype(dtype), rng.normal(size=(naux, pairs)).astype(dtype)
    exact = np.asarray(metric, np.float64)
    want = scipy.linalg.solve_triangular(scipy.linalg.cholesky(exact, lower=True), integrals, lower=True)
    limit = naux * EPS[dtype] * np.linalg.cond(exact)
    by_columns = np.asfortranarray(integrals)
    for axis, given in ((0, integrals), (-1, integrals.T), (0, by_columns), (-1, by_columns.T)):
        result = trnsci.df_fit(metric, given, axis=axis)
        assert result.dropped == 0 and result.integrals.dtype == dtype
        assert difference(result.integrals if axis == 0 else result.integrals.T, want) <= limit


@pytest.mark.parametrize("few", [[-0.3, -2e-9], [-1e-12, 5e-8]])
@pytest.mark.parametrize("axis", [0, -1])
def test_metrics_without_cholesky_factor(axis, few):
    """Where there are eigenvalues that are not above lindep, the result is that of the others."""
    rng = np.random.default_rng(3)
    w = np.array([*few, *np.geomspace(1e-3, 1, 30)])
    metric, integrals = metric_of(rng, w), rng.normal(size=(32, 100))
    values, vectors = scipy.linalg.eigh(metric)
    kept = vectors[:, values > 1e-7]
    want = integrals.T @ (kept / values[values > 1e-7]) @ kept.T @ integrals
    result = trnsci.df_fit(metric, integrals if axis == 0 else integrals.T, axis=axis)
    fitted = result.integrals if axis == 0 else result.integrals.T
    assert result.dropped == 2 and fitted.shape == (30, 100)
    # The signs of the eigenvectors are free, but not what the fit is for.
    assert difference(fitted.T @ fitted, want) <= 32 * EPS["float64"] * 1e3
    assert np.isfinite(fitted).all()


def test_dependence_is_by_value_and_may_be_chosen():
    rng = np.random.default_rng(5)
    metric, integrals = metric_of(rng, [-0.5, 1e-3, 0.1, 1.0]), rng.normal(size=(4, 7))
    for lindep, dropped in ((1e-7, 1), (1e-2, 2), (0.5, 3), (0, 1)):
        result = trnsci.df_fit(metric, integrals, lindep=lindep)
        assert result.dropped == dropped and len(result.integrals) == 4 - dropped
    # A metric with a Cholesky factor keeps all functions, as in PySCF.
    assert trnsci.df_fit(metric_of(rng, [1e-9, 1, 1, 1]), integrals).dropped == 0


def test_only_the_lower_triangle_counts():
    rng = np.random.default_rng(7)
    metric, integrals = metric_of(rng, np.geomspace(0.1, 1, 20)), rng.normal(size=(20, 9))
    spoiled = metric + np.triu(rng.normal(size=(20, 20)), 1)
    assert np.array_equal(trnsci.df_fit(spoiled, integrals).integrals, trnsci.df_fit(metric, integrals).integrals)


@pytest.mark.parametrize("least", [0.1, -0.1])
def test_memory(least):
    rng = np.random.default_rng(11)
    metric = metric_of(rng, [least, *np.linspace(0.2, 1, 8)])
    before, integrals = metric.copy(), rng.normal(size=(4, 5, 9))
    kept = integrals.copy()
    want = trnsci.df_fit(metric, integrals, axis=-1)
    assert np.array_equal(integrals, kept) and np.array_equal(metric, before)
    rank = want.integrals.shape[-1]
    assert want.integrals.shape == (4, 5, 9 if least > 0 else 8)
    for memory in (integrals.copy(), integrals.reshape(20, 9).copy(), np.asfortranarray(integrals.reshape(20, 9))):
        result = trnsci.df_fit(metric, memory, axis=-1, overwrite=True).integrals
        assert np.shares_memory(result, memory)
        np.testing.assert_allclose(result.reshape(want.integrals.shape), want.integrals, rtol=0, atol=1e-12)
        assert np.array_equal(memory[..., :rank], result)
    # What cannot be used in place is copied: read-only memory, the other axis of three, single precision.
    read_only = integrals.copy()
    read_only.flags.writeable = False
    for given in (read_only, np.asfortranarray(integrals), integrals.astype(np.float32)):
        copy = given.copy()
        result = trnsci.df_fit(metric, given, axis=-1, overwrite=True).integrals
        assert np.array_equal(given, copy) and not np.shares_memory(result, given)
        np.testing.assert_allclose(result, want.integrals, rtol=0, atol=1e-5)


def test_threads_do_not_change_bits():
    rng = np.random.default_rng(13)
    integrals = rng.normal(size=(90, 3000))
    for least in (0.1, -0.1):
        metric = metric_of(rng, [least, *np.linspace(0.2, 1, 89)])
        for axis, given in ((0, integrals), (-1, integrals.T.copy())):
            one, three = (trnsci.df_fit(metric, given, axis=axis, threads=n).integrals for n in (1, 3))
            assert np.array_equal(one, three)


def test_nothing_to_fit():
    assert trnsci.df_fit(np.empty((0, 0)), np.empty((0, 3, 2))).integrals.shape == (0, 3, 2)
    assert trnsci.df_fit(np.eye(2), np.empty((0, 4, 2)), axis=-1).integrals.shape == (0, 4, 2)


def test_pyscf_has_the_same():
    """The integrals of a molecule, from PySCF's own routine and from the pieces that it is made of."""
    incore = pytest.importorskip("pyscf.df.incore", reason="PySCF is not installed")
    df, gto = (pytest.importorskip(f"pyscf.{name}") for name in ("df", "gto"))
    mol = gto.M(atom="O 0 0 0; H 0 0 1; H 0 1 0", basis="cc-pvdz", verbose=0)
    auxmol = df.addons.make_auxmol(mol, "cc-pvdz-ri")
    metric = auxmol.intor("int2c2e")
    integrals = incore.aux_e2(mol, auxmol, aosym="s2ij").T
    condition = np.linalg.cond(metric)
    want = df.incore.cholesky_eri(mol, auxmol=auxmol)
    result = trnsci.df_fit(metric, integrals)
    assert result.dropped == 0
    assert difference(result.integrals, want) <= len(metric) * EPS["float64"] * condition
    # An auxiliary basis in which every function is there twice.
    twice = gto.conc_mol(auxmol, auxmol)
    metric = twice.intor("int2c2e")
    metric[-1, -1] *= 1 - 1e-9  # not positive definite, whatever rounding makes of it
    result = trnsci.df_fit(metric, np.concatenate([integrals, integrals]))
    want = incore._eig_decompose(mol, metric) @ np.concatenate([integrals, integrals])
    assert result.dropped >= auxmol.nao and result.integrals.shape == want.shape
    values = np.linalg.eigvalsh(metric)
    kept = values[values > 1e-7]
    limit = len(metric) * EPS["float64"] * kept[-1] / kept[0]
    assert difference(result.integrals.T @ result.integrals, want.T @ want) <= limit


METRIC, INTEGRALS = np.eye(3), np.ones((3, 4))
NAN = np.where(np.arange(12).reshape(3, 4) == 7, np.nan, 1.0)


@pytest.mark.parametrize(
    ("error", "text", "arguments"),
    [
        (ValueError, r"metric: expected a square matrix, got shape \(3, 4\)", {"metric": INTEGRALS}),
        (ValueError, r"metric: expected a square matrix, got shape \(1, 3, 3\)", {"metric": METRIC[None]}),
        (ValueError, "metric: contains infinities or NaNs", {"metric": np.diag([1, 1, np.inf])}),
        (ValueError, "metric: contains infinities or NaNs", {"metric": np.diag([1, np.nan, 1]), "check_finite": False}),
        (ValueError, "metric: none of its eigenvalues is above lindep = 1e-07, the largest is -1", {"metric": -METRIC}),
        (trnsci.UnsupportedError, "metric: complex", {"metric": METRIC + 0j}),
        (trnsci.UnsupportedError, "integrals: complex", {"integrals": INTEGRALS + 0j}),
        (TypeError, "integrals: dtype", {"integrals": np.full((3, 4), "x")}),
        (ValueError, r"integrals: expected shape \(3, \.\.\.\) .*, got \(4, 3\); axis=-1 fits$",
            {"integrals": INTEGRALS.T}),
        (ValueError, r"integrals: expected shape \(\.\.\., 3\) for axis=-1 .*, got \(3, 4\); axis=0 fits$",
            {"axis": -1}),
        (ValueError, r"integrals: expected shape .*, got \(3,\)$", {"integrals": np.ones(3)}),
        (ValueError, "integrals: contains infinities or NaNs", {"integrals": NAN}),
        (ValueError, "axis: expected 0 or -1, got 1", {"axis": 1}),
        (ValueError, "axis: expected 0 or -1, got 0.0", {"axis": 0.0}),
        (ValueError, "lindep: expected a number that is not negative, got -1", {"lindep": -1}),
        (ValueError, "lindep: expected a number that is not negative, got NaN", {"lindep": float("nan")}),
        (TypeError, "lindep: expected a number, got 'x'", {"lindep": "x"}),
    ],
)  # fmt: skip
def test_errors(error, text, arguments):
    with pytest.raises(error, match=text):
        trnsci.df_fit(**{"metric": METRIC, "integrals": INTEGRALS, **arguments})


def test_refused_integrals_are_not_overwritten():
    memory = NAN.copy()
    with pytest.raises(ValueError, match="integrals: contains"):
        trnsci.df_fit(2 * METRIC, memory, overwrite=True)
    np.testing.assert_array_equal(memory, NAN)


def test_nans_may_be_let_through():
    fitted = trnsci.df_fit(METRIC, NAN, check_finite=False).integrals
    assert np.isnan(fitted[:, 3]).any() and np.array_equal(fitted[:, :3], np.ones((3, 3)))


def test_progress_counts_pairs():
    seen = []
    trnsci.df_fit(METRIC, np.ones((5000, 3)), axis=-1, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] >= 5000
