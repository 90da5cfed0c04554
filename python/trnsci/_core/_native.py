"""The only interface to the Go library: it loads the library, calls it, and runs long calls as jobs.

The library is loaded by the first call. A child made by ``os.fork`` after that cannot use it, since Go's threads do not
survive a fork; its calls raise RuntimeError at once.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
from array import array as _words
from collections.abc import Callable
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType, SimpleNamespace
from typing import Any

try:
    import resource
except ImportError:  # not a Unix system
    resource = None  # type: ignore[assignment]

from . import _costs
from ._errors import translate
from ._progress import Progress, reporter
from ._record import Call, Words, address
from ._signals import blocked, kept_handlers, make_room_for_handlers

# How long one wait for a job may block the interpreter's signal handlers.
WAIT_MILLISECONDS = 20

# States that the library's JobWait returns.
_RUNS, _ENDED, _REQUESTS = range(3)

# gopy puts the Go package's name in front of each function.
_PREFIX = "pybind_"

# Address space that Go's runtime reserves when it starts. It ends the process if it cannot.
_START_BYTES = 3 << 29

_library: Any = None
# Whether the Go library has been loaded or is being loaded.
_begun = False
# Reentrant: a signal handler may run while its thread loads the library.
_loading = threading.RLock()
_direct_work: float | None = None

_job_ids = itertools.count(1)
# For each job that may still run, the thread that waits for it and the call, which keeps the job's memory alive even if
# a signal handler raises anywhere.
_running: dict[int, tuple[int, Call]] = {}


class _Forked:
    """Stands in for the library in a forked child."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(
            "trnsci was used before this process was forked, and the threads of its Go library do not survive a fork: "
            "start workers with the 'spawn' or 'forkserver' method (multiprocessing.get_context('spawn')), or use "
            "trnsci for the first time in the child"
        )


def _after_fork_in_child() -> None:
    global _library, _loading
    _loading = threading.RLock()  # nobody will release a lock that another thread held
    if _begun:
        _library = _Forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


def _check_address_space() -> None:
    if resource is None:
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    try:
        with open("/proc/self/statm") as statm:
            used = int(statm.read().split()[0]) * resource.getpagesize()
    except OSError:
        return  # not Linux
    if limit != resource.RLIM_INFINITY and limit - used < _START_BYTES:
        raise MemoryError(
            f"loading trnsci's Go library needs {_START_BYTES} bytes of address space; the limit (ulimit -v) leaves "
            f"{max(0, limit - used)}"
        )


def _extension() -> ModuleType:
    """Return the extension module.

    An import statement would not do: a signal handler may interrupt it and load the library, too, and an import inside
    of an import of the same thread is a KeyError in Python 3.10 to 3.12 at some moments (`_blocking_on` in importlib).
    """
    name = "trnsci._trnsci"
    spec = PathFinder.find_spec(name, sys.modules["trnsci"].__path__)
    if spec is None or spec.loader is None:
        raise ImportError(f"{name}, the Go library, is not there: trnsci is not installed completely")
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _load() -> Any:
    global _library, _begun
    # Blocked from the beginning to the end: handlers that come faster than the library is loaded would all load it,
    # each inside of the one before.
    with _loading, blocked():
        if _library is not None:
            return _library
        _check_address_space()
        _begun = True
        make_room_for_handlers()
        with kept_handlers():
            module = _extension()
        _library = SimpleNamespace(
            **{name.removeprefix(_PREFIX): f for name, f in vars(module).items() if name.startswith(_PREFIX)}
        )
        return _library


make_room_for_handlers()  # here, too: another thread may be the first to call the library


def is_loaded() -> bool:
    """Whether the Go library is loaded and can be called, that is, the process is not a forked child."""
    return _library is not None and not isinstance(_library, _Forked)


def call(name: str, *args: Any) -> Any:
    """Call a function of the Go library and raise its error as a typed exception."""
    library = _library or _load()
    try:
        return getattr(library, name)(*args)
    except RuntimeError as error:
        raise translate(error) from None


def invoke(made: Call) -> Any:
    """Call a function of the Go library that takes a record and never runs as a job."""
    name, words, _ = made
    return call(name, address(words))


def direct_work() -> float:
    """Return the largest work for which functions are called directly."""
    global _direct_work
    if _direct_work is None:
        _direct_work = _costs.DIRECT[call("Kernels")]
    return _direct_work


def run(
    made: Call,
    work: float,
    progress: Progress = None,
    *,
    always_job: bool = False,
    answer: Callable[[int, int, int, int], None] | None = None,
    order: int | None = None,
) -> int:
    """Call a solver of the Go library, as a job when it is long.

    Parameters
    ----------
    made : Call
        The result of a function of `_records`.
    work : float
        An estimate of its floating-point operations.
    progress : bool or callable or None
        As in the public functions.
    always_job : bool, optional
        Whether the call is a job regardless of its work.
    answer : callable, optional
        Answers a request of the function, which is then a job: it is called with the number of a set of integrals, the
        range of their indices and the address to write them to.
    order : int, optional
        The order of the matrices, for the label of a progress bar.

    Returns
    -------
    int
        The function's result.
    """
    if work < direct_work() and not (always_job or progress or answer):
        name, words, _ = made
        return int(call(name, 0, address(words)))
    with reporter(progress, order) as report:
        return _run_job(made, report, answer)


def _request(job: int) -> Words:
    """Return the request of a job: the set of integrals, the range of their indices, the address to write them to."""
    request = _words("q", (0, 0, 0, 0))
    call("JobRequest", job, address(request))
    return request


def is_inside_a_call() -> bool:
    """Whether this thread is inside a call: in a callable argument, a signal handler or a finalizer.

    The outer call continues only when this code returns, so this code must not wait for it.
    """
    me = threading.get_ident()
    return any(thread == me for thread, _ in list(_running.values()))


def _run_job(
    made: Call, report: Callable[[int, int], None] | None, answer: Callable[[int, int, int, int], None] | None
) -> int:
    name, words, _ = made
    job = next(_job_ids)
    try:
        _running[job] = threading.get_ident(), made
        call(name, job, address(words))
        state = _RUNS
        while state != _ENDED:
            # Signal handlers, including that of Ctrl-C, run between two waits.
            state = int(call("JobWait", job, WAIT_MILLISECONDS))
            if state == _REQUESTS and answer is not None:
                answer(*_request(job))
                call("JobAnswered", job)
            if report is not None:
                report(call("JobDone", job), call("JobTotal", job))
        return int(call("JobResult", job))
    finally:
        # JobEnd cancels the job and waits until Go no longer uses the arrays. Handlers of further signals may raise
        # here too, but the interpreter runs them after a call and not before it, so both calls are made. On Python 3.10
        # that holds only for blocks that begin with "try".
        try:
            _library.JobEnd(job)
        finally:
            try:
                _running.pop(job, None)
            finally:
                pass
