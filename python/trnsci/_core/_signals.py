"""The handlers of signals that the program has installed, when the Go library is loaded."""

from __future__ import annotations

import contextlib
import ctypes
import signal
from collections.abc import Iterator

# Bytes that hold a struct sigaction on any system; glibc's has 152.
_ROOM = 1024


@contextlib.contextmanager
def kept_handlers() -> Iterator[None]:
    """Keep the handler of SIGURG that Python code has installed, in whose place Go's runtime puts its own.

    Go interrupts its goroutines by that signal, which the library's build turns off (gobuild.py): it can do without.
    What is kept is the handler as the system knows it, since `signal.signal` is for the main thread only.
    """
    number = getattr(signal, "SIGURG", None)
    if number is None or not callable(signal.getsignal(number)):
        yield
        return
    sigaction = ctypes.CDLL(None).sigaction
    handler = ctypes.create_string_buffer(_ROOM)
    sigaction(int(number), None, handler)
    try:
        yield
    finally:
        sigaction(int(number), handler, None)
