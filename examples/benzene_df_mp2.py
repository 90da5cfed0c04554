"""RHF and DF-MP2 of benzene with density fitting, by PySCF and by PySCF with trnsci: energies and seconds.

Both sides do all of it: the mean field (RHF) with fitted Coulomb and exchange matrices J and K, the integrals of DF-MP2
with the auxiliary basis that is made for it, and the energies of all pairs of occupied orbitals. They take turns in
this process, with the same number of threads, and each one's least time counts. PySCF is as pip installs it.

Run it with:  python examples/benzene_df_mp2.py        (needs PySCF; about ten seconds)
"""

import os
import sys
import time

import trnsci.pyscf
from pyscf import df, gto, lib, scf
from pyscf.mp import dfmp2

# Angstrom: carbon atoms 1.39 from the centre, hydrogen atoms 2.48.
BENZENE = """
C  1.3900  0.0000 0; C  0.6950  1.2038 0; C -0.6950  1.2038 0
C -1.3900  0.0000 0; C -0.6950 -1.2038 0; C  0.6950 -1.2038 0
H  2.4800  0.0000 0; H  1.2400  2.1477 0; H -1.2400  2.1477 0
H -2.4800  0.0000 0; H -1.2400 -2.1477 0; H  1.2400 -2.1477 0
"""
BASIS = "cc-pvdz"
ROUNDS = 2
TOLERANCE = 1e-8  # hartree
# Where these are set, OpenBLAS does not choose its kernel for the processor.
OVERRIDES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def calculate(molecule, with_trnsci):
    """Return the energies of RHF and of MP2 with spin components, and the seconds of both steps."""
    start = time.perf_counter()
    mf = scf.RHF(molecule).density_fit().set(conv_tol=1e-10)
    if with_trnsci:
        trnsci.pyscf.accelerate(mf)
    mf.run()
    between = time.perf_counter()
    mp = (trnsci.pyscf if with_trnsci else dfmp2).DFMP2(mf).set_frozen()
    mp.with_df = df.DF(molecule, auxbasis=df.make_auxbasis(molecule, mp2fit=True))
    mp.kernel(with_t2=False)  # no amplitudes, which PySCF would compute by default
    end = time.perf_counter()
    energies = {
        "RHF energy": mf.e_tot,
        "MP2 correlation": mp.e_corr,
        "MP2 same spin": mp.e_corr_ss,
        "SCS-MP2 energy": mp.e_tot_scs,
    }
    return energies, (between - start, end - between)


def openblas_kernels():
    """Return which kernels PySCF's side runs in the three copies of OpenBLAS that it uses: NumPy's, SciPy's and its
    own."""
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return "kernels of OpenBLAS not known without threadpoolctl"
    found = {}
    for pool in threadpool_info():
        if pool.get("internal_api") == "openblas":
            package = next(
                (name for name in ("numpy.libs", "scipy.libs", "pyscf") if name in pool["filepath"]), "another library"
            )
            found[package.removesuffix(".libs")] = pool["architecture"]
    kernels = ", ".join(f"{kernel} in {package}" for package, kernel in sorted(found.items()))
    chosen = " ".join(f"{name}={os.environ[name]}" for name in OVERRIDES if name in os.environ)
    return f"kernels of OpenBLAS: {kernels}" + (f" (as {chosen} asks for)" if chosen else "")


def main():
    molecule = gto.M(atom=BENZENE, basis=BASIS, verbose=0)
    threads = lib.num_threads()
    print(f"Benzene, {BASIS}: {molecule.nao} basis functions, {threads} threads on either side")
    print(openblas_kernels())
    found, seconds = {}, {False: [], True: []}
    for with_trnsci in (False, True):
        calculate(gto.M(atom="Ne 0 0 0", basis="cc-pvdz", verbose=0), with_trnsci)  # a first call loads libraries
    for _ in range(ROUNDS):
        for with_trnsci in (False, True):
            found[with_trnsci], times = calculate(molecule, with_trnsci)
            seconds[with_trnsci].append(times)

    print(f"{'hartree':<18}{'PySCF':>20}{'with trnsci':>20}{'difference':>12}")
    worst = 0.0
    for name, theirs in found[False].items():
        ours = found[True][name]
        worst = max(worst, abs(ours - theirs))
        print(f"{name:<18}{theirs:>20.10f}{ours:>20.10f}{ours - theirs:>12.1e}")
    print(f"{f'seconds, least of {ROUNDS}':<18}{'PySCF':>20}{'with trnsci':>20}{'ratio':>12}")
    least = {side: [min(step) for step in zip(*times, strict=True)] for side, times in seconds.items()}
    for side, times in seconds.items():
        least[side].append(min(map(sum, times)))
    for name, theirs, ours in zip(("RHF", "DF-MP2", "both"), least[False], least[True], strict=True):
        print(f"{name:<18}{theirs:>20.2f}{ours:>20.2f}{theirs / ours:>12.2f}")
    if not worst <= TOLERANCE:
        sys.exit(f"The energies differ by {worst:.1e} hartree, more than {TOLERANCE:.0e}.")


if __name__ == "__main__":
    main()
