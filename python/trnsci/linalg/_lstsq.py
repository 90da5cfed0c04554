"""Least squares."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import blas
from .._core import _array, _operands
from .._core._array import Array
from .._core._progress import Progress
from ._svd import svd

_DRIVERS = {None: 0, "gelsd": 0, "gelss": 1, "gelsy": 2}
_WITHOUT_VALUES = _DRIVERS["gelsy"]


def lstsq(
    a: ArrayLike,
    b: ArrayLike,
    cond: float | None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    lapack_driver: Literal["gelsd", "gelsy", "gelss"] | None = None,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, Array, int, Array | None]:
    """Solution x of least length that minimizes the length of ``b - a @ x``.

    Parameters
    ----------
    a : (M, N) array_like
    b : (M,) or (M, K) array_like
        Right-hand sides.
    cond : float, optional
        Singular values up to ``cond * max(s)`` count as zero. By default eps.
    overwrite_a, overwrite_b : bool, optional
        Accepted for SciPy's sake; the inputs are never overwritten.
    check_finite : bool, optional
        Refuse infinities and NaNs. When False, inputs that are not finite give NaNs.
    lapack_driver : {'gelsd', 'gelsy', 'gelss'}, optional
        Accepted for SciPy's sake: there is one method. As in SciPy, 'gelsy' returns no residues and no values.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    x : (N,) or (N, K) ndarray
    residues : (), (K,) or (0,) ndarray
        Squares of the lengths of ``b - a @ x``. Empty if the rank is below N or M is not above N.
    rank : int
        The number of singular values that do not count as zero.
    s : (min(M, N),) ndarray or None
        The singular values of a.

    Raises
    ------
    LinAlgError, ValueError, TypeError, MemoryError
        As in `svd`.

    Notes
    -----
    By the singular value decomposition of a.

    Examples
    --------
    >>> from trnsci.linalg import lstsq
    >>> x, residues, rank, s = lstsq([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [0.0, 1.0, 2.0])
    >>> bool(abs(x - [0, 1]).max() < 1e-15), rank
    (True, 2)
    """
    driver = _operands.word(lapack_driver, _DRIVERS, "lapack_driver")
    (matrix, right), kind = _operands.settle({"a": a, "b": b})
    if matrix.ndim != 2:
        raise ValueError(f"a: expected a matrix, got shape {matrix.shape}")
    if right.ndim not in (1, 2) or len(right) != len(matrix):
        raise ValueError(f"b: expected {len(matrix)} rows, got shape {right.shape}")
    m, n = matrix.shape
    if check_finite and not np.isfinite(right).all():
        raise ValueError("b: has infinities or NaNs")
    u, s, vh = svd(
        matrix, full_matrices=False, check_finite=check_finite, threads=threads, progress=progress, device=device
    )
    relative = float(np.finfo(s.dtype).eps) if cond is None else _array.number(cond, "cond")
    rank = int(np.count_nonzero(s > relative * float(np.max(s, initial=0.0)))) if not np.isnan(s).any() else len(s)
    columns = right if right.ndim == 2 else right[:, None]
    projected = blas.gemm(1, u[:, :rank], columns, transA="C", threads=threads)
    x = blas.gemm(1, vh[:rank], projected / s[:rank, None], transA="C", threads=threads)
    residues = np.empty(0, x.dtype)
    if rank == n and (m > n or n == 0) and driver != _WITHOUT_VALUES:
        rest = columns - blas.gemm(1, u, projected, threads=threads)
        residues = np.sum(rest.real**2 + rest.imag**2, axis=0).reshape(right.shape[1:])
    values = None if driver == _WITHOUT_VALUES else _array.cast_to(s, kind.cast)
    return _array.cast_to(x.reshape(n, *right.shape[1:]), kind.cast), residues, rank, values
