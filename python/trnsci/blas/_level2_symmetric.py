"""Level 2 of the BLAS: symmetric and Hermitian matrices with vectors."""

from __future__ import annotations

from numpy.typing import ArrayLike

from .._core import _operands
from .._core._array import Array
from ._sections import filled

__all__ = ["hemv", "her", "her2", "symv", "syr", "syr2"]


def _product(
    alpha: complex,
    a: ArrayLike,
    x: ArrayLike,
    beta: complex,
    y: ArrayLike | None,
    uplo: str,
    hermitian: bool,
    out: Array | None,
    threads: int | None,
    device: str | None,
) -> Array:
    _operands.require_host(device)
    triangle = _operands.word(uplo, _operands.UPLO_WORDS, "uplo")
    factor, keep = _operands.scalar(alpha, "alpha"), _operands.scalar(beta, "beta")
    _operands.need_c(keep, y, "y")
    (matrix, vector, *given), kind = _operands.settle({"A": a, "x": x, "y": y}, factor, keep, optional="y")
    _operands.check_matrix(matrix, "A", columns=matrix.shape[0] if matrix.ndim else None)
    vector = _operands.check_vector(vector, "x", len(matrix))
    start = [_operands.check_vector(a, "y", len(matrix)) for a in given]
    result = _operands.target(vector.shape, kind, out, matrix, vector)
    if keep != 0:
        _operands.load(result, start[0])
    stored, triangle = _operands.symmetric_by_rows(matrix, triangle, hermitian, "A")
    _operands.invoke(
        "Symv", 2 * matrix.size, threads, a=stored, b=vector, c=result,
        uplo=triangle, conjugate=hermitian, alpha=factor, beta=keep,
    )  # fmt: skip
    return _operands.finish(result, kind, out)


@filled
def symv(
    alpha: complex,
    A: ArrayLike,
    x: ArrayLike,
    beta: complex = 0.0,
    y: ArrayLike | None = None,
    uplo: str = "upper",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return ``alpha A x + beta y`` for a symmetric A, which may be complex.

    Parameters
    ----------
    alpha, beta : scalar
    A : (N, N) array_like
        Only the triangle that `uplo` names is read.
    x : (N,) array_like
    y : (N,) array_like, optional
        Not read if `beta` is 0.
    %(uplo)s
    %(options)s

    Returns
    -------
    (N,) ndarray

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.symv(1, [[1, 2], [0, 4]], [1, 1])
    array([3., 6.])
    """
    return _product(alpha, A, x, beta, y, uplo, False, out, threads, device)


@filled
def hemv(
    alpha: complex,
    A: ArrayLike,
    x: ArrayLike,
    beta: complex = 0.0,
    y: ArrayLike | None = None,
    uplo: str = "upper",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return ``alpha A x + beta y`` for a Hermitian A.

    Parameters
    ----------
    alpha, A, x, beta, y, uplo
        As in `symv`; the imaginary part of A's diagonal is taken to be zero.
    %(options)s

    Returns
    -------
    (N,) ndarray

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.hemv(1, [[1, 2j], [0, 4]], [1, 1])
    array([1.+2.j, 4.-2.j])
    """
    return _product(alpha, A, x, beta, y, uplo, True, out, threads, device)


def _update(
    name: str,
    alpha: float | complex,
    vectors: dict[str, ArrayLike],
    a: ArrayLike | None,
    uplo: str,
    hermitian: bool,
    out: Array | None,
    threads: int | None,
    device: str | None,
) -> Array:
    _operands.require_host(device)
    triangle = _operands.word(uplo, _operands.UPLO_WORDS, "uplo")
    arrays, kind = _operands.settle({**vectors, "A": a}, alpha, optional="A")
    order = arrays[0].shape[0] if arrays[0].ndim else None
    read = [_operands.check_vector(x, v, order) for x, v in zip(arrays, vectors, strict=False)]
    shape = len(read[0]), len(read[0])
    if a is not None:
        _operands.check_matrix(arrays[-1], "A", *shape)
    result = _operands.target(shape, kind, out, *read)
    (_operands.load_hermitian if hermitian else _operands.load)(result, 0 if a is None else arrays[-1])
    x, y = read[0], read[1] if len(read) > 1 else None
    _operands.invoke(
        name, 2 * result.size, threads, a=result, b=x, c=y, uplo=triangle, conjugate=hermitian, alpha=alpha
    )
    return _operands.finish(result, kind, out)


@filled
def syr(
    alpha: complex,
    x: ArrayLike,
    A: ArrayLike | None = None,
    uplo: str = "upper",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return the symmetric rank-one update ``alpha x x^T + A``.

    Parameters
    ----------
    alpha : scalar
    x : (N,) array_like
    %(symmetric_a)s
    %(uplo)s
    %(options)s

    Returns
    -------
    (N, N) ndarray
        All of the symmetric matrix, not one triangle as in SciPy.

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.syr(1, [1, 2])
    array([[1., 2.],
           [2., 4.]])
    """
    return _update("Syr", _operands.scalar(alpha, "alpha"), {"x": x}, A, uplo, False, out, threads, device)


@filled
def her(
    alpha: float,
    x: ArrayLike,
    A: ArrayLike | None = None,
    uplo: str = "upper",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return the Hermitian rank-one update ``alpha x x^H + A``.

    Parameters
    ----------
    alpha : real scalar
    x : (N,) array_like
    %(hermitian_a)s
    %(uplo)s
    %(options)s

    Returns
    -------
    (N, N) ndarray
        All of the Hermitian matrix; its diagonal is real.

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.her(1, [1, 2j])
    array([[1.+0.j, 0.-2.j],
           [0.+2.j, 4.+0.j]])
    """
    return _update("Syr", _operands.real_scalar(alpha, "alpha"), {"x": x}, A, uplo, True, out, threads, device)


@filled
def syr2(
    alpha: complex,
    x: ArrayLike,
    y: ArrayLike,
    A: ArrayLike | None = None,
    uplo: str = "upper",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return the symmetric rank-two update ``alpha (x y^T + y x^T) + A``.

    Parameters
    ----------
    alpha : scalar
    x, y : (N,) array_like
    %(symmetric_a)s
    %(uplo)s
    %(options)s

    Returns
    -------
    (N, N) ndarray
        All of the symmetric matrix.

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.syr2(1, [1, 2], [3, 5])
    array([[ 6., 11.],
           [11., 20.]])
    """
    return _update("Syr2", _operands.scalar(alpha, "alpha"), {"x": x, "y": y}, A, uplo, False, out, threads, device)


@filled
def her2(
    alpha: complex,
    x: ArrayLike,
    y: ArrayLike,
    A: ArrayLike | None = None,
    uplo: str = "upper",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return the Hermitian rank-two update ``alpha x y^H + conj(alpha) y x^H + A``.

    Parameters
    ----------
    alpha : scalar
    x, y : (N,) array_like
    %(hermitian_a)s
    %(uplo)s
    %(options)s

    Returns
    -------
    (N, N) ndarray
        All of the Hermitian matrix; its diagonal is real.

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.her2(1j, [1, 1j], [1, 1])
    array([[ 0.+0.j, -1.+1.j],
           [-1.-1.j, -2.+0.j]])
    """
    return _update("Syr2", _operands.scalar(alpha, "alpha"), {"x": x, "y": y}, A, uplo, True, out, threads, device)
