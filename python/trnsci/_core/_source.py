"""Arrays that are not in memory: code shared by functions that read files and datasets or call functions for data."""

from __future__ import annotations

import operator
import os
import stat
from typing import Any

import numpy as np

from ._array import Array

# Memory for blocks read from files and datasets.
_DEFAULT_MEGABYTES = 256.0


def nothing(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return an array of a shape and dtype that takes no memory.

    Raises
    ------
    ValueError
        If the shape has more elements than an array may have. Only `naux` can cause that.
    """
    try:
        return np.broadcast_to(dtype.type(0), shape)
    except ValueError:  # NumPy's text does not say what is too large
        raise ValueError(f"naux: shape {shape} has more elements than an array may have") from None


def checked_naux(naux: Any) -> int:
    """Return the argument `naux`, a number of auxiliary functions."""
    try:
        size = operator.index(naux)
    except TypeError:
        raise TypeError(f"naux: expected an integer, got {naux!r}") from None
    if size < 0:
        raise ValueError(f"naux: expected a number that is not negative, got {naux}")
    return size


def is_dataset(b: Any, name: str) -> bool:
    """Whether `b` is a dataset of h5py, without importing h5py. Its other objects raise TypeError."""
    if type(b).__module__.partition(".")[0] != "h5py":
        return False
    if getattr(b, "shape", None) is None or not hasattr(b, "dtype"):
        raise TypeError(f"{name}: expected a dataset of h5py with elements, such as file[name], got {type(b).__name__}")
    return True


def size_of_file(path: str, name: str) -> int:
    """Return the size of a regular file that can be read; raise the plain OSError for one that cannot be opened."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for its other end
        raise ValueError(f"{name}: {path!r} is not a regular file")
    with open(path, "rb") as file:
        return os.fstat(file.fileno()).st_size


def block_bytes(max_memory: float | None) -> int:
    """Return the argument `max_memory`, in megabytes, as a number of bytes."""
    try:
        megabytes = _DEFAULT_MEGABYTES if max_memory is None else float(max_memory)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"max_memory: expected a number of megabytes, got {max_memory!r}") from None
    if not megabytes > 0:
        raise ValueError(f"max_memory: expected a positive number of megabytes, got {max_memory!r}")
    return int(min(megabytes * 1e6, 2.0**62))
