"""The eigensolver of mean fields: one object's, or all of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .. import linalg
from .._array import Array
from ._common import dhf, hf, lib, logger, type_name, x2c

_SCF_SUPPORTED = (
    "PySCF's RHF, UHF, ROHF, GHF and their Kohn-Sham forms, of molecules and of cells, with or without k-points and "
    "symmetry, and the two-component X2C ones without Kramers restriction"
)


def _scf_eigh(h: Any, s: Any, overwrite: bool = False, x: Any = None, **kwargs: Any) -> tuple[Array, Array]:
    """Solve ``h c = s c e`` as PySCF's ``SCF._eigh`` does.

    Parameters
    ----------
    h, s : (nao, nao) ndarray
        Fock and overlap matrix; an `s` of None stands for the unit matrix. Neither is written to, whatever `overwrite`.
    overwrite : bool, optional
        Ignored.
    x : (nao, nmo) ndarray, optional
        Orthonormal orbitals, ``x^H s x = 1``. The problem is then solved in the space that they span.
    **kwargs
        Ignored: what other versions of PySCF pass.

    Returns
    -------
    e : (nmo,) ndarray
        Orbital energies, ascending.
    c : (nao, nmo) ndarray
        Orbitals with ``c^H s c = 1``, the largest component of each real and positive.
    """
    h = np.asarray(h)  # PySCF's matrices may carry attributes, which would follow every product
    threads = lib.num_threads()
    if x is None:
        e, c = linalg.eigh(h, None if s is None else np.asarray(s), threads=threads)
        return e, _fix_phase(c)
    x = np.asarray(x)
    e, c = linalg.eigh(x.conj().T.dot(h).dot(x), overwrite_a=True, threads=threads)
    return e, _fix_phase(x.dot(c))


def _fix_phase(c: Array) -> Array:
    """Multiply each column so that its largest component is real and positive, PySCF's convention; in place."""
    if c.size:
        largest = np.take_along_axis(c, np.abs(c).argmax(axis=0)[np.newaxis], axis=0)
        size = np.abs(largest)
        c *= np.divide(largest.conj(), size, out=np.ones_like(largest), where=size > 0)
    return c


def _scf_eigh_method(self: Any, h: Any, s: Any, overwrite: bool = False, x: Any = None, **kwargs: Any) -> Any:
    """What `patch` puts into the classes."""
    return _scf_eigh(h, s, overwrite, x, **kwargs)


def accelerate(mf: Any) -> Any:
    """Give a mean-field object the eigensolver of this package.

    Parameters
    ----------
    mf : pyscf.scf.hf.SCF
        RHF, UHF, ROHF, GHF or a Kohn-Sham form, of a molecule or a cell, with or without k-points and symmetry. It is
        changed in place: it gets the instance attribute ``_eigh``, which PySCF has for this purpose. Copies, scanners
        and what is made from the object inherit it like any other attribute, and the object can be pickled.

    Returns
    -------
    pyscf.scf.hf.SCF
        `mf` itself. An object that has an eigensolver of its own already, as ``eig`` or ``_eigh``, keeps it, and the
        log says so.

    Raises
    ------
    TypeError
        For other objects, such as four-component ones, whose eigensolver depends on what else is installed.

    See Also
    --------
    restore : undoes it.
    patch : also covers the objects that PySCF makes on its own, such as the atoms of an initial guess.

    Notes
    -----
    Where PySCF itself goes round ``_eigh``, as it does from version 2.13 on for linear molecules with ``symmetry=True``,
    it stays with SciPy.

    Examples
    --------
    >>> from pyscf import gto, scf
    >>> import trnsci.pyscf
    >>> molecule = gto.M(atom="H 0 0 0; H 0 0 0.74", basis="sto-3g", verbose=0)
    >>> mf = trnsci.pyscf.accelerate(scf.RHF(molecule)).run()
    >>> round(float(mf.e_tot), 6)
    -1.116759
    """
    if not isinstance(mf, hf.SCF) or isinstance(mf, (dhf.DHF, x2c.RHF)):
        raise TypeError(f"mf: expected a mean field of {_SCF_SUPPORTED}, got {type_name(mf)}")
    if vars(mf).get("_eigh") is _scf_eigh:
        return mf
    if not vars(mf).keys().isdisjoint(("eig", "_eigh")) or type(mf)._eigh not in _common_solvers():
        logger.note(mf, "trnsci: %s has an eigensolver of its own, which is kept", type_name(mf))
        return mf
    mf._eigh = _scf_eigh
    return mf


def restore(mf: Any) -> Any:
    """Undo `accelerate`: take the eigensolver out of the object again.

    Parameters
    ----------
    mf : pyscf.scf.hf.SCF
        Changed in place. An eigensolver that is not of this package stays.

    Returns
    -------
    pyscf.scf.hf.SCF
        `mf` itself.

    Raises
    ------
    TypeError
        If `mf` is no mean field.
    """
    if not isinstance(mf, hf.SCF):
        raise TypeError(f"mf: expected a mean field of {_SCF_SUPPORTED}, got {type_name(mf)}")
    if vars(mf).get("_eigh") is _scf_eigh:
        del mf._eigh
    return mf


def _common_solvers() -> tuple[Any, ...]:
    """Return the functions under which PySCF's classes hold the common eigensolver.

    Up to PySCF 2.12 the two-component X2C classes have their own copy of its source text.
    """
    return hf.SCF._eigh, x2c.SCF._eigh, _scf_eigh_method


class _Patch:
    """The state of `patch`: how many blocks are open, and what the classes held before the first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks = 0
        self._before: dict[type, Any] = {}

    def enter(self) -> None:
        with self._lock:
            self._blocks += 1
            if self._blocks == 1:
                common = _common_solvers()
                self._before = {c: vars(c)["_eigh"] for c in _scf_classes() if vars(c).get("_eigh") in common}
                for cls in self._before:
                    cls._eigh = _scf_eigh_method  # type: ignore[attr-defined]

    def leave(self) -> None:
        with self._lock:
            self._blocks -= 1
            if self._blocks == 0:
                # A class that was made meanwhile may have copied the function.
                for cls in _scf_classes():
                    if vars(cls).get("_eigh") is _scf_eigh_method:
                        cls._eigh = self._before.get(cls, self._before[hf.SCF])  # type: ignore[attr-defined]
                self._before = {}


_patch = _Patch()


def _scf_classes() -> list[type]:
    """Return ``hf.SCF`` and all classes derived from it."""
    found: dict[type, None] = {hf.SCF: None}
    waiting = [hf.SCF]
    while waiting:
        derived = [cls for cls in waiting.pop().__subclasses__() if cls not in found]
        found.update(dict.fromkeys(derived))
        waiting += derived
    return list(found)


@contextmanager
def patch() -> Iterator[None]:
    """Give all mean-field objects of PySCF the eigensolver of this package inside a ``with`` block.

    It holds for the whole process, other threads included, until the last block that is open anywhere ends, by an
    exception or not. PySCF's classes are then as they were. Objects and classes that have an eigensolver of their own
    keep it.

    See Also
    --------
    accelerate : does it for one object.

    Examples
    --------
    >>> from pyscf import gto, scf
    >>> import trnsci.pyscf
    >>> molecule = gto.M(atom="H 0 0 0; H 0 0 0.74", basis="sto-3g", verbose=0)
    >>> with trnsci.pyscf.patch():
    ...     mf = scf.RHF(molecule).run()
    >>> round(float(mf.e_tot), 6)
    -1.116759
    """
    _patch.enter()
    try:
        yield
    finally:
        _patch.leave()
