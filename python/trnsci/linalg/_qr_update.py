"""Changes of QR factorizations."""

from __future__ import annotations

import math
import operator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _native, _operands, _records, _threads
from .._core._array import Array
from .._core._progress import Progress, finish_nothing

# The numbers of qrupdate.Kind.
_INSERT_ROWS, _INSERT_COLUMNS, _DELETE_ROWS, _DELETE_COLUMNS, _ADD_PRODUCT = range(5)


def qr_insert(
    Q: ArrayLike,
    R: ArrayLike,
    u: ArrayLike,
    k: ArrayLike,
    which: Literal["row", "col"] = "row",
    rcond: float | None = None,
    overwrite_qru: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, Array]:
    """QR factorization of a matrix after the insertion of rows or columns, given that of the matrix.

    Parameters
    ----------
    Q : (..., M, M) or (..., M, N) array_like
        The unitary factor, or that of the economic factorization of a matrix with more rows than columns.
    R : (..., M, N) or (..., N, N) array_like
        The triangular factor; its elements below the diagonal are not used.
    u : (N,) or (..., P, N) array_like, or (M,) or (..., M, P) array_like if `which` is 'col'
        The rows or columns. Leading dimensions of Q, R and u broadcast.
    k : int, or (...) array_like of int
        The row or column before which they are inserted; M or N stands for the end, and negative numbers count from
        there. An array has one for each member of a stack.
    which : {'row', 'col'}, optional
        Whether `u` has rows or columns.
    rcond : float, optional
        Smallest reciprocal condition number of Q with a column of `u`, of length 1, beside it. Only for columns and an
        economic factorization; by default it is eps.
    overwrite_qru : bool, optional
        Accepted for SciPy's sake; the inputs are never overwritten.
    check_finite : bool, optional
        Refuse infinities and NaNs. When False, they give NaNs.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    Q1 : ndarray
        Of the shape that `Q` has for the larger matrix; it is square if that has at least as many columns as rows. Each
        matrix is stored by columns.
    R1 : ndarray
        Upper triangular, with zeros below the diagonal, which may have any signs.

    Raises
    ------
    LinAlgError
        If the reciprocal condition number is below `rcond` for a column, whose number, from 1, is in the message.
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    Rotations and reflectors of neighbouring rows of R and columns of Q [1]_, about ``6 P (M + N) K`` floating-point
    operations for a Q of K columns. New columns of the economic factorization are orthogonalized twice [2]_.

    References
    ----------
    .. [1] S. Hammarling and C. Lucas, Updating the QR factorization and the least squares problem, University of
       Manchester, 2008.
    .. [2] J. W. Daniel, W. B. Gragg, L. Kaufman and G. W. Stewart, Math. Comp. 30, 772 (1976).

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import qr, qr_insert
    >>> a = np.array([[3.0, 1.0], [4.0, 2.0], [0.0, 5.0]])
    >>> Q, R = qr_insert(*qr(a), [7.0, 8.0], 1)
    >>> bool(np.allclose(Q @ R, [[3, 1], [7, 8], [4, 2], [0, 5]]))
    True
    """
    rows = _is_row(which)
    factors = _Factors.checked(Q, R, device, u=u)
    m, n, columns = factors.shape
    added = factors.given["u"]
    if added.ndim == 1:
        added = added[None] if rows else added[:, None]
    _operands.check_core(added, "u", *((None, n) if rows else (m, None)))
    count = added.shape[-2 if rows else -1]
    if count == 0:
        raise ValueError(f"u: expected rows or columns to insert, got shape {added.shape}")
    if rcond is not None and (rows or columns == m):
        raise ValueError("rcond: expected None, it is used only for columns and an economic factorization")
    first = _positions(k, m if rows else n, past=True)
    if rows:
        kept = m + count if columns == m else n
        shapes = (m + count, kept), (kept, n)
    else:
        kept = min(m, columns + count)
        shapes = (m, kept), (kept, n + count)
    least = np.finfo(factors.kind.dtype).eps if rcond is None else rcond
    return factors.run(
        _INSERT_ROWS if rows else _INSERT_COLUMNS, shapes, count, 3.0, threads, progress, check_finite, u=added,
        first=first, rcond=_operands.real_scalar(float(least), "rcond"),
    )  # fmt: skip


