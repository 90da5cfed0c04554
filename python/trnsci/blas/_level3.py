"""Level 3 of the BLAS: products of general matrices."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _native, _operands, _small, _threads
from .._core._array import Array
from ._sections import filled

__all__ = ["batched_gemm", "gemm", "gemmt"]

# dtype codes of the Go library for operands of the quick way.
_QUICK = {np.dtype(name): code for code, name in enumerate(("float32", "float64", "complex64", "complex128"))}
_REAL = (float, int)
_UNFIT = 0

_NO_TRANS, _ndarray, _empty = _operands.NO_TRANS, np.ndarray, np.empty
_QUICK_TRANS = {False: _operands.NO_TRANS, True: _operands.TRANS, "N": _operands.NO_TRANS, "T": _operands.TRANS}


def _quick(
    alpha: Any, a: Array, b: Array, trans_a: Any, trans_b: Any, out: Array | None, threads: int | None
) -> Array | None:
    """Return ``alpha op(a) op(b)`` for the plainest of operands and stacks at the least expense; None for all others.

    The common way, which also tells what is wrong with an argument, costs a small product many times its arithmetic.
    """
    dtype = a.dtype
    if dtype is not b.dtype or type(alpha) not in _REAL or not _small.is_possible():
        return None
    shape_a, shape_b = a.shape, b.shape
    lead: tuple[int, ...] = ()
    if len(shape_a) > 2:
        lead, shape_a, shape_b = shape_a[:-2], shape_a[-2:], shape_b[-2:]
        if lead != b.shape[:-2]:
            return None
    count = prod(lead) if lead else 1
    try:
        flag_a, flag_b, code = _QUICK_TRANS[trans_a], _QUICK_TRANS[trans_b], _QUICK[dtype]
        m, k = shape_a if flag_a == _NO_TRANS else shape_a[::-1]
        kb, n = shape_b if flag_b == _NO_TRANS else shape_b[::-1]
    except (KeyError, TypeError, ValueError):
        return None
    work = m * n * k * count
    if k != kb or work == 0 or (work > _costs.QUICK_PRODUCT and _cost(work, dtype) > _native.direct_work()):
        return None
    flags_a, flags_b = a.flags, b.flags  # not _small.is_plain: a call takes as long as the flags
    if not (flags_a.c_contiguous and flags_a.aligned):
        a, flag_a = _turned(a, flag_a)
    if not (flags_b.c_contiguous and flags_b.aligned):
        b, flag_b = _turned(b, flag_b)
    if flag_a == _UNFIT or flag_b == _UNFIT:
        return None
    if out is None:
        c = _operands.result((*lead, m, n), dtype) if lead else _empty((m, n), dtype)
    elif type(out) is not _ndarray or out.dtype is not dtype or out.shape != (*lead, m, n) or not _small.is_plain(out):
        return None
    elif _array.is_writable(out):
        c = out
    else:
        return None
    size = 1 if threads is None and work <= _costs.ONE_THREAD_PRODUCT else _threads.resolve(threads)
    try:
        overlap = _native.call("Multiply", size, code, id(a), id(b), id(c), count, m, n, k, flag_a, flag_b, alpha)
    except OverflowError:  # alpha is an integer beyond the largest float
        return None
    return None if overlap else c


def _turned(a: Array, flag: int) -> tuple[Array, int]:
    """Return the transpose of a matrix and the flag with which it stands for op(a), _UNFIT unless it is plain."""
    turned = a.T
    return turned, _operands.flipped(flag) if a.ndim == 2 and _small.is_plain(turned) else _UNFIT


def _cost(work: int, dtype: np.dtype[Any]) -> float:
    """Return the estimated cost of a product of `work` multiplications."""
    return 2 * _costs.PRODUCT * work * (_costs.COMPLEX_FACTOR if dtype.kind == "c" else 1)


_Shape = tuple[tuple[int, ...], tuple[int, int, int]]


def _shape_of_product(a: Array, trans_a: int, b: Array, trans_b: int, c: Array | None, out: Any) -> _Shape:
    """Return the leading dimensions of a product, and M, K and N; check that C and `out` fit."""
    m, k = a.shape[-2:] if trans_a == _operands.NO_TRANS else a.shape[:-3:-1]
    kb, n = b.shape[-2:] if trans_b == _operands.NO_TRANS else b.shape[:-3:-1]
    if k != kb:
        raise ValueError(f"B: shape {b.shape} does not fit A's shape {a.shape}: op(A) has {k} columns, op(B) {kb} rows")
    named = {"A": a, "B": b}
    if c is not None:
        _operands.check_core(c, "C", m, n)
        named["C"] = c
    lead = tuple(_operands.leading(named))
    if isinstance(out, np.ndarray) and out.shape != (*lead, m, n):
        raise ValueError(f"out: expected shape {(*lead, m, n)}, got {out.shape}")
    return lead, (m, k, n)


def _general(
    shape: _Shape,
    factor: float | complex,
    a: Array,
    trans_a: int,
    b: Array,
    trans_b: int,
    keep: float | complex,
    c: Array | None,
    kind: _operands.Kind,
    out: Array | None,
    threads: int | None,
    on: _device.Device | None,
    precision: str,
) -> Array:
    """Compute a product of checked operands."""
    lead, (m, k, n) = shape
    result = _operands.target((*lead, m, n), kind, out, a, b)
    if keep != 0 and c is not None:
        _operands.load(result, c)
    a, trans_a = _operands.by_rows(a, trans_a, "A")
    b, trans_b = _operands.by_rows(b, trans_b, "B")
    work, a, b = 2 * m * n * k, _operands.spread(a, lead), _operands.spread(b, lead)
    flags: dict[str, Any] = dict(trans_a=trans_a, trans_b=trans_b, alpha=factor, beta=keep)
    if on is not None:
        _operands.invoke_on(on, "DeviceGemm", work, threads, a=a, b=b, c=result, precision=precision, **flags)
    else:
        _operands.invoke_product("Gemm", work, threads, a=a, b=b, c=result, **flags)
    return _operands.finish(result, kind, out)


def _is_by_columns(out: Any) -> bool:
    if not isinstance(out, np.ndarray) or out.ndim < 2 or _operands.is_by_rows(out):
        return False
    return _operands.is_by_rows(_operands.transposed(out))


@filled
def gemm(
    alpha: complex,
    A: ArrayLike,
    B: ArrayLike,
    beta: complex = 0.0,
    C: ArrayLike | None = None,
    transA: bool | str = False,
    transB: bool | str = False,
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | _device.Device | None = None,
    precision: str | None = None,
) -> Array:
    """Return ``alpha op(A) op(B) + beta C``.

    Parameters
    ----------
    alpha, beta : scalar
    A, B : (..., M, N) array_like
        Matrices, or stacks of them, whose ``op`` fit each other.
    C : (..., M, N) array_like, optional
        Has the shape of ``op(A) op(B)``; not read if `beta` is 0.
    transA, transB : bool or {'N', 'T', 'C'}, optional
        What ``op`` is.
    out, threads
        See `trnsci.blas`.
    device : str or Device, optional
        Where to run; see `trnsci.devices`. On a device the product is one run of a graph whose sizes are those of A and
        B rounded up; what happened is in `trnsci.last_report`, its error bound included. Arrays are real there.
    precision : {'fp32', 'fp64', 'bf16', 'bf16x2', 'bf16x3'}, optional
        How a device multiplies; float64 arrays need it, float32 ones are multiplied in ``'fp32'`` if it is None. The
        result has the dtype of the arrays. With bf16, operands are rounded to 8 bits, or written as sums of two or
        three such numbers; sums are in single precision.

    Returns
    -------
    (..., M, N) ndarray
        The leading dimensions are those of A, B and C, broadcast.

    %(errors)s
    UnsupportedError
        For float64 arrays on a device without `precision`, for complex ones, and for what the device lacks.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci import blas
    >>> a = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> blas.gemm(1, a, a)
    array([[ 7., 10.],
           [15., 22.]])
    >>> blas.gemm(1, a, a, -1, np.ones((2, 2)), transA=True)
    array([[ 9., 13.],
           [13., 19.]])
    """
    if C is device is precision is None and type(beta) in _REAL and type(A) is type(B) is _ndarray and beta == 0:
        quick = _quick(alpha, A, B, transA, transB, out, threads)
        if quick is not None:
            return quick
    on = _device.resolve(device)
    how = _device.check_precision(precision, on, A, B, C)
    trans_a = _operands.word(transA, _operands.TRANS_WORDS, "transA")
    trans_b = _operands.word(transB, _operands.TRANS_WORDS, "transB")
    factor, keep = _operands.scalar(alpha, "alpha"), _operands.scalar(beta, "beta")
    _operands.need_c(keep, C, "C")
    (a, b, *given), kind = _operands.settle({"A": A, "B": B, "C": C}, factor, keep, optional="C")
    _operands.check_core(a, "A")
    _operands.check_core(b, "B")
    c = given[0] if given else None
    shape = _shape_of_product(a, trans_a, b, trans_b, c, out)
    if (
        out is None
        or not _is_by_columns(out)
        or _operands.CONJ_TRANS in (trans_a, trans_b)
        or (c is not None and c.ndim < 2)
    ):
        return _general(shape, factor, a, trans_a, b, trans_b, keep, c, kind, out, threads, on, how)
    # C^T = op(B)^T op(A)^T: what is stored by columns is the transpose of what is stored by rows.
    flag_a, flag_b = _operands.flipped(trans_a), _operands.flipped(trans_b)
    turned = _operands.transposed(out)
    start = turned if c is out else None if c is None else _operands.transposed(c)
    lead, (m, k, n) = shape
    _general((lead, (n, k, m)), factor, b, flag_b, a, flag_a, keep, start, kind, turned, threads, on, how)
    return out


def _stack(a: ArrayLike, name: str) -> Array:
    stack = _array.as_array(a, name)
    if stack.ndim != 3:
        _array.check(stack, name)  # what is no array at all has no shape to speak of
        raise ValueError(f"{name}: expected three dimensions, got shape {stack.shape}")
    return stack


@filled
def batched_gemm(
    alpha: complex,
    A: ArrayLike,
    B: ArrayLike,
    beta: complex = 0.0,
    C: ArrayLike | None = None,
    transA: bool | str = False,
    transB: bool | str = False,
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | _device.Device | None = None,
    precision: str | None = None,
) -> Array:
    """Return ``alpha op(A[i]) op(B[i]) + beta C[i]`` for all i.

    It is `gemm`, which takes stacks too, for those that call it by the name that it had in trnblas.

    Parameters
    ----------
    alpha, beta, transA, transB
        As in `gemm`.
    A, B, C : (L, M, N) array_like
        Stacks of matrices; an L of 1 is broadcast.
    out, threads
        See `trnsci.blas`.
    device, precision
        As in `gemm`.

    Returns
    -------
    (L, M, N) ndarray

    %(errors)s

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci import blas
    >>> blas.batched_gemm(1, np.ones((3, 2, 4)), np.ones((3, 4, 2))).shape
    (3, 2, 2)
    """
    a, b, c = _stack(A, "A"), _stack(B, "B"), None if C is None else _stack(C, "C")
    return gemm(alpha, a, b, beta, c, transA, transB, out=out, threads=threads, device=device, precision=precision)


@filled
def gemmt(
    alpha: complex,
    A: ArrayLike,
    B: ArrayLike,
    beta: complex = 0.0,
    C: ArrayLike | None = None,
    transA: bool | str = False,
    transB: bool | str = False,
    uplo: str = "upper",
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return one triangle of ``alpha op(A) op(B) + beta C``, which is square.

    Parameters
    ----------
    alpha, A, B, beta, transA, transB
        As in `gemm`.
    C : (..., N, N) array_like, optional
        Only the triangle that `uplo` names is read, and not even that if `beta` is 0.
    %(uplo)s
    out : (..., N, N) ndarray, optional
        Only the triangle that `uplo` names is written.
    threads, device
        See `trnsci.blas`.

    Returns
    -------
    (..., N, N) ndarray
        The other triangle is zero, or what it was in `out`.

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.gemmt(1, [[1], [2]], [[3, 4]])
    array([[3., 4.],
           [0., 8.]])
    """
    _operands.require_host(device)
    triangle = _operands.word(uplo, _operands.UPLO_WORDS, "uplo")
    trans_a = _operands.word(transA, _operands.TRANS_WORDS, "transA")
    trans_b = _operands.word(transB, _operands.TRANS_WORDS, "transB")
    factor, keep = _operands.scalar(alpha, "alpha"), _operands.scalar(beta, "beta")
    _operands.need_c(keep, C, "C")
    (a, b, *given), kind = _operands.settle({"A": A, "B": B, "C": C}, factor, keep, optional="C")
    _operands.check_core(a, "A")
    n, k = a.shape[-2:] if trans_a == _operands.NO_TRANS else a.shape[:-3:-1]
    _operands.check_core(b, "B", *((k, n) if trans_b == _operands.NO_TRANS else (n, k)))
    named = {"A": a, "B": b}
    for c in given:
        _operands.check_core(c, "C", n, n)
        named["C"] = c
    lead = _operands.leading(named)
    result = _operands.target((*lead, n, n), kind, out, a, b)
    if out is not result:
        _operands.load(result, 0 if out is None else out)
    if keep != 0 and given[0] is not result:
        written = np.tri(n, dtype=bool) if triangle == _operands.LOWER else ~np.tri(n, k=-1, dtype=bool)
        np.copyto(result, given[0], where=written)
    a, trans_a = _operands.by_rows(a, trans_a, "A")
    b, trans_b = _operands.by_rows(b, trans_b, "B")
    _operands.invoke_product(
        "Gemmt", n * n * k, threads, a=_operands.spread(a, lead), b=_operands.spread(b, lead), c=result,
        uplo=triangle, trans_a=trans_a, trans_b=trans_b, alpha=factor, beta=keep,
    )  # fmt: skip
    return _operands.finish(result, kind, out)
