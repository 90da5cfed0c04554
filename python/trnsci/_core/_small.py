"""A fast path to the library for one small matrix or pencil.

Validating an array, describing it in a record and choosing how to run the call take longer than the computation for a
matrix of order 8, and are still a tenth of it for a pencil of order 32. For a plain matrix only the address of the
array object is passed, and the library reads the address of the elements from it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _array, _native
from ._array import Array

# For larger orders the general path costs little compared with the computation, which may use several threads.
_LARGEST_ORDER = {"f": 64, "d": 64, "F": 32, "D": 32}

_CODES = {code: number for number, code in enumerate(_LARGEST_ORDER)}
_ndarray = np.ndarray
_possible: bool | None = None


def is_possible() -> bool:
    """Whether the library can read the address of elements from array objects; tested once, with a known address."""
    global _possible
    if _possible is None:
        probe = np.empty(1)
        _possible = bool(_native.call("ReadsArrays", id(probe), _array.data_address(probe)))
    return _possible


def order(a: Any) -> int:
    """Return the order of `a` if it is a plain small matrix, otherwise 0.

    A plain matrix is a square, aligned array of a computing dtype in C order and not an instance of a subclass.
    """
    if type(a) is not _ndarray or a.ndim != 2:
        return 0
    n, columns = a.shape
    dtype = a.dtype
    if n != columns or n > _LARGEST_ORDER.get(dtype.char, 0) or not dtype.isnative or not is_plain(a):
        return 0
    return n if is_possible() else 0


def is_plain(a: Array) -> bool:
    """Whether `a` is aligned and in C order. The flag on writing is not read, since that may warn."""
    flags = a.flags
    return flags.c_contiguous and flags.aligned


def pencil_order(a: Any, b: Any) -> int:
    """Return the order of `a` and `b` if both are plain small matrices of one order and dtype, otherwise 0."""
    n = order(a)
    return n if n and order(b) == n and a.dtype.char == b.dtype.char else 0


def eigh(
    a: Any, b: Any, n: int, type: int, lower: bool, values_only: bool, check_finite: bool
) -> tuple[Array, Array | None]:
    """Return eigenvalues and eigenvectors of a plain small matrix, or a pencil if `b` is not None, of order n.

    They are those of `trnsci.eigh`.
    """
    dtype = a.dtype
    char = dtype.char
    w = np.empty(n, _array.real_dtype(dtype))
    v = None if values_only else np.empty((n, n), dtype, "F")
    to = 0 if v is None else id(v)
    if b is None:
        _native.call("SmallEigh", _CODES[char], id(a), id(w), to, n, lower, check_finite)
    else:
        _native.call("SmallEighGeneralized", _CODES[char], type, id(a), id(b), id(w), to, n, lower, check_finite)
    return w, v


def cholesky(a: Any, n: int, lower: bool, check_finite: bool) -> Array:
    """Return the Cholesky factor of a plain small matrix of order n, as `trnsci.linalg.cholesky` does."""
    dtype = a.dtype
    factor = np.empty((n, n), dtype, "C" if lower else "F")
    _native.call("SmallCholesky", _CODES[dtype.char], id(a), id(factor), n, lower, check_finite)
    return factor
