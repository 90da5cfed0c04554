"""Keeps the threads of NumPy's and SciPy's BLAS asleep while J and K are computed again and again.

After every product on several threads, a thread of OpenBLAS or MKL that has nothing to do spins for a tenth of a second
or more and takes the processor from whoever comes next. In a mean field that is J and K, which then take up to twice as
long.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Seconds after J and K until the BLAS gets its threads back. The next cycle of a small molecule comes before that; in
# a large one, whose other steps are worth threads, this is a negligible part of a cycle.
_HOLD = 0.25


@functools.cache
def _libraries() -> tuple[Any, ...]:
    """Return the BLAS libraries of the process, none without threadpoolctl. PySCF has loaded NumPy's and SciPy's by
    now."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return ()
    return tuple(ThreadpoolController().select(user_api="blas").lib_controllers)


def _set_threads(library: Any, number: int) -> None:
    """Set a library's number of threads from any thread: threadpoolctl 3.6 and later otherwise heed the first one that
    did."""
    forget = getattr(library, "clear_controlling_thread", lambda force: None)
    forget(force=True)
    library.set_num_threads(number)
    forget(force=True)


class _Lease:
    """The BLAS on one thread, from a first call until some time after the last of those that follow each other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls = 0  # that are running
        self._end = 0.0  # of the lease, where none is
        self._taken: list[tuple[Any, int]] = []  # libraries that had more than one thread, and how many

    @contextmanager
    def call(self) -> Iterator[None]:
        """Hold the lease inside a ``with`` block and for a while after it."""
        with self._lock:
            self._calls += 1
            if not self._taken:
                self._take()
        try:
            yield
        finally:
            with self._lock:
                self._calls -= 1
                self._end = time.monotonic() + _HOLD

    def _take(self) -> None:
        libraries = _libraries()
        self._taken = [(library, library.num_threads) for library in libraries if library.num_threads > 1]
        for library, _ in self._taken:
            _set_threads(library, 1)
        if self._taken:
            threading.Thread(target=self._watch, name="trnsci BLAS threads", daemon=True).start()

    def _watch(self) -> None:
        """Wait for the end of the lease and give the threads back."""
        while True:
            with self._lock:
                rest = _HOLD if self._calls else self._end - time.monotonic()
                if rest <= 0:
                    self.give_back()
                    return
            time.sleep(rest)

    def give_back(self) -> None:
        """Give every library the threads that it had, unless somebody has chosen another number meanwhile."""
        for library, threads in self._taken:
            if library.num_threads == 1:
                _set_threads(library, threads)
        self._taken = []


_lease = _Lease()


def _in_child() -> None:
    """Start anew in a forked process, which has no thread that would give anything back."""
    global _lease
    _lease.give_back()
    _lease = _Lease()


os.register_at_fork(after_in_child=_in_child)


@contextmanager
def quiet(threads: int) -> Iterator[None]:
    """Keep the BLAS on one thread inside a ``with`` block and a quarter of a second longer, if threadpoolctl is
    installed.

    Parameters
    ----------
    threads : int
        How many the work inside takes. Where it is one, nothing is done.
    """
    if threads == 1:
        yield
        return
    with _lease.call():
        yield
