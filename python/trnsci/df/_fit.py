"""The function `df_fit`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _native, _records, _threads
from .._core._array import Array, cast_to, may_overwrite
from .._core._errors import UnsupportedError
from .._core._operands import is_by_rows
from .._core._progress import Progress

_LINDEP = 1e-7  # as in PySCF's pyscf.df


class DFFitResult(NamedTuple):
    """What `df_fit` returns.

    Attributes
    ----------
    integrals : ndarray
        The fitted integrals.
    dropped : int
        How many eigenvectors of the metric were dropped: 0 where it has a Cholesky factor.
    """

    integrals: Array
    dropped: int


def _checked(metric: ArrayLike, integrals: ArrayLike, axis: int) -> tuple[Array, Array, np.dtype[Any] | None]:
    """Return both arrays in one dtype, and the dtype that the result is cast to."""
    j, _ = _array.check(metric, "metric")
    x, cast = _array.check(integrals, "integrals")
    for array, name in ((j, "metric"), (x, "integrals")):
        if array.dtype.kind == "c":
            raise UnsupportedError(f"{name}: complex integrals ({array.dtype}) are not supported")
    if j.ndim != 2 or j.shape[0] != j.shape[1]:
        raise ValueError(f"metric: expected a square matrix, got shape {j.shape}")
    if isinstance(axis, bool) or not isinstance(axis, (int, np.integer)) or axis not in (0, -1):
        raise ValueError(f"axis: expected 0 or -1, got {axis!r}")
    if x.ndim < 2 or x.shape[axis] != len(j):
        wanted = f"({len(j)}, ...)" if axis == 0 else f"(..., {len(j)})"
        other = -1 - axis
        advice = f"; axis={other} fits" if x.ndim >= 2 and x.shape[other] == len(j) else ""
        text = f"integrals: expected shape {wanted} for axis={axis} and metric of shape {j.shape}, got {x.shape}"
        raise ValueError(text + advice)
    dtype = np.result_type(j, x)
    return j.astype(dtype, copy=False), x if x.dtype == dtype else x.astype(dtype), cast


def _in_place(x: Array) -> bool:
    """Whether the library can write into the array: its rows or columns are contiguous, or all of it."""
    return bool(x.flags.c_contiguous) or (x.ndim == 2 and (is_by_rows(x) or is_by_rows(x.T)))


def _matrix(x: Array, axis: int) -> Array:
    """Return the integrals as a matrix of (naux, pairs) in the same memory."""
    shape = (len(x), math.prod(x.shape[1:])) if axis == 0 else (math.prod(x.shape[:-1]), x.shape[-1])
    matrix: Array = x.reshape(shape)
    return matrix if axis == 0 else matrix.T


def _is_scratch(asked: bool, given: ArrayLike, checked: Array, metric: Array) -> bool:
    """Whether the memory of the integrals may be written to."""
    if may_overwrite(False, given, checked):
        return True
    return asked and _array.is_writable(checked) and not np.may_share_memory(checked, metric)


def df_fit(
    metric: ArrayLike,
    integrals: ArrayLike,
    *,
    axis: int = 0,
    lindep: float = _LINDEP,
    overwrite: bool = False,
    check_finite: bool = True,
    threads: int | None = None,
    progress: Progress = None,
) -> DFFitResult:
    r"""Fit three-index integrals: multiply them by the inverse square root of the Coulomb metric.

    With the metric :math:`J_{PQ} = (P|Q)` and the integrals :math:`(P|\mu\nu)` the result is

    .. math:: L_{P,\mu\nu} = \sum_Q W_{PQ} (Q|\mu\nu), \qquad J^{-1} = W^T W, \qquad
              (\mu\nu|\lambda\sigma) \approx \sum_P L_{P,\mu\nu} L_{P,\lambda\sigma}.

    Parameters
    ----------
    metric : (naux, naux) array_like
        Real and symmetric; the lower triangle counts.
    integrals : (naux, ...) or (..., naux) array_like
        Real, in two or more dimensions. What the other axes are, packed pairs of atomic orbitals or pairs of molecular
        ones, does not matter.
    axis : {0, -1}, optional
        Which axis of `integrals` counts auxiliary functions.
    lindep : float, optional
        The eigenvalue of the metric up to which an eigenvector is dropped, if there is no Cholesky factor.
    overwrite : bool, optional
        Write the result into the memory of `integrals` where its dtype and layout allow that. A call that is
        interrupted then leaves a mixture.
    check_finite : bool, optional
        Refuse infinities and NaNs in `integrals`. Those in `metric` are refused always.
    threads, progress
        See `trnsci.linalg`; progress counts pairs.

    Returns
    -------
    DFFitResult
        ``integrals``, like the argument in the common dtype of both, with naux smaller by ``dropped``.

    Raises
    ------
    ValueError
        If shapes do not fit, for an infinity or NaN, and for a metric none of whose eigenvalues is above `lindep`.
    UnsupportedError
        For complex arrays.
    TypeError
        For a dtype that is not supported.
    MemoryError
        If a copy or workspace does not fit.

    Notes
    -----
    W is the inverse of the Cholesky factor of the metric. A metric that has none, since some auxiliary functions depend
    on others or since rounding made it indefinite, is diagonalized, and :math:`W = w^{-1/2} V^T` has the eigenvectors
    with :math:`w >` `lindep`, by value and not by modulus, in ascending order. This is what ``pyscf.df`` does; PySCF's
    DF-MP2 compares the moduli, with 1e-10, and a negative eigenvalue then makes NaNs of all integrals. ``dropped`` says
    what happened.

    ``naux**2`` floating-point operations for each pair, ``2*naux**2`` without a Cholesky factor. The result is the
    same, bit for bit, for any number of threads.

    References
    ----------
    O. Vahtras, J. Almlöf and M. W. Feyereisen, Chem. Phys. Lett. 213, 514 (1993).

    Examples
    --------
    A metric with the Cholesky factor [[2, 0], [1, 3]].

    >>> import trnsci
    >>> trnsci.df_fit([[4.0, 2.0], [2.0, 10.0]], [[2.0, 4.0], [4.0, 11.0]])
    DFFitResult(integrals=array([[1., 2.],
           [1., 3.]]), dropped=0)
    """
    j, checked, cast = _checked(metric, integrals, axis)
    size, naux = _threads.resolve(threads), len(j)
    x = checked
    if not _in_place(checked) or not _is_scratch(overwrite, integrals, checked, j):
        x = _array.empty(checked.shape, checked.dtype, "the fitted integrals")
        np.copyto(x, checked)
    by_function = _matrix(x, axis)
    work = naux**2 * (by_function.shape[1] + _costs.DF_METRIC * naux)
    made = _records.df_fit(
        threads=size,
        metric=j,
        integrals=by_function,
        lindep=_array.number(lindep, "lindep"),
        check_finite=bool(check_finite),
    )
    dropped = _native.run(made, work, progress)
    if dropped > 0:
        x = x[: naux - dropped] if axis == 0 else x[..., : naux - dropped]
    return DFFitResult(cast_to(x, cast), max(dropped, 0))
