"""Inside trnsci.pyscf.patch() PySCF's DF-MP2 objects return the same as outside, computed by this package."""

import io

import numpy as np
import pytest

pytest.importorskip("pyscf", reason="PySCF is not installed")
import pyscf
from fitted_mean_fields import NEEDS_EINSUM
from pyscf import gto, mp, scf
from pyscf.mp import dfgmp2, dfmp2, dfmp2_native, dfump2
from trnsci import pyscf as accelerated

WATER = "O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587"
OURS = "DF-MP2 pair energies: trnsci, "
CLASSES = (dfmp2.DFMP2, dfump2.DFUMP2)


@pytest.fixture(scope="module")
def fitted():
    return scf.RHF(gto.M(atom=WATER, basis="cc-pvdz", verbose=0)).density_fit().run(conv_tol=1e-12)


@pytest.fixture(scope="module")
def fitted_cation():
    return scf.UHF(gto.M(atom=WATER, basis="cc-pvdz", charge=1, spin=1, verbose=0)).density_fit().run(conv_tol=1e-12)


@pytest.fixture(scope="module")
def conventional():
    return scf.RHF(gto.M(atom=WATER, basis="6-31g", verbose=0)).run(conv_tol=1e-12)


def run(obj, **options):
    """The results of a kernel and its log."""
    stream = io.StringIO()
    obj.verbose, obj.stdout = 4, stream
    return (*obj.kernel(**options), stream.getvalue())


ENTRIES = {
    "mf.MP2": lambda mf: mf.MP2(),
    "mf.DFMP2": lambda mf: mf.DFMP2(),
    "pyscf.mp.MP2": lambda mf: mp.MP2(mf),
    "pyscf.mp.MP2, frozen": lambda mf: mp.MP2(mf, frozen=1),
    "class": lambda mf: (dfump2.DFUMP2 if mf.istype("UHF") else dfmp2.DFMP2)(mf, frozen=[0, 2]),
}


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("fixture", ["fitted", "fitted_cation"])
@pytest.mark.parametrize("out_of_core", [False, True])
def test_density_fitted(entry, fixture, out_of_core, request):
    mf = request.getfixturevalue(fixture)
    try:
        outside = ENTRIES[entry](mf)
    except (NotImplementedError, TypeError) as error:  # as of some mean fields in PySCF 2.9
        pytest.skip(f"PySCF {pyscf.__version__} has no {entry} of this mean field: {error!r}")
    outside.force_outcore = out_of_core
    e_corr, t2, log = run(outside)
    assert OURS not in log
    with accelerated.patch():
        inside = ENTRIES[entry](mf)
        inside.force_outcore = out_of_core
        ours, amplitudes, log = run(inside)
        assert OURS in log and "DF-MP2 amplitudes: trnsci" in log
        assert inside.kernel(with_t2=False)[1] is None
    assert type(inside) is type(outside)
    assert ours == pytest.approx(e_corr, abs=1e-10)
    for name in ("e_corr_ss", "e_corr_os", "e_tot", "e_tot_scs"):
        assert getattr(inside, name) == pytest.approx(getattr(outside, name), abs=1e-10)
    for got, want in zip(amplitudes, t2, strict=True) if isinstance(t2, tuple) else [(amplitudes, t2)]:
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-12)
    assert OURS not in run(ENTRIES[entry](mf))[2]


@NEEDS_EINSUM
def test_other_methods_are_left_alone(fitted, conventional):
    """MP2 with four-index integrals does not become density-fitted, and classes of other formulas keep their code."""
    objects = {
        "conventional": lambda: mp.MP2(conventional),
        "conventional method": lambda: conventional.MP2(),
        "GHF": lambda: dfgmp2.DFGMP2(fitted.to_ghf()),
        "native": lambda: dfmp2_native.DFMP2(fitted),
    }
    for make in objects.values():
        outside = make()
        outside.kernel()
        with accelerated.patch():
            inside = make()
            stream = io.StringIO()
            inside.verbose, inside.stdout = 4, stream
            inside.kernel()
        assert type(inside) is type(outside) and inside.e_corr == pytest.approx(outside.e_corr, abs=1e-11)
        assert "pair energies: trnsci" not in stream.getvalue()


def test_ours_is_ours_inside_too(fitted):
    want = accelerated.DFMP2(fitted, frozen=1).run().result
    with accelerated.patch():
        for force_outcore in (False, True):
            ours = accelerated.DFMP2(fitted, frozen=1)
            ours.force_outcore = force_outcore
            assert ours.run().result.e_corr == pytest.approx(want.e_corr, abs=1e-12)


def test_classes_are_restored():
    before = [(vars(cls)["ao2mo"], vars(cls)["init_amps"]) for cls in CLASSES]
    with pytest.raises(ZeroDivisionError), accelerated.patch(), accelerated.patch():
        assert all(vars(cls)["init_amps"] is not theirs for cls, (_, theirs) in zip(CLASSES, before, strict=True))
        raise ZeroDivisionError
    assert [(vars(cls)["ao2mo"], vars(cls)["init_amps"]) for cls in CLASSES] == before


def test_no_room_for_amplitudes(fitted):
    with accelerated.patch():
        obj = dfmp2.DFMP2(fitted)
        eris = obj.ao2mo()
        obj.max_memory = 0
        with pytest.raises(MemoryError, match=r"^with_t2: the amplitudes take 72200 bytes"):
            obj.kernel(eris=eris)


def test_mean_field_says_who_computes_j_and_k():
    mf = scf.RHF(gto.M(atom=WATER, basis="6-31g", verbose=0)).density_fit()
    stream = io.StringIO()
    mf.verbose, mf.stdout = 4, stream
    mf.with_df.verbose, mf.with_df.stdout = 4, stream
    accelerated.accelerate(mf).kernel()
    log = stream.getvalue()
    assert "trnsci: J and K come from trnsci.df_jk, " in log
    assert log.count("DF vj and vk: trnsci, ") == 1
    mf.kernel()
    assert stream.getvalue().count("DF vj and vk: trnsci, ") == 1  # the same tensor


def test_class_is_named_by_its_public_place(fitted, fitted_cation):
    for mf, name in ((fitted, "DFRMP2"), (fitted_cation, "DFUMP2")):
        log = run(accelerated.DFMP2(mf))[2]
        assert f"<class 'trnsci.pyscf.{name}'>" in log and "trnsci.pyscf._" not in log
