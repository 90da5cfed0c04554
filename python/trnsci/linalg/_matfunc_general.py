"""Functions of general matrices that are computed by a Schur form."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _records, _threads
from .._core._array import Array
from .._core._caller import warn
from .._core._errors import linalg_warning
from .._core._progress import Progress
from . import _common
from ._expm import check_matrices

_MET = 4  # of a matrix: complex, singular, without such a function, half of the digits lost

# Errors above this number of machine epsilons give a warning, as in SciPy.
LARGE_ERROR = 1000.0


class _NotGiven:
    """Stands for an argument that is not given, in signatures too."""

    def __repr__(self) -> str:
        return "<not given>"


_NOT_GIVEN: Any = _NotGiven()


def eps_of(dtype: np.dtype[Any]) -> float:
    """Return the machine epsilon of a computing dtype."""
    return float(np.finfo(_array.real_dtype(dtype)).eps)


def _deprecated(name: str, given: Any) -> None:
    if given is not _NOT_GIVEN:
        warn(f"{name}: this argument is deprecated, as in SciPy 1.16", DeprecationWarning)


def _evaluate(
    function: Literal["Sqrtm", "Logm", "Signm", "Power"],
    what: str,
    matrix: Array,
    cast: np.dtype[Any] | None,
    work: float,
    threads: int | None,
    progress: Progress,
    exponent: float = 0.0,
) -> tuple[Array, Array, Any]:
    """Call a function whose result may be complex.

    Return the result, real where it is, what was met in each matrix, and the residuals.
    """
    x = _array.empty(matrix.shape, _array.complex_dtype(matrix.dtype), what)
    batch = matrix.shape[:-2]
    met, residuals = np.zeros((*batch, _MET), bool), np.zeros(batch)
    made = _records.matrix_function(
        function, threads=_threads.resolve(threads), a=matrix, x=x, met=met, residuals=residuals.reshape(-1),
        exponent=exponent,
    )  # fmt: skip
    _common.solve(made, matrix, work, progress)
    if matrix.dtype.kind == "c" or np.any(met[..., 0]):
        return x, met, residuals
    return _array.cast_to(np.ascontiguousarray(x.real), cast), met, residuals


def _warn_of_roots(what: str, met: Array, singular: bool) -> None:
    """Warn of a power that does not exist or lost digits, and, if that is wanted, of a singular matrix."""
    if np.any(met[..., 2]):
        message = f"A: the matrix is singular to working precision and has no {what}: NaNs stand for it"
    elif np.any(met[..., 3]):
        message = f"A: the {what} may be inaccurate: half of its digits or more are lost"
    elif singular and np.any(met[..., 1]):
        message = f"A: the matrix is singular to working precision: its {what} may be inaccurate"
    else:
        return
    warn(message, linalg_warning())


def sqrtm(
    A: ArrayLike,
    disp: Any = _NOT_GIVEN,
    blocksize: Any = _NOT_GIVEN,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """Principal square root of a square matrix.

    Parameters
    ----------
    A : (..., N, N) array_like
        The matrix, or a single number.
    disp : bool, optional
        Deprecated, as in SciPy. When False, an estimate of the error is returned, too.
    blocksize : int, optional
        Deprecated, and ignored.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    sqrtm : (..., N, N) ndarray
        The root X with ``X @ X = A`` whose eigenvalues have no negative real parts, in the dtype of `A`; complex if `A`
        is, or if a
        matrix of the stack has real eigenvalues below zero, whose roots are ``1j * sqrt(-w)``.
    errest : float or (...) ndarray
        ``norm(X @ X - A, 'fro')**2 / norm(A, 'fro')``, only if `disp` is given as False.

    Raises
    ------
    ConvergenceError, ValueError, TypeError, MemoryError
        As in `schur`. Infinities and NaNs give NaNs.

    Warns
    -----
    LinAlgWarning
        For a matrix that is singular, exactly or to working precision. If zero is not a semisimple eigenvalue there is
        no principal root, and the result is NaN. And if half of the digits are lost.

    Notes
    -----
    The Schur method, in real arithmetic for a real result (A. Björck and S. Hammarling, Linear Algebra Appl. 52-53,
    1983; N. J. Higham, ibid. 88-89, 1987), by recursive halving (E. Deadman, N. J. Higham and R. Ralha, Lecture Notes
    in Computer Science 7782, 2013). The residual ``norm(X @ X - A)`` is of the order of the machine epsilon times
    ``norm(X)**2``. Single precision is worked on in double precision.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import sqrtm
    >>> x = sqrtm(np.array([[5.0, 4.0], [4.0, 5.0]]))
    >>> x.round(12)
    array([[2., 1.],
           [1., 2.]])
    """
    if device is not None:
        _device.require_host(device)
    _deprecated("disp", disp)
    _deprecated("blocksize", blocksize)
    matrix, cast = check_matrices(A)
    x, met, _ = _evaluate("Sqrtm", "the square root", matrix, cast, _costs.SQRTM, threads, progress)
    _warn_of_roots("square root", met, True)
    if disp is _NOT_GIVEN or disp:
        return x
    return x, np.linalg.norm(x @ x - matrix, axis=(-2, -1)) ** 2 / np.linalg.norm(matrix, axis=(-2, -1))


def logm(
    A: ArrayLike,
    disp: Any = _NOT_GIVEN,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """Principal logarithm of a square matrix.

    Parameters
    ----------
    A : (..., N, N) array_like
        The matrix, or a single number.
    disp : bool, optional
        Deprecated, as in SciPy. When False, an estimate of the error is returned instead of a warning.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    logm : (..., N, N) ndarray
        The X with ``expm(X) = A`` whose eigenvalues have imaginary parts above -pi and up to pi, in the dtype of `A`;
        complex if `A` is, or
        if a matrix of the stack has real eigenvalues below zero.
    errest : float or (...) ndarray
        ``norm(expm(X) - A, 1) / norm(A, 1)``, of the triangular form after scaling of its rows and columns; only if
        `disp` is given as False.

    Raises
    ------
    ConvergenceError, ValueError, TypeError, MemoryError
        As in `schur`; infinities and NaNs are a ValueError.

    Warns
    -----
    LinAlgWarning
        For a matrix that is singular, exactly or to working precision, and has no logarithm: 1e-20 is put in the place
        of eigenvalues that are zero. And if the estimate of the error is larger than 1000 times the machine epsilon, or
        half of the digits are lost.

    Notes
    -----
    Square roots of the Schur form until it is near the identity, a Padé approximant as partial fractions, and
    multiplication by a power of two (A. H. Al-Mohy and N. J. Higham, SIAM J. Sci. Comput. 34, 2012). Arithmetic is in
    double precision, and complex unless `A` is real with eigenvalues that are positive.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import expm, logm
    >>> a = np.array([[1.0, 3.0], [1.0, 4.0]])
    >>> bool(np.allclose(expm(logm(a)), a))
    True
    """
    if device is not None:
        _device.require_host(device)
    _deprecated("disp", disp)
    matrix, cast = check_matrices(A)
    x, met, error = _evaluate("Logm", "the logarithm", matrix, cast, _costs.LOGM, threads, progress)
    if disp is not _NOT_GIVEN and not disp:
        return x, error[()]
    message = ""
    if np.any(met[..., 1]):
        message = "the matrix is singular to working precision: it has no logarithm"
    elif not np.all(error < LARGE_ERROR * eps_of(matrix.dtype)):
        message = f"the logarithm may be inaccurate, the error is about {np.max(error):.1e} of the norm"
    elif np.any(met[..., 3]):
        message = "the logarithm may be inaccurate: half of its digits or more are lost"
    if message:
        warn(f"A: {message}", linalg_warning())
    return x


def fractional_matrix_power(
    A: ArrayLike,
    t: float,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Power of a square matrix with any real exponent.

    Parameters
    ----------
    A : (..., N, N) array_like
        The matrix, or a single number.
    t : float
        The exponent.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    X : (..., N, N) ndarray
        ``expm(t * logm(A))``, in the dtype of `A`; complex if `A` is, or if `t` is no integer and a matrix of the stack
        has real eigenvalues
        below zero.

    Raises
    ------
    LinAlgError
        If `t` is a negative integer and a matrix is singular, exactly or to working precision.
    ConvergenceError, ValueError, TypeError, MemoryError
        As in `schur`; infinities and NaNs are a ValueError unless `t` is an integer.

    Warns
    -----
    LinAlgWarning
        If there is no such power and the result is NaN: for a singular matrix and a negative `t`, and for one with a
        zero eigenvalue in a Jordan block of order `t` + 1 or more. And if half of the digits are lost.

    Notes
    -----
    For an integer the matrix, or its inverse, is multiplied by itself, in its dtype. Otherwise its Schur form is split
    into an integer power and one between -1 and 1, which is computed by square roots, a Padé approximant and squarings,
    in double precision (N. J. Higham and L. Lin, SIAM J. Matrix Anal. Appl. 32, 2011, and 34, 2013). Hermitian matrices
    go through their eigenvectors. Of a singular matrix the part with zero eigenvalues is split off. Singular to working
    precision is a smallest singular value of at most ``N * eps * norm(A)``, see docs/general.md.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import fractional_matrix_power
    >>> a = np.array([[1.0, 3.0], [1.0, 4.0]])
    >>> b = fractional_matrix_power(a, 0.5)
    >>> bool(np.allclose(b @ b, a))
    True
    """
    if device is not None:
        _device.require_host(device)
    exponent = _array.number(t, "t")
    matrix, cast = check_matrices(A)
    if not np.isfinite(exponent):
        raise ValueError(f"t: expected a finite number, got {t!r}")
    if exponent != np.floor(exponent):
        power, met, _ = _evaluate("Power", "the power", matrix, cast, _costs.POWER, threads, progress, exponent)
        _warn_of_roots(f"power {exponent:g}", met, False)
        return power
    if abs(exponent) >= 2.0**63:
        raise ValueError(f"t: expected an integer of 64 bits, got {t!r}")
    x = _array.empty(matrix.shape, matrix.dtype, "the power")
    made = _records.matrix_power(
        "IntegerPower", threads=_threads.resolve(threads), a=matrix, x=x, exponent=int(exponent)
    )
    _common.solve(made, matrix, _costs.INTEGER_POWER, progress)
    return _array.cast_to(x, cast)


