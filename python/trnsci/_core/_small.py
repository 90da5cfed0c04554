"""A fast path to the library for one small matrix or pencil.

Validating an array, describing it in a record and choosing how to run the call take longer than the computation for a
matrix of order 8, and are still a tenth of it for a pencil of order 32. For a plain matrix only the address of the
array object is passed, and the library reads the address of the elements from it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _array, _native, _threads
from ._array import Array
from ._progress import Progress

# For larger orders the general path costs little compared with the computation, which may use several threads.
_LARGEST_ORDER = {"f": 64, "d": 64, "F": 32, "D": 32}

# Schur forms of larger orders take so long that the general path, which may use several threads, costs a few percent.
_LARGEST_GENERAL = 32

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


def general_order(matrices: tuple[Any, ...], threads: int | None, progress: Progress, device: str | None) -> int:
    """Return the order of a plain matrix, or of two, whose Schur form is small; otherwise 0.

    It is 0 too where an option demands the general path.
    """
    if progress is not None or device is not None:
        return 0
    n = pencil_order(*matrices) if len(matrices) > 1 else order(*matrices)
    if n > _LARGEST_GENERAL:
        return 0
    if n and threads is not None:
        _threads.resolve(threads)  # for its errors: a small problem is solved on one thread
    return n


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


def lu_factor(a: Any, n: int, check_finite: bool) -> tuple[Array, Array, int]:
    """Return the LU factors of a plain small matrix of order n and its pivots, as `trnsci.linalg.lu_factor` does, and
    the number of the first zero pivot, or 0."""
    dtype = a.dtype
    factor, pivots = np.empty((n, n), dtype, "F"), np.empty(n, np.int32)
    zero = _native.call("SmallLUFactor", _CODES[dtype.char], id(a), id(factor), id(pivots), n, check_finite)
    return factor, pivots, zero


def schur(a: Any, n: int, check_finite: bool) -> tuple[Array, Array]:
    """Return the Schur form of a plain small matrix of order n and its vectors, as `trnsci.linalg.schur` does."""
    dtype = a.dtype
    t, z = np.empty((n, n), dtype), np.empty((n, n), dtype)
    _native.call("SmallSchur", _CODES[dtype.char], id(a), id(t), id(z), n, check_finite)
    return t, z


def qz(a: Any, b: Any, n: int, check_finite: bool) -> tuple[Array, Array, Array, Array]:
    """Return the generalized Schur form of a plain small pencil of order n, as `trnsci.linalg.qz` does."""
    dtype = a.dtype
    s, p = np.empty((n, n), dtype), np.empty((n, n), dtype)
    q, z = np.empty((n, n), dtype, "F"), np.empty((n, n), dtype, "F")
    _native.call("SmallQZ", _CODES[dtype.char], id(a), id(b), id(s), id(p), id(q), id(z), n, check_finite)
    return s, p, q, z


def eig(
    a: Any, b: Any, n: int, left: bool, right: bool, homogeneous: bool, check_finite: bool
) -> tuple[Array, list[Array], bool]:
    """Solve the eigenproblem of a plain small matrix, or a pencil if `b` is not None, of order n.

    Returns
    -------
    w : ndarray
        The eigenvalues of `trnsci.linalg.eig`.
    vectors : list of ndarray
        The left and right eigenvectors, those that are wanted, always complex.
    is_real : bool
        Whether the matrices and all eigenvalues are real.
    """
    char = a.dtype.char
    dtype = _array.complex_dtype(a.dtype)
    w = np.empty((2, n) if homogeneous else n, dtype)
    vectors = [np.empty((n, n), dtype, "F") for _ in range(left + right)]
    to_left, to_right = id(vectors[0]) if left else 0, id(vectors[-1]) if right else 0
    second = 0 if b is None else id(b)
    if b is None and homogeneous:
        w[1] = 1
    not_real = _native.call(
        "SmallEig", _CODES[char], id(a), second, id(w), to_left, to_right, n, homogeneous, check_finite
    )
    return w, vectors, char in "fd" and not not_real
