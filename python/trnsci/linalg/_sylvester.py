"""Sylvester's and Lyapunov's equations."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _native, _operands, _records, _threads
from .._core._array import Array
from .._core._caller import warn
from .._core._progress import Progress, finish_nothing

_NUMBERS = (int, float, complex, np.generic)


def _solve(
    function: Literal["Sylvester", "Lyapunov", "DiscreteLyapunov"],
    given: dict[str, ArrayLike],
    threads: int | None,
    progress: Progress,
    device: str | None,
) -> tuple[Array, int]:
    """Return the solutions of equations with the operands `given`, of which q is the last, and how many were
    perturbed."""
    if device is not None:
        _device.require_host(device)
    operands, kind = _operands.settle(given)
    named = dict(zip(given, operands, strict=True))
    for key, matrix in named.items():
        if key != "q":
            _array.check_square(matrix, key)
    m, n = named["a"].shape[-1], named.get("b", named["a"]).shape[-1]
    _operands.check_core(named["q"], "q", m, n)
    lead = _operands.leading(named)
    x = _array.empty((*lead, m, n), kind.dtype, "the solution")
    size = _threads.resolve(threads)
    perturbed = 0
    if x.size:
        sources = {key: _operands.spread(matrix, lead) for key, matrix in named.items()}
        work = _costs.SCHUR * (m**3 + (n**3 if "b" in named else 0)) + _costs.SYLVESTER_SOLUTION * m * n * (m + n)
        work = x.size / (m * n) * (work * (_costs.COMPLEX_FACTOR if kind.is_complex else 1) + _costs.PER_MATRIX)
        perturbed = _native.run(_records.equation(function, threads=size, x=x, **sources), work, progress)
    else:
        finish_nothing(progress)
    return _array.cast_to(x, kind.cast), perturbed


def _warn(perturbed: int, why: str) -> None:
    if perturbed:
        message = f"{why}; the solution is that of an equation with coefficients that differ by about eps"
        warn(message, RuntimeWarning)


def solve_sylvester(
    a: ArrayLike,
    b: ArrayLike,
    q: ArrayLike,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Solve Sylvester's equation ``a @ x + x @ b = q``.

    Parameters
    ----------
    a : (..., M, M) array_like
    b : (..., N, N) array_like
    q : (..., M, N) array_like
        Leading dimensions broadcast. Operands of different dtypes are computed in their common one.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    x : (..., M, N) ndarray
        The solution. It is unique unless a and -b have an eigenvalue in common.

    Warns
    -----
    RuntimeWarning
        If they nearly do: x then solves an equation whose a and b differ by about eps. (SciPy gives no warning here.)

    Raises
    ------
    LinAlgError
        If the solution holds numbers beyond the range of its dtype.
    ConvergenceError
        If the Schur form of a or b is not found.
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    Schur forms of a and b, then blocked substitution (Bartels and Stewart, 1972; Jonsson and Kagstrom, 2002); about
    ``25 (M**3 + N**3) + 5 M N (M + N)`` floating-point operations for real numbers. The residual is of the order of
    ``eps (norm(a) + norm(b)) norm(x)``.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import solve_sylvester
    >>> a = np.array([[-3, -2, 0], [-1, -1, 3], [3, -5, -1]])
    >>> b = np.array([[1]])
    >>> q = np.array([[1], [2], [3]])
    >>> x = solve_sylvester(a, b, q)
    >>> bool(np.allclose(a @ x + x @ b, q))
    True
    """
    x, perturbed = _solve("Sylvester", {"a": a, "b": b, "q": q}, threads, progress, device)
    _warn(perturbed, "a and -b have an eigenvalue in common, or nearly so")
    return x


def solve_continuous_lyapunov(
    a: ArrayLike,
    q: ArrayLike,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Solve the continuous Lyapunov equation ``a @ x + x @ a.conj().T = q``.

    Parameters
    ----------
    a, q : (..., M, M) array_like
        Leading dimensions broadcast. A single number is a matrix of order 1.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    x : (..., M, M) ndarray
        The solution; exactly Hermitian if q is.

    Warns
    -----
    RuntimeWarning
        If an eigenvalue of a is nearly the negative conjugate of one: x then solves an equation whose a differs by
        about eps.

    Raises
    ------
    LinAlgError, ConvergenceError, ValueError, TypeError, MemoryError
        As in `solve_sylvester`.

    See Also
    --------
    solve_lyapunov : another name of this function.

    Notes
    -----
    The Schur form of a, then blocked substitution; about ``35 M**3`` floating-point operations for real numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import solve_continuous_lyapunov
    >>> a = np.array([[-3, -2, 0], [-1, -1, 0], [0, -5, -1]])
    >>> x = solve_continuous_lyapunov(a, np.eye(3))
    >>> bool(np.allclose(a @ x + x @ a.T, np.eye(3)))
    True
    """
    x, perturbed = _solve("Lyapunov", {"a": _matrix(a), "q": _matrix(q)}, threads, progress, device)
    _warn(perturbed, "a has a pair of eigenvalues whose sum is zero, or nearly so")
    return x


# SciPy's older name.
solve_lyapunov = solve_continuous_lyapunov


def solve_discrete_lyapunov(
    a: ArrayLike,
    q: ArrayLike,
    method: Literal["direct", "bilinear"] | None = None,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Solve the discrete Lyapunov equation ``a @ x @ a.conj().T - x + q = 0``.

    Parameters
    ----------
    a, q : (..., M, M) array_like
        Leading dimensions broadcast. A single number is a matrix of order 1.
    method : {'direct', 'bilinear'}, optional
        Accepted for SciPy's sake. Both words mean the method of the notes.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    x : (..., M, M) ndarray
        The solution; exactly Hermitian if q is.

    Warns
    -----
    RuntimeWarning
        If an eigenvalue of a times the conjugate of one is nearly 1: x then solves an equation whose a differs by about
        eps.

    Raises
    ------
    LinAlgError, ConvergenceError, ValueError, TypeError, MemoryError
        As in `solve_sylvester`.

    Notes
    -----
    The Schur form of a makes the equation triangular, which is solved by blocked substitution; about ``37 M**3``
    floating-point operations for real numbers. No matrix is inverted, as the bilinear transformation to a continuous
    equation does, and no system of ``M**2`` equations is set up.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import solve_discrete_lyapunov
    >>> a = np.array([[0.2, 0.5], [0.7, -0.9]])
    >>> x = solve_discrete_lyapunov(a, np.eye(2))
    >>> bool(np.allclose(a @ x @ a.T - x + np.eye(2), 0))
    True
    """
    if method is not None and (not isinstance(method, str) or method.lower() not in ("direct", "bilinear")):
        raise ValueError(f"method: {method!r} is not one of 'direct', 'bilinear'")
    x, perturbed = _solve("DiscreteLyapunov", {"a": _matrix(a), "q": _matrix(q)}, threads, progress, device)
    _warn(perturbed, "a has a pair of eigenvalues whose product is one, or nearly so")
    return x


def _matrix(a: ArrayLike) -> ArrayLike:
    """Return a single number, alone or in a list or vector, as a matrix of order 1, and everything else as it is."""
    if isinstance(a, np.ndarray):
        is_number = a.ndim < 2 and a.size == 1
    elif isinstance(a, (list, tuple)):
        is_number = len(a) == 1 and isinstance(a[0], _NUMBERS)
    else:
        is_number = isinstance(a, _NUMBERS)
    return np.reshape(a, (1, 1)) if is_number else a