def signm(
    A: ArrayLike,
    disp: Any = _NOT_GIVEN,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Sign of a square matrix.

    Parameters
    ----------
    A : (..., N, N) array_like
        The matrix, or a single number.
    disp : bool, optional
        Deprecated, as in SciPy, and ignored: there is no error that it would report.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    signm : (..., N, N) ndarray
        The function of `A` whose value is 1 for eigenvalues with positive real parts, -1 for negative ones, and 0 for
        those whose real part is zero, exactly or up to rounding errors in double precision. In the dtype of `A`.

    Raises
    ------
    ConvergenceError, ValueError, TypeError, MemoryError
        As in `schur`; infinities and NaNs are a ValueError.

    Notes
    -----
    By a Schur form: elements between eigenvalues of one sign follow from ``S @ S = I``, the others from ``S @ A = A @
    S`` (N. J. Higham, Functions of Matrices, 2008, algorithm 5.5). Arithmetic is in double precision.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import signm
    >>> signm(np.array([[-1.0, 3.0], [0.0, 2.0]]))
    array([[-1.,  2.],
           [ 0.,  1.]])
    """
    if device is not None:
        _device.require_host(device)
    _deprecated("disp", disp)
    matrix, cast = check_matrices(A)
    return _evaluate("Signm", "the sign", matrix, cast, _costs.SIGNM, threads, progress)[0]
