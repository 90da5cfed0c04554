"""General linear systems and inverses."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _native, _operands, _records, _threads
from .._core._array import Array
from .._core._caller import warn
from .._core._errors import UnsupportedError, linalg_warning
from .._core._progress import Progress, finish_nothing
from ._solve import System

# The numbers of factor.Structure.
_STRUCTURES = {
    None: 0,
    "general": 1, "gen": 1,
    "diagonal": 2,
    "tridiagonal": 3,
    "upper triangular": 4,
    "lower triangular": 5,
    "positive definite": 6, "pos": 6,
    "symmetric": 7, "sym": 7,
    "hermitian": 8, "her": 8,
    "banded": 9,
}  # fmt: skip


def solve(
    a: ArrayLike,
    b: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: str | None = None,
    transposed: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Solve ``a @ x = b`` for a square matrix a.

    Parameters
    ----------
    a : (..., N, N) array_like
        The matrix. A single number is a matrix of order 1, by which b is divided, whatever its shape.
    b : (N,) or (..., N, K) array_like
        Right-hand sides. Leading dimensions of a and b broadcast.
    lower : bool, optional
        Which triangle of a symmetric, Hermitian or positive definite matrix is used; the other one is not read.
    overwrite_a : bool, optional
        Accepted for SciPy's sake; `a` is never changed.
    overwrite_b : bool, optional
        Allow the solution to take the place of `b`, where layout and dtype permit.
    check_finite : bool, optional
        Refuse infinities and NaNs anywhere in a and b.
    assume_a : str, optional
        What a is: 'general' ('gen'), 'diagonal', 'tridiagonal', 'banded', 'upper triangular', 'lower triangular',
        'positive definite' ('pos'), 'symmetric' ('sym') or 'hermitian' ('her'). Elements that such a matrix does not
        have are not used. By default it is found out for each matrix.
    transposed : bool, optional
        Solve ``a.T @ x = b``, for a real matrix.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    x : ndarray
        The solution, of b's shape but for leading dimensions.

    Warns
    -----
    LinAlgWarning
        If the estimated reciprocal condition number, which the message has, is below eps.

    Raises
    ------
    LinAlgError
        If a pivot is exactly zero; the message says which, counted from 1. If a is said to be positive definite and is
        not; `minor` is then the order of the leading minor.
    UnsupportedError
        For a complex matrix with `transposed`, as in SciPy, where it is a NotImplementedError, too.
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    Triangular and diagonal matrices are solved by substitution, positive definite ones by a Cholesky factorization,
    those that `assume_a` calls symmetric or Hermitian with the factors of `ldl`, all others by an LU factorization with
    partial pivoting, see `lu_factor`. Of tridiagonal and of narrow band matrices only the diagonals are factored, see
    `solve_banded`; which diagonals a band matrix has is found out. Without `assume_a`, tridiagonal matrices of order 4
    and more are solved as such, and other Hermitian matrices with a positive diagonal are tried as positive definite
    ones. The condition number is that of the 1-norm (N. J. Higham, ACM TOMS 14, 1988).

    Examples
    --------
    >>> from trnsci.linalg import solve
    >>> solve([[2.0, 2.0], [4.0, 8.0]], [4.0, 12.0])
    array([1., 1.])
    """
    matrix = _number_as_matrix(a, "a")
    if np.size(matrix) == 1 and np.ndim(matrix) == 2:
        right = np.atleast_1d(_array.as_array(b, "b"))
        if right.shape[-2 if right.ndim > 1 else 0] != 1:
            row = solve(
                matrix, right.reshape(1, -1), lower, overwrite_a, overwrite_b, check_finite, assume_a, transposed,
                threads=threads, progress=progress, device=device,
            )  # fmt: skip
            return row.reshape(right.shape)
        b = right
    if device is not None:
        _device.require_host(device)
    structure = _operands.word(assume_a, _STRUCTURES, "assume_a")
    system = System("a", matrix, b, overwrite_b)
    if transposed and np.iscomplexobj(matrix):
        raise UnsupportedError("transposed: not for complex matrices")
    x = system.begin(system.matrix)
    _run("Solve", _operands.spread(system.matrix, system.lead), x, structure, lower, transposed, check_finite, threads,
         progress)  # fmt: skip
    return system.finish(x)


