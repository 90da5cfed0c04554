"""What singular values and vectors are used for: pseudoinverses, polar factors, bases of ranges and null spaces."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .. import blas
from .._core import _array
from .._core._array import Array
from .._core._progress import Progress
from ._eigh import eigh
from ._svd import svd, svdvals


def pinv(
    a: ArrayLike,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    return_rank: bool = False,
    check_finite: bool = True,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """Pseudoinverse of Moore and Penrose.

    Parameters
    ----------
    a : (M, N) array_like
    atol, rtol : float, optional
        Singular values up to ``atol + rtol * max(s)`` count as zero. By default 0 and ``max(M, N) * eps``.
    return_rank : bool, optional
        Whether the number of other singular values is returned, too.
    check_finite, threads, progress, device
        As in `svd`.

    Returns
    -------
    B : (N, M) ndarray
    rank : int
        Only with `return_rank`.

    Raises
    ------
    LinAlgError, ValueError, TypeError, MemoryError
        As in `svd`; ValueError also for a negative `atol` or `rtol`.

    Examples
    --------
    >>> from trnsci.linalg import pinv
    >>> pinv([[2.0, 0.0], [0.0, 0.0], [0.0, 4.0]])
    array([[0.5 , 0.  , 0.  ],
           [0.  , 0.  , 0.25]])
    """
    matrix, cast = _matrix(a, "a")
    u, s, vh = svd(
        matrix, full_matrices=False, check_finite=check_finite, threads=threads, progress=progress, device=device
    )
    rank = int(np.count_nonzero(s > _cutoff(s, matrix, atol, rtol)))
    left = u[:, :rank] / s[:rank]
    inverse = _array.cast_to(_product(vh[:rank], left, "C", "C", threads), cast)
    return (inverse, rank) if return_rank else inverse


def pinvh(
    a: ArrayLike,
    atol: float | None = None,
    rtol: float | None = None,
    lower: bool = True,
    return_rank: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """Pseudoinverse of a Hermitian matrix.

    Parameters
    ----------
    a : (N, N) array_like
    atol, rtol : float, optional
        Eigenvalues of a modulus up to ``atol + rtol * max(abs(w))`` count as zero. By default 0 and ``N * eps``.
    lower : bool, optional
        Which triangle of `a` is used; the other one is not read.
    return_rank : bool, optional
        Whether the number of other eigenvalues is returned, too.
    check_finite, threads, progress, device
        As in `eigh`.

    Returns
    -------
    B : (N, N) ndarray
    rank : int
        Only with `return_rank`.

    Raises
    ------
    LinAlgError, ValueError, TypeError, MemoryError
        As in `eigh`; ValueError also for a negative `atol` or `rtol`.

    Examples
    --------
    >>> from trnsci.linalg import pinvh
    >>> pinvh([[2.0, 0.0], [0.0, 0.0]])
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    matrix, cast = _matrix(a, "a")
    w, v = eigh(matrix, lower=lower, check_finite=check_finite, threads=threads, progress=progress, device=device)
    kept = np.abs(w) > _cutoff(np.abs(w), matrix, atol, rtol)
    v = v[:, kept]
    inverse = _array.cast_to(_product(v / w[kept], v, "N", "C", threads), cast)
    return (inverse, int(np.count_nonzero(kept))) if return_rank else inverse


def polar(
    a: ArrayLike,
    side: Literal["right", "left"] = "right",
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, Array]:
    """Polar decomposition ``a = u @ p``, or ``a = p @ u``.

    Parameters
    ----------
    a : (M, N) array_like
    side : {'right', 'left'}, optional
        The side of p.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    u : (M, N) ndarray
        With orthonormal columns, or rows if there are fewer of these.
    p : (N, N) or (M, M) ndarray
        Hermitian positive semidefinite.

    Raises
    ------
    LinAlgError, ValueError, TypeError, MemoryError
        As in `svd`.

    Examples
    --------
    >>> from trnsci.linalg import polar
    >>> polar([[0.0, -2.0], [3.0, 0.0]])[1]
    array([[3., 0.],
           [0., 2.]])
    """
    if side not in ("right", "left"):
        raise ValueError(f"side: {side!r} is not one of 'right', 'left'")
    matrix, cast = _matrix(a, "a")
    w, s, vh = svd(matrix, full_matrices=False, threads=threads, progress=progress, device=device)
    u = _product(w, vh, "N", "N", threads)
    vectors = vh if side == "right" else w.conj().T
    p = _product(vectors, s[:, None] * vectors, "C", "N", threads)
    return _array.cast_to(u, cast), _array.cast_to(p, cast)


