"""Calls of the library from inside its own callables, signal handlers and finalizers do not hang."""

import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.serial

# Far more than any of these scripts takes; a hang must fail the test, not the whole run.
TIMEOUT = 120

BEGIN = """
import atexit, faulthandler, gc, os, signal, sys, tempfile, threading, time, warnings, weakref
import numpy as np, trnsci
from trnsci import blas, linalg
from trnsci._core import _native
faulthandler.dump_traceback_later(100, exit=True)

rng = np.random.default_rng(0)
big = rng.standard_normal((500, 500))
big = big + big.T
b = rng.standard_normal((6, 5, 7))
occ, vir = -1 - np.arange(6.0), 1 + np.arange(5.0)
single = b.astype(np.float32)
device = trnsci.Device("interp")
folder = tempfile.mkdtemp()
WANT = trnsci.df_mp2_energy(b, occ, vir).e_corr
depth, done = 0, []


class Stop(Exception):
    pass


def calls():
    "One call of each kind."
    assert trnsci.eigh(np.diag([2.0, 1.0]))[0].tolist() == [1, 2]  # a direct one
    trnsci.eigh(big)  # a job
    trnsci.eigh(np.stack([np.eye(5)] * 40), progress=lambda d, t: None)
    read = lambda first, end: b[first:end]
    assert trnsci.df_mp2_energy(read, occ, vir).e_corr == WANT
    assert trnsci.df_mp2_energy(read, occ, vir,
        checkpoint=os.path.join(folder, f"c{threading.get_ident()}")).e_corr == WANT
    trnsci.df_mp2_energy(b, occ, vir, plan=True)
    trnsci.mp2_amplitudes(b, occ, vir, out=os.path.join(folder, f"t{threading.get_ident()}.npy"))
    trnsci.schur(np.arange(9.0).reshape(3, 3), sort=lambda x, y: x > 0)
    linalg.funm(np.diag([1.0, 2.0]), np.exp)
    trnsci.devices(), trnsci.last_report(), trnsci.get_num_threads(), _native.call("Info")
    with trnsci.threads(1), trnsci.Device("interp") as other:
        blas.gemm(1, np.ones((2, 2), "f4"), np.ones((2, 2), "f4"), device=other)
        trnsci.df_mp2_energy(lambda i, j: single[i:j], occ, vir, device=other)
    try:
        linalg.cholesky(-np.eye(3))
    except trnsci.LinAlgError:
        pass
    else:
        raise AssertionError
    try:
        trnsci.eigh(big, progress=stop)
    except Stop:
        pass
    blas.gemm(1, np.ones((2, 2), "f4"), np.ones((2, 2), "f4"), device="interp")
    device.close()  # the device of the call that runs, in some places
    device.close()
    trnsci.Device("interp").close()


def stop(*_):
    raise Stop


def inner(*arguments):
    "Call everything, once, from wherever this is called."
    global depth
    if depth == 0 and not done:
        depth += 1
        calls()
        depth -= 1
        done.append(True)
    return arguments[0] if arguments else None


asked = []


def block(first, end, use=inner):
    "Integrals. The first ones are asked for before the call begins, to learn their number and dtype."
    asked.append(first)
    if len(asked) > 1:
        use()
    return single[first:end]


def on_device(B, **options):
    "Energies on the device, which may be closed before the call begins."
    try:
        return trnsci.df_mp2_energy(B, occ, vir, device=device, precision="fp32", **options)
    except trnsci.DeviceError:
        return None


def check():
    assert done, "nothing was called"
    assert trnsci.eigh(np.diag([2.0, 1.0]))[0].tolist() == [1, 2]
    assert not _native._running
    print("done")
"""

