"""MP2 natural orbitals of water, and what is lost with those that are nearly empty.

The unrelaxed density matrix of MP2 has natural orbitals, whose occupation numbers say how much each takes part in the
correlation. Virtual natural orbitals with small numbers are left out, the others are made canonical again, and DF-MP2
in the smaller space shows the loss. These are called frozen natural orbitals (FNO).

Run it with:  python examples/natural_orbitals.py        (needs PySCF)
"""

import sys

import numpy as np
import trnsci
import trnsci.pyscf
from pyscf import gto, scf
from pyscf.mp import dfmp2

WATER = "O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587"  # angstrom
FROZEN = 1  # the 1s orbital of oxygen
LEAST_OCCUPATION = 1e-4
TOLERANCE = 1e-8  # of occupation numbers


def correlation_energy(mf, virtual, energies, B):
    """Return the correlation energy with fewer virtual orbitals, given as columns in the basis of the canonical
    ones."""
    nocc = np.count_nonzero(mf.mo_occ)
    # In the canonical basis the Fock matrix is diagonal; its eigenvectors in the smaller space are canonical there.
    eps_vir, rotation = trnsci.eigh(virtual.T @ (energies[:, None] * virtual))
    B = np.einsum("iaP,ab->ibP", B, virtual @ rotation)
    return trnsci.df_mp2_energy(B, mf.mo_energy[FROZEN:nocc], eps_vir).e_corr


def main():
    mf = trnsci.pyscf.accelerate(scf.RHF(gto.M(atom=WATER, basis="cc-pvtz", verbose=0))).run(conv_tol=1e-11)
    mp = trnsci.pyscf.DFMP2(mf, frozen=FROZEN).run()
    B = mp.ao2mo().ovL
    _, eps_occ, eps_vir, _ = mp.split_mo_energy()  # frozen occupied, occupied, virtual, frozen virtual
    density = trnsci.mp2_rdm1(B, eps_occ, eps_vir, layout="(ia)P")  # occupied orbitals first, without the frozen one
    occupations, _ = trnsci.mp2_natural_orbitals(density)
    print(f"MP2 correlation energy {mp.e_corr:.9f} hartree with {len(eps_vir)} virtual orbitals")
    print("Largest occupation numbers: " + " ".join(f"{n:.4f}" for n in occupations[: len(eps_occ) + 4]))
    print(f"Their sum: {occupations.sum():.9f} correlated electrons")

    # The virtual block alone keeps occupied and virtual orbitals apart.
    virtual_occupations, orbitals = trnsci.mp2_natural_orbitals(density[len(eps_occ) :, len(eps_occ) :])
    kept = orbitals[:, virtual_occupations > LEAST_OCCUPATION]
    B = B.reshape(len(eps_occ), len(eps_vir), -1)
    smaller = correlation_energy(mf, kept, eps_vir, B)
    print(f"MP2 correlation energy {smaller:.9f} with {kept.shape[1]} of them, {smaller / mp.e_corr:.1%}")

    whole = correlation_energy(mf, orbitals, eps_vir, B)
    if not abs(whole - mp.e_corr) <= TOLERANCE:
        sys.exit("All natural orbitals together do not give the energy of the canonical ones.")
    theirs = dfmp2.DFMP2(mf, frozen=FROZEN)
    theirs.kernel()
    reference = np.linalg.eigvalsh(theirs.make_rdm1())[::-1]  # the frozen orbital has 2 electrons and comes first
    if not np.allclose(occupations, reference[FROZEN:], rtol=0, atol=TOLERANCE):
        sys.exit("PySCF has other occupation numbers.")


if __name__ == "__main__":
    main()
