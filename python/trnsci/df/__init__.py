"""Density-fitted integrals: fits with the Coulomb metric, molecular orbitals, Coulomb and exchange matrices.

`trnsci` has these functions under the same names.
"""

from ._fit import DFFitResult, df_fit
from ._jk import df_jk
from ._transform import df_transform

__all__ = ["DFFitResult", "df_fit", "df_jk", "df_transform"]


def __dir__() -> list[str]:
    return list(__all__)