# What calls `inner`, or `block`, which does; `check` comes afterwards.
PLACES = {
    "progress": "trnsci.eigh(np.stack([np.eye(40)] * 100), progress=inner)",
    "progress of a call that is fed": "trnsci.df_mp2_energy(lambda i, j: b[i:j], occ, vir, progress=inner)",
    "progress of a call on a device": "assert on_device(single, progress=inner).e_corr < 0",
    "progress of a fed call on a device": "assert on_device(lambda i, j: single[i:j], progress=inner).e_corr < 0",
    "progress that raises": """
        def fails(*_):
            inner()
            raise Stop
        try:
            trnsci.eigh(big, progress=fails)
        except Stop:
            pass
    """,
    "function of df_mp2_energy": "trnsci.df_mp2_energy(block, occ, vir)",
    "function of both spins": "trnsci.df_mp2_energy((block, block), (occ, occ), (vir, vir))",
    "function of df_mp2_energy on a device": "assert on_device(block).e_corr < 0",
    "function of sos_mp2_energy": "trnsci.sos_mp2_energy(block, occ, vir)",
    "function of df_gmp2_energy": "trnsci.df_gmp2_energy(block, occ, vir)",
    "function of mp2_amplitudes": "trnsci.mp2_amplitudes(block, occ, vir, out=os.path.join(folder, 'out.npy'))",
    "function of mp2_rdm1": "trnsci.mp2_rdm1(block, occ, vir)",
    "function of df_kmp2_energy": """
        trnsci.df_kmp2_energy(lambda i, j: inner(b + 0j), occ[None], vir[None], np.zeros((1, 1, 1), int))
    """,
    "function of df_jk": "trnsci.df_jk(lambda p, q: inner(np.ones((q - p, 6))), np.eye(3), naux=50)",
    "function of df_transform": """
        trnsci.df_transform(lambda p, q: inner(np.ones((q - p, 6))), np.eye(3), np.eye(3), naux=50)
    """,
    "sort of schur": "trnsci.schur(big[:9, :9], sort=lambda x, y: inner(x > 0))",
    "sort of schur, complex": "trnsci.schur(big[:9, :9] + 0j, sort=lambda x: inner(x.real > 0))",
    "sort of ordqz": "linalg.ordqz(big[:9, :9], np.eye(9), sort=lambda x, y: inner(x.real > 0))",
    "func of funm": "linalg.funm(big[:9, :9], lambda w: inner(w))",
    "conversion of an argument": """
        class Like:
            def __array__(self, dtype=None, copy=None):
                return inner(np.eye(3))
        trnsci.eigh(Like(), Like())
    """,
    "path of an argument": """
        class Name:
            def __fspath__(self):
                return inner(os.path.join(folder, "run"))
        trnsci.df_mp2_energy(b, occ, vir, checkpoint=Name())
    """,
    "warning that is shown": """
        warnings.showwarning = inner
        linalg.eigh(np.eye(3), np.diag([1.0, 1.0, 0.0]), lindep=1e-6)
    """,
    "warning that raises": """
        warnings.simplefilter("error")
        try:
            linalg.eigh(np.eye(3), np.diag([1.0, 1.0, 0.0]), lindep=1e-6)
        except trnsci.LinearDependencyWarning:
            inner()
    """,
    "progress bar": """
        import types
        class tqdm:
            n = 0
            def __init__(self, **options):
                inner()
            def update(self, more):
                inner()
                self.n += more
            def refresh(self):
                inner()
            def close(self):
                inner()
        sys.modules["tqdm"], sys.modules["tqdm.auto"] = types.ModuleType("tqdm"), types.ModuleType("tqdm.auto")
        sys.modules["tqdm.auto"].tqdm = tqdm
        trnsci.eigh(np.stack([np.eye(40)] * 100), progress=True)
    """,
    "signal handler": """
        signal.signal(signal.SIGALRM, inner)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        while not done:
            trnsci.eigh(big)
    """,
    "signal handler in a fed call on a device": """
        signal.signal(signal.SIGALRM, inner)
        send = lambda: os.kill(os.getpid(), signal.SIGALRM)
        assert on_device(lambda i, j: block(i, j, send)).e_corr < 0
    """,
    "signal handlers inside of signal handlers": """
        def handler(number, frame):
            if len(nested) < 20:
                nested.append(number)
                os.kill(os.getpid(), signal.SIGALRM)
                trnsci.eigh(big[:200, :200])
        nested = []
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        while len(nested) < 20:
            trnsci.eigh(big)
        inner()
    """,
    "finalizer": """
        class Garbage:
            def __del__(self):
                inner()

        def collect():
            cycle = [Garbage()]
            cycle.append(cycle)
            del cycle
            gc.collect()

        assert on_device(lambda i, j: block(i, j, collect)).e_corr < 0
    """,
    "finalizers at any moment": """
        class Garbage:
            def __del__(self):
                trnsci.eigh(np.eye(3))
                blas.gemm(1, np.eye(2, dtype="f4"), np.eye(2, dtype="f4"), device="interp")

        gc.set_threshold(5)
        for k in range(200):
            cycle = [Garbage()]
            cycle.append(cycle)
            trnsci.eigh(np.stack([np.eye(4)] * 3), progress=lambda d, t: [None])
        inner()
    """,
    "weak reference": """
        class Thing:
            pass
        thing = Thing()
        reference = weakref.ref(thing, inner)

        def read(first, end):
            global thing
            thing = None
            return b[first:end]

        trnsci.df_mp2_energy(read, occ, vir)
    """,
    "finalizer of an operand": """
        class Own(np.ndarray):
            def __del__(self):
                inner()
        trnsci.eigh(np.eye(3).view(Own))
    """,
    "trace function": """
        def trace(frame, event, argument):
            inner()
            return trace
        sys.setprofile(lambda *_: inner())
        trnsci.eigh(big, progress=lambda d, t: None)
        sys.setprofile(None)
    """,
    "several threads": """
        def work():
            for _ in range(3):
                trnsci.df_mp2_energy(lambda i, j: (calls(), b[i:j])[1], occ, vir)
        threads = [threading.Thread(target=work) for _ in range(3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        inner()
    """,
    "another thread closes the device": """
        closer = threading.Thread(target=lambda: device.close())

        def close():
            if closer.ident is None:
                closer.start()
                inner()

        assert on_device(lambda i, j: block(i, j, close)).e_corr < 0
        closer.join()
    """,
    "context manager of the device in the call": """
        def use():
            with device:
                inner()

        assert on_device(lambda i, j: block(i, j, use)).e_corr < 0
    """,
}


