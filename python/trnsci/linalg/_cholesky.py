"""Cholesky factors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _array, _device, _small
from .._array import Array
from .._progress import Progress
from . import _common

# Floating-point operations per n^3, to decide how a call is run.
_WORK_CHOLESKY = 2 / 3


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
        zero.
    lower : bool, optional
        Return the lower factor L with ``a = L @ L.conj().T`` instead of the upper (default) U with
        ``a = U.conj().T @ U``.
    overwrite_a : bool, optional
        Accepted for SciPy's sake; the input is never overwritten.
    check_finite : bool, optional
        Refuse infinities and NaNs anywhere in `a`.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    c : (..., N, N) ndarray
        The factor, with zeros in the other triangle and a real positive diagonal.

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
    if threads is None and progress is None and device is None:
        n = _small.order(a)
        if n:
            return _small.cholesky(a, n, bool(lower), bool(check_finite))
    if device is not None:
        _device.require_host(device)
    matrix, cast = _array.check(a, "a")
    _array.check_square(matrix, "a")
    factor, target = _array.empty(matrix.shape, matrix.dtype, "the Cholesky factor", order="C" if lower else "F")
    source = _array.record(matrix)
    _common.solve(
        "Cholesky", matrix, _WORK_CHOLESKY, threads, progress, (source, factor, target),
        _array.address(source), _array.address(target), bool(lower), bool(check_finite),
    )  # fmt: skip
    return _common.cast_to(factor, cast)


def cho_factor(
    a: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, bool]:
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
        The factor in the triangle that `lower` names. The other triangle is that of `a`.
    lower : bool
        The flag.

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
    factor = cholesky(a, lower, overwrite_a, check_finite, threads=threads, progress=progress, device=device)
    n = factor.shape[-1]
    other = ~np.tri(n, dtype=bool) if lower else np.tri(n, k=-1, dtype=bool)
    np.copyto(factor, _array.check(a, "a")[0], where=other, casting="unsafe")  # unsafe: the half precisions
    return factor, bool(lower)
