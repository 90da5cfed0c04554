"""DF-MP2 of crystals against plain einsum and against PySCF's KMP2."""

import numpy as np
import pytest
from trnsci import KMP2Result, df_kmp2_energy, df_mp2_energy

# The mesh of k-points, nocc, nvir, naux.
SIZES = [((1,), 2, 3, 4), ((2,), 1, 1, 1), ((3,), 2, 4, 5), ((2, 2), 2, 3, 7), ((5,), 1, 2, 3)]
MEGABYTE = 1e6


def momenta(mesh):
    """kconserv of a mesh whose k-points are all sums of multiples of its vectors."""
    n = np.prod(mesh)
    k = np.array(np.unravel_index(np.arange(n), mesh))
    kb = (k[:, :, None, None] - k[:, None, :, None] + k[:, None, None, :]) % np.reshape(mesh, (-1, 1, 1, 1))
    return np.ravel_multi_index(tuple(kb), mesh)


def random_crystal(seed, mesh, nocc, nvir, naux, dtype=np.complex128):
    rng = np.random.default_rng(seed)
    nk = int(np.prod(mesh))
    shape = (nk, nk, nocc, nvir, naux)
    b = (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    return b, -1 - rng.random((nk, nocc)), 0.2 + rng.random((nk, nvir)), momenta(mesh)


def by_definition(b, occ, vir, kconserv):
    """Opposite-spin and same-spin energies, and the sum of the moduli of all terms."""
    nk = len(occ)
    b = np.asarray(b, np.complex128)
    opposite = same = moduli = 0
    for (ki, ka, kj), kb in np.ndenumerate(kconserv):
        k = np.einsum("iap,jbp->ijab", b[ki, ka], b[kj, kb]) / nk
        exchange = np.einsum("ibp,jap->ijab", b[ki, kb], b[kj, ka]) / nk
        d = occ[ki][:, None, None, None] + occ[kj][:, None, None] - vir[ka][:, None] - vir[kb]
        opposite += (k.conj() * k / d).sum() / nk
        same += (k.conj() * (k - exchange) / d).sum() / nk
        moduli += (abs(k) * (2 * abs(k) + abs(exchange)) / abs(d)).sum() / nk
    assert abs(same.imag) <= 1e-12 * moduli
    return opposite.real, same.real, moduli


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_against_the_definition(sizes, dtype):
    case = random_crystal(1, *sizes, dtype)
    opposite, same, moduli = by_definition(*case)
    result = df_kmp2_energy(*case, threads=2)
    rounding = 1e-13 * moduli  # of einsum
    assert abs(result.e_corr_os - opposite) + abs(result.e_corr_ss - same) <= result.error_bound + rounding
    assert 0 < result.error_bound <= 1e3 * np.finfo(dtype).eps * moduli
    assert float(result) == result.e_corr == result.e_corr_os + result.e_corr_ss
    assert df_kmp2_energy(*case, threads=1) == result


def test_one_k_point_is_a_molecule():
    b, occ, vir, kconserv = random_crystal(2, (1,), 4, 6, 9)
    want = df_mp2_energy(b[0, 0].real, occ[0], vir[0])
    for real in (b.real, b.real + 0j):
        got = df_kmp2_energy(real, occ, vir, kconserv)
        assert got.e_corr_os == pytest.approx(want.e_corr_os, rel=1e-13)
        assert got.e_corr_ss == pytest.approx(want.e_corr_ss, rel=1e-13)


def test_phases_of_orbitals_do_not_count():
    b, occ, vir, kconserv = random_crystal(3, (2, 2), 2, 3, 7)
    rng = np.random.default_rng(4)
    i, a = (np.exp(2j * np.pi * rng.random((4, n))) for n in (2, 3))
    turned = i.conj()[:, None, :, None, None] * b * a[None, :, None, :, None]
    want = df_kmp2_energy(b, occ, vir, kconserv).e_corr
    assert df_kmp2_energy(turned, occ, vir, kconserv).e_corr == pytest.approx(want, rel=1e-13)


def test_forms_of_integrals():
    b, occ, vir, kconserv = random_crystal(5, (3,), 2, 4, 5)
    want = df_kmp2_energy(b, occ, vir, kconserv)
    objects = np.empty((3, 3), object)
    for pair in np.ndindex(3, 3):
        objects[pair] = b[pair]
    strided = np.zeros((3, 3, 2, 4, 10), complex)[..., ::2]
    strided[...] = b
    for form in (objects, [[b[ki, ka] for ka in range(3)] for ki in range(3)], [list(row) for row in b], strided):
        assert df_kmp2_energy(form, occ, vir, kconserv) == want
    by_columns = df_kmp2_energy(np.asfortranarray(b), occ, vir, kconserv)
    assert by_columns.e_corr == pytest.approx(want.e_corr, rel=1e-13)
    single = b.astype(np.complex64)
    mixed = [[single[ki, ka].astype(complex) if ki < ka else single[ki, ka] for ka in range(3)] for ki in range(3)]
    assert df_kmp2_energy(mixed, occ, vir, kconserv) == df_kmp2_energy(single.astype(complex), occ, vir, kconserv)


@pytest.mark.parametrize("blocks", [4, 5, 7, 8, 12, 15, 16, None])
@pytest.mark.parametrize("threads", [1, 2])
def test_function_gives_the_bits_of_memory(blocks, threads):
    b, occ, vir, kconserv = random_crystal(6, (2, 2), 2, 3, 7)
    asked = []

    def read(ki, ka):
        asked.append((ki, ka))
        return b[ki, ka]

    limit = None if blocks is None else (blocks + 0.5) * b[0, 0].nbytes / MEGABYTE
    assert df_kmp2_energy(read, occ, vir, kconserv, max_memory=limit, threads=threads) == df_kmp2_energy(
        b, occ, vir, kconserv
    )
    assert set(asked) == set(np.ndindex(4, 4))
    if blocks in (16, None):
        assert len(asked) == 16 + 1  # the first one to learn its size


def test_dataset(tmp_path):
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    b, occ, vir, kconserv = random_crystal(7, (2, 2), 2, 3, 7)
    with h5py.File(tmp_path / "b.h5", "w") as file:
        dataset = file.create_dataset("b", data=b)
        for limit in (None, 5 * b[0, 0].nbytes / MEGABYTE):
            assert df_kmp2_energy(dataset, occ, vir, kconserv, max_memory=limit) == df_kmp2_energy(
                b, occ, vir, kconserv
            )
        with pytest.raises(ValueError, match=r"^B: expected a dataset"):
            df_kmp2_energy(file.create_dataset("c", data=b[0]), occ, vir, kconserv)


def test_fewer_auxiliary_functions():
    b, occ, vir, kconserv = random_crystal(8, (3,), 2, 4, 5)
    short = [[b[ki, ka][..., : 5 - (ki != ka)] for ka in range(3)] for ki in range(3)]
    b[~np.eye(3, dtype=bool), ..., 4:] = 0
    want = df_kmp2_energy(b, occ, vir, kconserv)
    assert df_kmp2_energy(short, occ, vir, kconserv) == want
    assert df_kmp2_energy(lambda ki, ka: short[ki][ka], occ, vir, kconserv) == want
    other = lambda ki, ka: short[ki][ka][..., : 4 + (ki == ka > 0)]  # noqa: E731
    with pytest.raises(ValueError, match=r"^B\(1, 1\): 5 auxiliary functions are more than naux = 4"):
        df_kmp2_energy(other, occ, vir, kconserv)
    b[0, 0, ..., 4] = 0
    assert df_kmp2_energy(other, occ, vir, kconserv, naux=5) == df_kmp2_energy(b, occ, vir, kconserv)


def test_progress():
    case = random_crystal(9, (3,), 2, 4, 5)
    seen = []
    df_kmp2_energy(*case, progress=lambda done, total: seen.append((done, total)))
    done, total = seen[-1]
    assert done == total > 0


def test_no_orbitals():
    for nocc, nvir, naux in ((0, 2, 3), (2, 0, 3), (2, 3, 0)):
        b, occ, vir, kconserv = random_crystal(10, (2,), nocc, nvir, naux)
        assert df_kmp2_energy(b, occ, vir, kconserv) == KMP2Result(0, 0, 0, 0)
        if naux:
            assert df_kmp2_energy(lambda ki, ka: 1 / 0, occ, vir, kconserv).e_corr == 0


def _changed(at, value):
    def change(b, occ, vir, kconserv):
        kconserv = kconserv.copy()
        kconserv[at] = value
        return b, occ, vir, kconserv

    return change


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (lambda b, o, v, k: (b, o[0], v, k), ValueError, "^eps_occ: expected energies for each k-point"),
        (lambda b, o, v, k: (b, o, v * 1j, k), TypeError, "^eps_vir: orbital energies are real"),
        (lambda b, o, v, k: (b, o, v[:2], k), ValueError, "^eps_occ: expected one or more k-points"),
        (lambda b, o, v, k: (b, o[:0], v[:0], k), ValueError, "^eps_occ: expected one or more k-points"),
        (lambda b, o, v, k: (b, o * np.nan, v, k), ValueError, "^eps_occ"),
        (lambda b, o, v, k: (b, o, v, k[0]), ValueError, r"^kconserv: expected shape \(nk, nk, nk\)"),
        (lambda b, o, v, k: (b, o, v, k * 1.0), TypeError, "^kconserv: expected integers"),
        (_changed((0, 1, 2), 3), ValueError, r"^kconserv: \[0, 1, 2\] is 3"),
        (_changed((0, 1, 2), -1), ValueError, r"^kconserv: \[0, 1, 2\] is -1"),
        (_changed((0, 0, 2), 1), ValueError, r"^kconserv: \[0, 0, 2\] is 1, but"),
        (lambda b, o, v, k: (b[:2], o, v, k), ValueError, "^B: expected 3 for the k-points, got 2"),
        (lambda b, o, v, k: (b[:, :2], o, v, k), ValueError, r"^B\[0\]: expected 3 for the k-points, got 2"),
        (lambda b, o, v, k: (b[..., 0], o, v, k), ValueError, r"^B\[0\]\[0\]: expected shape .* = \(2, 4, any\)"),
        (lambda b, o, v, k: ("b.npy", o, v, k), TypeError, "^B: expected an array"),
        (lambda b, o, v, k: (1, o, v, k), TypeError, "^B: expected an array"),
        (lambda b, o, v, k: (lambda ki, ka: b, o, v, k), ValueError, r"^B\(0, 0\): expected shape"),
        (lambda b, o, v, k: (lambda ki, ka: b[ki, ka][ka:], o, v, k), ValueError, r"^B\(0, 1\): expected shape"),
        (lambda b, o, v, k: (lambda ki, ka: b[ki, ka].astype("c16" if ka else "c8"), o, v, k), TypeError,
            "was complex64"),
        (lambda b, o, v, k: (lambda ki, ka: 1 // ka, o, v, k), ZeroDivisionError, "by zero"),
        (lambda b, o, v, k: (b, o * 0, v * 0, k), ValueError, "denominator .* vanishes .*k-points 0, 0"),
    ],
)  # fmt: skip
def test_bad_input(change, error, text):
    case = random_crystal(11, (3,), 2, 4, 5)
    with pytest.raises(error, match=text):
        df_kmp2_energy(*change(*case))


def test_bad_options():
    b, occ, vir, kconserv = random_crystal(12, (3,), 2, 4, 5)
    with pytest.raises(ValueError, match=r"^naux: is for functions"):
        df_kmp2_energy(b, occ, vir, kconserv, naux=5)
    for error, naux in ((ValueError, -1), (ValueError, 1 << 62), (TypeError, 2.5), (TypeError, "5")):
        with pytest.raises(error, match=r"^naux: "):
            df_kmp2_energy(lambda ki, ka: b[ki, ka], occ, vir, kconserv, naux=naux)
    with pytest.raises(ValueError, match=rf"^max_memory: .* the least that works is {4 * b[0, 0].nbytes} bytes"):
        df_kmp2_energy(lambda ki, ka: b[ki, ka], occ, vir, kconserv, max_memory=1e-4)
    b[1, 2, 1, 0, 0] = np.nan
    with pytest.raises(ValueError, match=r"^B: .* occupied orbital 1 \(k-points 1, 2\)"):
        df_kmp2_energy(b, occ, vir, kconserv)
    assert np.isnan(df_kmp2_energy(b, occ, vir, kconserv, check_finite=False).e_corr)


@pytest.fixture(
    scope="module",
    params=[("He", (2, 1, 1)), ("H2", (1, 1, 3)), ("H2", (2, 1, 2))],
    ids=lambda p: f"{p[0]} {'x'.join(map(str, p[1]))}",
)
def crystal(request):
    """A converged KRHF of PySCF with Gaussian density fitting."""
    pytest.importorskip("pyscf.pbc", reason="PySCF is not installed")
    from pyscf.pbc import gto, scf

    name, mesh = request.param
    atom = {"He": "He 0 0 0", "H2": "H 0 0 0; H 0.1 0.2 0.74"}[name]
    cell = gto.M(atom=atom, a=np.diag([3.0, 3.2, 3.4]), unit="A", basis="6-31g", verbose=0)
    cell.max_memory = 16_000  # PySCF counts what this process has taken for other tests against it
    mf = scf.KRHF(cell, cell.make_kpts(mesh), exxdiv=None).density_fit(auxbasis="weigend")
    mf.conv_tol = 1e-11
    mf.kernel()
    assert mf.converged
    return mf


def test_against_pyscf(crystal):
    from pyscf.pbc.mp import kmp2

    mp = kmp2.KMP2(crystal)
    mp.kernel(with_t2=False)
    # PySCF has (L|ia) by pairs of k-points; complex, but for a single one.
    b = [[block.transpose(1, 2, 0) for block in row] for row in kmp2._init_mp_df_eris(mp)]
    energies = np.array(mp.mo_energy)
    result = df_kmp2_energy(b, energies[:, : mp.nocc], energies[:, mp.nocc :], mp.khelper.kconserv)
    assert abs(mp.e_corr) > 1e-3
    assert result.e_corr == pytest.approx(mp.e_corr, abs=1e-9)
    assert result.e_corr_ss == pytest.approx(mp.e_corr_ss, abs=1e-9)
    assert result.e_corr_os == pytest.approx(mp.e_corr_os, abs=1e-9)
    assert result.error_bound < 1e-9


def ragged_crystal(seed, mesh, nocc, nvir, naux):
    """K-points with different numbers of orbitals, and the same with zeros and 1e30 for the missing ones."""
    rng = np.random.default_rng(seed)
    nk = len(nocc)
    b = [
        [rng.normal(size=(i, a, naux)) + 1j * rng.normal(size=(i, a, naux)) for a in nvir] for i in nocc
    ]  # fmt: skip
    occ, vir = [-1 - rng.random(n) for n in nocc], [0.2 + rng.random(n) for n in nvir]
    padded = np.zeros((nk, nk, max(nocc), max(nvir), naux), complex)
    for ki in range(nk):
        for ka in range(nk):
            padded[ki, ka, : nocc[ki], : nvir[ka]] = b[ki][ka]
    energies = [np.full((nk, max(n)), sign * 1e30) for n, sign in ((nocc, -1), (nvir, 1))]
    for out, rows in zip(energies, (occ, vir), strict=True):
        for k, row in enumerate(rows):
            out[k, : row.size] = row
    return (b, occ, vir, momenta(mesh)), (padded, *energies, momenta(mesh))


@pytest.mark.parametrize(
    ("nocc", "nvir"), [((2, 2, 2), (4, 3, 4)), ((2, 1, 3), (3, 4, 2)), ((1, 0, 2), (2, 3, 1)), ((2, 2, 2), (3, 0, 1))]
)
def test_different_numbers_of_orbitals(nocc, nvir):
    ragged, padded = ragged_crystal(21, (3,), nocc, nvir, 5)
    opposite, same, moduli = by_definition(*padded)
    result = df_kmp2_energy(*ragged)
    assert abs(result.e_corr_os - opposite) + abs(result.e_corr_ss - same) <= result.error_bound + 1e-13 * moduli
    # The energies of orbitals that are not there, 1e30, do not make the bound larger.
    assert result.error_bound <= 1e3 * np.finfo(float).eps * moduli
    assert df_kmp2_energy(*padded) == result
    b, occ, vir, kconserv = ragged
    assert df_kmp2_energy(lambda ki, ka: b[ki][ka], occ, vir, kconserv, max_memory=0.004) == result
    objects = [np.empty(3, object) for _ in range(2)]
    for out, rows in zip(objects, (occ, vir), strict=True):
        out[:] = rows
    assert df_kmp2_energy(b, *objects, kconserv) == result


def test_different_numbers_of_orbitals_have_to_fit():
    (b, occ, vir, kconserv), _ = ragged_crystal(22, (3,), (2, 1, 3), (3, 4, 2), 5)
    b[1][2] = b[1][2][:, :1]
    with pytest.raises(ValueError, match=r"^B\[1\]\[2\]: expected shape .* = \(1, 2, any\), got \(1, 1, 5\)"):
        df_kmp2_energy(b, occ, vir, kconserv)
    occ[1] = occ[1] * np.nan
    with pytest.raises(ValueError, match=r"^eps_occ"):
        df_kmp2_energy(lambda ki, ka: b[0][0], occ, vir, kconserv)
    with pytest.raises(ValueError, match=r"^eps_vir\[1\]: expected the energies of a k-point"):
        df_kmp2_energy(b, occ, [vir[0], vir[0][None], vir[2]], kconserv)
