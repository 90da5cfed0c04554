"""Arrays that are not in memory: what the functions share that read files and datasets, or ask functions."""

from __future__ import annotations

import os
import stat
from typing import Any

import numpy as np

from ._array import Array


def hex_path(path: str) -> str:
    """Return the bytes of a file name as digits: they need not be text, which is all that the border passes."""
    return os.fsencode(path).hex()


def nothing(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return an array of a shape and dtype that takes no memory."""
    return np.broadcast_to(dtype.type(0), shape)


def is_dataset(b: Any) -> bool:
    """Whether `b` is an HDF5 dataset of h5py, which is not imported for it."""
    return type(b).__module__.partition(".")[0] == "h5py" and hasattr(b, "shape") and hasattr(b, "dtype")


def size_of_file(path: str, name: str) -> int:
    """Return the size of a regular file that can be read; raise the plain OSError for one that cannot be opened."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for its other end
        raise ValueError(f"{name}: {path!r} is not a regular file")
    with open(path, "rb") as file:
        return os.fstat(file.fileno()).st_size
