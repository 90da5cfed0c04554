"""The bond length of hydrogen fluoride from a scan with DF-MP2.

A scanner computes one geometry after the other and starts each mean field from the one before. What
`accelerate` has replaced stays replaced, and `DFMP2` renews the orbital energies.

Run it with:  python examples/bond_scan.py        (needs PySCF)
"""

import sys

import numpy as np
import trnsci.pyscf
from pyscf import gto, scf
from pyscf.mp import dfmp2

BASIS = "cc-pvdz"
LENGTHS = np.linspace(0.86, 0.98, 7)  # angstrom
DEGREE = 4  # of the polynomial through the energies
TOLERANCE = 1e-8  # hartree; the scanners' mean fields stop at different points


def molecule(length):
    return gto.M(atom=f"H 0 0 0; F 0 0 {length}", basis=BASIS, verbose=0)


def bond_length(energies):
    """Return where the polynomial through the energies has its minimum, in angstrom."""
    middle = LENGTHS.mean()  # powers of small numbers are well conditioned
    fit = np.polynomial.Polynomial.fit(LENGTHS - middle, energies, DEGREE)
    roots = fit.deriv().roots()
    roots = roots[np.isreal(roots)].real + middle
    inside = roots[(roots > LENGTHS[0]) & (roots < LENGTHS[-1])]
    if len(inside) != 1:
        sys.exit("The scan does not hold one minimum.")
    return float(inside[0])


def main():
    mf = trnsci.pyscf.accelerate(scf.RHF(molecule(LENGTHS[0]))).set(conv_tol=1e-11)
    scanner = trnsci.pyscf.DFMP2(mf, frozen=1).as_scanner()
    hartree_fock, mp2, scs = [], [], []
    print("Energies in hartree:")
    print("length/angstrom       Hartree-Fock                MP2            SCS-MP2")
    for length in LENGTHS:
        mp2.append(scanner(molecule(length)))
        hartree_fock.append(scanner.e_hf)
        scs.append(scanner.e_tot_scs)
        print(f"{length:15.3f} {hartree_fock[-1]:18.9f} {mp2[-1]:18.9f} {scs[-1]:18.9f}")
    for name, energies in (("Hartree-Fock", hartree_fock), ("MP2", mp2), ("SCS-MP2", scs)):
        print(f"bond length, {name:<12} {bond_length(energies):.4f} angstrom")

    theirs = dfmp2.DFMP2(scf.RHF(molecule(LENGTHS[-1])).run(conv_tol=1e-11), frozen=1)
    theirs.kernel(with_t2=False)
    if not abs(mp2[-1] - theirs.e_tot) <= TOLERANCE:
        sys.exit(f"At the last length PySCF has {theirs.e_tot:.9f} hartree.")


if __name__ == "__main__":
    main()
