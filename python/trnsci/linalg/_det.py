"""Determinants."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _device, _native, _records, _threads
from .._core._array import Array
from .._core._progress import Progress, finish_nothing
from ._lu import factorization_cost


def det(
    a: ArrayLike,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> float | complex | Array:
    """Determinant of a square matrix.

    Parameters
    ----------
    a : (..., N, N) array_like
        The matrix.
    overwrite_a : bool, optional
        Accepted for SciPy's sake; `a` is never changed.
    check_finite : bool, optional
        Refuse infinities and NaNs in `a`.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    det : float or complex, or (...) ndarray of them
        In double precision, also for matrices in single precision, whose factors are in single precision.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    The product of the diagonal of U of the LU factorization. Products on the way do not overflow or underflow, the
    determinant itself may; see `slogdet`.

    Examples
    --------
    >>> from trnsci.linalg import det
    >>> float(det([[1.0, 2.0], [3.0, 4.0]]))
    -2.0
    """
    mantissas, exponents, dtype, _ = _determinants(a, check_finite, threads, progress, device)
    shifts = np.clip(exponents, -(2**30), 2**30).astype(np.int32)
    with np.errstate(over="ignore", under="ignore"):
        values: Array = np.ldexp(mantissas.real, shifts)
        if dtype.kind == "c":
            values = values + 1j * np.ldexp(mantissas.imag, shifts)
    single: float | complex | Array = values[()]
    return single


def _determinants(
    a: ArrayLike, check_finite: bool, threads: int | None, progress: Progress, device: str | None
) -> tuple[Array, Array, np.dtype[Any], np.dtype[Any] | None]:
    """Return the determinants as mantissas and exponents of 2, the dtype of the matrices and that of results."""
    if device is not None:
        _device.require_host(device)
    matrix, cast = _array.check(a, "a")
    _array.check_square(matrix, "a")
    *lead, n, _ = matrix.shape
    mantissas, exponents = np.ones(math.prod(lead), np.complex128), np.zeros(math.prod(lead), np.int64)
    if matrix.size:
        made = _records.determinant(
            threads=_threads.resolve(threads), a=matrix, mantissas=mantissas, exponents=exponents,
            check_finite=bool(check_finite),
        )  # fmt: skip
        _native.run(made, factorization_cost(matrix), progress, order=n)
    else:
        finish_nothing(progress, n)
    return mantissas.reshape(lead), exponents.reshape(lead), matrix.dtype, cast


class SlogdetResult(NamedTuple):
    """The sign of a determinant and the logarithm of its modulus."""

    sign: Any
    logabsdet: Any


def slogdet(
    a: ArrayLike, *, threads: int | None = None, progress: Progress = None, device: str | None = None
) -> SlogdetResult:
    """Sign and logarithm of the modulus of a determinant, as `numpy.linalg.slogdet`.

    Parameters
    ----------
    a : (..., N, N) array_like
        The matrix.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    sign : number or (...) ndarray
        Of modulus 1, complex for a complex matrix; 0 for a singular one.
    logabsdet : float or (...) ndarray
        The natural logarithm, -inf for a singular matrix. The determinant is ``sign * np.exp(logabsdet)``.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`. Infinities and NaNs are no error.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import slogdet
    >>> sign, logabsdet = slogdet(-1e-3 * np.eye(501))
    >>> float(sign), round(float(logabsdet), 6)
    (-1.0, -3460.785395)
    """
    mantissas, exponents, dtype, cast = _determinants(a, False, threads, progress, device)
    sizes = abs(mantissas)
    with np.errstate(divide="ignore", invalid="ignore"):
        signs = np.where(sizes == 0, 0, np.where(np.isinf(sizes), np.sign(mantissas.real), mantissas / sizes))
        logarithms = np.log(sizes) + exponents * math.log(2)
    real = cast or _array.real_dtype(dtype)
    if dtype.kind != "c":
        return SlogdetResult(signs.real.astype(real)[()], logarithms.astype(real)[()])
    return SlogdetResult(signs.astype(dtype)[()], logarithms.astype(real)[()])
