"""The variants of DF-MP2 on molecules, against PySCF and against each other."""

import numpy as np
import pytest
import trnsci

pyscf = pytest.importorskip("pyscf")
from pyscf import df, gto, scf  # noqa: E402
from pyscf.mp import dfgmp2, dfmp2, dfump2  # noqa: E402
from trnsci import pyscf as accelerated  # noqa: E402

SAME = 1e-10  # agreement on the same orbitals
WATER = "O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587"
METHANE = "C 0 0 0; H 0.629 0.629 0.629; H -0.629 -0.629 0.629; H -0.629 0.629 -0.629; H 0.629 -0.629 -0.629"


def converged(mf):
    mf.conv_tol = 1e-12
    mf.kernel()
    assert mf.converged
    return mf


def restricted(mf, frozen=None):
    """B, eps_occ and eps_vir of a closed shell, and PySCF's object."""
    mp = dfmp2.DFMP2(mf, frozen=frozen)
    eris = mp.ao2mo()
    _, occ, vir, _ = mp.split_mo_energy()
    return eris.get_occ_blk(0, eris.nocc), occ, vir, mp


def unrestricted(mf):
    """The same of an open shell, as pairs."""
    mp = dfump2.DFUMP2(mf)
    eris = mp.ao2mo()
    energies = mp.split_mo_energy()
    b = tuple(eris.get_occ_blk(s, 0, eris.nocc[s]) for s in range(2))
    return b, tuple(e[1] for e in energies), tuple(e[2] for e in energies), mp


@pytest.fixture(scope="module", params=["water", "methane"])
def closed(request):
    atom = {"water": WATER, "methane": METHANE}[request.param]
    return converged(scf.RHF(gto.M(atom=atom, basis="cc-pvdz", verbose=0)))


@pytest.fixture(scope="module")
def cation():
    return converged(scf.UHF(gto.M(atom=WATER, basis="cc-pvdz", charge=1, spin=1, verbose=0)))


# Auxiliary functions


@pytest.mark.parametrize("fitted", [False, True])
def test_auxiliary_functions_that_are_named_are_taken(closed, fitted):
    """An explicit `with_df` wins over that of the mean field and over the RI set, in PySCF as here."""
    mf = converged(closed.copy().density_fit()) if fitted else closed
    named = df.DF(mf.mol, auxbasis="cc-pvtz-ri")
    theirs, ours, otherwise = dfmp2.DFMP2(mf), accelerated.DFMP2(mf), accelerated.DFMP2(mf).run()
    theirs.with_df = ours.with_df = named
    theirs.kernel(with_t2=False)
    ours.kernel()
    assert ours.with_df is named
    assert ours.e_corr == pytest.approx(theirs.e_corr, abs=SAME)
    assert ours.e_corr_ss == pytest.approx(theirs.e_corr_ss, abs=SAME)
    assert abs(ours.e_corr - otherwise.e_corr) > 1e-6, "the other auxiliary functions give another energy"


def test_auxiliary_functions_of_an_open_shell(cation):
    mf = converged(cation.copy().density_fit(auxbasis="weigend"))
    ours, theirs = accelerated.DFMP2(mf).run(), dfump2.DFUMP2(mf)
    theirs.kernel(with_t2=False)
    assert ours.with_df is mf.with_df and mf.with_df.auxbasis == "weigend"
    assert ours.e_corr == pytest.approx(theirs.e_corr, abs=SAME)
    theirs.with_df = ours.with_df = df.DF(mf.mol, auxbasis="cc-pvdz-ri")
    before = ours.e_corr
    assert ours.run().e_corr == pytest.approx(theirs.kernel(with_t2=False)[0], abs=SAME)
    assert abs(ours.e_corr - before) > 1e-6


@pytest.mark.parametrize("frozen", [1, [0], [0, 5, 23], "core"])
def test_frozen_orbitals_are_not_counted(closed, frozen):
    """What is left of B is what is left of the orbitals, for a number, a list and the chemical core."""
    ours, theirs = accelerated.DFMP2(closed), dfmp2.DFMP2(closed)
    for mp in (ours, theirs):
        if frozen == "core":
            mp.set_frozen()
        else:
            mp.set(frozen=frozen)
        mp.kernel(with_t2=False)
    left = len(closed.mo_energy) - (1 if frozen in (1, "core") else len(frozen))
    occupied = closed.mol.nelectron // 2 - 1
    eris = ours.ao2mo()
    assert (ours.nocc, ours.nmo) == (occupied, left) and (eris.nocc, eris.nvir) == (occupied, left - occupied)
    assert ours.e_corr == pytest.approx(theirs.e_corr, abs=SAME)
    direct = trnsci.df_mp2_energy(*restricted(closed, ours.frozen)[:3])
    assert ours.e_corr == pytest.approx(direct.e_corr, abs=SAME)


# Scaled opposite-spin MP2