def run_script(script):
    """Run a script in a fresh interpreter and return what it prints."""
    try:
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired as late:
        pytest.fail(f"hangs\n{late.stdout}\n{late.stderr}")
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("place", PLACES)
def test_calls_inside_of_a_call(place):
    assert run_script(BEGIN + textwrap.dedent(PLACES[place]) + "\ncheck()\n") == "done\n"


@pytest.mark.parametrize(
    "last",
    [
        "atexit.register(calls)",
        "weakref.finalize(device, calls)",
        "class Last:\n    def __del__(self):\n        trnsci.eigh(np.eye(3))\nkept = Last()",
        "threading.Thread(target=lambda: [trnsci.eigh(big) for _ in range(10**6)], daemon=True).start(); "
        "time.sleep(0.2)",
        "threading._register_atexit(calls)" if hasattr(__import__("threading"), "_register_atexit") else "pass",
    ],
    ids=["atexit", "finalize", "__del__", "daemon", "end of threads"],
)
def test_calls_when_the_interpreter_ends(last):
    assert run_script(f"{BEGIN}\n{last}\nprint('done', flush=True)\n") == "done\n"


@pytest.mark.parametrize("delay", [0.0002, 0.0005, 0.002, 0.005, 0.01])
def test_a_signal_handler_in_the_first_call(delay):
    """The library is loaded once, by the call or by the handler that interrupts it."""
    script = f"""
    import signal
    import numpy as np, trnsci
    seen = []

    def handler(*_):
        seen.append(trnsci.eigh(np.diag([2.0, 1.0]))[0].tolist())

    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, {delay}, {delay})
    assert trnsci.eigh(np.diag([4.0, 3.0]))[0].tolist() == [3, 4]
    while not seen:
        pass
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert all(w == [1, 2] for w in seen)
    """
    run_script(textwrap.dedent(script))


def test_the_first_call_executes_no_import():
    """An import inside of an interrupted import of the same thread raises KeyError in importlib at some moments."""
    script = """
    import sys
    import numpy as np, trnsci
    imports = []

    def profile(frame, event, _):
        if event == "call" and frame.f_code.co_name == "_find_and_load":
            imports.append(frame.f_locals["name"])

    sys.setprofile(profile)
    trnsci.eigh(np.eye(2))
    sys.setprofile(None)
    assert imports == [], imports
    sys.setprofile(profile)
    import xml.sax
    sys.setprofile(None)
    assert "xml.sax" in imports
    """
    run_script(textwrap.dedent(script))


def test_a_device_that_is_closed_by_its_own_call_is_closed_afterwards():
    script = """
    def close(done, total):
        device.close()

    want = trnsci.df_mp2_energy(single, occ, vir, device="interp")
    asked = []

    def read(first, end):
        asked.append(first)
        if len(asked) > 1:
            device.close()
        return single[first:end]

    assert trnsci.df_mp2_energy(read, occ, vir, device=device, progress=close) == want
    try:
        trnsci.df_mp2_energy(single, occ, vir, device=device)
    except trnsci.DeviceError as error:
        assert "closed" in str(error)
        print("done")
    """
    assert run_script(BEGIN + textwrap.dedent(script)) == "done\n"
