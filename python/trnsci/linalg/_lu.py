"""LU factors, and solutions with them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _native, _operands, _records, _small, _threads
from .._core._array import Array
from .._core._caller import warn
from .._core._errors import linalg_warning
from .._core._progress import Progress, finish_nothing
from ._solve import System

_TRANS_WORDS = {0: _operands.NO_TRANS, 1: _operands.TRANS, 2: _operands.CONJ_TRANS}


def lu_factor(
    a: ArrayLike,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, Array]:
    """LU factorization with partial pivoting, ``a = P @ L @ U``, for use in `lu_solve`.

    Parameters
    ----------
    a : (..., M, N) array_like
        The matrix.
    overwrite_a : bool, optional
        Let the factors take the place of `a`, where it is a writable array of one of the four computing dtypes, stored
        by columns without gaps; the result shares its memory then. After an error the contents are unspecified.
    check_finite : bool, optional
        Refuse infinities and NaNs in `a`.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    lu : (..., M, N) ndarray
        U in the upper triangle, and below it L without the ones on its diagonal; each matrix is stored by columns.
    piv : (..., K) ndarray of int32
        The pivots, with ``K = min(M, N)``: row i was exchanged with row ``piv[i] >= i``, for ``i = 0, 1, ...`` in turn.

    Warns
    -----
    LinAlgWarning
        If a diagonal element of U is exactly zero; the message says which, counted from 1. The factors are right, but
        a system cannot be solved with them.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    Recursive halving in the dtype of `a` (S. Toledo, SIAM J. Matrix Anal. Appl. 18, 1997), ``2 * N**3 / 3``
    floating-point operations for a square matrix. The pivot is the element of its column with the largest modulus; of
    complex numbers, as in LAPACK, that with the largest sum of the moduli of real and imaginary part. Of equal ones it
    is the first.

    Examples
    --------
    >>> from trnsci.linalg import lu_factor
    >>> lu, piv = lu_factor([[2.0, 2.0], [4.0, 8.0]])
    >>> lu
    array([[ 4. ,  8. ],
           [ 0.5, -2. ]])
    >>> piv
    array([1, 1], dtype=int32)
    """
    if threads is None and progress is None and device is None and not overwrite_a:
        n = _small.order(a)
        if n:
            factor, pivots, zero = _small.lu_factor(a, n, bool(check_finite))
            if zero:
                _warn_of_zero(zero, "")
            return factor, pivots
    factor, pivots, zeros, cast = _factor(a, overwrite_a, check_finite, threads, progress, device)
    (singular,) = zeros.nonzero()
    if singular.size:
        _warn_of_zero(int(zeros[singular[0]]), f" (batch member {singular[0]})" if factor.ndim > 2 else "")
    return _array.cast_to(factor, cast), pivots.astype(np.int32)


def _warn_of_zero(number: int, member: str) -> None:
    warn(f"a: the matrix is singular: element {number} of U's diagonal is exactly zero{member}", linalg_warning())


def _factor(
    a: ArrayLike,
    overwrite: bool,
    check_finite: bool,
    threads: int | None,
    progress: Progress,
    device: str | None,
) -> tuple[Array, Array, Array, np.dtype[Any] | None]:
    """Return the factors, the pivots, the number of the first zero pivot of each member, and the dtype of results."""
    if device is not None:
        _device.require_host(device)
    matrix, cast = _array.check(a, "a")
    _operands.check_core(matrix, "a")
    *lead, m, n = matrix.shape
    wide = min(m, n)
    if _operands.is_by_rows(_operands.transposed(matrix)) and _array.may_overwrite(overwrite, a, matrix):
        factor = matrix
    else:
        factor = _array.empty(matrix.shape, matrix.dtype, "the LU factors", order="F")
    pivots, zeros = np.empty((*lead, wide), np.int64), np.zeros(math.prod(lead), np.int64)
    if matrix.size == 0:
        finish_nothing(progress, wide)
        return factor, pivots, zeros, cast
    made = _records.lu_factor(
        threads=_threads.resolve(threads), a=matrix, factor=factor, pivots=pivots, zeros=zeros,
        check_finite=bool(check_finite),
    )  # fmt: skip
    _native.run(made, factorization_cost(matrix), progress, order=wide)
    return factor, pivots, zeros, cast


def factorization_cost(matrix: Array) -> float:
    """Return the cost of the factorization of all matrices."""
    m, n = matrix.shape[-2:]
    wide = min(m, n)
    complex_factor = _costs.COMPLEX_FACTOR if matrix.dtype.kind == "c" else 1
    flops = _costs.LU * complex_factor * wide * wide * max(m, n)
    return float(matrix.size / (m * n) * (flops + _costs.PER_MATRIX))


def lu_solve(
    lu_and_piv: tuple[ArrayLike, ArrayLike],
    b: ArrayLike,
    trans: int = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Solve ``op(a) x = b`` for a square matrix a whose LU factors are known.

    Parameters
    ----------
    lu_and_piv : (lu, piv)
        What `lu_factor` returns for a: the factors, (..., N, N), and the pivots, (..., N).
    b : (N,) or (..., N, K) array_like
        Right-hand sides. Leading dimensions of lu and b broadcast.
    trans : {0, 1, 2}, optional
        What ``op(a)`` is: a, its transpose or its conjugate transpose.
    overwrite_b : bool, optional
        Allow the solution to take the place of `b`, where layout and dtype permit.
    check_finite : bool, optional
        Refuse infinities and NaNs in lu and b.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    x : ndarray
        The solution, of b's shape but for leading dimensions. A zero on U's diagonal gives infinities or NaNs.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`. A pivot that is no row of a is a ValueError.

    Notes
    -----
    Two triangular solves, ``2 N**2 K`` floating-point operations.

    Examples
    --------
    >>> from trnsci.linalg import lu_factor, lu_solve
    >>> factors = lu_factor([[2.0, 2.0], [4.0, 8.0]])
    >>> lu_solve(factors, [4.0, 12.0])
    array([1., 1.])
    """
    if device is not None:
        _device.require_host(device)
    flag = _operands.word(trans, _TRANS_WORDS, "trans")
    try:
        lu, piv = lu_and_piv
    except (TypeError, ValueError):
        raise ValueError("lu_and_piv: expected what lu_factor returns, a pair of factors and pivots") from None
    system = System("lu", lu, b, overwrite_b)
    n = system.matrix.shape[-1]
    pivots = _checked_pivots(piv, system.matrix.shape[:-1])
    factor = _operands.transposed(_operands.stored_by_rows(_operands.transposed(system.matrix), "lu"))
    x = system.begin(factor)
    if x.size == 0:
        finish_nothing(progress, n)
        return system.finish(x)
    made = _records.lu_solve(
        threads=_threads.resolve(threads), factor=_operands.spread(factor, system.lead),
        pivots=np.broadcast_to(pivots, (*system.lead, n)), x=x, trans=flag, check_finite=bool(check_finite),
    )  # fmt: skip
    _native.run(made, 2.0 * n * x.size * (_costs.COMPLEX_FACTOR if system.kind.is_complex else 1), progress, order=n)
    return system.finish(x)


