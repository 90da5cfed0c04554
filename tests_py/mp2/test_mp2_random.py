"""Energies for random shapes, layouts and dtypes, on host and devices, against plain sums to some eps of the moduli."""

import numpy as np
import pytest
import trnsci
from mp2_reference import opposite_spin, random_layout, random_orbitals, rounding, same_spin

SHAPES = 50


def shapes(seed, largest=7):
    """Yield a generator and the sizes (nocc, nvir) of two spins and naux; each size is any up to the largest."""
    for n in range(SHAPES):
        rng = np.random.default_rng([seed, n])
        yield rng, rng.integers(largest + 1, size=4), int(rng.integers(largest + 1))


def check(got, want, limit, where):
    """Compare an energy with a sum; return how far off it is in units of the limit."""
    allowed = limit * want.moduli
    assert abs(got - want.value) <= allowed, f"{where}: {got!r}, want {want.value!r} within {allowed:.1e}"
    return abs(got - want.value) / allowed if allowed else 0.0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("precision", [None, "fp64", "mixed"])
def test_restricted(dtype, precision):
    worst = 0.0
    for rng, sizes, naux in shapes(101):
        x = random_orbitals(rng, *sizes[:2], naux, dtype)
        b, layout = random_layout(rng, x.b)
        result = trnsci.df_mp2_energy(b, x.occ, x.vir, layout=layout, precision=precision)
        # Rounding of B, which mixed precision adds, is that of two more products.
        products = {None: dtype, "fp64": np.float64, "mixed": np.float32}[precision]
        limit = rounding(naux + 2 * (precision == "mixed"), products)
        parts = opposite_spin(x, x), same_spin(x) * 2
        for got, want in zip((result.e_corr_os, result.e_corr_ss), parts, strict=True):
            worst = max(worst, check(got, want, limit, (sizes, naux, layout)))
    print(f"{worst:.2f} of the limit")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_unrestricted(dtype):
    worst = 0.0
    for rng, sizes, naux in shapes(102):
        alpha, beta = (random_orbitals(rng, *sizes[s : s + 2], naux, dtype) for s in (0, 2))
        b1, layout = random_layout(rng, alpha.b)
        b2, _ = random_layout(rng, beta.b, layout)
        result = trnsci.df_mp2_energy(
            (b1, b2), (alpha.occ, beta.occ), (alpha.vir, beta.vir), layout=layout, pair_energies=True
        )
        aa, bb, ab = (p.sum() for p in result.pair_energies)
        limit = rounding(naux, dtype)
        wanted = same_spin(alpha), same_spin(beta), opposite_spin(alpha, beta)
        for got, want in zip((aa, bb, ab), wanted, strict=True):
            worst = max(worst, check(got, want, limit, (sizes, naux, layout)))
        check(result.e_corr_os, wanted[2], limit, (sizes, naux, layout))
        check(result.e_corr_ss, wanted[0] + wanted[1], limit, (sizes, naux, layout))
    print(f"{worst:.2f} of the limit")


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_spin_orbitals(dtype):
    worst = 0.0
    for rng, sizes, naux in shapes(103):
        x = random_orbitals(rng, *sizes[:2], naux, dtype)
        b, layout = random_layout(rng, x.b)
        result = trnsci.df_gmp2_energy(b, x.occ, x.vir, layout=layout)
        worst = max(worst, check(result.e_corr, same_spin(x), rounding(naux, dtype), (sizes, naux, layout)))
    print(f"{worst:.2f} of the limit")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_opposite_spin_only(dtype):
    for rng, sizes, naux in shapes(104):
        alpha, beta = (random_orbitals(rng, *sizes[s : s + 2], naux, dtype) for s in (0, 2))
        result = trnsci.sos_mp2_energy((alpha.b, beta.b), (alpha.occ, beta.occ), (alpha.vir, beta.vir))
        want = opposite_spin(alpha, beta)
        # All is in float64. The sums of the separated form have the moduli of the plain ones times (1 + r)/(2 sqrt(r))
        # for gaps in the ratio r, here at most 14, and as many additions as there are pairs of one spin, not of
        # auxiliary functions.
        additions = int(max(sizes[0] * sizes[1], sizes[2] * sizes[3])) + naux
        check(
            result.e_corr_os,
            want,
            2 * rounding(additions, np.float64) + result.quadrature_error / (want.moduli or 1),
            sizes,
        )


@pytest.mark.parametrize("precision", ["fp32", "bf16x3"])
def test_devices(device, precision):
    """Each side is within its own bound of the energy, so they are within the sum of both of each other."""
    ratios = []
    for n in range(20):
        rng = np.random.default_rng([105, n])
        sizes, naux = rng.integers(1, [9, 17, 9, 17], endpoint=True), int(rng.integers(1, 40))
        alpha, beta = (random_orbitals(rng, *sizes[s : s + 2], naux) for s in (0, 2))
        for args in (alpha, tuple(zip(alpha, beta, strict=True))):
            there, here = trnsci.df_mp2_energy(*args, device=device, precision=precision), trnsci.df_mp2_energy(*args)
            off, bound = abs(there.e_corr - here.e_corr), there.error_bound + here.error_bound
            assert off <= bound, (sizes, naux, there, here)
            ratios.append(off / bound)
    assert max(ratios) > 0, "single precision does not give the digits of double precision"
    print(f"at most {max(ratios):.2g} of the bounds")
