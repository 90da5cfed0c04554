"""Systems of equations with band matrices."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _native, _operands, _records, _threads
from .._core._array import Array
from .._core._progress import Progress, finish_nothing
from ._solve import System


def solve_stack(
    function: Literal["SolveBanded", "SolveHermitianBanded", "CholeskySolveBanded", "SolveToeplitz"],
    system: System,
    work: float,
    threads: int | None,
    progress: Progress,
    **fields: Any,
) -> Array:
    """Call the solver of a system whose matrix is not stored as a square one; `work` is that of each member."""
    x = system.begin(system.matrix)
    n = x.shape[-2]
    if x.size == 0:
        finish_nothing(progress, n)
        return system.finish(x)
    made = _records.banded_system(
        function, threads=_threads.resolve(threads), a=_operands.spread(system.matrix, system.lead), x=x, **fields
    )
    complex_factor = _costs.COMPLEX_FACTOR if system.kind.is_complex else 1
    members = math.prod(system.lead)
    _native.run(made, members * (work * complex_factor + _costs.PER_MATRIX), progress, order=n)
    return system.finish(x)


def _check_band(a: Array, name: str) -> None:
    if a.shape[-2] == 0 and a.shape[-1] > 0:
        raise ValueError(f"{name}: expected a row for each diagonal, got shape {a.shape}")


def solve_banded(
    l_and_u: tuple[Any, Any],
    ab: ArrayLike,
    b: ArrayLike,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Solve ``a @ x = b`` for a band matrix a.

    Parameters
    ----------
    l_and_u : (l, u)
        The numbers of diagonals below and above the main one, integers. Arrays of them, (...), broadcast with the
        leading dimensions of ab and b.
    ab : (..., L+U+1, N) array_like
        The diagonals of the matrix, each in a row: ``ab[u + i - j, j] = a[i, j]``. What belongs to no element of the
        matrix does not affect the result.
    b : (N,) or (..., N, K) array_like
        Right-hand sides. Leading dimensions of ab and b broadcast.
    overwrite_ab : bool, optional
        Accepted for SciPy's sake; `ab` is never changed.
    overwrite_b : bool, optional
        Allow the solution to take the place of `b`, where layout and dtype permit.
    check_finite : bool, optional
        Refuse infinities and NaNs anywhere in ab and b.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    x : ndarray
        The solution, of b's shape but for leading dimensions.

    Raises
    ------
    LinAlgError
        If a pivot is exactly zero; the message says which, counted from 1.
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    An LU factorization with partial pivoting, ``2 L (L + U) N`` floating-point operations, and ``(4 L + 2 U) N K`` of
    them for the solution, with LAPACK's pivots (Golub and Van Loan, Matrix Computations, 4th ed., section 4.3).
    Tridiagonal matrices have a factorization of their own, and wide bands are factored by blocks.

    Examples
    --------
    >>> from trnsci.linalg import solve_banded
    >>> solve_banded((1, 1), [[0.0, -1, -1], [2, 2, 2], [-1, -1, 0]], [1.0, 0, 1])
    array([1., 1., 1.])
    """
    if device is not None:
        _device.require_host(device)
    system = System("ab", ab, b, overwrite_b, square=False)
    below, above = _numbers_of_diagonals(l_and_u, system)
    n, k = system.right.shape[-2:]
    lower, upper = (int(min(max(x.max(initial=0), 0), n)) for x in (below, above))
    work = 2.0 * n * (lower * (lower + upper) + k * (2 * lower + upper + 1))
    return solve_stack(
        "SolveBanded", system, work, threads, progress,
        below=np.ascontiguousarray(below.ravel()), check_finite=bool(check_finite), name="solve_banded", arg="ab",
    )  # fmt: skip


def _numbers_of_diagonals(l_and_u: Any, system: System) -> tuple[Array, Array]:
    """Return the checked numbers of diagonals below and above the main one for each member of a stack."""
    try:
        first, second = l_and_u
    except (TypeError, ValueError):
        raise ValueError(f"l_and_u: expected a pair of integers, got {l_and_u!r:.60}") from None
    below, above = (_array.integers(x, "l_and_u").astype(np.int64) for x in (first, second))
    rows = system.matrix.shape[-2]
    if (below < 0).any() or (above < 0).any():
        raise ValueError("l_and_u: a number of diagonals is negative")
    try:
        system.lead = np.broadcast_shapes(system.lead, below.shape, above.shape)
        sums = below + above + 1
    except ValueError:
        raise ValueError(f"l_and_u: shapes {below.shape} and {above.shape} do not fit the leading dimensions") from None
    if (sums != rows).any():
        raise ValueError(f"l_and_u: l + u + 1 is not the number of rows of ab, which has shape {system.matrix.shape}")
    return np.broadcast_to(below, system.lead), np.broadcast_to(above, system.lead)


