"""Linear systems with factors that are known."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _device, _operands
from .._core._array import Array
from .._core._progress import Progress, finish_nothing

__all__ = ["cho_solve", "solve_triangular"]

_TRANS_WORDS = {**_operands.TRANS_WORDS, 2: _operands.CONJ_TRANS}  # False and True are 0 and 1


class System:
    """The checked operands of ``a x = b``, with b as a stack of matrices.

    The matrix is square, or else an array with a column for each unknown that says what it is.
    """

    def __init__(self, name: str, a: ArrayLike, b: ArrayLike, overwrite_b: bool, square: bool = True) -> None:
        (self.matrix, right), self.kind = _operands.settle({name: a, "b": b})
        if square:
            _array.check_square(self.matrix, name)
        else:
            _operands.check_core(self.matrix, name)
        n = self.matrix.shape[-1]
        if right.ndim == 0 or right.shape[-2 if right.ndim > 1 else 0] != n:
            raise ValueError(f"b: shape {right.shape} does not fit {name}'s shape {self.matrix.shape}")
        self.is_vector = right.ndim == 1
        self.may_overwrite = _array.may_overwrite(overwrite_b, b, right)
        self.right = right[:, None] if self.is_vector else right
        self.lead = _operands.leading({name: self.matrix, "b": self.right})

    def begin(self, stored: Array) -> Array:
        """Return the array that the solution overwrites, with the right-hand sides, for a call that reads `stored`."""
        shape = (*self.lead, *self.right.shape[-2:])
        in_place = self.may_overwrite and self.kind.cast is None and self.right.shape == shape
        x = _operands.target(shape, self.kind, self.right if in_place else None, stored)
        _operands.load(x, self.right)
        return x

    def finish(self, x: Array) -> Array:
        """Return the solution in the wanted dtype and shape."""
        x = _array.cast_to(x, self.kind.cast)
        return x[..., 0] if self.is_vector else x

    def solve(
        self, name: str, per_element: float, stored: Array, threads: int | None, progress: Progress, **flags: Any
    ) -> Array:
        """Call the solver with the row-major matrices `stored`; it works in place."""
        n = self.matrix.shape[-1]
        x = self.begin(stored)
        if x.size:
            work = per_element * n * x.size
            _operands.invoke(
                name, work, threads, a=_operands.spread(stored, self.lead), c=x, progress=progress, **flags
            )
        else:
            finish_nothing(progress, n)
        return self.finish(x)


def cho_solve(
    c_and_lower: tuple[ArrayLike, ArrayLike],
    b: ArrayLike,
    overwrite_b: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Solve ``a x = b`` for a Hermitian positive definite a whose Cholesky factor is known.

    Parameters
    ----------
    c_and_lower : (c, lower)
        What `cho_factor` returns: the factor, (..., N, N), in one triangle of c, and whether that is the lower one: a
        bool, or an array of them, (...), for the members of a stack. The other triangle is not used.
    b : (N,) or (..., N, K) array_like
        Right-hand sides. Leading dimensions of c and b broadcast.
    overwrite_b : bool, optional
        Allow the solution to take the place of `b`, where layout and dtype permit.
    check_finite : bool, optional
        Refuse infinities and NaNs anywhere in c and b.
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
    Two triangular solves, ``2 N**2 K`` floating-point operations.

    Examples
    --------
    >>> from trnsci.linalg import cho_factor, cho_solve
    >>> factor = cho_factor([[4.0, 2.0], [2.0, 5.0]])
    >>> cho_solve(factor, [8.0, 12.0])
    array([1., 2.])
    """
    if device is not None:
        _device.require_host(device)
    try:
        c, lower = c_and_lower
    except (TypeError, ValueError):
        raise ValueError("c_and_lower: expected what cho_factor returns, a pair of a matrix and a flag") from None
    system = System("c", c, b, overwrite_b)
    matrix, is_lower = _one_triangle(system.matrix, lower)
    stored, uplo = _operands.symmetric_by_rows(matrix, _operands.LOWER if is_lower else _operands.UPPER, True, "c")
    return system.solve("CholeskySolve", 2.0, stored, threads, progress, uplo=uplo, check_finite=bool(check_finite))


def _one_triangle(c: Array, lower: ArrayLike) -> tuple[Array, bool]:
    """Return factors that are all in the same triangle, and whether that is the lower one, for the flag or flags
    `lower`."""
    flags = np.asarray(lower)
    if flags.ndim == 0:
        return c, bool(flags)
    if flags.dtype.kind not in "biu":
        raise TypeError(f"c_and_lower: expected flags, got dtype {flags.dtype}")
    if flags.shape != c.shape[:-2]:
        raise ValueError(f"c_and_lower: flags of shape {flags.shape} do not fit c's shape {c.shape}")
    flags = flags.astype(bool)
    if flags.all() or not flags.any():
        return c, bool(flags.all())
    return np.where(flags[..., None, None], c, c.swapaxes(-1, -2).conj()), True


def solve_triangular(
    a: ArrayLike,
    b: ArrayLike,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Solve ``op(a) x = b`` for a triangular a.

    Parameters
    ----------
    a : (..., N, N) array_like
        Only the triangle that `lower` names is used.
    b : (N,) or (..., N, K) array_like
        Right-hand sides. Leading dimensions of a and b broadcast.
    trans : {0, 1, 2, 'N', 'T', 'C'}, optional
        What ``op(a)`` is: a, its transpose or its conjugate transpose.
    lower : bool, optional
        Whether a is lower triangular.
    unit_diagonal : bool, optional
        Take the diagonal of a to be one without looking at it.
    overwrite_b : bool, optional
        Allow the solution to take the place of `b`, where layout and dtype permit.
    check_finite : bool, optional
        Refuse infinities and NaNs anywhere in a and b.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    x : ndarray
        The solution, of b's shape but for leading dimensions.

    Raises
    ------
    LinAlgError
        If an element of a's diagonal is exactly zero; the message says which, counted from 1.
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    Blocked substitution, ``N**2 K`` floating-point operations.

    Examples
    --------
    >>> from trnsci.linalg import solve_triangular
    >>> solve_triangular([[1.0, 2.0], [0.0, 4.0]], [3.0, 4.0])
    array([1., 1.])
    """
    if device is not None:
        _device.require_host(device)
    flag = _operands.word(trans, _TRANS_WORDS, "trans")
    system = System("a", a, b, overwrite_b)
    uplo = _operands.LOWER if lower else _operands.UPPER
    stored, uplo, flag = _operands.triangle_by_rows(system.matrix, uplo, flag, "a")
    return system.solve(
        "SolveTriangular", 1.0, stored, threads, progress,
        uplo=uplo, trans_a=flag, diag=_operands.UNIT if unit_diagonal else _operands.NON_UNIT,
        check_finite=bool(check_finite),
    )  # fmt: skip
