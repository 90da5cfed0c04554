"""Scaled opposite-spin MP2 against plain sums over four indices and against df_mp2_energy; scaled energies."""

import mp2_reference
import numpy as np
import pytest
from mp2_cases import by_definition, layouts, random_case
from mp2_reference import Orbitals
from trnsci import UnsupportedError, df_mp2_energy, sos_mp2_energy


def opposite_spin(alpha, beta):
    """The definition, given (B, eps_occ, eps_vir) of both spins."""
    return mp2_reference.opposite_spin(Orbitals(*alpha), Orbitals(*beta)).value


@pytest.mark.parametrize(("nocc", "nvir", "naux"), [(1, 1, 1), (3, 7, 5), (5, 40, 33)])
@pytest.mark.parametrize("tol", [1e-2, 1e-7, 1e-11])
def test_against_the_definition(nocc, nvir, naux, tol):
    case = random_case(1, nocc, nvir, naux)
    expected = opposite_spin(case, case)
    result = sos_mp2_energy(*case, tol=tol)
    assert abs(result.e_corr_os - expected) <= result.quadrature_error + 1e-13 * abs(expected)
    assert result.quadrature_error <= tol
    assert float(result) == result.e_corr == 1.3 * result.e_corr_os
    assert sos_mp2_energy(*case, c_os=-2, tol=tol).e_corr == -2 * result.e_corr_os


def test_two_spins():
    alpha, beta = random_case(2, 4, 9, 12), random_case(3, 2, 6, 12)
    result = sos_mp2_energy(*zip(alpha, beta, strict=True))
    assert abs(result.e_corr_os - opposite_spin(alpha, beta)) <= result.quadrature_error + 1e-13
    again = sos_mp2_energy(*zip(beta, alpha, strict=True))
    assert again.e_corr_os == pytest.approx(result.e_corr_os, rel=1e-13)


@pytest.mark.parametrize("ratio", [1, 2, 1e2, 1e4, 1e6])
def test_wide_ranges_of_energies(ratio):
    b, _, _ = random_case(4, 6, 12, 10)
    occ, vir = -np.geomspace(0.1, 0.1 * ratio, 6), np.geomspace(0.1, 0.1 * ratio, 12)
    result = sos_mp2_energy(b, occ, vir)
    assert abs(result.e_corr_os - by_definition(b, occ, vir)[0]) <= 1e-7


@pytest.mark.parametrize("layout", ["iaP", "(ia)P", "P(ia)", "iPa"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_layouts_files_and_functions(layout, dtype, tmp_path):
    b, occ, vir = random_case(5, 3, 11, 14, dtype)
    given = layouts(b)[layout]
    np.save(tmp_path / "b.npy", given)
    expected = sos_mp2_energy(b, occ, vir)
    for form in (given, np.asfortranarray(given), tmp_path / "b.npy"):
        assert sos_mp2_energy(form, occ, vir, layout=layout, max_memory=0.01, threads=2) == expected
    assert sos_mp2_energy(lambda i, j: b[i:j], occ, vir) == expected


def test_no_orbitals():
    result = sos_mp2_energy(np.zeros((0, 4, 3)), [], np.ones(4))
    assert (result.e_corr, result.points, result.quadrature_error) == (0, 0, 0)


def test_progress():
    b, occ, vir = random_case(6, 3, 5, 6)
    seen = []
    sos_mp2_energy(b, occ, vir, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] > 0


def test_bad_input():
    b, occ, vir = random_case(7, 3, 5, 6)
    with pytest.raises(UnsupportedError, match="has to be positive"):
        sos_mp2_energy(b, occ + 5, vir)
    with pytest.raises(UnsupportedError, match="complex"):
        sos_mp2_energy(b + 0j, occ, vir)
    for tol in (0, -1, np.nan, np.inf):
        with pytest.raises(ValueError, match="tol"):
            sos_mp2_energy(b, occ, vir, tol=tol)
    with pytest.raises(TypeError, match="tol"):
        sos_mp2_energy(b, occ, vir, tol="small")
    with pytest.raises(ValueError, match="c_os"):
        sos_mp2_energy(b, occ, vir, c_os=np.nan)
    with pytest.raises(ValueError, match="layout"):
        sos_mp2_energy(b, occ, vir, layout="aiP")
    with pytest.raises(ValueError, match="shape"):
        sos_mp2_energy(b, occ, vir[1:])
    b[2, 1, 0] = np.nan
    with pytest.raises(ValueError, match="orbital 2"):
        sos_mp2_energy(b, occ, vir)


def test_scaled():
    result = df_mp2_energy(*random_case(8, 3, 5, 6))
    assert result.scaled(1, 0) == result.e_corr_os
    assert result.scaled(0, 1) == result.e_corr_ss
    assert result.scaled(6 / 5, 1 / 3) == result.e_scs


def test_spin_without_orbitals_is_not_asked_for():
    rng = np.random.default_rng(9)
    b, occ, vir = rng.normal(size=(3, 4, 5)), -1 - rng.random(3), 1 + rng.random(4)
    result = sos_mp2_energy((lambda i, j: b[i:j], lambda i, j: 1 / 0), (occ, np.array([])), (vir, vir))
    assert result.e_corr == 0
