"""Functions of matrices that are given as functions of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _records, _threads
from .._core._array import Array
from .._core._caller import warn
from .._core._errors import linalg_warning
from .._core._progress import Progress, phases
from . import _common
from ._expm import check_matrices
from ._matfunc_general import LARGE_ERROR, eps_of

# Time of Parlett's recurrence relative to that of the Schur form of a complex and of a real matrix, measured by
# benchmarks/progress.py.
_SHARE_PARLETT, _SHARE_PARLETT_REAL = 0.4, 1.6

_COMPLEX128 = np.dtype(np.complex128)

# Imaginary parts up to this number of machine epsilons are dropped, as in SciPy.
_DROPPED = {"f": 1e3, "d": 1e6}


def funm(
    A: ArrayLike,
    func: Callable[[Array], ArrayLike],
    disp: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """Function of a square matrix, given as a function of numbers.

    Parameters
    ----------
    A : (..., N, N) array_like
        The matrix, or a single number.
    func : callable
        Takes an array of the N eigenvalues, complex64 or complex128, and returns an array of the values there. It is
        called once for each matrix. An
        exception that it raises reaches the caller.
    disp : bool, optional
        Warn if the estimate of the error is large (default), or return the estimate.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    funm : (..., N, N) ndarray
        In the dtype of `A`; complex if `A` is, or if any imaginary part is above 1e6 times the machine epsilon (1e3
        times for single precision).
    errest : float or (...) ndarray of float
        Only if not `disp`: a crude estimate of the relative error, from the smallest distance of two eigenvalues; 1 at
        most, or infinite.

    Raises
    ------
    ConvergenceError, ValueError, TypeError, MemoryError
        As in `schur`; infinities and NaNs in `A` are a ValueError.

    Warns
    -----
    LinAlgWarning
        If `disp` and the estimate is larger than 1000 times the machine epsilon.

    Notes
    -----
    Parlett's recurrence for the complex Schur form (G. H. Golub and C. F. Van Loan, Matrix Computations, 4th ed.,
    algorithm 9.1.1), in blocks and in double precision. It divides by differences of eigenvalues. Where these are close
    to each other the result is inaccurate, and wrong where a matrix has equal ones and no full set of eigenvectors: the
    derivatives of `func` would be needed. `expm`, `logm`, `sqrtm`, `signm` and `fractional_matrix_power` have no such
    trouble.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import funm
    >>> funm(np.array([[1.0, 3.0], [1.0, 4.0]]), lambda w: w * w).round(12)
    array([[ 4., 15.],
           [ 5., 19.]])
    """
    if device is not None:
        _device.require_host(device)
    if not callable(func):
        raise TypeError(f"func: expected a callable, got {func!r}")
    matrix, cast = check_matrices(A)
    form = _array.complex_dtype(matrix.dtype)
    t = _array.empty(matrix.shape, form, "the Schur form")
    z = _array.empty(matrix.shape, form, "the Schur vectors")
    size = _threads.resolve(threads)
    batch, n = matrix.shape[:-2], matrix.shape[-1]
    parlett = _SHARE_PARLETT if matrix.dtype.kind == "c" else _SHARE_PARLETT_REAL
    with phases(progress, n, 1.0, parlett) as (of_form, of_function):
        _common.solve(_records.triangularize(threads=size, a=matrix, t=t, z=z), matrix, _costs.SCHUR_COMPLEX, of_form)
        values = _array.empty((*batch, n), _COMPLEX128, "the values")
        for member in np.ndindex(batch if matrix.size else (0,)):
            values[member] = _values_at(func, np.diagonal(t[member]).copy())
        x = _array.empty(matrix.shape, form, "the function")
        conditions, finite = np.ones((*batch, 2)), np.ones(batch, bool)
        made = _records.parlett(
            threads=size, t=t, z=z, values=values, x=x, conditions=conditions, finite=finite.reshape(-1)
        )
        _common.solve(made, t, _costs.PARLETT, of_function)
    result = _without_rounding(x, matrix)
    error = _estimate(t, conditions, finite, eps_of(form))
    if cast is not None and result.dtype.kind != "c":
        result = result.astype(cast)
    if not disp:
        return result, error
    if matrix.size and np.max(error) > LARGE_ERROR * eps_of(form):
        message = f"funm: the result may be inaccurate, its relative error is estimated as {np.max(error):.1e}"
        warn(message, linalg_warning())
    return result


def _values_at(func: Callable[[Array], ArrayLike], eigenvalues: Array) -> Array:
    """Return the values of a function at the eigenvalues of a matrix."""
    values = _array.as_array(func(eigenvalues), "func")
    if values.dtype.kind in "SUMm":
        raise TypeError(f"func: expected numbers, got dtype {values.dtype}")
    if values.shape != eigenvalues.shape:
        raise ValueError(
            f"func: expected an array of shape {eigenvalues.shape}, as the eigenvalues have, got shape {values.shape}"
        )
    return values.astype(np.complex128)


def _without_rounding(x: Array, matrix: Array) -> Array:
    """Return the real part of a function of a real matrix unless imaginary parts are more than rounding errors."""
    if matrix.dtype.kind == "c" or np.abs(x.imag).max(initial=0) > _DROPPED[matrix.dtype.char] * eps_of(matrix.dtype):
        return x
    return np.ascontiguousarray(x.real)


def _estimate(t: Array, conditions: Array, finite: Array, eps: float) -> Any:
    """Return SciPy's estimate of the error of Parlett's recurrence."""
    if t.size == 0:
        return np.zeros(t.shape[:-2])[()]
    smallest = np.minimum(conditions[..., 0], np.abs(t[..., 0, 0]))
    smallest = np.where(smallest == 0, eps, smallest)
    error = np.clip(eps / smallest * conditions[..., 1], eps, 1)
    return np.where(finite, error, np.inf)[()]