def solveh_banded(
    ab: ArrayLike,
    b: ArrayLike,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    lower: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Solve ``a @ x = b`` for a Hermitian positive definite band matrix a.

    Parameters
    ----------
    ab : (..., U+1, N) array_like
        The diagonals of the matrix, each in a row, as in `cholesky_banded`.
    b : (N,) or (..., N, K) array_like
        Right-hand sides. Leading dimensions of ab and b broadcast.
    overwrite_ab, overwrite_b
        As in `solve_banded`.
    lower : bool, optional
        Whether the diagonals are those below the main one.
    check_finite : bool, optional
        Refuse infinities and NaNs anywhere in ab and b.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    x : ndarray
        The solution, of b's shape but for leading dimensions.

    Raises
    ------
    LinAlgError
        If a is not positive definite; `minor` is then the order of the leading minor.
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    A Cholesky factorization, ``U (U + 1) N`` floating-point operations, and ``4 U N K`` of them for the solution. A
    matrix of two diagonals is factored as ``L D L^H`` instead (Golub and Van Loan, Matrix Computations, 4th ed.,
    section 4.3.6).

    Examples
    --------
    >>> from trnsci.linalg import solveh_banded
    >>> solveh_banded([[0.0, -1, -1], [2, 2, 2]], [1.0, 0, 1])
    array([1., 1., 1.])
    """
    if device is not None:
        _device.require_host(device)
    system = System("ab", ab, b, overwrite_b, square=False)
    _check_band(system.matrix, "ab")
    work = _definite_work(system.matrix) + _solution_work(system)
    return solve_stack(
        "SolveHermitianBanded", system, work, threads, progress,
        lower=bool(lower), check_finite=bool(check_finite), name="solveh_banded", arg="ab",
    )  # fmt: skip


def _definite_work(ab: Array) -> float:
    """Return the operations of the factorization of each matrix."""
    rows, n = ab.shape[-2:]
    return float(n * min(rows, n) ** 2)


def _solution_work(system: System) -> float:
    rows, (n, k) = system.matrix.shape[-2], system.right.shape[-2:]
    return float(4 * n * k * min(rows, n))


def cholesky_banded(
    ab: ArrayLike,
    overwrite_ab: bool = False,
    lower: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Cholesky factorization of a Hermitian positive definite band matrix.

    Parameters
    ----------
    ab : (..., U+1, N) array_like
        The diagonals of the matrix, each in a row: ``ab[U + i - j, j] = a[i, j]`` for ``i <= j``, or with `lower`
        ``ab[i - j, j] = a[i, j]`` for ``i >= j``. Imaginary parts of the main diagonal are taken to be zero, and what
        belongs to no element of the matrix does not affect the result.
    overwrite_ab : bool, optional
        Let the factor take the place of `ab`, where it is a writable array of one of the four computing dtypes without
        gaps; the result shares its memory then. After an error its contents are as before.
    lower : bool, optional
        Whether the diagonals are those below the main one.
    check_finite : bool, optional
        Refuse infinities and NaNs anywhere in `ab`.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    c : (..., U+1, N) ndarray
        The diagonals of the factor, stored as those of a: of U with ``a = U^H @ U``, or with `lower` of L with ``a = L
        @ L^H``. What belongs to no element is that of `ab`.

    Raises
    ------
    LinAlgError
        If a is not positive definite; `minor` is then the order of the leading minor.
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    ``U (U + 1) N`` floating-point operations (Golub and Van Loan, Matrix Computations, 4th ed., section 4.3.5). Wide
    bands are factored by blocks.

    Examples
    --------
    >>> from trnsci.linalg import cholesky_banded
    >>> cholesky_banded([[4.0, 5, 5], [2, 2, 0]], lower=True)
    array([[2., 2., 2.],
           [1., 1., 0.]])
    """
    if device is not None:
        _device.require_host(device)
    matrix, cast = _array.check(ab, "ab")
    _operands.check_core(matrix, "ab")
    _check_band(matrix, "ab")
    if _array.may_overwrite(overwrite_ab, ab, matrix):
        factor = matrix
    else:
        factor = _array.empty(matrix.shape, matrix.dtype, "the Cholesky factor")
        np.copyto(factor, matrix)
    n = matrix.shape[-1]
    if matrix.size == 0:
        finish_nothing(progress, n)
        return _array.cast_to(factor, cast)
    made = _records.cholesky_banded(
        threads=_threads.resolve(threads), a=matrix, factor=factor, lower=bool(lower), check_finite=bool(check_finite)
    )
    complex_factor = _costs.COMPLEX_FACTOR if matrix.dtype.kind == "c" else 1
    members = math.prod(matrix.shape[:-2])
    _native.run(made, members * (_definite_work(matrix) * complex_factor + _costs.PER_MATRIX), progress, order=n)
    return _array.cast_to(factor, cast)


def cho_solve_banded(
    cb_and_lower: tuple[ArrayLike, bool],
    b: ArrayLike,
    overwrite_b: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Solve ``a @ x = b`` for a Hermitian positive definite band matrix a whose Cholesky factor is known.

    Parameters
    ----------
    cb_and_lower : (cb, lower)
        What `cholesky_banded` returns, (..., U+1, N), and the flag that it was given.
    b : (N,) or (..., N, K) array_like
        Right-hand sides. Leading dimensions of cb and b broadcast.
    overwrite_b : bool, optional
        Allow the solution to take the place of `b`, where layout and dtype permit.
    check_finite : bool, optional
        Refuse infinities and NaNs anywhere in cb and b.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    x : ndarray
        The solution, of b's shape but for leading dimensions.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    Two triangular solves, ``4 U N K`` floating-point operations.

    Examples
    --------
    >>> from trnsci.linalg import cho_solve_banded, cholesky_banded
    >>> factor = cholesky_banded([[0.0, 2, 2], [4, 5, 5]])
    >>> cho_solve_banded((factor, False), [6.0, 9, 7])
    array([1., 1., 1.])
    """
    if device is not None:
        _device.require_host(device)
    try:
        cb, lower = cb_and_lower
    except (TypeError, ValueError):
        raise ValueError("cb_and_lower: expected a pair of what cholesky_banded returns and a flag") from None
    system = System("cb", cb, b, overwrite_b, square=False)
    _check_band(system.matrix, "cb")
    rows, n = system.matrix.shape[-2:]
    return solve_stack(
        "CholeskySolveBanded", system, _solution_work(system) + rows * n, threads, progress,
        lower=bool(lower), check_finite=bool(check_finite), name="cho_solve_banded", arg="cb",
    )  # fmt: skip
