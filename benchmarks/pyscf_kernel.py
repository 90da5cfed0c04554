"""The C functions in which PySCF's DF-MP2 spends its time, called as pyscf/mp/dfmp2.py and dfump2.py call them."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Half of the pairs are computed and count twice; no amplitudes are kept; a block starts with the first orbital.
HALF, NO_AMPLITUDES, FIRST = ctypes.c_int(1), None, ctypes.c_int(0)


def _addresses(*arrays: Array) -> list[ctypes.c_void_p]:
    return [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]


def _integers(*numbers: int) -> list[ctypes.c_int]:
    return [ctypes.c_int(number) for number in numbers]


def _sums(one: Array, other: Array) -> Array:
    """Return the sums of all pairs of energies, as the functions take them, of occupied and of virtual orbitals."""
    return np.ascontiguousarray(one[:, None] + other)


def direct_and_exchange(libmp: Any, b: Array, occ: Array, vir: Array) -> tuple[float, float]:
    """Return sum K_ab^2 / D and -sum K_ab K_ba / D over all i, j, a, b by MP2_contract_d.

    `b` is (nocc, nvir, naux) in C order, `libmp` the library that PySCF loads. The first sum is the opposite-spin
    energy of a closed shell and both together are the same-spin energy.
    """
    nocc, nvir, naux = b.shape
    direct, exchange, occ_sums, vir_sums = np.zeros(1), np.zeros(1), _sums(occ, occ), _sums(vir, vir)
    libmp.MP2_contract_d(
        *_addresses(direct, exchange), HALF, *_addresses(b, b), FIRST, FIRST, *_integers(nocc, nocc, nocc, nvir, naux),
        *_addresses(occ_sums, vir_sums), NO_AMPLITUDES, ctypes.c_int(0),
    )  # fmt: skip
    return float(direct[0]), float(exchange[0])


def opposite(libmp: Any, b: tuple[Array, Array], occ: tuple[Array, Array], vir: tuple[Array, Array]) -> float:
    """Return sum K_ab^2 / D over alpha i, a and beta j, b by MP2_OS_contract_d, from pairs (alpha, beta)."""
    (nocc_a, nvir_a, naux), (nocc_b, nvir_b, _) = b[0].shape, b[1].shape
    direct, occ_sums, vir_sums = np.zeros(1), _sums(*occ), _sums(*vir)
    libmp.MP2_OS_contract_d(
        *_addresses(direct, *b), FIRST, FIRST, *_integers(nocc_a, nocc_b, nocc_a, nocc_b, nvir_a, nvir_b, naux),
        *_addresses(occ_sums, vir_sums), NO_AMPLITUDES,
    )  # fmt: skip
    return float(direct[0])


def energies(libmp: Any, b: Array, occ: Array, vir: Array) -> tuple[float, float]:
    """Return the opposite-spin and the same-spin energy of a closed shell."""
    direct, exchange = direct_and_exchange(libmp, b, occ, vir)
    return direct, direct + exchange


def unrestricted_energies(
    libmp: Any, b: tuple[Array, Array], occ: tuple[Array, Array], vir: tuple[Array, Array]
) -> tuple[float, float]:
    """Return the opposite-spin and the same-spin energy of an open shell, from pairs (alpha, beta)."""
    same = sum(sum(direct_and_exchange(libmp, *spin)) for spin in zip(b, occ, vir, strict=True)) / 2
    return opposite(libmp, b, occ, vir), same
