"""PySCF's C functions for DF-MP2 as a peer: with the BLAS of PySCF's wheel, or with SciPy's OpenBLAS in its place."""

from __future__ import annotations

import ctypes
from functools import partial
from pathlib import Path
from typing import Any

import pyscf_kernel
from cblas_ops import ROOT, Library, loaded_openblas
from python_ops import Table, calling, mp2_operands, ump2_operands

# The name in the OpenBLAS of SciPy's wheel that takes 32-bit integers, as libmp passes them.
SCIPY_DGEMM = "scipy_dgemm_"
# Sizes of a call that only shows whose dgemm_ is called.
TINY = {"nocc": 2, "nvir": 2, "naux": 2}


def _address(function: Any) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


def _file_at(address: int) -> str:
    """Return the path of the library that lies at an address of this process."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        first, end = (int(bound, 16) for bound in line.split(maxsplit=1)[0].split("-"))
        if first <= address < end:
            return line.split(maxsplit=5)[5]
    raise AssertionError(f"nothing is mapped at {address:#x}")


def _scipy_openblas() -> str:
    """Return the path of SciPy's OpenBLAS, which is loaded for it."""
    import scipy.linalg  # noqa: F401

    for path in loaded_openblas():
        if hasattr(ctypes.CDLL(path), SCIPY_DGEMM):
            return path
    raise SystemExit("SciPy has loaded no OpenBLAS with 32-bit integers: install SciPy from its wheel")


def _stand_in(blas: str) -> ctypes.CDLL:
    """Load benchmarks/peers/dgemm.c for libraries that are loaded later, with the product of the library at `blas`."""
    shared = ctypes.CDLL(str(ROOT / "build/bench/dgemm.so"), ctypes.RTLD_GLOBAL)
    shared.bench_set_dgemm(ctypes.c_void_p(_address(getattr(ctypes.CDLL(blas), SCIPY_DGEMM))))
    return shared


def _libmp() -> Any:
    from pyscf import lib

    return lib.load_library("libmp")


def _table(libmp: Any, blas: str, owner: str) -> Table:
    import pyscf

    facts = Library(blas).facts()
    return Table(
        # An old OpenBLAS does not say its version, but its file may.
        {
            "version": f"PySCF {pyscf.__version__}, {owner} {Path(blas).name}: {facts['version']}",
            "kernel": facts["kernel"],
        },
        {
            "df_mp2": calling(partial(pyscf_kernel.energies, libmp), mp2_operands),
            "df_ump2": calling(partial(pyscf_kernel.unrestricted_energies, libmp), ump2_operands),
        },
    )


def with_own_blas() -> Table:
    """Return PySCF's functions as its wheel has them."""
    libmp = _libmp()
    # The loader finds dgemm_ in libmp and what it is linked with.
    return _table(libmp, _file_at(_address(libmp.dgemm_)), "its")


def with_scipy_openblas() -> Table:
    """Return PySCF's functions on SciPy's OpenBLAS."""
    blas = _scipy_openblas()
    shared = _stand_in(blas)
    table = _table(_libmp(), blas, "SciPy's")
    table.ops["df_mp2"](TINY)()
    if not shared.bench_dgemm_called():
        raise SystemExit("PySCF's libmp does not call the dgemm_ that stands in for that of its own BLAS")
    return table
