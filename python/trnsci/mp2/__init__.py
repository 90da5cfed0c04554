"""Correlation energies of second-order Møller-Plesset theory with density-fitted integrals (DF-MP2)."""

from __future__ import annotations

from ._energy import MP2Result, df_mp2_energy
from ._energy import resolve as resolve
from ._plan import MP2Plan

__all__ = ["MP2Plan", "MP2Result", "df_mp2_energy"]
