"""Cholesky factors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _records, _small, _threads
from .._core._array import Array
from .._core._progress import Progress
from . import _common
from ._expm import check_matrices


def cholesky(
    a: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Cholesky factorization of a Hermitian or real symmetric positive definite matrix.

    Parameters
    ----------
    a : (..., N, N) array_like
        The matrix; only the triangle that `lower` names is used, and the imaginary part of its diagonal is taken to be
        zero. A single number is a matrix of order 1.
    lower : bool, optional
        Return the lower factor L with ``a = L @ L.conj().T`` instead of the upper (default) U with
        ``a = U.conj().T @ U``.
    overwrite_a : bool, optional
        Let the factor take the place of `a`, so that no other memory is needed. This is done where `a` is a writable
        array of one of the four computing dtypes, without gaps, by rows or by columns; the result shares its memory
        then. After an error the contents are unspecified.
    check_finite : bool, optional
        Refuse infinities and NaNs anywhere in `a`.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    c : (..., N, N) ndarray
        The factor, with zeros in the other triangle and a real positive diagonal. If it does not take the place of `a`,
        each matrix is stored by rows if `lower`, else by columns.

    Raises
    ------
    LinAlgError
        If `a` is not positive definite, with the order of the leading minor.
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    A blocked left-looking factorization in the dtype of `a`, ``N**3 / 3`` floating-point operations.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import cholesky
    >>> cholesky([[4.0, 2.0], [2.0, 5.0]], lower=True)
    array([[2., 0.],
           [1., 2.]])
    """
    if threads is None and progress is None and device is None and not overwrite_a:
        n = _small.order(a)
        if n:
            return _small.cholesky(a, n, bool(lower), bool(check_finite))
    _, factor, cast = _factor(a, lower, overwrite_a, check_finite, threads, progress, device)
    return _array.cast_to(factor, cast)


def _factor(
    a: ArrayLike,
    lower: bool,
    overwrite: bool,
    check_finite: bool,
    threads: int | None,
    progress: Progress,
    device: str | None,
) -> tuple[Array, Array, np.dtype[Any] | None]:
    """Return the checked matrix, its factor, which may be the same array, and the dtype that the factor is cast to."""
    if device is not None:
        _device.require_host(device)
    matrix, cast = check_matrices(a, "a")
    if overwrite and any(_array.may_overwrite(True, a, x) for x in (matrix, matrix.swapaxes(-1, -2))):
        factor = matrix
    else:
        factor = _array.empty(matrix.shape, matrix.dtype, "the Cholesky factor", order="C" if lower else "F")
    made = _records.cholesky(
        threads=_threads.resolve(threads), a=matrix, factor=factor, lower=bool(lower), check_finite=bool(check_finite)
    )
    _common.solve(made, matrix, _costs.CHOLESKY, progress)
    return matrix, factor, cast


def cho_factor(
    a: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, bool | Array]:
    """Cholesky factorization for use in `cho_solve`.

    Parameters
    ----------
    a, lower, overwrite_a, check_finite
        As in `cholesky`.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    c : (..., N, N) ndarray
        The factor in the triangle that `lower` names. The other triangle is that of `a`, or zero if the factor takes
        the place of `a`.
    lower : bool or (...) ndarray of bool
        The flag; of a stack one for each member, as in SciPy.

    Raises
    ------
    LinAlgError, ValueError, TypeError, MemoryError
        As in `cholesky`.

    Examples
    --------
    >>> from trnsci.linalg import cho_factor
    >>> cho_factor([[4.0, 2.0], [2.0, 5.0]], lower=True)
    (array([[2., 2.],
           [1., 2.]]), True)
    """
    matrix, factor, cast = _factor(a, lower, overwrite_a, check_finite, threads, progress, device)
    if factor is not matrix:
        n = factor.shape[-1]
        np.copyto(factor, matrix, where=~np.tri(n, dtype=bool) if lower else np.tri(n, k=-1, dtype=bool))
    lead = factor.shape[:-2]
    return _array.cast_to(factor, cast), np.full(lead, bool(lower)) if lead else bool(lower)
