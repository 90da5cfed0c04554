"""The exponential of matrices, its derivatives, and its condition number."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _records, _threads
from .._core._array import Array
from .._core._progress import Progress, phases
from . import _common

# Time of the exponential relative to that of its derivative.
_SHARE_EXPONENTIAL = 0.35

_METHODS = (None, "SPS", "blockEnlarge")


def check_matrices(A: Any, name: str = "A") -> tuple[Array, np.dtype[Any] | None]:
    """Return `A` as a stack of square matrices and the dtype of the result; a single number is a matrix of order 1."""
    matrix, cast = _array.check(A, name)
    if matrix.ndim < 2 and matrix.size == 1:
        matrix = matrix.reshape(1, 1)
    _array.check_square(matrix, name)
    return matrix, cast


def expm(
    A: ArrayLike,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Exponential of a square matrix.

    Parameters
    ----------
    A : (..., N, N) array_like
        The matrix, or a single number.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    eA : (..., N, N) ndarray
        ``I + A + A @ A / 2 + ...``, in the dtype of `A`.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`. Infinities and NaNs are no error.

    Notes
    -----
    Scaling and squaring with Padé approximants, whose degree and scaling are chosen by norms of powers of `A` (A. H.
    Al-Mohy and
    N. J. Higham, SIAM J. Matrix Anal. Appl. 31, 2009). About 6 products of matrices, a system of equations, and
    ``log2(norm(A)) - 2`` products more where the norm is above 4. Single precision stays single precision.

    Triangular matrices, and others of large norm, are permuted and scaled first where that makes the norm much smaller.

    The exponential of a triangular matrix is triangular, that of a diagonal one diagonal, with zeros that are exact. A
    matrix that is
    not diagonal and holds infinities or NaNs gives NaNs.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import expm
    >>> expm(np.array([[0.0, 1.0], [-1.0, 0.0]]) * np.pi / 2).round(12) + 0.0
    array([[ 0.,  1.],
           [-1.,  0.]])
    """
    if device is not None:
        _device.require_host(device)
    matrix, cast = check_matrices(A)
    return _array.cast_to(exponential(matrix, threads, progress), cast)


def exponential(matrix: Array, threads: int | None, progress: Progress) -> Array:
    """Return the exponentials of a checked stack of matrices."""
    result = _array.empty(matrix.shape, matrix.dtype, "the exponential")
    made = _records.matrix_power("Expm", threads=_threads.resolve(threads), a=matrix, x=result)
    _common.solve(made, matrix, _costs.EXPM, progress)
    return result


