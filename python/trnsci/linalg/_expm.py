"""The exponential of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _records, _threads
from .._core._array import Array
from .._core._progress import Progress
from . import _common


def check_matrices(A: Any, name: str = "A") -> tuple[Array, np.dtype[Any] | None]:
    """Return `A` as a stack of square matrices and the dtype of the result; a single number is a matrix of order 1."""
    matrix, cast = _array.check(A, name)
    if matrix.ndim < 2 and matrix.size == 1:
        matrix = matrix.reshape(1, 1)
    _array.check_square(matrix, name)
    return matrix, cast


def expm(
    A: ArrayLike,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Exponential of a square matrix.

    Parameters
    ----------
    A : (..., N, N) array_like
        The matrix, or a single number.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    eA : (..., N, N) ndarray
        ``I + A + A @ A / 2 + ...``, in the dtype of `A`.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`. Infinities and NaNs are no error.

    Notes
    -----
    Scaling and squaring with Padé approximants, whose degree and scaling are chosen by norms of powers of `A` (A. H.
    Al-Mohy and
    N. J. Higham, SIAM J. Matrix Anal. Appl. 31, 2009). About 6 products of matrices, a system of equations, and
    ``log2(norm(A)) - 2`` products more where the norm is above 4. Single precision stays single precision.

    Triangular matrices, and others of large norm, are permuted and scaled first where that makes the norm much smaller.

    The exponential of a triangular matrix is triangular, that of a diagonal one diagonal, with zeros that are exact. A
    matrix that is
    not diagonal and holds infinities or NaNs gives NaNs.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import expm
    >>> expm(np.array([[0.0, 1.0], [-1.0, 0.0]]) * np.pi / 2).round(12) + 0.0
    array([[ 0.,  1.],
           [-1.,  0.]])
    """
    if device is not None:
        _device.require_host(device)
    matrix, cast = check_matrices(A)
    return _array.cast_to(exponential(matrix, threads, progress), cast)


def exponential(matrix: Array, threads: int | None, progress: Progress) -> Array:
    """Return the exponentials of a checked stack of matrices."""
    result = _array.empty(matrix.shape, matrix.dtype, "the exponential")
    made = _records.matrix_power("Expm", threads=_threads.resolve(threads), a=matrix, x=result)
    _common.solve(made, matrix, _costs.EXPM, progress)
    return result
