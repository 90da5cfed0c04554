"""PySCF with the eigensolver and the DF-MP2 energies of this package.

`DFMP2` stands in for PySCF's class of that name. `accelerate` gives one mean-field object the eigensolver
`trnsci.eigh`, and `patch` gives it to all of them inside a ``with`` block. PySCF 2.9 or later is needed; the number of
threads is always the one that ``pyscf.lib.num_threads()`` says.
"""

from ._eigensolver import accelerate, patch, restore
from ._mp2 import DFMP2, DFRMP2, DFUMP2

__all__ = ["DFMP2", "DFRMP2", "DFUMP2", "accelerate", "patch", "restore"]
