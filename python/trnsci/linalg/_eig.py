"""Eigenproblems of general matrices."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _records, _small, _threads
from .._core._array import Array
from .._core._progress import Progress
from . import _common, _qz


def eig(
    a: ArrayLike,
    b: ArrayLike | None = None,
    left: bool = False,
    right: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """Eigenvalues and eigenvectors of a general matrix, or of a pair of them.

    Parameters
    ----------
    a : (..., N, N) array_like
        Any square matrix. For a Hermitian one `eigh` is much faster.
    b : (..., N, N) array_like, optional
        The second matrix of the generalized problem. Batch dimensions of `a` and `b` broadcast.
    left, right : bool, optional
        Whether left and right eigenvectors are returned: ``a^H vl[:, i] = conj(w[i]) b^H vl[:, i]`` and
        ``a vr[:, i] = w[i] b vr[:, i]``.
    overwrite_a : bool, optional
        Allow the input to be used as scratch memory.
    overwrite_b : bool, optional
        Accepted for SciPy's sake; `b`, and `a` with it, is never overwritten.
    check_finite : bool, optional
        Refuse infinities and NaNs. When False, a matrix that is not finite gives NaNs.
    homogeneous_eigvals : bool, optional
        Return eigenvalues as quotients, numerators in one row and denominators, 1 without `b`, in another.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    w : (..., N) or (..., 2, N) ndarray
        The eigenvalues, always complex, in no particular order. Those of a real matrix come in pairs that are exactly
        conjugate, of which the one with positive imaginary part comes first. An infinite eigenvalue of a pair is
        ``inf``, and NaN stands for 0/0.
    vl : (..., N, N) ndarray
        The left eigenvectors, only if `left`.
    vr : (..., N, N) ndarray
        The right eigenvectors, only if `right`. Vectors have norm 1; without `b`, those of complex matrices and
        eigenvalues are multiplied by a phase that makes the largest element real. Both kinds are real if the matrices
        are and all eigenvalues are real. Each matrix is stored by columns.

    Raises
    ------
    ConvergenceError
        If the QR iteration, with `b` the QZ iteration, does not converge, with the block that would not split.
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    The Schur form and back-substitution for blocks of vectors, scaled where they grow, so that defective matrices do no
    harm; about ``28 N**3`` floating-point operations with right eigenvectors, ``15 N**3`` without any. `N` columns are
    returned in any case; those of a defective eigenvalue are parallel up to rounding errors. With `b` the generalized
    Schur form (see `qz`), about ``70 N**3``. float16 and bfloat16 give results of single precision.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import eig
    >>> a = np.array([[0.0, -1.0], [1.0, 0.0]])
    >>> w, v = eig(a)
    >>> w
    array([0.+1.j, 0.-1.j])
    >>> bool(np.allclose(a @ v, v * w))
    True
    """
    return _solve(
        a, b, (bool(left), bool(right)), overwrite_a, check_finite, homogeneous_eigvals, threads, progress, device
    )


def eigvals(
    a: ArrayLike,
    b: ArrayLike | None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Eigenvalues of a general matrix, or of a pair of them.

    Parameters
    ----------
    a, b, overwrite_a, overwrite_b, check_finite, homogeneous_eigvals
        As in `eig`. Positions are those of SciPy 1.18; before, it had no `overwrite_b`.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    w : (..., N) or (..., 2, N) ndarray
        The eigenvalues, as `eig` returns them.

    See Also
    --------
    eig : eigenvectors too; the errors are described there.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import eigvals
    >>> eigvals(np.array([[0.0, -1.0], [1.0, 0.0]]))
    array([0.+1.j, 0.-1.j])
    """
    w: Array = _solve(a, b, (False, False), overwrite_a, check_finite, homogeneous_eigvals, threads, progress, device)
    return w


def _solve(
    a: ArrayLike,
    b: ArrayLike | None,
    wanted: tuple[bool, bool],
    overwrite: bool,
    check_finite: bool,
    homogeneous: bool,
    threads: int | None,
    progress: Progress,
    device: str | None,
) -> Any:
    n = _small.general_order((a,) if b is None else (a, b), threads, progress, device)
    if n:
        w, vectors, is_real = _small.eig(a, b, n, *wanted, bool(homogeneous), bool(check_finite))
    else:
        if device is not None:
            _device.require_host(device)
        w, vectors, is_real = _general(a, b, wanted, overwrite, check_finite, homogeneous, threads, progress)
    if is_real:
        vectors = [v.real.copy(order="K") for v in vectors]
    return (w, *vectors) if vectors else w


def _general(
    a: ArrayLike,
    b: ArrayLike | None,
    wanted: tuple[bool, bool],
    overwrite: bool,
    check_finite: bool,
    homogeneous: bool,
    threads: int | None,
    progress: Progress,
) -> tuple[Array, list[Array], bool]:
    """Return what `_small.eig` returns, for matrices of any kind."""
    if b is None:
        matrix, _ = _array.check(a, "a")
        _array.check_square(matrix, "a")
    else:
        matrix, second = _qz.checked_pair(a, b, ("a", "b"))
    dtype, (*lead, n) = _array.complex_dtype(matrix.dtype), matrix.shape[:-1]
    w = _array.empty((*lead, 2, n) if homogeneous else (*lead, n), dtype, "the eigenvalues")
    values, denominators = (w[..., 0, :], w[..., 1, :]) if homogeneous else (w, None)
    left, right = (_array.empty(matrix.shape, dtype, "the eigenvectors", "F") if x else None for x in wanted)
    shared: dict[str, Any] = dict(
        threads=_threads.resolve(threads), a=matrix, w=values, left=left, right=right, check_finite=bool(check_finite)
    )
    if b is None:
        made = _records.eig(overwrite=_array.may_overwrite(overwrite, a, matrix), **shared)
        per_cube = _costs.GENERAL_EIGENVECTORS if any(wanted) else _costs.GENERAL_EIGENVALUES
        if denominators is not None:
            denominators[...] = 1
    else:
        made = _records.qz_eigen(b=second, denominators=denominators, **shared)
        per_cube = _costs.QZ
    not_real = _common.solve(made, matrix, per_cube, progress)
    return w, [v for v in (left, right) if v is not None], matrix.dtype.kind != "c" and not not_real
