"""Signals, processors and Go's runtime: what the program has set up stays unchanged."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.serial

# Far more than any of these scripts takes.
TIMEOUT = 120
LONG = "a = np.random.default_rng(0).standard_normal((700, 700)); a = a + a.T"


def run_script(script, *options, status=0):
    """Run a script in a fresh interpreter and return what it prints."""
    done = subprocess.run(
        [sys.executable, *options, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=TIMEOUT
    )
    assert done.returncode == status, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


FIRST_CALL = {"main thread": "trnsci.eigh(np.eye(2))", "other thread": "in_thread(lambda: trnsci.eigh(np.eye(2)))"}


@pytest.mark.skipif(not hasattr(signal, "SIGURG"), reason="this system has no SIGURG")
@pytest.mark.parametrize("first", FIRST_CALL)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_handler_of_sigurg(when, first):
    """It runs for each signal that somebody sends, and for none of Go's own."""
    out = run_script(
        f"""
        import os, signal, threading, time
        import numpy as np, trnsci
        {LONG}
        seen = []
        install = lambda: signal.signal(signal.SIGURG, lambda *_: seen.append(1))

        def in_thread(f):
            t = threading.Thread(target=f)
            t.start()
            t.join()

        if {when == "before"}:
            install()
        {FIRST_CALL[first]}
        if {when == "after"}:
            install()
        for k in range(3):
            os.kill(os.getpid(), signal.SIGURG)
            time.sleep(0)
            while len(seen) <= k:
                pass
        assert len(seen) == 3, seen
        want = trnsci.eigh(a, threads=1)[0]
        for threads in (1, 2, 4):
            assert np.array_equal(trnsci.eigh(a, threads=threads)[0], want)
        trnsci.schur(a[:300, :300])
        trnsci.eigh(np.stack([a[:60, :60]] * 400))
        print(len(seen))
        """
    )
    assert out.split() == ["3"]


@pytest.mark.skipif(not hasattr(signal, "SIGURG"), reason="this system has no SIGURG")
@pytest.mark.parametrize("handler", ["signal.SIG_DFL", "signal.SIG_IGN"])
def test_sigurg_that_nobody_handles(handler):
    run_script(
        f"""
        import os, signal
        import numpy as np, trnsci
        signal.signal(signal.SIGURG, {handler})
        trnsci.eigh(np.eye(2))
        os.kill(os.getpid(), signal.SIGURG)
        assert trnsci.eigh(np.diag([2.0, 1.0]))[0].tolist() == [1, 2]
        """
    )


# Signals that Go's runtime leaves alone in a library.
LEFT_ALONE = (
    "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGCHLD", "SIGWINCH",
    "SIGPROF",
)  # fmt: skip


@pytest.mark.parametrize("when", ["before", "after"])
def test_handlers_of_other_signals(when):
    names = [name for name in LEFT_ALONE if hasattr(signal, name)]
    run_script(
        f"""
        import os, signal, threading, time
        import numpy as np, trnsci
        {LONG}
        numbers = [getattr(signal, name) for name in {names}]
        seen = set()

        def install():
            for number in numbers:
                signal.signal(number, lambda number, frame: seen.add(number))

        if {when == "before"}:
            install()
        trnsci.eigh(np.eye(2))
        if {when == "after"}:
            install()

        def send():
            for number in numbers:
                os.kill(os.getpid(), number)

        sender = threading.Thread(target=send)
        sender.start()
        trnsci.eigh(a)
        sender.join()
        until = time.monotonic() + 60
        while seen != set(numbers) and time.monotonic() < until:
            pass
        assert seen == set(numbers), set(numbers) - seen
        """
    )


@pytest.mark.skipif(sys.platform != "linux", reason="sigaltstack as Linux has it")
@pytest.mark.parametrize("first", ["main thread", "other thread", "faulthandler"])
def test_frames_of_all_signals_fit_the_signal_stack(first):
    """Signals of different numbers that arrive together nest; with AMX a frame takes 12 KiB."""
    run_script(
        f"""
        import ctypes, faulthandler, threading
        import numpy as np
        if {first == "faulthandler"}:
            faulthandler.enable()
        import trnsci
        call = lambda: trnsci.eigh(np.eye(2))
        if {first == "other thread"}:
            thread = threading.Thread(target=call)
            thread.start()
            thread.join()
        call()

        class Stack(ctypes.Structure):
            _fields_ = [("address", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]

        libc, stack = ctypes.CDLL(None), Stack()
        libc.sigaltstack(None, ctypes.byref(stack))
        libc.getauxval.restype = ctypes.c_ulong
        assert stack.flags == 0 and stack.size >= 64 * libc.getauxval(51), (stack.flags, stack.size)
        """
    )


@pytest.mark.skipif(sys.platform != "linux", reason="/proc as Linux has it")
def test_threads_of_the_library_block_signals():
    run_script(
        """
        import os, signal, threading
        before = set(os.listdir("/proc/self/task"))
        import numpy as np, trnsci
        before |= set(os.listdir("/proc/self/task"))  # those of NumPy
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
        trnsci.eigh(np.eye(2))
        assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == mask
        ours = set(os.listdir("/proc/self/task")) - before
        assert ours
        for thread in ours:
            with open(f"/proc/self/task/{thread}/status") as status:
                blocked = next(int(line.split()[1], 16) for line in status if line.startswith("SigBlk"))
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGALRM):
                assert blocked >> (number - 1) & 1, (number, hex(blocked))
        """
    )