@pytest.mark.parametrize("tol", [1e-3, 1e-7, 1e-10])
@pytest.mark.parametrize("frozen", [None, 1])
def test_opposite_spin_energy(closed, frozen, tol):
    b, occ, vir, _ = restricted(closed, frozen)
    full = trnsci.df_mp2_energy(b, occ, vir)
    result = trnsci.sos_mp2_energy(b, occ, vir, tol=tol)
    # What is missing is a sum of squares, so that the approximation lies above.
    assert -1e-13 <= result.e_corr_os - full.e_corr_os <= result.quadrature_error <= tol
    assert result.points <= {1e-3: 5, 1e-7: 9, 1e-10: 15}[tol]


def test_opposite_spin_energy_of_an_open_shell(cation):
    b, occ, vir, _ = unrestricted(cation)
    full = trnsci.df_mp2_energy(b, occ, vir)
    result = trnsci.sos_mp2_energy(b, occ, vir)
    assert abs(result.e_corr_os - full.e_corr_os) <= result.quadrature_error <= 1e-7
    assert result.e_corr == 1.3 * result.e_corr_os


# Amplitudes and densities


def test_amplitudes_and_density(closed):
    b, occ, vir, mp = restricted(closed)
    mp.kernel(with_t2=True)
    np.testing.assert_allclose(trnsci.mp2_amplitudes(b, occ, vir), mp.t2, rtol=0, atol=SAME)
    density = trnsci.mp2_rdm1(b, occ, vir)
    np.testing.assert_allclose(density, mp.make_rdm1(), rtol=0, atol=SAME)
    occupations, orbitals = trnsci.mp2_natural_orbitals(density)
    assert occupations.sum() == pytest.approx(10, abs=SAME)
    np.testing.assert_allclose(orbitals.T @ density @ orbitals, np.diag(occupations), rtol=0, atol=SAME)


def test_amplitudes_and_density_of_an_open_shell(cation):
    b, occ, vir, mp = unrestricted(cation)
    mp.kernel(with_t2=True)
    for ours, theirs in zip(trnsci.mp2_amplitudes(b, occ, vir), mp.t2, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=SAME)
    for ours, theirs in zip(trnsci.mp2_rdm1(b, occ, vir), mp.make_rdm1(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=SAME)


@pytest.mark.parametrize("spins", [1, 2])
def test_amplitudes_without_room_are_refused_before_the_energies(closed, cation, spins):
    mf = closed if spins == 1 else cation
    mp = accelerated.DFMP2(mf).set(max_memory=1)  # megabytes, of which the process holds more already
    nocc, nvir = np.atleast_1d(mp.nocc), np.atleast_1d(mp.nmo) - np.atleast_1d(mp.nocc)
    size = 8 * sum(nocc[s] * nocc[t] * nvir[s] * nvir[t] for s in range(spins) for t in range(s, spins))
    for call in (lambda: mp.kernel(with_t2=True), mp.make_rdm2):
        with pytest.raises(MemoryError, match=f"^with_t2: the amplitudes take {size} bytes"):
            call()
    assert mp.result is None
    density = np.sum(mp.make_rdm1(), axis=0) if spins == 2 else mp.make_rdm1()  # which keeps no amplitudes
    assert density.trace() == pytest.approx(mf.mol.nelectron, abs=1e-9)
    assert mp.run().e_corr == pytest.approx(accelerated.DFMP2(mf).run().e_corr, abs=SAME)


# Spin orbitals


@pytest.mark.parametrize("dtype", [float, complex])
def test_spin_orbitals(dtype):
    """GHF, with complex orbitals from a start that mixes phases and spins."""
    mf = scf.GHF(gto.M(atom=WATER, basis="6-31g", charge=1, spin=1, verbose=0)).density_fit()
    rng = np.random.default_rng(1)
    density = mf.get_init_guess().astype(dtype)
    if dtype is complex:
        mixing = 0.05 * (rng.standard_normal(density.shape) + 1j * rng.standard_normal(density.shape))
        density = density + mixing + mixing.conj().T
    mf.conv_tol = 1e-10
    mf.kernel(density)
    mp = dfgmp2.DFGMP2(mf)
    energy = mp.kernel(with_t2=False)[0]
    nocc = mp.nocc
    orbspin = getattr(mf.mo_coeff, "orbspin", None)
    parts = [a + b if b is not None else a for a, b in mp.loop_ao2mo(mf.mo_coeff, nocc, orbspin)]
    b = np.concatenate(parts)
    if orbspin is not None:
        b[:, (orbspin[:nocc, None] != orbspin[nocc:]).ravel()] = 0
    result = trnsci.df_gmp2_energy(b, mf.mo_energy[:nocc], mf.mo_energy[nocc:], layout="P(ia)")
    assert b.dtype == dtype
    assert energy < -0.05
    assert result.e_corr == pytest.approx(energy, abs=SAME)
