"""Plans of df_mp2_energy on the host count what the calls then do, and compute nothing."""

from __future__ import annotations

import dataclasses
import inspect
import itertools

import numpy as np
import pytest
import trnsci

NVIR, NAUX = 13, 21
ORBITAL = NVIR * NAUX * 8


class Counting:
    """Integrals as a function that counts the bytes it hands out."""

    def __init__(self, nocc, seed=91):
        rng = np.random.default_rng(seed)
        self.b, self.occ, self.vir = (
            0.1 * rng.normal(size=(nocc, NVIR, NAUX)),
            -1 - rng.random(nocc),
            0.2 + rng.random(NVIR),
        )
        self.bytes, self.calls = 0, 0

    def __call__(self, first, end):
        block = self.b[first:end]
        self.calls += 1
        self.bytes += block.nbytes
        return block


@pytest.mark.parametrize(
    ("nocc", "orbitals", "threads", "precision"),
    list(itertools.product([1, 2, 9, 20], [2, 3, 5, 8, 100], [1, 2], ["fp64", "mixed"])),
)
def test_bytes_read_are_those_of_the_call(nocc, orbitals, threads, precision):
    b = Counting(nocc)
    options = dict(max_memory=orbitals * ORBITAL / 1e6 + 1e-6, threads=threads, precision=precision)
    plan = trnsci.df_mp2_energy(b, b.occ, b.vir, plan=True, **options)
    assert (b.calls, b.bytes) == (1, ORBITAL)  # which tells the shape
    b.bytes = 0
    trnsci.df_mp2_energy(b, b.occ, b.vir, **options)
    assert plan.bytes_read == b.bytes
    assert plan.flops == nocc * (nocc + 1) * NVIR**2 * NAUX
    assert plan.precision == ("fp32" if precision == "mixed" else "fp64") and plan.threads <= threads


@pytest.mark.parametrize("orbitals", [2, 5, 30])
def test_bytes_read_for_two_spins(orbitals):
    a, b = Counting(9), Counting(4, seed=92)
    args = (a, b), (a.occ, b.occ), (a.vir, b.vir)
    options = dict(max_memory=orbitals * ORBITAL / 1e6 + 1e-6, threads=1)
    plan = trnsci.df_mp2_energy(*args, plan=True, **options)
    a.bytes = b.bytes = 0
    trnsci.df_mp2_energy(*args, **options)
    assert plan.bytes_read == a.bytes + b.bytes
    assert plan.flops == (9 * 8 + 4 * 3 + 2 * 9 * 4) * NVIR**2 * NAUX


def test_less_memory_more_reading():
    b = Counting(20)
    plans = [
        trnsci.df_mp2_energy(b, b.occ, b.vir, max_memory=n * ORBITAL / 1e6 + 1e-6, plan=True, threads=1)
        for n in (2, 5, 10, 20)
    ]
    assert sorted(plans, key=lambda p: -p.bytes_read) == plans == sorted(plans, key=lambda p: p.memory)
    assert plans[-1].blocks == "all orbitals at once" and plans[-1].bytes_read == 21 * ORBITAL
    assert "stream past" in plans[0].blocks


def plan_of(shape, layout="iaP", dtype=np.float64, **options):
    return trnsci.df_mp2_energy(
        np.broadcast_to(dtype(0), shape), np.zeros(3), np.zeros(5), layout=layout, plan=True, **options
    )


def test_a_shape_stands_for_an_array_in_c_order():
    shapes = {"iaP": (3, 5, 8), "(ia)P": (15, 8), "P(ia)": (8, 15), "iPa": (3, 8, 5)}
    for layout, shape in shapes.items():
        got = plan_of(shape, layout)
        want = trnsci.df_mp2_energy(np.zeros(shape), np.zeros(3), np.zeros(5), layout=layout, plan=True)
        assert got == want and got.bytes_read == 0 and got.blocks == "in place"
    assert plan_of((3, 5, 8), precision="mixed").bytes_read == 3 * 5 * 8 * 8  # rounded to float32
    fortran = trnsci.df_mp2_energy(np.zeros((3, 5, 8), order="F"), np.zeros(3), np.zeros(5), plan=True)
    assert fortran.bytes_read == 3 * 5 * 8 * 8


def test_a_large_molecule_takes_no_time_and_no_memory():
    plan = trnsci.df_mp2_energy(
        np.broadcast_to(np.float32(0), (200, 3000, 9000)), np.zeros(200), np.zeros(3000), plan=True, max_memory=8000
    )
    assert plan.flops == 200 * 201 * 3000.0**2 * 9000 and plan.seconds > 1 and plan.bytes_read == 0


def test_files_and_datasets(tmp_path):
    b, path = Counting(9), tmp_path / "b.npy"
    np.save(path, b.b)
    limit = 5 * ORBITAL / 1e6 + 1e-6
    function = trnsci.df_mp2_energy(b, b.occ, b.vir, max_memory=limit, plan=True, threads=1)
    file = trnsci.df_mp2_energy(path, b.occ, b.vir, max_memory=limit, plan=True, threads=1)
    assert file.bytes_read == function.bytes_read - ORBITAL and file.blocks == function.blocks
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(tmp_path / "b.h5", "w") as f:
        dataset = trnsci.df_mp2_energy(
            f.create_dataset("b", data=b.b), b.occ, b.vir, max_memory=limit, plan=True, threads=1
        )
    assert dataset.bytes_read == file.bytes_read


def test_a_checkpoint_is_not_opened(tmp_path):
    plan = plan_of((3, 5, 8), checkpoint=tmp_path / "c")
    assert not (tmp_path / "c").exists() and plan.memory > plan_of((3, 5, 8)).memory


def test_a_plan_is_a_value_that_prints():
    plan = plan_of((3, 5, 8), threads=1)
    text = str(plan)
    assert "fp64" in text and plan.blocks in text and "threads 1" in text and len(text.splitlines()) == 6
    assert plan == plan_of((3, 5, 8), threads=1) and plan != plan_of((3, 5, 7), threads=1) and plan.seconds > 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        plan.threads = 7
    documented = inspect.getdoc(trnsci.MP2Plan)
    assert isinstance(plan, trnsci.MP2Plan) and all(f.name in documented for f in dataclasses.fields(plan))


def test_no_orbitals_no_work():
    plan = trnsci.df_mp2_energy(lambda i, j: 1 / 0, [], np.zeros(5), plan=True)
    assert (plan.bytes_read, plan.flops, plan.seconds, plan.blocks) == (0, 0, 0, "nothing to do")


def test_refuses():
    with pytest.raises(ValueError, match="B: shape"):
        plan_of((2, 5, 8))
    with pytest.raises(ValueError, match=r"B: .*auxiliary"):
        pair = ((np.zeros(3),) * 2, (np.zeros(5),) * 2)
        trnsci.df_mp2_energy((np.zeros((3, 5, 8)), np.zeros((3, 5, 7))), *pair, plan=True)
    with pytest.raises(ValueError, match=r"max_memory: .*least that works"):
        trnsci.df_mp2_energy(np.zeros((3, 5, 8), order="F"), np.zeros(3), np.zeros(5), plan=True, max_memory=1e-5)


def test_integrals_that_no_memory_holds_are_refused():
    b = np.broadcast_to(0.0, (3, 4, 2**36))
    with pytest.raises(MemoryError, match="plan=True"):
        trnsci.df_mp2_energy(b, -np.ones(3), np.ones(4), plan=True)
