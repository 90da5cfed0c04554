"""What the results of all MP2 energies have in common."""

from __future__ import annotations

from .._core._dataclass import Record


class Energy(Record):
    """Stands for its correlation energy where a number is asked for: ``float(result)``, ``f"{result:.6f}"``."""

    e_corr: float

    def __float__(self) -> float:
        return self.e_corr

    def __format__(self, specification: str) -> str:
        return format(self.e_corr, specification) if specification else str(self)
