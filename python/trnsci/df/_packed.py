"""The packed three-index integrals L that the density-fitted functions read."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _native, _records
from .._core._array import Array
from .._core._errors import UnsupportedError
from .._core._files import absolute, is_path
from .._core._source import checked_naux, is_dataset, nothing, size_of_file

_Read: TypeAlias = Callable[[int, int], ArrayLike]

_FLOAT64 = np.dtype(np.float64)


class Tensor:
    """The checked L: the array `l`, or in the file `path`, or what `read` returns for rows ``p0 <= P < p1``.

    `l` has the shape and dtype then, but no elements of its own; of a file it is empty. The number of rows of a file,
    `naux`, is an estimate, good enough to steer how a call is run, unless it has to be `exact`.
    """

    def __init__(self, L: Any, pairs: int, naux: int | None, exact: bool = False) -> None:
        self.path = ""
        self.read: _Read | None = None
        if is_path(L):
            self.path = absolute(L, "L")
            self.l: Array = np.empty((0, 0))
            self.naux = size_of_file(self.path, "L") // max(1, _FLOAT64.itemsize * pairs)
            if exact:
                self.naux = int(_native.invoke(_records.tensor_rows(path=self.path)))
            return
        if is_dataset(L, "L"):
            self._require_real(np.empty(0, L.dtype), "L")
            self.l = nothing(tuple(L.shape), _FLOAT64)
            self.read = lambda p0, p1: L[p0:p1]
        elif callable(L) and not hasattr(L, "__array__"):
            if naux is None:
                raise TypeError("naux: is needed where L is a function")
            self.l = nothing((checked_naux(naux), pairs), _FLOAT64)
            self.read = L
        else:
            self.l = self._require_real(L, "L")
        if self.l.ndim != 2 or self.l.shape[1] != pairs:
            advice = "; its transpose L.T fits" if self.l.ndim == 2 and len(self.l) == pairs else ""
            raise ValueError(f"L: expected shape (naux, nao*(nao+1)/2) = (naux, {pairs}), got {self.l.shape}{advice}")
        self.naux = self.l.shape[0]
        if naux is not None and self.naux != naux:
            raise ValueError(f"naux: {naux} was given, but L has {self.naux} rows")

    @staticmethod
    def _require_real(array: Any, name: str) -> Array:
        checked, _ = _array.check(array, name)
        if checked.dtype.kind == "c":
            raise UnsupportedError(f"{name}: complex integrals ({checked.dtype}) are not supported")
        return checked

    def fields(self) -> dict[str, Any]:
        """Return what a record has of L."""
        return dict(integrals=None if self.path else self.l, path=self.path, requests=self.read is not None)

    def answer(self, _: int, p0: int, p1: int, address: int) -> None:
        """Copy the rows that the library requests."""
        assert self.read is not None
        name = f"L({p0}, {p1})"
        rows = self._require_real(self.read(p0, p1), name)
        wanted = (p1 - p0, self.l.shape[1])
        if rows.shape != wanted:
            raise ValueError(f"{name}: expected shape {wanted}, got {rows.shape}")
        rows = np.ascontiguousarray(rows, _FLOAT64)
        ctypes.memmove(address, rows.ctypes.data, rows.nbytes)
