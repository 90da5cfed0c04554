"""What the Go library needs for the signals of the program: handlers that are kept, and room for handlers to run."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import signal
import sys
import threading
from collections.abc import Iterator

# Enough bytes for a struct sigaction on any system; glibc's has 152.
_ROOM = 1024

# Linux: the entry of the auxiliary vector with the bytes of a signal frame, a flag of sigaltstack, what mmap returns
# where it fails, and the number of signals.
_AT_MINSIGSTKSZ, _SS_DISABLE, _MAP_FAILED, _SIGNALS = 51, 2, ctypes.c_void_p(-1).value, 64
# Determined once, since that takes longer than the time between two signals of a fast timer.
_ALL_SIGNALS = signal.valid_signals()
# Bytes for a handler beside its frame, and for a frame where the system does not tell: those of AVX-512 are smaller.
_HANDLER, _FRAME = 4096, 4096


class _SignalStack(ctypes.Structure):
    """Linux's stack_t."""

    _fields_ = [("address", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]


def make_room_for_handlers() -> None:
    """Give the main thread an alternate signal stack that holds the frames of all signals at once.

    Python's handlers run on such a stack where there is one, and Go's runtime gives one of 32 KiB to each thread that
    has none. A frame contains the registers of the processor, 12 KiB with AMX, and the frames of different signals that
    arrive together lie on top of each other: three of them would write over other memory. The system delivers signals
    of a process to its main thread as long as that does not block them.
    """
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        return
    libc = ctypes.CDLL(None)
    libc.getauxval.restype = ctypes.c_ulong
    size = _SIGNALS * (max(_FRAME, libc.getauxval(_AT_MINSIGSTKSZ)) + _HANDLER)
    present = _SignalStack()
    libc.sigaltstack(None, ctypes.byref(present))
    if present.size >= size and not present.flags & _SS_DISABLE:
        return
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    protection, flags = mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    address = libc.mmap(None, size, protection, flags, -1, 0)  # never unmapped: handlers run to the end of the process
    if address != _MAP_FAILED:
        libc.sigaltstack(ctypes.byref(_SignalStack(address, 0, size)), None)


@contextlib.contextmanager
def blocked() -> Iterator[None]:
    """Block all signals in this thread while the Go library is loaded.

    Go's runtime gives its threads the mask that this one has then, but for those of faults, SIGCHLD and SIGPROF, of
    which two fit its stacks: signals of the process go to the threads of the program.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _ALL_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


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
