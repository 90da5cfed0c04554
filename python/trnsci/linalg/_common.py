"""What the solvers of `trnsci.linalg` share."""

from __future__ import annotations

import numpy as np

from .._core import _costs, _native
from .._core._array import Array
from .._core._progress import Progress, finish_nothing
from .._core._record import Call


def solve(made: Call, a: Array, per_cube: float, progress: Progress) -> int:
    """Call a solver for the matrices of `a`; there is nothing to call it for if there are none or if they are empty.

    `per_cube` is its cost for each of them, in floating-point operations per n^3; see `_costs`.
    """
    n = a.shape[-1]
    if a.size == 0:
        finish_nothing(progress, n)
        return 0
    complex_factor = _costs.COMPLEX_FACTOR if a.dtype.kind == "c" else 1
    work = a.size / (n * n) * (per_cube * complex_factor * n**3 + _costs.PER_MATRIX)
    return _native.run(made, work, progress, order=n)


def check_finite(a: Array, name: str) -> None:
    """Raise ValueError for infinities and NaNs, as the library does."""
    if not np.isfinite(a).all():
        raise ValueError(f"{name}: contains infinities or NaNs")
