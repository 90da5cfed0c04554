"""What the solvers of `trnsci.linalg` share."""

from __future__ import annotations

import numpy as np

from .._core import _array, _costs, _native, _operands
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


def adjoint_product(a: Array, b: Array, threads: int | None) -> Array:
    """Return ``a.conj().swapaxes(-1, -2) @ b`` for stacks of one dtype with the same leading dimensions."""
    *lead, k, m = a.shape
    n = b.shape[-1]
    product = _array.empty((*lead, m, n), a.dtype, "a product")
    stored, flag = _operands.by_rows(a, _operands.CONJ_TRANS, "a")
    _operands.invoke_product(
        "Gemm", 2.0 * m * n * k, threads, a=stored, b=_operands.stored_by_rows(b, "b"), c=product,
        trans_a=flag, trans_b=_operands.NO_TRANS, alpha=1.0, beta=0.0,
    )  # fmt: skip
    return product
