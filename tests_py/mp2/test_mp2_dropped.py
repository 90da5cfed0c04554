"""Orbitals that PySCF drops in crystals (a huge energy, rows of zeros) cost no accuracy."""

import warnings

import numpy as np
import pytest
import trnsci

ENERGIES = (1e6, 1e15, 1e30, 1e300, np.finfo(float).max)


def orbitals(dtype=np.float64, nocc=3, nvir=4, naux=8):
    rng = np.random.default_rng(0)
    b = 0.3 * rng.standard_normal((nocc, nvir, naux))
    if np.dtype(dtype).kind == "c":
        b = b + 0.3j * rng.standard_normal(b.shape)
    return b.astype(dtype), np.array([-1.0, -0.8, -0.6])[:nocc], np.array([0.1, 0.3, 0.5, 0.9])[:nvir]


def with_dropped(b, eps_occ, eps_vir, energy):
    """The same with one more virtual orbital in the middle, and an occupied one with the opposite energy."""
    b = np.insert(np.insert(b, 2, 0, axis=1), 1, 0, axis=0)
    return b, np.insert(eps_occ, 1, -energy), np.insert(eps_vir, 2, energy)


def terms(b, eps_occ, eps_vir):
    """(ia|jb) with its denominators, in extended precision where NumPy has one."""
    b = b.astype(np.clongdouble if b.dtype.kind == "c" else np.longdouble)
    k = np.einsum("iap,jbp->iajb", b, b)
    occ, vir = np.longdouble(eps_occ), np.longdouble(eps_vir)
    return k, occ[:, None, None, None] - vir[:, None, None] + occ[:, None] - vir


def test_the_case_that_was_reported():
    b = 0.3 * np.random.default_rng(0).standard_normal((3, 5, 8))
    b[:, -1] = 0
    eps_occ, eps_vir = np.array([-1, -0.8, -0.6]), np.array([0.1, 0.3, 0.5, 0.9, 1e30])
    result = trnsci.df_mp2_energy(b, eps_occ, eps_vir)
    k, d = terms(b, eps_occ, eps_vir)
    exact = float((k * (2 * k - k.swapaxes(1, 3)) / d).sum())
    assert abs(result.e_corr - exact) <= result.error_bound < 1e-13


