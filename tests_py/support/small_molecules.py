"""Small molecules, and mean fields that are converged tightly. For tests with PySCF only."""

from pyscf import gto

WATER = "O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587"
STRETCHED = "O 0 0 0; H 0 -0.8 0.6; H 0 0.757 0.587"
# Agreement asked for: with PySCF on the same orbitals, and with numbers that hang on a whole SCF.
SAME_ORBITALS = 1e-10
SAME_ENERGY = 1e-9


def water(atom=WATER, **options):
    return gto.M(atom=atom, basis="cc-pvdz", verbose=0, **options)


def converged(mf):
    mf.conv_tol = 1e-12
    mf.kernel()
    assert mf.converged
    return mf