def _checked_pivots(piv: ArrayLike, shape: tuple[int, ...]) -> Array:
    pivots = _array.as_array(piv, "piv")
    if pivots.size:
        pivots = _array.integers(pivots, "piv")
    if pivots.shape != shape:
        raise ValueError(f"piv: expected shape {shape}, got {pivots.shape}")
    if pivots.size and not (pivots.min() >= 0 and pivots.max() < shape[-1]):
        raise ValueError(f"piv: pivots from {pivots.min()} to {pivots.max()} are not all rows of {shape[-1]}")
    return np.ascontiguousarray(pivots, np.int64)


def lu(
    a: ArrayLike,
    permute_l: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    p_indices: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, Array] | tuple[Array, Array, Array]:
    """LU factorization with partial pivoting, ``a = p @ l @ u``, with a matrix for each factor.

    Parameters
    ----------
    a : (..., M, N) array_like
        The matrix.
    permute_l : bool, optional
        Return ``p @ l`` instead of p and l.
    overwrite_a, check_finite
        As in `lu_factor`. The results never share memory with `a`.
    p_indices : bool, optional
        Return p as a vector of indices of rows, with which ``a = l[p] @ u``, instead of a matrix.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    p : (..., M, M) ndarray, or (..., M) ndarray of int32 if `p_indices`
        The permutation; not returned if `permute_l`.
    l : (..., M, K) ndarray
        Unit lower triangular or trapezoidal, ``K = min(M, N)``; ``p @ l`` if `permute_l`.
    u : (..., K, N) ndarray
        Upper triangular or trapezoidal.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`. A singular matrix is no error.

    Notes
    -----
    See `lu_factor`.

    Examples
    --------
    >>> from trnsci.linalg import lu
    >>> p, l, u = lu([[2.0, 2.0], [4.0, 8.0]])
    >>> p @ l @ u
    array([[2., 2.],
           [4., 8.]])
    >>> lu([[2.0, 2.0], [4.0, 8.0]], p_indices=True)[0]
    array([1, 0], dtype=int32)
    """
    factor, pivots, _, cast = _factor(a, overwrite_a, check_finite, threads, progress, device)
    m, n = factor.shape[-2:]
    wide = min(m, n)
    lower, upper = np.tril(factor[..., :wide], -1), _array.cast_to(np.triu(factor[..., :wide, :]), cast)
    np.einsum("...ii->...i", lower[..., :wide, :])[...] = 1
    lower = _array.cast_to(lower, cast)
    rows = _rows(pivots, m)
    if permute_l:
        return np.take_along_axis(lower, rows[..., None], -2), upper
    if p_indices:
        return rows.astype(np.int32), lower, upper
    return (rows[..., None] == np.arange(m)).astype(cast or _array.real_dtype(factor.dtype)), lower, upper


def _rows(pivots: Array, m: int) -> Array:
    """Return for each row of ``a`` the row of L that it comes from."""
    lead = pivots.shape[:-1]
    orders = np.tile(np.arange(m), (math.prod(lead), 1)).tolist()
    for order, exchanges in zip(orders, pivots.reshape(len(orders), pivots.shape[-1]).tolist(), strict=True):
        for k, p in enumerate(exchanges):
            order[k], order[p] = order[p], order[k]
    return np.argsort(np.array(orders, np.int64).reshape(*lead, m), axis=-1)
