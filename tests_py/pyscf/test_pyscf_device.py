"""trnsci.pyscf.DFMP2 on devices against the same object on the host (test_pyscf.py compares that with PySCF)."""

import io
import pickle
import runpy
from pathlib import Path

import numpy as np
import pytest
import trnsci

pytest.importorskip("pyscf")
from pyscf import gto, lib, scf
from trnsci import mp2 as trnsci_mp2
from trnsci import pyscf as accelerated
from trnsci.pyscf import _pairs

WATER = "O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587"
STRETCHED = "O 0 0 0; H 0 -0.8 0.6; H 0 0.757 0.587"
# Agreement asked for, in hartree: single precision, and double precision with sums in another order.
SINGLE = 1e-6
SAME = 1e-10


def mean_field(method, charge=0, atom=WATER):
    molecule = gto.M(atom=atom, basis="cc-pvdz", charge=charge, spin=charge, verbose=0)
    return method(molecule).set(conv_tol=1e-12)


@pytest.fixture(scope="module")
def references():
    return {
        "RHF": mean_field(scf.RHF).run(),
        "UHF": mean_field(scf.UHF, 1).run(),
        "ROHF": mean_field(scf.ROHF, 1).run(),
    }


@pytest.fixture(scope="module")
def rhf(references):
    return references["RHF"]


FROZEN = [("RHF", None), ("RHF", [0, 1, 5]), ("UHF", None), ("UHF", [[0, 1, 5], [1]]), ("ROHF", 1)]


@pytest.mark.parametrize(("kind", "frozen"), FROZEN)
def test_energies(kind, frozen, references, device):
    host = accelerated.DFMP2(references[kind], frozen).run()
    ours = accelerated.DFMP2(references[kind], frozen, device=device, precision="fp32").run()
    report = trnsci.last_report()
    assert type(ours) is type(host)
    for name in ("e_corr", "e_corr_ss", "e_corr_os", "e_tot", "emp2_scs", "e_tot_scs"):
        assert getattr(ours, name) == pytest.approx(getattr(host, name), abs=SINGLE), name
    assert 0 < abs(ours.e_corr - host.e_corr) <= ours.result.error_bound + host.result.error_bound
    assert (report.device, report.error_bound) == (device, ours.result.error_bound)
    assert report.dispatches >= (1 if kind == "RHF" else 3)


def test_frozen_core(rhf, device):
    ours = accelerated.DFMP2(rhf, device=device, precision="fp64").set_frozen().run()
    assert (ours.device, ours.precision) == (device, "fp64")
    assert ours.e_corr == pytest.approx(accelerated.DFMP2(rhf, frozen=1).run().e_corr, abs=SAME)
    assert trnsci.last_report().device == device


@pytest.mark.parametrize("frozen", [5, list(range(5, 24))])
def test_nothing_left_to_correlate(rhf, frozen):
    ours = accelerated.DFMP2(rhf, frozen, device="interp", precision="fp32").run()
    assert (ours.e_corr, trnsci.last_report().dispatches) == (0.0, 0)


def test_device_may_be_set_later(rhf):
    ours = accelerated.DFMP2(rhf).run()
    host = ours.e_corr
    with trnsci.Device("interp") as device:
        assert 0 < abs(ours.run(device=device, precision="bf16").e_corr - host) <= ours.result.error_bound
        assert trnsci.last_report().compiles == 1
    with pytest.raises(trnsci.DeviceError, match="closed"):
        ours.run()
    assert ours.run(device=None, precision=None).e_corr == host


def test_scanner(rhf, device):
    scanner = accelerated.DFMP2(rhf, device=device, precision="fp64").as_scanner()
    for atom in (STRETCHED, WATER):
        fresh = accelerated.DFMP2(mean_field(scf.RHF, atom=atom)).run()
        before = trnsci.last_report()
        assert scanner(atom) == pytest.approx(fresh.e_tot, abs=1e-9)
        assert trnsci.last_report() is not before and trnsci.last_report().device == device


@pytest.mark.parametrize("kind", ["RHF", "UHF"])
def test_integrals_on_disk(kind, references, device, monkeypatch):
    seen = []
    compute = trnsci_mp2.df_mp2_energy

    def recorder(B, *args, **kwargs):
        seen.extend(B if isinstance(B, list) else [B])
        return compute(B, *args, **kwargs)

    monkeypatch.setattr(trnsci_mp2, "df_mp2_energy", recorder)
    host = accelerated.DFMP2(references[kind]).run()
    seen.clear()
    ours = accelerated.DFMP2(references[kind], device=device, precision="fp64").run(force_outcore=True)
    assert seen and not any(isinstance(b, np.ndarray) for b in seen)  # but datasets, which are read where they lie
    assert trnsci.last_report().device == device
    assert ours.e_corr == pytest.approx(host.e_corr, abs=SAME)


