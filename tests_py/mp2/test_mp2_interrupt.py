"""Files that change during a call, and signals while a file is read or a function runs."""

from __future__ import annotations

import os
import signal
import time
from functools import partial

import numpy as np
import pytest
import trnsci
from interruption import assert_ends_at_first_report

pytestmark = pytest.mark.serial


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda path: os.truncate(path, os.path.getsize(path) - 8), "shrank|changed while it was read"),
        (lambda path: os.utime(path, (0, 0)), "changed while it was read"),
        (lambda path: np.save(path, np.ones((5, 7, 9))), "shrank|changed while it was read"),
    ],
)
def test_file_changes(tmp_path, change, text):
    rng = np.random.default_rng(97)
    b, occ, vir = rng.normal(size=(5, 7, 9)), -1 - rng.random(5), 0.2 + rng.random(7)
    path = tmp_path / "b.npy"
    np.save(path, b)
    asked = []

    def read(first, end):
        asked.append(first)
        if len(asked) == 2:  # the file has been read for its own pairs, and is read again for those with this spin
            change(path)
        return b[first:end]

    room = 2 * 7 * 9 * 8 / 1e6 + 1e-6
    with pytest.raises(ValueError, match=f"b.npy: .*({text})"):
        trnsci.df_mp2_energy((path, read), (occ, occ), (vir, vir), max_memory=room)
    np.save(path, b)
    assert trnsci.df_mp2_energy((path, b), (occ, occ), (vir, vir)) == trnsci.df_mp2_energy(
        (b, b), (occ, occ), (vir, vir)
    )


def sparse(path, shape, order):
    """Make a file of zeros that takes no room on the disk."""
    with open(path, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": order == "F", "shape": shape})
        file.truncate(file.tell() + 8 * int(np.prod(shape)))


@pytest.mark.skipif(os.name != "posix", reason="there are no signals to send here")
@pytest.mark.parametrize(
    ("shape", "layout", "order"),
    [((60, 500, 2000), "iaP", "C"), ((2000, 60 * 500), "P(ia)", "C"), ((60, 500, 2000), "iaP", "F")],
)
def test_signal_while_a_file_is_read(tmp_path, shape, layout, order, monkeypatch):
    path = tmp_path / "b.npy"
    sparse(path, shape, order)
    occ, vir = -1 - np.arange(60.0), 1 + np.arange(500.0)
    kept = tmp_path / "c"
    # Room for two orbitals: the file is read sixty times, which takes minutes.
    call = partial(trnsci.df_mp2_energy, path, occ, vir, layout=layout, max_memory=16.1, checkpoint=kept)
    assert_ends_at_first_report(call, 2, monkeypatch)
    assert trnsci.df_mp2_energy(np.sqrt([[[0.3]]]), [-0.5], [0.7]).e_corr == pytest.approx(-0.0375, rel=1e-14)


class _Alarm(Exception):
    pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no interval timers here")
@pytest.mark.parametrize("pause", [600, 0.01])
def test_signal_while_a_function_runs(pause):
    """The signal comes while the function sleeps, or some time later between two of its calls or in one."""
    rng = np.random.default_rng(98)
    occ, vir = -1 - rng.random(400), 0.2 + rng.random(7)
    b = rng.normal(size=(400, 7, 9))
    asked = []

    def ring(number, frame):
        raise _Alarm

    def read(first, end):
        asked.append(first)
        if len(asked) == 2:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
        if end > 1:
            time.sleep(pause)
        return b[first:end]

    before = signal.signal(signal.SIGALRM, ring)
    try:
        with pytest.raises(_Alarm):
            trnsci.df_mp2_energy(read, occ, vir, max_memory=2.1 * 7 * 9 * 8 / 1e6)
        calls = len(asked)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert trnsci.df_mp2_energy(lambda i, j: b[i:j], occ, vir) == trnsci.df_mp2_energy(b, occ, vir)
    assert len(asked) == calls, "the function was called after its call had ended"
