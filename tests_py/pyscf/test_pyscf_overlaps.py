"""The eigensolver in PySCF with nearly singular or indefinite overlaps, and with users' own solvers."""

import functools
import io
import warnings

import numpy as np
import pytest
import scipy.linalg

pytest.importorskip("pyscf", reason="PySCF is not installed")
from fitted_mean_fields import SAME_ENERGY, chain, converged, fitted, molecule
from pyscf import gto, scf
from trnsci import LinearDependencyWarning, linalg
from trnsci import pyscf as accelerated
from trnsci.pyscf import _eigensolver

HYDROGEN = "H 0 0 0; H 0 0 0.74"


@pytest.fixture
def recorded(monkeypatch):
    """The first arguments of each call of our eigensolver."""
    calls = []
    solver = linalg.eigh
    monkeypatch.setattr(linalg, "eigh", lambda a, *args, **kwargs: (calls.append(a), solver(a, *args, **kwargs))[1])
    return calls


@pytest.fixture(scope="module")
def hydrogen():
    return accelerated.accelerate(scf.RHF(molecule(HYDROGEN, "cc-pvdz")))


def with_eigenvalue(s, value):
    """Return a matrix with the eigenvectors of `s`, whose smallest eigenvalue is exchanged."""
    w, v = np.linalg.eigh(s)
    w[0] = value
    return (v * w) @ v.T


@pytest.mark.parametrize("value", [-1e-3, -1e-9, -1.0])
def test_overlap_that_is_not_positive_definite(hydrogen, value):
    """Those of crystals become so when their sums are cut off; energies must not come out of them."""
    h, s = hydrogen.get_hcore(), with_eigenvalue(hydrogen.get_ovlp(), value)
    with pytest.raises(np.linalg.LinAlgError, match=r"the leading minor of order \d+ is not positive definite"):
        hydrogen._eigh(h, s)
    hydrogen.get_ovlp = lambda *args: s
    try:
        with pytest.raises(np.linalg.LinAlgError, match="leading minor"):
            hydrogen.set(init_guess="1e").kernel()
    finally:
        del hydrogen.get_ovlp


@pytest.mark.parametrize(("s", "order"), [([[1.0, 1.0], [1.0, 1.0]], 2), ([[1.0, 0.0], [0.0, -1.0]], 2), ([[0.0]], 1)])
def test_order_of_the_minor_is_named(hydrogen, s, order):
    text = f"^s: the leading minor of order {order} is not positive definite; .* scf.addons.remove_linear_dep_"
    with pytest.raises(np.linalg.LinAlgError, match=text) as caught:
        hydrogen._eigh(np.eye(len(s)), np.array(s))
    assert "lindep=" not in str(caught.value)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_matrices_that_are_not_finite(hydrogen, bad):
    h, s = hydrogen.get_hcore(), hydrogen.get_ovlp()
    spoilt = h.copy()
    spoilt[2, 1] = spoilt[1, 2] = bad
    with pytest.raises(ValueError, match="a: contains infinities or NaNs"):
        hydrogen._eigh(spoilt, s)
    with pytest.raises(ValueError, match="contains infinities or NaNs"):
        hydrogen._eigh(h, spoilt)


