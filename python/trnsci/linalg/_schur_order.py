"""Ordered Schur forms, complex ones made of real ones, and condition numbers of clusters of eigenvalues."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core import _array, _device, _operands
from .._core._array import Array
from .._core._errors import LinAlgError
from .._core._progress import Progress
from . import _common

# Floating-point operations per n^3, to decide how a call is run.
_WORK_ORDER = 6.0
_WORK_CONDITION = 10.0

_WORDS: dict[str, Callable[[Array], Array]] = {
    "lhp": lambda w: w.real < 0,
    "rhp": lambda w: w.real >= 0,
    "iuc": lambda w: abs(w) <= 1,
    "ouc": lambda w: abs(w) > 1,
}


def check_sort(sort: Any) -> None:
    """Raise ValueError unless `sort` is what `schur` takes."""
    if sort is not None and not callable(sort) and not (isinstance(sort, str) and sort in _WORDS):
        raise ValueError(f"sort: {sort!r} is neither None nor a callable nor one of {', '.join(map(repr, _WORDS))}")


def order(t: Array, z: Array, sort: Any, threads: int | None, progress: Progress) -> Any:
    """Move the eigenvalues that `sort` selects to the top of the Schur forms `t`, in place, and return how many they are.

    A callable is called here, between two calls of the library: an exception that it raises leaves nothing behind. Forms full
    of NaNs, those of matrices that are not finite, have no eigenvalues to select.
    """
    lead, n = t.shape[:-2], t.shape[-1]
    unknown = np.isnan(np.diagonal(t, axis1=-2, axis2=-1)).any(-1)
    nan = t[unknown]
    t[unknown] = 0
    selected = np.zeros((*lead, n))
    for k in np.ndindex(*lead):
        if not unknown[k]:
            selected[k] = _selected(t[k], sort)
    record, factor, flags = _array.record(t), _array.record(z), _array.record(selected)
    _common.solve(
        "SchurOrder", t, _WORK_ORDER, threads, progress, (record, z, factor, selected, flags),
        _array.address(record), _array.address(factor), _array.address(flags),
    )  # fmt: skip
    counts = np.zeros(lead, np.int64)
    for k in np.ndindex(*lead):
        if not unknown[k]:
            counts[k] = _leading(t[k], selected[k], sort)
    t[unknown] = nan
    return counts if lead else int(counts)


def _selected(t: Array, sort: Any) -> Array:
    """Return which eigenvalues `sort` selects: of a complex pair of a real form both, if it selects one."""
    w = eigenvalues(t)
    chosen = _WORDS[sort](w) if isinstance(sort, str) else np.array([bool(x) for x in _asked(w, t, sort)], bool)
    if t.dtype.kind != "c":
        first = np.flatnonzero(np.diagonal(t, -1))
        chosen[first] = chosen[first + 1] = chosen[first] | chosen[first + 1]
    return chosen


def _asked(w: Array, t: Array, sort: Callable[..., Any]) -> list[Any]:
    """Return the answers of a callable: about a complex number, or about two real ones if the form is real."""
    if t.dtype.kind == "c":
        return [sort(x) for x in w.tolist()]
    takes = _positional(sort)
    return [sort(*(x.real, x.imag)[:takes]) for x in w.tolist()]


def _positional(f: Callable[..., Any]) -> int:
    """Return how many of two arguments `f` takes. As in SciPy, one that takes a single argument gets the real part."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):  # of some builtins nothing is known
        return 2
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return 2
    return min(2, sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters))


def _leading(t: Array, selected: Array, sort: Any) -> int:
    """Return how many eigenvalues of the reordered form `t` are selected, and raise LinAlgError unless they come first.

    Those of a complex form have not changed. Those of a real one have, by rounding errors, which may decide anew.
    """
    count = int(np.count_nonzero(selected))
    if t.dtype.kind == "c":
        return count
    after = _selected(t, sort)
    count = int(np.count_nonzero(after))
    if not after[:count].all():
        raise LinAlgError("sort: rounding errors of the reordering make leading eigenvalues fail the condition")
    return count


def eigenvalues(t: Array) -> Array:
    """Return the eigenvalues of one Schur form in the order of its diagonal, as complex numbers in double precision."""
    w = np.diagonal(t).astype(np.complex128)
    if t.dtype.kind != "c":
        first = np.flatnonzero(np.diagonal(t, -1))
        above, below = (abs(t[i, j].astype(np.float64)) for i, j in ((first, first + 1), (first + 1, first)))
        w.imag[first] = np.sqrt(above) * np.sqrt(below)
        w.imag[first + 1] = -w.imag[first]
    return w


