"""Hermitian eigenproblems of tridiagonal and band matrices."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _native, _records, _threads
from .._core._array import Array
from .._core._progress import Progress, finish_nothing
from ._common import ALL, BY_VALUE, Subset, selected

_TRIDIAGONAL_DRIVERS = ("auto", "stemr", "sterf", "stebz", "stev", "stevd")
_DRIVERS_OF_ALL = ("sterf", "stev", "stevd")


def _run(
    function: Literal["EighTridiagonal", "EighBanded"],
    work: float,
    matrix: Array,
    subdiagonals: Array | None,
    lower: bool,
    check_finite: bool,
    wanted: Subset,
    n: int,
    eigvals_only: bool,
    threads: int | None,
    progress: Progress,
) -> tuple[Array, Array | None]:
    """Call a solver for a stack of matrices of order n, given by diagonals and subdiagonals or by bands."""
    size = _threads.resolve(threads)
    batch = matrix.shape[:-2] if subdiagonals is None else matrix.shape[:-1]
    w = _array.empty((*batch, wanted.most), _array.real_dtype(matrix.dtype), "the eigenvalues")
    v = None if eigvals_only else _array.empty((*batch, n, wanted.most), matrix.dtype, "the eigenvectors", "F")
    count = 0
    if w.size:
        made = _records.eigh_structured(
            function, threads=size, matrix=matrix, subdiagonals=subdiagonals, w=w, v=v, lower=lower,
            check_finite=check_finite, **wanted.fields(),
        )  # fmt: skip
        count = _native.run(made, (work + _costs.PER_MATRIX) * (w.size / wanted.most), progress)
    else:
        finish_nothing(progress, n)
    if wanted.kind == BY_VALUE:
        w = w[:count].copy()
        v = None if v is None else v[:, :count].copy(order="F")
    return w, v


def _check_tridiagonal_driver(driver: Any, eigvals_only: bool, subset: bool) -> None:
    if not isinstance(driver, str):
        raise TypeError(f"lapack_driver: expected a str, got {driver!r}")
    if driver not in _TRIDIAGONAL_DRIVERS:
        raise ValueError(f"lapack_driver: {driver!r} is not one of {', '.join(_TRIDIAGONAL_DRIVERS)}")
    if subset and driver in _DRIVERS_OF_ALL:
        raise ValueError(f"lapack_driver: {driver!r} computes no subsets")
    if driver == "sterf" and not eigvals_only:
        raise ValueError("lapack_driver: 'sterf' computes no eigenvectors")


def _couplings(d: ArrayLike, e: ArrayLike) -> tuple[Array, Array, np.dtype[Any] | None]:
    """Return the checked elements of tridiagonal matrices in one dtype and batch shape, and the dtype results are cast
    to."""
    diagonal, cast = _array.check(d, "d")
    offdiagonal, other_cast = _array.check(e, "e")
    for name, a in (("d", diagonal), ("e", offdiagonal)):
        if a.dtype.kind == "c":
            raise TypeError(
                f"{name}: dtype {a.dtype} is not supported, only real ones are; eig_banded takes complex ones"
            )
        if a.ndim < 1:
            raise ValueError(f"{name}: expected a vector or a stack of them, got shape {a.shape}")
    n = diagonal.shape[-1]
    if offdiagonal.shape[-1] != n - 1:
        raise ValueError(f"e: expected one element less than d has, {n - 1}, got shape {offdiagonal.shape}")
    if offdiagonal.dtype != diagonal.dtype:
        dtype = np.result_type(diagonal.dtype, offdiagonal.dtype)
        diagonal, offdiagonal = diagonal.astype(dtype, copy=False), offdiagonal.astype(dtype, copy=False)
    batch = diagonal.shape[:-1]
    if offdiagonal.shape[:-1] != batch:
        try:
            batch = np.broadcast_shapes(batch, offdiagonal.shape[:-1])
        except ValueError:
            raise ValueError(f"e: shape {offdiagonal.shape} does not fit d's shape {diagonal.shape}") from None
        diagonal, offdiagonal = np.broadcast_to(diagonal, (*batch, n)), np.broadcast_to(offdiagonal, (*batch, n - 1))
    return np.ascontiguousarray(diagonal), np.ascontiguousarray(offdiagonal), cast if cast == other_cast else None


def _eigh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    eigvals_only: bool,
    select: Any,
    select_range: Any,
    check_finite: bool,
    lapack_driver: str,
    threads: int | None,
    progress: Progress,
    device: str | None,
) -> tuple[Array, Array | None]:
    if device is not None:
        _device.require_host(device)
    diagonal, offdiagonal, cast = _couplings(d, e)
    n = diagonal.shape[-1]
    wanted = selected(n, diagonal.ndim - 1, select, select_range)
    _check_tridiagonal_driver(lapack_driver, eigvals_only, wanted.kind != ALL)
    work = _costs.TRIDIAGONAL_EIGENVALUES * n**2 if eigvals_only else _costs.DIVIDE_AND_CONQUER * n**3
    w, v = _run(
        "EighTridiagonal",
        work,
        diagonal,
        offdiagonal,
        True,
        bool(check_finite),
        wanted,
        n,
        eigvals_only,
        threads,
        progress,
    )
    return _array.cast_to(w, cast), None if v is None else _array.cast_to(v, cast)


def _eig_banded(
    a_band: ArrayLike,
    lower: bool,
    eigvals_only: bool,
    select: Any,
    select_range: Any,
    check_finite: bool,
    threads: int | None,
    progress: Progress,
    device: str | None,
) -> tuple[Array, Array | None]:
    if device is not None:
        _device.require_host(device)
    band, cast = _array.check(a_band, "a_band")
    if band.ndim < 2 or (band.shape[-2] == 0 and band.shape[-1] > 0):
        raise ValueError(
            f"a_band: expected a matrix with a row for each diagonal, or a stack of them, got shape {band.shape}"
        )
    rows, n = band.shape[-2:]
    wanted = selected(n, band.ndim - 2, select, select_range)
    work = (_costs.EIGENVECTORS if rows > 2 else _costs.DIVIDE_AND_CONQUER) * n**3
    if eigvals_only:
        reduction = min(_costs.BAND_DIAGONAL * n**2 * max(rows - 2, 0), _costs.EIGENVALUES * n**3)
        work = _costs.TRIDIAGONAL_EIGENVALUES * n**2 + reduction
    w, v = _run(
        "EighBanded", work, band, None, bool(lower), bool(check_finite), wanted, n, eigvals_only, threads, progress
    )
    return _array.cast_to(w, cast), None if v is None else _array.cast_to(v, cast)


def eigh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    eigvals_only: bool = False,
    select: Any = "a",
    select_range: Any = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """Eigenvalues and eigenvectors of a real symmetric tridiagonal matrix.

    Parameters
    ----------
    d : (..., N) array_like
        The diagonal, real.
    e : (..., N-1) array_like
        The elements next to it, real. Batch dimensions of `d` and `e` broadcast.
    eigvals_only : bool, optional
        Return eigenvalues only.
    select : {'a', 'v', 'i'}, optional
        All eigenvalues, those in the half-open interval ``(low, high]``, or those with the indices first to last
        (inclusive) in ascending order. The interval is not for batches.
    select_range : (low, high) or (first, last), optional
        The range of values or of indices.
    check_finite : bool, optional
        Refuse infinities and NaNs. When False, a matrix that is not finite gives NaNs.
    tol : float, optional
        Accepted for SciPy's sake and ignored: eigenvalues are as exact as the dtype allows.
    lapack_driver : str, optional
        One of SciPy's words ('auto', 'stemr', 'stebz', 'sterf', 'stev', 'stevd'). It is checked and changes nothing.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    w : (..., M) ndarray
        The M wanted eigenvalues, ascending.
    v : (..., N, M) ndarray
        ``v[..., :, i]`` belongs to ``w[..., i]``, with the phase of `eigh`; not returned if `eigvals_only`. Each matrix
        is stored by columns.

    Raises
    ------
    ValueError
        For an argument of the wrong shape or value, or with infinities or NaNs.
    TypeError
        For a dtype that is not supported, complex ones among them.
    ConvergenceError, MemoryError
        As in `eigh`.

    Notes
    -----
    Divide and conquer in double precision, up to ``4/3 N**3`` floating-point operations with vectors and about ``50
    N**2`` without.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import eigh_tridiagonal
    >>> w, v = eigh_tridiagonal([2.0, 2, 2], [-1.0, -1])
    >>> bool(np.allclose(w, [2 - np.sqrt(2), 2, 2 + np.sqrt(2)]))
    True
    """
    w, v = _eigh_tridiagonal(
        d, e, eigvals_only, select, select_range, check_finite, lapack_driver, threads, progress, device
    )
    return w if eigvals_only else (w, v)


def eigvalsh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    select: Any = "a",
    select_range: Any = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Eigenvalues of a real symmetric tridiagonal matrix.

    Parameters
    ----------
    d, e, select, select_range, check_finite, tol, lapack_driver
        As in `eigh_tridiagonal`.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    w : (..., M) ndarray
        The M wanted eigenvalues, ascending.

    See Also
    --------
    eigh_tridiagonal : eigenvectors too; errors and method are described there.

    Examples
    --------
    >>> from trnsci.linalg import eigvalsh_tridiagonal
    >>> [round(x, 12) for x in eigvalsh_tridiagonal([2.0, 2], [1.0]).tolist()]
    [1.0, 3.0]
    """
    return _eigh_tridiagonal(d, e, True, select, select_range, check_finite, lapack_driver, threads, progress, device)[
        0
    ]


