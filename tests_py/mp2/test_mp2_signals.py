"""Ctrl-C during the functions of DF-MP2: the call ends with KeyboardInterrupt, and its work with it."""

import os
import signal
import threading
import time

import numpy as np
import pytest
import trnsci

pytestmark = pytest.mark.serial

# Integrals of one occupied orbital stand for those of all, so that hours of work take little memory.
NVIR, NAUX = 300, 900


def orbitals(nocc, nvir=NVIR, naux=NAUX, dtype=np.float64):
    rng = np.random.default_rng(501)
    one = (rng.standard_normal((1, nvir, naux)) / naux).astype(dtype)
    return np.broadcast_to(one, (nocc, nvir, naux)), -1 - np.arange(nocc) / nocc, 0.2 + np.arange(nvir) / nvir


def packed(nocc, nvir=NVIR, naux=NAUX):
    """Likewise with integrals that have to be packed."""
    across, occ, _ = orbitals(nocc, naux, nvir)
    return across.transpose(0, 2, 1), occ, 0.2 + np.arange(nvir) / nvir


def two_spins(nocc):
    return tuple(zip(orbitals(nocc), orbitals(nocc // 2), strict=True))


# Each takes some seconds or more on any machine, in steps of which none takes long.
CALLS = {
    "df_mp2_energy": (trnsci.df_mp2_energy, lambda: orbitals(400), {}),
    "df_mp2_energy, packed": (trnsci.df_mp2_energy, lambda: packed(400), {}),
    "df_mp2_energy, mixed": (trnsci.df_mp2_energy, lambda: orbitals(500), {"precision": "mixed"}),
    "df_mp2_energy, two spins": (trnsci.df_mp2_energy, lambda: two_spins(500), {}),
    "sos_mp2_energy": (trnsci.sos_mp2_energy, lambda: orbitals(200, naux=3000), {"tol": 1e-9}),
    "mp2_amplitudes": (trnsci.mp2_amplitudes, lambda: orbitals(150, 60, 30000), {}),
    "mp2_rdm1": (trnsci.mp2_rdm1, lambda: orbitals(200), {}),
    "df_gmp2_energy": (trnsci.df_gmp2_energy, lambda: orbitals(400), {}),
    "df_gmp2_energy, complex": (trnsci.df_gmp2_energy, lambda: orbitals(200, dtype=complex), {}),
}
REPEATED = 5  # waits of the interpreter for a call, of 20 ms each, in which counts may have been on their way


@pytest.fixture
def keyboard():
    """A background process may have inherited that the signal is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name != "posix", reason="there are no signals to send here")
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("delay", [0.01, 0.5])
def test_keyboard_interrupt(keyboard, name, delay):
    sent, before, after = [], [], []

    def send():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    def count(done, total):
        (after if sent else before).append((done, total))

    function, make, options = CALLS[name]
    args = make()
    timer = threading.Timer(delay, send)
    finished = False
    with pytest.raises(KeyboardInterrupt):
        try:
            timer.start()
            function(*args, progress=count, **options)
            finished = True
        except Exception:
            timer.cancel()  # else the signal would hide what went wrong
            raise
        finally:
            ended = time.monotonic()
            timer.join()
    assert not finished, "the call was over before the signal came"
    assert len(after) <= REPEATED
    counts = before + after
    done, total = counts[-1] if counts else (0, 1)
    print(f"{name}: went on for {1000 * (ended - sent[0]):.1f} ms, {len(after)} counts later {done} of {total} steps are done")
    assert done < total
    if before and after:
        assert after[-1][0] - before[-1][0] <= max(1, total // 10)
    # The library is as good as new.
    assert trnsci.df_mp2_energy(np.sqrt([[[0.3]]]), [-0.5], [0.7]).e_corr == pytest.approx(-0.0375, rel=1e-14)
