"""Level 3 of the BLAS: symmetric and Hermitian matrices."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from .._core import _device, _operands
from .._core._array import Array
from ._sections import filled

__all__ = ["hemm", "her2k", "herk", "symm", "syr2k", "syrk"]


def _product(
    alpha: complex,
    a: ArrayLike,
    b: ArrayLike,
    beta: complex,
    c: ArrayLike | None,
    side: str,
    uplo: str,
    hermitian: bool,
    out: Array | None,
    threads: int | None,
    device: str | None,
) -> Array:
    _operands.require_host(device)
    where = _operands.word(side, _operands.SIDE_WORDS, "side")
    triangle = _operands.word(uplo, _operands.UPLO_WORDS, "uplo")
    factor, keep = _operands.scalar(alpha, "alpha"), _operands.scalar(beta, "beta")
    _operands.need_c(keep, c, "C")
    (matrix, other, *given), kind = _operands.settle({"A": a, "B": b, "C": c}, factor, keep, optional="C")
    _operands.check_core(other, "B")
    m, n = other.shape[-2:]
    order = m if where == _operands.LEFT else n
    _operands.check_core(matrix, "A", order, order)
    named = {"A": matrix, "B": other}
    for start in given:
        _operands.check_core(start, "C", m, n)
        named["C"] = start
    lead = _operands.leading(named)
    result = _operands.target((*lead, m, n), kind, out, matrix, other)
    if keep != 0:
        _operands.load(result, given[0])
    matrix, triangle = _operands.symmetric_by_rows(matrix, triangle, hermitian, "A")
    other = _operands.stored_by_rows(other, "B")
    _operands.invoke_product(
        "Symm", 2 * m * n * order, threads, a=_operands.spread(matrix, lead), b=_operands.spread(other, lead), c=result,
        side=where, uplo=triangle, conjugate=hermitian, alpha=factor, beta=keep,
    )  # fmt: skip
    return _operands.finish(result, kind, out)


@filled
def symm(
    alpha: complex,
    A: ArrayLike,
    B: ArrayLike,
    beta: complex = 0.0,
    C: ArrayLike | None = None,
    side: str = "left",
    uplo: str = "upper",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return ``alpha A B + beta C`` or ``alpha B A + beta C`` for a symmetric A, which may be complex.

    Parameters
    ----------
    alpha, beta : scalar
    A : (..., K, K) array_like
        Only the triangle that `uplo` names is read. K is M or N, as `side` says.
    B : (..., M, N) array_like
    C : (..., M, N) array_like, optional
        Not read if `beta` is 0.
    side : {'left', 'right'}, optional
        The side of B on which A stands.
    %(uplo)s
    %(options)s

    Returns
    -------
    (..., M, N) ndarray

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.symm(1, [[1, 2], [0, 4]], [[1], [1]])
    array([[3.],
           [6.]])
    """
    return _product(alpha, A, B, beta, C, side, uplo, False, out, threads, device)


