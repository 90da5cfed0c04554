"""Numbers of threads, calls from many threads, and processes that fork."""

import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
import trnsci
from scripts import TIMEOUT, run_script
from trnsci._core import _native, _records, _threads

pytestmark = pytest.mark.serial


def symmetric(n, seed=0):
    g = np.random.default_rng(seed).standard_normal((n, n))
    return g + g.T


def test_thread_settings():
    before = trnsci.get_num_threads()
    try:
        trnsci.set_num_threads(3)
        assert trnsci.get_num_threads() == 3
        with trnsci.threads(1):
            assert trnsci.get_num_threads() == 1
            with trnsci.threads(2):
                assert trnsci.get_num_threads() == 2
            seen = []
            other = threading.Thread(target=lambda: seen.append(trnsci.get_num_threads()))
            other.start()
            other.join()
            assert seen == [3]  # the block is local to its thread
        assert trnsci.get_num_threads() == 3
    finally:
        trnsci.set_num_threads(before)


@pytest.mark.parametrize(
    ("value", "error"), [(0, ValueError), (-1, ValueError), (2**40, ValueError), (1.5, TypeError), ("2", TypeError)]
)
def test_bad_thread_counts(value, error):
    for use in (
        trnsci.set_num_threads,
        lambda n: trnsci.eigh(np.eye(2), threads=n),
        lambda n: trnsci.threads(n).__enter__(),
    ):
        with pytest.raises(error, match="threads"):
            use(value)


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"TRNSCI_NUM_THREADS": "3", "OMP_NUM_THREADS": "5"}, 3),
        ({"TRNSCI_NUM_THREADS": "", "OMP_NUM_THREADS": "5,2"}, 5),
        ({"TRNSCI_NUM_THREADS": "", "OMP_NUM_THREADS": ""}, _threads._usable_cpus(len(os.sched_getaffinity(0)))[0]),
        ({"TRNSCI_NUM_THREADS": "many", "OMP_NUM_THREADS": "4"}, 4),
    ],
)
def test_initial_number_of_threads(env, expected):
    out = run_script("import trnsci; print(trnsci.get_num_threads())", env=dict(env, PYTHONWARNINGS="ignore"))
    assert int(out) == expected


def test_concurrent_calls_from_many_python_threads():
    matrices = [symmetric(40 + k, k) for k in range(8)]
    expected = [trnsci.eigh(a) for a in matrices]
    failures = []

    def work(k):
        for _ in range(10):
            w, v = trnsci.eigh(matrices[k])
            if not (np.array_equal(w, expected[k][0]) and np.array_equal(v, expected[k][1])):
                failures.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(matrices))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []


def test_the_interpreter_runs_during_a_call():
    a, h = np.random.default_rng(0).standard_normal((700, 700)), np.empty((700, 700))
    made = _records.hessenberg(threads=1, a=a, h=h, check_finite=True, overwrite=False)
    done = threading.Event()

    def work():
        _native.run(made, 0)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    ticks = 0
    while not done.is_set():
        ticks += 1
    thread.join()
    assert ticks > 1000  # with the lock held it would be one or two


def test_more_threads_than_any_machine_has():
    assert trnsci.eigh(np.eye(2), threads=2**31 - 1)[0].tolist() == [1, 1]
    assert trnsci.df_mp2_energy(np.ones((1, 1, 1)), [-1.0], [1.0], threads=2**31 - 1).e_corr == -0.25


# Fork

FORK_AFTER_USE = """
import os, sys, gc
import numpy as np, trnsci
trnsci.eigh(np.eye(3))
pid = os.fork()
if pid == 0:
    gc.collect()
    try:
        trnsci.eigh(np.eye(3))
    except RuntimeError as error:
        os._exit(0 if "spawn" in str(error) and "forkserver" in str(error) else 2)
    os._exit(1)
_, status = os.waitpid(pid, 0)
assert os.waitstatus_to_exitcode(status) == 0
assert trnsci.eigh(np.eye(3))[0].tolist() == [1, 1, 1]
"""

FORK_BEFORE_USE = """
import os
import numpy as np, trnsci
pid = os.fork()
w = trnsci.eigh(np.diag([2.0, 1.0]))[0].tolist()
if pid == 0:
    os._exit(0 if w == [1, 2] else 1)
_, status = os.waitpid(pid, 0)
assert os.waitstatus_to_exitcode(status) == 0 and w == [1, 2]
"""


@pytest.mark.parametrize("script", [FORK_AFTER_USE, FORK_BEFORE_USE], ids=["after use", "before use"])
def test_fork(script):
    run_script(script, env={"PYTHONWARNINGS": "ignore::DeprecationWarning"})


def test_fork_inside_another_thread_is_guarded_too():
    beside = "import threading; threading.Thread(target=gc.collect).start()\n"
    script = FORK_AFTER_USE.replace("pid = os.fork()", beside + "pid = os.fork()")
    run_script(script, env={"PYTHONWARNINGS": "ignore::DeprecationWarning"})


def test_spawned_workers_can_use_the_library(tmp_path):
    script = tmp_path / "pool.py"
    script.write_text(
        textwrap.dedent(
            """
            import multiprocessing
            import numpy as np, trnsci

            def smallest(n):
                return float(trnsci.eigh(np.diag(np.arange(n, 0.0, -1)))[0][0])

            if __name__ == "__main__":
                trnsci.eigh(np.eye(2))
                with multiprocessing.get_context("spawn").Pool(2) as pool:
                    assert pool.map(smallest, [3, 4, 5]) == [1, 1, 1]
            """
        )
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode == 0, done.stderr
