"""Orbital energies for orbitals that are not those of the mean field, and whether DF-MP2 may take them as canonical."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core._array import Array
from .._core._caller import warn
from ._common import dfmp2

# Elements of the Fock matrix that should vanish may be this many times as large as the orbital gradient with which
# PySCF considers a mean field converged.
_GRADIENTS = 10
# PySCF's default threshold for the energy, whose root is the one for the gradient. With a tighter one elements that
# DF-MP2 may leave out are not smaller.
_LOOSEST_TIGHT_TOLERANCE = 1e-9


def fock_matrices(mf: Any, mo_coeff: Any, mo_occ: Any) -> list[Array]:
    """Return the Fock matrix of each spin over the given orbitals, with the density that they make. It costs one J and
    K."""
    density = mf.make_rdm1(mo_coeff, mo_occ)
    fock = mf.get_fock(vhf=mf.get_veff(dm=density), dm=density)
    if np.ndim(density) == 2:
        fock, mo_coeff = [fock], [mo_coeff]
    return [np.asarray(c).T.conj() @ np.asarray(f) @ np.asarray(c) for f, c in zip(fock, mo_coeff, strict=True)]


def orbital_energies(mf: Any, mo_coeff: Any, mo_occ: Any, fock: list[Array] | None) -> Any:
    """Return what PySCF takes for orbital energies: the mean field's, or the diagonal of the Fock matrix where one is
    given."""
    if fock is None:
        return dfmp2.get_mo_energy(mf, mo_coeff, mo_occ)
    energies = [np.diag(f).real for f in fock]
    return energies if len(energies) == 2 else energies[0]


def is_mean_fields(mf: Any, mo_coeff: Any, mo_occ: Any) -> bool:
    """Whether these are the orbitals of a converged mean field, with its occupations."""
    return mo_coeff is mf.mo_coeff and (mo_occ is mf.mo_occ or np.array_equal(mo_occ, mf.mo_occ))


def warn_unless_canonical(mp: Any, fock: list[Array]) -> None:
    """Warn if the Fock matrix has elements that DF-MP2 leaves out: within the correlated occupied orbitals, within the
    correlated virtual ones, or between any occupied and virtual ones."""
    tolerance = getattr(mp._scf, "conv_tol_grad", None) or np.sqrt(mp._scf.conv_tol)
    limit = _GRADIENTS * max(tolerance, np.sqrt(_LOOSEST_TIGHT_TOLERANCE))
    largest = {"occupied orbitals": 0.0, "virtual orbitals": 0.0, "occupied and virtual orbitals": 0.0}
    occupations, masks = ([part] if np.ndim(part[0]) == 0 else part for part in (mp.mo_occ, mp.get_frozen_mask()))
    for f, occ, mask in zip(fock, occupations, masks, strict=True):
        occupied, active = np.asarray(occ) > 0, np.asarray(mask)
        off = np.abs(f - np.diag(np.diag(f)))
        blocks = (off[occupied & active][:, occupied & active], off[~occupied & active][:, ~occupied & active])
        for name, block in zip(largest, (*blocks, off[occupied][:, ~occupied]), strict=True):
            largest[name] = max(largest[name], float(block.max(initial=0)))
    found = [f"{element:.1e} hartree between {name}" for name, element in largest.items() if element > limit]
    if found:
        warn(
            "mo_coeff: DF-MP2 is for canonical orbitals, but the Fock matrix over these is not diagonal: its "
            f"elements are up to {', '.join(found)}. The energy is computed with its diagonal and is not that of MP2",
            UserWarning,
            beside="pyscf",
        )
