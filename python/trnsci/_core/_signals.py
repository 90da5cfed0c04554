"""Signal handlers of the program, kept while the Go library is loaded."""

from __future__ import annotations

import contextlib
import ctypes
import signal
from collections.abc import Iterator

# Enough bytes for a struct sigaction on any system; glibc's has 152.
_ROOM = 1024


@contextlib.contextmanager
def kept_handlers() -> Iterator[None]:
    """Restore the handler of SIGURG that Python code has installed and that Go's runtime replaces by its own.

    Go uses that signal to interrupt goroutines, but the library's build turns this off (gobuild.py), so it does not
    need the handler. The handler is saved and restored by sigaction, since `signal.signal` works in the main thread
    only.
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
