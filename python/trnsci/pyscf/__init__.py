"""PySCF with the eigensolver, the density-fitted J and K, and the DF-MP2 energies of this package.

`DFMP2` stands in for PySCF's class of that name. `accelerate` gives one mean-field object the eigensolver `trnsci.eigh`
and, with density fitting, the Coulomb and exchange matrices of `trnsci.df_jk`; `patch` gives them, and the energies of
DF-MP2, to all objects inside a ``with`` block. PySCF 2.9 or later is needed; the number of threads is always the one
that ``pyscf.lib.num_threads()`` says.
"""

from ._accelerate import accelerate, patch, restore
from ._mp2 import DFMP2, DFRMP2, DFUMP2

__all__ = ["DFMP2", "DFRMP2", "DFUMP2", "accelerate", "patch", "restore"]


def __dir__() -> list[str]:
    return list(__all__)
