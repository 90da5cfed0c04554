"""The function `release_memory`."""

from __future__ import annotations

from . import _memory, _native


def release_memory() -> None:
    """Give memory that is kept for later calls back to the system.

    Between calls trnsci keeps up to 64 MiB of freed results, and workspace of the library, since touching new pages
    takes time. The workspace goes by itself within some minutes; this function frees both at once. Arrays that exist
    and open devices stay as they are. Later calls work as before, the next of a kind a little slower.

    Returns
    -------
    None

    Notes
    -----
    It takes some milliseconds. Calls that run in other threads meanwhile keep what they use.

    Examples
    --------
    >>> import trnsci
    >>> trnsci.release_memory()
    """
    _memory.release()
    if _native.is_loaded():
        _native.call("ReleaseMemory")
