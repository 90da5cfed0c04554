"""The documented arguments, attributes and methods of PySCF's DF-MP2 objects on ours; and what is refused."""

import inspect
import io

import numpy as np
import pytest

pytest.importorskip("pyscf", reason="PySCF is not installed")
from fitted_mean_fields import NEEDS_EINSUM, STRETCHED, cation, converged, molecule
from pyscf import df, scf
from pyscf.mp import dfmp2, dfump2
from trnsci import UnsupportedError
from trnsci import pyscf as accelerated

SAME = 1e-10  # of two codes on the same orbitals, in hartree
SAME_RUNS = 1e-9  # of two runs of mean fields
RESULTS = ("e_hf", "e_corr", "e_corr_ss", "e_corr_os", "emp2", "emp2_scs", "e_tot", "e_tot_scs")
OTHER_AUX = "weigend"


def keeps_old_functions():
    """Whether this PySCF goes on with the auxiliary functions that were there before others were named, as 2.9 does."""
    with_df = df.DF(molecule("He", "6-31g"), "weigend").build()
    with_df.auxbasis = "def2-universal-jkfit"
    return with_df.auxmol is not None


def theirs(mf, **options):
    return (dfump2.DFUMP2 if mf.istype("UHF") else dfmp2.DFMP2)(mf, **options)


@pytest.fixture(scope="module")
def rhf():
    return converged(scf.RHF(molecule()))


@pytest.fixture(scope="module")
def uhf():
    return converged(scf.UHF(cation()))


@pytest.fixture(params=["RHF", "UHF"])
def mf(request):
    return request.getfixturevalue(request.param.lower())


def require_same_results(ours, other, tolerance=SAME):
    for name in RESULTS:
        assert abs(getattr(ours, name) - getattr(other, name)) < tolerance, name
    assert ours.nocc == other.nocc and ours.nmo == other.nmo


# Arguments


@pytest.mark.parametrize("cls", [accelerated.DFRMP2, accelerated.DFUMP2])
@pytest.mark.parametrize(
    "name",
    [
        "__init__",
        "kernel",
        "ao2mo",
        "init_amps",
        "density_fit",
        "reset",
        "set_frozen",
        "nuc_grad_method",
        "dump_flags",
        "make_fno",
    ],
)
def test_parameters_are_pyscfs(cls, name):
    """Ours may add some that have to be named."""
    plain = next(base for base in cls.__mro__ if base.__module__.startswith("pyscf."))
    ours, wanted = (inspect.signature(getattr(c, name)).parameters for c in (cls, plain))
    assert [p for p in ours if ours[p].kind is not inspect.Parameter.KEYWORD_ONLY] == list(wanted)


def test_amplitudes_are_not_the_default(mf):
    ours, other = accelerated.DFMP2(mf), theirs(mf)
    assert ours.kernel()[1] is None and ours.t2 is None
    assert other.kernel()[1] is not None
    assert inspect.signature(ours.kernel).parameters["with_t2"].default is False


def arguments(mf):
    """Return orbitals that are not the mean field's: another order, other energies, an excited state."""
    coeff, occ, energy = (np.array(part) for part in (mf.mo_coeff, mf.mo_occ, mf.mo_energy))
    excited = occ.copy()
    homo = np.count_nonzero(np.atleast_2d(occ)[0]) - 1
    excited[..., [homo, homo + 1]] = excited[..., [homo + 1, homo]]
    return {
        "energies": {"mo_energy": energy + np.where(occ > 0, -0.1, 0.1)},
        "reversed": {"mo_coeff": coeff[..., ::-1], "mo_occ": occ[..., ::-1], "mo_energy": energy[..., ::-1]},
        "excited": {"mo_occ": excited, "mo_energy": energy},
        "orbitals": {"mo_coeff": -coeff, "mo_occ": occ},
    }


