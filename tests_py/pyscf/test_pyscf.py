"""trnsci.pyscf against PySCF itself: DF-MP2 energies, and mean fields with our eigensolver plugged in.

The fixed reference energies are PySCF's own, from runs with its C code, at conv_tol 1e-12.
"""

import functools
import io
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy.linalg

pyscf = pytest.importorskip("pyscf")
from pyscf import dft, gto, lib, mp, scf  # noqa: E402
from pyscf.mp import dfmp2, dfump2  # noqa: E402
from pyscf.scf import hf  # noqa: E402
from pyscf.x2c import x2c  # noqa: E402
from trnsci import UnsupportedError, linalg  # noqa: E402
from trnsci import mp2 as trnsci_mp2  # noqa: E402
from trnsci import pyscf as accelerated  # noqa: E402
from trnsci.pyscf import _eigensolver  # noqa: E402

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


@pytest.fixture(scope="module")
def rhf():
    return converged(scf.RHF(water()))


@pytest.fixture(scope="module")
def uhf():
    return converged(scf.UHF(water(charge=1, spin=1)))


@pytest.fixture
def recorded(monkeypatch):
    """The keyword arguments of each call of our eigensolver."""
    calls = []
    solver = linalg.eigh

    def recorder(*args, **kwargs):
        calls.append(kwargs)
        return solver(*args, **kwargs)

    monkeypatch.setattr(linalg, "eigh", recorder)
    return calls


# DF-MP2: energies


@pytest.mark.parametrize(
    ("frozen", "expected"),
    [
        (None, -0.20400482102770082),
        (0, -0.20400482102770082),
        (1, -0.20166760413157),
        ([0], -0.20166760413157),
        ([0, 1, 5], -0.13844381496025),
    ],
)
def test_restricted_reference_energy(rhf, frozen, expected):
    ours = accelerated.DFMP2(rhf, frozen=frozen).run()
    theirs = dfmp2.DFMP2(rhf, frozen=frozen).run()
    assert isinstance(ours, dfmp2.DFMP2)
    assert abs(ours.e_corr - expected) < SAME_ENERGY
    assert_same_results(ours, theirs)
    assert ours.t2 is None
    assert ours.mo_energy is rhf.mo_energy


@pytest.mark.parametrize(
    ("frozen", "expected"),
    [(None, -0.15321910903781), ([0], -0.15103334394545), ([[0, 1, 5], [1]], -0.09397152054463)],
)
def test_unrestricted_reference_energy(uhf, frozen, expected):
    ours = accelerated.DFMP2(uhf, frozen=frozen).run()
    theirs = dfump2.DFUMP2(uhf, frozen=frozen).run()
    assert isinstance(ours, accelerated.DFUMP2) and isinstance(ours, dfump2.DFUMP2)
    assert abs(ours.e_corr - expected) < SAME_ENERGY
    assert_same_results(ours, theirs)


def assert_same_results(ours, theirs):
    for name in ("e_corr", "e_corr_ss", "e_corr_os", "e_hf", "e_tot", "emp2", "emp2_scs", "e_tot_scs"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), abs=SAME_ORBITALS), name
    assert (ours.nocc, ours.nmo) == (theirs.nocc, theirs.nmo)
    assert float(ours.result) == ours.e_corr
    assert ours.result.e_scs == pytest.approx(theirs.emp2_scs, abs=SAME_ORBITALS)
    pairs = ours.result.pair_energies
    if isinstance(ours, dfump2.DFUMP2):
        alpha, beta = ours.nocc
        assert [p.shape for p in pairs] == [(alpha, alpha), (beta, beta), (alpha, beta)]
        assert sum(p.sum() for p in pairs[:2]) == pytest.approx(theirs.e_corr_ss, abs=SAME_ORBITALS)
        assert pairs[2].sum() == pytest.approx(theirs.e_corr_os, abs=SAME_ORBITALS)
    else:
        assert pairs.shape == (ours.nocc, ours.nocc)
        assert pairs.sum() == pytest.approx(theirs.e_corr, abs=SAME_ORBITALS)


