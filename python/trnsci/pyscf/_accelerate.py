"""What is replaced in PySCF: in one object, or in all of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from . import _eigensolver, _jk, _patched_mp2, _tensor
from ._common import df, dfmp2, dfump2, dhf, hf, type_name, x2c
from ._mp2 import DFRMP2, DFUMP2, _PairEnergies

_SUPPORTED = (
    "a mean field of PySCF's RHF, UHF, ROHF, GHF and their Kohn-Sham forms, of molecules and of cells, with or without "
    "k-points and symmetry, and the two-component X2C ones without Kramers restriction, or a DFMP2 or DFUMP2 object"
)
_MP2_CLASSES: dict[Any, Any] = {dfmp2.DFMP2: DFRMP2, dfump2.DFUMP2: DFUMP2}

_Object = TypeVar("_Object")  # what is returned is the argument


def accelerate(mf: _Object) -> _Object:
    """Let this package compute the costly parts of a mean field, or the energies of a DF-MP2 object.

    Parameters
    ----------
    mf : pyscf.scf.hf.SCF or pyscf.mp.dfmp2.DFMP2 or pyscf.mp.dfump2.DFUMP2
        A mean field: RHF, UHF, ROHF, GHF or a Kohn-Sham form, of a molecule or a cell, with or without k-points and
        symmetry. It is changed in place: it gets the instance attribute ``_eigh``, which PySCF has for this purpose. If
        it is a molecule's with density fitting, the class of ``mf.with_df`` becomes one that is derived from the class
        it had, J and K come from `trnsci.df_jk`, and the fitted integrals from `trnsci.df_fit`. Or a DF-MP2 object: its
        class becomes ours, see `DFMP2`.

    Returns
    -------
    pyscf.scf.hf.SCF or pyscf.mp.dfmp2.DFMP2 or pyscf.mp.dfump2.DFUMP2
        `mf` itself. It keeps methods of its own, of the object or of a class that is not PySCF's: ``eig``, ``_eigh``,
        ``get_jk``, ``get_j``, ``get_k``, ``with_df.get_jk`` and ``with_df.loop``; the log says so.

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
    Copies, scanners and what is made from the object (``to_uhf``, ``to_ks``, ``newton``) inherit all of it, and after
    ``reset`` with another molecule the tensor is built anew. PySCF's copies are shallow, so they share ``with_df``, and
    with it J and K. A ``with_df`` that the mean field gets later, for example from ``density_fit``, is PySCF's: call
    this function again.

    PySCF's own code computes the rest: J alone where no tensor was built, as for functionals without exact exchange
    (call ``mf.with_df.build()`` first to have it from the tensor); K where ``density_fit(only_dfj=True)`` was asked
    for; gradients and Hessians; and MP2 that the mean field makes later: use `DFMP2`, or `patch`. From version 2.13 on
    PySCF does not use ``_eigh`` for linear molecules with ``symmetry=True``; their eigenproblems stay SciPy's.

    **Other BLAS threads of the process.** If threadpoolctl is installed and J and K are computed with more than one
    thread, NumPy's and SciPy's BLAS have one thread from the first call for J and K until 0.25 seconds after the last
    one, in all threads of the process, so that their waiting threads do not compete with ours. Products that another
    thread of your program computes with NumPy meanwhile are slower. A number of threads that other code sets meanwhile
    is kept.

    Examples
    --------
    >>> from pyscf import gto, scf
    >>> import trnsci.pyscf
    >>> molecule = gto.M(atom="H 0 0 0; H 0 0 0.74", basis="sto-3g", verbose=0)
    >>> mf = trnsci.pyscf.accelerate(scf.RHF(molecule)).run()
    >>> round(float(mf.e_tot), 6)
    -1.116759
    >>> fitted = trnsci.pyscf.accelerate(scf.RHF(molecule).density_fit()).run()
    >>> bool(abs(fitted.e_tot - mf.e_tot) < 1e-3)
    True
    """
    _require_supported(mf)
    if isinstance(mf, hf.SCF):
        _eigensolver.take(mf)
        _jk.take(mf)
    elif not isinstance(mf, _PairEnergies):
        mf.__class__ = _MP2_CLASSES[type(mf)]
        for name in _PairEnergies._keys - vars(mf).keys():
            setattr(mf, name, None)
    return mf


def restore(mf: _Object) -> _Object:
    """Undo `accelerate`.

    Parameters
    ----------
    mf : pyscf.scf.hf.SCF or pyscf.mp.dfmp2.DFMP2 or pyscf.mp.dfump2.DFUMP2
        Changed in place, and with it a ``with_df`` that other mean fields may share. What is not of this package stays.

    Returns
    -------
    pyscf.scf.hf.SCF or pyscf.mp.dfmp2.DFMP2 or pyscf.mp.dfump2.DFUMP2
        `mf` itself.

    Raises
    ------
    TypeError
        If `mf` is neither.
    """
    _require_supported(mf)
    if isinstance(mf, hf.SCF):
        _eigensolver.release(mf)
        _jk.release(mf)
    elif isinstance(mf, _PairEnergies):
        mf.__class__ = next(plain for plain, ours in _MP2_CLASSES.items() if isinstance(mf, ours))
        for name in (*_PairEnergies._keys, "_fock", "_derived_energies"):
            vars(mf).pop(name, None)
    return mf


def _require_supported(mf: Any) -> None:
    mean_field = isinstance(mf, hf.SCF) and not isinstance(mf, (dhf.DHF, x2c.RHF))
    if not (mean_field or type(mf) in _MP2_CLASSES or type(mf) in _MP2_CLASSES.values()):
        raise TypeError(f"mf: expected {_SUPPORTED}, got {type_name(mf)}")


class _Replacement(NamedTuple):
    """A method that `patch` replaces in a class of PySCF and in those derived from it that hold it themselves."""

    base: Any
    name: str
    common: tuple[Any, ...]  # under which functions PySCF's classes hold it
    ours: Any


def _replacements() -> list[_Replacement]:
    mp2_classes = list(enumerate(_patched_mp2.CLASSES, 1))
    return [
        _Replacement(hf.SCF, "_eigh", _eigensolver.common_solvers(), _eigensolver.scf_eigh_method),
        _Replacement(df.DF, "get_jk", (df.DF.get_jk,), _jk.get_jk),
        _Replacement(df.DF, "build", (_tensor.pyscf_build,), _tensor.build),
        *(_Replacement(cls, "ao2mo", (_patched_mp2.PYSCF_AO2MO[n],), _patched_mp2.ao2mo) for n, cls in mp2_classes),
        *(
            _Replacement(cls, "init_amps", (_patched_mp2.PYSCF_INIT_AMPS[n],), _patched_mp2.init_amps)
            for n, cls in mp2_classes
        ),
    ]


class _Patch:
    """The state of `patch`: how many blocks are open, and what the classes held before the first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks = 0
        self._before: dict[tuple[Any, str], Any] = {}

    def enter(self) -> None:
        with self._lock:
            self._blocks += 1
            if self._blocks > 1:
                return
            for base, name, common, ours in _replacements():
                for cls in _with_derived(base):
                    held = vars(cls).get(name)
                    if held in common:
                        self._before[cls, name] = held
                        setattr(cls, name, ours)

    def leave(self) -> None:
        with self._lock:
            self._blocks -= 1
            if self._blocks > 0:
                return
            for base, name, _, ours in _replacements():
                # A class that was made meanwhile may have copied the function.
                for cls in _with_derived(base):
                    if vars(cls).get(name) is ours:
                        setattr(cls, name, self._before.get((cls, name), self._before[base, name]))
            self._before = {}


