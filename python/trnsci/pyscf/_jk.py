"""Coulomb and exchange matrices of density-fitted mean fields."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._core._array import Array
from ..df import df_jk
from . import _tensor
from ._blas_threads import quiet
from ._common import BLOCK_SHARE, LEAST_MEGABYTES, df, lib, logger, type_name
from ._factors import Factored, factored

# So many rows of a tensor on disk are read at once, whatever PySCF's soft memory limit leaves.
_LEAST_ROWS = 64
# A density counts as symmetric if its asymmetry is at most this many units of rounding for each basis function,
# relative to its largest element.
_SYMMETRY_ROUNDING = 8
# Of which tensor an object has written into the log who makes J and K of it.
_logged: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
# What an object may have of its own, so that PySCF does not come to the code below, or is not meant to.
_OF_MEAN_FIELDS = ("get_jk", "get_j", "get_k")
_OF_TENSORS = ("get_jk", "loop")


def get_jk(
    self: Any,
    dm: Any,
    hermi: int = 1,
    with_j: bool = True,
    with_k: bool = True,
    direct_scf_tol: float = 1e-13,
    omega: float | None = None,
) -> tuple[Any, Any]:
    """Compute J and K as PySCF's ``DF.get_jk`` does; `patch` puts this into its class.

    Parameters
    ----------
    self : pyscf.df.DF
        Holds the tensor, and builds it if it has none.
    dm : (..., nao, nao) ndarray
        Density matrices, real or complex, of any symmetry. If they are tagged with ``mo_coeff`` and ``mo_occ`` that
        make them, K is made of the occupied orbitals; if they are real, symmetric and of low rank, of eigenvectors.
    hermi : int, optional
        Ignored, as PySCF does here: the densities show their symmetry.
    with_j, with_k : bool, optional
        Which matrices to compute.
    direct_scf_tol : float, optional
        For PySCF's own code. That is taken for J alone where there is no tensor yet and PySCF would not build one
        either, and for objects whose rows come from a method ``loop`` of their own.
    omega : float, optional
        The range separation: integrals are those of ``erf(omega r) / r``, or of what is left where `omega` is negative.

    Returns
    -------
    vj, vk : ndarray or None
        Arrays like `dm`, in double precision.
    """
    if omega is None:
        return _from_tensor(self, dm, hermi, with_j, with_k, direct_scf_tol)
    with self.range_coulomb(omega) as part:
        return _from_tensor(part, dm, hermi, with_j, with_k, direct_scf_tol)


def _from_tensor(
    with_df: Any, dm: Any, hermi: int, with_j: bool, with_k: bool, direct_scf_tol: float
) -> tuple[Any, Any]:
    """Compute J and K from the tensor of `with_df` as it is."""
    without_tensor = not with_k and with_df._cderi is None and not with_df.mol.incore_anyway
    if without_tensor or _own(with_df, ("loop",), df.DF):
        return df.df_jk.get_jk(with_df, dm, hermi, with_j, with_k, direct_scf_tol)  # type: ignore[no-any-return]
    start = (logger.process_clock(), logger.perf_counter())
    density, threads = np.asarray(dm), lib.num_threads()
    hermi = _symmetry(density)
    parts = factored(dm, density, hermi, threads) if with_k else Factored(density)
    with _stored(with_df) as (tensor, naux), quiet(threads):
        free = with_df.max_memory - lib.current_memory()[0]
        row = density.shape[-1] * (density.shape[-1] + 1) // 2 * 8e-6
        vj, vk = df_jk(
            tensor,
            parts.density,
            hermi=hermi,
            mo_coeff=parts.coeff,
            mo_occ=parts.occ,
            with_j=with_j,
            with_k=with_k,
            naux=naux,
            max_memory=max(LEAST_MEGABYTES, _LEAST_ROWS * row, BLOCK_SHARE * free),
            threads=threads,
        )
    vj, vk = parts.joined(vj), parts.joined(vk)
    computed = " and ".join(name for name, wanted in (("vj", with_j), ("vk", with_k)) if wanted)
    logger.timer(with_df, f"trnsci df {computed}", *start)
    _log_first(with_df, computed, threads, logger.perf_counter() - start[1])
    return vj, vk


def _log_first(with_df: Any, computed: str, threads: int, seconds: float) -> None:
    """Write a line for the first call with a tensor, from ``verbose=4`` on; ``verbose=5`` has one for each call."""
    if _logged.get(with_df) != id(with_df._cderi):
        _logged[with_df] = id(with_df._cderi)
        logger.info(
            with_df, "DF %s: trnsci, %d threads, %.3f seconds for the first density", computed, threads, seconds
        )


@contextmanager
def _stored(with_df: Any) -> Iterator[tuple[Any, int]]:
    """Give the tensor as `trnsci.df_jk` takes it, and its number of rows, while its file is open if it has one."""
    if with_df._cderi is None:
        with_df.build()
    with df.addons.load(with_df._cderi, with_df._dataname) as stored:
        if hasattr(stored, "shape"):
            yield stored, stored.shape[0]
        else:
            yield _rows_of_group(stored), stored["0"].shape[0]


def _rows_of_group(group: Any) -> Callable[[int, int], Array]:
    """Return the function for rows of a tensor that PySCF cut into datasets "0", "1", ... of some columns each."""
    parts = [group[str(k)] for k in range(len(group))]
    return lambda p0, p1: np.concatenate([part[p0:p1] for part in parts], axis=1)


def _symmetry(density: Array) -> int:
    """Return 1 if all densities are Hermitian to rounding, 2 if they are anti-Hermitian, else 0."""
    allowed = _SYMMETRY_ROUNDING * density.shape[-1] * np.finfo(float).eps * np.abs(density).max(initial=0)
    adjoint = density.conj().swapaxes(-1, -2)
    for hermi, sign in ((1, 1), (2, -1)):
        if np.abs(density - sign * adjoint).max(initial=0) <= allowed:
            return hermi
    return 0


class _FittedJK:
    """Mixed in before PySCF's ``DF``, or a class derived from it. Copies, resets and pickled objects keep the class."""

    _plain: Any
    _rsh_df: dict[str, Any] | None

    get_jk = get_jk

    def __reduce_ex__(self: Any, protocol: Any) -> Any:
        """Pickle the object with the class that its own was derived from."""
        return _empty, (self._plain,), self.__getstate__()