@pytest.mark.parametrize("spread", [1e-17, 1e-14])
def test_eigenvalues_that_cluster(spread):
    """Overlaps of too large basis sets have many eigenvalues that agree to rounding, where some solvers fail."""
    n = 60
    rng = np.random.default_rng(3)
    q = np.linalg.qr(rng.standard_normal((n, n)))[0]
    w = np.concatenate((spread * rng.random(n // 2), 1 + rng.random(n - n // 2)))
    h = (q * w) @ q.T
    h = (h + h.T) / 2
    e, c = _eigensolver._scf_eigh(h, None)
    bound = 10 * n * np.finfo(float).eps * np.abs(w).max()
    assert np.abs(e - np.sort(w)).max() < bound
    assert np.abs(c.T @ c - np.eye(n)).max() < 10 * n * np.finfo(float).eps
    assert np.abs(h @ c - c * e).max() < bound


def test_nearly_dependent_overlap():
    """An eigenvalue of 1e-9: the residual is small beside the matrices and the large eigenvalues that come out."""
    mf = scf.RHF(molecule(HYDROGEN, "cc-pvdz"))
    h, s = mf.get_hcore(), with_eigenvalue(mf.get_ovlp(), 1e-9)
    e, c = _eigensolver._scf_eigh(h, s)
    residual = np.abs(h @ c - s @ c * e).max(axis=0)
    scale = (np.abs(h).max() + np.abs(e) * np.abs(s).max()) * np.abs(c).max(axis=0)
    assert (residual < 100 * len(h) * np.finfo(float).eps * scale).all()
    assert np.abs(c.T @ s @ c - np.eye(len(h))).max() < 1e-6


# A basis that is linearly dependent: ten hydrogen atoms one bohr apart in cc-pVTZ, of whose 140 functions PySCF keeps
# 137


@functools.cache
def hydrogens():
    return gto.M(atom=[("H", (0, 0, float(i))) for i in range(10)], unit="Bohr", basis="cc-pvtz", verbose=0)


@functools.cache
def energy_of_hydrogens():
    """Canonical orthogonalization by NumPy and SciPy, whatever this PySCF does by itself."""
    s, u = np.linalg.eigh(hydrogens().intor("int1e_ovlp"))
    x = u[:, s > 1e-6] / np.sqrt(s[s > 1e-6])

    def solve(h, *args, **kwargs):
        e, c = scipy.linalg.eigh(x.T @ h @ x)
        return e, x @ c

    mf = fitted(scf.RHF(hydrogens()))
    mf._eigh = solve
    return converged(mf).e_tot


@pytest.mark.skipif(not hasattr(scf.hf, "check_linear_dependency"), reason="this PySCF removes nothing by itself")
def test_energy_in_a_dependent_basis(recorded):
    mf = converged(accelerated.accelerate(fitted(scf.RHF(hydrogens()))))
    assert {len(h) for h in recorded} == {137} and mf.mo_coeff.shape == (140, 137)
    assert abs(mf.e_tot - energy_of_hydrogens()) < SAME_ENERGY


def test_lindep_in_a_dependent_basis():
    mf = fitted(scf.RHF(hydrogens()))
    mf._eigh = lambda h, s, *args, **kwargs: linalg.eigh(h, s, lindep=1e-6)
    with pytest.warns(LinearDependencyWarning, match="3 of 140"):
        converged(mf)
    assert mf.mo_coeff.shape == (140, 137) and abs(mf.e_tot - energy_of_hydrogens()) < SAME_ENERGY


# Own ways to remove functions


def without_dependent_functions(mf):
    """Remove one of 56 functions, as PySCF does unasked from version 2.13 on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # for that reason
        return scf.addons.remove_linear_dep_(mf, threshold=1e-6, lindep=1e-6)


@functools.cache
def energy_without_dependent_functions():
    return converged(without_dependent_functions(scf.RHF(chain()))).e_tot


def test_removal_after_accelerate_wins(recorded):
    mf = converged(without_dependent_functions(accelerated.accelerate(scf.RHF(chain()))))
    assert not recorded and mf.mo_coeff.shape == (56, 55)
    assert abs(mf.e_tot - energy_without_dependent_functions()) < SAME_ENERGY


def test_removal_before_accelerate_is_kept(recorded):
    mf = without_dependent_functions(scf.RHF(chain()))
    own, log = mf._eigh, io.StringIO()
    mf.verbose, mf.stdout = 3, log
    assert accelerated.accelerate(mf)._eigh is own and "eigensolver of its own" in log.getvalue()
    assert abs(converged(mf.set(verbose=0)).e_tot - energy_without_dependent_functions()) < SAME_ENERGY
    assert not recorded


def test_solver_of_two_arguments():
    """PySCF 2.13 and later pass a third, and fail, with our package as without."""

    def run(prepare):
        mf = scf.RHF(molecule(HYDROGEN, "sto-3g"))
        mf.eig = lambda h, s: scipy.linalg.eigh(h, s)
        try:
            return prepare(mf).kernel()
        except TypeError as error:
            return str(error)

    plain, ours = run(lambda mf: mf), run(accelerated.accelerate)
    assert ours == pytest.approx(plain, abs=SAME_ENERGY) if isinstance(plain, float) else ours == plain
