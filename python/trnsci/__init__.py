"""Dense eigensolvers, Schur, Cholesky, the BLAS, DF-MP2 energies and density-fitted J and K, computed by one Go
library.

NumPy arrays go in, NumPy arrays come out; names and defaults are those of SciPy and PySCF. The library is loaded by the
first call. See `trnsci.linalg`, `trnsci.blas`, `trnsci.mp2` and, where PySCF is installed, `trnsci.pyscf`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import blas, linalg, mp2
from ._core import _errors
from ._core._device import Device, DevicePlan, Report, devices, last_report
from ._core._errors import (
    ConvergenceError,
    DeviceError,
    InternalError,
    LinAlgError,
    LinearDependencyWarning,
    UnsupportedError,
)
from ._core._release import release_memory
from ._core._threads import get_num_threads, set_num_threads, threads
from ._version import __version__
from .df import DFFitResult, df_fit, df_jk, df_transform
from .linalg import eigh, schur
from .mp2 import (
    GMP2Result,
    KMP2Result,
    MP2Plan,
    MP2Result,
    SOSResult,
    df_gmp2_energy,
    df_kmp2_energy,
    df_mp2_energy,
    mp2_amplitudes,
    mp2_natural_orbitals,
    mp2_rdm1,
    sos_mp2_energy,
)

__all__ = [
    "ConvergenceError",
    "DFFitResult",
    "Device",
    "DeviceError",
    "DevicePlan",
    "GMP2Result",
    "InternalError",
    "KMP2Result",
    "LinAlgError",
    "LinAlgWarning",
    "LinearDependencyWarning",
    "MP2Plan",
    "MP2Result",
    "Report",
    "SOSResult",
    "UnsupportedError",
    "__version__",
    "blas",
    "devices",
    "df_fit",
    "df_gmp2_energy",
    "df_jk",
    "df_kmp2_energy",
    "df_mp2_energy",
    "df_transform",
    "eigh",
    "get_num_threads",
    "last_report",
    "linalg",
    "mp2",
    "mp2_amplitudes",
    "mp2_natural_orbitals",
    "mp2_rdm1",
    "release_memory",
    "schur",
    "set_num_threads",
    "sos_mp2_energy",
    "threads",
]


def __dir__() -> list[str]:
    return list(__all__)


if TYPE_CHECKING:
    from . import pyscf as pyscf
    from ._core._errors import LinAlgWarning
else:  # hidden from type checkers, which would conclude that every name exists

    def __getattr__(name: str) -> Any:
        """Import `trnsci.pyscf` on first use, and provide `LinAlgWarning`, which may derive from SciPy's class."""
        if name == "LinAlgWarning":
            return _errors.LinAlgWarning
        text = f"module {__name__!r} has no attribute {name!r}"
        if name != "pyscf":
            raise AttributeError(text)
        try:
            return import_module(".pyscf", __name__)
        except ImportError as error:  # so that hasattr() is False without PySCF
            raise AttributeError(f"{text}: {error}") from error
