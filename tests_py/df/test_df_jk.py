"""trnsci.df_jk against einsum: densities of every kind, sources, errors, bits, interruption."""

from __future__ import annotations

import os
from functools import partial

import numpy as np
import pytest
import trnsci
from interruption import assert_ends_at_first_report

EPS = float(np.finfo(np.float64).eps)


def packed(rng, naux, nao):
    return rng.normal(size=(naux, nao * (nao + 1) // 2))


def unpacked(packed_rows, nao):
    full = np.zeros((packed_rows.shape[0], nao, nao))
    rows, cols = np.tril_indices(nao)
    full[:, rows, cols] = packed_rows
    full[:, cols, rows] = packed_rows
    return full


def reference(full, dm):
    """J and K by their definitions."""
    fit = np.einsum("pls,...sl->...p", full, dm)
    j = np.einsum("pmn,...p->...mn", full, fit)
    return j, np.einsum("pml,...ls,psn->...mn", full, dm, full, optimize=True)


def require_close(results, packed_rows, dm, terms=None):
    """Compare with the definitions; errors in units of eps times the sums of the moduli of all terms."""
    nao = dm.shape[-1]
    full = unpacked(packed_rows, nao)
    wanted = reference(full, dm)
    # Parts of complex matrices, and of densities made of orbitals, are sums whose terms are larger than they are.
    moduli = np.abs(dm.real) + np.abs(dm.imag) if terms is None else terms
    moduli = moduli + moduli.swapaxes(-1, -2)
    scales = reference(np.abs(full), moduli)
    limit = (2 * packed_rows.shape[0] * nao + 10) * EPS
    for result, want, scale in zip(results, wanted, scales, strict=True):
        assert result.shape == dm.shape and result.dtype == dm.dtype
        assert np.all(np.abs(result - want) <= limit * scale)


def random(rng, shape, dtype):
    imaginary = 1j * rng.normal(size=shape) if dtype == "complex128" else 0
    return rng.normal(size=shape) + imaginary


def density(rng, shape, hermi, dtype):
    dm = random(rng, shape, dtype)
    sign = {0: 0, 1: 1, 2: -1}[hermi]
    return dm + sign * dm.conj().swapaxes(-1, -2)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("hermi", [0, 1, 2])
@pytest.mark.parametrize("lead", [(), (1,), (3,), (2, 2), (0,)])
def test_densities(hermi, dtype, lead):
    rng = np.random.default_rng(11)
    for naux, nao in [(1, 1), (7, 1), (40, 6), (9, 23), (0, 4)]:
        rows, dm = packed(rng, naux, nao), density(rng, (*lead, nao, nao), hermi, dtype)
        both = trnsci.df_jk(rows, dm, hermi=hermi)
        require_close(both, rows, dm)
        j, none = trnsci.df_jk(rows, dm, hermi=hermi, with_k=False)
        assert none is None and np.array_equal(j, both[0])
        none, k = trnsci.df_jk(rows, dm, hermi=hermi, with_j=False)
        assert none is None and np.array_equal(k, both[1])


def test_no_basis_functions():
    j, k = trnsci.df_jk(np.empty((3, 0)), np.empty((0, 0)))
    assert j.shape == k.shape == (0, 0)


def made(coeff, occ):
    return np.einsum("...mi,...i,...ni->...mn", coeff, occ, coeff.conj())


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("hermi", [0, 1])
@pytest.mark.parametrize("lead", [(), (2,)])
def test_orbitals(lead, hermi, dtype):
    rng = np.random.default_rng(13)
    naux, nao, nmo = 37, 14, 9
    rows = packed(rng, naux, nao)
    coeff = random(rng, (*lead, nao, nmo), dtype)
    occ = rng.choice([0, 0.3, 1, 2], size=(*lead, nmo))
    occ[..., :2] = [2, 0]
    dm = made(coeff, occ)
    parts = np.abs(coeff.real) + np.abs(coeff.imag)
    require_close(trnsci.df_jk(rows, dm, hermi=hermi, mo_coeff=coeff, mo_occ=occ), rows, dm, made(parts, occ))


def test_no_orbital_is_occupied():
    rng = np.random.default_rng(17)
    j, k = trnsci.df_jk(packed(rng, 4, 3), np.zeros((3, 3)), mo_coeff=rng.normal(size=(3, 2)), mo_occ=[0, 0])
    assert not j.any() and not k.any()


def test_pyscf_has_the_same():
    pyscf_df_jk = pytest.importorskip("pyscf.df.df_jk", reason="PySCF is not installed")
    df, gto, lib = (pytest.importorskip(f"pyscf.{name}") for name in ("df", "gto", "lib"))
    mol = gto.M(atom="O 0 0 0; H 0 0 1; H 0 1 0", basis="cc-pvdz", verbose=0)
    fitted = df.DF(mol).build()
    rng = np.random.default_rng(19)
    coeff, occ = rng.normal(size=(2, mol.nao, 6)), np.array([[1.0, 1, 1, 0, 0, 0.5], [1, 1, 0, 0, 0, 0]])
    dm = lib.tag_array(made(coeff, occ), mo_coeff=coeff, mo_occ=occ)
    plain = rng.normal(size=(2, mol.nao, mol.nao))
    cases = [
        (dm, 1, coeff, occ),
        (np.asarray(dm), 1, None, None),
        (plain, 0, None, None),
        (plain + 1j * plain[::-1], 0, None, None),
    ]
    for d, hermi, c, n in cases:
        ours = trnsci.df_jk(fitted._cderi, np.asarray(d), hermi=hermi, mo_coeff=c, mo_occ=n)
        for x, y in zip(ours, pyscf_df_jk.get_jk(fitted, d, hermi=hermi), strict=True):
            assert np.abs(x - y).max() <= 1e3 * EPS * np.abs(y).max()  # PySCF sums some hundred terms in another order


def sources(tmp_path, rows):
    np.save(tmp_path / "l.npy", rows)
    np.save(tmp_path / "swapped.npy", rows.astype(">f8"))
    yield "path", tmp_path / "l.npy", {}
    yield "str", str(tmp_path / "swapped.npy"), {}
    yield "function", lambda p0, p1: rows[p0:p1], {"naux": len(rows)}
    yield "Fortran order", np.asfortranarray(rows), {}
    yield "backwards", rows[::-1].copy()[::-1], {}


@pytest.mark.parametrize("room", [None, 32 * 190 * 8 / 1e6, 64 * 190 * 8 / 1e6])
def test_same_bits_from_everywhere(tmp_path, room):
    rng = np.random.default_rng(23)
    rows, coeff, occ = packed(rng, 101, 19), rng.normal(size=(19, 5)), np.full(5, 2.0)
    arguments = {"dm": made(coeff, occ), "mo_coeff": coeff, "mo_occ": occ}
    want = trnsci.df_jk(rows, **arguments, threads=1)
    for threads in (1, 2, 5):
        for name, source, more in sources(tmp_path, rows):
            got = trnsci.df_jk(source, **arguments, **more, threads=threads, max_memory=room)
            assert all(np.array_equal(x, y) for x, y in zip(got, want, strict=True)), (name, threads)


def test_float32_is_converted():
    rng = np.random.default_rng(29)
    rows, dm = packed(rng, 12, 5).astype(np.float32), density(rng, (5, 5), 1, "float64")
    want = trnsci.df_jk(rows.astype(np.float64), dm)
    for got in (trnsci.df_jk(rows, dm), trnsci.df_jk(lambda p0, p1: rows[p0:p1], dm, naux=12)):
        assert all(np.array_equal(x, y) for x, y in zip(got, want, strict=True))


def test_datasets(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    rng = np.random.default_rng(31)
    rows, dm = packed(rng, 70, 8), density(rng, (8, 8), 0, "float64")
    want = trnsci.df_jk(rows, dm, hermi=0)
    with h5py.File(tmp_path / "l.h5", "w") as file:
        file["l"] = rows
        got = trnsci.df_jk(file["l"], dm, hermi=0, max_memory=32 * 36 * 8 / 1e6)
        assert all(np.array_equal(x, y) for x, y in zip(got, want, strict=True))
        with pytest.raises(
            ValueError, match=r"^L: expected shape \(naux, nao\*\(nao\+1\)/2\) = \(naux, 28\), got \(70, 36\)"
        ):
            trnsci.df_jk(file["l"], np.eye(7))
        file["empty"] = h5py.Empty("f8")
        for other in (file, file["empty"]):
            with pytest.raises(TypeError, match=r"^L: expected a dataset of h5py with elements"):
                trnsci.df_jk(other, dm)


ROWS, DM = np.ones((4, 6)), np.eye(3)
NAN = np.where(np.arange(24).reshape(4, 6) == 13, np.nan, 1.0)


@pytest.mark.parametrize(
    ("error", "text", "arguments"),
    [
        (ValueError, r"L: expected shape .*, got \(4, 3, 3\)", {"L": np.ones((4, 3, 3))}),
        (ValueError, r"L: contains infinities or NaNs, the first in row 2", {"L": NAN}),
        (ValueError, r"L: contains infinities or NaNs, the first in row 2", {"L": NAN, "with_j": False}),
        (trnsci.UnsupportedError, "L: complex integrals", {"L": ROWS + 0j}),
        (TypeError, "naux: is needed where L is a function", {"L": lambda p0, p1: ROWS[p0:p1]}),
        (ValueError, "naux: 5 was given, but L has 4 rows", {"naux": 5}),
        (ValueError, r"L\(0, 4\): expected shape \(4, 6\), got \(2, 6\)", {"L": lambda p0, p1: ROWS[p0:2], "naux": 4}),
        (ZeroDivisionError, "division", {"L": lambda p0, p1: 1 // 0, "naux": 4}),
        (ValueError, "max_memory: 100 bytes hold no .* need 192 bytes",
            {"L": np.asfortranarray(ROWS), "max_memory": 1e-4}),
        (FileNotFoundError, "none.npy", {"L": "none.npy"}),
        (ValueError, "dm: expected a square matrix", {"dm": np.ones((3, 2))}),
        (ValueError, "dm: contains infinities or NaNs", {"dm": np.full((3, 3), np.inf)}),
        (ValueError, r"dm\[1\]: contains infinities or NaNs", {"dm": np.array([DM, DM + 1j * np.nan])}),
        (ValueError, r"hermi: expected 0, 1 or 2, got 3", {"hermi": 3}),
        (ValueError, r"hermi: expected 0, 1 or 2, got array", {"hermi": np.array([1, 1])}),
        (ValueError, "with_j, with_k: nothing", {"with_j": False, "with_k": False}),
        (TypeError, "mo_coeff, mo_occ: expected both or neither", {"mo_occ": [1.0]}),
        (ValueError, r"mo_coeff: expected shape \(3, nmo\) for dm", {"mo_coeff": np.ones((2, 2)), "mo_occ": [1, 1]}),
        (ValueError, r"mo_occ: expected shape \(3,\)", {"mo_coeff": DM, "mo_occ": [1, 1]}),
        (TypeError, "mo_occ: occupations are real", {"mo_coeff": DM, "mo_occ": [1, 1, 1j]}),
        (ValueError, "mo_occ: expected numbers that are not negative", {"mo_coeff": DM, "mo_occ": [1, 1, -1]}),
        (ValueError, r"dm: is not mo_coeff diag\(mo_occ\)", {"mo_coeff": DM, "mo_occ": [1, 1, 0]}),
        (ValueError, r"hermi: orbitals make a symmetric density, got 2",
            {"mo_coeff": DM, "mo_occ": [1, 1, 1], "hermi": 2}),
    ],
)  # fmt: skip
def test_errors(error, text, arguments):
    with pytest.raises(error, match=text):
        trnsci.df_jk(**{"L": ROWS, "dm": DM, **arguments})


def test_files_that_are_refused(tmp_path):
    np.save(tmp_path / "f.npy", np.asfortranarray(ROWS))
    with pytest.raises(ValueError, match="Fortran order"):
        trnsci.df_jk(tmp_path / "f.npy", DM)
    np.save(tmp_path / "c.npy", ROWS + 0j)
    with pytest.raises(TypeError, match="expected float32 or float64"):
        trnsci.df_jk(tmp_path / "c.npy", DM)
    np.save(tmp_path / "pairs.npy", np.ones((4, 5)))
    with pytest.raises(ValueError, match="L: has rows of 5 elements"):
        trnsci.df_jk(tmp_path / "pairs.npy", DM)


def test_infinities_may_be_let_through():
    j, _ = trnsci.df_jk(NAN, DM, check_finite=False)
    assert np.isnan(j).any()


def test_inputs_stay_and_progress_counts_rows():
    rng = np.random.default_rng(37)
    rows, dm, seen = packed(rng, 70, 12), density(rng, (12, 12), 1, "float64"), []
    before = rows.copy(), dm.copy()
    trnsci.df_jk(rows, dm, progress=lambda done, total: seen.append((done, total)))
    assert np.array_equal(rows, before[0]) and np.array_equal(dm, before[1])
    assert seen[-1] == (70, 70)


@pytest.mark.skipif(os.name != "posix", reason="there are no signals to send here")
def test_a_signal_while_a_file_is_read(tmp_path, monkeypatch):
    nao, naux = 200, 100_000  # a file of 16 GB of zeros that takes no room: minutes of work
    pairs = nao * (nao + 1) // 2
    source = tmp_path / "l.npy"
    with open(source, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (naux, pairs)})
        file.truncate(file.tell() + 8 * naux * pairs)
    assert_ends_at_first_report(partial(trnsci.df_jk, source, np.eye(nao)), 2, monkeypatch)
    os.remove(source)
