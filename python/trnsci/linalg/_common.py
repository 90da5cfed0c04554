"""What the solvers of `trnsci.linalg` share."""

from __future__ import annotations

from typing import Any

from .._core import _native, _threads
from .._core._array import Array
from .._core._progress import Progress, finish_nothing

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
