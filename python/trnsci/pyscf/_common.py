"""What the modules of this package take from PySCF, and what they share."""

from __future__ import annotations

from typing import Any

try:
    from pyscf import lib
    from pyscf.df import addons as df_addons
    from pyscf.df import df
    from pyscf.df import df_jk as df_code
    from pyscf.lib import logger
    from pyscf.mp import dfmp2, dfump2
    from pyscf.scf import dhf, hf
    from pyscf.x2c import x2c
except ImportError as error:
    raise ImportError(f"trnsci.pyscf needs PySCF 2.9 or later ({error}): pip install pyscf") from error

__all__ = ["df", "df_addons", "df_code", "dfmp2", "dfump2", "dhf", "hf", "lib", "logger", "type_name", "x2c"]


def type_name(obj: Any) -> str:
    """Return the name of an object's class with its module."""
    return f"{type(obj).__module__}.{type(obj).__qualname__}"
