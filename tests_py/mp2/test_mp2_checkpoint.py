"""Checkpoints: calls that are killed, that run out of disk, and that belong to another job."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import checkpoint_case
import numpy as np
import pytest
import trnsci
from checkpoint_case import PAIRS, ROOM, molecule

SUPPORT = os.path.dirname(checkpoint_case.__file__)

# Makes the molecule, whose integrals come slowly if that is asked for, and computes its energy with the checkpoint.
SCRIPT = """
import sys, time
import numpy as np
import trnsci

sys.path.insert(0, sys.argv[1])
from checkpoint_case import ROOM, molecule

b, occ, vir = molecule()
def read(first, end):
    time.sleep(float(sys.argv[3]))
    return b[first:end]

trnsci.df_mp2_energy(read, occ, vir, max_memory=ROOM, checkpoint=sys.argv[2])
"""


def pairs_of(*args, **options):
    """The result of a call and the number of pairs that it computed."""
    seen = [0]
    result = trnsci.df_mp2_energy(*args, progress=lambda done, total: seen.append(done), **options)
    return result, max(seen)


def start(path, pause):
    return subprocess.Popen([sys.executable, "-c", SCRIPT, SUPPORT, str(path), str(pause)])


def wait_for_bytes(process, path, size):
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        if path.exists() and path.stat().st_size >= size:
            return
        time.sleep(0.005)
    raise AssertionError(f"no checkpoint of {size} bytes was written (exit status {process.poll()})")


def test_killed_calls_go_on(tmp_path):
    b, occ, vir = molecule()
    want = trnsci.df_mp2_energy(b, occ, vir, pair_energies=True)
    path = tmp_path / "run.checkpoint"
    size = 960  # a header and no pair; a call writes its first pair at once
    for _ in range(3):  # killed three times, each time further on
        process = start(path, 0.15)
        try:
            wait_for_bytes(process, path, size + 40)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        size = path.stat().st_size
    got, computed = pairs_of(
        lambda i, j: b[i:j], occ, vir, max_memory=ROOM, checkpoint=path, pair_energies=True, threads=2
    )
    assert got == want and np.array_equal(got.pair_energies, want.pair_energies)
    assert 0 < computed < PAIRS
    assert not path.exists()


def half_done(path, b, occ, vir, **options):
    """Stop a call in its middle."""
    asked = []

    def read(first, end):
        asked.append(first)
        if len(asked) > 6:
            raise KeyError("enough")
        return b[first:end]

    with pytest.raises(KeyError):
        trnsci.df_mp2_energy(read, occ, vir, max_memory=ROOM, checkpoint=path, **options)
    return path.read_bytes()


@pytest.mark.parametrize("name", ["plain", b"by\xfftes", "with space"])
def test_an_exception_leaves_what_was_done(tmp_path, name):
    b, occ, vir = molecule()
    path = tmp_path / os.fsdecode(name)
    half_done(path, b, occ, vir)
    got, computed = pairs_of(b[:], occ, vir, checkpoint=os.fsencode(path))  # from memory now
    assert got == trnsci.df_mp2_energy(b, occ, vir) and 0 < computed < PAIRS and not path.exists()


def test_two_spins_and_tolerance(tmp_path):
    b, occ, vir = molecule()
    path = tmp_path / "c"
    options = dict(precision="mixed", etol=1e-12)

    def energy(read, **more):
        return trnsci.df_mp2_energy((read, b[:5]), (occ, occ[:5]), (vir, vir), max_memory=ROOM, **options, **more)

    asked = []

    def read(first, end):
        asked.append(first)
        if len(asked) > 25:
            raise KeyError("enough")
        return b[first:end]

    with pytest.raises(KeyError):
        energy(read, checkpoint=path)
    want = energy(lambda i, j: b[i:j])
    assert want.recomputed > 0
    assert energy(lambda i, j: b[i:j], checkpoint=path) == want and not path.exists()


def test_another_job(tmp_path):
    b, occ, vir = molecule()
    path = tmp_path / "c"
    content = half_done(path, b, occ, vir)
    for args, options, text in [
        ((b[:5], occ[:5], vir), {}, "nocc is 12 there and 5 here"),
        ((b, occ - 1e-9, vir), {}, "eps_occ"),
        ((b[:, :, :7], occ, vir), {}, "naux is 20 there and 7 here"),
        ((b, occ, vir), {"precision": "mixed"}, "products is float64 there and float32 here"),
        ((b, occ, vir), {"check_finite": False}, "check_finite"),
        ((b.astype(np.float32), occ, vir), {"precision": "fp64"}, "dtype of B is float64 there and float32 here"),
        (((b, b), (occ, occ), (vir, vir)), {}, "spins is 1 there and 2 here"),
        ((b + 1e-9, occ, vir), {}, "B of occupied orbital"),
    ]:
        with pytest.raises(ValueError, match=f"^checkpoint: .*{text}"):
            trnsci.df_mp2_energy(*args, checkpoint=path, **options)
        assert path.read_bytes() == content
    middle = bytearray(content)
    middle[len(middle) - 60] ^= 1
    path.write_bytes(middle)
    with pytest.raises(ValueError, match=r"^checkpoint: .*damaged"):
        trnsci.df_mp2_energy(b, occ, vir, checkpoint=path)
    path.write_text("a letter")
    with pytest.raises(ValueError, match=r"^checkpoint: .*not a checkpoint"):
        trnsci.df_mp2_energy(b, occ, vir, checkpoint=path)
    assert path.read_text() == "a letter"


def test_one_call_at_a_time(tmp_path):
    b, occ, vir = molecule()
    path = tmp_path / "c"
    process = start(path, 0.3)
    try:
        wait_for_bytes(process, path, 1000)
        with pytest.raises(ValueError, match=r"^checkpoint: .*in use"):
            trnsci.df_mp2_energy(b, occ, vir, checkpoint=path)
    finally:
        process.kill()
        process.wait()
    assert trnsci.df_mp2_energy(b, occ, vir, checkpoint=path) == trnsci.df_mp2_energy(b, occ, vir)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of file sizes are tested on Linux")
@pytest.mark.parametrize("room", [0, 300, None])
def test_full_disk(tmp_path, room):
    """A limit of file sizes acts like a full disk, in the middle of the header or of the first added record."""
    b, occ, vir = molecule()
    path = tmp_path / "c"
    content = None if room is not None else half_done(path, b, occ, vir)
    limit = room if content is None else len(content) + 20
    script = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n" + SCRIPT
    command = [sys.executable, "-B", "-c", script, SUPPORT, str(path), "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 1 and "OSError: checkpoint: write " in done.stderr, done.stderr
    assert (path.read_bytes() if path.exists() else None) == content
    got, computed = pairs_of(b, occ, vir, checkpoint=path)
    assert got == trnsci.df_mp2_energy(b, occ, vir) and (computed < PAIRS) == (content is not None)


@pytest.mark.parametrize(
    ("path", "error", "text"),
    [
        ("", ValueError, "no path"), ("a\0b", ValueError, "no path"), (7, TypeError, "expected a path"),
        (os.curdir, ValueError, "not a regular file"), (os.path.join("no", "such", "folder"), OSError, "no such file"),
        (os.devnull, ValueError, "not a regular file"),
    ],
)  # fmt: skip
def test_bad_paths(path, error, text):
    with pytest.raises(error, match=f"^checkpoint: .*{text}"):
        trnsci.df_mp2_energy(*molecule(), checkpoint=path)


def test_devices_have_none(tmp_path):
    with pytest.raises(trnsci.UnsupportedError, match=r"^checkpoint: .*'interp'"):
        trnsci.df_mp2_energy(*molecule(), checkpoint=tmp_path / "c", device="interp", precision="fp32")
