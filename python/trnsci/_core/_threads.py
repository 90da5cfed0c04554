"""The number of threads that a call may use."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from pathlib import Path

from . import _cgroup
from ._caller import warn

_LIMIT = 2**31  # no machine has that many CPUs, and the Go library counts threads in 64 bits
_DIGITS = len(str(_LIMIT))  # longest number that is parsed: int() refuses texts with thousands of digits

_override: ContextVar[int | None] = ContextVar("trnsci_threads", default=None)


# Where the number of threads comes from, apart from environment variables.
_AFFINITY = "CPUs the process may run on"
_QUOTA = "CPU quota of the control group"
_SET = "set_num_threads"
_BLOCK = "threads()"


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _usable_cpus(affinity: int, root: str | Path = "/") -> tuple[int, str]:
    """Return the number of CPUs that the process can use, and the limit that determines it."""
    quota = _cgroup.cpu_quota(root)
    if quota is not None and _cgroup.whole_cpus(quota) < affinity:
        return _cgroup.whole_cpus(quota), _QUOTA
    return affinity, _AFFINITY


def _initial() -> tuple[int, str]:
    for variable in ("TRNSCI_NUM_THREADS", "OMP_NUM_THREADS"):
        text = os.environ.get(variable, "").split(",")[0].strip()  # OpenMP allows a list, one entry a nesting level
        if not text:
            continue
        if text.isdecimal() and len(text) <= _DIGITS and 0 < int(text) < _LIMIT:
            return int(text), variable
        warn(f"{variable}={text!r} is not a positive integer and is ignored", UserWarning)
    return _usable_cpus(_affinity())


_default, _source = _initial()


def _checked(n: int) -> int:
    try:
        n = operator.index(n)
    except TypeError:
        raise TypeError(f"threads: expected an integer, got {type(n).__name__}") from None
    if not 0 < n < _LIMIT:
        raise ValueError(f"threads: expected a positive number of threads, got {n}")
    return n


def get_num_threads() -> int:
    """Return the number of threads that a call made here may use.

    Returns
    -------
    int
        The number set by the innermost `threads` block, else by `set_num_threads`, else the initial one:
        ``TRNSCI_NUM_THREADS``, else ``OMP_NUM_THREADS``, else the CPUs that the process may run on, or those that the
        CPU quota of its control groups amounts to, rounded up, if these are fewer. Both are read when trnsci is
        imported.

    Notes
    -----
    More threads than usable CPUs have no effect: Go's scheduler runs no more than that at a time, but at least 2 under
    a quota. ``docs/threads.md`` is about clusters and containers.
    """
    return _override.get() or _default


def source() -> str:
    """Return the source of the number of threads: an environment variable, a limit, or a function."""
    return _BLOCK if _override.get() else _source


def set_num_threads(n: int) -> None:
    """Set the number of threads for the whole process.

    Parameters
    ----------
    n : int
        At least 1. Results do not depend on it, bit for bit.

    Raises
    ------
    ValueError, TypeError
        If `n` is not a positive integer.
    """
    global _default, _source
    _default, _source = _checked(n), _SET


def threads(n: int) -> AbstractContextManager[None]:
    """Limit the number of threads inside a ``with`` block, for this thread of execution or asynchronous task only.

    Parameters
    ----------
    n : int
        At least 1.

    Examples
    --------
    >>> import trnsci
    >>> with trnsci.threads(1):
    ...     trnsci.get_num_threads()
    1
    """
    return _limited(_checked(n))


@contextmanager
def _limited(n: int) -> Iterator[None]:
    token = _override.set(n)
    try:
        yield
    finally:
        _override.reset(token)


def resolve(n: int | None) -> int:
    """Return the number of threads that a ``threads=`` argument means."""
    return get_num_threads() if n is None else _checked(n)