def test_set_frozen_is_the_chemical_core(rhf):
    assert accelerated.DFMP2(rhf).set_frozen().run().e_corr == accelerated.DFMP2(rhf, frozen=1).run().e_corr


def test_mixed_precision_within_a_tolerance(rhf):
    exact = accelerated.DFMP2(rhf).run()
    loose = accelerated.DFMP2(rhf, precision="mixed").run()
    tight = accelerated.DFMP2(rhf, precision="mixed", etol=loose.result.error_bound / 3).run()
    assert 0 == loose.result.recomputed < tight.result.recomputed
    assert tight.result.error_bound <= loose.result.error_bound / 3
    assert abs(tight.e_corr - exact.e_corr) <= tight.result.error_bound + exact.result.error_bound
    assert tight.copy().etol == tight.etol
    with pytest.raises(ValueError, match=r"^etol: "):
        accelerated.DFMP2(rhf, etol=1e-6).run()


@pytest.mark.parametrize("kind", ["rhf", "uhf"])
def test_integrals_on_disk(kind, request, monkeypatch):
    seen = []
    compute = trnsci_mp2.df_mp2_energy

    def recorder(B, *args, **kwargs):
        seen.extend(B if isinstance(B, list) else [B])
        return compute(B, *args, **kwargs)

    monkeypatch.setattr(trnsci_mp2, "df_mp2_energy", recorder)
    in_memory = accelerated.DFMP2(request.getfixturevalue(kind)).run()
    seen.clear()
    on_disk = in_memory.copy().run(force_outcore=True)
    assert seen and not any(isinstance(b, np.ndarray) for b in seen)  # but datasets, which are read where they lie
    assert on_disk.e_corr == pytest.approx(in_memory.e_corr, abs=SAME_ORBITALS)
    assert on_disk.e_corr_ss == pytest.approx(in_memory.e_corr_ss, abs=SAME_ORBITALS)


def test_no_memory_left(rhf):
    """PySCF's limit is soft: below what the process already holds, integrals go to disk and work goes on."""
    assert accelerated.DFMP2(rhf).run(max_memory=1).e_corr == pytest.approx(-0.20400482102770082, abs=SAME_ENERGY)


@pytest.mark.parametrize("force_outcore", [False, True])
@pytest.mark.parametrize("frozen", [5, [0, 1, 2, 3, 4], list(range(5, 24))])
def test_nothing_left_to_correlate(rhf, frozen, force_outcore):
    ours = accelerated.DFMP2(rhf, frozen=frozen).run(force_outcore=force_outcore)
    assert (ours.e_corr, ours.e_corr_ss, ours.e_corr_os) == (0.0, 0.0, 0.0)
    assert ours.e_tot == rhf.e_tot


def test_nothing_left_to_correlate_unrestricted(uhf):
    ours = accelerated.DFMP2(uhf, frozen=[[0, 1, 2, 3, 4], [0, 1, 2, 3]]).run(force_outcore=True)
    assert ours.e_corr == 0.0


def test_one_spin_without_electrons():
    lithium = converged(scf.UHF(gto.M(atom="Li", basis="cc-pvdz", spin=1, verbose=0)))
    for frozen in (None, [[], [0]]):
        expected = dfump2.DFUMP2(lithium, frozen=frozen).run().e_corr
        assert expected < 0
        assert accelerated.DFMP2(lithium, frozen=frozen).run().e_corr == pytest.approx(expected, abs=SAME_ORBITALS)
    assert accelerated.DFMP2(lithium, frozen=1).run().e_corr == 0.0


def test_more_frozen_than_occupied(rhf):
    with pytest.raises(ValueError, match="frozen: 6 orbitals, but 5 are occupied"):
        accelerated.DFMP2(rhf, frozen=6).run()


def test_more_frozen_than_occupied_unrestricted(uhf):
    with pytest.raises(ValueError, match="frozen: 6 orbitals, but 5 are occupied"):
        accelerated.DFMP2(uhf, frozen=6).run()
    nitrogen = converged(scf.UHF(gto.M(atom="N", basis="cc-pvdz", spin=3, verbose=0)))  # five alpha electrons, two beta
    ours = accelerated.DFMP2(nitrogen, frozen=3).run()
    assert ours.nocc == (2, 0)
    expected = dfump2.DFUMP2(nitrogen, frozen=[[0, 1, 2], [0, 1]]).run().e_corr
    assert expected < 0
    assert ours.e_corr == pytest.approx(expected, abs=SAME_ORBITALS)


