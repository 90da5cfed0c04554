"""The error bound of precision="mixed" against the error, for random integrals and for molecules."""

import numpy as np
import pytest
import trnsci
from mp2_reference import random_orbitals
from precision_envelope import AMMONIA, METHANE, WATER

pytest.importorskip("pyscf")
from pyscf import gto, scf
from trnsci import pyscf as accelerated

# In angstrom, near the minima of the energy; nothing depends on the digits. The first three are where they come from.
MOLECULES = {
    "H2O": WATER,
    "NH3": AMMONIA,
    "CH4": METHANE,
    "N2": "N 0 0 0; N 0 0 1.0977",
    "CO": "C 0 0 0; O 0 0 1.1283",
    "HF": "H 0 0 0; F 0 0 0.9168",
    "LiH": "Li 0 0 0; H 0 0 1.5957",
    "HCN": "H 0 0 -1.066; C 0 0 0; N 0 0 1.153",
    "C2H4": """
        C 0  0     0.6695; H 0  0.9289 1.2321; H 0 -0.9289 1.2321
        C 0  0    -0.6695; H 0  0.9289 -1.2321; H 0 -0.9289 -1.2321""",
    "H2CO": "C 0 0 0; O 0 0 1.21; H 0 0.9429 -0.5879; H 0 -0.9429 -0.5879",
}
RANDOM_CASES = 1000
SPREAD = 2.0  # of the logarithms of integrals, of which one in a hundred is then a hundred times the median


def relative(args):
    """Return the error of mixed precision and its bound, both as parts of the energy."""
    exact, mixed = trnsci.df_mp2_energy(*args), trnsci.df_mp2_energy(*args, precision="mixed")
    off = abs(mixed.e_corr - exact.e_corr)
    assert off <= mixed.error_bound + exact.error_bound
    return off / abs(exact.e_corr), mixed.error_bound / abs(exact.e_corr)


def tell(what, cases):
    """Print how wide the bounds are."""
    errors, bounds = np.transpose(cases)
    rms, median = np.sqrt(np.mean(errors**2)), np.median(bounds)
    print(f"{what}: RMS error {rms:.1e}, median bound {median:.1e}, {median / rms:.0f} times that")


def test_random_integrals():
    cases = {0.0: [], SPREAD: []}
    for n in range(RANDOM_CASES):
        rng = np.random.default_rng([601, n])
        spread = SPREAD * (n % 2)
        x = random_orbitals(rng, *rng.integers(1, [6, 20, 60], endpoint=True), spread=spread)
        cases[spread].append(relative(x))
    for spread, found in cases.items():
        tell(f"random, spread {spread}", found)
        assert any(off > 0 for off, _ in found)


def integrals(atom):
    """Return B, eps_occ and eps_vir of a molecule as DFMP2 has them, all electrons correlated."""
    mf = scf.RHF(gto.M(atom=atom, basis="cc-pvdz", verbose=0)).run(conv_tol=1e-10)
    assert mf.converged
    mp = accelerated.DFMP2(mf)
    eris = mp.ao2mo()
    _, occ, vir, _ = mp.split_mo_energy()
    return eris.get_occ_blk(0, eris.nocc).reshape(eris.nocc, eris.nvir, eris.naux), occ, vir


def test_molecules():
    found = {name: relative(integrals(atom)) for name, atom in MOLECULES.items()}
    for name, (off, bound) in found.items():
        print(f"{name:5} error {off:.1e}, bound {bound:.1e}, both relative")
    tell("molecules", list(found.values()))
    assert any(off > 0 for off, _ in found.values())
