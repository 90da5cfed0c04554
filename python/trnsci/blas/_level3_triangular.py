"""Level 3 of the BLAS: triangular matrices."""

from __future__ import annotations

from numpy.typing import ArrayLike

from .._core import _operands
from .._core._array import Array
from ._sections import filled

__all__ = ["trmm", "trsm"]


def _triangular(
    alpha: complex,
    a: ArrayLike,
    b: ArrayLike,
    side: str,
    uplo: str,
    trans: bool | str,
    diag: str,
    solve: bool,
    out: Array | None,
    threads: int | None,
    device: str | None,
) -> Array:
    _operands.require_host(device)
    where = _operands.word(side, _operands.SIDE_WORDS, "side")
    triangle = _operands.word(uplo, _operands.UPLO_WORDS, "uplo")
    flag = _operands.word(trans, _operands.TRANS_WORDS, "trans")
    unit = _operands.word(diag, _operands.DIAG_WORDS, "diag")
    factor = _operands.scalar(alpha, "alpha")
    (matrix, other), kind = _operands.settle({"A": a, "B": b}, factor)
    _operands.check_core(other, "B")
    m, n = other.shape[-2:]
    order = m if where == _operands.LEFT else n
    _operands.check_core(matrix, "A", order, order)
    lead = _operands.leading({"A": matrix, "B": other})
    result = _operands.target((*lead, m, n), kind, out, matrix)
    _operands.load(result, other)
    matrix, triangle, flag = _operands.triangle_by_rows(matrix, triangle, flag, "A")
    _operands.invoke_product(
        "TriangularMatrix", m * n * order, threads, a=_operands.spread(matrix, lead), c=result,
        side=where, uplo=triangle, trans_a=flag, diag=unit, solve=solve, alpha=factor,
    )  # fmt: skip
    return _operands.finish(result, kind, out)


@filled
def trmm(
    alpha: complex,
    A: ArrayLike,
    B: ArrayLike,
    side: str = "left",
    uplo: str = "upper",
    trans: bool | str = False,
    diag: str = "nonunit",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return ``alpha op(A) B`` or ``alpha B op(A)`` for a triangular A.

    Parameters
    ----------
    alpha : scalar
    A : (..., K, K) array_like
        Only the triangle that `uplo` names is read. K is M or N, as `side` says.
    B : (..., M, N) array_like
    side : {'left', 'right'}, optional
        The side of B on which A stands.
    %(uplo)s
    trans : bool or {'N', 'T', 'C'}, optional
        What ``op(A)`` is.
    diag : {'nonunit', 'unit'}, optional
        'unit': the diagonal is not read and taken to be one.
    out, threads, device
        See `trnsci.blas`; `out` may be B.

    Returns
    -------
    (..., M, N) ndarray

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.trmm(1, [[1, 2], [0, 4]], [[1], [1]])
    array([[3.],
           [4.]])
    """
    return _triangular(alpha, A, B, side, uplo, trans, diag, False, out, threads, device)


@filled
def trsm(
    alpha: complex,
    A: ArrayLike,
    B: ArrayLike,
    side: str = "left",
    uplo: str = "upper",
    trans: bool | str = False,
    diag: str = "nonunit",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return the solution X of ``op(A) X = alpha B`` or ``X op(A) = alpha B`` for a triangular A.

    Parameters
    ----------
    alpha, A, B, side, uplo, trans, diag
        As in `trmm`.
    out, threads, device
        See `trnsci.blas`; `out` may be B.

    Returns
    -------
    (..., M, N) ndarray
        A zero on the diagonal of A gives infinities or NaNs; `trnsci.linalg.solve_triangular` raises an error instead.

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.trsm(1, [[1, 2], [0, 4]], [[3], [4]])
    array([[1.],
           [1.]])
    """
    return _triangular(alpha, A, B, side, uplo, trans, diag, True, out, threads, device)