@pytest.mark.parametrize("energy", ENERGIES)
@pytest.mark.parametrize("precision", [None, "fp64", "mixed"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_energies(energy, precision, dtype):
    case = orbitals(dtype)
    want = trnsci.df_mp2_energy(*case, precision=precision)
    got = trnsci.df_mp2_energy(*with_dropped(*case, energy), precision=precision)
    assert abs(got.e_corr - want.e_corr) <= got.error_bound + want.error_bound
    assert got.error_bound <= 2 * want.error_bound
    k, d = terms(*case)
    assert abs(got.e_corr - float((k * (2 * k - k.swapaxes(1, 3)) / d).sum())) <= got.error_bound + 1e-17


@pytest.mark.parametrize("energy", ENERGIES)
def test_mixed_computes_no_pair_again(energy):
    case = orbitals()
    bound = trnsci.df_mp2_energy(*case, precision="mixed").error_bound
    assert trnsci.df_mp2_energy(*with_dropped(*case, energy), precision="mixed", etol=2 * bound).recomputed == 0


@pytest.mark.parametrize("energy", ENERGIES)
def test_open_shells(energy):
    alpha, beta = orbitals(), orbitals(nocc=2)
    want = trnsci.df_mp2_energy(*zip(alpha, beta, strict=True))
    got = trnsci.df_mp2_energy(*zip(with_dropped(*alpha, energy), with_dropped(*beta, energy), strict=True))
    assert abs(got.e_corr - want.e_corr) <= got.error_bound + want.error_bound
    assert got.error_bound <= 2 * want.error_bound


@pytest.mark.parametrize("energy", ENERGIES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_spin_orbitals(energy, dtype):
    case = orbitals(dtype)
    want = trnsci.df_gmp2_energy(*case)
    got = trnsci.df_gmp2_energy(*with_dropped(*case, energy))
    k, d = terms(*case)
    exact = float((np.abs(k - k.swapaxes(1, 3)) ** 2 / d).sum() / 4)
    assert abs(got.e_corr - exact) <= got.error_bound <= 2 * want.error_bound


@pytest.mark.parametrize("energy", ENERGIES)
def test_an_occupied_orbital_above_a_virtual_one(energy):
    """Denominators of both signs: those that are near zero are known as well as without the dropped orbital."""
    b, eps_occ, eps_vir = orbitals()
    eps_occ[2] = 0.23
    want = trnsci.df_mp2_energy(b, eps_occ, eps_vir)
    got = trnsci.df_mp2_energy(*with_dropped(b, eps_occ, eps_vir, energy))
    k, d = terms(b, eps_occ, eps_vir)
    exact = float((k * (2 * k - k.swapaxes(1, 3)) / d).sum())
    assert abs(got.e_corr - exact) <= got.error_bound <= 3 * want.error_bound


@pytest.mark.parametrize("energy", ENERGIES)
def test_opposite_spin(energy):
    b, eps_occ, eps_vir = orbitals()
    k, d = terms(b, eps_occ, eps_vir)
    exact = float((k**2 / d).sum())
    want = trnsci.sos_mp2_energy(b, eps_occ, eps_vir)
    got = trnsci.sos_mp2_energy(*with_dropped(b, eps_occ, eps_vir, energy))
    assert got.points == want.points and abs(got.e_corr_os - exact) <= got.quadrature_error + 1e-14
    assert got.quadrature_error <= 1e-7


def test_opposite_spin_names_an_orbital_that_is_too_far():
    b, eps_occ, eps_vir = orbitals()
    eps_vir[2] = 1e18
    b[:, 2] = 1e9
    with pytest.raises(ValueError, match=r"occupied orbital 0 and virtual orbital 2.*1e\+18.*leave out"):
        trnsci.sos_mp2_energy(b, eps_occ, eps_vir)


@pytest.mark.parametrize("energy", ENERGIES)
def test_amplitudes_and_density(energy):
    case = orbitals()
    more = with_dropped(*case, energy)
    t, want = trnsci.mp2_amplitudes(*more), trnsci.mp2_amplitudes(*case)
    np.testing.assert_array_equal(t[np.ix_([0, 2, 3], [0, 2, 3], [0, 1, 3, 4], [0, 1, 3, 4])], want)
    assert np.count_nonzero(t) == np.count_nonzero(want)
    kept = [0, 2, 3, 4, 5, 7, 8]
    np.testing.assert_allclose(trnsci.mp2_rdm1(*more)[np.ix_(kept, kept)], trnsci.mp2_rdm1(*case), rtol=0, atol=1e-15)


@pytest.mark.parametrize("precision", ["fp64", "fp32", "bf16x3"])
def test_devices(device, precision):
    case = orbitals()
    want = trnsci.df_mp2_energy(*case, device=device, precision=precision)
    got = trnsci.df_mp2_energy(*with_dropped(*case, 1e30), device=device, precision=precision)
    k, d = terms(*case)
    assert (
        abs(got.e_corr - float((k * (2 * k - k.swapaxes(1, 3)) / d).sum())) <= got.error_bound <= 2 * want.error_bound
    )


@pytest.mark.parametrize("layout", ["(ia)P", "P(ia)"])
def test_swapped_energies_are_told(layout):
    """Of integrals whose first axis is pairs no shape tells which energies are the occupied ones."""
    rng = np.random.default_rng(5)
    b = rng.standard_normal((6, 7)) if layout == "(ia)P" else rng.standard_normal((7, 6))
    eps_occ, eps_vir = np.array([-1.0, -0.5]), np.array([0.2, 0.7, 0.9])
    with pytest.warns(UserWarning, match=r"^eps_occ: .* are eps_occ and eps_vir swapped\?"):
        trnsci.df_mp2_energy(b, eps_vir, eps_occ, layout=layout)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trnsci.df_mp2_energy(b, eps_occ, eps_vir, layout=layout)
        trnsci.df_mp2_energy(b, np.array([-1.0, 0.3]), eps_vir, layout=layout)
