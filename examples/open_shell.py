"""MP2 energies of open shells: the ionization energy of water, and the hydroxyl radical from an ROHF reference.

The mean field of a radical is unrestricted (UHF), and DFMP2 is then unrestricted too. From ROHF it converts the
orbitals to those of UHF, as PySCF does.

Run it with:  python examples/open_shell.py        (needs PySCF)
"""

import sys

import trnsci.pyscf
from pyscf import gto, scf
from pyscf.data.nist import HARTREE2EV
from pyscf.mp import dfump2

WATER = "O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587"  # angstrom
HYDROXYL = "O 0 0 0; H 0 0 0.97"
FROZEN = 1  # the 1s orbital of oxygen
TOLERANCE = 1e-9  # hartree


def energy(kind, atom, **molecule):
    """Return the DF-MP2 object of a molecule after its run, with PySCF's result checked against ours."""
    molecule = gto.M(atom=atom, basis="cc-pvdz", verbose=0, **molecule)
    mf = trnsci.pyscf.accelerate(kind(molecule)).run(conv_tol=1e-11)
    mp = trnsci.pyscf.DFMP2(mf, frozen=FROZEN).run()
    if molecule.spin:
        theirs = dfump2.DFUMP2(mf if kind is scf.UHF else mf.to_uhf(), frozen=FROZEN)
        theirs.kernel(with_t2=False)
        if not abs(mp.e_corr - theirs.e_corr) <= TOLERANCE:
            sys.exit(f"PySCF has a correlation energy of {theirs.e_corr:.12f} hartree, trnsci {mp.e_corr:.12f}.")
    return mp


def main():
    water = energy(scf.RHF, WATER)
    cation = energy(scf.UHF, WATER, charge=1, spin=1)  # spin: the number of unpaired electrons
    square, multiplicity = cation._scf.spin_square()
    print(f"Water cation: <S^2> = {square:.4f}, multiplicity {multiplicity:.4f}")
    print(f"  opposite and same spin  {cation.e_corr_os:.9f} {cation.e_corr_ss:.9f} hartree")
    for name, before, after in (
        ("Hartree-Fock", water.e_hf, cation.e_hf),
        ("MP2", water.e_tot, cation.e_tot),
        ("SCS-MP2", water.e_tot_scs, cation.e_tot_scs),
    ):
        print(f"  vertical ionization energy, {name:<12} {(after - before) * HARTREE2EV:8.4f} eV")

    radical = energy(scf.ROHF, HYDROXYL, spin=1)
    print(f"Hydroxyl from ROHF: MP2 energy {radical.e_tot:.9f} hartree, correlation {radical.e_corr:.9f}")


if __name__ == "__main__":
    main()
