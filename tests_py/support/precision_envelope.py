"""DF-MP2 energies of molecules on devices against those of the host's float64 engine.

``python tests_py/support/precision_envelope.py interp pjrt:cpu`` prints the table of docs/device.md for these devices.
"""

import functools
import math
import sys
from types import SimpleNamespace

from pyscf import gto, scf
from trnsci import pyscf as accelerated

# Geometries in angstrom. Water is that of PySCF's own tests of DF-MP2. Methane and ammonia are of the set W4-11 (A.
# Karton, S. Daon and J. M. L. Martin, Chem. Phys. Lett. 510, 165 (2011)) and the cyclic water trimer of WATER27 (V. S.
# Bryantsev et al., J. Chem. Theory Comput. 5, 1016 (2009)), both as the collection GMTKN55 has them (L. Goerigk et al.,
# Phys. Chem. Chem. Phys. 19, 32184 (2017)), rounded. Glycine has the ideal coordinates of the component GLY in the
# wwPDB's Chemical Component Dictionary, revision 2024-09-27.
WATER = "O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587"
METHANE = """
    C  0.000000  0.000000  0.000000
    H -0.281193 -0.049572 -1.049761
    H  1.060837 -0.218523  0.101967
    H -0.203187  0.997727  0.383119
    H -0.576458 -0.729633  0.564675"""
AMMONIA = """
    N  0.000000  0.000000  0.069049
    H  0.000212 -0.934724 -0.319854
    H -0.809601  0.467179 -0.319854
    H  0.809389  0.467545 -0.319854"""
TRIMER = """
    O  1.184703  1.115079 -0.034464
    H  0.493909  0.956377  0.634009
    H  2.024268  1.081125  0.430142
    O -1.146944  0.069765  1.147020
    H -1.279831 -0.523217  1.890283
    H -1.064140 -0.495669  0.356925
    O -0.163351 -1.028935 -1.240181
    H  0.491477 -0.324873 -1.078484
    H -0.540091 -0.849651 -2.105250"""
GLYCINE = """
    N -1.56393  1.13649  0.01057
    C -1.07483 -0.24939  0.01057
    C  0.43204 -0.24939  0.01057
    O  1.03703  0.79632  0.01089
    O  1.10252 -1.41223  0.00990
    H -1.18879  1.65235 -0.77013
    H -2.57229  1.16292  0.01109
    H -1.43799 -0.76292  0.90027
    H -1.43826 -0.76265 -0.88003
    H  2.06852 -1.36291  0.00994"""

CASES = {
    "H2O": (WATER, "cc-pvdz"),
    "H2O, cc-pVTZ": (WATER, "cc-pvtz"),
    "CH4": (METHANE, "cc-pvdz"),
    "NH3": (AMMONIA, "cc-pvdz"),
    "(H2O)3": (TRIMER, "cc-pvdz"),
    "glycine": (GLYCINE, "cc-pvdz"),
}
PRECISIONS = ("fp32", "bf16", "bf16x2", "bf16x3")


@functools.cache
def calculation(name):
    """Return a molecule's object, integrals and energy on the host, with PySCF's default RI basis."""
    atom, basis = CASES[name]
    mf = scf.RHF(gto.M(atom=atom, basis=basis, verbose=0)).run(conv_tol=1e-10)
    assert mf.converged
    mp = accelerated.DFMP2(mf)
    eris = mp.ao2mo()
    e_corr, _ = mp.kernel(eris=eris)
    return SimpleNamespace(mf=mf, mp=mp, eris=eris, e_corr=float(e_corr), error_bound=mp.result.error_bound)


def on_device(case, device, precision):
    """Return the energies of the same integrals on a device."""
    mp = case.mp.copy().set(device=device, precision=precision)
    mp.kernel(eris=case.eris)
    return mp.result


def main(devices):
    print("| molecule | nocc | nvir | naux | device |" + "".join(f" {p} |" for p in PRECISIONS))
    print("|---|---|---|---|---|" + "---|" * len(PRECISIONS))
    for name in CASES:
        case = calculation(name)
        for device in devices:
            row = f"| {name} | {case.eris.nocc} | {case.eris.nvir} | {case.eris.naux} | `{device}` |"
            for precision in PRECISIONS:
                result = on_device(case, device, precision)
                assert math.isfinite(result.error_bound)
                row += f" {abs(result.e_corr - case.e_corr):.0e} ({result.error_bound:.0e}) |"
            print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["interp"])
