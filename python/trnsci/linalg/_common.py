"""What the solvers of `trnsci.linalg` share."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .._core import _array, _costs, _native, _operands
from .._core._array import Array
from .._core._progress import Progress, finish_nothing
from .._core._record import Call

# Subset kinds of the Go library.
ALL, BY_INDEX, BY_VALUE = 0, 1, 2

# As SciPy: words of any case and numbers.
_SELECT = {"a": "a", "v": "v", "i": "i", "all": "a", "value": "v", "index": "i", 0: "a", 1: "v", 2: "i"}


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


class Subset:
    """Which eigenvalues are wanted, checked against the order of the matrix."""

    __slots__ = ("above", "high", "kind", "low", "most", "up_to")

    def __init__(self, n: int, ndim: int, by_index: Any, by_value: Any) -> None:
        self.kind, self.low, self.high, self.above, self.up_to, self.most = ALL, 0, 0, 0.0, 0.0, n
        if by_index is None and by_value is None:
            return
        if by_index is not None and by_value is not None:
            raise ValueError("subset_by_index: give either subset_by_index or subset_by_value, not both")
        if by_index is not None:
            self._set_indices(n, by_index)
        else:
            self._set_values(ndim, by_value)

    def fields(self) -> dict[str, Any]:
        """Return what a record has of the subset."""
        return dict(kind=self.kind, first=self.low, last=self.high, above=self.above, up_to=self.up_to)

    def _set_indices(self, n: int, by_index: Any) -> None:
        try:
            low, high = (operator.index(x) for x in by_index)
        except (TypeError, ValueError):
            raise ValueError(f"subset_by_index: expected two integers, got {by_index!r}") from None
        if not 0 <= low <= high < n:
            raise ValueError(f"subset_by_index: {[low, high]} is not within 0 <= first <= last < {n}")
        self.kind, self.low, self.high, self.most = BY_INDEX, low, high, high - low + 1

    def _set_values(self, ndim: int, by_value: Any) -> None:
        if ndim > 2:
            raise ValueError("subset_by_value: not possible for a stack of matrices, whose counts may differ")
        try:
            above, up_to = (float(x) for x in by_value)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"subset_by_value: expected two numbers, got {by_value!r}") from None
        if not above < up_to:
            raise ValueError(f"subset_by_value: {[above, up_to]} is not an interval (low, high] with low < high")
        self.kind, self.above, self.up_to = BY_VALUE, above, up_to


def selected(n: int, batch: int, select: Any, select_range: Any) -> Subset:
    """Return the subset that SciPy's arguments select, for matrices of order n in stacks with `batch` dimensions."""
    try:
        kind = _SELECT[select.lower() if isinstance(select, str) else select]
    except (KeyError, TypeError):
        raise ValueError(f"select: {select!r} is not one of 'a', 'v', 'i'") from None
    if kind == "a":
        return Subset(n, 2, None, None)
    as_number = operator.index if kind == "i" else float
    try:
        low, high = (as_number(x) for x in select_range)
    except (TypeError, ValueError, OverflowError):
        what = "integers" if kind == "i" else "numbers"
        raise ValueError(f"select_range: expected two {what} for select={select!r}, got {select_range!r}") from None
    if kind == "i":
        if not 0 <= low <= high < n:
            raise ValueError(f"select_range: {[low, high]} is not within 0 <= first <= last < {n}")
        return Subset(n, 2, (low, high), None)
    if batch:
        raise ValueError("select: a range of values is not possible for a stack of matrices, whose counts may differ")
    if not low < high:
        raise ValueError(f"select_range: {[low, high]} is not an interval (low, high] with low < high")
    return Subset(n, 2, None, (low, high))
