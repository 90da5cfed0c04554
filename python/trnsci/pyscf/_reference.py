"""The mean fields that DF-MP2 can start from."""

from __future__ import annotations

from typing import Any

from ._common import dhf, hf, logger, type_name, x2c

REFERENCES = "RHF, UHF and ROHF, their Kohn-Sham forms, and those of a cell at one k-point, all with real orbitals"


def reference_of(mf: Any) -> Any:
    """Return the mean field that DF-MP2 starts from: `mf` without second-order solver, and UHF for ROHF."""
    unsupported = isinstance(mf, (dhf.DHF, x2c.SCF)) or not isinstance(mf, hf.SCF)
    if unsupported or mf.istype("GHF") or mf.istype("KSCF") or not (mf.istype("RHF") or mf.istype("UHF")):
        raise TypeError(f"mf: DF-MP2 supports {REFERENCES}, got {type_name(mf)}")
    mf = mf.remove_soscf()
    if mf.istype("ROHF"):
        logger.warn(mf, "DF-MP2 has no ROHF form. The ROHF object is converted to a UHF object.")
        mf = mf.to_uhf()
    return mf
