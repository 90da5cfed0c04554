"""The eigensolver of mean fields."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import linalg
from .._core._array import Array
from .._core._errors import LinAlgError
from ._common import hf, lib, logger, type_name, x2c


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
        try:
            e, c = linalg.eigh(h, None if s is None else np.asarray(s), threads=threads)
        except LinAlgError as error:
            raise _about_overlap(error) from None
        return e, _fix_phase(c)
    x = np.asarray(x)
    e, c = linalg.eigh(x.conj().T.dot(h).dot(x), overwrite_a=True, threads=threads)
    return e, _fix_phase(x.dot(c))


def _about_overlap(error: LinAlgError) -> LinAlgError:
    """Name PySCF's own remedy for an overlap in place of an argument of ours; other errors stay what they are."""
    minor, ours, _ = str(error).removeprefix("b: ").partition("; lindep=")
    if not ours:
        return error
    remedy = "if the basis is linearly dependent, scf.addons.remove_linear_dep_(mf) drops what depends on the rest"
    return LinAlgError(f"s: {minor}; {remedy}")


def _fix_phase(c: Array) -> Array:
    """Multiply each column so that its largest component is real and positive, PySCF's convention; in place."""
    if c.size:
        largest = np.take_along_axis(c, np.abs(c).argmax(axis=0)[np.newaxis], axis=0)
        size = np.abs(largest)
        c *= np.divide(largest.conj(), size, out=np.ones_like(largest), where=size > 0)
    return c


def scf_eigh_method(self: Any, h: Any, s: Any, overwrite: bool = False, x: Any = None, **kwargs: Any) -> Any:
    """What `patch` puts into the classes."""
    return _scf_eigh(h, s, overwrite, x, **kwargs)


def take(mf: Any) -> None:
    """Give a mean field our eigensolver, as the instance attribute that PySCF has for this purpose, unless it has its
    own."""
    if vars(mf).get("_eigh") is _scf_eigh:
        return
    if not vars(mf).keys().isdisjoint(("eig", "_eigh")) or type(mf)._eigh not in common_solvers():
        logger.note(mf, "trnsci: %s has an eigensolver of its own, which is kept", type_name(mf))
        return
    mf._eigh = _scf_eigh
    # Once for all: what PySCF calls in every cycle does not know the object and its log.
    logger.info(mf, "trnsci: eigenproblems go to trnsci.eigh, %d threads", lib.num_threads())


def release(mf: Any) -> None:
    """Undo `take`; an eigensolver that is not ours stays."""
    if vars(mf).get("_eigh") is _scf_eigh:
        del mf._eigh


def common_solvers() -> tuple[Any, ...]:
    """Return the functions under which PySCF's classes hold the common eigensolver.

    Up to PySCF 2.12 the two-component X2C classes have their own copy of its source text.
    """
    return hf.SCF._eigh, x2c.SCF._eigh, scf_eigh_method
