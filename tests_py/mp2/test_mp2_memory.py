"""Anonymous memory of df_mp2_energy stays below its plan, for every kind of B."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.serial

NOCC, NVIR, NAUX = 24, 200, 600  # B has 23 MB in float64
ROOM = 8.0  # megabytes: eight orbitals in float64
ORBITAL = NVIR * NAUX * 8 / 1e6

# Runs one configuration and prints the growth of anonymous memory, looked at 500 times a second, the bound of the plan,
# and what a function or dataset makes of a block.
SCRIPT = """
import sys, threading, time
import numpy as np
import trnsci

name, path, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
nocc, nvir, naux, room = 24, 200, 600, 8.0
occ, vir = -1 - np.arange(nocc) / 50, 1 + np.arange(nvir) / 50

def rss_anon():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) / 1000

def filled(order="C", dtype=np.float64):
    b = np.empty((nocc, nvir, naux), dtype, order=order)
    b[...] = 1e-2
    return b

options = dict(max_memory=room, threads=threads)
beside = 0.0  # what Python makes of a block
energies = (occ, vir)
if name == "in place":
    b = filled()
elif name == "packed":
    b = filled("F")
elif name == "mixed":
    b, options = filled(), {**options, "precision": "mixed"}
elif name == "mixed, etol":
    b, options = filled(), {**options, "precision": "mixed", "etol": 1e-12}
elif name == "converted":
    b, options = filled(dtype=np.float32), {**options, "precision": "fp64"}
elif name in ("file", "gathered file"):
    b = path
    if name == "gathered file":
        options["layout"] = "P(ia)"
elif name == "checkpoint":
    b, options = path, {**options, "checkpoint": path + ".checkpoint"}
elif name == "function":
    b, beside = (lambda i, j: np.full((j - i, nvir, naux), 1e-2)), room
elif name == "dataset":
    import h5py
    b, beside = h5py.File(path, "r")["b"], 2 * room
elif name == "two spins":
    b, energies = (path, path), ((occ, occ), (vir, vir))
# What is allocated once: the library, its kernels, the path through Python.
trnsci.df_mp2_energy(np.ones((2, 3, 4)), occ[:2], vir[:3], threads=threads)
plan = trnsci.df_mp2_energy(b, *energies, **options, plan=True)
before, most, done = rss_anon(), [0.0], threading.Event()

def watch():
    while not done.wait(0.002):
        most[0] = max(most[0], rss_anon() - before)

watcher = threading.Thread(target=watch)
watcher.start()
trnsci.df_mp2_energy(b, *energies, **options)
done.set()
watcher.join()
print(most[0], plan.memory / 1e6, beside)
"""

CONFIGURATIONS = [
    "in place", "packed", "mixed", "mixed, etol", "converted", "file", "gathered file", "checkpoint", "function",
    "dataset",
    "two spins",
]  # fmt: skip
# Megabytes that Go's runtime may hold for memory that is free again, for stacks, and for its own tables.
RUNTIME = 4.0


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The paths of B in files of both kinds."""
    folder = tmp_path_factory.mktemp("integrals")
    b = np.full((NOCC, NVIR, NAUX), 1e-2)
    np.save(folder / "b.npy", b)
    np.save(folder / "pairs.npy", b.reshape(-1, NAUX).T.copy())
    if importlib.util.find_spec("h5py") is not None:
        import h5py

        with h5py.File(folder / "b.h5", "w") as file:
            file["b"] = b
    return folder


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/status")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_memory(files, name, threads):
    if name == "dataset":
        pytest.importorskip("h5py", reason="h5py is not installed")
    path = files / {"dataset": "b.h5", "gathered file": "pairs.npy"}.get(name, "b.npy")
    command = [sys.executable, "-c", SCRIPT, name, str(path), str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    most, planned, beside = map(float, done.stdout.split())
    print(f"{name}, {threads} threads: {most:.1f} MB of {planned:.1f} + {beside:.1f}")
    assert 0 < most < planned + beside + RUNTIME
    assert planned < ROOM + 40 * ORBITAL  # the bound itself is no more than blocks and a few matrices
