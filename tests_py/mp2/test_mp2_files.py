"""DF-MP2 energies of integrals in files, and the command."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import trnsci
from mp2_cases import OCC, VIR, layouts, random_case, small_b
from trnsci import df_mp2_energy

EPS = np.finfo(float).eps


# Files


@pytest.mark.parametrize("layout", ["iaP", "(ia)P", "P(ia)", "iPa"])
@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", ">f4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_file(tmp_path, layout, dtype, order):
    b, occ, vir = random_case(12, 5, 9, 11, np.dtype(dtype).newbyteorder("="))
    path = tmp_path / "b.npy"
    np.save(path, layouts(b)[layout].astype(dtype, order=order))
    expected = df_mp2_energy(b, occ, vir)
    for max_memory in (None, 4 * b[0].nbytes / 1e6):  # in one piece, and two orbitals at a time at most
        result = df_mp2_energy(path, occ, vir, layout=layout, max_memory=max_memory)
        assert abs(result.e_corr - expected.e_corr) <= result.error_bound + expected.error_bound


def test_file_for_each_spin_and_file_beside_array(tmp_path):
    b, occ, vir = random_case(13, 3, 5, 7)
    np.save(tmp_path / "a.npy", b)
    np.save(tmp_path / "b.npy", b[:2])
    expected = df_mp2_energy((b, b[:2]), (occ, occ[:2]), (vir, vir)).e_corr
    for pair in [(tmp_path / "a.npy", str(tmp_path / "b.npy")), (b, tmp_path / "b.npy")]:
        assert df_mp2_energy(pair, (occ, occ[:2]), (vir, vir)).e_corr == pytest.approx(expected, rel=1e-14)


def saved(array):
    import io

    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def header(text, version=1):
    raw = text.encode() + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(raw).to_bytes(2, "little") + raw


GOOD_FILE = saved(small_b())
BAD_FILES = {
    "empty": (b"", ValueError),
    "text": (b"not an array", ValueError),
    "magic only": (b"\x93NUMPY", ValueError),
    "header cut": (GOOD_FILE[:40], ValueError),
    "data cut": (GOOD_FILE[:-8], ValueError),
    "unknown version": (GOOD_FILE[:6] + b"\x09" + GOOD_FILE[7:], ValueError),
    "no dictionary": (header("[1, 2, 3]"), ValueError),
    "shape overflows": (
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 8, 8), }"),
        ValueError,
    ),
    "negative shape": (header("{'descr': '<f8', 'fortran_order': False, 'shape': (-2, 3, 2), }"), ValueError),
    "other shape": (saved(np.ones((3, 3, 2))), ValueError),
    "object": (saved(np.ones((2, 3, 2)).astype(object)), TypeError),
    "string": (saved(np.ones((2, 3, 2)).astype(str)), TypeError),
    "complex": (saved(np.ones((2, 3, 2), complex)), trnsci.UnsupportedError),
    "integer": (saved(np.ones((2, 3, 2), int)), TypeError),
    "structured": (saved(np.ones((2, 3, 2), [("x", "f8")])), TypeError),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files(tmp_path, name):
    content, error = BAD_FILES[name]
    path = tmp_path / "bad.npy"
    path.write_bytes(content)
    with pytest.raises(error, match=r"B|bad\.npy"):
        df_mp2_energy(path, OCC, VIR)


def test_what_is_no_regular_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.npy")
    for path in (tmp_path / "pipe.npy", tmp_path):
        with pytest.raises(ValueError, match=r"B.*not a regular file"):
            df_mp2_energy(path, OCC, VIR)


def test_file_name_that_is_no_text(tmp_path):
    name = os.path.join(os.fsencode(tmp_path), b"B\xff.npy")
    with open(name, "wb") as file:
        file.write(GOOD_FILE)
    assert df_mp2_energy(os.fsdecode(name), OCC, VIR).e_corr == pytest.approx(-1.1198054886378938, rel=1e-14)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        df_mp2_energy(tmp_path / "none.npy", OCC, VIR)


def test_memory_limit_below_one_block_says_the_least(tmp_path):
    b, occ, vir = random_case(14, 3, 50, 60)
    np.save(tmp_path / "b.npy", b)
    with pytest.raises(ValueError, match="max_memory") as caught:
        df_mp2_energy(tmp_path / "b.npy", occ, vir, max_memory=0.01)
    assert any(char.isdigit() for char in str(caught.value))


MEMORY_SCRIPT = """
import sys
import numpy as np, trnsci
from trnsci._core import _native

