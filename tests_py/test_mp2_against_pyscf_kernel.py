"""df_mp2_energy against the C function that PySCF's DF-MP2 calls, on the same made-up integrals."""

import ctypes

import numpy as np
import pytest
import trnsci

pytest.importorskip("pyscf")
from pyscf import lib

SAME = 1e-13  # relatively: both sides compute in double precision, and no terms cancel in what is compared


def pyscf_energies(b, occ, vir):
    """Return the opposite-spin and the same-spin energy by MP2_contract_d of PySCF's libmp.

    It takes B in the order iaP for two blocks of occupied orbitals and sums e_i + e_j and e_a + e_b. It adds up
    sum K_ab^2 / D and -sum K_ab K_ba / D, which make up the opposite-spin and with it the same-spin energy.
    """
    (nocc, nvir, naux), integer = b.shape, ctypes.c_int
    direct, exchange = np.zeros(1), np.zeros(1)
    pairs = [np.ascontiguousarray(e[:, None] + e) for e in (occ, vir)]
    address = [a.ctypes.data_as(ctypes.c_void_p) for a in (direct, exchange, b, *pairs)]
    half_of_pairs, first, no_amplitudes = integer(1), integer(0), None
    sizes = [integer(n) for n in (nocc, nocc, nocc, nvir, naux)]
    lib.load_library("libmp").MP2_contract_d(
        address[0], address[1], half_of_pairs, address[2], address[2], first, first, *sizes, address[3], address[4],
        no_amplitudes, integer(0),
    )  # fmt: skip
    return direct[0], direct[0] + exchange[0]


@pytest.mark.parametrize(("nocc", "nvir", "naux"), [(16, 112, 384), pytest.param(64, 448, 1536, marks=pytest.mark.slow)])
def test_same_integrals(nocc, nvir, naux):
    rng = np.random.default_rng(nocc)
    b = rng.standard_normal((nocc, nvir, naux))
    b /= np.sqrt(naux)
    occ, vir = -0.5 - rng.random(nocc), 0.2 + 2 * rng.random(nvir)
    opposite, same = pyscf_energies(b, occ, vir)
    ours = trnsci.df_mp2_energy(b, occ, vir)
    print(f"opposite spin {ours.e_corr_os / opposite - 1:.1e}, same spin {ours.e_corr_ss / same - 1:.1e}")
    assert abs(ours.e_corr_os - opposite) <= SAME * abs(opposite)
    assert abs(ours.e_corr_ss - same) <= SAME * abs(opposite)  # a difference of two sums like that
    assert abs(ours.e_corr - (opposite + same)) <= SAME * abs(opposite + same)
