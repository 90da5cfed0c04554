"""The correlation energy of a water molecule, computed on devices.

PySCF does the chemistry as in water_mp2.py. trnsci.pyscf.DFMP2 then computes the second-order (MP2) correlation energy
three times on each device that is here: in single precision, and with products of bf16 numbers (8 bits), of which one
or three stand for each number. The table compares them with the host's energy in double precision: the error, the bound
of it that the call gives, and what the device did.

Run it with:  python examples/water_mp2_device.py        (needs  pip install pyscf)
"""

import sys

import trnsci
import trnsci.pyscf
from pyscf import gto, scf

WATER = "O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587"  # angstrom
DEVICES = ("interp", "pjrt:cpu")  # the interpreter, and XLA on the host: pip install lammps-jax-pjrt-cpu
# Hartree, for each precision: what its error must be below.
TOLERANCES = {"fp32": 1e-6, "bf16x3": 1e-6, "bf16": 1e-2}


def main():
    mf = scf.RHF(gto.M(atom=WATER, basis="cc-pvdz", verbose=0)).run(conv_tol=1e-12)
    host = trnsci.pyscf.DFMP2(mf).run()
    print(f"H2O, cc-pVDZ: MP2 correlation energy {host.e_corr:.12f} hartree on the host")
    heads = ("device", "precision", "e_corr", "error", "bound", "compiles", "runs", "bytes in", "ms")
    print("{:<10}{:<11}{:>16}{:>10}{:>9}{:>10}{:>6}{:>10}{:>9}".format(*heads))

    failed = []
    for device in DEVICES:
        if device not in trnsci.devices():
            print(f"{device:<10}is not installed")
            continue
        for precision, tolerance in TOLERANCES.items():
            mp = trnsci.pyscf.DFMP2(mf, device=device, precision=precision).run()
            error, bound = mp.e_corr - host.e_corr, mp.result.error_bound
            report = trnsci.last_report()
            print(
                f"{device:<10}{precision:<11}{mp.e_corr:>16.12f}{error:>10.1e}{bound:>9.1e}{report.compiles:>10}"
                f"{report.dispatches:>6}{report.bytes_in:>10}{1000 * report.seconds:>9.3f}"
            )
            if not abs(error) <= min(tolerance, bound):
                failed.append(f"{device} in {precision}")
    print("Times include compiling. The interpreter is what devices are judged by, not a way to be fast.")
    if failed:
        sys.exit(f"Too far off: {', '.join(failed)}.")


if __name__ == "__main__":
    main()
