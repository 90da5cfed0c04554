"""df_mp2_energy against the C functions that PySCF's DF-MP2 calls, on the same made-up integrals."""

import runpy
from pathlib import Path

import numpy as np
import pytest
import trnsci

pytest.importorskip("pyscf")
from pyscf import lib

SAME = 1e-13  # relatively: both sides compute in double precision, and no terms cancel in what is compared
# The calls that make bench times.
KERNEL = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks/pyscf_kernel.py"))


def integrals(rng, nocc, nvir, naux):
    """Return B in the order iaP and the energies of occupied and virtual orbitals."""
    b = rng.standard_normal((nocc, nvir, naux))
    b /= np.sqrt(naux)
    return b, -0.5 - rng.random(nocc), 0.2 + 2 * rng.random(nvir)


def compare(ours, opposite, same):
    print(f"opposite spin {ours.e_corr_os / opposite - 1:.1e}, same spin {ours.e_corr_ss / same - 1:.1e}")
    assert abs(ours.e_corr_os - opposite) <= SAME * abs(opposite)
    assert abs(ours.e_corr_ss - same) <= SAME * abs(opposite)  # a difference of two sums like that
    assert abs(ours.e_corr - (opposite + same)) <= SAME * abs(opposite + same)


@pytest.mark.parametrize(
    ("nocc", "nvir", "naux"), [(16, 112, 384), pytest.param(64, 448, 1536, marks=pytest.mark.slow)]
)
def test_same_integrals(nocc, nvir, naux):
    b, occ, vir = integrals(np.random.default_rng(nocc), nocc, nvir, naux)
    compare(trnsci.df_mp2_energy(b, occ, vir), *KERNEL["energies"](lib.load_library("libmp"), b, occ, vir))


def test_same_integrals_of_two_spins():
    rng = np.random.default_rng(9)
    spins = tuple(zip(integrals(rng, 9, 40, 96), integrals(rng, 6, 43, 96), strict=True))
    compare(trnsci.df_mp2_energy(*spins), *KERNEL["unrestricted_energies"](lib.load_library("libmp"), *spins))