def qr_delete(
    Q: ArrayLike,
    R: ArrayLike,
    k: ArrayLike,
    p: int = 1,
    which: Literal["row", "col"] = "row",
    overwrite_qr: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, Array]:
    """QR factorization of a matrix after the deletion of rows or columns, given that of the matrix.

    Parameters
    ----------
    Q, R
        As in `qr_insert`.
    k : int, or (...) array_like of int
        The first row or column that is deleted, as in `qr_insert`; negative numbers count from the end.
    p : int, optional
        How many are deleted.
    which : {'row', 'col'}, optional
        Whether rows or columns are deleted.
    overwrite_qr : bool, optional
        Accepted for SciPy's sake; the inputs are never overwritten.
    check_finite : bool, optional
        Refuse infinities and NaNs. When False, they give NaNs.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    Q1, R1 : ndarray
        As in `qr_insert`, for the smaller matrix.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    See `qr_insert`. Rows are deleted from an economic factorization by means of a further column of Q, so that the unit
    vector of the row is in its range.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import qr, qr_delete
    >>> a = np.array([[3.0, 1.0], [4.0, 2.0], [0.0, 5.0]])
    >>> Q, R = qr_delete(*qr(a), 1)
    >>> bool(np.allclose(Q @ R, [[3, 1], [0, 5]]))
    True
    """
    rows = _is_row(which)
    factors = _Factors.checked(Q, R, device)
    m, n, columns = factors.shape
    size = m if rows else n
    first, count = _positions(k, size), _integer(p)
    most = size - int(first.max(initial=0))
    if not 0 < count <= most:
        raise ValueError(f"p: {count} is not between 1 and {most}")
    if rows:
        kept = min(m - count, columns)
        shapes = (m - count, kept), (kept, n)
    else:
        kept = m if columns == m else n - count
        shapes = (m, kept), (kept, n - count)
    kind = _DELETE_ROWS if rows else _DELETE_COLUMNS
    return factors.run(kind, shapes, count, 3.0, threads, progress, check_finite, first=first)


def qr_update(
    Q: ArrayLike,
    R: ArrayLike,
    u: ArrayLike,
    v: ArrayLike,
    overwrite_qruv: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, Array]:
    """QR factorization of ``A + u @ v.conj().T``, given that of A.

    Parameters
    ----------
    Q, R
        As in `qr_insert`.
    u : (M,) or (..., M, P) array_like
        Left vectors.
    v : (N,) or (..., N, P) array_like
        Right vectors, of as many dimensions as u. P is at most M and N. Leading dimensions of all arrays broadcast.
    overwrite_qruv : bool, optional
        Accepted for SciPy's sake; the inputs are never overwritten.
    check_finite : bool, optional
        Refuse infinities and NaNs. When False, they give NaNs.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    Q1, R1 : ndarray
        As in `qr_insert`, of the shapes of `Q` and `R`.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    See `qr_insert`; about ``12 P (M + N) K`` floating-point operations for a Q of K columns.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import qr, qr_update
    >>> a = np.array([[3.0, 1.0], [4.0, 2.0], [0.0, 5.0]])
    >>> Q, R = qr_update(*qr(a), [1.0, 0.0, 2.0], [5.0, 6.0])
    >>> bool(np.allclose(Q @ R, a + np.outer([1, 0, 2], [5, 6])))
    True
    """
    factors = _Factors.checked(Q, R, device, u=u, v=v)
    m, n, columns = factors.shape
    left, right = factors.given["u"], factors.given["v"]
    if min(left.ndim, 2) != min(right.ndim, 2):
        raise ValueError(f"v: expected as many dimensions as u, got shapes {left.shape} and {right.shape}")
    if left.ndim == 1:
        left, right = left[..., None], right[..., None]
    _operands.check_core(left, "u", m)
    count = left.shape[-1]
    _operands.check_core(right, "v", n, count)
    if count > min(m, n):
        raise ValueError(f"u: {count} columns are more than the rank of Q R may be, {min(m, n)}")
    shapes = (m, columns), (columns, n)
    return factors.run(_ADD_PRODUCT, shapes, count, 6.0, threads, progress, check_finite, u=left, v=right)