class _FittedTensor(_FittedJK):
    """The same for classes whose tensor is PySCF's. `patch` would take a method in the derived class for its own."""

    build = _tensor.build


@functools.cache
def _accelerated(cls: Any) -> Any:
    """Return `cls` with our J and K, and with our tensor unless it has a method of its own for that."""
    mixin = _FittedTensor if cls.build in (_tensor.pyscf_build, _tensor.build) else _FittedJK
    return type(cls.__name__, (mixin, cls), {"__module__": cls.__module__, "__doc__": cls.__doc__, "_plain": cls})


def _empty(cls: Any) -> Any:
    """Return an object of `cls` with our J and K that has no attributes yet."""
    accelerated = _accelerated(cls)
    return accelerated.__new__(accelerated)


def _own(obj: Any, names: tuple[str, ...], base: type | None = None) -> list[str]:
    """Return which methods an object has of its own: in the object, or in a class that is not `base`, by default
    PySCF's."""

    def in_class(name: str) -> bool:
        method = getattr(type(obj), name)
        if base is not None:
            return method is not getattr(base, name)
        return str(method.__module__).split(".")[0] != "pyscf"

    return [name for name in names if name in vars(obj) or in_class(name)]


def take(mf: Any) -> None:
    """Give the tensor of a density-fitted mean field our J and K, unless one of both has its own; log why not."""
    with_df: Any = getattr(mf, "with_df", None)
    if isinstance(with_df, _FittedJK):
        return
    if not isinstance(with_df, df.DF):
        what = type_name(with_df) if with_df else "no density fitting"
        logger.info(mf, "trnsci: %s has %s: J and K stay PySCF's", type_name(mf), what)
        return
    own = _own(mf, _OF_MEAN_FIELDS) + [f"with_df.{name}" for name in _own(with_df, _OF_TENSORS, df.DF)]
    if own:
        logger.note(mf, "trnsci: %s has %s of its own: J and K stay as they are", type_name(mf), ", ".join(own))
        return
    plain: Any = type(with_df)
    with_df.__class__ = _accelerated(plain)
    logger.info(mf, "trnsci: J and K come from trnsci.df_jk, %d threads", lib.num_threads())


def release(mf: Any) -> None:
    """Undo `take`."""
    with_df: Any = getattr(mf, "with_df", None)
    if isinstance(with_df, _FittedJK):
        plain = with_df._plain
        for obj in (with_df, *(with_df._rsh_df or {}).values()):
            obj.__class__ = plain