@pytest.mark.parametrize("frozen", [None, [0, 1, 5]])
def test_amplitudes_restricted(rhf, frozen):
    ours = accelerated.DFMP2(rhf, frozen=frozen)
    e_corr, t2 = ours.kernel(with_t2=True)
    theirs = dfmp2.DFMP2(rhf, frozen=frozen).run()
    np.testing.assert_allclose(t2, theirs.t2, rtol=0, atol=1e-14)
    assert ours.t2 is t2
    assert e_corr == accelerated.DFMP2(rhf, frozen=frozen).kernel()[0]
    np.testing.assert_allclose(ours.make_rdm1(), theirs.make_rdm1(), rtol=0, atol=1e-13)


def test_amplitudes_unrestricted(uhf):
    _, t2 = accelerated.DFMP2(uhf).kernel(with_t2=True)
    for ours, theirs in zip(t2, dfump2.DFUMP2(uhf).run().t2, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14)


def test_amplitudes_of_nothing(rhf):
    _, t2 = accelerated.DFMP2(rhf, frozen=5).kernel(with_t2=True)
    assert t2.shape == (0, 0, 19, 19)


# DF-MP2: the object


def test_density_fitted_mean_field_lends_its_integrals():
    mf = converged(scf.RHF(water()).density_fit())
    ours = accelerated.DFMP2(mf).run()
    assert ours.with_df is mf.with_df
    assert ours.e_corr == pytest.approx(dfmp2.DFMP2(mf).run().e_corr, abs=SAME_ORBITALS)
    assert abs(ours.e_corr - -0.20399) < 1e-4  # not the -0.20400482 of the other auxiliary basis


def test_mean_field_is_run_when_it_has_no_orbitals():
    mf = scf.RHF(water()).set(conv_tol=1e-12)
    assert accelerated.DFMP2(mf).run().e_corr == pytest.approx(-0.20400482102770082, abs=SAME_ENERGY)
    assert mf.converged


def test_scanner(rhf):
    """PySCF's own scanner keeps the first geometry's orbital energies, so the reference is a fresh calculation."""
    scanner = accelerated.DFMP2(rhf).as_scanner()
    for atom in (STRETCHED, WATER):
        fresh = dfmp2.DFMP2(converged(scf.RHF(water(atom)))).run()
        assert scanner(atom) == pytest.approx(fresh.e_tot, abs=SAME_ENERGY)
        assert scanner.e_corr == pytest.approx(fresh.e_corr, abs=1e-8)


def test_scanner_unrestricted(uhf):
    scanner = accelerated.DFMP2(uhf, frozen=[0]).as_scanner()
    fresh = dfump2.DFUMP2(converged(scf.UHF(water(STRETCHED, charge=1, spin=1))), frozen=[0]).run()
    assert scanner(STRETCHED) == pytest.approx(fresh.e_tot, abs=SAME_ENERGY)


@pytest.mark.parametrize("kind", ["rhf", "uhf"])
def test_pickle_and_copy(kind, request):
    ours = accelerated.DFMP2(request.getfixturevalue(kind), frozen=[0]).run()
    for again in (pickle.loads(pickle.dumps(ours)), ours.copy()):
        assert type(again) is type(ours)
        assert again.result.e_corr == ours.result.e_corr
        assert again.run().e_corr == pytest.approx(ours.e_corr, abs=SAME_ORBITALS)


