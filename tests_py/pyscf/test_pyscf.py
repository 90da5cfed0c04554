"""trnsci.pyscf against PySCF itself: DF-MP2 energies, and mean fields with our eigensolver plugged in.

The fixed reference energies are PySCF's own, from runs with its C code, at conv_tol 1e-12.
"""

import io
import pickle

import numpy as np
import pytest
import scipy.linalg

pyscf = pytest.importorskip("pyscf")
from pyscf import dft, gto, lib, scf  # noqa: E402
from pyscf.mp import dfmp2, dfump2  # noqa: E402
from pyscf.x2c import x2c  # noqa: E402
from small_molecules import SAME_ENERGY, SAME_ORBITALS, STRETCHED, WATER, converged, water  # noqa: E402
from trnsci import UnsupportedError  # noqa: E402
from trnsci import mp2 as trnsci_mp2  # noqa: E402
from trnsci import pyscf as accelerated  # noqa: E402


@pytest.fixture(scope="module")
def rhf():
    return converged(scf.RHF(water()))


@pytest.fixture(scope="module")
def uhf():
    return converged(scf.UHF(water(charge=1, spin=1)))


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
