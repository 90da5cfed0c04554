"""Memory of large results, kept for reuse.

The first write to a page of new memory costs one or two microseconds, and C libraries return large blocks to the system
as soon as they are freed, so that a result of some megabytes takes milliseconds to fill. Blocks of freed results are
kept here for results of the same size, up to `MOST_BYTES`.
"""

from __future__ import annotations

import ctypes
import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# C libraries keep smaller blocks themselves.
LEAST_BYTES = 1 << 17
# Limit for all kept blocks together, and therefore for one block.
MOST_BYTES = 1 << 26

# Blocks that no array uses, by size. Threads and finalizers may run between any two instructions, so each change is a
# single atomic operation.
_kept: dict[int, list[NDArray[Any]]] = {}


def empty(shape: Sequence[int], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return an uninitialized array, as `numpy.empty` does."""
    return allocator(shape, dtype)(shape, dtype)


def allocator(shape: Sequence[int], dtype: np.dtype[Any]) -> Callable[[Sequence[int], np.dtype[Any]], NDArray[Any]]:
    """Return the function that allocates arrays of this size."""
    return _lend if LEAST_BYTES <= math.prod(shape) * dtype.itemsize <= MOST_BYTES else np.empty


def _lend(shape: Sequence[int], dtype: np.dtype[Any]) -> NDArray[Any]:
    size = math.prod(shape) * dtype.itemsize
    block = _take(size)
    # The array and all its views refer to this object, and its finalizer returns the block. An array would not do:
    # views of it skip to its base.
    lent = (ctypes.c_char * size).from_buffer(block.data)
    weakref.finalize(lent, _give_back, block).atexit = False
    result: NDArray[Any] = np.ndarray(shape, dtype, memoryview(lent))
    return result


def _take(size: int) -> NDArray[Any]:
    try:
        return _kept[size].pop()
    except (KeyError, IndexError):
        if kept_bytes() + size > MOST_BYTES:
            _kept.clear()
        return np.empty(size, np.uint8)


def _give_back(block: NDArray[Any]) -> None:
    if kept_bytes() + block.nbytes <= MOST_BYTES:
        _kept.setdefault(block.nbytes, []).append(block)


def release() -> None:
    """Free all memory that no array uses."""
    _kept.clear()


def kept_bytes() -> int:
    """Return the number of bytes kept for later results."""
    return sum(size * len(blocks) for size, blocks in list(_kept.items()))
