"""Devices that are closed or forked during a call, their folders, and their memory."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import trnsci


def test_function_that_closes_its_own_device():
    b = np.random.default_rng(8).normal(size=(6, 5, 7)).astype(np.float32)
    occ, vir = -1 - np.arange(6.0), 1 + np.arange(5.0)
    device = trnsci.Device("interp")
    asked = []

    def read(first, end):
        asked.append((first, end))
        if len(asked) > 1:
            device.close()
        return b[first:end]

    want = trnsci.df_mp2_energy(b, occ, vir, device="interp")
    assert trnsci.df_mp2_energy(read, occ, vir, device=device) == want  # the call that runs is finished
    with pytest.raises(trnsci.DeviceError):
        trnsci.df_mp2_energy(b, occ, vir, device=device)


def test_signal_while_a_device_is_closed():
    device = trnsci.Device("interp")
    a = np.ones((1200, 1200), np.float32)
    call = threading.Thread(target=lambda: trnsci.blas.gemm(1, a, a, device=device))

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        call.start()
        while not device.info()["memory_used"]:  # until the call has begun
            pass
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with pytest.raises(KeyboardInterrupt):
            while True:
                device.close()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        call.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_fork_while_a_device_is_opened():
    script = """
import os, threading, numpy as np, trnsci
from trnsci._core import _device
trnsci.devices()
held, done = threading.Event(), threading.Event()
def hold():
    with _device._lock:  # as while a device is opened
        held.set()
        done.wait()
threading.Thread(target=hold).start()
held.wait()
child = os.fork()
if child == 0:
    one = np.ones((1, 1), np.float32)
    try:
        trnsci.blas.gemm(1, one, one, device="interp")
    except RuntimeError as error:
        os._exit(3 if "forked" in str(error) else 4)
    os._exit(5)
done.set()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert result.stdout.strip() == "3", result.stderr


def test_folders_for_plugins_are_paths(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, Path("/nowhere"), b"/nowhere", 3])
    assert "interp" in trnsci.devices()


def test_cache_folders(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(NotADirectoryError, match=r"^cache_dir: "):
        trnsci.Device("interp", cache_dir=file)
    with pytest.raises(TypeError, match=r"^cache_dir: "):
        trnsci.Device("interp", cache_dir=3.5)
    with pytest.raises(ValueError, match=r"^cache_dir: "):
        trnsci.Device("interp", cache_dir="a\0b")
    trnsci.Device("interp", cache_dir=tmp_path / "new" / "folder").close()
    assert (tmp_path / "new" / "folder").is_dir()


def test_operand_that_no_memory_holds(device):
    script = f"""
import resource, numpy as np, trnsci
resource.setrlimit(resource.RLIMIT_AS, (6 * 10**9,) * 2)
a = np.broadcast_to(np.float32(1), (2**15, 2**14))
try:
    trnsci.blas.gemm(1, a, np.ones((2**14, 3), np.float32), device={device!r})
except (MemoryError, trnsci.DeviceError) as error:
    print("refused", error)
"""
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert result.stdout.startswith("refused") and result.returncode == 0, result.stderr
