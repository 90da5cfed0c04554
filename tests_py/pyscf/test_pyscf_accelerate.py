"""`accelerate`, `restore` and `patch` on density-fitted mean fields and DF-MP2 objects of PySCF."""

import io
import pickle

import numpy as np
import pytest

pyscf = pytest.importorskip("pyscf")
from fitted_mean_fields import (  # noqa: E402
    MEAN_FIELDS,
    NEEDS_EINSUM,
    SAME_ENERGY,
    STRETCHED,
    WATER,
    cation,
    converged,
    fitted,
    molecule,
    plain_energy,
    record,
    require_same,
)
from pyscf import df, mcscf, scf  # noqa: E402
from pyscf.df import df as df_code  # noqa: E402
from pyscf.mp import dfmp2, dfump2  # noqa: E402
from trnsci import pyscf as accelerated  # noqa: E402


@pytest.fixture
def recorded(monkeypatch):
    return record(monkeypatch)


def logged(obj, verbose):
    stream = io.StringIO()
    obj.verbose, obj.stdout = verbose, stream
    return stream


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
        converged(prepare(fitted(scf.RHF(molecule(basis="sto-3g")))))
        for prepare in (lambda mf: mf, accelerated.accelerate)
    )
    for method in ("TDA", "TDHF"):
        wanted, result = (getattr(mf, method)().run(nstates=2).e for mf in (theirs, ours))
        assert np.abs(result - wanted).max() < 1e-7
    assert np.abs(ours.Hessian().kernel() - theirs.Hessian().kernel()).max() < 1e-6


@pytest.mark.parametrize(
    "after",
    [
        lambda mf: mcscf.DFCASSCF(mf, 6, 6).run(conv_tol=1e-10),
        lambda mf: mf.PCM().run(conv_tol=1e-12),
        lambda mf: mf.newton().run(conv_tol=1e-12),
    ],
    ids=["CASSCF", "solvent", "second order"],
)
def test_energies_that_start_from_the_mean_field(after, recorded):
    """The six orbitals of nitrogen's bonds are its active space; with another one rounding would choose the minimum."""
    energies = []
    nitrogen = molecule("N 0 0 0; N 0 0 1.1", "sto-3g")
    for prepare in (lambda mf: mf, accelerated.accelerate):
        mf = converged(prepare(fitted(scf.RHF(nitrogen), auxbasis="def2-universal-jkfit")))
        recorded.clear()
        result = after(mf)
        assert result.converged
        energies.append(result.e_tot)
    assert recorded
    assert abs(energies[1] - energies[0]) < 1e-8


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
    """PySCF cannot pickle a fitted mean field, only its ``with_df``, which comes back without integrals."""
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
    for step in ("eigenproblems go to trnsci.eigh", "DF metric: trnsci", "CPU time for trnsci df vj and vk"):
        assert step in log.getvalue()
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
