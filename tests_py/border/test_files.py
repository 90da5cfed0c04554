"""Files: outputs never replace inputs or protected files, and a path is fixed when its call starts."""

import contextlib
import os
import stat
from pathlib import Path

import numpy as np
import pytest
import trnsci
from trnsci import __main__, mp2_amplitudes

NOCC, NVIR, NAUX = 3, 4, 5
OCC, VIR = -1 - np.arange(3.0), 1 + np.arange(4.0)
INTEGRALS = np.random.default_rng(0).standard_normal((NOCC, NVIR, NAUX))
OPEN = ((OCC, OCC), (VIR, VIR))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The working directory, with the integrals and energies in files."""
    monkeypatch.chdir(tmp_path)
    for name, array in (("B", INTEGRALS), ("occ", OCC), ("vir", VIR)):
        np.save(f"{name}.npy", array)
    return tmp_path


def contents(folder="."):
    """The bytes of all files."""
    return {path: path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file()}


@contextlib.contextmanager
def nothing_changes(error=ValueError, *names):
    before = contents()
    with pytest.raises(error) as caught:
        yield
    assert all(name in str(caught.value) for name in names), caught.value
    assert contents() == before


def _symlink(target, name):
    os.symlink(target, name)
    return name


def _hard_link(target, name):
    os.link(target, name)
    return name


def _through_a_linked_folder(target, name):
    os.mkdir("real")
    os.symlink("real", "linked")
    os.symlink(os.path.join(os.pardir, target), os.path.join("real", name))
    return os.path.join("linked", name)


def _behind_a_link(target, name):
    """A path that os.path.abspath would take for another one: what is above a link is above its target."""
    os.makedirs("one/two")
    os.symlink("one/two", "there")
    os.rename(target, "one/moved.npy")
    os.symlink("one/moved.npy", target)
    return "there/../moved.npy"


# Other names of a file.
SPELLINGS = {
    "same": lambda target, name: target,
    "dot": lambda target, name: "./" + target,
    "absolute": lambda target, name: os.path.abspath(target),
    "path": lambda target, name: Path(target),
    "up and down": lambda target, name: os.path.join(os.pardir, Path.cwd().name, target),
    "symbolic link": _symlink,
    "link to a link": lambda target, name: _symlink(_symlink(target, "first"), name),
    "hard link": _hard_link,
    "linked folder": _through_a_linked_folder,
    "behind a link": _behind_a_link,
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_amplitudes_do_not_replace_the_integrals(spelling):
    out = SPELLINGS[spelling]("B.npy", "other.npy")
    with nothing_changes(ValueError, "out", "B"):
        mp2_amplitudes("B.npy", OCC, VIR, out=out)
    with nothing_changes(ValueError, "out", "B"):
        mp2_amplitudes(out, OCC, VIR, out="B.npy")


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("spelling", ["dot", "symbolic link", "hard link"])
def test_amplitudes_of_an_open_shell(spelling, place):
    other = SPELLINGS[spelling]("B.npy", "other.npy")
    out = ["0.npy", "1.npy", "2.npy"]
    out[place] = other
    with nothing_changes(ValueError, f"out[{place}]", "B[1]"):
        mp2_amplitudes((INTEGRALS, "B.npy"), *OPEN, out=out)
    out[place], out[place - 1] = "new.npy", os.path.join(os.curdir, "new.npy")
    with nothing_changes(ValueError, f"out[{place}]", f"out[{place - 1 if place else 2}]"):
        mp2_amplitudes((INTEGRALS, INTEGRALS), *OPEN, out=out)


def _mapped(name, mode="r"):
    return np.load(name, mmap_mode=mode)


@pytest.mark.parametrize(
    ("inputs", "out", "name"),
    [
        (lambda: (_mapped("B.npy"), OCC, VIR), "B.npy", "B"),
        (lambda: (_mapped("B.npy")[:, ::2, :], OCC, VIR[::2]), "B.npy", "B"),
        (lambda: (np.asarray(_mapped("B.npy")), OCC, VIR), "B.npy", "B"),
        (lambda: (_mapped("B.npy", "c"), OCC, VIR), "B.npy", "B"),
        (lambda: (INTEGRALS, _mapped("occ.npy"), VIR), "occ.npy", "eps_occ"),
        (lambda: (INTEGRALS, OCC, _mapped("vir.npy")), "vir.npy", "eps_vir"),
    ],
)
def test_files_of_arrays_that_are_mapped(inputs, out, name):
    with nothing_changes(ValueError, "out", name):
        mp2_amplitudes(*inputs(), out=out)


def test_results_in_a_mapped_file_of_an_input():
    square = INTEGRALS[:, :3, :3].copy()
    np.save("square.npy", np.zeros((3, 3, 3, 3)))
    with nothing_changes(ValueError, "out", "B"):
        mp2_amplitudes("square.npy", OCC, VIR[:3], out=_mapped("square.npy", "r+"))
    packed = np.zeros((6, 6))
    np.save("L.npy", packed)
    with nothing_changes(ValueError, "out", "L"):
        trnsci.df_transform("L.npy", np.eye(3)[:, :2], np.eye(3)[:, :3], out=_mapped("L.npy", "r+").reshape(2, 3, 6))
    # A private mapping changes no file, and different parts of one array are apart.
    result = mp2_amplitudes(square, OCC, VIR[:3], out=_mapped("square.npy", "c"))
    assert result.any() and not np.load("square.npy").any()
    memory = np.memmap("memory.bin", float, "w+", shape=(27 + 81,))
    memory[:27] = square.ravel()
    parts = memory[:27].reshape(3, 3, 3), memory[27:].reshape(3, 3, 3, 3)
    np.testing.assert_array_equal(mp2_amplitudes(parts[0], OCC, VIR[:3], out=parts[1]), result)


def test_files_of_datasets(monkeypatch):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File("integrals.h5", "w") as file:
        file["B"] = INTEGRALS
        layout = h5py.VirtualLayout((NOCC, NVIR, NAUX), float)
        layout[...] = h5py.VirtualSource("integrals.h5", "B", (NOCC, NVIR, NAUX))
        with h5py.File("virtual.h5", "w") as other:
            other.create_virtual_dataset("B", layout)
        file.create_dataset("outside", (NOCC, NVIR, NAUX), float, external=[("raw.bin", 0, INTEGRALS.nbytes)])[...] = (
            INTEGRALS
        )
    os.link("integrals.h5", "link.h5")
    where = os.getcwd()
    with h5py.File("integrals.h5") as file, h5py.File("virtual.h5") as virtual:
        for out in ("integrals.h5", "link.h5"):
            with nothing_changes(ValueError, "out", "B"):
                mp2_amplitudes(file["B"], OCC, VIR, out=out)
            with nothing_changes(ValueError, "checkpoint", "B"):
                trnsci.df_mp2_energy(file["B"], OCC, VIR, checkpoint=out)
        for dataset, out in (
            (virtual["B"], "integrals.h5"),
            (virtual["B"], "virtual.h5"),
            (file["outside"], "raw.bin"),
        ):
            with nothing_changes(ValueError, "out", "B"):
                mp2_amplitudes(dataset, OCC, VIR, out=out)
        os.mkdir("elsewhere")
        monkeypatch.chdir("elsewhere")  # the file was opened by a relative name
        with pytest.raises(ValueError, match=r"out.*B"):
            mp2_amplitudes(file["B"], OCC, VIR, out=os.path.join(where, "integrals.h5"))


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_checkpoints_are_not_files_of_inputs(spelling):
    other = SPELLINGS[spelling]("B.npy", "other.npy")
    with nothing_changes(ValueError, "checkpoint", "B"):
        trnsci.df_mp2_energy("B.npy", OCC, VIR, checkpoint=other)
    with nothing_changes(ValueError, "checkpoint", "B[1]"):
        trnsci.df_mp2_energy((INTEGRALS, "B.npy"), *OPEN, checkpoint=other)
    with nothing_changes(ValueError, "checkpoint", "eps_occ"):
        trnsci.df_mp2_energy("B.npy", _mapped("occ.npy"), VIR, checkpoint="occ.npy")


# A file whose group or others could write to it is protected from its owner by the owner's bits.
@pytest.mark.parametrize("mode", [0o444, 0o400, 0o000, 0o555, 0o466])
def test_protected_files_are_not_replaced(mode):
    Path("kept.npy").write_bytes(b"results of last year")
    os.chmod("kept.npy", mode)
    os.symlink("kept.npy", "link.npy")
    before = os.stat("kept.npy")
    for name in ("kept.npy", "link.npy"):
        for use in (
            lambda: mp2_amplitudes("B.npy", OCC, VIR, out=name),  # noqa: B023
            lambda: mp2_amplitudes((INTEGRALS, INTEGRALS), *OPEN, out=("a.npy", "b.npy", name)),  # noqa: B023
            lambda: trnsci.df_mp2_energy("B.npy", OCC, VIR, checkpoint=name),  # noqa: B023
        ):
            with pytest.raises(PermissionError, match=r"write-protected.*kept\.npy"):
                use()
        assert __main__.main(["mp2", "B.npy", "occ.npy", "vir.npy", "--pair-energies", name]) == 2
    after = os.stat("kept.npy")
    assert (after.st_ino, after.st_mode, after.st_mtime_ns) == (before.st_ino, before.st_mode, before.st_mtime_ns)
    os.chmod("kept.npy", 0o644)
    assert Path("kept.npy").read_bytes() == b"results of last year"
    assert not os.path.exists("a.npy")
    mp2_amplitudes("B.npy", OCC, VIR, out="kept.npy")
    assert np.load("kept.npy").shape == (NOCC, NOCC, NVIR, NVIR)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--pair-energies", "./B.npy"], ("--pair-energies", "B")),
        (["--pair-energies", "occ.npy"], ("--pair-energies", "eps_occ")),
        (["--pair-energies", "link.npy"], ("--pair-energies", "eps_vir")),
        (["--pair-energies", "beta.npy", "--beta", "beta.npy", "occ.npy", "vir.npy"], ("--pair-energies", "--beta[0]")),
        (["--checkpoint", "vir.npy"], ("--checkpoint", "eps_vir")),
        (["--checkpoint", "new", "--pair-energies", "./new"], ("--pair-energies", "--checkpoint")),
    ],
)
def test_outputs_of_the_command(options, names, capsys):
    os.link("vir.npy", "link.npy")
    np.save("beta.npy", INTEGRALS)
    before = contents()
    assert __main__.main(["mp2", "B.npy", "occ.npy", "vir.npy", *options]) == 2
    said = capsys.readouterr()
    assert all(name in said.err for name in names) and not said.out, said
    assert contents() == before


def test_the_hdf5_file_of_the_command(capsys):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File("all.h5", "w") as file:
        file["B"], file["occ"] = INTEGRALS, OCC
    before = contents()
    for option in ("--pair-energies", "--checkpoint"):
        assert __main__.main(["mp2", "B.npy", "all.h5:occ", "vir.npy", option, "all.h5"]) == 2
        assert option in capsys.readouterr().err
    assert contents() == before


class Wanders:
    """Changes to another directory while a call runs, where other files have the same names."""

    def __init__(self, after=1):
        self.calls, self.after = 0, after
        os.mkdir("elsewhere")
        for name in ("run.checkpoint", "t.npy", "0.npy", "1.npy", "2.npy"):
            Path("elsewhere", name).write_text("somebody else's")
        self.before = contents("elsewhere")
        self.begin = os.getcwd()

    def __call__(self, *_):
        self.calls += 1
        if self.calls == self.after:
            os.chdir("elsewhere")

    def check(self):
        assert self.calls >= self.after
        os.chdir(self.begin)
        assert contents("elsewhere") == self.before


def test_a_checkpoint_while_the_directory_changes():
    wanders = Wanders()
    result = trnsci.df_mp2_energy("B.npy", OCC, VIR, checkpoint="run.checkpoint", progress=wanders)
    wanders.check()
    assert result == trnsci.df_mp2_energy(INTEGRALS, OCC, VIR)
    assert not os.path.exists("run.checkpoint")


def test_a_checkpoint_of_a_call_that_fails_stays_where_it_was_asked_for():
    wanders = Wanders()

    def read(first, end):
        wanders()
        if end == NOCC:
            raise KeyError("no more")
        return INTEGRALS[first:end]

    with pytest.raises(KeyError):
        trnsci.df_mp2_energy(read, OCC, VIR, checkpoint="run.checkpoint", max_memory=2 * INTEGRALS[0].nbytes / 1e6)
    wanders.check()
    if os.path.exists("run.checkpoint"):  # there is one if a pair was finished
        assert Path("run.checkpoint").read_bytes().startswith(b"trnsci DF-MP2 checkpoint")


def test_amplitudes_while_the_directory_changes():
    wanders = Wanders()
    out = mp2_amplitudes(("B.npy", "B.npy"), *OPEN, out=("0.npy", "1.npy", "2.npy"), progress=wanders)
    assert out == ("0.npy", "1.npy", "2.npy")
    wanders.check()
    for name, want in zip(out, mp2_amplitudes((INTEGRALS, INTEGRALS), *OPEN), strict=True):
        np.testing.assert_array_equal(np.load(name), want)


def test_integrals_while_a_function_for_the_other_spin_changes_the_directory():
    wanders = Wanders()

    def read(first, end):
        wanders()
        return INTEGRALS[first:end]

    want = trnsci.df_mp2_energy((INTEGRALS, INTEGRALS), *OPEN)
    assert trnsci.df_mp2_energy((read, "B.npy"), *OPEN) == want
    wanders.check()


def test_packed_integrals_while_the_directory_changes():
    packed = np.random.default_rng(1).standard_normal((6, 6))
    np.save("L.npy", packed)
    wanders = Wanders()
    j, _ = trnsci.df_jk("L.npy", np.eye(3), max_memory=1e-3, progress=wanders)
    wanders.check()
    np.testing.assert_array_equal(j, trnsci.df_jk(packed, np.eye(3), max_memory=1e-3)[0])


def test_another_file_in_the_place_of_the_checkpoint_is_left_there():
    """Whoever moves the checkpoint away and puts a file of his own there finds both."""

    def read(first, end):
        if os.path.exists("run.checkpoint") and not os.path.exists("moved"):
            os.rename("run.checkpoint", "moved")
            Path("run.checkpoint").write_text("somebody else's")
        return INTEGRALS[first:end]

    result = trnsci.df_mp2_energy(read, OCC, VIR, checkpoint="run.checkpoint")
    assert result == trnsci.df_mp2_energy(INTEGRALS, OCC, VIR)
    assert Path("run.checkpoint").read_text() == "somebody else's"
    assert Path("moved").read_bytes().startswith(b"trnsci DF-MP2 checkpoint")


def test_a_linked_checkpoint():
    """The link stays, and the file that it names is removed: finished pairs answer for no other integrals."""
    os.symlink("target", "run.checkpoint")
    trnsci.df_mp2_energy("B.npy", OCC, VIR, checkpoint="run.checkpoint")
    assert os.path.islink("run.checkpoint") and not os.path.exists("target")


def test_a_relative_folder_for_compiled_programs(device):
    Wanders()
    with trnsci.Device(device, cache_dir="programs") as there:
        os.chdir("elsewhere")
        trnsci.blas.gemm(1, np.ones((2, 2), "f4"), np.ones((2, 2), "f4"), device=there)
        os.chdir(os.pardir)
    assert os.path.isdir("programs") and not os.path.exists(os.path.join("elsewhere", "programs"))


def test_files_in_the_folder_for_compiled_programs_are_left(device):
    """A file of the name of a program that is none, or that is protected, is not replaced."""

    def compute():
        with trnsci.Device(device, cache_dir="programs") as there:
            return trnsci.blas.gemm(1, np.ones((2, 2), "f4"), np.ones((2, 2), "f4"), device=there)

    want = compute()
    programs = [path for path in Path("programs").rglob("*") if path.is_file()]
    for path in programs:
        path.write_text("somebody else's")
    np.testing.assert_array_equal(compute(), want)
    assert all(path.read_text() == "somebody else's" for path in programs)
    for path in programs:
        path.write_bytes(b"trnsci program 1\nthe rest is lost")
        path.chmod(0o444)
    np.testing.assert_array_equal(compute(), want)
    assert all(path.read_bytes() == b"trnsci program 1\nthe rest is lost" for path in programs)
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o444 for path in programs)


def test_a_deleted_directory():
    os.mkdir("gone")
    os.chdir("gone")
    os.rmdir(os.path.join(os.pardir, "gone"))
    with pytest.raises(OSError):
        trnsci.df_mp2_energy("B.npy", OCC, VIR)
    os.chdir(os.path.dirname(__file__))
    assert trnsci.df_mp2_energy(INTEGRALS, OCC, VIR).e_corr < 0
