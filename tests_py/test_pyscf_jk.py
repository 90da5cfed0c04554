"""J and K of density-fitted mean fields of PySCF: with our code against PySCF's own runs."""

import functools
import io
import pickle

import numpy as np
import pytest

pyscf = pytest.importorskip("pyscf")
from pyscf import df, dft, gto, lib, scf  # noqa: E402
from pyscf.df import df as df_code  # noqa: E402
from pyscf.mp import dfmp2, dfump2  # noqa: E402
from trnsci import pyscf as accelerated  # noqa: E402
from trnsci.pyscf import _jk  # noqa: E402

WATER = "O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587"
STRETCHED = "O 0 0 0; H 0 -0.8 0.6; H 0 0.757 0.587"
SAME_ENERGY = 1e-9  # of two runs, in hartree
SAME_DENSITY = 1e-10  # of J and K, for one density


def molecule(atom=WATER, basis="6-31g*", **options):
    return gto.M(atom=atom, basis=basis, verbose=0, **options)


def cation(**options):
    return molecule(charge=1, spin=1, **options)


def fitted(mf, **options):
    return mf.density_fit(**options)


def kohn_sham(method, mol, xc):
    mf = method(mol, xc=xc)
    mf.grids.level = 0
    return mf.density_fit()


def converged(mf, dm=None):
    mf.conv_tol = 1e-12
    mf.kernel(dm)
    assert mf.converged
    return mf


def einsum_works():
    """Whether PySCF's products of three tensors, which gradients take, work with this NumPy; 2.9's do not with 2.4."""
    try:
        lib.einsum("ij,jk,kl->il", np.eye(2), np.eye(2), np.eye(2))
    except ValueError:
        return False
    return True


NEEDS_EINSUM = pytest.mark.skipif(not einsum_works(), reason="this PySCF's einsum does not work with this NumPy")


@pytest.fixture
def recorded(monkeypatch):
    """The keyword arguments of each call of `trnsci.df_jk`, and the tensor as "tensor"."""
    calls = []
    compute = _jk.df_jk

    def recorder(tensor, *args, **kwargs):
        calls.append({"tensor": tensor, **kwargs})
        return compute(tensor, *args, **kwargs)

    monkeypatch.setattr(_jk, "df_jk", recorder)
    return calls


def logged(obj, verbose):
    stream = io.StringIO()
    obj.verbose, obj.stdout = verbose, stream
    return stream


# Energies


def twice_the_auxiliary_functions():
    """The metric of these is singular: each function is there two times."""
    basis = {symbol: 2 * gto.basis.load("def2-universal-jkfit", symbol) for symbol in ("O", "H")}
    return fitted(scf.RHF(molecule()), auxbasis=basis)


def chain():
    """Its overlap has an eigenvalue below PySCF's threshold of linear dependence."""
    return gto.M(atom=[("H", (0, 0, i * 0.5)) for i in range(4)], unit="Bohr", basis="cc-pvtz", verbose=0)


def with_tensor(mf):
    mf.with_df.build()
    return mf


def smeared():
    return scf.addons.smearing_(fitted(scf.RHF(molecule())), sigma=0.1, method="fermi")


MEAN_FIELDS = {
    "RHF": lambda: fitted(scf.RHF(molecule())),
    "RHF C2v": lambda: fitted(scf.RHF(molecule(symmetry=True))),
    "UHF of a cation": lambda: fitted(scf.UHF(cation())),
    "ROHF of a cation": lambda: fitted(scf.ROHF(cation())),
    "GHF of a cation": lambda: fitted(scf.GHF(cation())),
    "X2C": lambda: fitted(scf.RHF(molecule()).sfx2c1e()),
    "second order": lambda: fitted(scf.RHF(molecule())).newton(),
    "fractional occupations": smeared,
    "B3LYP": lambda: kohn_sham(dft.RKS, molecule(), "b3lyp"),
    "B3LYP of a cation": lambda: kohn_sham(dft.UKS, cation(), "b3lyp"),
    "B3LYP of an open shell": lambda: kohn_sham(dft.ROKS, cation(), "b3lyp"),
    "CAM-B3LYP": lambda: kohn_sham(dft.RKS, molecule(), "camb3lyp"),
    "PBE with a tensor": lambda: with_tensor(kohn_sham(dft.RKS, molecule(), "pbe")),
    "anion": lambda: fitted(scf.RHF(molecule("O 0 0 0; H 0 0 0.97", "aug-cc-pvdz", charge=-1))),
    "atom": lambda: fitted(scf.UHF(molecule("O", "cc-pvdz", spin=2))),
    "hydrogen": lambda: fitted(scf.RHF(molecule("H 0 0 0; H 0 0 0.74", "cc-pvdz"))),
    "helium": lambda: fitted(scf.RHF(molecule("He", "sto-3g"))),
    "linear dependence": lambda: fitted(scf.RHF(chain())),
    "singular metric": twice_the_auxiliary_functions,
    "scandium fluoride": lambda: fitted(scf.RHF(molecule("Sc 0 0 0; F 0 0 1.787", "def2-svp"))),
}