def inv(
    a: ArrayLike,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    assume_a: str | None = None,
    lower: bool = False,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Inverse of a square matrix.

    Parameters
    ----------
    a : (..., N, N) array_like
        The matrix.
    overwrite_a, check_finite, assume_a, lower
        As in `solve`.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    ainv : (..., N, N) ndarray
        The inverse; each matrix is stored by columns.

    Warns
    -----
    LinAlgWarning
        As in `solve`.

    Raises
    ------
    LinAlgError, ValueError, TypeError, MemoryError
        As in `solve`.

    Notes
    -----
    The solution of ``a @ x = I``, see `solve`; ``2 * N**3`` floating-point operations for a general matrix. To solve a
    system, `solve` takes fewer and is more accurate.

    Examples
    --------
    >>> from trnsci.linalg import inv
    >>> inv([[2.0, 2.0], [4.0, 8.0]])
    array([[ 1.  , -0.25],
           [-0.5 ,  0.25]])
    """
    if device is not None:
        _device.require_host(device)
    structure = _operands.word(assume_a, _STRUCTURES, "assume_a")
    matrix, cast = _array.check(a, "a")
    _array.check_square(matrix, "a")
    x = _array.empty(matrix.shape, matrix.dtype, "the inverse", order="F")
    _run("Inverse", matrix, x, structure, lower, False, check_finite, threads, progress)
    return _array.cast_to(x, cast)


def solve_into(a: Array, x: Array, threads: int | None, progress: Progress = None) -> Array:
    """Solve ``a @ x = b`` for checked stacks of one dtype whose leading dimensions are the same, and for b in x, which
    has rows without gaps. Return estimates of the reciprocal condition numbers, as a vector."""
    return _conditions("Solve", a, x, _STRUCTURES[None], False, False, False, threads, progress)


def warn_of_conditions(name: str, conditions: Array, a: Array) -> None:
    """Warn if a matrix of the stack `a`, with these reciprocal condition numbers, is ill-conditioned."""
    (ill,) = (conditions < np.finfo(a.dtype).eps).nonzero()
    if ill.size:
        member = f" (batch member {ill[0]})" if a.ndim > 2 else ""
        warn(
            f"{name} is ill-conditioned: its reciprocal condition number is {conditions[ill[0]]:.3g}{member}",
            linalg_warning(),
        )


def _number_as_matrix(a: ArrayLike, name: str) -> ArrayLike:
    """Return a single number as a matrix of order 1, and everything else as an array."""
    matrix = _array.as_array(a, name)
    return matrix.reshape(1, 1) if matrix.ndim < 2 and matrix.size == 1 else a


def _run(
    function: Literal["Solve", "Inverse"],
    a: Array,
    x: Array,
    structure: int,
    lower: bool,
    transposed: bool,
    check_finite: bool,
    threads: int | None,
    progress: Progress,
) -> None:
    """Solve the systems of the stacks `a` and `x`, and warn if a matrix is ill-conditioned."""
    conditions = _conditions(function, a, x, structure, lower, transposed, check_finite, threads, progress)
    if x.size:
        warn_of_conditions("a: the matrix", conditions, x)


def _conditions(
    function: Literal["Solve", "Inverse"],
    a: Array,
    x: Array,
    structure: int,
    lower: bool,
    transposed: bool,
    check_finite: bool,
    threads: int | None,
    progress: Progress,
) -> Array:
    """Solve the systems of the stacks `a` and `x`, and return the reciprocal condition numbers."""
    n = a.shape[-1]
    conditions = np.zeros(math.prod(x.shape[:-2]))
    if x.size == 0:
        finish_nothing(progress, n)
        return conditions
    made = _records.linear_system(
        function, threads=_threads.resolve(threads), a=a, x=x, conditions=conditions,
        structure=structure, lower=bool(lower), transposed=bool(transposed), check_finite=bool(check_finite),
    )  # fmt: skip
    complex_factor = _costs.COMPLEX_FACTOR if a.dtype.kind == "c" else 1
    work = len(conditions) * (_costs.LINEAR_SYSTEM * complex_factor * n**3 + _costs.PER_MATRIX)
    _native.run(made, work + 2.0 * n * x.size * complex_factor, progress, order=n)
    return conditions