def orth(
    A: ArrayLike,
    rcond: float | None = None,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Orthonormal basis of the range of a matrix.

    Parameters
    ----------
    A : (M, N) array_like
    rcond : float, optional
        Singular values up to ``rcond * max(s)`` count as zero. By default ``max(M, N) * eps``.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    Q : (M, K) ndarray
        Left singular vectors of the K other singular values.

    Raises
    ------
    LinAlgError, ValueError, TypeError, MemoryError
        As in `svd`.

    Examples
    --------
    >>> from trnsci.linalg import orth
    >>> orth([[2.0, 2.0], [0.0, 0.0]]).shape
    (2, 1)
    """
    matrix, cast = _matrix(A, "A")
    u, s, _ = svd(matrix, full_matrices=False, threads=threads, progress=progress, device=device)
    rank = np.count_nonzero(s > _cutoff(s, matrix, None, rcond, "rcond"))
    return _array.cast_to(u[:, :rank], cast)


def null_space(
    A: ArrayLike,
    rcond: float | None = None,
    *,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: Literal["gesdd", "gesvd"] = "gesdd",
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Orthonormal basis of the null space of a matrix.

    Parameters
    ----------
    A : (M, N) array_like
    rcond : float, optional
        Singular values up to ``rcond * max(s)`` count as zero. By default ``max(M, N) * eps``.
    overwrite_a, check_finite, lapack_driver, threads, progress, device
        As in `svd`.

    Returns
    -------
    Z : (N, K) ndarray
        Right singular vectors of the K singular values that count as zero.

    Raises
    ------
    LinAlgError, ValueError, TypeError, MemoryError
        As in `svd`.

    Examples
    --------
    >>> from trnsci.linalg import null_space
    >>> abs(null_space([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]))
    array([[0.],
           [0.],
           [1.]])
    """
    matrix, cast = _matrix(A, "A")
    _, s, vh = svd(
        matrix, True, True, overwrite_a, check_finite, lapack_driver, threads=threads, progress=progress, device=device
    )
    rank = np.count_nonzero(s > _cutoff(s, matrix, None, rcond, "rcond"))
    return _array.cast_to(vh[rank:].conj().T, cast)


def subspace_angles(
    A: ArrayLike,
    B: ArrayLike,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Principal angles between the ranges of two matrices.

    Parameters
    ----------
    A : (M, N) array_like
    B : (M, K) array_like
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    angles : ndarray
        In radians, in descending order: as many as the smaller one of the ranges has dimensions.

    Raises
    ------
    LinAlgError, ValueError, TypeError, MemoryError
        As in `svd`.

    Notes
    -----
    Large angles are computed from cosines, small ones from sines [1]_.

    References
    ----------
    .. [1] A. V. Knyazev and M. E. Argentati, SIAM J. Sci. Comput. 23, 2008 (2002).

    Examples
    --------
    >>> from trnsci.linalg import subspace_angles
    >>> subspace_angles([[1.0], [0.0]], [[1.0], [1.0]]) * 4
    array([3.14159265])
    """
    options: dict[str, Any] = {"threads": threads, "device": device}
    first, second = (orth(x, progress=progress, **options) for x in (_matrix(A, "A")[0], _matrix(B, "B")[0]))
    if len(first) != len(second):
        raise ValueError(f"B: expected as many rows as A, got {len(second)} and {len(first)}")
    cosines = _product(first, second, "C", "N", threads)
    wide = first.shape[1] >= second.shape[1]
    rest = second - _product(first, cosines, "N", "N", threads) if wide else None
    if rest is None:
        rest = first - _product(second, cosines, "N", "C", threads)
    cosine, sine = svdvals(cosines, **options), svdvals(rest, **options)
    small = cosine**2 >= 0.5  # the angle whose cosine is k-th from above has the sine that is k-th from below
    angles = np.where(small, np.arcsin(np.minimum(sine, 1))[::-1], np.arccos(np.minimum(cosine, 1)))
    return angles[::-1]


def orthogonal_procrustes(
    A: ArrayLike,
    B: ArrayLike,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, np.floating[Any]]:
    """Unitary matrix R for which ``A @ R`` is closest to `B` in the Frobenius norm.

    Parameters
    ----------
    A, B : (M, N) array_like
    check_finite, threads, progress, device
        As in `svd`.

    Returns
    -------
    R : (N, N) ndarray
    scale : float
        The sum of the singular values of ``A^H B``.

    Raises
    ------
    LinAlgError, ValueError, TypeError, MemoryError
        As in `svd`.

    Notes
    -----
    P. H. Schoenemann, Psychometrika 31, 1 (1966).

    Examples
    --------
    >>> from trnsci.linalg import orthogonal_procrustes
    >>> R, scale = orthogonal_procrustes([[1.0, 0.0], [0.0, 2.0]], [[0.0, 3.0], [-1.0, 0.0]])
    >>> R, float(scale)
    (array([[ 0.,  1.],
           [-1.,  0.]]), 5.0)
    """
    (first, cast), (second, _) = _matrix(A, "A"), _matrix(B, "B")
    if first.shape != second.shape:
        raise ValueError(f"B: expected the shape of A, got {second.shape} and {first.shape}")
    product = _product(first, second, "C", "N", threads)
    u, s, vh = svd(product, check_finite=check_finite, threads=threads, progress=progress, device=device)
    return _array.cast_to(_product(u, vh, "N", "N", threads), cast), s.sum()


def _matrix(a: ArrayLike, name: str) -> tuple[Array, np.dtype[Any] | None]:
    """Return a single matrix in a computing dtype, and the dtype results are cast to."""
    matrix, cast = _array.check(a, name)
    if matrix.ndim != 2:
        raise ValueError(f"{name}: expected a matrix, got shape {matrix.shape}")
    return matrix, cast


def _cutoff(s: Array, a: Array, atol: float | None, rtol: float | None, name: str = "rtol") -> float:
    """Return the value up to which singular values of `a` count as zero."""
    absolute = 0.0 if atol is None else _array.number(atol, "atol")
    relative = max(a.shape) * float(np.finfo(s.dtype).eps) if rtol is None else _array.number(rtol, name)
    if absolute < 0:
        raise ValueError(f"atol: must not be negative, got {absolute}")
    if relative < 0 and name == "rtol":
        raise ValueError(f"rtol: must not be negative, got {relative}")
    return absolute + float(np.max(s, initial=0.0)) * relative


def _product(a: Array, b: Array, trans_a: str, trans_b: str, threads: int | None) -> Array:
    """Return the product of matrices in their common dtype."""
    return blas.gemm(1, a, b, transA=trans_a, transB=trans_b, threads=threads)