@functools.cache
def plain_energy(name):
    return converged(MEAN_FIELDS[name]()).e_tot


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
    for mf in (dft.RKS(helium, xc="pbe").density_fit(auxbasis), fitted(scf.RHF(helium), auxbasis=auxbasis, only_dfj=True)):
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


def require_same(ours, theirs):
    for our, their in zip(ours, theirs, strict=True):
        assert our.shape == their.shape and our.dtype == their.dtype
        assert np.abs(our - their).max(initial=0) <= SAME_DENSITY * max(1, np.abs(their).max(initial=0))


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
        assert [call["mo_coeff"] is None for call in recorded] == [True]


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
    ids=["density changed", "occupations missing", "functions missing", "negative", "none", "open shells with fractions"],
)
def test_tags_that_do_not_belong_to_the_density(tensors, change, recorded):
    theirs, ours = tensors
    guess = scf.RHF(theirs.mol).init_guess_by_minao()
    dm = change(lib.tag_array(guess, mo_coeff=guess.mo_coeff, mo_occ=guess.mo_occ))
    require_same(ours.get_jk(dm), theirs.get_jk(np.array(dm)))
    assert recorded[0]["mo_coeff"] is None


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
        monkeypatch.setattr(_jk, "_LEAST_MEGABYTES", 0)
        monkeypatch.setattr(_jk, "_BLOCK_SHARE", 0)
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
        assert all(r > 0.5 * megabytes for r in room) if threads == 1 else all(r == _jk._LEAST_MEGABYTES for r in room)


# What else PySCF makes of the object


@NEEDS_EINSUM
@pytest.mark.parametrize("name", ["RHF", "UHF of a cation", "B3LYP"])
def test_properties(name):
    theirs = converged(MEAN_FIELDS[name]())
    ours = converged(accelerated.accelerate(MEAN_FIELDS[name]()))
    assert np.abs(ours.nuc_grad_method().kernel() - theirs.nuc_grad_method().kernel()).max() < 1e-7
    assert np.abs(ours.dip_moment(verbose=0) - theirs.dip_moment(verbose=0)).max() < 1e-6


@NEEDS_EINSUM
def test_excitations_and_hessian():
    theirs, ours = (
        converged(prepare(fitted(scf.RHF(molecule(basis="sto-3g"))))) for prepare in (lambda mf: mf, accelerated.accelerate)
    )
    for method in ("TDA", "TDHF"):
        wanted, result = (getattr(mf, method)().run(nstates=2).e for mf in (theirs, ours))
        assert np.abs(result - wanted).max() < 1e-7
    assert np.abs(ours.Hessian().kernel() - theirs.Hessian().kernel()).max() < 1e-6


def test_new_geometries_get_new_tensors(recorded):
    mf = accelerated.accelerate(fitted(scf.RHF(molecule())))
    mf.conv_tol = 1e-12
    scanner = mf.as_scanner()
    for atom in (WATER, STRETCHED, WATER):
        recorded.clear()
        energy = scanner(atom)
        assert recorded
        assert abs(energy - converged(fitted(scf.RHF(molecule(atom)))).e_tot) < SAME_ENERGY
    other = molecule("N 0 0 0; N 0 0 1.1")
    recorded.clear()
    assert abs(converged(mf.reset(other)).e_tot - converged(fitted(scf.RHF(other))).e_tot) < SAME_ENERGY
    assert recorded


