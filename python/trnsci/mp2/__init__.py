"""Second-order Møller-Plesset theory with density-fitted integrals (DF-MP2): energies, amplitudes, densities."""

from __future__ import annotations

from ._amplitudes import mp2_amplitudes
from ._density import mp2_natural_orbitals, mp2_rdm1
from ._energy import MP2Result, df_mp2_energy
from ._energy import resolve as resolve
from ._gmp2 import GMP2Result, df_gmp2_energy
from ._kmp2 import KMP2Result, df_kmp2_energy
from ._plan import MP2Plan
from ._sos import SOSResult, sos_mp2_energy

__all__ = [
    "GMP2Result",
    "KMP2Result",
    "MP2Plan",
    "MP2Result",
    "SOSResult",
    "df_gmp2_energy",
    "df_kmp2_energy",
    "df_mp2_energy",
    "mp2_amplitudes",
    "mp2_natural_orbitals",
    "mp2_rdm1",
    "sos_mp2_energy",
]


def __dir__() -> list[str]:
    return list(__all__)
