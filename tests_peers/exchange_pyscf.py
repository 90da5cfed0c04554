"""A pytest plugin that runs PySCF's tests with `trnsci.pyscf`.

The variable ``TRNSCI_PEER_MODE`` says how mean fields get our functions: with "patch" all of PySCF's have them for the
whole session; with "accelerate" each is accelerated when its iteration begins. In both, objects of DF-MP2 become ours,
which compute amplitudes by default here, as the tests expect of PySCF's, and the energies of PySCF's "native" DF-MP2,
whose classes have another interface, come from `trnsci.df_mp2_energy`.
"""

import functools
import os
import sys

import numpy as np
import recorder
import trnsci.mp2
import trnsci.pyscf
from pyscf.mp import dfmp2, dfmp2_native, dfump2, dfump2_native
from pyscf.scf import hf

# Held for the whole session: leaving the block would put PySCF back.
_block = trnsci.pyscf.patch()


def _count():
    trnsci.linalg.eigh = recorder.counted(trnsci.linalg.eigh)
    trnsci.mp2.df_mp2_energy = recorder.counted(trnsci.mp2.df_mp2_energy)


def _with_amplitudes(ours):
    """Return a class derived from ours that computes amplitudes by default, as PySCF's does."""

    def kernel(self, mo_energy=None, mo_coeff=None, eris=None, with_t2=True):
        return ours.kernel(self, mo_energy, mo_coeff, eris, with_t2)

    return type(ours.__name__, (ours,), {"kernel": kernel})


def _exchange_class(theirs, ours):
    """Let each new object of PySCF's class be accelerated.

    The name of the class stays PySCF's: its derived classes call its methods by that name.
    """
    ours, plain = _with_amplitudes(ours), theirs.__init__

    @functools.wraps(plain)
    def init(self, *args, **kwargs):
        plain(self, *args, **kwargs)
        if type(self) is theirs:
            trnsci.pyscf.accelerate(self)
            self.__class__ = ours

    theirs.__init__ = init


def _scaled(result, ps, pt):
    return ps * result.e_corr_os + pt * result.e_corr_ss


def _native_energy(intsfile, mo_energy, frozen_mask, logger, ps=1.0, pt=1.0):
    """Stands in for ``dfmp2_native.emp2_rhf``."""
    integrals = intsfile["ints_cholesky"][()]
    active = mo_energy[~frozen_mask]
    nocc = len(integrals)
    return _scaled(trnsci.mp2.df_mp2_energy(integrals, active[:nocc], active[nocc:], layout="iPa"), ps, pt)


def _native_energy_of_spins(intsfiles, mo_energy, frozen_mask, logger, ps=1.0, pt=1.0):
    """Stands in for ``dfump2_native.emp2_uhf``."""
    if np.count_nonzero(frozen_mask[0]) != np.count_nonzero(frozen_mask[1]):
        raise ValueError("number of frozen alpha and beta orbitals differs")
    integrals = [file["ints_cholesky"][()] for file in intsfiles]
    active = [energies[~frozen] for energies, frozen in zip(mo_energy, frozen_mask, strict=True)]
    occupied = [energies[: len(each)] for energies, each in zip(active, integrals, strict=True)]
    virtual = [energies[len(each) :] for energies, each in zip(active, integrals, strict=True)]
    return _scaled(trnsci.mp2.df_mp2_energy(integrals, occupied, virtual, layout="iPa"), ps, pt)


def _accelerate_each():
    """Accelerate every mean field that can be, when its iteration begins."""
    plain = hf.SCF.scf

    def scf(self, dm0=None, **kwargs):
        try:
            trnsci.pyscf.accelerate(self)
        except TypeError as error:
            print(f"not accelerated: {error}", file=sys.stderr)
        return plain(self, dm0, **kwargs)

    hf.SCF.scf = scf


def exchange():
    _count()
    _exchange_class(dfmp2.DFMP2, trnsci.pyscf.DFRMP2)
    _exchange_class(dfump2.DFUMP2, trnsci.pyscf.DFUMP2)
    dfmp2_native.emp2_rhf = _native_energy
    dfump2_native.emp2_uhf = _native_energy_of_spins
    if os.environ["TRNSCI_PEER_MODE"] == "accelerate":
        _accelerate_each()
    else:
        _block.__enter__()


exchange()