def test_other_orbitals_are_heeded(rhf):
    """Arguments of kernel count, as in PySCF's MP2 without density fitting, which gives the expected change."""
    other = converged(scf.RHF(water(STRETCHED)))
    canonical = rhf.mo_coeff.copy()
    ours = accelerated.DFMP2(rhf)
    shifted = rhf.mo_energy + np.where(rhf.mo_occ > 0, -0.1, 0.1)
    assert ours.kernel(mo_energy=shifted)[0] == pytest.approx(
        dfmp2.DFMP2(rhf, mo_energy=shifted).kernel()[0], abs=SAME_ORBITALS
    )
    assert ours.kernel(mo_coeff=canonical)[0] == pytest.approx(-0.20400482102770082, abs=SAME_ENERGY)
    overlap = other.mo_coeff.T @ rhf.get_ovlp() @ other.mo_coeff
    orthonormal = other.mo_coeff @ scipy.linalg.inv(scipy.linalg.sqrtm(overlap))
    assert ours.kernel(mo_coeff=orthonormal)[0] == pytest.approx(
        dfmp2.DFMP2(rhf, mo_coeff=orthonormal).kernel()[0], abs=SAME_ORBITALS
    )
    assert ours.mo_coeff is rhf.mo_coeff and ours.mo_energy is rhf.mo_energy


def test_threads_follow_pyscf(rhf, monkeypatch):
    seen = []
    compute = trnsci_mp2.df_mp2_energy
    monkeypatch.setattr(trnsci_mp2, "df_mp2_energy", lambda *a, **k: (seen.append(k["threads"]), compute(*a, **k))[1])
    for n in (1, 2):
        with lib.with_omp_threads(n):
            accelerated.DFMP2(rhf).run()
    assert seen == [1, 2]


def test_log(rhf):
    stream = io.StringIO()
    accelerated.DFMP2(rhf).run(verbose=5, stdout=stream)
    log = stream.getvalue()
    assert "DF-MP2 pair energies: trnsci" in log
    assert "CPU time for trnsci pair energies" in log
    assert "E(DFRMP2)" in log
    assert "does not have attributes" not in log


def test_rohf_becomes_uhf():
    mf = converged(scf.ROHF(water(charge=1, spin=1)))
    stream = io.StringIO()
    mf.verbose, mf.stdout = 2, stream
    ours = accelerated.DFMP2(mf).run()
    assert isinstance(ours, accelerated.DFUMP2)
    assert "converted to a UHF object" in stream.getvalue()
    assert ours.e_corr == pytest.approx(dfump2.DFUMP2(mf.to_uhf()).run().e_corr, abs=SAME_ORBITALS)


def test_second_order_mean_field():
    mf = converged(scf.RHF(water()).newton())
    expected = dfmp2.DFMP2(mf.remove_soscf()).run().e_corr
    assert accelerated.DFMP2(mf).run().e_corr == pytest.approx(expected, abs=SAME_ORBITALS)


def test_unconverged_mean_field():
    mf = scf.RHF(water()).set(max_cycle=2)
    mf.kernel()
    with pytest.raises(NotImplementedError):
        dfmp2.DFMP2(mf).kernel()  # what PySCF does
    with pytest.raises(UnsupportedError, match="has not converged"):
        accelerated.DFMP2(mf).kernel()


@pytest.mark.parametrize("method", [scf.GHF, scf.DHF, dft.GKS, x2c.UHF])
def test_unsupported_references(method):
    with pytest.raises(TypeError, match="DF-MP2 supports RHF, UHF and ROHF"):
        accelerated.DFMP2(method(water()))
    with pytest.raises(TypeError, match=r"got builtins\.int"):
        accelerated.DFMP2(3)


def test_complex_orbitals(rhf):
    with pytest.raises(UnsupportedError, match="complex"):
        accelerated.DFMP2(rhf, mo_coeff=rhf.mo_coeff * 1j, mo_energy=rhf.mo_energy).run()


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


# accelerate and restore


def test_accelerate_and_restore_leave_no_trace():
    mf = scf.RHF(water())
    before = dict(vars(mf))
    assert accelerated.accelerate(mf) is mf
    assert vars(mf).keys() - before.keys() == {"_eigh"}
    solver = mf._eigh
    assert accelerated.accelerate(mf)._eigh is solver
    assert accelerated.restore(mf) is mf
    assert vars(mf) == before
    assert accelerated.restore(mf) is mf
    assert vars(mf) == before


