"""Density matrices and natural orbitals of DF-MP2 objects, over all orbitals or basis functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import linalg
from .._core._array import Array
from ._common import lib
from ._orbitals import occupations_by_spin
from ._pairs import densities


def density_matrix(mp: Any, eris: Any, ao_repr: bool, with_frozen: bool) -> Any:
    """Return what PySCF's ``make_rdm1`` does, from `trnsci.mp2_rdm1` and without amplitudes that are kept.

    The frozen occupied orbitals, which are not in the density of the correlated ones, get their electrons.
    """
    occupations, masks = occupations_by_spin(mp.mo_occ), occupations_by_spin(mp.get_frozen_mask())
    out = []
    for density, occ, active in zip(densities(mp, eris), occupations, masks, strict=True):
        occupied = occ > 0
        # In this order mp2_rdm1 has the orbitals.
        places = np.concatenate([np.flatnonzero(occupied & active), np.flatnonzero(~occupied & active)])
        full = np.zeros((occ.size, occ.size))
        frozen = np.flatnonzero(occupied & ~active)
        full[frozen, frozen] = 2 / len(occupations)
        full[np.ix_(places, places)] = density
        out.append(full if with_frozen or ao_repr else full[np.ix_(active, active)])
    if ao_repr:
        out = [_over_functions(d, c) for d, c in zip(out, _coefficients(mp, len(out)), strict=True)]
    return out[0] if len(out) == 1 else tuple(out)


def _over_functions(density: Array, mo_coeff: Any) -> Array:
    c = np.asarray(mo_coeff)
    return np.asarray(c @ density @ c.T)


def _coefficients(mp: Any, spins: int) -> list[Array]:
    return [np.asarray(c) for c in ([mp.mo_coeff] if spins == 1 else mp.mo_coeff)]


def natural_orbitals(mp: Any, rdm1_mo: Any) -> tuple[Array, Array]:
    """Return occupation numbers, descending, and orbitals over basis functions.

    Those of two spins are of the sum of both densities, with that of beta taken to the orbitals of alpha, as PySCF's
    native class has it.
    """
    spins = len(occupations_by_spin(mp.mo_occ))
    parts = [np.asarray(d) for d in ([rdm1_mo] if spins == 1 else rdm1_mo)]
    coefficients = _coefficients(mp, spins)
    for part, c in zip(parts, coefficients, strict=True):
        if part.shape != (c.shape[1], c.shape[1]):
            raise ValueError(
                f"rdm1_mo: expected a matrix of shape {(c.shape[1], c.shape[1])} for each spin, got {part.shape}"
            )
    total = parts[0]
    if spins == 2:
        between = coefficients[0].T @ mp._scf.get_ovlp() @ coefficients[1]
        total = total + between @ parts[1] @ between.T
    occupations, rotation = linalg.eigh(total, threads=lib.num_threads())
    return occupations[::-1].copy(), coefficients[0] @ rotation[:, ::-1]