@filled
def hemm(
    alpha: complex,
    A: ArrayLike,
    B: ArrayLike,
    beta: complex = 0.0,
    C: ArrayLike | None = None,
    side: str = "left",
    uplo: str = "upper",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return ``alpha A B + beta C`` or ``alpha B A + beta C`` for a Hermitian A.

    Parameters
    ----------
    alpha, A, B, beta, C, side, uplo
        As in `symm`; the imaginary part of A's diagonal is taken to be zero.
    %(options)s

    Returns
    -------
    (..., M, N) ndarray

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.hemm(1, [[1, 2j], [0, 4]], [[1], [1]])
    array([[1.+2.j],
           [4.-2.j]])
    """
    return _product(alpha, A, B, beta, C, side, uplo, True, out, threads, device)


def _same_layout(matrices: list[Array], flag: int, hermitian: bool) -> tuple[list[Array], int]:
    """Return the factors of a rank-k update by rows, all transposed or none, and the flag that goes with them."""
    if all(map(_operands.is_by_rows, matrices)):
        return matrices, flag
    turned = [_operands.transposed(a) for a in matrices]
    conjugates = hermitian and matrices[0].dtype.kind == "c"
    if all(map(_operands.is_by_rows, turned)) and not conjugates:
        return turned, _operands.TRANS if flag == _operands.NO_TRANS else _operands.NO_TRANS
    return [_operands.stored_by_rows(a, name) for a, name in zip(matrices, "AB", strict=False)], flag


def _update(
    name: str,
    alpha: float | complex,
    factors: dict[str, ArrayLike],
    beta: float | complex,
    c: ArrayLike | None,
    trans: bool | str,
    uplo: str,
    hermitian: bool,
    out: Array | None,
    threads: int | None,
    on: _device.Device | None = None,
    precision: str = "",
) -> Array:
    """Compute a symmetric or Hermitian update on the host, or on a device where the library has ``Device`` and
    `name`."""
    flag = _operands.word(trans, _operands.TRANS_WORDS, "trans")
    triangle = _operands.word(uplo, _operands.UPLO_WORDS, "uplo")
    _operands.need_c(beta, c, "C")
    arrays, kind = _operands.settle({**factors, "C": c}, alpha, beta, optional="C")
    if kind.is_complex and flag == (_operands.TRANS if hermitian else _operands.CONJ_TRANS):
        raise ValueError(
            f"trans: {trans!r} is not possible for a complex {'Hermitian' if hermitian else 'symmetric'} update"
        )
    matrices = arrays[: len(factors)]
    _operands.check_core(matrices[0], "A")
    for matrix in matrices[1:]:
        _operands.check_core(matrix, "B", *matrices[0].shape[-2:])
    n, k = matrices[0].shape[-2:] if flag == _operands.NO_TRANS else matrices[0].shape[:-3:-1]
    if c is not None:
        _operands.check_core(arrays[-1], "C", n, n)
    lead = _operands.leading(dict(zip([*factors, "C"], arrays, strict=False)))
    result = _operands.target((*lead, n, n), kind, out, *matrices)
    if beta != 0:
        (_operands.load_hermitian if hermitian else _operands.load)(result, arrays[-1])
    stored, flag = _same_layout(matrices, flag, hermitian)
    if flag != _operands.NO_TRANS:
        flag = _operands.CONJ_TRANS if hermitian else _operands.TRANS
    work, spread = n * n * k * len(stored), [_operands.spread(a, lead) for a in stored]
    flags: dict[str, Any] = dict(uplo=triangle, trans_a=flag, alpha=alpha, beta=beta)
    if on is not None:
        _operands.invoke_on(on, f"Device{name}", work, threads, a=spread[0], c=result, precision=precision, **flags)
    else:
        b = spread[1] if len(spread) > 1 else None
        _operands.invoke_product(name, work, threads, a=spread[0], b=b, c=result, conjugate=hermitian, **flags)
    return _operands.finish(result, kind, out)


@filled
def syrk(
    alpha: complex,
    A: ArrayLike,
    beta: complex = 0.0,
    C: ArrayLike | None = None,
    trans: bool | str = False,
    uplo: str = "upper",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | _device.Device | None = None,
    precision: str | None = None,
) -> Array:
    """Return the symmetric ``alpha A A^T + beta C``, or ``alpha A^T A + beta C`` with `trans`.

    Parameters
    ----------
    alpha, beta : scalar
    A : (..., N, K) array_like
        (..., K, N) with `trans`.
    C : (..., N, N) array_like, optional
        A symmetric matrix; only the triangle that `uplo` names is read, and not even that if `beta` is 0.
    trans : bool or {'N', 'T'}, optional
    %(uplo)s
        The triangle of C that is read and the one that is computed; the other one is its mirror image.
    out, threads
        See `trnsci.blas`.
    device, precision
        As in `gemm`. A is sent once and not as two factors, C only if `beta` is not 0.

    Returns
    -------
    (..., N, N) ndarray
        All of the symmetric matrix, as in trnblas, and not one triangle as in SciPy.

    %(errors)s
    UnsupportedError
        As in `gemm`.

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.syrk(1, [[1, 2], [3, 4]])
    array([[ 5., 11.],
           [11., 25.]])
    """
    on = _device.resolve(device)
    how = _device.check_precision(precision, on, A, C)
    factor, keep = _operands.scalar(alpha, "alpha"), _operands.scalar(beta, "beta")
    return _update("Syrk", factor, {"A": A}, keep, C, trans, uplo, False, out, threads, on, how)


@filled
def herk(
    alpha: float,
    A: ArrayLike,
    beta: float = 0.0,
    C: ArrayLike | None = None,
    trans: bool | str = False,
    uplo: str = "upper",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return the Hermitian ``alpha A A^H + beta C``, or ``alpha A^H A + beta C`` with `trans`.

    Parameters
    ----------
    alpha, beta : real scalar
    A : (..., N, K) array_like
        (..., K, N) with `trans`.
    C : (..., N, N) array_like, optional
        A Hermitian matrix; only the triangle that `uplo` names is read, and not even that if `beta` is 0.
    trans : {False, 'N', 'C'}, optional
        For real matrices also True and 'T'.
    %(uplo)s
    %(options)s

    Returns
    -------
    (..., N, N) ndarray
        All of the Hermitian matrix; its diagonal is real.

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.herk(1, [[1], [2j]])
    array([[1.+0.j, 0.-2.j],
           [0.+2.j, 4.+0.j]])
    """
    _operands.require_host(device)
    factor, keep = _operands.real_scalar(alpha, "alpha"), _operands.real_scalar(beta, "beta")
    return _update("Syrk", factor, {"A": A}, keep, C, trans, uplo, True, out, threads)


@filled
def syr2k(
    alpha: complex,
    A: ArrayLike,
    B: ArrayLike,
    beta: complex = 0.0,
    C: ArrayLike | None = None,
    trans: bool | str = False,
    uplo: str = "upper",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return the symmetric ``alpha (A B^T + B A^T) + beta C``, or ``alpha (A^T B + B^T A) + beta C`` with `trans`.

    Parameters
    ----------
    alpha, beta : scalar
    A, B : (..., N, K) array_like
        (..., K, N) with `trans`.
    C, trans, uplo
        As in `syrk`.
    %(options)s

    Returns
    -------
    (..., N, N) ndarray
        All of the symmetric matrix.

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.syr2k(1, [[1], [2]], [[3], [5]])
    array([[ 6., 11.],
           [11., 20.]])
    """
    _operands.require_host(device)
    factor, keep = _operands.scalar(alpha, "alpha"), _operands.scalar(beta, "beta")
    return _update("Syr2k", factor, {"A": A, "B": B}, keep, C, trans, uplo, False, out, threads)


@filled
def her2k(
    alpha: complex,
    A: ArrayLike,
    B: ArrayLike,
    beta: float = 0.0,
    C: ArrayLike | None = None,
    trans: bool | str = False,
    uplo: str = "upper",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return the Hermitian ``alpha A B^H + conj(alpha) B A^H + beta C``.

    With `trans` it is ``alpha A^H B + conj(alpha) B^H A + beta C``.

    Parameters
    ----------
    alpha : scalar
    A, B : (..., N, K) array_like
        (..., K, N) with `trans`.
    beta : real scalar, optional
    C, trans, uplo
        As in `herk`.
    %(options)s

    Returns
    -------
    (..., N, N) ndarray
        All of the Hermitian matrix; its diagonal is real.

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.her2k(1, [[1], [2j]], [[1], [1]])
    array([[2.+0.j, 1.-2.j],
           [1.+2.j, 0.+0.j]])
    """
    _operands.require_host(device)
    factor, keep = _operands.scalar(alpha, "alpha"), _operands.real_scalar(beta, "beta")
    return _update("Syr2k", factor, {"A": A, "B": B}, keep, C, trans, uplo, True, out, threads)
