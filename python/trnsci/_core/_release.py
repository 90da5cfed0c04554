"""The function `release_memory`."""

from __future__ import annotations

from . import _memory, _native


def release_memory() -> None:
    """Free the memory that is kept for later calls.

    Between calls trnsci keeps up to 64 MiB of freed results and up to 1 GiB of workspace, since the first write to new
    pages takes time. Workspace is also freed when no call has used it for some minutes; this function frees both at
    once. Existing arrays and open devices are not affected. Later calls work as before; the next one of each kind is a
    little slower.

    Returns
    -------
    None

    Notes
    -----
    It takes some milliseconds. Calls that run in other threads keep the memory they use.

    Examples
    --------
    >>> import trnsci
    >>> trnsci.release_memory()
    """
    _memory.release()
    if _native.is_loaded():
        _native.call("ReleaseMemory")