@pytest.mark.parametrize("which", ["energies", "reversed", "excited", "orbitals"])
def test_orbitals_are_arguments(mf, which):
    given = arguments(mf)[which]
    ours, other = accelerated.DFMP2(mf, **given).run(), theirs(mf, **given).run()
    require_same_results(ours, other)
    plain = accelerated.DFMP2(mf).run().e_corr
    assert (abs(ours.e_corr - plain) > 1e-3) == (which in ("energies", "excited"))


@pytest.mark.parametrize("frozen", [None, 0, 1, 2, [0], (0, 1), np.array([0, 3]), [-1], [], [0, 0]])
def test_frozen(mf, frozen):
    require_same_results(accelerated.DFMP2(mf, frozen=frozen).run(), theirs(mf, frozen=frozen).run())


@pytest.mark.parametrize("frozen", [[[0], [0]], [[0, 1], []], [np.array([0]), (1,)], ([], [])])
def test_frozen_of_each_spin(uhf, frozen):
    require_same_results(accelerated.DFMP2(uhf, frozen=frozen).run(), theirs(uhf, frozen=frozen).run())


@pytest.mark.parametrize(
    ("frozen", "error", "text"),
    [
        (-1, ValueError, "frozen: -1 is no number of orbitals"),
        (6, ValueError, "frozen: 6 orbitals, but 5 are occupied"),
        ([99], ValueError, "frozen: orbital 99, but there are 18"),
        ([-19], ValueError, "frozen: orbital -19, but there are 18"),
        (1.0, TypeError, "frozen: expected a number of orbitals or a list of indices; .*, got 1.0"),
        ([0.0], TypeError, "frozen: expected .*, got"),
        ("core", TypeError, "frozen: expected .*, got 'core'"),
        ([[0], None], TypeError, "frozen: expected .*, got"),
        ([True, False], TypeError, "frozen: expected .*, got"),
    ],
)
def test_what_frozen_is_not(mf, frozen, error, text):
    """Of these PySCF takes -1, and 6 with two spins: all or other orbitals are then frozen without a word."""
    mp = accelerated.DFMP2(mf, frozen=frozen)
    for call in (mp.kernel, mp.ao2mo, lambda: mp.nocc):
        with pytest.raises(error, match=text):
            call()


def test_lists_of_frozen_orbitals_are_one_for_each_spin(rhf, uhf):
    for lists in ([[0]], [[0], [0], [0]]):
        with pytest.raises(ValueError, match=f"frozen: expected .*, got {len(lists)} lists"):
            accelerated.DFMP2(uhf, frozen=lists).run()
    with pytest.raises(TypeError, match="frozen: expected"):
        accelerated.DFMP2(rhf, frozen=[[0], [0]]).run()


def test_occupied_orbitals_are_not_counted_below_zero(uhf):
    """Five alpha and four beta electrons: PySCF says that -1 are left of these."""
    mp = accelerated.DFMP2(uhf, frozen=5).run()
    assert (mp.nocc, mp.nmo, mp.e_corr) == ((0, 0), (13, 13), 0.0)


# Attributes after the run


def test_attributes(mf):
    ours, other = accelerated.DFMP2(mf).run(), theirs(mf).run()
    require_same_results(ours, other)
    assert vars(other).keys() <= vars(ours).keys()
    assert ours.mol is mf.mol and ours._scf is mf and ours.mo_coeff is mf.mo_coeff and ours.mo_occ is mf.mo_occ
    assert ours.with_df.auxbasis == other.with_df.auxbasis
    assert isinstance(ours.e_corr, float)
    assert ours.emp2_scs == pytest.approx(1.2 * ours.e_corr_os + ours.e_corr_ss / 3, abs=1e-15)


def test_energy_is_tagged_with_its_parts(mf):
    energy, t2 = accelerated.DFMP2(mf).init_amps()
    wanted, _ = theirs(mf).init_amps()
    assert t2 is None
    assert energy.e_corr_ss == pytest.approx(wanted.e_corr_ss, abs=SAME)
    assert energy.e_corr_os == pytest.approx(wanted.e_corr_os, abs=SAME)
    assert float(energy) == pytest.approx(energy.e_corr_ss + energy.e_corr_os, abs=1e-15)


