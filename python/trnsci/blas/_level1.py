"""Level 1 of the BLAS: vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core import _operands
from .._core._array import Array
from ._sections import filled

_Real: TypeAlias = "NDArray[np.floating[Any] | np.integer[Any] | np.bool_] | Sequence[float]"
_Complex: TypeAlias = "NDArray[np.complexfloating[Any, Any]]"


@filled
def axpy(
    alpha: complex,
    x: ArrayLike,
    y: ArrayLike,
    *,
    out: Array | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Array:
    """Return ``alpha x + y``.

    Parameters
    ----------
    alpha : scalar
    x, y : (N,) array_like
    %(options)s

    Returns
    -------
    (N,) ndarray

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.axpy(2, [1, 2, 3], [10, 10, 10])
    array([12., 14., 16.])
    """
    _operands.require_host(device)
    factor = _operands.scalar(alpha, "alpha")
    (left, right), kind = _operands.settle({"x": x, "y": y}, factor)
    left = _operands.check_vector(left, "x")
    right = _operands.check_vector(right, "y", len(left))
    result = _operands.target(left.shape, kind, out, left)
    _operands.load(result, right)
    _operands.invoke("Axpy", 2 * len(left), threads, a=left, b=result, alpha=factor)
    return _operands.finish(result, kind, out)


@filled
def scal(
    alpha: complex, x: ArrayLike, *, out: Array | None = None, threads: int | None = None, device: str | None = None
) -> Array:
    """Return ``alpha x``.

    Parameters
    ----------
    alpha : scalar
    x : (N,) array_like
    %(options)s

    Returns
    -------
    (N,) ndarray

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.scal(0.5, [2, 4])
    array([1., 2.])
    """
    _operands.require_host(device)
    factor = _operands.scalar(alpha, "alpha")
    (vector,), kind = _operands.settle({"x": x}, factor)
    vector = _operands.check_vector(vector, "x")
    result = _operands.target(vector.shape, kind, out)
    _operands.load(result, vector)
    _operands.invoke("Scal", len(vector), threads, a=result, alpha=factor)
    return _operands.finish(result, kind, out)


def _product(x: ArrayLike, y: ArrayLike, conjugate: bool, threads: int | None, device: str | None) -> Any:
    _operands.require_host(device)
    (left, right), kind = _operands.settle({"x": x, "y": y})
    left = _operands.check_vector(left, "x")
    right = _operands.check_vector(right, "y", len(left))
    result = np.empty(1, kind.dtype)
    _operands.invoke("Dot", 2 * len(left), threads, a=left, b=right, c=result, conjugate=conjugate)
    return _operands.finish(result, kind, None)[0]


@overload
def dot(x: _Real, y: _Real, *, threads: int | None = ..., device: str | None = ...) -> np.floating[Any]: ...
@overload
def dot(
    x: _Complex, y: ArrayLike, *, threads: int | None = ..., device: str | None = ...
) -> np.complexfloating[Any, Any]: ...
@overload
def dot(
    x: ArrayLike, y: _Complex, *, threads: int | None = ..., device: str | None = ...
) -> np.complexfloating[Any, Any]: ...
@overload
def dot(x: ArrayLike, y: ArrayLike, *, threads: int | None = ..., device: str | None = ...) -> Any: ...
@filled
def dot(x: ArrayLike, y: ArrayLike, *, threads: int | None = None, device: str | None = None) -> Any:
    """Return ``sum_i x[i] y[i]``, without conjugation.

    Parameters
    ----------
    x, y : (N,) array_like
    threads, device
        See `trnsci.blas`.

    Returns
    -------
    scalar

    %(errors)s

    See Also
    --------
    vdot : the same with the conjugate of `x`.

    Examples
    --------
    >>> from trnsci import blas
    >>> float(blas.dot([1, 2], [3, 4]))
    11.0
    """
    return _product(x, y, False, threads, device)


@overload
def vdot(x: _Real, y: _Real, *, threads: int | None = ..., device: str | None = ...) -> np.floating[Any]: ...
@overload
def vdot(
    x: _Complex, y: ArrayLike, *, threads: int | None = ..., device: str | None = ...
) -> np.complexfloating[Any, Any]: ...
@overload
def vdot(
    x: ArrayLike, y: _Complex, *, threads: int | None = ..., device: str | None = ...
) -> np.complexfloating[Any, Any]: ...
@overload
def vdot(x: ArrayLike, y: ArrayLike, *, threads: int | None = ..., device: str | None = ...) -> Any: ...
@filled
def vdot(x: ArrayLike, y: ArrayLike, *, threads: int | None = None, device: str | None = None) -> Any:
    """Return ``sum_i conj(x[i]) y[i]``.

    Parameters
    ----------
    x, y : (N,) array_like
    threads, device
        See `trnsci.blas`.

    Returns
    -------
    scalar

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> complex(blas.vdot([1j, 2], [1, 1]))
    (2-1j)
    """
    return _product(x, y, True, threads, device)


def _norm(function: str, x: ArrayLike, threads: int | None, device: str | None) -> np.floating[Any]:
    _operands.require_host(device)
    (vector,), kind = _operands.settle({"x": x})
    vector = _operands.check_vector(vector, "x")
    result = np.empty(1, kind.dtype)
    _operands.invoke(function, 2 * len(vector), threads, a=vector, c=result)
    norm: np.floating[Any] = _operands.finish(result, kind, None).real[0]
    return norm


@filled
def nrm2(x: ArrayLike, *, threads: int | None = None, device: str | None = None) -> np.floating[Any]:
    """Return the Euclidean norm ``sqrt(sum_i |x[i]|**2)``, free of overflow and underflow on the way.

    Parameters
    ----------
    x : (N,) array_like
    threads, device
        See `trnsci.blas`.

    Returns
    -------
    real scalar

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> float(blas.nrm2([3e300, 4e300]))
    5e+300
    """
    return _norm("Nrm2", x, threads, device)


@filled
def asum(x: ArrayLike, *, threads: int | None = None, device: str | None = None) -> np.floating[Any]:
    """Return ``sum_i |re x[i]| + |im x[i]|``.

    Parameters
    ----------
    x : (N,) array_like
    threads, device
        See `trnsci.blas`.

    Returns
    -------
    real scalar

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> float(blas.asum([1, -2, 3 - 4j]))
    10.0
    """
    return _norm("Asum", x, threads, device)


@filled
def iamax(x: ArrayLike, *, threads: int | None = None, device: str | None = None) -> int:
    """Return the index of the first element with the largest ``|re x[i]| + |im x[i]|``.

    Parameters
    ----------
    x : (N,) array_like
    threads, device
        See `trnsci.blas`.

    Returns
    -------
    int
        Counted from 0; -1 for an empty vector. If the first element is NaN it is 0, other NaNs are passed over.

    %(errors)s

    Examples
    --------
    >>> from trnsci import blas
    >>> blas.iamax([1, -7, 7])
    1
    """
    _operands.require_host(device)
    (vector,), _ = _operands.settle({"x": x})
    vector = _operands.check_vector(vector, "x")
    return _operands.invoke("Iamax", 2 * len(vector), threads, a=vector)


__all__ = ["asum", "axpy", "dot", "iamax", "nrm2", "scal", "vdot"]
