"""Level 2 of the BLAS: general and triangular matrices with vectors."""

from __future__ import annotations

from numpy.typing import ArrayLike

from .._core import _operands
from .._core._array import Array
from ._sections import filled

__all__ = ["gemv", "ger", "gerc", "trmv", "trsv"]


@filled
def gemv(
    alpha: complex,
    A: ArrayLike,
    x: ArrayLike,
    beta: complex = 0.0,
    y: ArrayLike | None = None,
    trans: bool | str = False,
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return ``alpha op(A) x + beta y``.

    Parameters
    ----------
    alpha, beta : scalar
    A : (M, N) array_like
    x : (K,) array_like
        K is the number of columns of ``op(A)``.
    y : (L,) array_like, optional
        L is the number of rows of ``op(A)``; not read if `beta` is 0.
    trans : bool or {'N', 'T', 'C'}, optional
        What ``op(A)`` is.
    %(options)s

    Returns
    -------
    (L,) ndarray

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.gemv(1, [[1, 2], [3, 4]], [1, 1])
    array([3., 7.])
    >>> blas.gemv(1, [[1, 2], [3, 4]], [1, 1], 10, [1, 1], trans=True)
    array([14., 16.])
    """
    _operands.require_host(device)
    flag = _operands.word(trans, _operands.TRANS_WORDS, "trans")
    factor, keep = _operands.scalar(alpha, "alpha"), _operands.scalar(beta, "beta")
    _operands.need_c(keep, y, "y")
    (matrix, vector, *given), kind = _operands.settle({"A": A, "x": x, "y": y}, factor, keep, optional="y")
    _operands.check_matrix(matrix, "A")
    rows, columns = matrix.shape if flag == _operands.NO_TRANS else matrix.shape[::-1]
    vector = _operands.check_vector(vector, "x", columns)
    start = [_operands.check_vector(a, "y", rows) for a in given]
    result = _operands.target((rows,), kind, out, matrix, vector)
    if keep != 0:
        _operands.load(result, start[0])
    stored, flag = _operands.by_rows(matrix, flag, "A")
    _operands.invoke(
        "Gemv", 2 * matrix.size, threads, a=stored, b=vector, c=result, trans_a=flag, alpha=factor, beta=keep
    )
    return _operands.finish(result, kind, out)


def _rank_one(
    alpha: complex,
    x: ArrayLike,
    y: ArrayLike,
    a: ArrayLike | None,
    conjugate: bool,
    out: Array | None,
    threads: int | None,
    device: str | None,
) -> Array:
    _operands.require_host(device)
    factor = _operands.scalar(alpha, "alpha")
    (left, right, *given), kind = _operands.settle({"x": x, "y": y, "A": a}, factor, optional="A")
    left, right = _operands.check_vector(left, "x"), _operands.check_vector(right, "y")
    shape = len(left), len(right)
    if given:
        _operands.check_matrix(given[0], "A", *shape)
    result = _operands.target(shape, kind, out, left, right)
    _operands.load(result, given[0] if given else 0)
    _operands.invoke("Ger", 2 * result.size, threads, a=result, b=left, c=right, conjugate=conjugate, alpha=factor)
    return _operands.finish(result, kind, out)


@filled
def ger(
    alpha: complex,
    x: ArrayLike,
    y: ArrayLike,
    A: ArrayLike | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return the rank-one update ``alpha x y^T + A``.

    Parameters
    ----------
    alpha : scalar
    x : (M,) array_like
    y : (N,) array_like
    A : (M, N) array_like, optional
        Zero if it is not given.
    %(options)s

    Returns
    -------
    (M, N) ndarray

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.ger(2, [1, 2], [3, 4, 5])
    array([[ 6.,  8., 10.],
           [12., 16., 20.]])
    """
    return _rank_one(alpha, x, y, A, False, out, threads, device)


@filled
def gerc(
    alpha: complex,
    x: ArrayLike,
    y: ArrayLike,
    A: ArrayLike | None = None,
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return the rank-one update ``alpha x y^H + A``.

    Parameters
    ----------
    alpha : scalar
    x : (M,) array_like
    y : (N,) array_like
        Its conjugate is used.
    A : (M, N) array_like, optional
        Zero if it is not given.
    %(options)s

    Returns
    -------
    (M, N) ndarray

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.gerc(1, [1], [1j])
    array([[0.-1.j]])
    """
    return _rank_one(alpha, x, y, A, True, out, threads, device)


def _triangular(
    a: ArrayLike,
    x: ArrayLike,
    uplo: str,
    trans: bool | str,
    diag: str,
    solve: bool,
    out: Array | None,
    threads: int | None,
    device: str | None,
) -> Array:
    _operands.require_host(device)
    triangle = _operands.word(uplo, _operands.UPLO_WORDS, "uplo")
    flag = _operands.word(trans, _operands.TRANS_WORDS, "trans")
    unit = _operands.word(diag, _operands.DIAG_WORDS, "diag")
    (matrix, vector), kind = _operands.settle({"A": a, "x": x})
    _operands.check_matrix(matrix, "A", columns=matrix.shape[0] if matrix.ndim else None)
    vector = _operands.check_vector(vector, "x", len(matrix))
    result = _operands.target(vector.shape, kind, out, matrix)
    _operands.load(result, vector)
    stored, triangle, flag = _operands.triangle_by_rows(matrix, triangle, flag, "A")
    _operands.invoke(
        "TriangularVector",
        matrix.size,
        threads,
        a=stored,
        b=result,
        uplo=triangle,
        trans_a=flag,
        diag=unit,
        solve=solve,
    )
    return _operands.finish(result, kind, out)


@filled
def trmv(
    A: ArrayLike,
    x: ArrayLike,
    uplo: str = "upper",
    trans: bool | str = False,
    diag: str = "nonunit",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return ``op(A) x`` for a triangular A.

    Parameters
    ----------
    A : (N, N) array_like
        Only the triangle that `uplo` names is read.
    x : (N,) array_like
    %(uplo)s
    trans : bool or {'N', 'T', 'C'}, optional
        What ``op(A)`` is.
    diag : {'nonunit', 'unit'}, optional
        'unit': the diagonal is not read and taken to be one.
    %(options)s

    Returns
    -------
    (N,) ndarray

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.trmv([[1, 2], [0, 4]], [1, 1])
    array([3., 4.])
    """
    return _triangular(A, x, uplo, trans, diag, False, out, threads, device)


@filled
def trsv(
    A: ArrayLike,
    x: ArrayLike,
    uplo: str = "upper",
    trans: bool | str = False,
    diag: str = "nonunit",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return the solution z of ``op(A) z = x`` for a triangular A.

    Parameters
    ----------
    A, x, uplo, trans, diag
        As in `trmv`.
    %(options)s

    Returns
    -------
    (N,) ndarray
        A zero on the diagonal of A gives infinities or NaNs; `trnsci.linalg.solve_triangular` raises an error instead.

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.trsv([[1, 2], [0, 4]], [3, 4])
    array([1., 1.])
    """
    return _triangular(A, x, uplo, trans, diag, True, out, threads, device)