@pytest.mark.parametrize("name", ["RHF", "CAM-B3LYP"])
def test_accelerate_and_restore_leave_no_trace(name):
    mf = converged(MEAN_FIELDS[name]())
    before, with_df = dict(vars(mf)), dict(vars(mf.with_df))
    assert accelerated.accelerate(mf) is mf
    kind = type(mf.with_df)
    assert kind is not df.DF and issubclass(kind, df.DF)
    assert type(accelerated.accelerate(mf).with_df) is kind
    assert vars(mf.with_df) == with_df and vars(mf).keys() - before.keys() == {"_eigh"}
    mf.kernel()
    assert accelerated.restore(mf) is mf
    assert vars(mf).keys() == before.keys() and mf.with_df is before["with_df"]
    assert type(mf.with_df) is df.DF and {type(part) for part in mf.with_df._rsh_df.values()} <= {df.DF}
    assert type(accelerated.restore(mf).with_df) is df.DF


def test_restored_long_range_parts_are_pyscfs():
    mf = accelerated.accelerate(MEAN_FIELDS["CAM-B3LYP"]()).run()
    assert mf.with_df._rsh_df
    accelerated.restore(mf)
    assert {type(part) for part in mf.with_df._rsh_df.values()} == {df.DF}


def test_acceleration_is_inherited(recorded):
    mf = accelerated.accelerate(fitted(scf.RHF(molecule()))).run()
    for heir in (mf.copy(), mf.to_uhf(), mf.to_ghf(), mf.newton(), mf.as_scanner()):
        recorded.clear()
        heir.kernel()
        assert recorded


def test_pickle_and_copy_of_the_tensor(recorded):
    """PySCF cannot pickle a mean field with density fitting, but its ``with_df``, which comes back without integrals."""
    mf = accelerated.accelerate(fitted(scf.RHF(molecule()))).run()
    dm = mf.make_rdm1()
    wanted = mf.with_df.get_jk(dm)
    for again in (pickle.loads(pickle.dumps(mf.with_df)), mf.with_df.copy(), mf.with_df.copy().reset()):
        recorded.clear()
        require_same(again.get_jk(dm), wanted)
        assert recorded and type(again) is type(mf.with_df)


class Named(df.DF):
    """A user's class that changes nothing about J and K."""


def test_derived_classes(recorded):
    mf = fitted(scf.RHF(molecule()), with_df=Named(molecule()))
    accelerated.accelerate(mf).run()
    assert recorded and isinstance(mf.with_df, Named)
    again = pickle.loads(pickle.dumps(mf.with_df))
    assert type(again) is type(mf.with_df)
    assert type(accelerated.restore(mf).with_df) is Named


# What users have of their own


class OwnJK(df.DF):
    def get_jk(self, *args, **kwargs):
        return df.DF.get_jk(self, *args, **kwargs)


class OwnRows(df.DF):
    def loop(self, blksize=None):
        yield from df.DF.loop(self, blksize)


class OwnMeanField(scf.hf.RHF):
    def get_j(self, *args, **kwargs):
        return scf.hf.RHF.get_j(self, *args, **kwargs)


def own_attribute(of_tensor, name):
    def prepare():
        mf = fitted(scf.RHF(molecule()))
        owner = mf.with_df if of_tensor else mf
        setattr(owner, name, getattr(owner, name))
        return mf

    return prepare


@pytest.mark.parametrize(
    ("prepare", "name"),
    [
        (own_attribute(False, "get_jk"), "get_jk"),
        (own_attribute(False, "get_j"), "get_j"),
        (own_attribute(False, "get_k"), "get_k"),
        (own_attribute(True, "get_jk"), "with_df.get_jk"),
        (own_attribute(True, "loop"), "with_df.loop"),
        (lambda: fitted(OwnMeanField(molecule())), "get_j"),
        (lambda: fitted(scf.RHF(molecule()), with_df=OwnJK(molecule())), "with_df.get_jk"),
        (lambda: fitted(scf.RHF(molecule()), with_df=OwnRows(molecule())), "with_df.loop"),
    ],
)
def test_own_methods_are_kept(prepare, name, recorded):
    mf = prepare()
    log = logged(mf, 3)
    kind, before = type(mf.with_df), dict(vars(mf.with_df))
    accelerated.accelerate(mf)
    assert f"has {name} of its own: J and K stay as they are" in log.getvalue()
    assert type(mf.with_df) is kind and vars(mf.with_df) == before
    converged(mf.set(verbose=0))
    assert not recorded
    assert abs(mf.e_tot - plain_energy("RHF")) < SAME_ENERGY


