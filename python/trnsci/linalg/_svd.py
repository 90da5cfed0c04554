"""Singular value decompositions."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _native, _operands, _records, _threads
from .._core._array import Array
from .._core._progress import Progress, finish_nothing

_DRIVERS = {"gesdd": 0, "gesvd": 1}


def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: Literal["gesdd", "gesvd"] = "gesdd",
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """Singular value decomposition ``a = U @ diag(s) @ Vh``.

    Parameters
    ----------
    a : (..., M, N) array_like
    full_matrices : bool, optional
        Whether U and Vh are square, or have ``K = min(M, N)`` columns and rows.
    compute_uv : bool, optional
        Whether singular vectors are wanted.
    overwrite_a : bool, optional
        Accepted for SciPy's sake; the input is never overwritten.
    check_finite : bool, optional
        Refuse infinities and NaNs. When False, a matrix that is not finite gives NaNs.
    lapack_driver : {'gesdd', 'gesvd'}, optional
        Accepted for SciPy's sake: there is one method.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    U : (..., M, M) or (..., M, K) ndarray
        Left singular vectors, as columns. Only with `compute_uv`.
    s : (..., K) ndarray
        Singular values, real, in descending order.
    Vh : (..., N, N) or (..., K, N) ndarray
        Conjugate right singular vectors, as rows. Only with `compute_uv`.

    Raises
    ------
    LinAlgError
        If the iteration for the bidiagonal matrix does not converge.
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    Bidiagonal form by panels of Householder reflectors [1]_, after a QR factorization where there are 1.6 times as many
    rows as columns, then divide and conquer [2]_, without vectors the QR iteration [3]_. For a square matrix about
    ``9 N**3`` floating-point operations, without vectors ``8/3 N**3``. U is stored by columns.

    References
    ----------
    .. [1] J. J. Dongarra, S. J. Hammarling and D. C. Sorensen, J. Comput. Appl. Math. 27, 215 (1989).
    .. [2] M. Gu and S. C. Eisenstat, SIAM J. Matrix Anal. Appl. 16, 79 (1995).
    .. [3] J. Demmel and W. Kahan, SIAM J. Sci. Stat. Comput. 11, 873 (1990).

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import svd
    >>> a = np.array([[3.0, 0.0], [4.0, 5.0], [0.0, 2.0]])
    >>> U, s, Vh = svd(a, full_matrices=False)
    >>> bool(np.allclose(U * s @ Vh, a)), bool(np.allclose(U.T @ U, np.eye(2)))
    (True, True)
    """
    if device is not None:
        _device.require_host(device)
    if not isinstance(lapack_driver, str):
        raise TypeError(f"lapack_driver: expected a string, got {type(lapack_driver).__name__}")
    _operands.word(lapack_driver, _DRIVERS, "lapack_driver")
    matrix, cast = _array.check(a, "a")
    if matrix.ndim < 2:
        raise ValueError(f"a: expected a matrix or a stack of matrices, got shape {matrix.shape}")
    *lead, m, n = matrix.shape
    k, dtype = min(m, n), matrix.dtype
    s = _array.empty((*lead, k), _array.real_dtype(dtype), "the singular values")
    u = vh = None
    if compute_uv:
        u = _array.empty((*lead, m, m if full_matrices else k), dtype, "U", "F")
        vh = _array.empty((*lead, n if full_matrices else k, n), dtype, "Vh")
    if k == 0 or math.prod(lead) == 0:
        for vectors in (u, vh):
            if vectors is not None:
                vectors[...] = np.eye(*vectors.shape[-2:])
        finish_nothing(progress, n)
    else:
        made = _records.svd(
            threads=_threads.resolve(threads), a=matrix, s=s, u=u, vh=vh, check_finite=bool(check_finite)
        )
        _native.run(made, _work(matrix, bool(compute_uv)), progress, order=n)
    s = _array.cast_to(s, cast)
    return s if u is None or vh is None else (_array.cast_to(u, cast), s, _array.cast_to(vh, cast))


def _work(a: Array, with_vectors: bool) -> float:
    """Return the estimated operations of the decompositions of `a`, which is not empty."""
    m, n = a.shape[-2:]
    k = min(m, n)
    flops = (_costs.SINGULAR_VECTORS if with_vectors else _costs.SINGULAR_VALUES) * max(m, n) * k * k
    factor = _costs.COMPLEX_FACTOR if a.dtype.kind == "c" else 1
    return float(a.size // (m * n) * (factor * flops + _costs.PER_MATRIX))


def svdvals(
    a: ArrayLike,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Singular values of a matrix.

    Parameters
    ----------
    a : (..., M, N) array_like
    overwrite_a, check_finite, threads, progress, device
        As in `svd`.

    Returns
    -------
    s : (..., K) ndarray
        The ``K = min(M, N)`` singular values in descending order.

    Raises
    ------
    LinAlgError, ValueError, TypeError, MemoryError
        As in `svd`.

    Examples
    --------
    >>> from trnsci.linalg import svdvals
    >>> svdvals([[3.0, 0.0], [0.0, -4.0], [0.0, 0.0]])
    array([4., 3.])
    """
    s: Array = svd(
        a, compute_uv=False, overwrite_a=overwrite_a, check_finite=check_finite,
        threads=threads, progress=progress, device=device,
    )  # fmt: skip
    return s
