"""patch, accelerate and restore leave PySCF's modules, classes and earlier objects unchanged."""

import inspect
import sys
import threading

import numpy as np
import pytest

pytest.importorskip("pyscf", reason="PySCF is not installed")
import pyscf.x2c.x2c
from fitted_mean_fields import STRETCHED, cation, fitted, molecule
from pyscf import df, dft, lib, scf
from pyscf.mp import dfmp2, dfump2
from trnsci import pyscf as accelerated

# When a step began, which PySCF's J and K write down in a mean field.
TIMES = {"_t0", "_w0"}
# What the interpreter itself keeps in a class, and a text that PySCF 2.9 writes anew whenever it mixes classes.
KEPT_BY_OTHERS = {
    "__name_mixin__",
    "__weakref__",
    "__dict__",
    "__abstractmethods__",
    "_abc_impl",
    "__annotations__",
    "__annotate_cache__",
}


def derived(cls):
    """Return a class and all that are derived from it, also those that PySCF made while it ran."""
    found, waiting = {cls}, [cls]
    while waiting:
        new = [sub for sub in waiting.pop().__subclasses__() if sub not in found]
        found.update(new)
        waiting += new
    return found


def snapshot():
    """Return what all modules of PySCF that are loaded hold, and all its classes."""
    modules = {
        name: module for name, module in sys.modules.items() if name.split(".")[0] == "pyscf" and module is not None
    }
    classes = {part for module in modules.values() for part in vars(module).values() if inspect.isclass(part)}
    classes |= derived(lib.StreamObject)
    held = {name: dict(vars(module)) for name, module in modules.items()}
    held |= {cls: {k: v for k, v in vars(cls).items() if k not in KEPT_BY_OTHERS} for cls in classes}
    return held


def changes(before, after):
    """Return what is not the same object any more, of owners that were there before."""
    return {
        (owner, name)
        for owner, attributes in before.items()
        for name in attributes.keys() | after[owner].keys()
        if attributes.get(name) is not after[owner].get(name)
    }


def calculations():
    """Return runs of many kinds of PySCF's objects."""
    return [
        lambda: fitted(scf.RHF(molecule(basis="sto-3g"))).run(),
        lambda: dfump2.DFUMP2(scf.UHF(cation(basis="sto-3g")).run()).run(),
        lambda: accelerated.DFMP2(fitted(scf.ROHF(cation(basis="sto-3g"))).run()).run(),
        lambda: fitted(dft.RKS(molecule("He", "6-31g"), xc="pbe0"), auxbasis="def2-universal-jkfit").run(),
        lambda: fitted(scf.GHF(molecule("He", "6-31g")), auxbasis="def2-universal-jkfit").x2c().run(),
        lambda: scf.RHF(molecule("He", "6-31g")).newton().run(),
        lambda: pyscf.x2c.x2c.UHF(molecule("He", "6-31g")).run(),
        lambda: dfmp2.DFMP2(scf.RHF(molecule(basis="sto-3g")).run()).as_scanner()(STRETCHED),
    ]


@pytest.fixture(scope="module", autouse=True)
def everything_is_loaded():
    """PySCF loads modules and makes classes when they are first needed; that is not what is looked for here."""
    for calculate in calculations():
        calculate()


class Interrupted(Exception):
    """Stands for whatever ends a block early."""


def stop(*args):
    raise Interrupted


def interrupted_run():
    mf = fitted(scf.RHF(molecule(basis="sto-3g")))
    mf.callback = stop
    mf.kernel()


def test_the_snapshot_shows_what_patch_does():
    before = snapshot()
    with accelerated.patch():
        changed = changes(before, snapshot())
    assert {(scf.hf.SCF, "_eigh"), (df.DF, "get_jk"), (df.DF, "build")} <= changed
    assert {
        (dfmp2.DFMP2, "init_amps"),
        (dfmp2.DFMP2, "ao2mo"),
        (dfump2.DFUMP2, "init_amps"),
        (dfump2.DFUMP2, "ao2mo"),
    } <= changed
    assert {name for _, name in changed} == {"_eigh", "get_jk", "build", "ao2mo", "init_amps"}


