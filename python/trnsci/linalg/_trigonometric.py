"""Trigonometric and hyperbolic functions of matrices, by exponentials."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _device
from .._core._array import Array
from .._core._errors import LinAlgError
from .._core._progress import Progress, phases
from . import _system
from ._expm import check_matrices, exponential

# Time of the solution of a system of equations relative to that of the exponentials.
_SHARE_SOLVE = 0.1


def cosm(A: ArrayLike, *, threads: int | None = None, progress: Progress = None, device: str | None = None) -> Array:
    """Cosine of a square matrix.

    Parameters
    ----------
    A : (..., N, N) array_like
        The matrix, or a single number.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    cosm : (..., N, N) ndarray
        ``(expm(1j * A) + expm(-1j * A)) / 2``, in the dtype of `A`.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`. Infinities and NaNs are no error.

    Notes
    -----
    The real part of one complex exponential for a real matrix, two exponentials for a complex one; see `expm`. The
    error is relative to their norms, which may be much larger than that of the cosine.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import cosm
    >>> cosm(np.pi * np.array([[1.0, 1.0], [0.0, 0.0]])).round(12) + 0.0
    array([[-1., -2.],
           [ 0.,  1.]])
    """
    if device is not None:
        _device.require_host(device)
    matrix, cast = check_matrices(A)
    return _array.cast_to(_circular(matrix, threads, progress)[0], cast)


def sinm(A: ArrayLike, *, threads: int | None = None, progress: Progress = None, device: str | None = None) -> Array:
    """Sine of a square matrix.

    Parameters
    ----------
    A : (..., N, N) array_like
        The matrix, or a single number.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    sinm : (..., N, N) ndarray
        ``(expm(1j * A) - expm(-1j * A)) / 2j``, in the dtype of `A`.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`. Infinities and NaNs are no error.

    Notes
    -----
    As `cosm`: the error is relative to the norms of exponentials, which for a complex `A` near zero are much larger
    than that of the sine.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import sinm
    >>> sinm(np.pi / 2 * np.array([[1.0, 1.0], [0.0, 0.0]])).round(12) + 0.0
    array([[1., 1.],
           [0., 0.]])
    """
    if device is not None:
        _device.require_host(device)
    matrix, cast = check_matrices(A)
    return _array.cast_to(_circular(matrix, threads, progress)[1], cast)


def tanm(A: ArrayLike, *, threads: int | None = None, progress: Progress = None, device: str | None = None) -> Array:
    """Tangent of a square matrix.

    Parameters
    ----------
    A : (..., N, N) array_like
        The matrix, or a single number.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    tanm : (..., N, N) ndarray
        ``solve(cosm(A), sinm(A))``, in the dtype of `A`.

    Warns
    -----
    LinAlgWarning
        If the cosine is ill-conditioned, see `solve`.

    Raises
    ------
    LinAlgError
        If the cosine is singular.
    ValueError, TypeError, MemoryError
        As in `eigh`; infinities, NaNs and exponentials that overflow are a ValueError.

    Notes
    -----
    The exponentials of `cosm`, and a system of equations.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import tanm
    >>> tanm(np.pi / 4 * np.array([[1.0, 2.0], [0.0, -1.0]])).round(12) + 0.0
    array([[ 1.,  2.],
           [ 0., -1.]])
    """
    if device is not None:
        _device.require_host(device)
    matrix, cast = check_matrices(A)
    with phases(progress, matrix.shape[-1], 1.0, _SHARE_SOLVE) as (of_parts, of_quotient):
        cosine, sine = _circular(matrix, threads, of_parts)
        return _array.cast_to(_quotient(cosine, sine, "cosine", threads, of_quotient), cast)


def coshm(A: ArrayLike, *, threads: int | None = None, progress: Progress = None, device: str | None = None) -> Array:
    """Hyperbolic cosine of a square matrix.

    Parameters
    ----------
    A : (..., N, N) array_like
        The matrix, or a single number.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    coshm : (..., N, N) ndarray
        ``(expm(A) + expm(-A)) / 2``, in the dtype of `A`.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`. Infinities and NaNs are no error.

    Notes
    -----
    Two exponentials, see `expm`, to whose norms the error is relative.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import coshm
    >>> coshm(np.log(2) * np.array([[0.0, 1.0], [1.0, 0.0]])).round(12) + 0.0
    array([[1.25, 0.  ],
           [0.  , 1.25]])
    """
    if device is not None:
        _device.require_host(device)
    matrix, cast = check_matrices(A)
    return _array.cast_to(_hyperbolic(matrix, threads, progress)[0], cast)


def sinhm(A: ArrayLike, *, threads: int | None = None, progress: Progress = None, device: str | None = None) -> Array:
    """Hyperbolic sine of a square matrix.

    Parameters
    ----------
    A : (..., N, N) array_like
        The matrix, or a single number.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    sinhm : (..., N, N) ndarray
        ``(expm(A) - expm(-A)) / 2``, in the dtype of `A`.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`. Infinities and NaNs are no error.

    Notes
    -----
    As `coshm`: the error is relative to the norms of exponentials, which for an `A` near zero are much larger than that
    of the sine.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import sinhm
    >>> sinhm(np.log(2) * np.array([[0.0, 1.0], [1.0, 0.0]])).round(12) + 0.0
    array([[0.  , 0.75],
           [0.75, 0.  ]])
    """
    if device is not None:
        _device.require_host(device)
    matrix, cast = check_matrices(A)
    return _array.cast_to(_hyperbolic(matrix, threads, progress)[1], cast)


def tanhm(A: ArrayLike, *, threads: int | None = None, progress: Progress = None, device: str | None = None) -> Array:
    """Hyperbolic tangent of a square matrix.

    Parameters
    ----------
    A : (..., N, N) array_like
        The matrix, or a single number.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    tanhm : (..., N, N) ndarray
        ``solve(coshm(A), sinhm(A))``, in the dtype of `A`.

    Warns
    -----
    LinAlgWarning
        If the hyperbolic cosine is ill-conditioned, see `solve`.

    Raises
    ------
    LinAlgError
        If the hyperbolic cosine is singular.
    ValueError, TypeError, MemoryError
        As in `eigh`; infinities, NaNs and exponentials that overflow are a ValueError.

    Notes
    -----
    The exponentials of `coshm`, and a system of equations.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import tanhm
    >>> tanhm(np.log(2) * np.array([[0.0, 1.0], [1.0, 0.0]])).round(12) + 0.0
    array([[0. , 0.6],
           [0.6, 0. ]])
    """
    if device is not None:
        _device.require_host(device)
    matrix, cast = check_matrices(A)
    with phases(progress, matrix.shape[-1], 1.0, _SHARE_SOLVE) as (of_parts, of_quotient):
        cosine, sine = _hyperbolic(matrix, threads, of_parts)
        return _array.cast_to(_quotient(cosine, sine, "hyperbolic cosine", threads, of_quotient), cast)


def _circular(matrix: Array, threads: int | None, progress: Progress) -> tuple[Array, Array]:
    """Return the cosine and the sine."""
    if matrix.dtype.kind != "c":
        turned = np.zeros(matrix.shape, _array.complex_dtype(matrix.dtype))
        turned.imag = matrix
        power = exponential(turned, threads, progress)
        return power.real.copy(), power.imag.copy()
    pair = np.empty((2, *matrix.shape), matrix.dtype)
    pair.real[0], pair.imag[0] = -matrix.imag, matrix.real  # i A without products, which turn infinities into NaNs
    np.negative(pair[0], out=pair[1])
    forward, backward = exponential(pair, threads, progress)
    return _half_sum(forward, backward), _half_sum(forward, -backward) * -1j


def _hyperbolic(matrix: Array, threads: int | None, progress: Progress) -> tuple[Array, Array]:
    """Return the hyperbolic cosine and sine."""
    forward, backward = exponential(np.stack([matrix, -matrix]), threads, progress)
    return _half_sum(forward, backward), _half_sum(forward, -backward)


def _half_sum(a: Array, b: Array) -> Array:
    with np.errstate(invalid="ignore"):  # of infinities
        total: Array = a / 2 + b / 2  # a + b may overflow
    return total


def _quotient(cosine: Array, sine: Array, name: str, threads: int | None, progress: Progress) -> Array:
    """Return the solution x of ``cosine @ x = sine``, in the memory of the sine."""
    if not (np.isfinite(cosine).all() and np.isfinite(sine).all()):
        raise ValueError("A: contains infinities or NaNs, or its exponential overflows")
    try:
        conditions = _system.solve_into(cosine, sine, threads, progress)
    except LinAlgError as error:
        raise LinAlgError(f"A: its {name} is singular, so that there is no tangent{_member(error)}") from None
    if sine.size:
        _system.warn_of_conditions(f"A: its {name}", conditions, sine)
    return sine


def _member(error: LinAlgError) -> str:
    """Return what the message of an error says about the member of a stack."""
    _, mark, rest = str(error).partition(" (batch member ")
    return mark + rest
