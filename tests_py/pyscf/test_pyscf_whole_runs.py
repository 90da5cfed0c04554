"""Mean field and DF-MP2 with this package's code everywhere against runs with PySCF's code everywhere."""

import functools

import numpy as np
import pytest

pytest.importorskip("pyscf", reason="PySCF is not installed")
from fitted_mean_fields import molecule
from pyscf import df, gto, scf
from pyscf.mp import dfmp2, dfump2
from pyscf.scf import hf
from trnsci import pyscf as accelerated

SAME = 1e-9  # of two whole runs, in hartree
RESULTS = ("e_hf", "e_corr", "e_corr_ss", "e_corr_os", "e_tot", "e_tot_scs")
JKFIT = "def2-universal-jkfit"
AMMONIA = "N 0 0 0.1; H 0 0.94 -0.27; H 0.81 -0.47 -0.27; H -0.81 -0.47 -0.27"


def fitted(method, *args, auxbasis=None, **options):
    return method(molecule(*args, **options)).density_fit(auxbasis=auxbasis)


def chain():
    """Four hydrogen atoms half a bohr apart: the overlap has an eigenvalue below PySCF's threshold."""
    return gto.M(atom=[("H", (0, 0, i * 0.5)) for i in range(4)], unit="Bohr", basis="cc-pvtz", verbose=0)


def doubled(symbols, name):
    """Return an auxiliary basis in which every function is there twice, so that the metric has no Cholesky factor."""
    return {symbol: 2 * gto.basis.load(name, symbol) for symbol in symbols}


CASES = {
    "water": lambda: fitted(scf.RHF, basis="cc-pvdz"),
    "water without density fitting": lambda: scf.RHF(molecule(basis="cc-pvdz")),
    "water, C2v": lambda: fitted(scf.RHF, basis="cc-pvdz", symmetry=True),
    "triplet methylene": lambda: fitted(scf.UHF, "C 0 0 0; H 0 1 0.3; H 0 -1 0.3", "cc-pvdz", spin=2),
    "triplet methylene, ROHF": lambda: fitted(scf.ROHF, "C 0 0 0; H 0 1 0.3; H 0 -1 0.3", "cc-pvdz", spin=2),
    "hydroxide": lambda: fitted(scf.RHF, "O 0 0 0; H 0 0 0.97", "aug-cc-pvdz", charge=-1),
    "fluoride": lambda: fitted(scf.RHF, "F 0 0 0", "aug-cc-pvdz", charge=-1),
    "nitrogen atom": lambda: fitted(scf.UHF, "N 0 0 0", "cc-pvdz", spin=3),
    "nitrogen atom, ROHF": lambda: fitted(scf.ROHF, "N 0 0 0", "cc-pvdz", spin=3),
    "scandium fluoride": lambda: fitted(scf.RHF, "Sc 0 0 0; F 0 0 1.787", "def2-svp", auxbasis=JKFIT),
    "copper hydride": lambda: fitted(scf.RHF, "Cu 0 0 0; H 0 0 1.46", "def2-svp", auxbasis=JKFIT),
    "hydrogen": lambda: fitted(scf.RHF, "H 0 0 0; H 0 0 0.74", "cc-pvdz"),
    "triplet hydrogen": lambda: fitted(scf.UHF, "H 0 0 0; H 0 0 0.74", "cc-pvdz", spin=2),
    "helium": lambda: scf.RHF(molecule("He 0 0 0", "cc-pvdz")),
    "linearly dependent basis": lambda: scf.RHF(chain()).density_fit(auxbasis="cc-pvtz-jkfit"),
    "singular metric": lambda: fitted(scf.RHF, auxbasis=doubled(("O", "H"), JKFIT)),
    "cation of water": lambda: fitted(scf.UHF, basis="cc-pvdz", charge=1, spin=1),
    "cation of ammonia": lambda: fitted(scf.UHF, AMMONIA, "cc-pvdz", charge=1, spin=1),
    "cation of ammonia, ROHF": lambda: fitted(scf.ROHF, AMMONIA, "cc-pvdz", charge=1, spin=1),
}
# The correlation energy is of first order in errors of orbitals, so the gradient counts; energies of a thousand hartree
# are not known to 1e-13.
TIGHT = {"conv_tol": 1e-11, "conv_tol_grad": 1e-8}


def converged(mf):
    mf.set(**TIGHT).kernel()
    assert mf.converged
    return mf


def by_pyscf(mf, **options):
    mf = mf.to_uhf() if mf.istype("ROHF") else mf
    mp = (dfump2.DFUMP2 if mf.istype("UHF") else dfmp2.DFMP2)(mf, **options)
    mp.kernel(with_t2=False)
    return mp


@functools.cache
def expected(name):
    return by_pyscf(converged(CASES[name]()))


def require_same(ours, theirs):
    for result in RESULTS:
        assert abs(getattr(ours, result) - getattr(theirs, result)) < SAME, result


@pytest.mark.parametrize("name", CASES)
def test_accelerated(name):
    theirs = expected(name)
    ours = accelerated.DFMP2(converged(accelerated.accelerate(CASES[name]()))).run()
    require_same(ours, theirs)
    assert ours.nocc == theirs.nocc and ours.nmo == theirs.nmo


@pytest.mark.parametrize("name", ["water", "triplet methylene, ROHF", "cation of water"])
def test_patched(name):
    with accelerated.patch():
        ours = accelerated.DFMP2(converged(CASES[name]())).run()
    require_same(ours, expected(name))


def test_each_case_is_what_it_is_called():
    assert expected("linearly dependent basis").mo_coeff.shape == (
        (56, 55) if hasattr(hf.SCF, "check_linear_dependency") else (56, 56)
    )
    metric = df.addons.make_auxmol(molecule(), doubled(("O", "H"), JKFIT)).intor("int2c2e")
    assert np.linalg.matrix_rank(metric, tol=1e-7, hermitian=True) <= len(metric) / 2
    assert expected("nitrogen atom").nocc == (5, 2)
    assert expected("scandium fluoride").mol.nelectron == 30
    assert expected("fluoride").mol.charge == -1
    assert expected("triplet hydrogen").nocc == (2, 0)


@pytest.mark.parametrize("frozen", ["core", 1, [0, 1, 5]])
def test_frozen_orbitals(frozen):
    mf, plain = (converged(prepare(CASES["water"]())) for prepare in (accelerated.accelerate, lambda mf: mf))
    objects = accelerated.DFMP2(mf), dfmp2.DFMP2(plain)
    for mp in objects:
        mp.set_frozen() if frozen == "core" else mp.set(frozen=frozen)
        mp.kernel(with_t2=False)
    require_same(*objects)


def test_metric_without_cholesky_factor():
    """Doubled auxiliary functions: the metric is singular, and PySCF's own code may make the integrals NaN."""
    mf, plain = (converged(prepare(scf.RHF(molecule()))) for prepare in (accelerated.accelerate, lambda mf: mf))
    ours, theirs = accelerated.DFMP2(mf), dfmp2.DFMP2(plain)
    ours.with_df, theirs.with_df = df.DF(mf.mol, doubled(("O", "H"), "cc-pvdz-ri")), df.DF(mf.mol, "cc-pvdz-ri")
    theirs.kernel(with_t2=False)
    assert abs(ours.run().e_corr - theirs.e_corr) < 1e-7