def eig_banded(
    a_band: ArrayLike,
    lower: bool = False,
    eigvals_only: bool = False,
    overwrite_a_band: bool = False,
    select: Any = "a",
    select_range: Any = None,
    max_ev: int = 0,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """Eigenvalues and eigenvectors of a Hermitian or real symmetric band matrix.

    Parameters
    ----------
    a_band : (..., U+1, N) array_like
        The diagonals of the matrix, each in a row: ``a_band[U + i - j, j] = a[i, j]`` for ``i <= j``, or with `lower`
        ``a_band[i - j, j] = a[i, j]`` for ``i >= j``. Imaginary parts of the main diagonal are taken to be zero. What
        belongs to no element of the matrix has to be finite as well, unless `check_finite` is False.
    lower : bool, optional
        Whether the diagonals are those below the main one.
    eigvals_only : bool, optional
        Return eigenvalues only.
    overwrite_a_band : bool, optional
        Accepted for SciPy's sake; `a_band` is never changed.
    select, select_range
        As in `eigh_tridiagonal`.
    max_ev : int, optional
        Accepted for SciPy's sake and ignored.
    check_finite : bool, optional
        Refuse infinities and NaNs. When False, a matrix that is not finite gives NaNs.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    w : (..., M) ndarray
        The M wanted eigenvalues, ascending, real.
    v : (..., N, M) ndarray
        ``v[..., :, i]`` belongs to ``w[..., i]``, with the phase of `eigh`; not returned if `eigvals_only`. Each matrix
        is stored by columns.

    Raises
    ------
    ValueError
        For an argument of the wrong shape or value, or with infinities or NaNs.
    TypeError, ConvergenceError, MemoryError
        As in `eigh`.

    Notes
    -----
    A matrix with one diagonal next to the main one is tridiagonal up to phases; `eigh_tridiagonal` solves it.
    Eigenvalues alone of narrow bands, U at most N/64, take ``6 U N**2`` floating-point operations more, by rotations
    (H. R. Schwarz, Numer. Math. 12, 1968). Everything else is solved as a dense matrix, whose reduction takes less time
    than to accumulate that of a band.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import eig_banded
    >>> a = np.array([[1, 5, 2, 0], [5, 2, 5, 2], [2, 5, 3, 5], [0, 2, 5, 4]])
    >>> w, v = eig_banded([[1, 2, 3, 4], [5, 5, 5, 0], [2, 2, 0, 0]], lower=True)
    >>> bool(np.allclose(a @ v, v * w))
    True
    """
    w, v = _eig_banded(a_band, lower, eigvals_only, select, select_range, check_finite, threads, progress, device)
    return w if eigvals_only else (w, v)


def eigvals_banded(
    a_band: ArrayLike,
    lower: bool = False,
    overwrite_a_band: bool = False,
    select: Any = "a",
    select_range: Any = None,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Eigenvalues of a Hermitian or real symmetric band matrix.

    Parameters
    ----------
    a_band, lower, overwrite_a_band, select, select_range, check_finite
        As in `eig_banded`.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    w : (..., M) ndarray
        The M wanted eigenvalues, ascending, real.

    See Also
    --------
    eig_banded : eigenvectors too; errors and method are described there.

    Examples
    --------
    >>> from trnsci.linalg import eigvals_banded
    >>> [round(x, 12) for x in eigvals_banded([[0, 1j], [2, 2]]).tolist()]
    [1.0, 3.0]
    """
    return _eig_banded(a_band, lower, True, select, select_range, check_finite, threads, progress, device)[0]