@pytest.mark.parametrize("precision", ["fp64", "bf16x3"])
@pytest.mark.parametrize("kind", ["RHF", "UHF"])
def test_least_memory(kind, precision, references, device, monkeypatch):
    """PySCF's limit is soft: when nothing is left of it, blocks of fewer orbitals go from the disk to the device."""
    monkeypatch.setattr(_pairs, "LEAST_MEGABYTES", 0.0)
    host = accelerated.DFMP2(references[kind]).run()
    at_once = accelerated.DFMP2(references[kind], device=device, precision=precision).run()
    dispatches = trnsci.last_report().dispatches
    in_blocks = at_once.copy().run(max_memory=1)
    assert trnsci.last_report().dispatches > dispatches
    assert in_blocks.e_corr == pytest.approx(host.e_corr, abs=SAME if precision == "fp64" else SINGLE)


def test_memory_of_the_host_is_shared(rhf, device, monkeypatch):
    """A device in the host's memory gets what PySCF's limit leaves; one that has its own is not limited by it."""
    seen = []
    compute = trnsci_mp2.df_mp2_energy
    monkeypatch.setattr(
        trnsci_mp2, "df_mp2_energy", lambda *a, **k: (seen.append(k["max_memory"]), compute(*a, **k))[1]
    )
    with trnsci.Device(device) as opened:
        ours = accelerated.DFMP2(rhf, device=opened, precision="fp32")
        free = ours.max_memory - lib.current_memory()[0]
        ours.run()
        opened.name = "pjrt:/a/plugin.so"
        ours.run()
    assert 0 < seen[0] < free and seen[1] is None


@pytest.mark.parametrize("kind", ["RHF", "UHF"])
def test_pickle_and_copy(kind, references):
    ours = accelerated.DFMP2(references[kind], [0], device="interp", precision="fp32").run()
    for again in (pickle.loads(pickle.dumps(ours)), ours.copy()):
        assert (again.device, again.precision) == ("interp", "fp32")
        assert again.result.e_corr == ours.e_corr
        assert again.run().e_corr == pytest.approx(ours.e_corr, abs=SAME)
    with trnsci.Device("interp") as device:
        ours.device = device
        assert ours.copy().device is device
        with pytest.raises(TypeError, match=r"cannot be pickled.*device='interp'"):
            pickle.dumps(ours)


def test_amplitudes_are_the_hosts(rhf):
    host, ours = accelerated.DFMP2(rhf), accelerated.DFMP2(rhf, device="interp", precision="bf16")
    (there, t2), (here, expected) = ours.kernel(with_t2=True), host.kernel(with_t2=True)
    assert there != here
    np.testing.assert_allclose(t2, expected, rtol=0, atol=1e-14)
    np.testing.assert_allclose(ours.make_rdm1(), host.make_rdm1(), rtol=0, atol=1e-13)


def test_log(rhf):
    stream = io.StringIO()
    ours = accelerated.DFMP2(rhf, device="interp", precision="bf16x3").run(verbose=5, stdout=stream)
    log, report = stream.getvalue(), trnsci.last_report()
    assert (
        f"trnsci on interp, bf16x3: {report.compiles} graphs compiled, {report.dispatches} runs, "
        f"{report.seconds:.3f} seconds, "
        f"error bound {ours.result.error_bound:.1e} hartree" in log
    )
    assert "threads" not in log.split("DF-MP2 pair energies")[1].splitlines()[0]
    assert "attributes" not in log  # PySCF's complaint of those that it does not know


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"device": "abacus", "precision": "fp32"}, ValueError, "device: 'abacus'"),
        ({"device": "neuron", "precision": "fp32"}, trnsci.UnsupportedError, "device: 'neuron'"),
        ({"device": "pjrt:/there/is/none.so", "precision": "fp32"}, trnsci.DeviceError, "is not a file"),
        ({"device": "interp", "precision": "fp16"}, ValueError, "precision: 'fp16'"),
        ({"device": "interp"}, trnsci.UnsupportedError, "precision: PySCF's integrals are float64.*'bf16x3'"),
        ({"device": "cpu", "precision": "bf16"}, ValueError, "precision: 'bf16'"),
        ({"precision": "fp32"}, ValueError, "precision: 'fp32'"),
    ],
)
def test_refused_before_the_mean_field_runs(options, error, text, rhf, monkeypatch):
    fresh = mean_field(scf.RHF)
    for cls in (accelerated.DFMP2, accelerated.DFRMP2):
        with pytest.raises(error, match=text):
            cls(fresh, **options)
    assert fresh.mo_coeff is None
    ours = accelerated.DFMP2(rhf)
    monkeypatch.setattr(ours, "ao2mo", lambda *args: pytest.fail("integrals were made first"))
    with pytest.raises(error, match=text):
        ours.run(**options)


def test_precisions_of_the_host(rhf):
    """Single-precision products, as in df_mp2_energy, and of double precision, which PySCF's integrals have anyway."""
    host = accelerated.DFMP2(rhf).run().e_corr
    assert accelerated.DFMP2(rhf, precision="fp64").run().e_corr == host
    assert 0 < abs(accelerated.DFMP2(rhf, precision="mixed").run().e_corr - host) < SINGLE


def test_example(capsys):
    """The program itself fails where an error is too large."""
    runpy.run_path(str(Path(__file__).parents[2] / "examples" / "water_mp2_device.py"), run_name="__main__")
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[1] for row in rows if row[0] == "interp"] == ["fp32", "bf16x3", "bf16"]
