"""The eigensolver that trnsci.pyscf plugs into mean fields, against PySCF itself."""

import functools

import numpy as np
import pytest
import scipy.linalg

pyscf = pytest.importorskip("pyscf")
from pyscf import dft, gto, lib, scf  # noqa: E402
from pyscf.scf import hf  # noqa: E402
from pyscf.x2c import x2c  # noqa: E402
from small_molecules import SAME_ENERGY, STRETCHED, WATER, converged, water  # noqa: E402
from trnsci import linalg  # noqa: E402
from trnsci import pyscf as accelerated  # noqa: E402
from trnsci.pyscf import _eigensolver  # noqa: E402

# The eigensolver itself


def hermitian(n, dtype, seed):
    rng = np.random.default_rng(seed)
    g = rng.standard_normal((n, n))
    if np.dtype(dtype).kind == "c":
        g = g + 1j * rng.standard_normal((n, n))
    return g + g.conj().T


def overlap_matrix(n, dtype, seed):
    g = hermitian(n, dtype, seed)
    return g @ g.conj().T / n + np.eye(n)


@pytest.mark.parametrize("h_type", [float, complex])
@pytest.mark.parametrize("s_type", [float, complex, None])
def test_generalized_problem(h_type, s_type):
    n = 17
    h = hermitian(n, h_type, 1)
    s = None if s_type is None else overlap_matrix(n, s_type, 2)
    inputs = [m.copy() for m in (h, s) if m is not None]
    e, c = _eigensolver._scf_eigh(h, s, overwrite=True)
    metric = np.eye(n) if s is None else s
    eps = np.finfo(float).eps
    assert np.abs(e - scipy.linalg.eigh(h, metric, eigvals_only=True)).max() < 100 * n * eps * np.abs(e).max()
    assert np.abs(h @ c - metric @ c * e).max() < 100 * n * eps * np.abs(h).max()
    assert np.abs(c.conj().T @ metric @ c - np.eye(n)).max() < 100 * n * eps
    assert_phase(c)
    for given, before in zip((h, s), inputs, strict=False):
        np.testing.assert_array_equal(given, before)


@pytest.mark.parametrize("h_type", [float, complex])
@pytest.mark.parametrize("x_type", [float, complex])
@pytest.mark.parametrize("nmo", [0, 1, 11, 17])
def test_orthonormal_orbitals_given(h_type, x_type, nmo):
    n = 17
    h = hermitian(n, h_type, 3)
    s = overlap_matrix(n, x_type, 4)
    w, v = scipy.linalg.eigh(s)
    x = (v / np.sqrt(w))[:, n - nmo :]
    h.flags.writeable = s.flags.writeable = x.flags.writeable = False
    e, c = _eigensolver._scf_eigh(h, s, x=x)
    assert e.shape == (nmo,) and c.shape == (n, nmo)
    projected = x.conj().T @ h @ x
    bound = 100 * n * np.finfo(float).eps
    if nmo:
        assert np.abs(e - np.linalg.eigvalsh(projected)).max() < bound * np.abs(h).max()
        assert np.abs(c.conj().T @ h @ c - np.diag(e)).max() < bound * np.abs(h).max()
    assert np.abs(c.conj().T @ s @ c - np.eye(nmo)).max(initial=0) < bound
    assert_phase(c)


def assert_phase(c):
    """The largest component of each column is real and positive."""
    for column in c.T:
        largest = column[np.abs(column).argmax()]
        assert largest.real > 0 and abs(largest.imag) <= 4 * np.finfo(float).eps * abs(largest)


def test_phase_of_a_zero_column_is_left():
    c = np.array([[0.0, -2.0], [0.0, 1.0]])
    np.testing.assert_array_equal(_eigensolver._fix_phase(c), [[0.0, 2.0], [0.0, -1.0]])


def test_orbitals_are_pyscfs():
    """Without symmetry no orbitals are degenerate and no components tie, so the phase convention fixes the orbitals."""
    mf = scf.RHF(water(STRETCHED))
    h, s = mf.get_hcore(), mf.get_ovlp()
    for ours, theirs in zip(_eigensolver._scf_eigh(h, s), hf.eig(h, s), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11)


# Mean fields


def chiral():
    """A cell whose k-points other than Gamma have complex orbitals."""
    from pyscf.pbc import gto as pbc_gto

    return pbc_gto.M(
        a=np.eye(3) * 3.5, atom="H 0 0 0; H 0.4 0.5 0.3", basis="gth-szv", pseudo="gth-pade", mesh=[9] * 3, verbose=0
    )


def k_points(kind="KRHF"):
    from pyscf.pbc import scf as pbc_scf

    cell = chiral()
    return getattr(pbc_scf, kind)(cell, cell.make_kpts([3, 1, 1]))


