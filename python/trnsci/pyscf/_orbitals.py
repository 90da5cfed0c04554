"""The orbitals that DF-MP2 takes: their shapes and occupations, and which are left out."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._common import logger

# Occupations of a mean field without fractions are whole numbers to rounding.
_WHOLE = 1e-8
_FROZEN = "expected a number of orbitals or a list of indices; for UHF it may be a list of indices for each spin"


def require_shapes(nao: int, spins: int, mo_coeff: Any, mo_occ: Any, mo_energy: Any) -> None:
    """Check that orbitals belong together.

    Raises
    ------
    ValueError
        If `mo_coeff` has not the shape (nao, nmo), or `mo_occ` or `mo_energy`, which may be None, not (nmo,); for two
        `spins` each of them has two of these, and nmo may differ.
    """
    parts = {"mo_coeff": mo_coeff, "mo_occ": mo_occ, "mo_energy": mo_energy}
    shapes = {
        name: [np.shape(part) for part in (value if spins == 2 else [value])]
        for name, value in parts.items()
        if value is not None
    }
    columns = [shape[-1:] for shape in shapes["mo_coeff"]]
    columns = (columns * spins)[:spins]
    for name, found in shapes.items():
        expected = [(nao, *nmo) for nmo in columns] if name == "mo_coeff" else columns
        if found != expected:
            raise ValueError(f"{name}: expected {_join(expected)}, got {_join(found)}")


def _join(shapes: list[tuple[int, ...]]) -> str:
    return "arrays of shapes " + " and ".join(map(str, shapes)) if len(shapes) > 1 else f"an array of shape {shapes[0]}"


def warn_of_fractions(mp: Any) -> None:
    """Write a warning into the log if an orbital is partly occupied; PySCF's rule is that all that are occupied
    count."""
    occ = occupations_by_spin(mp.mo_occ)
    full = 2 / len(occ)
    if any(np.any((part > _WHOLE) & (np.abs(part - full) > _WHOLE)) for part in occ):
        logger.warn(mp, "Occupations are not whole: DF-MP2 takes each orbital that is occupied at all for a full one.")


def correlated(mp: Any) -> list[int]:
    """Return for each spin how many occupied orbitals are left, which may be none; one number for RHF.

    PySCF counts a number that is larger than those that are occupied as negative ones, which only one of two spins may
    be.

    Raises
    ------
    TypeError, ValueError
        If ``mp.frozen`` is not what `trnsci.pyscf.DFMP2` takes. PySCF accepts some of that, and freezes other orbitals.
    """
    require_frozen(mp)
    spins = zip(occupations_by_spin(mp.mo_occ), occupations_by_spin(mp.get_frozen_mask()), strict=True)
    return [int(np.count_nonzero((occ > 0) & mask)) for occ, mask in spins]


def require_frozen(mp: Any) -> None:
    """Raise what `correlated` does."""
    frozen, occ = mp.frozen, occupations_by_spin(mp.mo_occ)
    if frozen is None:
        return
    if isinstance(frozen, (int, np.integer)):
        _require_number(int(frozen), max(int(np.count_nonzero(part > 0)) for part in occ))
    elif len(occ) == 1 or not _is_nested(frozen):
        _require_indices(frozen, min(part.size for part in occ))
    elif len(frozen) != len(occ):
        raise ValueError(f"frozen: {_FROZEN}, got {len(frozen)} lists")
    else:
        for indices, part in zip(frozen, occ, strict=True):
            _require_indices(indices, part.size)


def by_spin(split: list[Any]) -> list[Any]:
    """Return for each spin the four parts into which PySCF splits orbitals: frozen and active, occupied and virtual."""
    return split if isinstance(split[0], list) else [split]


def occupations_by_spin(value: Any) -> list[Any]:
    """Return the part of each spin of occupations or masks, which are one array for RHF."""
    return [np.asarray(part) for part in ([value] if np.ndim(value[0]) == 0 else value)]


def _require_number(frozen: int, occupied: int) -> None:
    if frozen < 0:
        raise ValueError(f"frozen: {frozen} is no number of orbitals")
    if frozen > occupied:
        raise ValueError(f"frozen: {frozen} orbitals, but {occupied} are occupied")


def _is_nested(frozen: Any) -> bool:
    return (
        hasattr(frozen, "__len__") and not isinstance(frozen, str) and any(hasattr(part, "__len__") for part in frozen)
    )


def _require_indices(indices: Any, nmo: int) -> None:
    """Refuse what are not indices of `nmo` orbitals. Those below zero count from the last, as everywhere in Python."""
    if not hasattr(indices, "__len__") or not all(map(_is_index, indices)):
        raise TypeError(f"frozen: {_FROZEN}, got {indices!r}")
    for index in indices:
        if not -nmo <= index < nmo:
            raise ValueError(f"frozen: orbital {index}, but there are {nmo}")


def _is_index(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
