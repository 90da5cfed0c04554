"""What theory says of DF-MP2 energies: invariances, scaling, systems far apart, scaled spin components."""

import functools
from types import SimpleNamespace

import numpy as np
import pytest
import trnsci
from mp2_reference import Orbitals, Sum, opposite_spin, random_orbitals, rounding, same_spin

EPS = np.finfo(float).eps
NOCC, NVIR, NAUX = 5, 9, 16
SCALE = 1.7
# |x| |y| is at most so many times sum |x| |y| for rows of random numbers, squared.
NORMS_OVER_MODULI = 4.0
SHIFT = 4.0  # added to energies of few binary digits it is exact


def coarse(x):
    """Return the orbitals with energies rounded to 20 binary digits behind the point."""
    return Orbitals(x.b, np.round(x.occ * 2**20) / 2**20, np.round(x.vir * 2**20) / 2**20)


def restricted(*spins, **options):
    """Return the energy of the first spin as a closed shell, its plain sum, and its rounding in units of moduli."""
    x = spins[0]
    result = trnsci.df_mp2_energy(*x, **options)
    return result.e_corr, opposite_spin(x, x) + same_spin(x) * 2, rounding(x.b.shape[2], x.b.dtype)


def mixed(*spins):
    energy, want, _ = restricted(*spins, precision="mixed")
    return energy, want, rounding(spins[0].b.shape[2] + 2, np.float32)  # B is rounded too


def unrestricted(alpha, beta):
    result = trnsci.df_mp2_energy(*zip(alpha, beta, strict=True))
    want = same_spin(alpha) + same_spin(beta) + opposite_spin(alpha, beta)
    return result.e_corr, want, rounding(alpha.b.shape[2], alpha.b.dtype)


def opposite_only(alpha, beta):
    """The same with the error of the separation, at most a tenth of the rounding of sums over the pairs of one spin."""
    want = opposite_spin(alpha, beta)
    limit = rounding(max(x.b.shape[0] * x.b.shape[1] for x in (alpha, beta)), np.float64)
    result = trnsci.sos_mp2_energy(*zip(alpha, beta, strict=True), tol=limit * want.moduli / 10)
    return result.e_corr_os, want, 2 * limit


def spin_orbitals(*spins):
    x = spins[0]
    return trnsci.df_gmp2_energy(*x).e_corr, same_spin(x), rounding(x.b.shape[2], x.b.dtype)


KINDS = {
    "restricted": (restricted, np.float64),
    "restricted, float32": (restricted, np.float32),
    "mixed": (mixed, np.float64),
    "unrestricted": (unrestricted, np.float64),
    "opposite spin": (opposite_only, np.float64),
    "spin orbitals": (spin_orbitals, np.float64),
    "complex": (spin_orbitals, np.complex128),
    "complex64": (spin_orbitals, np.complex64),
}


@pytest.fixture(params=KINDS)
def kind(request):
    function, dtype = KINDS[request.param]
    rng = np.random.default_rng(201)
    spins = [
        coarse(random_orbitals(rng, nocc, nvir, NAUX, dtype)) for nocc, nvir in [(NOCC, NVIR), (NOCC - 2, NVIR + 1)]
    ]
    return SimpleNamespace(energy=function, dtype=dtype, spins=spins, rng=rng)


def permuted(x, rng, occ=False, vir=False):
    i = rng.permutation(len(x.occ)) if occ else np.arange(len(x.occ))
    a = rng.permutation(len(x.vir)) if vir else np.arange(len(x.vir))
    return Orbitals(x.b[np.ix_(i, a)], x.occ[i], x.vir[a])


def with_products_of(matrix):
    """Return what multiplies the auxiliary index by a matrix, for all spins the same."""
    return lambda x, rng: Orbitals((x.b @ matrix).astype(x.b.dtype), x.occ, x.vir)


def uncoupled(x, rng):
    """Return the orbitals with one more occupied and virtual one, whose energies are in range and integrals zero."""
    b = np.zeros((len(x.occ) + 1, len(x.vir) + 1, x.b.shape[2]), x.b.dtype)
    b[:-1, :-1] = x.b
    return Orbitals(b, np.append(x.occ, x.occ.mean()), np.append(x.vir, x.vir.mean()))


