"""What the modules of this package take from PySCF, and what they share."""

from __future__ import annotations

from typing import Any

try:
    from pyscf import df, lib
    from pyscf.ao2mo.outcore import balance_partition
    from pyscf.df import incore, outcore
    from pyscf.gto import moleintor
    from pyscf.lib import logger
    from pyscf.mp import dfmp2, dfump2
    from pyscf.scf import dhf, hf
    from pyscf.x2c import x2c
except ImportError as error:
    raise ImportError(f"trnsci.pyscf needs PySCF 2.9 or later ({error}): pip install pyscf") from error

# The part of the free memory that blocks of integrals may take, as in PySCF's own out-of-core code.
BLOCK_SHARE = 0.6
# PySCF's memory limit is soft: when nothing is left of it, work goes on with blocks of this many megabytes.
LEAST_MEGABYTES = 64.0

__all__ = [
    "BLOCK_SHARE",
    "LEAST_MEGABYTES",
    "balance_partition",
    "df",
    "dfmp2",
    "dfump2",
    "dhf",
    "hf",
    "incore",
    "lib",
    "logger",
    "moleintor",
    "outcore",
    "type_name",
    "x2c",
]


def type_name(obj: Any) -> str:
    """Return the name of an object's class with its module."""
    return f"{type(obj).__module__}.{type(obj).__qualname__}"
