"""J and K of density-fitted mean fields of PySCF: with our code against PySCF's own runs."""

import numpy as np
import pytest

pyscf = pytest.importorskip("pyscf")
from fitted_mean_fields import (  # noqa: E402
    MEAN_FIELDS,
    SAME_ENERGY,
    cation,
    converged,
    fitted,
    molecule,
    plain_energy,
    record,
    require_same,
)
from pyscf import df, dft, lib, scf  # noqa: E402
from trnsci import pyscf as accelerated  # noqa: E402
from trnsci.pyscf import _jk  # noqa: E402


@pytest.fixture
def recorded(monkeypatch):
    return record(monkeypatch)


# Energies


@pytest.mark.parametrize("name", MEAN_FIELDS)
def test_energy(name, recorded):
    expected = plain_energy(name)
    assert not recorded
    ours = converged(accelerated.accelerate(MEAN_FIELDS[name]()))
    assert recorded
    assert abs(ours.e_tot - expected) < SAME_ENERGY


def test_energy_of_complex_orbitals(recorded):
    energies = []
    for prepare in (lambda mf: mf, accelerated.accelerate):
        mf = prepare(fitted(scf.GHF(cation())))
        dm = mf.get_init_guess().astype(complex)
        half = len(dm) // 2
        dm[0, half] += 0.05j
        dm[half, 0] -= 0.05j
        energies.append(converged(mf, dm).e_tot)
        assert np.iscomplexobj(mf.mo_coeff)
    assert recorded
    assert abs(energies[1] - energies[0]) < SAME_ENERGY


@pytest.mark.parametrize("name", ["RHF", "UHF of a cation", "CAM-B3LYP"])
def test_patched_energy(name, recorded):
    expected = plain_energy(name)
    assert not recorded
    with accelerated.patch():
        ours = converged(MEAN_FIELDS[name]())
    assert recorded
    assert abs(ours.e_tot - expected) < SAME_ENERGY


def test_pyscf_builds_no_tensor_for_coulomb_alone(recorded):
    """Nor does it then become ours; a tensor that is there is used, see "PBE with a tensor"."""
    helium, auxbasis = molecule("He", "6-31g"), "def2-universal-jkfit"
    for mf in (
        dft.RKS(helium, xc="pbe").density_fit(auxbasis),
        fitted(scf.RHF(helium), auxbasis=auxbasis, only_dfj=True),
    ):
        converged(accelerated.accelerate(mf))
        assert mf.with_df._cderi is None and not recorded


# J and K of one call


@pytest.fixture(scope="module")
def tensors():
    """Two objects with the same integrals: PySCF's, and one with our J and K."""
    mf = fitted(scf.RHF(molecule()))
    mf.with_df.build()
    ours = mf.copy()
    ours.with_df = mf.with_df.copy()
    accelerated.accelerate(ours)
    assert type(mf.with_df) is df.DF
    return mf.with_df, ours.with_df


@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize("hermi", [0, 1, 2])
@pytest.mark.parametrize("lead", [(), (1,), (3,), (2, 2)])
def test_densities(tensors, dtype, hermi, lead):
    theirs, ours = tensors
    nao = theirs.mol.nao
    rng = np.random.default_rng(len(lead) + hermi)
    dm = rng.standard_normal((*lead, nao, nao)).astype(dtype)
    if dtype is complex:
        dm = dm + 1j * rng.standard_normal(dm.shape)
    dm = dm + {0: 0, 1: 1, 2: -1}[hermi] * dm.conj().swapaxes(-1, -2)
    require_same(ours.get_jk(dm, hermi), theirs.get_jk(dm, hermi))
    assert _jk._symmetry(dm) == hermi


def test_symmetry_is_seen_not_believed(tensors):
    """PySCF's default is that densities are Hermitian; its code takes the others for what they are."""
    theirs, ours = tensors
    dm = np.random.default_rng(5).standard_normal((theirs.mol.nao, theirs.mol.nao))
    require_same(ours.get_jk(dm, hermi=1), theirs.get_jk(dm, hermi=1))


def test_no_densities(tensors):
    nao = tensors[1].mol.nao
    j, k = tensors[1].get_jk(np.zeros((0, nao, nao)))
    assert j.shape == k.shape == (0, nao, nao)


@pytest.mark.parametrize(("with_j", "with_k"), [(True, False), (False, True)])
@pytest.mark.parametrize("omega", [None, 0.3, -0.3])
def test_one_of_both_and_parts_of_the_range(with_j, with_k, omega, recorded):
    theirs = df.DF(molecule())
    ours = accelerated.accelerate(fitted(scf.RHF(molecule()))).with_df
    dm = scf.RHF(molecule()).get_init_guess()
    for with_df in (theirs, ours):
        with with_df.range_coulomb(omega) as part:
            part.build()
        if omega is None:
            with_df.build()
    wanted = theirs.get_jk(dm, 1, with_j, with_k, omega=omega)
    assert not recorded
    results = ours.get_jk(dm, 1, with_j, with_k, omega=omega)
    assert len(recorded) == 1
    assert [r is None for r in results] == [not with_j, not with_k]
    which = 0 if with_j else 1
    require_same([results[which]], [wanted[which]])


def test_wrong_size_is_refused(tensors):
    with pytest.raises(ValueError, match=r"^L: expected shape"):
        tensors[1].get_jk(np.eye(3))


# Orbitals that PySCF tags densities with