def rsf2csf(
    T: ArrayLike,
    Z: ArrayLike,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, Array]:
    """Convert a real Schur form to a complex one.

    Parameters
    ----------
    T : (..., N, N) array_like
        Upper quasi-triangular, as `schur` returns it for real matrices. Elements below the subdiagonal are ignored.
    Z : (..., N, N) array_like
        The orthogonal factor. Leading dimensions broadcast.
    check_finite : bool, optional
        Refuse infinities and NaNs.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    T : (..., N, N) ndarray
        Upper triangular, complex64 or complex128. Of a complex pair the eigenvalue with positive imaginary part comes first.
    Z : (..., N, N) ndarray
        Unitary; ``Z @ T @ Z^H`` is the same matrix as before.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    A rotation for each 2 by 2 block. Elements on the subdiagonal up to eps times their neighbours on the diagonal are
    dropped.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import rsf2csf, schur
    >>> a = np.array([[0.0, 2, 2], [0, 1, 2], [1, 0, 1]])
    >>> T, Z = rsf2csf(*schur(a))
    >>> bool(np.allclose(Z @ T @ Z.conj().T, a)), bool(np.tril(T, -1).any())
    (True, False)
    """
    if device is not None:
        _device.require_host(device)
    (form, factor), _ = _operands.settle({"T": T, "Z": Z})
    for name, matrix in (("Z", factor), ("T", form)):
        _array.check_square(matrix, name)
        if check_finite and not np.isfinite(matrix).all():
            raise ValueError(f"{name}: contains infinities or NaNs")
    if form.shape[-1] != factor.shape[-1]:
        raise ValueError(f"Z: shape {factor.shape} does not fit T's shape {form.shape}")
    return to_complex(np.triu(form, -1), factor, threads, progress)


def to_complex(form: Array, factor: Array, threads: int | None, progress: Progress) -> tuple[Array, Array]:
    """Return the complex Schur form and its factor that belong to a real form and its factor."""
    lead = _operands.leading({"T": form, "Z": factor})
    dtype = np.result_type(form.dtype, np.complex64)
    t, t_record = _array.empty((*lead, *form.shape[-2:]), dtype, "the Schur form")
    z, z_record = _array.empty(t.shape, dtype, "the Schur vectors")
    t[...], z[...] = form, factor
    _common.solve(
        "SchurToComplex", t, 1.0, threads, progress, (t_record, z, z_record),
        _array.address(t_record), _array.address(z_record),
    )  # fmt: skip
    return t, z


def schur_condition(
    T: ArrayLike,
    sdim: ArrayLike,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[float | NDArray[np.float64], float | NDArray[np.float64]]:
    """Condition numbers of the leading eigenvalues of a Schur form, as a cluster, and of their invariant subspace.

    SciPy has this only as LAPACK's ``trsen``. With `schur` and ``sort=`` it tells how far the selected eigenvalues and
    the subspace that the first `sdim` columns of Z span can be trusted.

    Parameters
    ----------
    T : (..., N, N) array_like
        A Schur form, as `schur` returns it.
    sdim : int or (...) array_like of int
        How many eigenvalues form the cluster; a number for each member of a stack, or one for all. A number that
        cuts a 2 by 2 block is an error.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    s : float or (...) ndarray
        Reciprocal condition number of the mean of the cluster, from 0 to 1: a change of the matrix by E changes the mean
        by about ``norm(E) / s`` at most. It is a lower bound of ``1 / norm(P, 2)``, P being the spectral projection, and
        too small by a factor of ``sqrt(sdim)`` at most.
    sep : float or (...) ndarray
        Separation of the cluster from the other eigenvalues: a change by E turns the subspace by about
        ``norm(E) / sep``. An estimate, right up to a factor of about ``sqrt(sdim (N - sdim))``.

    With all eigenvalues or none in the cluster, s is 1 and sep is ``norm(T, 1)``.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    About ten solutions of a triangular Sylvester equation, ``10 sdim (N - sdim) N`` floating-point operations; Bai,
    Demmel and McKenney (1993) and Higham's estimator of 1-norms (1988).

    Examples
    --------
    >>> from trnsci.linalg import schur_condition
    >>> schur_condition([[1.0, 0.0], [0.0, 4.0]], 1)
    (1.0, 3.0)
    """
    if device is not None:
        _device.require_host(device)
    form, _ = _array.check(T, "T")
    _array.check_square(form, "T")
    lead, n = form.shape[:-2], form.shape[-1]
    counts = _array.integers(sdim, "sdim")
    if counts.shape != lead and counts.ndim:
        raise ValueError(f"sdim: shape {counts.shape} does not fit T's shape {form.shape}")
    if counts.size and not (counts.min() >= 0 and counts.max() <= n):
        raise ValueError(f"sdim: expected numbers from 0 to {n}, got {counts.min()} to {counts.max()}")
    sizes = np.empty((*lead, 1))
    sizes[..., 0] = counts
    results = np.empty((*lead, 2))
    results[...] = (1.0, 0.0)  # what holds for matrices of order 0
    records = [_array.record(a) for a in (form, sizes, results)]
    _common.solve(
        "SchurCondition", form, _WORK_CONDITION, threads, progress, (*records, sizes, results),
        *(_array.address(record) for record in records),
    )  # fmt: skip
    s, sep = results[..., 0], results[..., 1]
    return (s, sep) if lead else (float(s), float(sep))
