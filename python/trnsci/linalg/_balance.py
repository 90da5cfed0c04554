"""Balancing of general matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _records, _threads
from .._core._progress import Progress
from . import _common
from ._expm import check_matrices


def matrix_balance(
    A: ArrayLike,
    permute: bool = True,
    scale: bool = True,
    separate: bool = False,
    overwrite_a: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """Permute and scale a matrix so that its rows and columns have similar norms, ``B = inv(T) @ A @ T``.

    Parameters
    ----------
    A : (..., N, N) array_like
        A single number is a matrix of order 1.
    permute : bool, optional
        Whether eigenvalues that can be read off are isolated: outside of a block on the diagonal, B is upper
        triangular.
    scale : bool, optional
        Whether rows and columns are scaled, by powers of two.
    separate : bool, optional
        Whether the scales and the permutation are returned instead of T.
    overwrite_a : bool, optional
        Accepted for SciPy's sake: the input stays as it is.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    B : (..., N, N) ndarray
    T : (..., N, N) ndarray
        A permuted diagonal matrix of the real dtype. With `separate`, the tuple of the scales and of the permutation,
        an array of integers for which ``B = A[perm][:, perm] * scaling / scaling[:, None]``, instead; both are (...,
        N).

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `schur`.

    Notes
    -----
    The method of Parlett and Reinsch with the norms of James, Langou and Lowery (2014), as in LAPACK since 3.5. B has
    no rounding errors.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import matrix_balance
    >>> B, (scaling, perm) = matrix_balance([[1, 1024], [1 / 1024, 1]], separate=True)
    >>> B
    array([[1. , 2. ],
           [0.5, 1. ]])
    """
    if device is not None:
        _device.require_host(device)
    matrix, cast = check_matrices(A)
    balanced = _array.empty(matrix.shape, matrix.dtype, "the balanced matrix")
    balanced[...] = matrix
    perm = _array.empty(matrix.shape[:-1], np.dtype(np.int64), "the permutation")
    scaling = _array.empty(matrix.shape[:-1], np.dtype(np.float64), "the scales")
    made = _records.balance(
        threads=_threads.resolve(threads),
        b=balanced,
        order=perm,
        scales=scaling,
        permute=bool(permute),
        scale=bool(scale),
    )
    _common.solve(made, balanced, _costs.BALANCE, progress)
    result = _array.cast_to(balanced, cast)
    if separate:
        return result, (scaling, perm)
    transformation = np.zeros(matrix.shape)
    np.put_along_axis(transformation, perm[..., None, :], scaling[..., None, :], axis=-2)
    return result, transformation