PERMUTATION = np.eye(NAUX)[np.random.default_rng(202).permutation(NAUX)]
HADAMARD = functools.reduce(np.kron, [np.array([[1.0, 1], [1, -1]])] * 4) / 4  # orthogonal without any rounding
# Each with the factor of the energy, and the roundings in float64 that it makes of B, relative to norms of rows.
TRANSFORMS = {
    "occupied permuted": (lambda x, rng: permuted(x, rng, occ=True), 1, 0),
    "virtual permuted": (lambda x, rng: permuted(x, rng, vir=True), 1, 0),
    "auxiliary permuted": (with_products_of(PERMUTATION), 1, 0),
    "auxiliary rotated": (with_products_of(HADAMARD), 1, NAUX**1.5),
    "scaled": (lambda x, rng: Orbitals((SCALE * x.b).astype(x.b.dtype), x.occ, x.vir), SCALE**4, 1),
    "shifted": (lambda x, rng: Orbitals(x.b, x.occ + SHIFT, x.vir + SHIFT), 1, 0),
    "uncoupled": (uncoupled, 1, 0),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_energy_is_what_theory_says(kind, name):
    transform, factor, roundings = TRANSFORMS[name]
    before, want, limit = kind.energy(*kind.spins)
    after, now, _ = kind.energy(*(transform(x, kind.rng) for x in kind.spins))
    # A rounding of B is one of K, which is squared: 4 u = 2 eps of the energy for both factors. The last one is in B's
    # dtype.
    of_b = 2 * np.finfo(kind.dtype).eps + 2 * roundings * EPS * NORMS_OVER_MODULI
    allowed = max(factor * want.moduli, now.moduli) * (2 * limit + of_b)
    assert abs(after - factor * before) <= allowed
    assert allowed < 0.1 * abs(factor * before) / NOCC**2, "the limit would not see that a pair is missing"


# Systems far apart


def far_apart(systems):
    """Return one system made of several that have no integrals with each other."""
    sizes = np.array([x.b.shape for x in systems])
    b = np.zeros(sizes.sum(axis=0), systems[0].b.dtype)
    for x, (i, a, p) in zip(systems, np.cumsum(sizes, axis=0) - sizes, strict=True):
        b[i : i + x.b.shape[0], a : a + x.b.shape[1], p : p + x.b.shape[2]] = x.b
    return Orbitals(b, np.concatenate([x.occ for x in systems]), np.concatenate([x.vir for x in systems]))


def test_systems_far_apart_add_up(kind):
    rng = np.random.default_rng(204)
    systems = [[random_orbitals(rng, nocc, nvir, naux, kind.dtype) for _ in range(2)] for nocc, nvir, naux in
               [(2, 5, 7), (3, 4, 9), (1, 6, 4)]]  # fmt: skip
    parts = [kind.energy(*spins) for spins in systems]
    together, want, limit = kind.energy(*(far_apart([spins[s] for spins in systems]) for s in range(2)))
    # Opposite spins in different systems have no integrals either, so that both energies are sums over systems.
    assert abs(together - sum(energy for energy, _, _ in parts)) <= 2 * limit * want.moduli
    assert together < min(energy for energy, _, _ in parts) < 0


@pytest.mark.parametrize("kind", ["restricted", "unrestricted", "complex"], indirect=True)
def test_copies_of_one_system(kind):
    """32 systems like helium, one occupied orbital for each spin, have 32 times the energy."""
    copies = 32
    one = random_orbitals(np.random.default_rng(205), 2 if kind.dtype == np.complex128 else 1, 4, 6, kind.dtype)
    energy, _, _ = kind.energy(one, one)
    # The plain sums of all copies would take 16 GB.
    both = [far_apart([one] * copies)] * 2
    if kind.dtype == np.complex128:
        together = trnsci.df_gmp2_energy(*both[0]).e_corr
    elif kind.energy is unrestricted:
        together = trnsci.df_mp2_energy(*zip(*both, strict=True)).e_corr
    else:
        together = trnsci.df_mp2_energy(*both[0]).e_corr
    assert energy < 0
    assert abs(together - copies * energy) <= 1e-13 * abs(copies * energy)


# Scaled spin components


@pytest.mark.parametrize("spins", ["one", "two"])
def test_scaled_components(spins):
    """S. Grimme, J. Chem. Phys. 118, 9095 (2003): 6/5 of the opposite-spin energy and 1/3 of the same-spin energy."""
    rng = np.random.default_rng(206)
    alpha, beta = random_orbitals(rng, 4, 6, 9), random_orbitals(rng, 3, 7, 9)
    if spins == "one":
        opposite, same = opposite_spin(alpha, alpha), same_spin(alpha) * 2
        result = trnsci.df_mp2_energy(*alpha)
    else:
        opposite, same = opposite_spin(alpha, beta), same_spin(alpha) + same_spin(beta)
        result = trnsci.df_mp2_energy(*zip(alpha, beta, strict=True))
    limit = rounding(9, np.float64)
    for got, want in [
        (result.e_corr_os, opposite), (result.e_corr_ss, same), (result.e_scs, opposite * 1.2 + same * (1 / 3)),
        (result.scaled(1.2, 1 / 3), opposite * 1.2 + same * (1 / 3)), (result.scaled(1.3, 0), opposite * 1.3),
    ]:  # fmt: skip
        assert isinstance(want, Sum)
        assert abs(got - want.value) <= limit * want.moduli
    # Twice one coefficient would be seen.
    assert min(abs(opposite.value), abs(same.value)) / 3 > 1e6 * limit * (opposite + same).moduli
