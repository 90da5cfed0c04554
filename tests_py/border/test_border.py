"""The border between Python and Go: loading, errors, jobs, threads, fork, Ctrl-C."""

import gc
import sys
from pathlib import Path

import numpy as np
import pytest
import trnsci
from scripts import run_script
from trnsci import linalg
from trnsci._core import _native, _records

pytestmark = pytest.mark.serial

TESTHOOKS = Path(__file__).resolve().parents[2] / "build" / "testhooks"


def symmetric(n, seed=0):
    g = np.random.default_rng(seed).standard_normal((n, n))
    return g + g.T


# Loading


def test_library_is_loaded_by_the_first_call_only():
    run_script(
        """
        import sys, trnsci
        assert "trnsci._trnsci" not in sys.modules
        trnsci.eigh([[1.0]])
        assert "trnsci._trnsci" in sys.modules
        """
    )


def test_import_does_not_load_heavy_packages():
    run_script(
        """
        import sys, trnsci
        assert not {"scipy", "pyscf", "tqdm", "h5py"} & set(sys.modules)
        """
    )


@pytest.mark.parametrize("other", ["numpy", "scipy.linalg", "h5py", "pyscf.gto", "torch"])
@pytest.mark.parametrize("first", [True, False])
def test_import_order(other, first):
    pytest.importorskip(other, reason=f"{other} is not installed")
    use = "import trnsci; trnsci.eigh([[2.0, 1.0], [1.0, 2.0]])"
    # SciPy's and our results are compared, so that both libraries have really run.
    check = "import numpy; a = [[2.0, 1.0], [1.0, 2.0]]; print(numpy.linalg.eigvalsh(a) - trnsci.eigh(a)[0])"
    lines = [use, f"import {other}"] if first else [f"import {other}", use]
    out = run_script("\n".join([*lines, check]))
    assert np.abs(np.array(out.strip("[]\n").split(), float)).max() < 1e-15


def test_info_lists_what_a_bug_report_needs():
    out = run_script("import trnsci.__main__, sys; sys.exit(trnsci.__main__.main(['info']))")
    for word in ("trnsci", "numpy", "go", "cpu features", "microarchitecture", "kernels", "threads", "devices"):
        assert any(line.startswith(word) for line in out.splitlines()), word


# Errors and panics


def cholesky_of(a):
    return _records.cholesky(threads=1, a=a, factor=a, lower=True, check_finite=True)


def test_broken_record_is_an_internal_error_and_later_calls_work():
    made = cholesky_of(np.eye(2))
    made[1][4] = 99  # no such dtype
    with pytest.raises(trnsci.InternalError, match="report"):
        _native.run(made, 0)
    assert linalg.eigvalsh(np.eye(2)).tolist() == [1, 1]


def test_misaligned_address_is_an_internal_error():
    made = cholesky_of(np.eye(2))
    made[1][5] += 1
    with pytest.raises(trnsci.InternalError, match="not aligned"):
        _native.run(made, 0)


def test_a_record_that_is_none_is_an_internal_error():
    with pytest.raises(trnsci.InternalError, match="no record"):
        _native.call("Cholesky", 0, 0)


def test_unknown_job_is_an_internal_error():
    with pytest.raises(trnsci.InternalError, match="no job"):
        _native.call("JobWait", 10**15, 1)
    assert _native.call("JobEnd", 10**15) == 0


@pytest.mark.parametrize("in_worker", [False, True])
@pytest.mark.parametrize("as_job", [False, True])
def test_panics_become_internal_errors(in_worker, as_job):
    assert (TESTHOOKS / "trnsci" / "_trnsci.abi3.so").exists(), "make build/testhooks/trnsci/_trnsci.abi3.so"
    run_script(
        f"""
        import numpy as np, trnsci
        from trnsci._core import _native, _records
        for _ in range(20):
            try:
                _native.run(_records.blas("PanicOnPurpose", threads=3, solve={in_worker}), {1e12 if as_job else 0})
            except trnsci.InternalError as error:
                assert "on purpose" in str(error) and "goroutine" in str(error)
            else:
                raise AssertionError("no error")
        w, _ = trnsci.eigh(np.diag([3.0, 1.0]))
        assert w.tolist() == [1, 3]
        """,
        path=TESTHOOKS,
    )


def test_panic_export_exists_only_in_the_test_build():
    _native.call("Info")
    assert not hasattr(_native._library, "PanicOnPurpose")


