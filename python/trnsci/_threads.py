"""How many threads a call may use."""

from __future__ import annotations

import operator
import os
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

_LIMIT = 2**31  # no machine has so many CPUs, and the Go library counts threads in 64 bits

_override: ContextVar[int | None] = ContextVar("trnsci_threads", default=None)


def _available_cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _initial() -> int:
    for variable in ("TRNSCI_NUM_THREADS", "OMP_NUM_THREADS"):
        text = os.environ.get(variable, "").split(",")[0].strip()  # OpenMP allows a list, one entry a nesting level
        if not text:
            continue
        if text.isdecimal() and 0 < int(text) < _LIMIT:
            return int(text)
        warnings.warn(f"{variable}={text!r} is not a positive integer and is ignored", stacklevel=2)
    return _available_cpus()


_default = _initial()


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
        ``TRNSCI_NUM_THREADS``, else ``OMP_NUM_THREADS``, else the CPUs that the process may run on.
    """
    return _override.get() or _default


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
    global _default
    _default = _checked(n)


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
    """Return what a ``threads=`` argument means."""
    return get_num_threads() if n is None else _checked(n)
