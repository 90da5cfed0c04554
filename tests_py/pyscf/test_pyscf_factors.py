"""Densities without tags: K of low-rank ones is made of their eigenvectors; PySCF's J and K are the reference."""

import numpy as np
import pytest

pyscf = pytest.importorskip("pyscf")
from fitted_mean_fields import fitted, molecule, record, require_same  # noqa: E402
from pyscf import scf  # noqa: E402
from trnsci import pyscf as accelerated  # noqa: E402


@pytest.fixture
def recorded(monkeypatch):
    return record(monkeypatch)


@pytest.fixture(scope="module")
def tensors():
    """Two objects with the same integrals: PySCF's, and one with our J and K."""
    theirs, ours = (fitted(scf.RHF(molecule())) for _ in range(2))
    theirs.with_df.build()
    ours.with_df._cderi = theirs.with_df._cderi
    ours.with_df.auxmol = theirs.with_df.auxmol
    return theirs.with_df, accelerated.accelerate(ours).with_df


def of_weights(nao, weights, seed=0):
    """Return the symmetric matrix with these eigenvalues, and zeros, for random vectors that are orthonormal."""
    vectors = np.linalg.qr(np.random.default_rng(seed).standard_normal((nao, nao)))[0][:, : len(weights)]
    dm = (vectors * weights) @ vectors.T
    return (dm + dm.T) / 2


@pytest.mark.parametrize("signs", [1, -1, 0], ids=["positive", "negative", "both"])
def test_up_to_half_of_the_functions(tensors, signs, recorded):
    theirs, ours = tensors
    nao = theirs.mol.nao
    for rank in (1, nao // 2, nao // 2 + 1, nao):
        weights = np.linspace(0.5, 2.0, rank) * (signs or (-1.0) ** np.arange(rank))
        dm = of_weights(nao, weights, seed=rank)
        recorded.clear()
        require_same(ours.get_jk(dm), theirs.get_jk(dm))
        used = recorded[0]["mo_coeff"]
        assert (used is None) == (rank > nao // 2)
        assert used is None or used.shape[-1] == rank


def test_several_densities_of_different_ranks(tensors, recorded):
    theirs, ours = tensors
    nao = theirs.mol.nao
    dm = np.array(
        [of_weights(nao, [2.0, 1.0]), np.zeros((nao, nao)), of_weights(nao, [1.0, -0.5, 1e-3, -1e-6], seed=1)]
    )
    for shaped in (dm, dm[:2], dm[1], np.array([dm, dm])):
        recorded.clear()
        require_same(ours.get_jk(shaped), theirs.get_jk(shaped))
        assert recorded[0]["mo_coeff"] is not None


@pytest.mark.parametrize("size", [1e-200, 1e-12, 1e12])
def test_rank_is_relative_to_the_density(tensors, size, recorded):
    theirs, ours = tensors
    dm = size * of_weights(theirs.mol.nao, [1.0, 0.5, -0.25])
    for mine, expected in zip(ours.get_jk(dm), theirs.get_jk(dm), strict=True):
        np.testing.assert_allclose(mine / size, expected / size, rtol=0, atol=1e-10)
    assert recorded[0]["mo_coeff"].shape[-1] == 3


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_eigenvectors_are_in_double_precision(tensors, dtype, recorded):
    theirs, ours = tensors
    dm = np.zeros((theirs.mol.nao, theirs.mol.nao), dtype)
    dm[:2, :2] = [[1, 3], [3, 2]]
    require_same(ours.get_jk(dm), theirs.get_jk(dm.astype(float)))
    assert recorded[0]["mo_coeff"].dtype == np.float64


@pytest.mark.parametrize("change", ["coulomb alone", "complex", "not symmetric"])
def test_others_have_no_eigenvectors(tensors, change, recorded):
    theirs, ours = tensors
    dm = of_weights(theirs.mol.nao, [1.0, 0.5])
    if change == "complex":
        dm = dm.astype(complex)
    if change == "not symmetric":
        dm[0, 1] += 1.0
    with_k = change != "coulomb alone"
    which = slice(2 if with_k else 1)
    require_same(ours.get_jk(dm, with_k=with_k)[which], theirs.get_jk(dm, with_k=with_k)[which])
    assert recorded[0]["mo_coeff"] is None


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_not_finite_is_refused_by_name(tensors, bad):
    dm = of_weights(tensors[1].mol.nao, [1.0])
    dm[0, 0] = bad
    with pytest.raises(ValueError, match=r"^dm: "):
        tensors[1].get_jk(dm)


def test_first_density_of_an_open_shell(recorded):
    mf = accelerated.accelerate(fitted(scf.UHF(molecule(charge=1, spin=1))))
    mf.get_jk(dm=mf.get_init_guess())
    minimal = 7  # functions of a minimal basis of water, of which the guess is made
    assert recorded[0]["mo_coeff"].shape == (2, mf.mol.nao, minimal)
