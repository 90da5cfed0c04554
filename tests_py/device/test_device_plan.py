"""Plans: what df_mp2_energy would do on a device, without doing it."""

import dataclasses
import inspect
from typing import get_args

import numpy as np
import pytest
import trnsci
from trnsci._core import _names


def plan_of(nocc, nvir, naux, device="interp", dtype=np.float32, **options):
    """Return the plan for integrals that take no memory."""
    b = np.broadcast_to(np.zeros((), dtype), (nocc, nvir, naux))
    return trnsci.df_mp2_energy(b, np.zeros(nocc), np.zeros(nvir), device=device, plan=True, **options)


@pytest.mark.parametrize(
    ("sizes", "graphs", "dispatches"), [((16, 112, 384), 1, 1), ((64, 448, 1536), 3, 40), ((96, 672, 2304), 3, np.inf)]
)
def test_counts(sizes, graphs, dispatches):
    plan = plan_of(*sizes)
    assert 1 <= plan.graphs <= graphs and 1 <= plan.dispatches <= dispatches
    nocc, nvir, naux = sizes
    # Pairs i >= j once, and every integral in single precision, at least.
    assert plan.flops >= nocc * (nocc + 1) * nvir**2 * naux and plan.bytes_in >= 4 * nocc * nvir * naux
    assert plan.memory <= 512 << 20, "interp says that it has 512 megabytes"
    assert plan.seconds is None  # the interpreter does not say how quick it is
    assert (plan.device, plan.precision) == ("interp", "fp32")


def test_a_plan_is_what_happens(device):
    nocc, nvir, naux = 5, 9, 30
    rng = np.random.default_rng(1)
    b, occ, vir = rng.random((nocc, nvir, naux)), -1 - rng.random(nocc), rng.random(nvir)
    with trnsci.Device(device) as there:
        before = trnsci.last_report()
        plan = trnsci.df_mp2_energy(b, occ, vir, device=there, precision="bf16x2", plan=True)
        assert trnsci.last_report() is before
        assert there.info()["memory_used"] == 0
        trnsci.df_mp2_energy(b, occ, vir, device=there, precision="bf16x2")
        report = trnsci.last_report()
    assert (report.compiles, report.cache_hits) == (plan.graphs, 0), "the plan compiled nothing"
    assert (report.dispatches, report.bytes_in, report.bytes_out) == (plan.dispatches, plan.bytes_in, plan.bytes_out)
    assert (plan.device, plan.precision) == (device, "bf16x2")


def test_unrestricted_and_files(tmp_path):
    b = np.zeros((4, 7, 12))
    paths = [tmp_path / "alpha.npy", tmp_path / "beta.npy"]
    np.save(paths[0], b)
    np.save(paths[1], b[:3])
    energies = ((np.zeros(4), np.zeros(3)), (np.zeros(7), np.zeros(7)))
    from_files = trnsci.df_mp2_energy(tuple(paths), *energies, device="interp", precision="fp64", plan=True)
    from_arrays = trnsci.df_mp2_energy((b, b[:3]), *energies, device="interp", precision="fp64", plan=True)
    assert from_files == from_arrays
    assert 2 <= from_files.graphs <= 3 and from_files.dispatches >= 3


def test_max_memory_makes_smaller_blocks():
    plan, limit = plan_of(40, 30, 100), 1e6
    small = plan_of(40, 30, 100, max_memory=limit / 1e6)
    assert small.memory <= limit < plan.memory and small.dispatches > plan.dispatches
    with pytest.raises(trnsci.UnsupportedError, match="max_memory: 1000 bytes"):
        plan_of(40, 30, 100, max_memory=0.001)


def test_layouts_are_of_no_account():
    energies = np.zeros(3), np.zeros(5)
    plans = {
        trnsci.df_mp2_energy(
            np.broadcast_to(np.float32(0), shape), *energies, layout=layout, device="interp", plan=True
        )
        for layout, shape in {"iaP": (3, 5, 8), "(ia)P": (15, 8), "P(ia)": (8, 15), "iPa": (3, 8, 5)}.items()
    }
    assert len(plans) == 1


def test_double_precision_costs_twice_the_bytes():
    double, single = (plan_of(16, 112, 384, dtype=np.float64, precision=p) for p in ("fp64", "fp32"))
    assert double.bytes_in == 2 * single.bytes_in and double.flops == single.flops


def test_no_orbitals_no_work():
    plan = plan_of(0, 5, 8)
    assert (plan.graphs, plan.dispatches, plan.bytes_in, plan.flops) == (0, 0, 0, 0)


def test_a_plan_is_a_value_that_prints():
    plan = plan_of(16, 112, 384)
    text = str(plan)
    assert text.startswith("mp2 fp32: graphs 1, dispatches 1, ") and plan.blocks in text
    assert f"{plan.bytes_in / 1e6:.3g} MB in" in text
    assert text not in repr(plan)
    assert plan == plan_of(16, 112, 384) and plan != plan_of(15, 100, 300)
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.graphs = 7
    names = [f.name for f in dataclasses.fields(plan) if f.repr]
    documented = inspect.getdoc(trnsci.DevicePlan)
    assert isinstance(plan, trnsci.DevicePlan) and all(name in documented for name in names)


def test_refuses():
    b, occ, vir = np.zeros((3, 5, 8)), np.zeros(3), np.zeros(5)
    with pytest.raises(trnsci.UnsupportedError, match="float64 arrays need precision="):
        trnsci.df_mp2_energy(b, occ, vir, device="interp", plan=True)
    with pytest.raises(ValueError, match="B: shape"):
        trnsci.df_mp2_energy(b[:2], occ, vir, device="interp", precision="fp32", plan=True)
    with pytest.raises(ValueError, match=r"B: .*auxiliary"):
        pair = ((occ, occ), (vir, vir))
        trnsci.df_mp2_energy((b, b[:, :, :7]), *pair, device="interp", precision="fp32", plan=True)
    with pytest.raises(trnsci.UnsupportedError, match="bytes of memory"):
        plan_of(2, 20000, 20000)
    there = trnsci.Device("interp")
    there.close()
    with pytest.raises(trnsci.DeviceError, match="closed"):
        plan_of(3, 5, 8, device=there)


def test_types_name_the_precisions():
    choices = set(get_args(trnsci.mp2._energy.Precision))
    assert choices == {*_names.HOST_PRECISIONS, *_names.DEVICE_PRECISIONS}
