"""Which orbitals DF-MP2 leaves out."""

from __future__ import annotations

from typing import Any

import numpy as np

_EXPECTED = "expected a number of orbitals or a list of indices; for UHF it may be a list of indices for each spin"


def correlated(mp: Any) -> list[int]:
    """Return for each spin how many occupied orbitals are left, which may be none; one number for RHF.

    PySCF counts a number that is larger than those that are occupied as negative ones, which only one of two spins may be.

    Raises
    ------
    TypeError, ValueError
        If ``mp.frozen`` is not what `trnsci.pyscf.DFMP2` takes. PySCF accepts some of that, and freezes other orbitals.
    """
    require_frozen(mp)
    occ, mask = np.asarray(mp.mo_occ) > 0, np.asarray(mp.get_frozen_mask())
    return [int(count) for count in np.atleast_1d(np.count_nonzero(occ & mask, axis=-1))]


def require_frozen(mp: Any) -> None:
    """Raise what `correlated` does."""
    frozen, occ = mp.frozen, np.asarray(mp.mo_occ)
    if frozen is None:
        return
    if isinstance(frozen, (int, np.integer)):
        _require_number(int(frozen), int(np.count_nonzero(occ > 0, axis=-1).max()))
    elif occ.ndim == 1 or not _is_nested(frozen):
        _require_indices(frozen, occ.shape[-1])
    elif len(frozen) != len(occ):
        raise ValueError(f"frozen: {_EXPECTED}, got {len(frozen)} lists")
    else:
        for part in frozen:
            _require_indices(part, occ.shape[-1])


def _require_number(frozen: int, occupied: int) -> None:
    if frozen < 0:
        raise ValueError(f"frozen: {frozen} is no number of orbitals")
    if frozen > occupied:
        raise ValueError(f"frozen: {frozen} orbitals, but {occupied} are occupied")


def _is_nested(frozen: Any) -> bool:
    return hasattr(frozen, "__len__") and not isinstance(frozen, str) and any(hasattr(part, "__len__") for part in frozen)


def _require_indices(indices: Any, nmo: int) -> None:
    """Refuse what are not indices of `nmo` orbitals. Those below zero count from the last, as everywhere in Python."""
    if not hasattr(indices, "__len__") or not all(map(_is_index, indices)):
        raise TypeError(f"frozen: {_EXPECTED}, got {indices!r}")
    for index in indices:
        if not -nmo <= index < nmo:
            raise ValueError(f"frozen: orbital {index}, but there are {nmo}")


def _is_index(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