@pytest.mark.parametrize("kind", [OwnJK, OwnRows])
def test_own_classes_inside_patch(kind, recorded):
    theirs = fitted(scf.RHF(molecule()), with_df=kind(molecule()))
    with accelerated.patch():
        energy = converged(theirs).e_tot
    assert abs(energy - plain_energy("RHF")) < SAME_ENERGY
    assert not recorded or kind is OwnJK  # whose method calls that of the class it is derived from


def test_log():
    mf = scf.RHF(molecule())
    log = logged(mf, 4)
    accelerated.accelerate(mf)
    assert "no density fitting: J and K stay PySCF's" in log.getvalue()
    mf = fitted(scf.RHF(molecule()))
    log = logged(mf, 5)
    logged(mf.with_df, 5)
    mf.with_df.stdout = log
    accelerated.accelerate(mf).kernel()
    assert "CPU time for trnsci df vj and vk" in log.getvalue()
    assert "stay" not in log.getvalue()


# patch


def holders(base, name):
    """What a class and those derived from it hold themselves under a name."""
    waiting, found = [base], {}
    while waiting:
        cls = waiting.pop()
        found[cls] = vars(cls).get(name, "absent")
        waiting += cls.__subclasses__()
    return found


def test_patch_restores_classes():
    before = holders(df.DF, "get_jk")
    with pytest.raises(ZeroDivisionError), accelerated.patch():
        changed = {cls for cls, method in holders(df.DF, "get_jk").items() if method is not before.get(cls, "absent")}
        assert changed == {df.DF}
        raise ZeroDivisionError
    assert holders(df.DF, "get_jk") == before
    assert df_code.DF4C.get_jk is not df.DF.get_jk


def test_accelerate_inside_patch_outlives_it(recorded):
    with accelerated.patch():
        mf = accelerated.accelerate(fitted(scf.RHF(molecule())))
        inside = fitted(scf.RHF(molecule()))
    inside.kernel()
    assert not recorded
    mf.kernel()
    assert recorded
    assert type(accelerated.restore(mf).with_df) is df.DF


# DF-MP2 objects


@pytest.mark.parametrize(("method", "mol", "cls"), [("RHF", molecule, dfmp2.DFMP2), ("UHF", cation, dfump2.DFUMP2)])
def test_mp2_object(method, mol, cls):
    mf = converged(getattr(scf, method)(mol()))
    expected = cls(mf, frozen=1).run().e_corr
    mp = cls(mf, frozen=1)
    before = dict(vars(mp))
    assert accelerated.accelerate(mp) is mp and accelerated.accelerate(mp) is mp
    assert isinstance(mp, accelerated.DFRMP2 if method == "RHF" else accelerated.DFUMP2)
    assert mp.run().e_corr == pytest.approx(expected, abs=1e-10)
    assert mp.result.e_corr == mp.e_corr and mp.t2 is None
    assert accelerated.restore(mp) is mp and type(mp) is cls and vars(mp).keys() == before.keys()
    assert mp.run().e_corr == pytest.approx(expected, abs=1e-10)


def test_other_objects_are_refused():
    mp = dfmp2.DFMP2(scf.RHF(molecule("He", "sto-3g")).run()).as_scanner()
    for call in (accelerated.accelerate, accelerated.restore):
        with pytest.raises(TypeError, match="or a DFMP2 or DFUMP2 object, got"):
            call(mp)
        with pytest.raises(TypeError, match="mf: expected a mean field of PySCF's RHF, UHF, ROHF, GHF"):
            call(df.DF(molecule()))
