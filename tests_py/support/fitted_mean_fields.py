"""Density-fitted mean fields of PySCF for tests, a recorder of calls of our code, and gaps of the installed PySCF."""

import functools

import numpy as np
import pytest
from pyscf import dft, gto, lib, scf
from trnsci.pyscf import _jk

WATER = "O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587"
STRETCHED = "O 0 0 0; H 0 -0.8 0.6; H 0 0.757 0.587"
SAME_ENERGY = 1e-9  # of two runs, in hartree
SAME_DENSITY = 1e-10  # of J and K, for one density


def einsum_works():
    """Whether PySCF's products of three tensors, which gradients take, work with this NumPy; 2.9's do not with 2.4."""
    try:
        lib.einsum("ij,jk,kl->il", np.eye(2), np.eye(2), np.eye(2))
    except ValueError:
        return False
    return True


NEEDS_EINSUM = pytest.mark.skipif(not einsum_works(), reason="this PySCF's einsum does not work with this NumPy")


def molecule(atom=WATER, basis="6-31g*", **options):
    return gto.M(atom=atom, basis=basis, verbose=0, **options)


def cation(**options):
    return molecule(charge=1, spin=1, **options)


def fitted(mf, **options):
    return mf.density_fit(**options)


def kohn_sham(method, mol, xc):
    mf = method(mol, xc=xc)
    mf.grids.level = 0
    return mf.density_fit()


def converged(mf, dm=None):
    mf.conv_tol = 1e-12
    mf.kernel(dm)
    assert mf.converged
    return mf


def twice_the_auxiliary_functions():
    """The metric of these is singular: each function is there two times."""
    basis = {symbol: 2 * gto.basis.load("def2-universal-jkfit", symbol) for symbol in ("O", "H")}
    return fitted(scf.RHF(molecule()), auxbasis=basis)


def chain():
    """Its overlap has an eigenvalue below PySCF's threshold of linear dependence."""
    return gto.M(atom=[("H", (0, 0, i * 0.5)) for i in range(4)], unit="Bohr", basis="cc-pvtz", verbose=0)


def with_tensor(mf):
    mf.with_df.build()
    return mf


def smeared():
    return scf.addons.smearing_(fitted(scf.RHF(molecule())), sigma=0.1, method="fermi")


MEAN_FIELDS = {
    "RHF": lambda: fitted(scf.RHF(molecule())),
    "RHF C2v": lambda: fitted(scf.RHF(molecule(symmetry=True))),
    "UHF of a cation": lambda: fitted(scf.UHF(cation())),
    "ROHF of a cation": lambda: fitted(scf.ROHF(cation())),
    "GHF of a cation": lambda: fitted(scf.GHF(cation())),
    "X2C": lambda: fitted(scf.RHF(molecule()).sfx2c1e()),
    "second order": lambda: fitted(scf.RHF(molecule())).newton(),
    "fractional occupations": smeared,
    "B3LYP": lambda: kohn_sham(dft.RKS, molecule(), "b3lyp"),
    "B3LYP of a cation": lambda: kohn_sham(dft.UKS, cation(), "b3lyp"),
    "B3LYP of an open shell": lambda: kohn_sham(dft.ROKS, cation(), "b3lyp"),
    "CAM-B3LYP": lambda: kohn_sham(dft.RKS, molecule(), "camb3lyp"),
    "PBE with a tensor": lambda: with_tensor(kohn_sham(dft.RKS, molecule(), "pbe")),
    "anion": lambda: fitted(scf.RHF(molecule("O 0 0 0; H 0 0 0.97", "aug-cc-pvdz", charge=-1))),
    "atom": lambda: fitted(scf.UHF(molecule("O", "cc-pvdz", spin=2))),
    "hydrogen": lambda: fitted(scf.RHF(molecule("H 0 0 0; H 0 0 0.74", "cc-pvdz"))),
    "helium": lambda: fitted(scf.RHF(molecule("He", "sto-3g"))),
    "linear dependence": lambda: fitted(scf.RHF(chain())),
    "singular metric": twice_the_auxiliary_functions,
    "scandium fluoride": lambda: fitted(scf.RHF(molecule("Sc 0 0 0; F 0 0 1.787", "def2-svp"))),
}


@functools.cache
def plain_energy(name):
    return converged(MEAN_FIELDS[name]()).e_tot


def require_same(ours, theirs):
    for our, their in zip(ours, theirs, strict=True):
        assert our.shape == their.shape and our.dtype == their.dtype
        assert np.abs(our - their).max(initial=0) <= SAME_DENSITY * max(1, np.abs(their).max(initial=0))


def record(monkeypatch):
    """Return a list that gets the keyword arguments of each call of `trnsci.df_jk`, and the tensor as "tensor"."""
    calls = []
    compute = _jk.df_jk

    def recorder(tensor, *args, **kwargs):
        calls.append({"tensor": tensor, **kwargs})
        return compute(tensor, *args, **kwargs)

    monkeypatch.setattr(_jk, "df_jk", recorder)
    return calls
