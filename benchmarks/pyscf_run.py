"""One process that is timed by pyscf_runs.py: ``python pyscf_run.py SYSTEM pyscf | trnsci``.

Prints one line of JSON: seconds of the whole without imports, seconds of its steps, energies that both sides have to
agree on, and facts. The same functions of PySCF are timed on both sides; of trnsci nothing is imported for PySCF's.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import pyscf
from pyscf import df, dft, gto, lib, scf
from pyscf.mp import dfmp2, dfump2

import pyscf_parts
from pyscf_systems import SYSTEMS, System, named
from steps import Steps

REST = "the rest"
# Which step a method counts for. What is called inside of another one is taken out of its time.
OF_MEAN_FIELD = {
    "get_ovlp": "one-electron integrals",
    "get_hcore": "one-electron integrals",
    "get_init_guess": "initial guess",
    "check_linear_dependency": "eigenvalues of the overlap",
    "get_jk": "J and K",
    "eig": "eigensolver",
    "get_fock": "Fock matrix, DIIS",
    "get_grad": "orbital gradient",
    "make_rdm1": "density",
    "energy_elec": "energy",
    "dump_chk": "checkpoint file",
}
OF_KOHN_SHAM = {"initialize_grids": "grids"}
OF_PAIRS = {"ao2mo": "transformation and fit of pairs", "init_amps": "pair energies"}


def _watch(steps: Steps, owner: Any, table: dict[str, str]) -> None:
    """Watch the methods of a table, as far as this version of PySCF has them; the time of others is in the rest."""
    for attribute, name in table.items():
        if hasattr(owner, attribute):
            steps.watch(owner, attribute, name)


def mean_field(system: System, molecule: Any) -> Any:
    """Return the density-fitted mean field of a system as PySCF makes it."""
    if system.xc:
        return dft.RKS(molecule, xc=system.xc).density_fit()
    return (scf.UHF(molecule) if system.spin else scf.RHF(molecule)).density_fit()


def _pairs(system: System, mf: Any, ours: bool) -> Any:
    """Return the DF-MP2 object of a converged mean field."""
    if ours:
        import trnsci.pyscf

        mp = trnsci.pyscf.DFMP2(mf)
    else:
        mp = (dfump2.DFUMP2 if system.spin else dfmp2.DFMP2)(mf)
    if system.refit:
        mp.with_df = df.DF(mf.mol, df.make_auxbasis(mf.mol, mp2fit=True))
    return mp


def run(system: System, ours: bool) -> dict[str, Any]:
    """Compute what a user would, from the molecule on."""
    if ours:
        import trnsci.pyscf
    steps = Steps()
    # All three-centre integrals come from this function of libcint's interface.
    steps.watch(gto.moleintor, "getints3c", "three-centre integrals")
    with steps.step(REST):
        molecule = gto.M(atom=system.atoms, basis=system.basis, spin=system.spin, verbose=0)
        mf = mean_field(system, molecule)
        if ours:
            trnsci.pyscf.accelerate(mf)
        _watch(steps, mf, OF_MEAN_FIELD)
        steps.watch(mf.with_df, "build", "fitting tensor")
        if system.xc:
            _watch(steps, mf, OF_KOHN_SHAM)
            steps.watch(mf._numint, "nr_rks", "exchange and correlation")
        mf.kernel()
        energies = {"mean field": float(mf.e_tot)}
        if not system.xc:
            mp = _pairs(system, mf, ours)
            _watch(steps, mp, OF_PAIRS)
            mp.kernel(with_t2=False)
            energies["correlation"] = float(mp.e_corr)
    facts = {
        "nao": molecule.nao_nr(),
        "naux": int(mf.with_df.get_naoaux()),
        "cycles": mf.cycles,
        "converged": mf.converged,
    }
    return {"seconds": sum(steps.seconds.values()), "steps": steps.seconds, "energies": energies, "facts": facts}


def main() -> None:
    """Run what the arguments name."""
    parser = argparse.ArgumentParser()
    parser.add_argument("system", choices=[system.name for system in SYSTEMS])
    parser.add_argument("side", choices=["pyscf", "trnsci"])
    options = parser.parse_args()
    system, ours = named(options.system), options.side == "trnsci"
    if system.kind == "run":
        found = run(system, ours)
    else:
        molecule = gto.M(atom=system.atoms, basis=system.basis, verbose=0)
        part = pyscf_parts.jk if system.kind == "jk" else pyscf_parts.metric
        found = part(molecule, ours)
    found["facts"].update(threads=lib.num_threads(), version=f"PySCF {pyscf.__version__}")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
