"""Densities, natural orbitals and amplitudes of trnsci.pyscf's DF-MP2 objects against PySCF's own."""

import io

import numpy as np
import pytest

pytest.importorskip("pyscf", reason="PySCF is not installed")
import trnsci
from fitted_mean_fields import NEEDS_EINSUM
from pyscf import gto, scf
from pyscf.mp import dfmp2, dfmp2_native, dfump2, dfump2_native
from trnsci import UnsupportedError
from trnsci import pyscf as accelerated

WATER = "O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587"
SAME = {"rtol": 0, "atol": 1e-12}


@pytest.fixture(scope="module")
def rhf():
    return scf.RHF(gto.M(atom=WATER, basis="cc-pvdz", verbose=0)).run(conv_tol=1e-12)


@pytest.fixture(scope="module")
def uhf():
    return scf.UHF(gto.M(atom=WATER, basis="cc-pvdz", charge=1, spin=1, verbose=0)).run(conv_tol=1e-12)


@pytest.fixture(params=["rhf", "uhf"])
def mf(request):
    return request.getfixturevalue(request.param)


def theirs(mf, frozen):
    mp = (dfump2.DFUMP2 if mf.istype("UHF") else dfmp2.DFMP2)(mf, frozen=frozen)
    mp.kernel()
    return mp


@pytest.mark.parametrize("frozen", [None, 1, [0], [1, 3], [0, 1, 20]])
@pytest.mark.parametrize("options", [{}, pytest.param({"ao_repr": True}, marks=NEEDS_EINSUM), {"with_frozen": False}])
def test_density(mf, frozen, options):
    ours = accelerated.DFMP2(mf, frozen=frozen).run()
    got = ours.make_rdm1(**options)
    np.testing.assert_allclose(got, theirs(mf, frozen).make_rdm1(**options), **SAME)
    assert ours.t2 is None and type(got) is (tuple if mf.istype("UHF") else np.ndarray)
    if not options:  # all electrons
        assert np.trace(got, axis1=-2, axis2=-1).sum() == pytest.approx(mf.mol.nelectron, abs=1e-10)


def test_density_of_each_spins_frozen_orbitals(uhf):
    for frozen in ([[0], [0, 1]], [[0, 1, 22], []]):
        want = theirs(uhf, frozen).make_rdm1()
        for got, density in zip(accelerated.DFMP2(uhf, frozen=frozen).make_rdm1(), want, strict=True):
            np.testing.assert_allclose(got, density, **SAME)


def test_density_of_nothing(rhf):
    """All occupied orbitals are frozen: the density is that of the mean field."""
    np.testing.assert_array_equal(accelerated.DFMP2(rhf, frozen=5).make_rdm1(), np.diag(rhf.mo_occ))


def test_density_of_occupations_in_any_order(rhf):
    """PySCF's puts the electrons of frozen orbitals into the first ones, whatever is occupied."""
    order = np.arange(rhf.mo_occ.size)[::-1]
    given = {"mo_coeff": rhf.mo_coeff[:, order], "mo_occ": rhf.mo_occ[order], "mo_energy": rhf.mo_energy[order]}
    got = accelerated.DFMP2(rhf, frozen=[int(order.size - 1)], **given).make_rdm1()
    np.testing.assert_allclose(got[::-1, ::-1], theirs(rhf, 1).make_rdm1(), **SAME)


def test_integrals_that_are_there(mf, monkeypatch):
    ours = accelerated.DFMP2(mf, frozen=1)
    eris = ours.ao2mo()
    ours.kernel(eris=eris)
    want = ours.make_rdm1()
    monkeypatch.setattr(type(ours), "ao2mo", None)
    np.testing.assert_array_equal(ours.make_rdm1(eris=eris), want)
    assert ours.make_natorbs(eris=eris)[0].shape == mf.mo_occ.shape[-1:]


def test_density_of_amplitudes(rhf):
    """Those that are kept, or given, count."""
    ours = accelerated.DFMP2(rhf)
    ours.kernel(with_t2=True)
    ours.t2 = 2 * ours.t2
    np.testing.assert_allclose(
        ours.make_rdm1() - np.diag(rhf.mo_occ), 4 * (ours.make_rdm1(ours.t2 / 2) - np.diag(rhf.mo_occ)), **SAME
    )


@NEEDS_EINSUM
@pytest.mark.parametrize("frozen", [None, 1, [0, 2]])
def test_natural_orbitals(mf, frozen):
    is_open = mf.istype("UHF")
    lists = [frozen, frozen] if is_open and isinstance(frozen, list) else frozen
    native = (dfump2_native.DFUMP2 if is_open else dfmp2_native.DFMP2)(mf, frozen=lists)
    ours = accelerated.DFMP2(mf, frozen=frozen).run()
    want_occ, want = native.make_natorbs()
    occ, orbitals = ours.make_natorbs()
    np.testing.assert_allclose(occ, want_occ, rtol=0, atol=1e-9)
    # Orbitals of one occupation may be mixed: the density that they make is compared.
    np.testing.assert_allclose((orbitals * occ) @ orbitals.T, (want * want_occ) @ want.T, rtol=0, atol=1e-8)
    assert occ.sum() == pytest.approx(mf.mol.nelectron, abs=1e-9)
    assert np.all(np.diff(occ) <= 0)
    again, _ = ours.make_natorbs(np.asarray(ours.make_rdm1()))
    np.testing.assert_array_equal(again, occ)


def test_natural_orbitals_refuse(rhf):
    ours = accelerated.DFMP2(rhf)
    with pytest.raises(UnsupportedError, match=r"^relaxed: "):
        ours.make_natorbs(relaxed=True)
    with pytest.raises(ValueError, match=r"^rdm1_mo: expected a matrix of shape \(24, 24\)"):
        ours.make_natorbs(np.eye(3))


def test_the_density_of_correlated_orbitals_is_part_of_it(rhf):
    """The recipe of docs/pyscf.md."""
    mp = accelerated.DFMP2(rhf, frozen=[0, 2])
    eris = mp.ao2mo()
    mp.kernel(eris=eris)
    _, eps_occ, eps_vir, _ = mp.split_mo_energy()
    density = trnsci.mp2_rdm1(eris.ovL, eps_occ, eps_vir, layout="(ia)P")
    full = np.diag(rhf.mo_occ)
    active = np.flatnonzero(mp.get_frozen_mask())
    full[np.ix_(active, active)] = density
    np.testing.assert_allclose(full, mp.make_rdm1(), rtol=0, atol=1e-14)


@pytest.mark.parametrize("out_of_core", [False, True])
def test_amplitudes(mf, out_of_core):
    stream = io.StringIO()
    ours = accelerated.DFMP2(mf, frozen=1)
    ours.force_outcore = out_of_core
    ours.verbose, ours.stdout = 4, stream
    _, t2 = ours.kernel(with_t2=True)
    want = theirs(mf, 1).t2
    for got, t in zip(t2, want, strict=True) if isinstance(t2, tuple) else [(t2, want)]:
        np.testing.assert_allclose(got, t, rtol=0, atol=1e-13)
    assert "DF-MP2 amplitudes: trnsci, " in stream.getvalue()
