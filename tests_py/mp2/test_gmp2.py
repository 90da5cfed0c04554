"""DF-MP2 of spin orbitals against plain einsum."""

import numpy as np
import pytest
from mp2_cases import layouts, random_case
from mp2_reference import Orbitals, same_spin
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


ORBITAL = 5 * 6 * 16 / 1e6  # megabytes of an orbital of complex_case(.., 7, 5, 6)
LIMITS = [None, 2 * ORBITAL + 1e-9, 4 * ORBITAL]


@pytest.mark.parametrize("layout", ["iaP", "(ia)P", "P(ia)", "iPa"])
@pytest.mark.parametrize("fortran", [False, True])
@pytest.mark.parametrize("dtype", ["<c8", ">c8", "<c16", ">c16"])
def test_complex_files_give_the_bits_of_memory(layout, fortran, dtype, tmp_path):
    b, occ, vir = complex_case(11, 7, 5, 6)
    given = layouts(b)[layout].astype(np.dtype(dtype).newbyteorder("="), order="F" if fortran else "C")
    np.save(tmp_path / "b.npy", given.astype(dtype))
    want = df_gmp2_energy(given, occ, vir, layout=layout)
    expected = by_definition(b.astype(given.dtype), occ, vir)
    assert abs(want.e_corr - expected) <= want.error_bound + 1e-13 * abs(expected)
    for limit in LIMITS:
        assert df_gmp2_energy(tmp_path / "b.npy", occ, vir, layout=layout, max_memory=limit, threads=2) == want


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("limit", LIMITS)
def test_complex_function_gives_the_bits_of_memory(dtype, limit):
    b, occ, vir = complex_case(12, 7, 5, 6, dtype)
    asked = []

    def read(first, end):
        asked.append((first, end))
        return b[first:end]

    assert df_gmp2_energy(read, occ, vir, max_memory=limit, threads=2) == df_gmp2_energy(b, occ, vir)
    assert {i for first, end in asked for i in range(first, end)} == set(range(7))
    if limit == LIMITS[1] and dtype is np.complex128:
        assert max(end - first for first, end in asked) == 1


@pytest.mark.parametrize("layout", ["iaP", "(ia)P", "P(ia)", "iPa"])
@pytest.mark.parametrize("dtype", ["<c8", ">c16"])
def test_complex_dataset(layout, dtype, tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    b, occ, vir = complex_case(13, 7, 5, 6, np.dtype(dtype).newbyteorder("="))
    want = df_gmp2_energy(b, occ, vir)
    with h5py.File(tmp_path / "b.h5", "w") as file:
        dataset = file.create_dataset("b", data=layouts(b)[layout].astype(dtype))
        for limit in LIMITS:
            assert df_gmp2_energy(dataset, occ, vir, layout=layout, max_memory=limit) == want
        with pytest.raises(UnsupportedError, match=r"^B: complex"):
            df_mp2_energy(dataset, occ, vir, layout=layout)


def test_problems_of_complex_sources(tmp_path):
    b, occ, vir = complex_case(14, 7, 5, 6)
    path = tmp_path / "b.npy"
    np.save(path, b)
    on_device = {"device": "interp", "precision": "fp32"}
    for more in ({}, {"plan": True}, on_device, {**on_device, "plan": True}):
        with pytest.raises(UnsupportedError, match=r"^B: complex"):
            df_mp2_energy(path, occ, vir, **more)
    with pytest.raises(UnsupportedError, match=r"^B\(0, 1\): complex"):
        df_mp2_energy(lambda i, j: b[i:j], occ, vir)
    with pytest.raises(ValueError, match=r"^B: shape .* does not fit layout"):
        df_gmp2_energy(path, occ, vir, layout="iPa")
    with pytest.raises(ValueError, match=r"^max_memory: .* the least that works is 960 bytes"):
        df_gmp2_energy(path, occ, vir, max_memory=1e-5)
    with pytest.raises(TypeError, match="complex128, but the first block was float64"):
        df_gmp2_energy(lambda i, j: b[i:j].real if j == 1 else b[i:j], occ, vir)
    with pytest.raises(ValueError, match=r"^B\(0, 7\): expected shape"):
        df_gmp2_energy(lambda i, j: b[i:j] if j == 1 else b[:6], occ, vir)
    b[3, 2, 1] = np.nan
    np.save(path, b)
    for source in (path, lambda i, j: b[i:j]):
        for limit in LIMITS:
            with pytest.raises(ValueError, match=r"^B: .* occupied orbital 3$"):
                df_gmp2_energy(source, occ, vir, max_memory=limit)
    with open(path, "r+b") as file:
        file.truncate(500)
    with pytest.raises(ValueError, match=r"not a usable \.npy file"):
        df_gmp2_energy(path, occ, vir)
    assert df_gmp2_energy(lambda i, j: 1 / 0, [], vir).e_corr == 0


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
    with pytest.raises(UnsupportedError, match="df_gmp2_energy"):
        df_mp2_energy(b, occ, vir)
    b[1, 2, 3] = 1j * np.inf
    with pytest.raises(ValueError, match="orbital 1"):
        df_gmp2_energy(b, occ, vir)
    assert not np.isfinite(df_gmp2_energy(b, occ, vir, check_finite=False).e_corr)
