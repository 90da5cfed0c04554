"""trnsci.df_transform against einsum and PySCF: sources, out=, errors, bits."""

from __future__ import annotations

import numpy as np
import pytest
import trnsci

EPS = float(np.finfo(np.float64).eps)


def unpacked(rows, nao):
    full = np.zeros((len(rows), nao, nao))
    i, j = np.tril_indices(nao)
    full[:, i, j] = rows
    full[:, j, i] = rows
    return full


def problem(rng, naux, nao, nocc, nvir):
    return rng.normal(size=(naux, nao * (nao + 1) // 2)), rng.normal(size=(nao, nocc)), rng.normal(size=(nao, nvir))


def require_close(result, rows, occ, vir):
    """Compare with the definition, in units of eps times the sums of the moduli of all terms."""
    factors = occ, unpacked(rows, len(occ)), vir
    want = np.einsum("mi,pmn,na->iap", *factors, optimize=True)
    scale = np.einsum("mi,pmn,na->iap", *map(np.abs, factors), optimize=True)
    assert result.shape == want.shape and result.dtype == np.float64
    assert np.all(np.abs(result - want) <= (2 * len(occ) + 10) * EPS * scale)


@pytest.mark.parametrize("sizes", [(1, 1, 1, 1), (7, 5, 2, 3), (70, 9, 3, 6), (200, 30, 8, 22), (65, 6, 5, 1)])
@pytest.mark.parametrize("empty", [None, 0, 1, 2, 3])
def test_against_einsum(sizes, empty):
    sizes = [0 if n == empty else size for n, size in enumerate(sizes)]
    rows, occ, vir = problem(np.random.default_rng(3), *sizes)
    require_close(trnsci.df_transform(rows, occ, vir), rows, occ, vir)


def test_pyscf_has_the_same():
    dfmp2 = pytest.importorskip("pyscf.mp.dfmp2", reason="PySCF is not installed")
    df, gto = (pytest.importorskip(f"pyscf.{name}") for name in ("df", "gto"))
    mol = gto.M(atom="O 0 0 0; H 0 0 1; H 0 1 0", basis="cc-pvdz", verbose=0)
    fitted = df.DF(mol).build()
    rng = np.random.default_rng(5)
    occ, vir = rng.normal(size=(mol.nao, 5)), rng.normal(size=(mol.nao, 19))
    want = dfmp2._init_mp_df_eris(fitted, occ, vir, 4000)
    result = trnsci.df_transform(fitted._cderi, occ, vir)
    require_close(result, fitted._cderi, occ, vir)
    require_close(want.reshape(result.shape), fitted._cderi, occ, vir)


def test_it_is_what_the_energies_take():
    """One orbital of each kind: (ia|ia) = 36, and E = 36^2 / (2 (-1) - 2 * 2) for both spins."""
    b = trnsci.df_transform([[6.0]], [[1.0]], [[1.0]])
    assert trnsci.df_mp2_energy(b, [-1.0], [2.0]).e_corr == pytest.approx(6.0**4 / -6.0, rel=1e-14)


def sources(tmp_path, rows):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    np.save(tmp_path / "l.npy", rows)
    np.save(tmp_path / "swapped.npy", rows.astype(">f8"))
    file = h5py.File(tmp_path / "l.h5", "w")
    file["l"] = rows
    yield "path", tmp_path / "l.npy", {}
    yield "str", str(tmp_path / "swapped.npy"), {}
    yield "dataset", file["l"], {}
    yield "function", lambda p0, p1: rows[p0:p1], {"naux": len(rows)}
    yield "Fortran order", np.asfortranarray(rows), {}
    yield "backwards", rows[::-1].copy()[::-1], {}
    file.close()


@pytest.mark.parametrize("room", [None, 64 * 190 * 8 / 1e6, 2 * 64 * 190 * 8 / 1e6])
def test_same_bits_from_everywhere(tmp_path, room):
    rows, occ, vir = problem(np.random.default_rng(7), 201, 19, 5, 11)
    want = trnsci.df_transform(rows, occ, vir, threads=1)
    for name, source, more in sources(tmp_path, rows):
        for threads in (1, 2, 5):
            got = trnsci.df_transform(source, np.asfortranarray(occ), vir, **more, threads=threads, max_memory=room)
            assert np.array_equal(got, want), (name, threads)


def test_single_precision_is_converted():
    rows, occ, vir = problem(np.random.default_rng(9), 12, 5, 2, 3)
    rows = rows.astype(np.float32)
    want = trnsci.df_transform(rows.astype(np.float64), occ, vir)
    assert np.array_equal(trnsci.df_transform(rows, occ, vir), want)


def test_out():
    rows, occ, vir = problem(np.random.default_rng(11), 33, 6, 2, 4)
    want = trnsci.df_transform(rows, occ, vir)
    wide = np.full((2, 4, 40), 7.0)
    turned, swapped, apart = (
        np.empty(want.shape[::-1]).T,
        np.empty((4, 2, 33)).swapaxes(0, 1),
        np.empty((4, 4, 33))[::2],
    )
    for out in (np.empty(want.shape), turned, swapped, apart, wide[:, :, :33]):
        out[...] = np.nan
        assert trnsci.df_transform(rows, occ, vir, out=out) is out
        assert np.array_equal(out, want)
    assert (wide[:, :, 33:] == 7).all()


ROWS, OCC, VIR = np.ones((4, 6)), np.eye(3)[:, :1], np.eye(3)[:, 1:]
NAN = np.where(np.arange(24).reshape(4, 6) == 13, np.nan, 1.0)


@pytest.mark.parametrize(
    ("error", "text", "arguments"),
    [
        (ValueError, r"L: expected shape .* = \(naux, 6\), got \(4, 3, 3\)", {"L": np.ones((4, 3, 3))}),
        (ValueError, r"L: expected shape .* = \(naux, 6\), got \(4, 5\)$", {"L": np.ones((4, 5))}),
        (ValueError, r"L: expected shape .* = \(naux, 6\), got \(6, 4\); its transpose L\.T fits$",
            {"L": np.ones((6, 4))}),
        (ValueError, "L: contains infinities or NaNs, the first in row 2", {"L": NAN}),
        (trnsci.UnsupportedError, "L: complex integrals", {"L": ROWS + 0j}),
        (TypeError, "naux: is needed where L is a function", {"L": lambda p0, p1: ROWS[p0:p1]}),
        (ValueError, r"naux: .*\(4611686018427387904, 6\).* more .* than",
            {"L": lambda p0, p1: ROWS[p0:p1], "naux": 1 << 62}),
        (ValueError, r"L\(0, 4\): expected shape \(4, 6\), got \(2, 6\)", {"L": lambda p0, p1: ROWS[p0:2], "naux": 4}),
        (ZeroDivisionError, "division", {"L": lambda p0, p1: 1 // 0, "naux": 4}),
        (ValueError, "max_memory: 100 bytes hold no .* need 192 bytes",
            {"L": np.asfortranarray(ROWS), "max_memory": 1e-4}),
        (FileNotFoundError, "none.npy", {"L": "none.npy"}),
        (ValueError, r"vir_coeff: expected 3 rows, as occ_coeff has, got shape \(2, 2\)",
            {"vir_coeff": np.ones((2, 2))}),
        (ValueError, r"occ_coeff: expected shape \(nao, number of orbitals\), got \(3,\)", {"occ_coeff": np.ones(3)}),
        (ValueError, "occ_coeff: contains infinities or NaNs", {"occ_coeff": np.full((3, 1), np.inf)}),
        (ValueError, "vir_coeff: contains infinities or NaNs", {"vir_coeff": VIR + np.nan, "check_finite": False}),
        (trnsci.UnsupportedError, "vir_coeff: complex orbitals", {"vir_coeff": VIR + 0j}),
        (ValueError, r"out: expected shape \(1, 2, 4\), got \(2, 4\)", {"out": np.empty((2, 4))}),
        (TypeError, "out: expected dtype float64, got float32", {"out": np.empty((1, 2, 4), np.float32)}),
    ],
)  # fmt: skip
def test_errors(error, text, arguments):
    with pytest.raises(error, match=text):
        trnsci.df_transform(**{"L": ROWS, "occ_coeff": OCC, "vir_coeff": VIR, **arguments})


def test_files_that_are_refused(tmp_path):
    path = tmp_path / "l.npy"
    refused = {
        "Fortran order": np.asfortranarray(ROWS),
        "rows of 5 elements": np.ones((4, 5)),
        "has 1 dimensions": np.ones(6),
    }
    for text, array in refused.items():
        np.save(path, array)
        with pytest.raises(ValueError, match=text):
            trnsci.df_transform(path, OCC, VIR)
    np.save(path, ROWS)
    header = path.read_bytes()[:128]
    np.savez(tmp_path / "l.npz", ROWS)
    broken = {
        "magic string": [b"not an array, but some text", b"", (tmp_path / "l.npz").read_bytes()],
        "takes 192 bytes": [header, header + bytes(191)],
        "not the dictionary": [header.replace(b"(4, 6)", b"(-4,6)") + bytes(192)],
    }
    for text, contents in broken.items():
        for content in contents:
            path.write_bytes(content)
            with pytest.raises(ValueError, match=rf"l\.npy: not a usable \.npy file: .*{text}"):
                trnsci.df_transform(path, OCC, VIR)


def test_files_without_rows(tmp_path):
    np.save(tmp_path / "l.npy", ROWS[:0])
    assert trnsci.df_transform(tmp_path / "l.npy", OCC, VIR).shape == (1, 2, 0)


def test_infinities_may_be_let_through():
    b = trnsci.df_transform(NAN, OCC, VIR, check_finite=False)
    assert np.isnan(b[..., 2]).any() and np.isfinite(b[..., [0, 1, 3]]).all()


def test_inputs_stay_and_progress_counts_rows():
    rows, occ, vir = given = problem(np.random.default_rng(13), 70, 12, 3, 9)
    before, seen = [a.copy() for a in given], []
    trnsci.df_transform(rows, occ, vir, progress=lambda done, total: seen.append((done, total)))
    assert all(np.array_equal(a, b) for a, b in zip(given, before, strict=True))
    assert seen[-1] == (70, 70)
