"""Toeplitz and circulant matrices: Levinson's recursion, and NumPy's Fourier transforms."""

from __future__ import annotations

import operator
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _operands
from .._core._array import Array
from .._core._errors import LinAlgError
from .._core._progress import Progress
from ._banded import solve_stack
from ._solve import System


def _column_and_row(c_or_cr: Any) -> tuple[Array, Array]:
    """Return the first column and the first row of a Toeplitz matrix, checked, in the dtypes that they are given in."""
    column, row = c_or_cr if isinstance(c_or_cr, tuple) and len(c_or_cr) == 2 else (c_or_cr, None)
    column = _checked_vector(column, "c")
    return column, column.conj() if row is None else _checked_vector(row, "r")


def _checked_vector(x: ArrayLike, name: str) -> Array:
    _array.check(x, name)
    vector = _array.as_array(x, name)
    if vector.ndim == 0:
        raise ValueError(f"{name}: expected a vector or a stack of them, got a number")
    return vector


def solve_toeplitz(
    c_or_cr: ArrayLike | tuple[ArrayLike, ArrayLike],
    b: ArrayLike,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Solve ``t @ x = b`` for a Toeplitz matrix t.

    Parameters
    ----------
    c_or_cr : c, or the tuple (c, r)
        The first column c of the matrix, (..., N) array_like, and its first row r, (..., N) array_like, whose first
        element does not count. By default r is the conjugate of c: the matrix is Hermitian if ``c[0]`` is real.
    b : (N,) or (..., N, K) array_like
        Right-hand sides. Leading dimensions of c, r and b broadcast.
    check_finite : bool, optional
        Refuse infinities and NaNs anywhere in c, r and b.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    x : ndarray
        The solution, of b's shape but for leading dimensions.

    Raises
    ------
    LinAlgError
        If a leading principal minor is zero, as computed, also if t is not singular itself; the message has its order.
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    Levinson's recursion in double precision (Golub and Van Loan, Matrix Computations, 4th ed., section 4.7), ``(4 + 2
    K) N**2`` floating-point operations. It is stable for positive definite matrices; for others its error grows with
    the condition numbers of all leading submatrices, and `solve` is safer.

    Examples
    --------
    >>> from trnsci.linalg import solve_toeplitz
    >>> solve_toeplitz(([4.0, 2, 1], [4, 1, 0]), [5.0, 7, 7])
    array([1., 1., 1.])
    """
    if device is not None:
        _device.require_host(device)
    column, row = _column_and_row(c_or_cr)
    if column.shape[-1] != row.shape[-1]:
        raise ValueError(f"r: shape {row.shape} does not fit c's shape {column.shape}")
    try:
        both = np.stack(np.broadcast_arrays(column, row), -2)
    except ValueError:
        raise ValueError(f"r: shape {row.shape} does not fit c's shape {column.shape}") from None
    if isinstance(c_or_cr, tuple):
        _check_finite(check_finite, r=row)
    system = System("c", both, b, False, square=False)
    n, k = system.right.shape[-2:]
    return solve_stack(
        "SolveToeplitz", system, (_costs.LEVINSON + _costs.LEVINSON_RIGHT * k) * n**2, threads, progress,
        check_finite=bool(check_finite), name="solve_toeplitz", arg="c",
    )  # fmt: skip


def matmul_toeplitz(
    c_or_cr: ArrayLike | tuple[ArrayLike, ArrayLike],
    x: ArrayLike,
    check_finite: bool = False,
    workers: int | None = None,
) -> Array:
    """Product ``t @ x`` with a Toeplitz matrix t.

    Parameters
    ----------
    c_or_cr : c, or the tuple (c, r)
        The first column c of the matrix, (..., M) array_like, and its first row r, (..., N) array_like, whose first
        element does not count. By default r is the conjugate of c.
    x : (N,) or (..., N, K) array_like
        The other factor. Leading dimensions of c, r and x broadcast.
    check_finite : bool, optional
        Refuse infinities and NaNs anywhere in c, r and x. Otherwise all elements of a product with one of them are
        NaN.
    workers : int, optional
        Accepted for SciPy's sake and ignored: NumPy's transforms run on one thread.

    Returns
    -------
    y : (M,) or (..., M, K) ndarray
        The product; of integers it has floating-point numbers.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    Fast Fourier transforms of length M + N - 1 in double precision (`numpy.fft`) of a circulant matrix that has t in
    its corner (Golub and Van Loan, Matrix Computations, 4th ed., section 4.8.4). The error of every element is relative
    to the norms of the factors, not to the element.

    Examples
    --------
    >>> from trnsci.linalg import matmul_toeplitz
    >>> matmul_toeplitz(([4.0, 2, 1], [4, 1, 0]), [1.0, 1, 1]).round(12)
    array([5., 7., 7.])
    """
    column, row = _column_and_row(c_or_cr)
    (column, row, factor), kind = _operands.settle({"c": column, "r": row, "x": x})
    is_vector = factor.ndim == 1
    if factor.ndim == 0 or factor.shape[0 if is_vector else -2] != row.shape[-1]:
        raise ValueError(f"x: shape {factor.shape} does not fit r's shape {row.shape}")
    _check_finite(check_finite, c=column, r=row, x=factor)
    m, n = column.shape[-1], row.shape[-1]
    if is_vector:
        factor = factor[:, None]
    lead = _operands.leading({"c": column[..., None], "r": row[..., None], "x": factor})
    if m == 0 or factor.size == 0:
        product = np.zeros((*lead, m, factor.shape[-1]), kind.dtype)
    else:
        batch = np.broadcast_shapes(column.shape[:-1], row.shape[:-1])
        backwards = np.broadcast_to(row[..., :0:-1], (*batch, n - 1))
        circulant = np.concatenate((np.broadcast_to(column, (*batch, m)), backwards), -1)
        product = _circulant_product(_wide(circulant)[..., None], _wide(factor))[..., :m, :]
    product = product.astype(kind.cast or kind.dtype)
    return product[..., 0] if is_vector else product


def _wide(x: Array) -> Array:
    """Return `x` in double precision."""
    return x.astype(np.result_type(x.dtype, np.float64), copy=False)


def _check_finite(asked: bool, **arrays: Array) -> None:
    for name, array in arrays.items():
        if asked and not np.isfinite(array).all():
            raise ValueError(f"{name}: contains infinities or NaNs")


def _circulant_product(c: Array, x: Array) -> Array:
    """Return the product of circulant matrices, given their first columns, and of x with zeros below."""
    length = c.shape[-2]
    if c.dtype.kind == "c":
        return np.fft.ifft(np.fft.fft(c, axis=-2) * np.fft.fft(x, length, axis=-2), axis=-2)
    return np.fft.irfft(np.fft.rfft(c, axis=-2) * np.fft.rfft(x, length, axis=-2), length, axis=-2)


def solve_circulant(
    c: ArrayLike,
    b: ArrayLike,
    singular: Literal["raise", "lstsq"] = "raise",
    tol: float | None = None,
    caxis: int = -1,
    baxis: int = 0,
    outaxis: int = 0,
) -> Array:
    """Solve ``a @ x = b`` for a circulant matrix a.

    Parameters
    ----------
    c : array_like
        The first column of the matrix, ``a[i, j] = c[(i - j) % N]``, along `caxis`. The other dimensions count
        matrices.
    b : array_like
        Right-hand sides, along `baxis`. The dimensions other than `caxis` and `baxis` broadcast.
    singular : {'raise', 'lstsq'}, optional
        What to do with a matrix that is singular to working precision: raise an error, or return the solution of least
        norm of the least-squares problem.
    tol : float, optional
        Eigenvalues up to this modulus are taken to be zero; by default N times the eps of double precision times the
        largest one.
    caxis, baxis, outaxis : int, optional
        The dimensions of c, b and the result along which matrices and vectors lie.

    Returns
    -------
    x : ndarray
        The solution.

    Raises
    ------
    LinAlgError
        If a matrix is singular to working precision, unless `singular` is 'lstsq'.
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    Division by the eigenvalues, which are the discrete Fourier transform of c: transforms in double precision
    (`numpy.fft`) of all vectors (Golub and Van Loan, Matrix Computations, 4th ed., section 4.8.2).

    Examples
    --------
    >>> from trnsci.linalg import solve_circulant
    >>> solve_circulant([2.0, 1.0, 0.0], [3.0, 3.0, 3.0]).round(12)
    array([1., 1., 1.])
    """
    if singular not in ("raise", "lstsq"):
        raise ValueError(f"singular: {singular!r} is not one of 'raise', 'lstsq'")
    (columns, right), kind = _operands.settle({"c": c, "b": b})
    columns, right = _last(np.atleast_1d(columns), caxis, "caxis"), _last(np.atleast_1d(right), baxis, "baxis")
    n = columns.shape[-1]
    if right.shape[-1] != n:
        raise ValueError(f"b: {right.shape[-1]} elements along baxis do not fit the {n} of c along caxis")
    try:
        shape = np.broadcast_shapes(columns.shape, right.shape)
    except ValueError:
        raise ValueError(
            f"b: dimensions other than baxis do not fit those of c: {right.shape[:-1]} and {columns.shape[:-1]}"
        ) from None
    if columns.size == 0 or right.size == 0:
        x = np.zeros(shape, kind.dtype)
    else:
        x = _divided(_wide(columns), _wide(right), singular, tol)
    axis = _checked_axis(x, outaxis, "outaxis")
    return np.moveaxis(x, -1, axis).astype(kind.cast or kind.dtype)


def _checked_axis(a: Array, axis: int, name: str) -> int:
    axis = operator.index(axis)
    if not -a.ndim <= axis < a.ndim:
        raise ValueError(f"{name}: {axis} is not a dimension of an array of {a.ndim}")
    return axis


def _last(a: Array, axis: int, name: str) -> Array:
    """Return `a` with the given dimension as the last one."""
    return np.moveaxis(a, _checked_axis(a, axis, name), -1)


def _divided(c: Array, b: Array, singular: str, tol: float | None) -> Array:
    """Return the solutions for right-hand sides along the last dimension."""
    n = c.shape[-1]
    is_real = c.dtype.kind != "c"
    values = np.fft.rfft(c, axis=-1) if is_real else np.fft.fft(c, axis=-1)
    moduli = np.abs(values)
    bound: Any = moduli.max(axis=-1, keepdims=True) * n * np.finfo(np.float64).eps if tol is None else tol
    is_zero = moduli <= bound
    if singular == "raise" and is_zero.any():
        raise LinAlgError(
            f"c: the circulant matrix is singular to working precision: an eigenvalue has the modulus "
            f"{moduli[is_zero].min():.3g}"
        )
    transformed = np.fft.rfft(b, axis=-1) if is_real else np.fft.fft(b, axis=-1)
    quotients = np.where(is_zero, 0, transformed / np.where(is_zero, 1, values))
    return np.fft.irfft(quotients, n, axis=-1) if is_real else np.fft.ifft(quotients, axis=-1)
