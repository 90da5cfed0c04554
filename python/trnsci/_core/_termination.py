"""SIGTERM for commands: an exception in the place of the interpreter's sudden end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Terminated(BaseException):
    """SIGTERM came. As KeyboardInterrupt it is no Exception, so that nobody takes it for a failure and goes on."""


def _raise(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # the end has begun; a second signal must not interrupt it
    raise Terminated


@contextmanager
def terminable() -> Iterator[None]:
    """Raise `Terminated` in the block when SIGTERM comes.

    Signals are the main thread's. A handler that is there already, or a process that ignores the signal, stays as it
    is.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
