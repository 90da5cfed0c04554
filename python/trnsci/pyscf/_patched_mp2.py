"""The methods that `patch` puts into PySCF's DF-MP2 classes. Objects stay PySCF's, with all that they return."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ._common import dfmp2, dfump2, lib, logger
from ._integrals import in_memory, pair_integrals
from ._orbitals import by_spin
from ._pairs import amplitudes, energies

CLASSES = (dfmp2.DFMP2, dfump2.DFUMP2)
PYSCF_AO2MO = {1: dfmp2.DFMP2.ao2mo, 2: dfump2.DFUMP2.ao2mo}
PYSCF_INIT_AMPS = {1: dfmp2.DFMP2.init_amps, 2: dfump2.DFUMP2.init_amps}
# Whether PySCF computes amplitudes unless it is told not to.
_WITH_T2 = bool(inspect.signature(dfmp2.DFMP2.init_amps).parameters["with_t2"].default)


def ao2mo(self: Any, mo_coeff: Any = None, ovL: Any = None, ovL_to_save: Any = None) -> Any:
    """Compute the integrals as PySCF's method does, which is left with those on disk, of cells, and over complex
    orbitals."""
    split = by_spin(self.split_mo_coeff())
    spaces = [coeff[1:3] for coeff in split]
    is_plain = mo_coeff is None and ovL is None and ovL_to_save is None
    if is_plain and all(c.size and np.isrealobj(c) for space in spaces for c in space):
        integrals = pair_integrals(self, spaces, on_disk=False)
        if integrals is not None:
            return in_memory(self, spaces, integrals)
    return PYSCF_AO2MO[len(split)](self, mo_coeff, ovL, ovL_to_save)


def init_amps(
    self: Any, mo_energy: Any = None, mo_coeff: Any = None, eris: Any = None, with_t2: bool = _WITH_T2
) -> Any:
    """Compute the energies, and the amplitudes if they are asked for, as PySCF's method does."""
    if eris is None:
        eris = self.ao2mo()
    integrals = eris.ovL if isinstance(eris.ovL, (list, tuple)) else [eris.ovL]
    if not all(np.dtype(x.dtype) == np.float64 for x in integrals):
        logger.info(self, "DF-MP2 pair energies: PySCF, since the integrals are not real")
        return PYSCF_INIT_AMPS[len(integrals)](self, mo_energy, mo_coeff, eris, with_t2)
    result = energies(self, eris, None, None, None)
    t2 = amplitudes(self, eris) if with_t2 else None
    return lib.tag_array(result.e_corr, e_corr_ss=result.e_corr_ss, e_corr_os=result.e_corr_os), t2
