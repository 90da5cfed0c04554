"""The one door to the Go library: loading it, calling it, and running long calls as jobs.

The library is loaded by the first call. A child made by ``os.fork`` after that cannot use it, since Go's threads do not
survive a fork; calls there raise RuntimeError at once.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ._errors import translate
from ._progress import Progress, reporter

# A job costs about 30 microseconds, a direct call cannot be interrupted. Work above this many floating-point operations
# (some milliseconds) runs as a job.
JOB_WORK = 5e6

# How long one wait for a job may block the interpreter's signal handlers.
_WAIT_MILLISECONDS = 20

# gopy puts the Go package's name in front of each function.
_PREFIX = "pybind_"

_library: Any = None


class _Forked:
    """Stands in for the library in a forked child."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(
            "trnsci was used before this process was forked, and the threads of its Go library do not survive a fork: "
            "start workers with the 'spawn' or 'forkserver' method (multiprocessing.get_context('spawn')), or use "
            "trnsci for the first time in the child"
        )


def _after_fork_in_child() -> None:
    global _library
    if _library is not None:
        _library = _Forked()


def _load() -> Any:
    global _library
    module = importlib.import_module("trnsci._trnsci")
    _library = SimpleNamespace(
        **{name.removeprefix(_PREFIX): f for name, f in vars(module).items() if name.startswith(_PREFIX)}
    )
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_after_fork_in_child)
    return _library


def call(name: str, *args: Any) -> Any:
    """Call a function of the Go library and raise its error as a typed exception."""
    library = _library or _load()
    try:
        return getattr(library, name)(*args)
    except RuntimeError as error:
        raise translate(error) from None


def run(name: str, work: float, threads: int, progress: Progress, *args: Any) -> int:
    """Call a solver of the Go library, as a job when it is long.

    Parameters
    ----------
    name : str
        The function; its first two parameters are a job id and the number of threads.
    work : float
        An estimate of its floating-point operations.
    threads : int
        The number of threads it may use.
    progress : bool or callable or None
        As in the public functions.
    *args
        The rest of its arguments. The caller keeps the arrays behind them alive until this function returns.

    Returns
    -------
    int
        What the function returned.
    """
    if work < JOB_WORK and not progress:
        return int(call(name, 0, threads, *args))
    with reporter(progress) as report:
        return _run_job(name, threads, report, *args)


def _run_job(name: str, threads: int, report: Callable[[int, int], None] | None, *args: Any) -> int:
    job = call("JobNew")
    try:
        call(name, job, threads, *args)
        ended = False
        while not ended:
            # Signal handlers, Ctrl-C among them, run between two waits.
            ended = bool(call("JobWait", job, _WAIT_MILLISECONDS))
            if report is not None:
                report(call("JobDone", job), call("JobTotal", job))
        return int(call("JobResult", job))
    finally:
        _end(job)


def _end(job: int) -> None:
    """Cancel the job and wait until Go has let go of every array, even if Ctrl-C is pressed again."""
    interrupt = None
    ended = False
    while not ended:
        try:
            call("JobEnd", job)
            ended = True
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt
