"""The molecules of ``make bench-pyscf`` and what is computed for each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

SMOKE = "smoke"  # begins the names of what only shows that all works

# Angstrom.
SPACING = 3.0  # between the oxygen atoms of a cluster
WATER = (("O", 0.0, 0.0, 0.0), ("H", 0.757, 0.586, 0.0), ("H", -0.757, 0.586, 0.0))
RING = 1.397  # carbon and carbon in benzene
TO_HYDROGEN, TO_OXYGEN = 1.084, 1.25

Atom = tuple[str, tuple[float, float, float]]


def water(columns: int, rows: int, layers: int) -> list[Atom]:
    """Return molecules of water, all turned the same way, on a grid."""
    corners = [(x, y, z) for x in range(columns) for y in range(rows) for z in range(layers)]
    return [
        (symbol, (SPACING * x + a, SPACING * y + b, SPACING * z + c))
        for x, y, z in corners
        for symbol, a, b, c in WATER
    ]


def ring(outer: str) -> list[Atom]:
    """Return a regular hexagon of carbon with the atoms `outer` around it."""
    distances = {"H": TO_HYDROGEN, "O": TO_OXYGEN}
    atoms: list[Atom] = []
    for k, symbol in enumerate(outer):
        x, y = math.cos(k * math.pi / 3), math.sin(k * math.pi / 3)
        far = RING + distances[symbol]
        atoms += [("C", (RING * x, RING * y, 0.0)), (symbol, (far * x, far * y, 0.0))]
    return atoms


@dataclass(frozen=True)
class System:
    """A molecule in a basis, and what is timed: a "run", or only "jk" or the "metric" of the same integrals."""

    name: str
    title: str
    atoms: list[Atom]
    basis: str
    kind: str = "run"
    spin: int = 0  # unpaired electrons, for an unrestricted mean field
    xc: str = ""  # a functional: restricted Kohn-Sham without DF-MP2
    refit: bool = False  # DF-MP2 with the auxiliary basis made for it, in place of the mean field's tensor


_WATER, _WATER_4, _WATER_8 = water(1, 1, 1), water(2, 2, 1), water(2, 2, 2)
_HYDROXYL: list[Atom] = [("O", (0.0, 0.0, 0.0)), ("H", (0.0, 0.0, 0.97))]

SYSTEMS = (
    System("smoke-run", "H2O, STO-3G, RHF and DF-MP2", _WATER, "sto-3g"),
    System(
        "smoke-radical", "OH, 6-31G, UHF and DF-UMP2 with its own integrals", _HYDROXYL, "6-31g", spin=1, refit=True
    ),
    System("smoke-dft", "H2O, STO-3G, B3LYP", _WATER, "sto-3g", xc="b3lyp"),
    System("smoke-jk", "H2O, STO-3G, J and K alone", _WATER, "sto-3g", kind="jk"),
    System("smoke-metric", "H2O, STO-3G, metric alone", _WATER, "sto-3g", kind="metric"),
    System("water8", "8 H2O, cc-pVDZ, RHF and DF-MP2", _WATER_8, "cc-pvdz"),
    System("water4", "4 H2O, cc-pVTZ, RHF and DF-MP2", _WATER_4, "cc-pvtz"),
    System("benzene", "benzene, cc-pVTZ, RHF and DF-MP2", ring("HHHHHH"), "cc-pvtz"),
    System(
        "benzene-ri", "benzene, cc-pVTZ, RHF and DF-MP2 with its own integrals", ring("HHHHHH"), "cc-pvtz", refit=True
    ),
    System("phenoxyl", "phenoxyl, cc-pVDZ, UHF and DF-UMP2", ring("OHHHHH"), "cc-pvdz", spin=1),
    System("water8-dft", "8 H2O, cc-pVDZ, B3LYP", _WATER_8, "cc-pvdz", xc="b3lyp"),
    System("jk-192", "8 H2O, cc-pVDZ, J and K alone", _WATER_8, "cc-pvdz", kind="jk"),
    System("jk-232", "4 H2O, cc-pVTZ, J and K alone", _WATER_4, "cc-pvtz", kind="jk"),
    System("metric", "8 H2O, cc-pVDZ, metric alone", _WATER_8, "cc-pvdz", kind="metric"),
)


def named(name: str) -> System:
    """Return the system of that name."""
    return next(system for system in SYSTEMS if system.name == name)


def select(only: list[str], smoke: bool) -> Iterator[System]:
    """Yield the systems with these names, or all, of those that are for a short try or of the others."""
    for system in SYSTEMS:
        if system.name in only or (not only and system.name.startswith(SMOKE) == smoke):
            yield system
