"""DF-MP2 of spin orbitals against plain einsum."""

import numpy as np
import pytest
from mp2_reference import Orbitals, same_spin
from test_mp2 import layouts, random_case
from trnsci import UnsupportedError, df_gmp2_energy, df_mp2_energy

SIZES = [(1, 2, 2), (2, 2, 1), (3, 7, 5), (6, 20, 13)]


def complex_case(seed, nocc, nvir, naux, dtype=np.complex128):
    b, occ, vir = random_case(seed, nocc, nvir, naux)
    return (b + 1j * random_case(seed + 1, nocc, nvir, naux)[0]).astype(dtype), occ, vir


def by_definition(b, occ, vir):
    return same_spin(Orbitals(b, occ, vir)).value


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128, np.float32, np.float64])
def test_against_the_definition(sizes, dtype):
    kind = complex_case if np.dtype(dtype).kind == "c" else random_case
    case = kind(1, *sizes, dtype)
    expected = by_definition(*case)
    result = df_gmp2_energy(*case, threads=2)
    assert abs(result.e_corr - expected) <= result.error_bound + 1e-13 * abs(expected)
    assert result.error_bound <= 1e3 * np.finfo(dtype).eps * (abs(expected) + 1)
    assert float(result) == result.e_corr


@pytest.mark.parametrize("layout", ["iaP", "(ia)P", "P(ia)", "iPa"])
def test_layouts(layout, tmp_path):
    b, occ, vir = complex_case(2, 3, 5, 6)
    given = layouts(b)[layout]
    for form in (given, np.asfortranarray(given), np.repeat(given, 2, axis=-1)[..., ::2]):
        result = df_gmp2_energy(form, occ, vir, layout=layout)
        assert abs(result.e_corr - by_definition(b, occ, vir)) <= result.error_bound + 1e-14
    np.save(tmp_path / "b.npy", given.real)
    real = np.ascontiguousarray(b.real)
    result = df_gmp2_energy(tmp_path / "b.npy", occ, vir, layout=layout, max_memory=0.001)
    assert abs(result.e_corr - by_definition(real, occ, vir)) <= result.error_bound + 1e-14
    assert df_gmp2_energy(lambda i, j: real[i:j], occ, vir).e_corr == pytest.approx(result.e_corr, rel=1e-13)


def test_phases_and_rotations():
    b, occ, vir = complex_case(3, 4, 6, 9)
    before = df_gmp2_energy(b, occ, vir).e_corr
    rng = np.random.default_rng(4)
    phases = np.exp(2j * np.pi * rng.random((4, 1, 1)))
    rotation = np.linalg.qr(rng.standard_normal((9, 9)))[0]
    assert df_gmp2_energy(phases * b @ rotation, occ, vir).e_corr == pytest.approx(before, rel=1e-13)


def test_two_spins_as_spin_orbitals():
    alpha, beta = random_case(5, 3, 5, 8), random_case(6, 2, 6, 8)
    b = np.zeros((5, 11, 8))
    b[:3, :5], b[3:, 5:] = alpha[0], beta[0]
    occ, vir = np.concatenate([alpha[1], beta[1]]), np.concatenate([alpha[2], beta[2]])
    expected = df_mp2_energy(*zip(alpha, beta, strict=True)).e_corr
    assert df_gmp2_energy(b, occ, vir).e_corr == pytest.approx(expected, rel=1e-13)
    assert df_gmp2_energy(b + 0j, occ, vir).e_corr == pytest.approx(expected, rel=1e-13)


def test_no_pairs():
    assert df_gmp2_energy(np.zeros((0, 3, 2), complex), [], np.ones(3)).e_corr == 0
    assert df_gmp2_energy(np.ones((1, 3, 2), complex), [-1], np.ones(3)).e_corr == 0
    assert df_gmp2_energy(np.ones((2, 3, 0), complex), [-1, -2], np.ones(3)).e_corr == 0


def test_bad_input():
    b, occ, vir = complex_case(7, 3, 5, 6)
    with pytest.raises(ValueError, match="one set"):
        df_gmp2_energy((b, b), (occ, occ), (vir, vir))
    with pytest.raises(ValueError, match="shape"):
        df_gmp2_energy(b, occ, vir[1:])
    with pytest.raises(ValueError, match="denominator"):
        df_gmp2_energy(b, np.zeros(3), np.zeros(5))
    with pytest.raises(UnsupportedError, match="complex"):
        df_gmp2_energy(lambda i, j: b[i:j], occ, vir)
    with pytest.raises(UnsupportedError, match="df_gmp2_energy"):
        df_mp2_energy(b, occ, vir)
    b[1, 2, 3] = 1j * np.inf
    with pytest.raises(ValueError, match="orbital 1"):
        df_gmp2_energy(b, occ, vir)
    assert not np.isfinite(df_gmp2_energy(b, occ, vir, check_finite=False).e_corr)