def test_errors_carry_non_ascii_text(tmp_path):
    path = tmp_path / "ungültig 数.npy"
    path.write_bytes(b"not an array file")
    with pytest.raises(ValueError, match="ungültig 数"):
        trnsci.df_mp2_energy(path, [-1.0], [1.0])


# Jobs: progress, exceptions, Ctrl-C


def test_progress_counts_up_to_the_total():
    calls = []
    trnsci.eigh(
        np.stack([symmetric(5, k) for k in range(40)]), progress=lambda done, total: calls.append((done, total))
    )
    assert calls[-1][0] == calls[-1][1] > 0
    assert calls == sorted(calls)


def test_exception_in_progress_ends_the_call_and_frees_the_arrays():
    a = symmetric(400)

    class Stop(Exception):
        pass

    def stop(done, total):
        raise Stop

    with pytest.raises(Stop):
        trnsci.df_mp2_energy(np.ones((30, 60, 60)), -np.arange(1.0, 31), np.arange(1.0, 61), progress=stop)
    with pytest.raises(Stop):
        trnsci.eigh(a, progress=stop)
    gc.collect()
    assert sys.getrefcount(a) == 2


def test_progress_of_another_type_is_refused():
    with pytest.raises(TypeError, match="progress"):
        trnsci.eigh(np.eye(3), progress="yes")


def test_progress_bar_without_tqdm_warns(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.warns(UserWarning, match="tqdm"):
        w, _ = trnsci.eigh(np.eye(3), progress=True)
    assert w.tolist() == [1, 1, 1]


def test_progress_bar_with_tqdm(capsys):
    pytest.importorskip("tqdm", reason="tqdm is not installed")
    trnsci.eigh(np.stack([np.eye(3)] * 5), progress=True)
    err = capsys.readouterr().err
    assert "eigh 3: " in err and "100%" in err


SIGNALS_TOGETHER = """
import os, signal, sys, threading, time
import numpy as np, trnsci
from trnsci._core import _native

def fail(*_):
    raise TimeoutError

signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGALRM, fail)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
signal.signal(signal.SIGUSR1, fail)
g = np.random.default_rng(0).standard_normal((2500, 2500))
trnsci.eigh(np.eye(2))

def together(k):
    time.sleep(0.02 + 0.004 * k)
    for name in ("SIGTERM", "SIGINT", "SIGALRM", "SIGUSR1"):
        os.kill(os.getpid(), getattr(signal, name))

raised = 0
for k in range(25):
    a = g + g.T
    sender = threading.Thread(target=together, args=(k,))
    try:
        sender.start()
        trnsci.eigh(a)
        sender.join()
    except BaseException:
        raised += 1
    while sender.is_alive():
        try:
            sender.join()
        except BaseException:
            pass
    assert not _native._running, "a job outlived its call"
    a[:] = np.nan
    del a
assert raised == 25
assert trnsci.eigh(np.eye(2))[0].tolist() == [1, 1]
"""


def test_many_signals_at_once_do_not_leave_a_job_behind():
    run_script(SIGNALS_TOGETHER)


def test_a_batch_of_empty_matrices_ends_at_once():
    for f in (trnsci.eigh, linalg.eigvalsh, linalg.cholesky, trnsci.schur, linalg.hessenberg):
        f(np.empty((10**12, 0, 0)))


@pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space are tested on Linux")
@pytest.mark.parametrize(
    ("where", "call"),
    [
        ("at first", "trnsci.eigh(np.eye(3))"),
        ("later", "linalg.eigvalsh(np.eye(2500))"),
        ("later", "linalg.eigvalsh(np.eye(6000))"),
        (
            "later",
            "trnsci.df_mp2_energy(np.ones((20, 1000, 30), np.float32), -np.ones(20), np.ones(1000), precision='fp64')",
        ),
    ],
)
def test_too_little_address_space_is_a_memory_error(where, call):
    run_script(
        f"""
        import resource
        import numpy as np, trnsci
        from trnsci import linalg
        if {where == "later"}:
            trnsci.eigh(np.eye(200))
        argument = np.eye(6000)
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 60_000_000, resource.RLIM_INFINITY))
        try:
            {call}
        except MemoryError as error:
            assert "bytes" in str(error) or "allocate" in str(error), error
        else:
            raise AssertionError("no error")
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert trnsci.eigh(np.eye(2))[0].tolist() == [1, 1]
        """
    )