@pytest.mark.parametrize("name", ["_eigh", "eig"])
def test_users_own_eigensolver_is_kept(name, recorded):
    stream = io.StringIO()
    mf = scf.RHF(water())
    mf.verbose, mf.stdout = 3, stream

    def own(h, s, *args, **kwargs):
        return scipy.linalg.eigh(h, s)

    setattr(mf, name, own)
    before = dict(vars(mf))
    accelerated.accelerate(mf)
    assert vars(mf) == before
    assert "eigensolver of its own" in stream.getvalue()
    accelerated.restore(mf)
    assert vars(mf) == before
    mf.set(verbose=0).kernel()
    assert not recorded


class OwnSolver(hf.RHF):
    def _eigh(self, h, s, *args, **kwargs):
        return scipy.linalg.eigh(h, s)


def test_eigensolver_of_a_users_class_is_kept(recorded):
    mf = accelerated.accelerate(OwnSolver(water()))
    assert "_eigh" not in vars(mf)
    with accelerated.patch():
        mf.kernel()
    assert not recorded


def test_acceleration_is_inherited(recorded):
    mf = accelerated.accelerate(scf.RHF(water())).run()
    for heir in (mf.copy(), mf.to_uhf(), mf.density_fit(), pickle.loads(pickle.dumps(mf))):
        recorded.clear()
        heir.kernel()
        assert recorded
        assert "_eigh" not in vars(accelerated.restore(heir))
    scanner = mf.as_scanner()
    recorded.clear()
    scanner(STRETCHED)
    assert recorded
    assert "_eigh" in vars(mf)


@pytest.mark.parametrize("mf", [scf.DHF(water()), scf.DHF, None])
def test_accelerate_refuses(mf):
    with pytest.raises(TypeError, match="mf: expected a mean field of PySCF's RHF, UHF, ROHF, GHF"):
        accelerated.accelerate(mf)


# patch


def solvers():
    """What the classes themselves hold under the name of the eigensolver."""
    waiting, found = [hf.SCF], {}
    while waiting:
        cls = waiting.pop()
        if cls not in found:
            found[cls] = vars(cls).get("_eigh", "absent")
            waiting += cls.__subclasses__()
    return found


def test_patch_restores_classes():
    before = solvers()
    with accelerated.patch():
        changed = {cls for cls, solver in solvers().items() if solver is not before[cls]}
        assert changed == {hf.SCF, x2c.SCF}
    assert solvers() == before


def test_patch_restores_on_exception():
    before = solvers()
    with pytest.raises(ZeroDivisionError), accelerated.patch():
        raise ZeroDivisionError
    assert solvers() == before


def test_patch_nests():
    before = solvers()
    with accelerated.patch():
        patched = hf.SCF._eigh
        with accelerated.patch():
            assert hf.SCF._eigh is patched
        assert hf.SCF._eigh is patched
    assert solvers() == before


def test_overlapping_patches_hold_until_the_last_ends():
    before = solvers()
    first, second = accelerated.patch(), accelerated.patch()
    first.__enter__()
    patched = hf.SCF._eigh
    second.__enter__()
    first.__exit__(None, None, None)
    assert hf.SCF._eigh is patched
    second.__exit__(None, None, None)
    assert solvers() == before


def test_class_made_inside_patch_gets_the_original():
    original = hf.SCF._eigh
    with accelerated.patch():

        class Copies(hf.RHF):
            _eigh = hf.SCF._eigh

        assert Copies._eigh is not original
    assert vars(Copies)["_eigh"] is original


def test_accelerate_inside_patch_outlives_it(recorded):
    with accelerated.patch():
        mf = accelerated.accelerate(scf.RHF(water()))
    mf.kernel()
    assert recorded
    accelerated.restore(mf)
    recorded.clear()
    mf.kernel()
    assert not recorded


# Without PySCF


def test_import_without_pyscf():
    script = """
    import sys
    sys.modules["pyscf"] = None
    import trnsci
    try:
        import trnsci.pyscf
    except ImportError as error:
        assert "pip install pyscf" in str(error), error
    else:
        raise AssertionError("imported")
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True, timeout=60)


def test_mp2_of_pyscf_is_left_alone():
    assert mp.dfmp2.DFMP2 is not accelerated.DFRMP2
    assert mp.dfmp2.DFMP2.__module__ == "pyscf.mp.dfmp2"
