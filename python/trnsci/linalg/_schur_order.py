"""Ordered Schur forms, complex ones made of real ones, and condition numbers of clusters of eigenvalues."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core import _array, _costs, _device, _operands, _records, _threads
from .._core._array import Array
from .._core._errors import LinAlgError
from .._core._progress import Progress
from . import _common

_WORDS = ("lhp", "rhp", "iuc", "ouc")


def check_sort(sort: Any) -> None:
    """Raise ValueError unless `sort` is what `schur` takes."""
    if sort is not None and not callable(sort) and not (isinstance(sort, str) and sort in _WORDS):
        raise ValueError(f"sort: {sort!r} is neither None nor a callable nor one of {', '.join(map(repr, _WORDS))}")


def order(t: Array, z: Array, sort: Callable[..., Any], size: int, progress: Progress) -> Any:
    """Move the eigenvalues that `sort` selects to the top of the Schur forms `t`, in place, and return how many they
    are.

    The callable is called between two calls of the library: an exception that it raises leaves nothing behind. Forms
    full of NaNs, those of matrices that are not finite, have no eigenvalues to select.
    """
    lead, n = t.shape[:-2], t.shape[-1]
    unknown = np.isnan(np.diagonal(t, axis1=-2, axis2=-1)).any(-1)
    nan = t[unknown]
    t[unknown] = 0
    selected = _selected(t, sort, unknown, size)
    made = _records.schur_order(threads=size, t=t, z=z, selected=selected)
    _common.solve(made, t, _costs.SCHUR_ORDER, progress)
    # The eigenvalues of a complex form have not changed. Those of a real one have, by rounding errors, which may decide
    # anew.
    after = selected if t.dtype.kind == "c" else _selected(t, sort, unknown, size)
    counts = np.count_nonzero(after, axis=-1)
    if t.dtype.kind != "c" and (after != (np.arange(n) < np.expand_dims(counts, -1))).any():
        raise LinAlgError("sort: rounding errors of the reordering make leading eigenvalues fail the condition")
    t[unknown] = nan
    return counts.astype(np.int64) if lead else int(counts)


def _selected(t: Array, sort: Callable[..., Any], unknown: Array, size: int) -> Array:
    """Return which eigenvalues `sort` selects: of a complex pair of a real form both, if it selects one."""
    w = np.zeros(t.shape[:-1], np.complex128)
    _common.solve(_records.schur_eigenvalues(threads=size, t=t, w=w), t, _costs.SCHUR_EIGENVALUES, None)
    selected = np.zeros(w.shape, bool)
    for k in np.ndindex(*t.shape[:-2]):
        if not unknown[k]:
            selected[k] = [bool(x) for x in _answers(sort, w[k].tolist(), t.dtype.kind == "c")]
    if t.dtype.kind != "c":
        pairs = np.diagonal(t, -1, -2, -1) != 0
        either = (selected[..., :-1] | selected[..., 1:]) & pairs
        selected[..., :-1] |= either
        selected[..., 1:] |= either
    return selected


def _answers(sort: Callable[..., Any], w: list[complex], is_complex: bool) -> list[Any]:
    """Return the answers of a callable: about a complex number, or about two real ones if the form is real."""
    if is_complex:
        return [sort(x) for x in w]
    takes = _positional(sort)
    return [sort(*(x.real, x.imag)[:takes]) for x in w]


def _positional(f: Callable[..., Any]) -> int:
    """Return how many of two arguments `f` takes. As in SciPy, one that takes a single argument gets the real part."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):  # of some builtins nothing is known
        return 2
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return 2
    return min(2, sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters))


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
        Upper triangular, complex64 or complex128. Of a complex pair the eigenvalue with positive imaginary part comes
        first.
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
    t = _array.empty((*lead, *form.shape[-2:]), dtype, "the Schur form")
    z = _array.empty(t.shape, dtype, "the Schur vectors")
    t[...], z[...] = form, factor
    made = _records.schur_to_complex(threads=_threads.resolve(threads), t=t, z=z)
    _common.solve(made, t, _costs.SCHUR_TO_COMPLEX, progress)
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
        Reciprocal condition number of the mean of the cluster, from 0 to 1: a change of the matrix by E changes the
        mean by about ``norm(E) / s`` at most. It is a lower bound of ``1 / norm(P, 2)``, P being the spectral
        projection, and too small by a factor of ``sqrt(sdim)`` at most.
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
    sizes = np.empty(lead, np.int64)
    sizes[...] = counts
    results = np.empty((*lead, 2))
    results[...] = (1.0, 0.0)  # what holds for matrices of order 0
    made = _records.schur_condition(
        threads=_threads.resolve(threads), t=form, counts=sizes.reshape(-1), results=results
    )
    _common.solve(made, form, _costs.SCHUR_CONDITION, progress)
    s, sep = results[..., 0], results[..., 1]
    return (s, sep) if lead else (float(s), float(sep))
