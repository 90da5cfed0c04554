"""What the solvers of `trnsci.linalg` share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _array, _native, _threads
from .._array import Array
from .._progress import Progress, finish_nothing

# What a matrix of any order costs besides, which decides for stacks of many small ones; the slowest are logarithms.
WORK_PER_MATRIX = 1e5


def solve(
    name: str,
    a: Array,
    per_cube: float,
    threads: int | None,
    progress: Progress,
    arrays: tuple[object, ...],
    *args: Any,
) -> int:
    """Call a solver for the matrices of `a`; there is nothing to call it for if there are none or if they are empty."""
    size = _threads.resolve(threads)
    n = a.shape[-1]
    if a.size == 0:
        finish_nothing(progress, n)
        return 0
    complex_factor = 4 if a.dtype.kind == "c" else 1
    work = a.size / (n * n) * (per_cube * complex_factor * n**3 + WORK_PER_MATRIX)
    return _native.run(name, work, size, progress, (a, *arrays), *args, order=n)


def may_overwrite(asked: bool, given: ArrayLike, checked: Array, *read: Array) -> bool:
    """Whether the memory of `checked` may be scratch: the caller allows it, or it is a copy that only we know.

    The arrays `read` are those that the call reads besides; memory that these share is no scratch.
    """
    if checked is not given and not np.may_share_memory(checked, np.asarray(given)):
        return checked.flags.forc
    if not asked or not checked.flags.forc or any(np.may_share_memory(checked, a) for a in read):
        return False
    return _array.is_writable(checked)


def cast_to(result: Array, dtype: np.dtype[Any] | None) -> Array:
    return result if dtype is None else result.astype(dtype)
