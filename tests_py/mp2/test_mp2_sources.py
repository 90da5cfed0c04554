"""B as an HDF5 dataset and as a function, and their errors; the tolerance of mixed precision."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import trnsci

NOCC, NVIR, NAUX = 9, 13, 21
ORBITAL = NVIR * NAUX * 8 / 1e6  # megabytes


@pytest.fixture
def molecule():
    rng = np.random.default_rng(71)
    return 0.1 * rng.normal(size=(NOCC, NVIR, NAUX)), -1 - rng.random(NOCC), 0.2 + rng.random(NVIR)


@pytest.mark.parametrize("orbitals", [None, 2, 3, 5, 8])
@pytest.mark.parametrize("threads", [1, 2])
def test_function_gives_the_bits_of_memory(molecule, orbitals, threads):
    b, occ, vir = molecule
    asked = []

    def read(first, end):
        asked.append((first, end))
        return b[first:end]

    limit = None if orbitals is None else orbitals * ORBITAL + 1e-6
    assert trnsci.df_mp2_energy(read, occ, vir, max_memory=limit, threads=threads) == trnsci.df_mp2_energy(b, occ, vir)
    assert {i for first, end in asked for i in range(first, end)} == set(range(NOCC))
    assert max(end - first for first, end in asked) <= (orbitals or NOCC)


def test_function_is_called_in_the_callers_thread(molecule):
    b, occ, vir = molecule
    threads = set()

    def read(first, end):
        threads.add(threading.get_ident())
        return b[first:end].tolist()  # anything that is like an array

    trnsci.df_mp2_energy(read, occ, vir, max_memory=4 * ORBITAL)
    assert threads == {threading.get_ident()}


def test_two_spins_from_different_sources(molecule):
    b, occ, vir = molecule
    want = trnsci.df_mp2_energy((b, b[:4]), (occ, occ[:4]), (vir, vir))
    got = trnsci.df_mp2_energy((lambda i, j: b[i:j], b[:4]), (occ, occ[:4]), (vir, vir), max_memory=3 * ORBITAL)
    other = trnsci.df_mp2_energy((b, lambda i, j: b[i:j]), (occ, occ[:4]), (vir, vir), max_memory=3 * ORBITAL)
    assert got == want and other == want


def test_function_on_a_device(molecule):
    b, occ, vir = molecule
    got = trnsci.df_mp2_energy(lambda i, j: b[i:j], occ, vir, device="interp", precision="fp32")
    want = trnsci.df_mp2_energy(b, occ, vir, device="interp", precision="fp32")
    assert got == want


@pytest.mark.parametrize("layout", ["iaP", "(ia)P", "P(ia)", "iPa"])
@pytest.mark.parametrize("dtype", ["<f4", "<f8", ">f8"])
def test_dataset(molecule, layout, dtype, tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    b, occ, vir = molecule
    b = b.astype(np.dtype(dtype).newbyteorder("="))
    array = {
        "iaP": b, "(ia)P": b.reshape(-1, NAUX), "P(ia)": b.reshape(-1, NAUX).T, "iPa": b.transpose(0, 2, 1),
    }[layout]  # fmt: skip
    want = trnsci.df_mp2_energy(b, occ, vir)
    with h5py.File(tmp_path / "b.h5", "w") as file:
        dataset = file.create_dataset("b", data=array.astype(dtype))
        for limit in (None, 3 * ORBITAL):
            assert trnsci.df_mp2_energy(dataset, occ, vir, layout=layout, max_memory=limit) == want
        with pytest.raises(ValueError, match=r"^B: shape .* does not fit layout"):
            trnsci.df_mp2_energy(dataset, occ, vir[1:], layout=layout)
        with pytest.raises(TypeError, match=r"^B: expected a dataset of h5py"):
            trnsci.df_mp2_energy(file, occ, vir)
        numbers = file.create_dataset("c", data=np.zeros((NOCC, NVIR, NAUX), np.complex64))
        with pytest.raises(trnsci.UnsupportedError, match="complex"):
            trnsci.df_mp2_energy(numbers, occ, vir)


def _other_dtype(b):
    return lambda i, j: b[i:j].astype(np.float32 if j == 1 else np.float64)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda b: lambda i, j: 1 / 0, ZeroDivisionError, "division"),
        (lambda b: lambda i, j: b[i:j] if j == 1 else b[i : j - 1], ValueError, r"B\(0, 9\): expected shape"),
        (lambda b: lambda i, j: b[i:j, 1:], ValueError, r"B\(0, 1\): expected shape"),
        (lambda b: lambda i, j: b[0], ValueError, r"B\(0, 1\): expected shape"),
        (lambda b: lambda i, j: None, TypeError, r"B\(0, 1\): dtype object"),
        (lambda b: lambda i, j: b[i:j] * 1j, trnsci.UnsupportedError, "complex"),
        (_other_dtype, TypeError, "first block was float32"),
        (lambda b: lambda i: b[i], TypeError, "positional argument"),
    ],
)
def test_bad_functions(molecule, make, error, text):
    b, occ, vir = molecule
    with pytest.raises(error, match=text):
        trnsci.df_mp2_energy(make(b), occ, vir)
    assert trnsci.df_mp2_energy(b, occ, vir) == trnsci.df_mp2_energy(
        lambda i, j: b[i:j], occ, vir
    )  # nothing is left behind


@pytest.mark.parametrize("bad", range(NOCC))
def test_exception_while_reading_ahead(molecule, bad):
    b, occ, vir = molecule

    def read(first, end):
        if end > 1 and first <= bad < end:
            raise KeyError("the disk is gone")
        return b[first:end]

    with pytest.raises(KeyError, match="the disk is gone"):
        trnsci.df_mp2_energy(read, occ, vir, max_memory=4 * ORBITAL, threads=2)


def test_nan_names_the_orbital(molecule):
    b, occ, vir = molecule
    b[5, 2, 3] = np.nan
    for limit in (None, 4 * ORBITAL):
        with pytest.raises(ValueError, match=r"^B: .* occupied orbital 5$"):
            trnsci.df_mp2_energy(lambda i, j: b[i:j], occ, vir, max_memory=limit)


def test_nothing_to_ask_for(molecule):
    _, occ, vir = molecule
    assert float(trnsci.df_mp2_energy(lambda i, j: 1 / 0, [], vir)) == 0
    assert float(trnsci.df_mp2_energy(lambda i, j: 1 / 0, occ, [])) == 0


def test_spin_without_orbitals_is_not_asked_for(molecule):
    b, occ, vir = molecule
    read = lambda i, j: b[i:j]  # noqa: E731
    want = trnsci.df_mp2_energy((b, b[:0]), (occ, []), (vir, vir))
    assert trnsci.df_mp2_energy((read, read), (occ, np.array([])), (vir, vir)) == want
    assert trnsci.df_mp2_energy((read, read), (np.array([]), occ), (vir, vir)).e_corr == want.e_corr


def test_spin_without_orbitals_needs_no_auxiliary_functions(molecule, tmp_path):
    b, occ, vir = molecule
    np.save(tmp_path / "b.npy", b)
    np.save(tmp_path / "none.npy", np.zeros((0, NVIR, NAUX + 2)))
    want = trnsci.df_mp2_energy((b, b[:0]), (occ, []), (vir, vir))
    rdm1 = trnsci.mp2_rdm1((b, b[:0]), (occ, []), (vir, vir))
    on_device = {"device": "interp", "precision": "fp64"}
    there = trnsci.df_mp2_energy((b, b[:0]), (occ, []), (vir, vir), **on_device)
    for full in (b, tmp_path / "b.npy", lambda i, j: b[i:j]):
        for none in (np.zeros((0, NVIR, 3)), tmp_path / "none.npy", lambda i, j: 1 / 0):
            case = ((full, none), (occ, []), (vir, vir))
            assert trnsci.df_mp2_energy(*case) == want
            assert trnsci.df_mp2_energy(*(pair[::-1] for pair in case)).e_corr == want.e_corr
            assert trnsci.df_mp2_energy(*case, **on_device) == there
            assert trnsci.df_mp2_energy(*case, plan=True).flops == NOCC * (NOCC - 1) * NVIR**2 * NAUX
            assert trnsci.df_mp2_energy(*case, plan=True, **on_device).dispatches == 1
            np.testing.assert_array_equal(trnsci.mp2_rdm1(*case)[0], rdm1[0])
    with pytest.raises(ValueError, match="different numbers of auxiliary functions"):
        trnsci.df_mp2_energy((b, b[..., 1:]), (occ, occ), (vir, vir))


def test_tolerance(molecule):
    b, occ, vir = molecule
    exact = trnsci.df_mp2_energy(b, occ, vir)
    loose = trnsci.df_mp2_energy(b, occ, vir, precision="mixed")
    half = trnsci.df_mp2_energy(b, occ, vir, precision="mixed", etol=loose.error_bound / 2)
    every = trnsci.df_mp2_energy(b, occ, vir, precision="mixed", etol=1e-30)
    assert loose.recomputed == 0 < half.recomputed < every.recomputed == NOCC * (NOCC + 1) // 2
    assert half.error_bound <= loose.error_bound / 2 and every.e_corr == exact.e_corr
    for got in (loose, half, every):
        assert abs(got.e_corr - exact.e_corr) <= got.error_bound + exact.error_bound
    assert "pairs computed again" in str(half) and "pairs computed again" not in str(loose)
    single = trnsci.df_mp2_energy(b.astype(np.float32), occ, vir, precision="mixed", etol=1e-30)
    assert single.recomputed == 0  # float32 integrals are not rounded


@pytest.mark.parametrize(("etol", "error"), [(0, ValueError), (-1, ValueError), (np.nan, ValueError), ("x", TypeError)])
def test_bad_tolerance(molecule, etol, error):
    with pytest.raises(error, match=r"^etol: "):
        trnsci.df_mp2_energy(*molecule, precision="mixed", etol=etol)
    with pytest.raises(ValueError, match=r"^etol: is for precision='mixed'"):
        trnsci.df_mp2_energy(*molecule, etol=1e-6)
