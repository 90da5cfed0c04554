"""trnsci.pyscf.DFMP2 against PySCF's on many kinds of molecules and mean fields; and wrong orbitals."""

import io

import numpy as np
import pytest

pytest.importorskip("pyscf", reason="PySCF is not installed")
from fitted_mean_fields import cation, molecule
from pyscf import dft, gto, qmmm, scf
from pyscf.mp import dfmp2, dfump2
from trnsci import pyscf as accelerated

SAME = 1e-10  # of two codes on the same orbitals, in hartree
JKFIT = "def2-universal-jkfit"


def kohn_sham(method, mol):
    mf = method(mol, xc="pbe0")
    mf.grids.level = 0
    return mf


def other_state():
    """An excited determinant, whose occupied orbitals are not the lowest."""
    mf = scf.RHF(molecule(symmetry=True))
    mf.irrep_nelec = {"A1": 8, "B1": 2, "B2": 0}
    return mf


def heavy():
    """Iodine has 28 electrons in its potential, which are not counted as frozen ones."""
    return scf.RHF(gto.M(atom="I 0 0 0; I 0 0 2.7", basis="def2-svp", ecp="def2-svp", verbose=0)).density_fit(
        auxbasis=JKFIT
    )


KINDS = {
    "symmetry": lambda: scf.RHF(molecule(symmetry=True)),
    "symmetry of an open shell": lambda: scf.UHF(cation(symmetry=True)),
    "another state": other_state,
    "Kohn-Sham": lambda: kohn_sham(dft.RKS, molecule(basis="6-31g")),
    "Kohn-Sham of an open shell": lambda: kohn_sham(dft.UKS, cation(basis="6-31g")),
    "Cartesian functions": lambda: scf.RHF(molecule(cart=True)),
    "functions without a nucleus": lambda: scf.RHF(molecule("He 0 0 0; ghost-He 0 0 2", "6-31g")),
    "effective core potential": heavy,
    "X2C": lambda: scf.RHF(molecule()).x2c(),
    "fitted J only": lambda: scf.RHF(molecule()).density_fit(auxbasis=JKFIT, only_dfj=True),
    "solvent": lambda: scf.RHF(molecule(basis="6-31g")).PCM(),
    "point charges": lambda: qmmm.mm_charge(scf.RHF(molecule()), [[5.0, 0.0, 0.0]], [0.5]),
}


@pytest.mark.parametrize("name", KINDS)
def test_kinds(name):
    mf = KINDS[name]().run(conv_tol=1e-9)
    assert mf.converged
    cls = dfump2.DFUMP2 if mf.istype("UHF") else dfmp2.DFMP2
    frozen = [None] if name == "functions without a nucleus" else [None, 1, "core"]
    for what in frozen:
        objects = [make(mf) for make in (accelerated.DFMP2, cls)]
        for mp in objects:
            mp.set_frozen() if what == "core" else mp.set(frozen=what)
            mp.kernel(with_t2=False)
        ours, theirs = objects
        assert ours.frozen == theirs.frozen and ours.nocc == theirs.nocc and ours.nmo == theirs.nmo
        for result in ("e_corr", "e_corr_ss", "e_corr_os", "e_tot"):
            assert abs(getattr(ours, result) - getattr(theirs, result)) < SAME, result
        assert ours.e_corr < -1e-2


def orbitals(mf):
    return {"mo_coeff": np.array(mf.mo_coeff), "mo_occ": np.array(mf.mo_occ), "mo_energy": np.array(mf.mo_energy)}


@pytest.mark.parametrize("name", ["mo_coeff", "mo_occ", "mo_energy"])
@pytest.mark.parametrize("method", [scf.RHF, scf.UHF])
def test_orbitals_that_do_not_belong_together(method, name):
    mf = method(molecule("He", "6-31g")).run()
    given = orbitals(mf)
    given[name] = given[name][..., :-1] if name != "mo_coeff" else given[name][..., :-1, :]
    with pytest.raises(ValueError, match=f"{name}: expected .* of shape"):
        accelerated.DFMP2(mf, **given)
    mp = accelerated.DFMP2(mf)
    setattr(mp, name, given[name])
    with pytest.raises(ValueError, match=f"{name}: expected .* of shape"):
        mp.kernel()
    if name != "mo_occ":
        with pytest.raises(ValueError, match=f"{name}: expected .* of shape"):
            accelerated.DFMP2(mf).kernel(**{name: given[name]})


def test_orbitals_of_one_spin_are_not_those_of_two():
    mf = scf.UHF(molecule("He", "6-31g")).run()
    with pytest.raises(ValueError, match="mo_coeff: expected arrays of shapes"):
        accelerated.DFMP2(mf, mo_coeff=np.array(mf.mo_coeff)[:1])
    restricted = scf.RHF(molecule("He", "6-31g")).run()
    with pytest.raises(ValueError, match="mo_coeff: expected an array of shape"):
        accelerated.DFMP2(restricted, mo_coeff=np.array(mf.mo_coeff))


def test_spins_may_have_different_numbers_of_orbitals():
    """As after the removal of one spin's virtual orbitals, which freezing them shows to be right."""
    mf = scf.UHF(cation()).run(conv_tol=1e-12)
    last = len(mf.mo_energy[0]) - 1
    parts = {name: (value[0], value[1][..., :-1]) for name, value in orbitals(mf).items()}
    ours = accelerated.DFMP2(mf, **parts).run()
    assert ours.nmo == (last + 1, last)
    assert ours.e_corr == pytest.approx(accelerated.DFMP2(mf, frozen=[[], [last]]).run().e_corr, abs=SAME)


@pytest.mark.parametrize("frozen", [None, 1])
def test_fractional_occupations_are_said(frozen):
    """PySCF takes them for full ones without a word; the number is the same, and the log says what it is."""
    mf = scf.addons.smearing_(scf.RHF(molecule()), sigma=0.1).run()
    assert np.any((mf.mo_occ > 0.01) & (mf.mo_occ < 1.99))
    ours = accelerated.DFMP2(mf, frozen=frozen)
    ours.verbose, ours.stdout = 2, io.StringIO()
    theirs = dfmp2.DFMP2(mf, frozen=frozen)
    assert ours.kernel()[0] == pytest.approx(theirs.kernel(with_t2=False)[0], abs=SAME)
    assert ours.stdout.getvalue().count("Occupations are not whole") == 1
    whole = accelerated.DFMP2(scf.UHF(cation()).run())
    whole.verbose, whole.stdout = 2, io.StringIO()
    whole.kernel()
    assert whole.stdout.getvalue() == ""
