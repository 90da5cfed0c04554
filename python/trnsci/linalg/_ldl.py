"""Factors of symmetric and Hermitian matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _records, _threads
from .._core._array import Array
from .._core._caller import warn
from .._core._progress import Progress
from . import _common
from ._expm import check_matrices


def ldl(
    A: ArrayLike,
    lower: bool = True,
    hermitian: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, Array, Array]:
    """Factorization ``A = L @ D @ L.conj().T`` or ``A = L @ D @ L.T`` of a Hermitian or symmetric matrix.

    Parameters
    ----------
    A : (..., N, N) array_like
        The matrix; only the triangle that `lower` names is used. A single number is a matrix of order 1.
    lower : bool, optional
        Whether L is, but for the order of its rows, lower triangular; otherwise it is upper triangular.
    hermitian : bool, optional
        Whether a complex matrix is Hermitian or symmetric. The imaginary part of the diagonal of a Hermitian matrix is
        taken to be zero.
    overwrite_a : bool, optional
        Accepted for SciPy's sake; `A` is never changed.
    check_finite : bool, optional
        Refuse infinities and NaNs anywhere in `A`. When False, they give NaNs.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    lu : (..., N, N) ndarray
        The factor L, whose rows are permuted; each matrix is stored by columns.
    d : (..., N, N) ndarray
        The factor D, block diagonal with blocks of order 1 and 2.
    perm : (..., N) ndarray of int64
        The order of rows in which ``lu[perm]`` is triangular with ones on its diagonal.

    Warns
    -----
    ComplexWarning
        NumPy's, if the diagonal of a matrix that is said to be Hermitian is not real.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`. A singular matrix is no error.

    Notes
    -----
    Diagonal pivoting [1]_ in the dtype of `A`, in panels of rows whose update is a product of matrices; ``N**3 / 3``
    floating-point operations. Pivots are chosen as by LAPACK, from the first column on if `lower`, else from the last
    one on. The numbers of positive, negative and zero eigenvalues of `A` and D are the same.

    References
    ----------
    .. [1] J. R. Bunch and L. Kaufman, Math. Comp. 31, 163 (1977).

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import ldl
    >>> a = np.array([[0.0, 2.0, 2.0], [2.0, 0.0, 4.0], [2.0, 4.0, 1.0]])
    >>> lu, d, perm = ldl(a)
    >>> d
    array([[ 0.,  2.,  0.],
           [ 2.,  0.,  0.],
           [ 0.,  0., -7.]])
    >>> bool(np.allclose(lu @ d @ lu.T, a))
    True
    """
    if device is not None:
        _device.require_host(device)
    matrix, cast = check_matrices(A, "A")
    dtype, shape = matrix.dtype, matrix.shape
    factor = _array.empty(shape, dtype, "the factor L", order="F")
    diagonal = _array.empty(shape, dtype, "the factor D")
    perm = _array.empty(shape[:-1], np.dtype(np.int64), "the order of rows")
    made = _records.ldl(
        threads=_threads.resolve(threads), a=matrix, left=factor, d=diagonal, perm=perm, lower=bool(lower),
        hermitian=bool(hermitian), check_finite=bool(check_finite),
    )  # fmt: skip
    _common.solve(made, matrix, _costs.LDL, progress)
    if hermitian and dtype.kind == "c" and np.einsum("...ii->...i", matrix).imag.any():
        warn("A: the imaginary parts of the diagonal of a Hermitian matrix are ignored", _complex_warning())
    return _array.cast_to(factor, cast), _array.cast_to(diagonal, cast), perm


def _complex_warning() -> Any:
    return getattr(np, "exceptions", np).ComplexWarning  # in NumPy itself before 1.25
