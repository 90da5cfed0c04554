"""The options of ``python -m trnsci mp2``, against df_mp2_energy."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import trnsci
from trnsci.__main__ import main

NOCC, NVIR, NAUX = 6, 9, 20


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Changes to a folder with the files of a molecule and returns its arrays."""
    rng = np.random.default_rng(95)
    b, occ, vir = 0.1 * rng.normal(size=(NOCC, NVIR, NAUX)), -1 - rng.random(NOCC), 0.2 + rng.random(NVIR)
    monkeypatch.chdir(tmp_path)
    for name, array in (("b", b), ("occ", occ), ("vir", vir)):
        np.save(f"{name}.npy", array)
    return b, occ, vir


ALPHA = ["b.npy", "occ.npy", "vir.npy"]


def printed(capsys, *arguments):
    assert main(["mp2", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys, *arguments):
    """The one line that is printed for bad input."""
    assert main(["mp2", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("trnsci mp2: ") and len(err.splitlines()) == 1
    return err


def test_mixed_precision_and_tolerance(files, capsys):
    want = trnsci.df_mp2_energy(*files, precision="mixed", etol=1e-9)
    got = printed(capsys, *ALPHA, "--precision", "mixed", "--etol", "1e-9", "--memory", "1")
    assert (got["e_corr"], got["error_bound"], got["recomputed"]) == (want.e_corr, want.error_bound, want.recomputed)
    assert want.recomputed > 0
    assert main(["mp2", *ALPHA, "--precision", "mixed", "--etol", "1e-9"]) == 0
    assert f"{want.recomputed} pairs" in capsys.readouterr().out
    assert "etol: is for precision='mixed'" in refused(capsys, *ALPHA, "--etol", "1e-9")


def test_device(files, capsys):
    want = trnsci.df_mp2_energy(*files, precision="bf16x2", device="interp")
    assert printed(capsys, *ALPHA, "--device", "interp", "--precision", "bf16x2")["e_corr"] == want.e_corr
    assert "'interp'" in refused(capsys, *ALPHA, "--device", "interp", "--precision", "fp32", "--checkpoint", "c")
    assert "device" in refused(capsys, *ALPHA, "--device", "abacus")
    assert "precision" in refused(capsys, *ALPHA, "--precision", "bf16")


def test_two_spins(files, capsys):
    b, occ, vir = files
    np.save("b2.npy", b[:4]), np.save("occ2.npy", occ[:4])
    want = trnsci.df_mp2_energy((b, b[:4]), (occ, occ[:4]), (vir, vir), pair_energies=True)
    got = printed(capsys, *ALPHA, "--beta", "b2.npy", "occ2.npy", "vir.npy", "--pair-energies", "pairs.npz")
    assert (got["e_corr"], got["e_corr_ss"]) == (want.e_corr, want.e_corr_ss)
    with np.load("pairs.npz") as pairs:
        for name, array in zip(("alpha_alpha", "beta_beta", "alpha_beta"), want.pair_energies, strict=True):
            assert np.array_equal(pairs[name], array)


def test_plan(files, capsys):
    plan = trnsci.df_mp2_energy("b.npy", *files[1:], plan=True, threads=1)
    got = printed(capsys, *ALPHA, "--plan", "--threads", "1")
    assert got.pop("seconds") > 0
    assert trnsci.MP2Plan(**got, seconds=plan.seconds) == plan
    assert main(["mp2", *ALPHA, "--plan"]) == 0
    assert capsys.readouterr().out.startswith("DF-MP2 on the host, products fp64, threads ")
    on_device = trnsci.df_mp2_energy("b.npy", *files[1:], plan=True, device="interp", precision="fp32")
    got = printed(capsys, *ALPHA, "--plan", "--device", "interp", "--precision", "fp32")
    assert got["dispatches"] == on_device.dispatches and "text" not in got


def test_checkpoint(files, capsys):
    want = trnsci.df_mp2_energy(*files)
    assert printed(capsys, *ALPHA, "--checkpoint", "run.checkpoint")["e_corr"] == want.e_corr
    assert not os.path.exists("run.checkpoint")
    with open("letter", "w") as file:
        file.write("Dear reader")
    assert "letter' is not a checkpoint" in refused(capsys, *ALPHA, "--checkpoint", "letter")


def test_hdf5(files, capsys):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File("m.h5", "w") as file:
        for name, array in zip(("group/b", "occ", "vir"), files, strict=True):
            file[name] = array
    got = printed(capsys, "m.h5:group/b", "m.h5:occ", "m.h5:vir", "--memory", "0.004")
    assert got["e_corr"] == trnsci.df_mp2_energy(*files).e_corr
    assert printed(capsys, "m.h5:group/b", *ALPHA[1:])["e_corr"] == got["e_corr"]
    assert "there is no dataset 'c'" in refused(capsys, "m.h5:c", *ALPHA[1:])
    assert "there is no dataset 'group'" in refused(capsys, "m.h5:group", *ALPHA[1:])
    assert "none.h5" in refused(capsys, "none.h5:b", *ALPHA[1:])
    os.rename("b.npy", "odd.h5:b")  # a file of that name goes first
    assert printed(capsys, "odd.h5:b", *ALPHA[1:])["e_corr"] == got["e_corr"]


def test_hdf5_without_h5py(files, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    assert "need h5py: pip install h5py" in refused(capsys, "m.h5:b", *ALPHA[1:])


@pytest.mark.skipif(importlib.util.find_spec("tqdm") is None, reason="tqdm is not installed")
def test_progress_goes_to_stderr(files):
    command = [sys.executable, "-m", "trnsci", "mp2", *ALPHA, "--progress", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0 and json.loads(done.stdout)["e_corr"] < 0 and done.stderr


@pytest.mark.parametrize("user_block", [0, 512, 2048])
def test_hdf5_file_without_a_dataset(files, capsys, user_block):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File("m.h5", "w", userblock_size=user_block) as file:
        file["b"] = files[0]
    os.link("m.h5", "m.dat")  # whatever its name is
    for arguments in (["m.h5", *ALPHA[1:]], ["m.dat", *ALPHA[1:]], ["b.npy", "m.h5", "vir.npy"]):
        assert "is an HDF5 file; for HDF5 write FILE.h5:DATASET" in refused(capsys, *arguments)


def leave_checkpoint(b, occ, vir, path, orbitals):
    """Stop a call when the pairs of the first orbitals are done; return their number."""

    def read(first, end):
        if end > orbitals:
            raise KeyError
        return b[first:end]

    room = 4 * NVIR * NAUX * 8 / 1e6  # four orbitals, in megabytes
    with pytest.raises(KeyError):
        trnsci.df_mp2_energy(read, occ, vir, max_memory=room, checkpoint=path)
    plan = trnsci.df_mp2_energy(lambda i, j: b[i:j], occ, vir, checkpoint=path, plan=True)
    assert 0 < plan.pairs_kept < plan.pairs == NOCC * (NOCC + 1) // 2
    return plan.pairs_kept


def test_a_resumed_run_says_so(files, capsys):
    want = trnsci.df_mp2_energy(*files)
    kept = leave_checkpoint(*files, "run.checkpoint", 4)
    assert main(["mp2", *ALPHA, "--checkpoint", "run.checkpoint", "--plan"]) == 0
    assert f"checkpoint   {kept} of 21 pairs are there" in capsys.readouterr().out
    assert main(["mp2", *ALPHA, "--checkpoint", "run.checkpoint", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["e_corr"] == want.e_corr
    assert err == f"trnsci mp2: going on from run.checkpoint: {kept} of 21 pairs are there\n"
    assert main(["mp2", *ALPHA, "--checkpoint", "run.checkpoint", "--json"]) == 0  # from the start: nothing to say
    assert capsys.readouterr().err == ""


def test_a_plan_reads_the_checkpoint_of_its_own_job_only(files):
    b, occ, vir = files
    leave_checkpoint(b, occ, vir, "run.checkpoint", 4)
    content = Path("run.checkpoint").read_bytes()
    for changed in ({"check_finite": False}, {"precision": "mixed"}):
        with pytest.raises(ValueError, match=r"checkpoint: '.*run\.checkpoint' belongs to another job"):
            trnsci.df_mp2_energy(b, occ, vir, checkpoint="run.checkpoint", plan=True, **changed)
    assert Path("run.checkpoint").read_bytes() == content


def long_run(tmp_path, *options):
    """Start a run of minutes: zeros that take no room on the disk."""
    nocc, nvir, naux = 100, 400, 1500
    memory = np.lib.format.open_memmap(tmp_path / "zeros.npy", "w+", np.float64, (nocc, nvir, naux))
    del memory
    np.save(tmp_path / "occ.npy", np.full(nocc, -1.0)), np.save(tmp_path / "vir.npy", np.ones(nvir))
    names = [str(tmp_path / name) for name in ("zeros.npy", "occ.npy", "vir.npy")]
    command = [sys.executable, "-m", "trnsci", "mp2", *names, "--max-memory", "60", "--threads", "1", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(process, there):
    end = time.monotonic() + 60
    while not there():
        assert process.poll() is None and time.monotonic() < end, process.poll()
        time.sleep(0.01)


@pytest.mark.skipif(os.name != "posix", reason="there are no signals to send here")
@pytest.mark.parametrize(
    ("number", "status", "word"), [(signal.SIGTERM, 143, "terminated"), (signal.SIGINT, 130, "interrupted")]
)
def test_a_signal_leaves_a_checkpoint_that_is_whole(tmp_path, number, status, word):
    path = tmp_path / "run.checkpoint"
    process = long_run(tmp_path, "--checkpoint", str(path))
    try:
        wait_for(process, lambda: path.exists() and path.stat().st_size > 2000)
    finally:
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (status, "")
    assert err == f"{word}; {path} keeps the finished pairs, and the same command goes on from it\n"
    energies = [np.load(tmp_path / name) for name in ("occ.npy", "vir.npy")]
    assert trnsci.df_mp2_energy(str(tmp_path / "zeros.npy"), *energies, checkpoint=path, plan=True).pairs_kept > 0


@pytest.mark.skipif(not os.path.exists("/proc/self/io"), reason="reads what a process has read, which Linux counts")
def test_sigterm_without_a_checkpoint_is_one_line(tmp_path):
    process = long_run(tmp_path)
    read = 10 * 400 * 1500 * 8  # bytes of ten orbitals: the run is on its way then

    def is_computing():
        with open(f"/proc/{process.pid}/io") as file:
            return int(file.readline().split()[1]) > read

    try:
        wait_for(process, is_computing)
    finally:
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (143, "", "terminated\n")
