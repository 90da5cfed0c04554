"""NumPy's BLAS has one thread while J and K are computed repeatedly, and its own number afterwards."""

import os
import time

import numpy as np
import pytest

pytest.importorskip("pyscf")
pytest.importorskip("threadpoolctl")
import threadpoolctl
from pyscf import gto, lib, scf
from trnsci import pyscf as accelerated
from trnsci.pyscf import _blas_threads, _jk

pytestmark = pytest.mark.serial

PATIENCE = 20.0  # seconds, for a thread that waits a quarter of one


def blas():
    """Return the libraries in question: PySCF's own BLAS has no threads."""
    return threadpoolctl.ThreadpoolController().select(user_api="blas").lib_controllers


def threads():
    return [library.num_threads for library in blas()]


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    assert condition()


def wait_until(expected):
    wait_for(lambda: threads() == expected)


@pytest.fixture
def three():
    """Give every BLAS that can have them three threads for a test, and return the numbers."""
    wait_for(lambda: not _blas_threads._lease._taken)  # by what ran before
    with threadpoolctl.threadpool_limits(3, user_api="blas"):
        numbers = threads()
        if max(numbers) < 2:
            pytest.skip("no BLAS here has threads")
        yield numbers
        wait_until(numbers)


@pytest.fixture
def seen(monkeypatch):
    """Return what numbers of threads were seen by `df_jk`."""
    numbers = []

    def df_jk(*args, **kwargs):
        numbers.append(max(threads()))
        return _df_jk(*args, **kwargs)

    _df_jk = _jk.df_jk
    monkeypatch.setattr(_jk, "df_jk", df_jk)
    return numbers


def mean_field():
    mol = gto.M(atom="O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587", basis="sto-3g", verbose=0)
    return accelerated.accelerate(scf.RHF(mol).density_fit())


def test_one_thread_through_a_mean_field(three, seen):
    with lib.with_omp_threads(2):
        mean_field().kernel()
    assert len(seen) > 3 and set(seen) == {1}


def test_given_back_after_an_exception(three, monkeypatch):
    def fails(*args, **kwargs):
        raise RuntimeError("on purpose")

    monkeypatch.setattr(_jk, "df_jk", fails)
    with lib.with_omp_threads(2), pytest.raises(RuntimeError, match="on purpose"):
        mean_field().kernel()


def test_one_thread_needs_no_quiet(three, seen):
    with lib.with_omp_threads(1):
        mean_field().kernel()
    assert set(seen) == {max(three)}


def test_numbers_that_others_choose_stay(three, monkeypatch):
    monkeypatch.setattr(_blas_threads, "_HOLD", 0.02)
    with _blas_threads.quiet(2):
        assert max(threads()) == 1
        for library in blas():
            _blas_threads._set_threads(library, 2)
        chosen = threads()
    wait_for(lambda: not _blas_threads._lease._taken)
    assert threads() == chosen
    for library, number in zip(blas(), three, strict=True):
        _blas_threads._set_threads(library, number)


def test_forked_process_has_its_threads(three):
    with _blas_threads.quiet(2):
        child = os.fork()
        if child == 0:
            os._exit(0 if threads() == three else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_without_threadpoolctl(three, monkeypatch, seen):
    monkeypatch.setattr(_blas_threads, "_libraries", lambda: ())
    with lib.with_omp_threads(2):
        energy = mean_field().kernel()
    assert np.isfinite(energy) and set(seen) == {max(three)}