def test_flags_are_logged(mf):
    mp = accelerated.DFMP2(mf, frozen=1)
    mp.verbose, mp.stdout = 4, io.StringIO()
    assert mp.dump_flags() is mp
    assert f"nocc = {mp.nocc}, nmo = {mp.nmo}" in mp.stdout.getvalue()
    assert "frozen orbitals 1" in mp.stdout.getvalue() and "max_memory" in mp.stdout.getvalue()


# Methods


@pytest.mark.parametrize("frozen", [None, 1])
@pytest.mark.parametrize("ao_repr", [False, pytest.param(True, marks=NEEDS_EINSUM)])
def test_density_matrices(mf, frozen, ao_repr):
    """They need amplitudes, which are computed where there are none."""
    ours, other = accelerated.DFMP2(mf, frozen=frozen).run(), theirs(mf, frozen=frozen).run()
    for name in ("make_rdm1", "make_rdm2"):
        result, wanted = (
            np.concatenate(np.atleast_2d(getattr(mp, name)(ao_repr=ao_repr)), axis=None) for mp in (ours, other)
        )
        np.testing.assert_allclose(result, wanted, rtol=0, atol=1e-11)


@pytest.mark.parametrize("options", [{"thresh": 1e-3}, {"nvir_act": 7}, {"pct_occ": 0.97}])
def test_frozen_natural_orbitals(mf, options):
    def by_spin(mp):
        parts = mp.make_fno(**options)
        return list(zip(*(parts if mf.istype("UHF") else ([part] for part in parts)), strict=True))

    try:
        other = by_spin(theirs(mf, frozen=1).run())
    except TypeError:
        pytest.skip("this PySCF's DFUMP2 makes no natural orbitals")
    ours = by_spin(accelerated.DFMP2(mf, frozen=1))
    for (frozen, coeff), (wanted, other_coeff) in zip(ours, other, strict=True):
        np.testing.assert_array_equal(frozen, wanted)
        kept = np.setdiff1d(np.arange(coeff.shape[1]), frozen)
        assert 0 < len(kept) < coeff.shape[1] - 1
        # Orbitals are defined up to their signs, which products of two do not show.
        densities = (c[:, kept] @ c[:, kept].T for c in (coeff, other_coeff))
        np.testing.assert_allclose(*densities, rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", ["nuc_grad_method", "to_gpu"])
def test_what_is_not_there_says_so(mf, name):
    mp = accelerated.DFMP2(mf)
    with pytest.raises(
        UnsupportedError, match="DF-MP2 has no analytical gradients" if name == "nuc_grad_method" else "restore"
    ):
        getattr(mp, name)()
    assert issubclass(UnsupportedError, NotImplementedError)  # which is what PySCF raises for gradients
    with pytest.raises(NotImplementedError):
        theirs(mf).nuc_grad_method()


@pytest.mark.parametrize("fitted", [False, True])
def test_other_auxiliary_functions(mf, fitted):
    """The new object is of the same kind and set up like the old one, which stays as it was."""
    mf = converged(mf.copy().density_fit()) if fitted else mf
    mp = accelerated.DFMP2(mf, frozen=1, precision="mixed", etol=1e-6).run()
    before, energy = mp.with_df, mp.e_corr
    other = mp.density_fit(OTHER_AUX)
    assert type(other) is type(mp) and (other.precision, other.etol, other.frozen) == ("mixed", 1e-6, 1)
    assert mp.with_df is before and mp.e_corr == energy and other.result is None and other.e_corr is None
    other.precision = other.etol = None
    wanted = theirs(mf, frozen=1)
    wanted.with_df = df.DF(mf.mol, OTHER_AUX)
    require_same_results(other.run(), wanted.run())
    for again in (
        mp.density_fit(with_df=df.DF(mf.mol, OTHER_AUX)),
        mp.density_fit(OTHER_AUX, df.DF(mf.mol, "cc-pvdz-ri")),
    ):
        assert again.set(precision=None, etol=None).run().e_corr == pytest.approx(wanted.e_corr, abs=SAME)
    assert mp.density_fit().with_df.auxbasis == before.auxbasis


@pytest.mark.skipif(keeps_old_functions(), reason="this PySCF's DF keeps the auxiliary functions that it had")
def test_auxiliary_functions_that_are_changed_later(mf):
    """Neither the functions of the run before nor integrals over them are used again."""
    mp = accelerated.DFMP2(mf).run()
    before = mp.e_corr
    mp.with_df.auxbasis = OTHER_AUX
    wanted = theirs(mf)
    wanted.with_df = df.DF(mf.mol, OTHER_AUX)
    assert mp.run().e_corr == pytest.approx(wanted.run().e_corr, abs=SAME)
    assert abs(mp.e_corr - before) > 1e-6


def test_reset(mf):
    own = mf.copy()
    mp = accelerated.DFMP2(own, frozen=1).run(with_t2=True)
    assert mp.reset() is mp
    assert [getattr(mp, name) for name in ("e_hf", "e_corr", "e_corr_ss", "e_corr_os", "t2", "result")] == [None] * 6
    assert mp.run().e_tot == pytest.approx(accelerated.DFMP2(mf, frozen=1).run().e_tot, abs=SAME)
    other = molecule(STRETCHED, charge=mf.mol.charge, spin=mf.mol.spin)
    fresh = theirs(converged(type(mf)(other)), frozen=1).run()
    for first in (lambda: None, mp.ao2mo, mp.make_rdm1):
        assert mp.reset(other) is mp and mp.mol is other and mp._scf.mol is other and mp.with_df.mol is other
        first()
        require_same_results(mp.run(), fresh, SAME_RUNS)
        assert mp.mo_coeff is own.mo_coeff and mp.mo_energy is own.mo_energy
        mp.reset(mf.mol)


def test_scanner_is_reset_like_the_object(mf):
    scanner = accelerated.DFMP2(mf.copy(), frozen=1).as_scanner()
    other = molecule(STRETCHED, charge=mf.mol.charge, spin=mf.mol.spin)
    fresh = theirs(converged(type(mf)(other)), frozen=1).run()
    assert scanner(other) == pytest.approx(fresh.e_tot, abs=SAME_RUNS)
    assert scanner.reset(mf.mol).run().e_tot == pytest.approx(theirs(mf, frozen=1).run().e_tot, abs=SAME_RUNS)
    assert scanner(other) == pytest.approx(fresh.e_tot, abs=SAME_RUNS)


def test_stored_integrals_are_read_again(mf, tmp_path):
    path = str(tmp_path / "ovl.h5")
    first = accelerated.DFMP2(mf)
    saved = first.ao2mo(ovL_to_save=path)
    first.kernel(eris=saved)
    saved.feri.close()
    again = accelerated.DFMP2(mf)
    again.kernel(eris=again.ao2mo(ovL=path))
    wanted = theirs(mf).run()
    require_same_results(first, wanted)
    require_same_results(again, wanted)


def test_crystal_at_one_point():
    """PySCF's code makes the integrals there; kinds of cells that DF-MP2 takes are real."""
    from pyscf.pbc import gto as pbc_gto
    from pyscf.pbc import scf as pbc_scf

    cell = pbc_gto.M(a=np.eye(3) * 4.0, atom="H 0 0 0; H 0.4 0.5 0.3", basis="6-31g", mesh=[15] * 3, verbose=0)
    for method in (pbc_scf.RHF, pbc_scf.UHF):
        mf = converged(method(cell).density_fit())
        ours, other = accelerated.DFMP2(mf).run(), theirs(mf).run()
        require_same_results(ours, other)
        assert ours.e_corr < -1e-3