def test_tags_are_used(recorded):
    for method, mol in ((scf.RHF, molecule()), (scf.UHF, cation()), (scf.ROHF, cation())):
        mf = accelerated.accelerate(fitted(method(mol))).run()
        plain = accelerated.restore(mf.copy()).get_jk()
        accelerated.accelerate(mf)
        recorded.clear()
        require_same(mf.get_jk(), plain)
        assert [call["mo_coeff"] is not None for call in recorded] == [True]
        recorded.clear()
        require_same(mf.get_jk(dm=np.array(mf.make_rdm1())), plain)
        assert not any(np.array_equal(call["mo_coeff"], mf.mo_coeff) for call in recorded)


def test_complex_orbitals(tensors, recorded):
    theirs, ours = tensors
    rng = np.random.default_rng(6)
    coeff = rng.standard_normal((theirs.mol.nao, 5)) + 1j * rng.standard_normal((theirs.mol.nao, 5))
    occ = np.array([2.0, 1.0, 0.3, 0.0, 0.0])
    dm = lib.tag_array((coeff * occ) @ coeff.conj().T, mo_coeff=coeff, mo_occ=occ)
    require_same(ours.get_jk(dm), theirs.get_jk(np.array(dm)))
    assert recorded[0]["mo_coeff"] is not None


def changed_element(dm):
    dm[0, 1] += 0.01
    dm[1, 0] += 0.01
    return dm


@pytest.mark.parametrize(
    "change",
    [
        changed_element,
        lambda dm: lib.tag_array(dm, mo_occ=dm.mo_occ[:-1]),
        lambda dm: lib.tag_array(dm, mo_coeff=dm.mo_coeff[:-1]),
        lambda dm: lib.tag_array(dm, mo_occ=-dm.mo_occ),
        lambda dm: lib.tag_array(dm, mo_coeff=None),
        lambda dm: lib.tag_array(np.array((dm, dm)), mo_coeff=dm.mo_coeff, mo_occ=0.5 * dm.mo_occ),
    ],
    ids=[
        "density changed",
        "occupations missing",
        "functions missing",
        "negative",
        "none",
        "open shells with fractions",
    ],
)
def test_tags_that_do_not_belong_to_the_density(tensors, change, recorded):
    theirs, ours = tensors
    guess = scf.RHF(theirs.mol).init_guess_by_minao()
    dm = change(lib.tag_array(guess, mo_coeff=guess.mo_coeff, mo_occ=guess.mo_occ))
    require_same(ours.get_jk(dm), theirs.get_jk(np.array(dm)))
    used = recorded[0]["mo_coeff"]
    assert used is None or used.shape[-1] != guess.mo_coeff.shape[-1] or not np.allclose(used, guess.mo_coeff)


def test_tags_of_a_small_density_beside_a_large_one(tensors, recorded):
    theirs, ours = tensors
    coeff = np.random.default_rng(7).standard_normal((2, theirs.mol.nao, 3))
    occ = np.ones((2, 3))
    densities = coeff @ coeff.swapaxes(1, 2)
    coeff[0] *= 1e6
    densities[0] *= 1e12
    densities[1, 2, 2] += 1
    vj, vk = ours.get_jk(lib.tag_array(densities, mo_coeff=coeff, mo_occ=occ))
    used = recorded[0]["mo_coeff"]
    assert used is None or used.shape != coeff.shape or not np.allclose(used, coeff)
    require_same((vj[1], vk[1]), theirs.get_jk(densities[1]))


# Where the tensor is


def saved_by_pyscf(mf, path):
    mf.with_df._cderi_to_save = str(path)


def no_memory_left(mf, path):
    mf.max_memory = mf.with_df.max_memory = 1  # megabytes, of which the process holds more already


def path_of_a_dataset(mf, path):
    df.outcore.cholesky_eri(mf.mol, str(path), dataname="j3c", auxbasis="def2-universal-jkfit")
    mf.with_df._cderi = str(path)


def open_dataset(mf, path):
    import h5py

    path_of_a_dataset(mf, path)
    mf.with_df._cderi = h5py.File(str(path), "r")["j3c"]


def array(mf, path):
    mf.with_df.build()
    mf.with_df._cderi = np.array(mf.with_df._cderi, order="F")


@pytest.mark.parametrize("store", [saved_by_pyscf, no_memory_left, path_of_a_dataset, open_dataset, array])
@pytest.mark.parametrize("small_blocks", [False, True])
def test_tensor_elsewhere(store, small_blocks, tmp_path, recorded, monkeypatch):
    def run(prepare, folder):
        folder.mkdir()
        mf = prepare(fitted(scf.RHF(molecule(basis="sto-3g")), auxbasis="def2-universal-jkfit"))
        store(mf, folder / "tensor.h5")
        return converged(mf)

    expected = run(lambda mf: mf, tmp_path / "theirs").e_tot
    assert not recorded
    if small_blocks:  # of the rows that are the least, of more than a hundred
        monkeypatch.setattr(_jk, "LEAST_MEGABYTES", 0)
        monkeypatch.setattr(_jk, "BLOCK_SHARE", 0)
    ours = run(accelerated.accelerate, tmp_path / "ours")
    assert recorded and isinstance(recorded[-1]["tensor"], np.ndarray) == (store is array)
    assert abs(ours.e_tot - expected) < SAME_ENERGY


def test_max_memory_and_threads(recorded):
    mf = accelerated.accelerate(fitted(scf.RHF(molecule())))
    for threads, megabytes in ((1, 10_000_000), (2, 1)):
        mf.with_df.max_memory = megabytes
        recorded.clear()
        with lib.with_omp_threads(threads):
            mf.kernel()
        assert recorded and {call["threads"] for call in recorded} == {threads}
        room = [call["max_memory"] for call in recorded]
        assert all(r > 0.5 * megabytes for r in room) if threads == 1 else all(r == _jk.LEAST_MEGABYTES for r in room)