def test_system_calls_of_python_go_on_after_signals():
    """No signal of Go's runtime ends a wait of another thread early."""
    run_script(
        f"""
        import os, signal, threading
        import numpy as np, trnsci
        {LONG}
        signal.signal(signal.SIGURG, lambda *_: None)
        read, write = os.pipe()
        got = []
        reader = threading.Thread(target=lambda: got.append(os.read(read, 1)))
        reader.start()
        for _ in range(3):
            trnsci.eigh(a)
        os.write(write, b"x")
        reader.join()
        assert got == [b"x"]
        """
    )


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="threads are bound to processors on Linux only")
def test_threads_stay_on_the_processors_they_are_bound_to():
    """Threads are bound from outside while calls start workers, and are still bound afterwards."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("there is one processor only")
    run_script(
        """
        import os, threading, time
        import numpy as np, trnsci
        rng = np.random.default_rng(0)
        a = rng.standard_normal((200, 200))
        a = a + a.T
        everywhere = os.sched_getaffinity(0)
        one = {min(everywhere)}

        def threads():
            return [int(name) for name in os.listdir("/proc/self/task")]

        def bind(where):
            # Threads that are made meanwhile have the processors of the thread that makes them.
            while any(os.sched_getaffinity(thread) != where for thread in threads()):
                for thread in threads():
                    os.sched_setaffinity(thread, where)

        end = False
        def work():
            while not end:
                trnsci.eigh(a, threads=2)
                time.sleep(0.001)  # workers have ended and are started anew

        workers = [threading.Thread(target=work) for _ in range(2)]
        for w in workers:
            w.start()
        loose = 0
        for _ in range(300):
            bind(one)
            time.sleep(0.002)
            loose += any(os.sched_getaffinity(thread) != one for thread in threads())
            bind(everywhere)
            time.sleep(0.001)
        end = True
        for w in workers:
            w.join()
        assert loose == 0, loose
        """
    )


# Python's own way to find crashes


BROKEN = """
import numpy as np
import trnsci
from trnsci._core import _native

def broken():
    # A record that is not there, which only a bug of the package would hand over.
    try:
        _native.call("Cholesky", 0, 8)
    except trnsci.InternalError as error:
        return "nil pointer" in str(error)
"""


def test_a_bug_is_caught_where_faulthandler_is_enabled_first():
    assert run_script(BROKEN + "print(broken(), broken())") == "True True\n"
    assert run_script(BROKEN + "print(broken(), broken())", "-X", "faulthandler") == "True True\n"
    early = "import faulthandler; faulthandler.enable()\n"
    assert (
        run_script(early + BROKEN + "print(broken())\n" + LONG + "\nprint(trnsci.eigh(a)[0].shape)") == "True\n(700,)\n"
    )


def test_faulthandler_that_is_enabled_later_takes_over():
    """A crash is then reported by it and ends the process; calls without bugs are as ever."""
    late = BROKEN + "import faulthandler; trnsci.eigh(np.eye(2)); faulthandler.enable()\n"
    assert run_script(late + "print(trnsci.eigh(np.diag([2.0, 1.0]))[0].tolist())") == "[1.0, 2.0]\n"
    done = subprocess.run([sys.executable, "-c", late + "broken()"], capture_output=True, text=True, timeout=TIMEOUT)
    assert done.returncode != 0
    assert "Segmentation fault" in done.stderr or "SIGSEGV" in done.stderr


def test_pytest_enables_faulthandler_before_the_first_call(tmp_path):
    (tmp_path / "test_bug.py").write_text(BROKEN + "\n\ndef test_bug():\n    assert broken()\n")
    options = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", tmp_path]
    command = [sys.executable, "-m", "pytest", *options, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, cwd=tmp_path)
    assert "1 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="how a process ends by a cut file is tested on Linux")
def test_a_mapped_file_that_is_cut_ends_the_process(tmp_path):
    """As the page of limits says: it is the same for NumPy."""
    script = f"""
    import os
    import numpy as np, trnsci
    path = {str(tmp_path / "a.bin")!r}
    np.eye(400).tofile(path)
    a = np.memmap(path, float, "r", shape=(400, 400))
    trnsci.eigh(np.eye(2))
    os.truncate(path, 0)
    {{use}}
    """
    for use in ("trnsci.eigh(a)", "a.sum()"):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script.format(use=use))],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        assert done.returncode != 0


@pytest.mark.skipif(not hasattr(signal, "SIGURG"), reason="this system has no SIGURG")
def test_a_handler_of_sigurg_when_many_threads_make_the_first_call():
    run_script(
        """
        import os, signal, sys, threading
        import numpy as np, trnsci
        sys.setswitchinterval(1e-6)
        seen = []
        signal.signal(signal.SIGURG, lambda *_: seen.append(1))
        begin = threading.Barrier(8)

        def work():
            begin.wait()
            assert trnsci.eigh(np.diag([2.0, 1.0]))[0].tolist() == [1, 2]

        threads = [threading.Thread(target=work) for _ in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        os.kill(os.getpid(), signal.SIGURG)
        while not seen:
            pass
        """
    )