def rss_anon():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("RssAnon")) / 1000

nocc, nvir, naux = 64, 448, 1536
occ, vir = -np.arange(1.0, nocc + 1), np.arange(1.0, nvir + 1)
b = np.zeros((nocc, nvir, naux)) if sys.argv[1] == "array" else sys.argv[1]
if sys.argv[1] == "array":
    b += 1e-3
trnsci.eigh(np.eye(2))
before = rss_anon()
most = 0.0

def watch(done, total):
    global most
    most = max(most, rss_anon() - before)
    if done >= 60:
        raise StopIteration

try:
    trnsci.df_mp2_energy(b, occ, vir, progress=watch, max_memory=float(sys.argv[2]))
except StopIteration:
    print(most)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/status")
@pytest.mark.parametrize("where", ["array", "file"])
def test_memory_beside_the_input(tmp_path, where):
    source, limit = "array", 256.0
    if where == "file":
        source, limit = str(tmp_path / "b.npy"), 40.0
        memory = np.lib.format.open_memmap(source, "w+", np.float64, (64, 448, 1536))
        memory[:] = 1e-3
        del memory
    command = [sys.executable, "-c", MEMORY_SCRIPT, source, str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    assert 0 < float(done.stdout) < 64


# The command


def run_command(*arguments):
    return subprocess.run([sys.executable, "-m", "trnsci", *arguments], capture_output=True, text=True, timeout=100)


@pytest.fixture
def case_files(tmp_path):
    np.save(tmp_path / "B.npy", small_b())
    np.save(tmp_path / "occ.npy", np.array(OCC))
    np.save(tmp_path / "vir.npy", np.array(VIR))
    return [str(tmp_path / name) for name in ("B.npy", "occ.npy", "vir.npy")]


def test_command(case_files, tmp_path):
    pairs = tmp_path / "pairs.npy"
    done = run_command("mp2", *case_files, "--json", "--pair-energies", str(pairs))
    assert done.returncode == 0, done.stderr
    energies = json.loads(done.stdout)
    assert energies["e_corr"] == pytest.approx(-1.1198054886378938, rel=1e-14)
    assert energies["e_scs"] == pytest.approx(-1.3334888085876948, rel=1e-14)
    assert np.load(pairs).sum() == pytest.approx(energies["e_corr"], rel=1e-14)
    done = run_command("mp2", *case_files, "--threads", "1")
    assert "-1.119805488638" in done.stdout


def test_command_reports_bad_input_in_one_line(case_files, tmp_path):
    missing, wrong, bad_option = str(tmp_path / "none.npy"), case_files[1], ["--threads", "0"]
    for arguments in ([missing, *case_files[1:]], [wrong, *case_files[1:]], [*case_files, *bad_option]):
        done = run_command("mp2", *arguments)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith("trnsci mp2: ")
        assert len(done.stderr.splitlines()) == 1


def test_command_refuses_a_missing_folder_for_the_pairs_before_it_computes(case_files, tmp_path):
    done = run_command("mp2", *case_files, "--pair-energies", str(tmp_path / "none" / "pairs.npy"))
    assert done.returncode == 2
    assert done.stdout == ""
    assert "--pair-energies: there is no folder" in done.stderr and "none" in done.stderr


def test_command_prints_energies_before_it_fails_to_save_the_pairs(case_files, tmp_path):
    done = run_command("mp2", *case_files, "--pair-energies", str(tmp_path / ("name" * 99)))  # too long
    assert done.returncode == 2
    assert "-1.119805488638" in done.stdout
    assert str(tmp_path) in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_command_says_when_output_cannot_be_written(case_files):
    for arguments in (["mp2", *case_files], ["info"]):
        with open("/dev/full", "w") as full:
            command = [sys.executable, "-m", "trnsci", *arguments]
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=100)
        assert done.returncode in (2, 74)
        assert len(done.stderr.splitlines()) == 1, done.stderr
