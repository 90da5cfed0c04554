"""The short way to the library for one small matrix.

To settle dtypes and layouts of any array-like, to describe arrays and to find out how to run a call takes longer than
to compute with a matrix of order 8. For a plain one the address of the array object is all that crosses the border, and
the library looks up the address of its elements there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _array, _native
from ._array import Array

# Orders from which on the long way costs little beside the computation.
_LARGEST_ORDER = 32

_CODES = {code: number for number, code in enumerate("fdFD")}
_ndarray = np.ndarray
_possible: bool | None = None


def is_possible() -> bool:
    """Whether the library finds the elements of arrays: it is asked once, with an array whose address is known."""
    global _possible
    if _possible is None:
        probe = np.empty(1)
        _possible = bool(_native.call("ReadsArrays", id(probe), _array.data_address(probe)))
    return _possible


def order(a: Any) -> int:
    """Return the order of `a` if it is a plain small matrix, otherwise 0.

    That is a square, aligned array of a computing dtype in C order, and no instance of a subclass.
    """
    if type(a) is not _ndarray or a.ndim != 2:
        return 0
    n, columns = a.shape
    if n != columns or n > _LARGEST_ORDER or a.dtype.char not in _CODES or not a.dtype.isnative or not is_plain(a):
        return 0
    return n if is_possible() else 0


def is_plain(a: Array) -> bool:
    """Whether `a` is aligned and in C order. Flags on writing are not read: that may be a warning."""
    flags = a.flags
    return flags.c_contiguous and flags.aligned


def eigh(a: Any, n: int, lower: bool, values_only: bool, check_finite: bool) -> tuple[Array, Array | None]:
    """Eigenvalues and eigenvectors of a plain small matrix of order n, as of `trnsci.eigh`."""
    dtype = a.dtype
    char = dtype.char
    w = np.empty(n, _array.real_dtype(dtype))
    v = None if values_only else np.empty((n, n), dtype, "F")
    _native.call("SmallEigh", _CODES[char], id(a), id(w), 0 if v is None else id(v), n, lower, check_finite)
    return w, v


def cholesky(a: Any, n: int, lower: bool, check_finite: bool) -> Array:
    """Cholesky factor of a plain small matrix of order n, as of `trnsci.linalg.cholesky`."""
    dtype = a.dtype
    factor = np.empty((n, n), dtype, "C" if lower else "F")
    _native.call("SmallCholesky", _CODES[dtype.char], id(a), id(factor), n, lower, check_finite)
    return factor