@pytest.mark.parametrize("calculate", calculations())
def test_patch(calculate):
    before = snapshot()
    with accelerated.patch():
        calculate()
    after = snapshot()
    assert changes(before, after) == set()
    made_inside = {owner: attributes for owner, attributes in after.items() if owner not in before}
    ours = {
        (owner, name)
        for owner, attributes in made_inside.items()
        for name, value in attributes.items()
        if str(getattr(value, "__module__", "")).startswith("trnsci") and not str(owner).startswith("<class 'trnsci")
    }
    assert ours == set()


@pytest.mark.parametrize("work", [stop, interrupted_run])
def test_patch_when_an_exception_passes(work):
    before = snapshot()
    with pytest.raises(Interrupted), accelerated.patch():
        work()
    assert changes(before, snapshot()) == set()
    with pytest.raises(Interrupted), accelerated.patch(), accelerated.patch():
        work()
    assert changes(before, snapshot()) == set()


def test_patch_in_many_threads():
    """Blocks overlap in any order; what they find and leave is what the last one leaves."""
    before, failed = snapshot(), []
    start = threading.Barrier(8)

    def enter_and_leave(seed):
        start.wait()
        for number in range(50):
            try:
                with accelerated.patch():
                    if scf.hf.SCF._eigh is before[scf.hf.SCF]["_eigh"]:
                        failed.append("a block without our eigensolver")
                    if (number + seed) % 3 == 0:
                        raise Interrupted
            except Interrupted:
                pass

    threads = [threading.Thread(target=enter_and_leave, args=(seed,)) for seed in range(start.parties)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert changes(before, snapshot()) == set()


def test_objects_that_were_there_before():
    mf = fitted(scf.UHF(cation(basis="sto-3g"))).run()
    mp = dfump2.DFUMP2(mf)
    held = {obj: (type(obj), dict(vars(obj))) for obj in (mf, mf.with_df, mp)}
    h, s = mf.get_fock(), mf.get_ovlp()
    with accelerated.patch():
        mf.eig(h, s)
        mf.get_jk()
        mp.ao2mo()
    for obj, (kind, attributes) in held.items():
        assert type(obj) is kind and vars(obj).keys() == attributes.keys()
        assert {name for name, value in attributes.items() if vars(obj)[name] is not value} <= TIMES


@pytest.mark.parametrize(
    "make",
    [
        lambda: scf.RHF(molecule(basis="sto-3g")),
        lambda: fitted(scf.RHF(molecule(basis="sto-3g"))),
        lambda: fitted(scf.UHF(cation(basis="sto-3g"))),
        lambda: dfmp2.DFMP2(scf.RHF(molecule(basis="sto-3g")).run()),
    ],
    ids=["RHF", "RHF with density fitting", "UHF with density fitting", "DF-MP2"],
)
@pytest.mark.parametrize("interrupted", [False, True])
def test_accelerate_and_restore(make, interrupted):
    """Classes are not touched at all; the object is what it was but for the results of the run between."""
    obj = make()
    kinds = [type(part) for part in (obj, getattr(obj, "with_df", None))]
    names = vars(obj).keys() | {"converged"}
    before = snapshot()
    accelerated.accelerate(obj)
    if interrupted and isinstance(obj, scf.hf.SCF):
        obj.callback = stop
    elif interrupted:
        obj.ao2mo = stop
    if interrupted:
        with pytest.raises(Interrupted):
            obj.run()
        vars(obj).pop("ao2mo", None)
    else:
        obj.run()
    assert changes(before, snapshot()) == set()
    assert accelerated.restore(obj) is obj
    assert [type(part) for part in (obj, getattr(obj, "with_df", None))] == kinds
    added = vars(obj).keys() - names
    assert "_eigh" not in added and not any(
        "trnsci" in str(getattr(vars(obj)[name], "__module__", "")) for name in added
    )
    assert changes(before, snapshot()) == set()
    result = obj.set(callback=None).run() if isinstance(obj, scf.hf.SCF) else obj.run()
    assert np.isfinite(result.e_tot)