_patch = _Patch()


def _with_derived(base: Any) -> list[Any]:
    """Return a class and all classes derived from it."""
    found: dict[Any, None] = {base: None}
    waiting = [base]
    while waiting:
        derived = [cls for cls in waiting.pop().__subclasses__() if cls not in found]
        found.update(dict.fromkeys(derived))
        waiting += derived
    return list(found)


@contextmanager
def patch() -> Iterator[None]:
    """Let this package compute what `accelerate` replaces, for all of PySCF's objects inside a ``with`` block.

    In mean fields that is the eigensolver and, with density fitting, J and K; in PySCF's DF-MP2 classes
    ``pyscf.mp.dfmp2.DFMP2`` and ``dfump2.DFUMP2``, which ``pyscf.mp.MP2(mf)``, ``mf.MP2()`` and ``mf.DFMP2()`` make of
    a mean field with density fitting, the transformation of integrals, the energies and the amplitudes. No method
    becomes another one: MP2 without density fitting stays without it. Objects return what PySCF's do, amplitudes by
    default. PySCF's native classes (``dfmp2_native``, ``dfump2_native``) and DF-MP2 of GHF (``dfgmp2``) are left alone.

    It holds for the whole process, other threads included, until the last block that is open anywhere ends, by an
    exception or not. PySCF's classes are then as they were. Objects and classes that have an eigensolver, or J and K,
    of their own keep them; so do four-component mean fields and cells, whose J and K are left to PySCF.

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
