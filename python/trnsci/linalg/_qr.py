"""QR and RQ factorizations."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _native, _operands, _records, _threads
from .._core._array import Array
from .._core._progress import Progress
from .._core._record import Call

_QR_MODES = ("full", "qr", "r", "economic", "raw")  # "qr" is SciPy's old name of "full"
_RQ_MODES = ("full", "r", "economic")


def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: Literal["full", "r", "economic", "raw"] = "full",
    pivoting: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """QR factorization ``a = Q @ R``, or ``a[:, P] = Q @ R`` with pivoting.

    Parameters
    ----------
    a : (..., M, N) array_like
    overwrite_a : bool, optional
        Accepted for SciPy's sake; the input is never overwritten.
    lwork : int, optional
        Accepted for SciPy's sake and ignored.
    mode : {'full', 'r', 'economic', 'raw'}, optional
        Whether Q is square, not computed, of ``K = min(M, N)`` columns, or returned as its reflectors.
    pivoting : bool, optional
        Interchange columns so that ``abs(diag(R))`` does not increase.
    check_finite : bool, optional
        Refuse infinities and NaNs. When False, a matrix that is not finite gives NaNs.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    Q : (..., M, M) or (..., M, K) ndarray
        Unitary, or with orthonormal columns if `mode` is 'economic'. Not returned if `mode` is 'r'.
    (qr, tau) : (..., M, N) and (..., K) ndarray
        If `mode` is 'raw', in place of Q: R, and below its diagonal the vectors of reflectors ``I - tau v v^H`` without
        their leading ones, as LAPACK's geqrf returns them.
    R : (..., M, N) or (..., K, N) ndarray
        Upper triangular with a real diagonal; of K rows if `mode` is 'economic' or 'raw'. Alone it is in a tuple.
    P : (..., N) ndarray of int64
        Only with `pivoting`.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    Householder reflectors, made for panels of columns by recursive halving [1]_ and applied by products of matrices:
    ``2 M N**2 - 2/3 N**3`` floating-point operations for ``M >= N`` and as many for Q with N columns. Results are
    stored by columns. With pivoting half of the work is products of matrices and vectors [2]_; norms of columns are
    computed anew where updating them is not safe [3]_.

    References
    ----------
    .. [1] E. Elmroth and F. G. Gustavson, IBM J. Res. Dev. 44, 605 (2000).
    .. [2] G. Quintana-Orti, X. Sun and C. H. Bischof, SIAM J. Sci. Comput. 19, 1486 (1998).
    .. [3] Z. Drmac and Z. Bujanovic, ACM Trans. Math. Softw. 35, 12 (2008).

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import qr
    >>> a = np.array([[3.0, 1.0], [4.0, 2.0], [0.0, 5.0]])
    >>> Q, R = qr(a, mode="economic")
    >>> bool(np.allclose(Q @ R, a)), bool(np.allclose(Q.T @ Q, np.eye(2)))
    (True, True)
    """
    if device is not None:
        _device.require_host(device)
    _check_mode(mode, _QR_MODES[:1] + _QR_MODES[2:], _QR_MODES)
    matrix, cast = _array.check(a, "a")
    _check_matrices(matrix)
    *lead, m, n = matrix.shape
    k, dtype = min(m, n), matrix.dtype
    rows = k if mode in ("economic", "raw") else m
    q = None
    fields: dict[str, Any] = {"r": _array.empty((*lead, rows, n), dtype, "R", "F")}
    if mode == "raw":
        fields["raw"] = _array.empty((*lead, m, n), dtype, "the reflectors", "F")
        fields["tau"] = _array.empty((*lead, k), dtype, "tau")
    elif mode != "r":
        q = fields["q"] = _array.empty((*lead, m, rows), dtype, "Q", "F")
    if pivoting:
        fields["pivots"] = _array.empty((*lead, n), np.dtype(np.int64), "the pivots")
    made = _records.qr("QR", threads=_threads.resolve(threads), a=matrix, check_finite=bool(check_finite), **fields)
    _run(made, matrix, 0 if q is None else rows, progress)
    rest = (_array.cast_to(fields["r"], cast), *([fields["pivots"]] if pivoting else []))
    if mode == "raw":
        return (_array.cast_to(fields["raw"], cast), _array.cast_to(fields["tau"], cast)), *rest
    return rest if q is None else (_array.cast_to(q, cast), *rest)


def rq(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: Literal["full", "r", "economic"] = "full",
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """RQ factorization ``a = R @ Q``.

    Parameters
    ----------
    a : (..., M, N) array_like
    overwrite_a : bool, optional
        Accepted for SciPy's sake; the input is never overwritten.
    lwork : int, optional
        Accepted for SciPy's sake and ignored.
    mode : {'full', 'r', 'economic'}, optional
        Whether Q is square, not computed, or of ``K = min(M, N)`` rows.
    check_finite : bool, optional
        Refuse infinities and NaNs. When False, a matrix that is not finite gives NaNs.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    R : (..., M, N) or (..., M, K) ndarray
        Upper triangular, with the end of its last column as the end of the triangle's diagonal, which is real. Of K
        columns if `mode` is 'economic'.
    Q : (..., N, N) or (..., K, N) ndarray
        Unitary, or with orthonormal rows. Not returned if `mode` is 'r'.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    The QR factorization of `a` conjugated, transposed and with both axes reversed.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import rq
    >>> a = np.array([[3.0, 1.0, 2.0], [4.0, 2.0, 7.0]])
    >>> R, Q = rq(a, mode="economic")
    >>> bool(np.allclose(R @ Q, a)), float(R[1, 0])
    (True, 0.0)
    """
    if device is not None:
        _device.require_host(device)
    _check_mode(mode, _RQ_MODES, _RQ_MODES)
    matrix, cast = _array.check(a, "a")
    _check_matrices(matrix)
    *lead, m, n = matrix.shape
    columns = min(m, n) if mode == "economic" else n
    r = _array.empty((*lead, m, columns), matrix.dtype, "R")
    q = None if mode == "r" else _array.empty((*lead, columns, n), matrix.dtype, "Q")
    made = _records.qr("RQ", threads=_threads.resolve(threads), a=matrix, q=q, r=r, check_finite=bool(check_finite))
    _run(made, matrix, 0 if q is None else columns, progress)
    r = _array.cast_to(r, cast)
    return r if q is None else (r, _array.cast_to(q, cast))


def qr_multiply(
    a: ArrayLike,
    c: ArrayLike,
    mode: Literal["left", "right"] = "right",
    pivoting: bool = False,
    conjugate: bool = False,
    overwrite_a: bool = False,
    overwrite_c: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """Product of a matrix with the Q of a QR factorization, which is not formed.

    Parameters
    ----------
    a : (..., M, N) array_like
        The matrix that is factored as in `qr`.
    c : array_like
        (..., K, P) for ``Q @ c`` with the first ``K = min(M, N)`` columns of Q, or (..., P, M) for ``c @ Q``. A vector
        is a matrix with one column or one row. Leading dimensions of a and c broadcast.
    mode : {'left', 'right'}, optional
        Which side of c Q is on.
    pivoting : bool, optional
        As in `qr`.
    conjugate : bool, optional
        Use ``conj(Q)`` in place of Q.
    overwrite_a : bool, optional
        Accepted for SciPy's sake; the inputs are never overwritten.
    overwrite_c : bool, optional
        As in SciPy, c has M rows if this is set and `mode` is 'left': Q is square. It is not overwritten.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    CQ : (..., M, P) or (..., P, K) ndarray
        The product; without the dimension P if c is a vector.
    R : (..., K, N) ndarray
    P : (..., N) ndarray of int64
        Only with `pivoting`.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import qr, qr_multiply
    >>> a = np.array([[3.0, 1.0], [4.0, 2.0], [0.0, 5.0]])
    >>> product, R = qr_multiply(a, np.eye(3))
    >>> bool(np.allclose(product, qr(a, mode="economic")[0]))
    True
    """
    if device is not None:
        _device.require_host(device)
    _check_mode(mode, ("left", "right"), ("left", "right"))
    (matrix, factor), kind = _operands.settle({"a": a, "c": c})
    matrix = np.atleast_2d(matrix)
    m, n = matrix.shape[-2:]
    k, left = min(m, n), mode == "left"
    is_vector = factor.ndim < 2
    factor = np.atleast_2d(factor)
    # The rows that Q is applied to: c, or its transpose with zeros for the columns of Q that are not wanted.
    rows = factor.swapaxes(-1, -2) if left and not is_vector else factor
    expected = k if left and not overwrite_c else m
    if rows.shape[-1] != expected:
        counted = f"{expected} {'rows' if left else 'columns'}"
        raise ValueError(f"c: expected {counted} for a of shape {matrix.shape}, got shape {np.shape(c)}")
    lead = _operands.leading({"a": matrix, "c": rows})
    products = _array.empty((*lead, rows.shape[-2], m), kind.dtype, "the product")
    products[..., :expected] = rows
    products[..., expected:] = 0
    matrix = _operands.spread(matrix, lead)
    raw = _array.empty((*lead, m, n), kind.dtype, "the reflectors", "F")
    r = _array.empty((*lead, k, n), kind.dtype, "R", "F")
    pivots = _array.empty((*lead, n), np.dtype(np.int64), "the pivots") if pivoting else None
    made = _records.qr(
        "QR", threads=_threads.resolve(threads), a=matrix, r=r, raw=raw, pivots=pivots, products=products,
        transposed=left, conjugate=bool(conjugate), check_finite=True,
    )  # fmt: skip
    _run(made, matrix, products.shape[-2], progress)
    product = products.swapaxes(-1, -2) if left else products[..., :k]
    if is_vector:
        product = product[..., 0] if left else product[..., 0, :]
    results = _array.cast_to(product, kind.cast), _array.cast_to(r, kind.cast)
    return results if pivots is None else (*results, pivots)


def _check_mode(mode: object, named: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    if not isinstance(mode, str) or mode not in allowed:
        raise ValueError(f"mode: {mode!r} is not one of {', '.join(map(repr, named))}")


def _check_matrices(a: Array) -> None:
    if a.ndim < 2:
        raise ValueError(f"a: expected a matrix or a stack of matrices, got shape {a.shape}")


def _run(made: Call, a: Array, rows: int, progress: Progress) -> None:
    """Call the library for the factorizations of `a`, whose reflectors are applied to some rows each."""
    m, n = a.shape[-2:]
    k, count = min(m, n), a.size // max(1, m * n)
    factor = _costs.COMPLEX_FACTOR if a.dtype.kind == "c" else 1
    flops = 2 * k * m * (n + rows) * factor
    _native.run(made, count * (flops + _costs.PER_MATRIX), progress, order=n)
