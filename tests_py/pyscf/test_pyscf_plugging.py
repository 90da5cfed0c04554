"""What accelerate, restore and patch change in PySCF, and what they leave alone."""

import io
import pickle
import subprocess
import sys
import textwrap

import pytest
import scipy.linalg

pyscf = pytest.importorskip("pyscf")
from pyscf import mp, scf  # noqa: E402
from pyscf.scf import hf  # noqa: E402
from pyscf.x2c import x2c  # noqa: E402
from small_molecules import STRETCHED, water  # noqa: E402
from trnsci import pyscf as accelerated  # noqa: E402

# accelerate and restore


def test_accelerate_and_restore_leave_no_trace():
    mf = scf.RHF(water())
    before = dict(vars(mf))
    assert accelerated.accelerate(mf) is mf
    assert vars(mf).keys() - before.keys() == {"_eigh"}
    solver = mf._eigh
    assert accelerated.accelerate(mf)._eigh is solver
    assert accelerated.restore(mf) is mf
    assert vars(mf) == before
    assert accelerated.restore(mf) is mf
    assert vars(mf) == before


@pytest.mark.parametrize("name", ["_eigh", "eig"])
def test_users_own_eigensolver_is_kept(name, recorded):
    stream = io.StringIO()
    mf = scf.RHF(water())
    mf.verbose, mf.stdout = 3, stream

    def own(h, s, *args, **kwargs):
        return scipy.linalg.eigh(h, s)

    setattr(mf, name, own)
    before = dict(vars(mf))
    accelerated.accelerate(mf)
    assert vars(mf) == before
    assert "eigensolver of its own" in stream.getvalue()
    accelerated.restore(mf)
    assert vars(mf) == before
    mf.set(verbose=0).kernel()
    assert not recorded


class OwnSolver(hf.RHF):
    def _eigh(self, h, s, *args, **kwargs):
        return scipy.linalg.eigh(h, s)


def test_eigensolver_of_a_users_class_is_kept(recorded):
    mf = accelerated.accelerate(OwnSolver(water()))
    assert "_eigh" not in vars(mf)
    with accelerated.patch():
        mf.kernel()
    assert not recorded


def test_acceleration_is_inherited(recorded):
    mf = accelerated.accelerate(scf.RHF(water())).run()
    for heir in (mf.copy(), mf.to_uhf(), mf.density_fit(), pickle.loads(pickle.dumps(mf))):
        recorded.clear()
        heir.kernel()
        assert recorded
        assert "_eigh" not in vars(accelerated.restore(heir))
    scanner = mf.as_scanner()
    recorded.clear()
    scanner(STRETCHED)
    assert recorded
    assert "_eigh" in vars(mf)


@pytest.mark.parametrize("mf", [scf.DHF(water()), scf.DHF, None])
def test_accelerate_refuses(mf):
    with pytest.raises(TypeError, match="mf: expected a mean field of PySCF's RHF, UHF, ROHF, GHF"):
        accelerated.accelerate(mf)


# patch


def solvers():
    """What the classes themselves hold under the name of the eigensolver."""
    waiting, found = [hf.SCF], {}
    while waiting:
        cls = waiting.pop()
        if cls not in found:
            found[cls] = vars(cls).get("_eigh", "absent")
            waiting += cls.__subclasses__()
    return found


def test_patch_restores_classes():
    before = solvers()
    with accelerated.patch():
        changed = {cls for cls, solver in solvers().items() if solver is not before[cls]}
        assert changed == {hf.SCF, x2c.SCF}
    assert solvers() == before


def test_patch_restores_on_exception():
    before = solvers()
    with pytest.raises(ZeroDivisionError), accelerated.patch():
        raise ZeroDivisionError
    assert solvers() == before


def test_patch_nests():
    before = solvers()
    with accelerated.patch():
        patched = hf.SCF._eigh
        with accelerated.patch():
            assert hf.SCF._eigh is patched
        assert hf.SCF._eigh is patched
    assert solvers() == before


def test_overlapping_patches_hold_until_the_last_ends():
    before = solvers()
    first, second = accelerated.patch(), accelerated.patch()
    first.__enter__()
    patched = hf.SCF._eigh
    second.__enter__()
    first.__exit__(None, None, None)
    assert hf.SCF._eigh is patched
    second.__exit__(None, None, None)
    assert solvers() == before


def test_class_made_inside_patch_gets_the_original():
    original = hf.SCF._eigh
    with accelerated.patch():

        class Copies(hf.RHF):
            _eigh = hf.SCF._eigh

        assert Copies._eigh is not original
    assert vars(Copies)["_eigh"] is original


def test_accelerate_inside_patch_outlives_it(recorded):
    with accelerated.patch():
        mf = accelerated.accelerate(scf.RHF(water()))
    mf.kernel()
    assert recorded
    accelerated.restore(mf)
    recorded.clear()
    mf.kernel()
    assert not recorded


# Without PySCF


def test_import_without_pyscf():
    script = """
    import sys
    sys.modules["pyscf"] = None
    import trnsci
    try:
        import trnsci.pyscf
    except ImportError as error:
        assert "pip install pyscf" in str(error), error
    else:
        raise AssertionError("imported")
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True, timeout=60)


def test_mp2_of_pyscf_is_left_alone():
    assert mp.dfmp2.DFMP2 is not accelerated.DFRMP2
    assert mp.dfmp2.DFMP2.__module__ == "pyscf.mp.dfmp2"
