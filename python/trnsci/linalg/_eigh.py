"""Hermitian eigenproblems."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _records, _small, _threads
from .._core._array import Array
from .._core._caller import warn
from .._core._errors import LinearDependencyWarning
from .._core._progress import Progress
from . import _common
from ._common import BY_INDEX, BY_VALUE, Subset

_JACOBI = "jacobi"
_STANDARD_DRIVERS = ("ev", "evd", "evr", "evx", _JACOBI)
_GENERALIZED_DRIVERS = ("gv", "gvd", "gvx")
_SUBSET_DRIVERS = ("evr", "evx", "gvx", _JACOBI)


def _check_driver(driver: str, generalized: bool, subset: bool) -> None:
    if not isinstance(driver, str) or driver not in _STANDARD_DRIVERS + _GENERALIZED_DRIVERS:
        raise ValueError(f"driver: {driver!r} is not one of {', '.join(_STANDARD_DRIVERS + _GENERALIZED_DRIVERS)}")
    if generalized != (driver in _GENERALIZED_DRIVERS):
        kind = "generalized" if generalized else "standard"
        raise ValueError(f"driver: {driver!r} does not solve a {kind} problem")
    if subset and driver not in _SUBSET_DRIVERS:
        able = [word for word in _SUBSET_DRIVERS if generalized == (word in _GENERALIZED_DRIVERS)]
        raise ValueError(f"driver: {driver!r} computes no subsets; those that do: {', '.join(able)}")


def _pencil(a: ArrayLike, b: ArrayLike | None) -> tuple[Array, Array | None, np.dtype[Any] | None]:
    """Return the checked matrices in their common dtype and batch shape, and the dtype results are cast to."""
    matrix, cast = _array.check(a, "a")
    _array.check_square(matrix, "a")
    if b is None:
        return matrix, None, cast
    metric, metric_cast = _array.check(b, "b")
    return *_array.fitted(matrix, metric, ("a", "b")), cast if cast == metric_cast else None


def _scratch(a: ArrayLike, matrix: Array, b: ArrayLike | None, metric: Array | None, asked: tuple[bool, bool]) -> bool:
    """Whether the memory of both checked matrices may be scratch."""
    if b is None or metric is None:
        return _array.may_overwrite(asked[0], a, matrix)
    return _array.may_overwrite(asked[0], a, matrix, metric) and _array.may_overwrite(asked[1], b, metric, matrix)


def _check_lindep(lindep: Any, b: ArrayLike | None, type: int) -> float:
    if b is None:
        raise ValueError("lindep: there is no b whose eigenvectors could be dropped")
    if type != 1:
        raise ValueError(f"lindep: possible for type 1 only, got type {type}")
    return _array.number(lindep, "lindep")


def _warn_of_dropped(dropped: Array, n: int, lindep: float, by_index: bool) -> None:
    """Say how many eigenvectors of b were dropped; the caller of the public function is three calls up."""
    if not dropped.any():
        return
    counts = " or ".join(map(str, np.unique(dropped)))
    text = f"b: {counts} of {n} eigenvectors are linearly dependent to lindep={lindep:g} and were dropped"
    if by_index:
        left = " or ".join(str(n - count) for count in np.unique(dropped))
        text += f"; subset_by_index counts the {left} eigenpairs that are left"
    warn(text, LinearDependencyWarning)


def _first(count: int, w: Array, v: Array | None) -> tuple[Array, Array | None]:
    """Return copies of the first eigenpairs, each matrix of vectors stored by columns."""
    vectors = None if v is None else np.ascontiguousarray(v[..., :count].swapaxes(-1, -2)).swapaxes(-1, -2)
    return w[..., :count].copy(), vectors


def _eigh(
    a: ArrayLike,
    b: ArrayLike | None,
    lower: bool,
    eigvals_only: bool,
    overwrite: tuple[bool, bool],
    type: int,
    check_finite: bool,
    subset: tuple[Any, Any],
    driver: str | None,
    threads: int | None,
    progress: Progress,
    device: str | None,
    lindep: float | None,
) -> tuple[Array, Array | None]:
    if driver is not None:
        _check_driver(driver, b is not None, any(x is not None for x in subset))
    usual = progress is None and device is None and lindep is None and subset[0] is None and subset[1] is None
    if usual and driver != _JACOBI and isinstance(type, int) and type in (1, 2, 3):
        n = _small.order(a) if b is None else _small.pencil_order(a, b)
        if n:
            if threads is not None:
                _threads.resolve(threads)  # for its errors: a small problem is solved on one thread
            return _small.eigh(a, b, n, int(type), bool(lower), bool(eigvals_only), bool(check_finite))
    if device is not None:
        _device.require_host(device)
    matrix, metric, cast = _pencil(a, b)
    if not isinstance(type, (int, np.integer)) or type not in (1, 2, 3):
        raise ValueError(f"type: expected 1, 2 or 3, got {type!r}")
    limit = None if lindep is None else _check_lindep(lindep, b, type)
    wanted = Subset(matrix.shape[-1], matrix.ndim, *subset)
    *lead, n = matrix.shape[:-1]
    w = _array.empty((*lead, wanted.most), _array.real_dtype(matrix.dtype), "the eigenvalues")
    v = None if eigvals_only else _array.empty((*lead, n, wanted.most), matrix.dtype, "the eigenvectors", "F")
    work = _costs.JACOBI if driver == _JACOBI else _costs.EIGENVALUES if v is None else _costs.EIGENVECTORS
    dropped = None
    if limit is not None:
        work += _costs.EIGENVECTORS  # of the metric
        dropped = np.zeros(math.prod(lead), np.int64)
    made = _records.eigh(
        "Eigh" if dropped is None else "EighCanonical",
        threads=_threads.resolve(threads), a=matrix, b=metric, w=w, v=v, dropped=dropped, problem=int(type),
        lower=bool(lower), check_finite=bool(check_finite), overwrite=_scratch(a, matrix, b, metric, overwrite),
        jacobi=driver == _JACOBI, lindep=limit or 0.0,
        kind=wanted.kind, first=wanted.low, last=wanted.high, above=wanted.above, up_to=wanted.up_to,
    )  # fmt: skip
    count = _common.solve(made, matrix, work, progress)
    if dropped is not None and limit is not None:
        _warn_of_dropped(dropped, n, limit, wanted.kind == BY_INDEX)
    if matrix.size and (wanted.kind == BY_VALUE or limit is not None):
        w, v = _first(count, w, v)
    return _array.cast_to(w, cast), None if v is None else _array.cast_to(v, cast)


def eigh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Iterable[SupportsIndex] | None = None,
    subset_by_value: Iterable[SupportsFloat] | None = None,
    driver: str | None = None,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
    lindep: float | None = None,
) -> Any:
    """Eigenvalues and eigenvectors of a Hermitian or real symmetric matrix, standard or generalized.

    Parameters
    ----------
    a : (..., N, N) array_like
        Hermitian or real symmetric. Only one triangle is used; that the other agrees is not checked, and the imaginary
        part of the diagonal is taken to be zero.
    b : (..., N, N) array_like, optional
        Hermitian positive definite matrix of the generalized problem. Batch dimensions of `a` and `b` broadcast.
    lower : bool, optional
        Whether the lower (default) or the upper triangle of `a` and `b` is used.
    eigvals_only : bool, optional
        Return eigenvalues only.
    overwrite_a, overwrite_b : bool, optional
        Allow the input to be used as scratch memory, which saves a copy where layout and dtype permit. Both are needed
        in the generalized problem.
    type : {1, 2, 3}, optional
        The generalized problem: ``a v = w b v``, ``a b v = w v`` or ``b a v = w v``.
    check_finite : bool, optional
        Refuse infinities and NaNs anywhere in the input. When False, a matrix whose used triangle is not finite gives
        NaNs, and other members of a batch are unharmed.
    subset_by_index : (int, int), optional
        First and last (inclusive) index of the wanted eigenvalues in ascending order.
    subset_by_value : (float, float), optional
        Half-open interval ``(low, high]`` of the wanted eigenvalues; not for batches.
    driver : str, optional
        'jacobi' for Jacobi's method, which is slower and gives small eigenvalues of graded positive definite matrices
        with all their digits (see Notes); for the standard problem. Or one of SciPy's words ('ev', 'evd', 'evr', 'evx',
        'gv', 'gvd', 'gvx'), which is checked and changes nothing.
    threads, progress, device
        See `trnsci.linalg`.
    lindep : float, optional
        For type 1: solve in the space of the eigenvectors of `b` whose eigenvalues are above this number, so that `b`
        need not be positive definite. See Notes.

    Returns
    -------
    w : (..., M) ndarray
        The M wanted eigenvalues, ascending, real.
    v : (..., N, M) ndarray
        ``v[..., :, i]`` belongs to ``w[..., i]``; not returned if `eigvals_only`. For the standard problem and types 1
        and 2 of the generalized one the columns are orthonormal with respect to `b`; for type 3 with respect to its
        inverse. Each matrix is stored by columns.

    Raises
    ------
    ValueError
        For an argument of the wrong shape or value, or with infinities or NaNs.
    TypeError
        For a dtype that is not supported.
    LinAlgError
        If `b` is not positive definite to working precision, with the order of the leading minor; with `lindep`, if an
        eigenvalue of `b` is negative beyond `lindep` and beyond rounding, or if none is positive.
    ConvergenceError
        If the iteration does not converge.
    MemoryError
        If results or workspace do not fit, with the bytes that were needed.

    Warns
    -----
    LinearDependencyWarning
        If `lindep` is given and eigenvectors of `b` were dropped, with their number and, with `subset_by_index`, the
        number of eigenpairs that are left for it to count.

    Notes
    -----
    Householder reduction to tridiagonal form, divide and conquer; up to ``14/3 N**3`` floating-point operations with
    vectors and ``4/3 N**3`` without. Small matrices by QL iteration, in stacks several at a time, so that results of
    orders 19 to 64, or 39 in single precision, in a stack and alone differ by rounding errors; so do eigenvalues with
    and without vectors. Single precision matrices of order 40 and more are worked on in single precision, smaller ones,
    and generalized problems whose `b` is not well conditioned, in double precision. The generalized problem is reduced
    by the Cholesky factor of `b`.

    With ``driver="jacobi"`` a matrix that is positive definite to working precision is factored, ``L L^H``, and the
    columns of ``L`` are rotated until they are orthogonal. The relative error of every eigenvalue is of the order ``N
    eps cond(H)`` with ``H = D a D``, where ``D`` is the diagonal matrix that makes the diagonal of ``H`` one; errors of
    the other methods are of the order ``eps norm(a)``, however small the eigenvalue (J. Demmel, K. Veselic, SIAM J.
    Matrix Anal. Appl. 13, 1992; K. Veselic, V. Hari, Numer. Math. 56, 1989). Other matrices are rotated from both
    sides. About ten sweeps of ``6 N**3`` floating-point operations.

    With `lindep` it is Löwdin's canonical orthogonalization: with the eigenvalues ``s`` of `b` that are above `lindep`
    and their eigenvectors ``u``, ``x = u / sqrt(s)``, the eigenpairs ``(w, y)`` of ``x^H a x`` give ``v = x y``. So
    ``v`` has N rows, and fewer than N columns if any were dropped: M counts what is left, and so do the indices of
    `subset_by_index`. `b` is taken as it is, not scaled to a unit diagonal first, like in PySCF's
    ``scf.hf.check_linear_dependency`` (whose threshold is 1e-6) and ``lib.safe_eigh``; an overlap of normalized
    functions has that diagonal. Eigenvalues of `b` that are not above ``N eps`` times the largest one are dropped in
    any case. In a stack the members have to be left with the same M, which is an error otherwise; with
    `subset_by_index` they are.

    Examples
    --------
    >>> import numpy as np
    >>> import trnsci
    >>> a = np.array([[6, 3, 1, 5], [3, 0, 5, 1], [1, 5, 6, 2], [5, 1, 2, 2]])
    >>> w, v = trnsci.eigh(a)
    >>> bool(np.allclose(a @ v, v * w))
    True

    Two functions that are the same are one:

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     w, v = trnsci.eigh([[2.0, 2.0], [2.0, 2.0]], [[1.0, 1.0], [1.0, 1.0]], lindep=1e-8)
    >>> print(w.round(12), v.shape, caught[0].message)
    [2.] (2, 1) b: 1 of 2 eigenvectors are linearly dependent to lindep=1e-08 and were dropped
    """
    w, v = _eigh(a, b, lower, eigvals_only, (overwrite_a, overwrite_b), type, check_finite,
                 (subset_by_index, subset_by_value), driver, threads, progress, device, lindep)  # fmt: skip
    return w if eigvals_only else (w, v)


def eigvalsh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: Iterable[SupportsIndex] | None = None,
    subset_by_value: Iterable[SupportsFloat] | None = None,
    driver: str | None = None,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
    lindep: float | None = None,
) -> Array:
    """Eigenvalues of a Hermitian or real symmetric matrix, standard or generalized.

    Parameters
    ----------
    a, b, lower, overwrite_a, overwrite_b, type, check_finite, subset_by_index, subset_by_value, driver, lindep
        As in `eigh`.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    w : (..., M) ndarray
        The M wanted eigenvalues, ascending, real.

    See Also
    --------
    eigh : eigenvectors too; the errors are described there.

    Examples
    --------
    >>> import trnsci.linalg
    >>> [round(x, 12) for x in trnsci.linalg.eigvalsh([[2, 1], [1, 2]]).tolist()]
    [1.0, 3.0]
    """
    return _eigh(a, b, lower, True, (overwrite_a, overwrite_b), type, check_finite,
                 (subset_by_index, subset_by_value), driver, threads, progress, device, lindep)[0]  # fmt: skip