class _Factors(NamedTuple):
    """The checked factors Q and R, and other arrays, all of one dtype."""

    q: Array
    r: Array
    given: dict[str, Array]
    kind: _operands.Kind

    @classmethod
    def checked(cls, q: ArrayLike, r: ArrayLike, device: str | None, **given: ArrayLike) -> _Factors:
        if device is not None:
            _device.require_host(device)
        (left, triangle, *others), kind = _operands.settle({"Q": q, "R": r, **given})
        _operands.check_core(left, "Q")
        _operands.check_core(triangle, "R")
        (m, columns), (rows, n) = left.shape[-2:], triangle.shape[-2:]
        if columns != rows or not (m == columns or m > columns == n):
            raise ValueError(
                "Q: expected factors of shapes (M, M) and (M, N), or (M, N) and (N, N) with M > N, got "
                f"{left.shape} and {triangle.shape}"
            )
        return cls(left, triangle, dict(zip(given, others, strict=True)), kind)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows and columns of the matrix, and columns of Q."""
        return self.q.shape[-2], self.r.shape[-1], self.q.shape[-1]

    def run(
        self,
        kind: int,
        shapes: tuple[tuple[int, int], tuple[int, int]],
        count: int,
        flops: float,
        threads: int | None,
        progress: Progress,
        check_finite: bool,
        first: Array | None = None,
        rcond: float = 0.0,
        **stacks: Array,
    ) -> tuple[Array, Array]:
        """Return the changed factors."""
        positions = {} if first is None else {"k": first[..., None, None]}
        lead = _operands.leading({"Q": self.q, "R": self.r, **stacks, **positions})
        q = _array.empty((*lead, *shapes[0]), self.kind.dtype, "Q", "F")
        r = _array.empty((*lead, *shapes[1]), self.kind.dtype, "R")
        m, n, columns = self.shape
        members = math.prod(lead)
        if members == 0:
            finish_nothing(progress, n)
            return self.finish(q, r)
        spread: dict[str, Any] = {name: _operands.spread(a, lead) for name, a in stacks.items()}
        if first is not None:
            spread["first"] = np.broadcast_to(first, lead).flatten()
        made = _records.qr_update(
            threads=_threads.resolve(threads), q=_operands.spread(self.q, lead), r=_operands.spread(self.r, lead),
            q1=q, r1=r, kind=kind, count=count, rcond=rcond, check_finite=bool(check_finite), **spread,
        )  # fmt: skip
        factor = _costs.COMPLEX_FACTOR if self.kind.is_complex else 1
        work = 2 * flops * (count + 1) * columns * (m + n) * factor
        _native.run(made, members * (work + _costs.PER_MATRIX), progress, order=n)
        return self.finish(q, r)

    def finish(self, q: Array, r: Array) -> tuple[Array, Array]:
        return _array.cast_to(q, self.kind.cast), _array.cast_to(r, self.kind.cast)


def _is_row(which: object) -> bool:
    if which not in ("row", "col"):
        raise ValueError(f"which: {which!r} is not one of 'row', 'col'")
    return which == "row"


def _integer(p: Any) -> int:
    try:
        return operator.index(p)
    except TypeError:
        raise TypeError(f"p: expected an integer, got {p!r:.60}") from None


def _positions(k: ArrayLike, size: int, past: bool = False) -> Array:
    """Return the indices that `k` stands for in a dimension of the size."""
    indices = _array.integers(k, "k").astype(np.int64)
    outside = (indices < -size) | (indices >= size + past)
    if outside.any():
        raise ValueError(f"k: {indices[outside].flat[0]} is out of bounds for {size} rows or columns")
    positions: Array = np.where(indices < 0, indices + size, indices)
    return positions
