"""From the arguments of a function of this package to those of the library."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .._core import _array
from .._core._caller import warn
from .._core._files import absolute_if_path
from ._integrals import LAYOUTS, Spin, requests


def is_pair(eps: Any) -> bool:
    """Whether orbital energies are given for two spins."""
    return (
        isinstance(eps, (tuple, list)) and len(eps) == 2 and all(_array.as_array(e, "eps_occ").ndim == 1 for e in eps)
    )


def _two(pair: Any, name: str) -> tuple[Any, Any]:
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise ValueError(f"{name}: expected a pair (alpha, beta), since eps_occ is given for two spins")
    return pair[0], pair[1]


def read_spins(B: Any, eps_occ: Any, eps_vir: Any, layout: str, complex_too: bool = False) -> list[Spin]:
    """Return the checked input of the one spin, or of alpha and beta."""
    if not isinstance(layout, str) or layout not in LAYOUTS:
        raise ValueError(f"layout: {layout!r} is not one of {', '.join(map(repr, LAYOUTS))}")
    if not is_pair(eps_occ):
        spins = [Spin(absolute_if_path(B, "B"), eps_occ, eps_vir, layout, "", complex_too)]
    else:
        both, occ, vir = _two(B, "B"), _two(eps_occ, "eps_occ"), _two(eps_vir, "eps_vir")
        both = (
            absolute_if_path(both[0], "B[0]"),
            absolute_if_path(both[1], "B[1]"),
        )  # before a function for one is asked
        spins = [Spin(both[s], occ[s], vir[s], layout, f"[{s}]") for s in range(2)]
    _warn_if_swapped(spins)
    return spins


def _warn_if_swapped(spins: list[Spin]) -> None:
    """Warn if every occupied orbital lies above every virtual one, which no shape tells where B has pairs (ia)."""
    for s in spins:
        lowest, highest = s.eps_occ.min(initial=np.inf), s.eps_vir.max(initial=-np.inf)
        if np.isfinite([lowest, highest]).all() and lowest > highest:
            name = s.name.replace("B", "eps_occ", 1)
            warn(
                f"{name}: the lowest occupied energy, {lowest:.6g}, is above the highest virtual one, {highest:.6g}; "
                "are eps_occ and eps_vir swapped?",
                UserWarning,
            )


def same_dtype(spins: list[Spin]) -> None:
    """Make the arrays of both spins one dtype; what is read is converted to the wider one anyway."""
    in_memory = [s for s in spins if not s.path and s.read is None]
    if in_memory:
        dtype = np.result_type(*(s.b for s in in_memory))
        for s in in_memory:
            s.b = s.b.astype(dtype, copy=False)


class Arguments:
    """What a record has of one or two spins, `fields`, and the function that answers requests, None if there are
    none."""

    def __init__(self, spins: list[Spin], layout: str) -> None:
        alpha, beta = spins[0], spins[1] if len(spins) == 2 else None
        asked = requests(spins)
        self.fields: dict[str, Any] = dict(
            b_alpha=alpha.b, occ_alpha=alpha.eps_occ, vir_alpha=alpha.eps_vir, path_alpha=alpha.path,
            b_beta=beta and beta.b, occ_beta=beta and beta.eps_occ, vir_beta=beta and beta.eps_vir,
            path_beta=beta.path if beta else "", layout=layout, requests=asked,
        )  # fmt: skip
        self.answer = partial(_answer, spins) if asked else None


def _answer(spins: list[Spin], spin: int, first: int, end: int, address: int) -> None:
    """Copy the integrals that the library requests."""
    spins[spin].copy_block(first, end, address)
