"""MP2 energies of a closed shell: two water molecules with a hydrogen bond.

A density-fitted mean field (RHF) and DF-MP2 with the 1s orbitals of the oxygen atoms frozen, then what can be had from
the same integrals: spin-component scaled energies, the opposite-spin energy in O(N^4), and the energies of pairs of
orbitals, which show how much of the correlation is between the molecules.

Run it with:  python examples/closed_shell.py        (needs PySCF)
"""

import sys

import trnsci
import trnsci.pyscf
from pyscf import df, gto, scf
from pyscf.mp import dfmp2

DIMER = """
O -1.551007 -0.114520  0.000000; H -1.934259  0.762503  0.000000; H -0.599677  0.040712  0.000000
O  1.350625  0.111469  0.000000; H  1.680398 -0.373741 -0.758561; H  1.680398 -0.373741  0.758561
"""  # angstrom
TOLERANCE = 1e-9  # hartree
SOS_TOLERANCE = 1e-7


def main():
    molecule = gto.M(atom=DIMER, basis="cc-pvdz", verbose=0)
    mf = trnsci.pyscf.accelerate(scf.RHF(molecule).density_fit()).run(conv_tol=1e-11)
    mp = trnsci.pyscf.DFMP2(mf)
    mp.set_frozen()  # the chemical core
    # Otherwise the auxiliary basis of the mean field is used, which is made for J and K.
    mp.with_df = df.DF(molecule, auxbasis=df.make_auxbasis(molecule, mp2fit=True))
    mp.run()
    print(f"RHF energy                  {mf.e_tot:.9f} hartree")
    print(f"MP2 correlation energy      {mp.e_corr:.9f}, {mp.frozen} orbitals frozen")
    print(f"  opposite and same spin    {mp.e_corr_os:.9f} {mp.e_corr_ss:.9f}")
    print(f"MP2 energy                  {mp.e_tot:.9f}")
    print(f"SCS-MP2 energy              {mp.e_tot_scs:.9f}")

    # The integrals and energies of the correlated orbitals, for the functions of trnsci that know no PySCF.
    B = mp.ao2mo().ovL
    _, eps_occ, eps_vir, _ = mp.split_mo_energy()  # frozen occupied, occupied, virtual, frozen virtual
    sos = trnsci.sos_mp2_energy(B, eps_occ, eps_vir, layout="(ia)P", tol=SOS_TOLERANCE)
    print(f"SOS-MP2 energy, in O(N^4)   {mf.e_tot + sos.e_corr:.9f}, with {sos.points} points")

    # Canonical orbitals spread over both molecules, so the pairs do too.
    pairs = mp.result.pair_energies
    print(
        "Two electrons in one orbital: "
        + " ".join(f"{1000 * pairs[i, i]:.2f}" for i in range(len(pairs)))
        + " millihartree"
    )

    theirs = dfmp2.DFMP2(mf, frozen=mp.frozen)
    theirs.with_df = mp.with_df
    theirs.kernel(with_t2=False)
    print(f"PySCF's correlation energy  {theirs.e_corr:.9f}")
    if not abs(mp.e_corr - theirs.e_corr) <= TOLERANCE:
        sys.exit("The MP2 energies differ.")
    if not abs(sos.e_corr_os - mp.e_corr_os) <= SOS_TOLERANCE:
        sys.exit("The opposite-spin energies differ.")


if __name__ == "__main__":
    main()