def expm_frechet(
    A: ArrayLike,
    E: ArrayLike,
    method: Literal["SPS", "blockEnlarge"] | None = None,
    compute_expm: bool = True,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """Fréchet derivative of the matrix exponential at A in the direction E.

    Parameters
    ----------
    A, E : (..., N, N) array_like
        The matrix and the direction. Leading dimensions broadcast. A single number is a matrix of order 1.
    method : {'SPS', 'blockEnlarge'}, optional
        By scaling, Padé approximants and squaring (default), or from the exponential of a matrix of twice the order.
    compute_expm : bool, optional
        Whether the exponential is returned, too.
    check_finite : bool, optional
        Refuse infinities and NaNs. When False, both results are NaNs for a pair that is not finite.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    expm_A : (..., N, N) ndarray
        What `expm` gives for `A`; only if `compute_expm`.
    expm_frechet_AE : (..., N, N) ndarray
        The part of ``expm(A + E) - expm(A)`` that is linear in `E`, in the common dtype of A and E.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    The method of A. H. Al-Mohy and N. J. Higham, SIAM J. Matrix Anal. Appl. 30 (2009), about three times the work of
    `expm`, in double precision for every dtype. The exponential is computed by itself, which is more accurate for
    matrices far from normal. 'blockEnlarge' takes about eight times the work of `expm`, and computes in the dtype.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import expm_frechet
    >>> A, E = np.diag([0.0, np.log(2)]), np.array([[1.0, 1.0], [0.0, 1.0]])
    >>> expm_A, L = expm_frechet(A, E)
    >>> expm_A.round(12), L.round(12)
    (array([[1., 0.],
           [0., 2.]]), array([[1.        , 1.44269504],
           [0.        , 2.        ]]))
    """
    if device is not None:
        _device.require_host(device)
    if method not in _METHODS:
        raise ValueError(f"method: {method!r} is not one of 'SPS', 'blockEnlarge'")
    matrix, cast = check_matrices(A)
    direction, other_cast = check_matrices(E, "E")
    is_complex = matrix.dtype.kind == "c"
    matrix, direction = _array.fitted(matrix, direction, ("A", "E"))
    if check_finite:
        _common.check_finite(matrix, "A")
        _common.check_finite(direction, "E")
    cast = cast if cast == other_cast else None
    if method == "blockEnlarge":
        power, derivative = _by_blocks(matrix, direction, threads, progress)
    else:
        share = _SHARE_EXPONENTIAL if compute_expm else 0.0
        with phases(progress, matrix.shape[-1], 1.0, share) as (of_derivative, of_power):
            derivative = _array.empty(matrix.shape, matrix.dtype, "the derivative")
            made = _records.expm_frechet(
                threads=_threads.resolve(threads), a=matrix, e=direction, derivative=derivative
            )
            _common.solve(made, matrix, _costs.EXPM_FRECHET, of_derivative)
            power = exponential(matrix, threads, of_power) if compute_expm else derivative
    if not compute_expm:
        return _array.cast_to(derivative, cast)
    if not is_complex and power.dtype.kind == "c":
        power = power.real.copy()
    return _array.cast_to(power, cast), _array.cast_to(derivative, cast)


def _by_blocks(matrix: Array, direction: Array, threads: int | None, progress: Progress) -> tuple[Array, Array]:
    """Read the exponential and its derivative off the exponential of a block triangular matrix."""
    n = matrix.shape[-1]
    block = np.zeros((*matrix.shape[:-2], 2 * n, 2 * n), matrix.dtype)
    block[..., :n, :n] = block[..., n:, n:] = matrix
    block[..., :n, n:] = direction
    power = exponential(block, threads, progress)
    return power[..., :n, :n].copy(), power[..., :n, n:].copy()


def expm_cond(
    A: ArrayLike,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """Relative condition number of the matrix exponential in the Frobenius norm.

    Parameters
    ----------
    A : (..., N, N) array_like
        The matrix, or a single number.
    check_finite : bool, optional
        Refuse infinities and NaNs. When False, the number is NaN for a matrix that is not finite.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    kappa : float or (...) ndarray of float64
        The largest ``norm(L, 'fro') * norm(A, 'fro') / (norm(E, 'fro') * norm(expm(A), 'fro'))`` with ``L =
        expm_frechet(A, E, compute_expm=False)``; 0 if `A` is zero or empty, NaN if the exponential overflows or is
        zero.

    Raises
    ------
    ConvergenceError
        If Lanczos' method does not converge.
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    The norm of the derivative as a linear map of matrices, which SciPy computes from its matrix of order N^2, in
    N^2 derivatives and N^6 further operations. Here it is an eigenvalue of ``E -> expm_frechet(A, E).conj().T``, which
    is symmetric in the real inner product (N. J. Higham, Functions of Matrices, 2008, section 10.6), found by Lanczos'
    method: some tens of derivatives in all.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import expm_cond
    >>> A = np.array([[-0.3, 0.2, 0.6], [0.6, 0.3, -0.1], [-0.7, 1.2, 0.9]])
    >>> round(expm_cond(A), 6)
    1.778781
    """
    if device is not None:
        _device.require_host(device)
    matrix, _ = check_matrices(A)
    if check_finite:
        _common.check_finite(matrix, "A")
    batch = matrix.shape[:-2]
    conditions = np.zeros(batch)
    made = _records.expm_cond(threads=_threads.resolve(threads), a=matrix, conditions=conditions.reshape(-1))
    _common.solve(made, matrix, _costs.EXPM_COND, progress)
    return conditions if batch else float(conditions)