MEAN_FIELDS = {
    "RHF": lambda: scf.RHF(water()),
    "RHF from hcore": lambda: scf.RHF(water()).set(init_guess="1e"),
    "UHF": lambda: scf.UHF(water(charge=1, spin=1)),
    "ROHF": lambda: scf.ROHF(water(charge=1, spin=1)),
    "GHF": lambda: scf.GHF(water(charge=1, spin=1)),
    "RKS": lambda: dft.RKS(water(), xc="lda,vwn").set(grids=small_grid()),
    "RHF C2v": lambda: scf.RHF(water(symmetry=True)),
    "UHF C2v": lambda: scf.UHF(water(symmetry=True, charge=1, spin=1)),
    "ROHF C2v": lambda: scf.ROHF(water(symmetry=True, charge=1, spin=1)),
    "density fitting": lambda: scf.RHF(water()).density_fit(),
    "X2C": lambda: scf.RHF(water()).x2c(),
    "second order": lambda: scf.RHF(water()).newton(),
    "KRHF": k_points,
    "KUHF": lambda: k_points("KUHF"),
    "KROHF": lambda: k_points("KROHF"),
    "KGHF": lambda: k_points("KGHF"),
}


def small_grid():
    grids = dft.Grids(water())
    grids.level = 0
    return grids


@functools.cache
def plain_energy(name):
    return converged(MEAN_FIELDS[name]()).e_tot


@pytest.mark.parametrize("name", MEAN_FIELDS)
def test_accelerated_energy(name, recorded):
    expected = plain_energy(name)
    assert not recorded
    ours = converged(accelerated.accelerate(MEAN_FIELDS[name]()))
    assert recorded
    assert abs(ours.e_tot - expected) < SAME_ENERGY


def test_linear_molecule_with_symmetry():
    """PySCF 2.13 and later solve the cylindrical groups with SciPy by themselves; nothing must get in the way."""
    nitrogen = gto.M(atom="N 0 0 0; N 0 0 1.1", basis="cc-pvdz", symmetry=True, verbose=0)
    expected = converged(scf.RHF(nitrogen))
    ours = converged(accelerated.accelerate(scf.RHF(nitrogen)))
    assert nitrogen.groupname == "Dooh"
    assert abs(ours.e_tot - expected.e_tot) < SAME_ENERGY


def complex_guess(mf):
    """A Hermitian density matrix with an imaginary part."""
    dm = mf.get_init_guess().astype(complex)
    half = len(dm) // 2
    dm[0, half] += 0.05j
    dm[half, 0] -= 0.05j
    return dm


def test_accelerated_complex_ghf(recorded):
    energies = []
    radical = gto.M(atom=WATER, basis="6-31g", charge=1, spin=1, verbose=0)
    for prepare in (lambda mf: mf, accelerated.accelerate):
        mf = prepare(scf.GHF(radical))
        mf.conv_tol = 1e-12
        energies.append(mf.kernel(complex_guess(mf)))
        assert mf.converged and np.iscomplexobj(mf.mo_coeff)
    assert recorded
    assert abs(energies[1] - energies[0]) < SAME_ENERGY


DROPS_FUNCTIONS = hasattr(hf.SCF, "check_linear_dependency")  # PySCF 2.13 and later
LONG_CHAIN = [
    pytest.mark.slow,
    pytest.mark.skipif(not DROPS_FUNCTIONS, reason="this version of PySCF does not converge here by itself"),
]


@pytest.mark.parametrize(
    ("atoms", "spacing", "functions", "dropped"), [(4, 0.5, 56, 1), pytest.param(10, 1.0, 140, 3, marks=LONG_CHAIN)]
)
def test_linearly_dependent_basis(atoms, spacing, functions, dropped, recorded):
    """The overlap of the chain has eigenvalues below PySCF's threshold, so that orbitals are fewer than functions."""
    chain = gto.M(atom=[("H", (0, 0, i * spacing)) for i in range(atoms)], unit="Bohr", basis="cc-pvtz", verbose=0)
    expected = converged(scf.RHF(chain))
    assert not recorded
    ours = converged(accelerated.accelerate(scf.RHF(chain)))
    assert recorded
    assert ours.mo_coeff.shape == (functions, functions - dropped if DROPS_FUNCTIONS else functions)
    assert abs(ours.e_tot - expected.e_tot) < SAME_ENERGY


def test_k_points_are_complex_problems(monkeypatch):
    seen = []
    solver = linalg.eigh
    monkeypatch.setattr(
        linalg, "eigh", lambda a, *args, **kwargs: (seen.append(a.dtype), solver(a, *args, **kwargs))[1]
    )
    converged(accelerated.accelerate(k_points()))
    assert np.dtype(complex) in seen


@pytest.mark.parametrize("name", ["RHF", "UHF", "KRHF"])
def test_patched_energy(name, recorded):
    expected = plain_energy(name)
    assert not recorded
    with accelerated.patch():
        ours = converged(MEAN_FIELDS[name]())
    assert recorded
    assert abs(ours.e_tot - expected) < SAME_ENERGY


def test_patch_reaches_two_component_x2c(recorded):
    """That class holds a copy of the common eigensolver."""
    hydrogen = gto.M(atom="H 0 0 0; H 0 0 0.74", basis="cc-pvdz", verbose=0)
    expected = converged(x2c.UHF(hydrogen))
    assert not recorded
    with accelerated.patch():
        ours = converged(x2c.UHF(hydrogen))
    assert recorded
    assert abs(ours.e_tot - expected.e_tot) < SAME_ENERGY


def test_scf_threads_follow_pyscf(recorded):
    mf = accelerated.accelerate(scf.RHF(water()))
    for n in (1, 2):
        with lib.with_omp_threads(n):
            recorded.clear()
            mf.kernel()
            assert recorded and {call["threads"] for call in recorded} == {n}
