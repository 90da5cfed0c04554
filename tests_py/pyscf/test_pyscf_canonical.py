"""trnsci.pyscf.DFMP2 warns of orbitals over which the Fock matrix is not diagonal."""

import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("pyscf", reason="PySCF is not installed")
from pyscf import dft, gto, lo, scf
from pyscf.mp import dfmp2, dfump2
from trnsci import pyscf as accelerated

WATER = "O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587"
CANONICAL = "the Fock matrix over these is not diagonal"


@pytest.fixture(scope="module")
def rhf():
    return scf.RHF(gto.M(atom=WATER, basis="6-31g", verbose=0)).run(conv_tol=1e-9)


@pytest.fixture(scope="module")
def uhf():
    return scf.UHF(gto.M(atom=WATER, basis="6-31g", charge=1, spin=1, verbose=0)).run(conv_tol=1e-9)


def turned(coeff, first, second, angle=0.3):
    """Two orbitals mixed with each other."""
    out = np.array(coeff)
    out[:, first] = np.cos(angle) * coeff[:, first] + np.sin(angle) * coeff[:, second]
    out[:, second] = np.cos(angle) * coeff[:, second] - np.sin(angle) * coeff[:, first]
    return out


def messages(mf, **options):
    """What a run warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        accelerated.DFMP2(mf, **options).run()
    return [str(w.message) for w in caught if CANONICAL in str(w.message)]


@pytest.mark.parametrize(
    ("pair", "name"),
    [((0, 4), "between occupied orbitals"), ((3, 4), "between occupied orbitals"), ((6, 9), "between virtual orbitals"),
     ((2, 7), "between occupied and virtual orbitals")],
)  # fmt: skip
def test_rotated_orbitals(rhf, pair, name):
    (message,) = messages(rhf, mo_coeff=turned(rhf.mo_coeff, *pair))
    assert name in message and message.startswith("mo_coeff: ")
    others = {"between occupied orbitals", "between virtual orbitals", "between occupied and virtual orbitals"} - {name}
    assert name == "between occupied and virtual orbitals" or not any(other in message for other in others)


def test_the_warning_is_true(rhf):
    """These orbitals span the spaces of the canonical ones, for which MP2 has one energy; it comes out as another."""
    right = dfmp2.DFMP2(rhf).kernel(with_t2=False)[0]
    with pytest.warns(UserWarning, match=CANONICAL):
        wrong = accelerated.DFMP2(rhf, mo_coeff=turned(rhf.mo_coeff, 3, 4)).kernel()[0]
    assert abs(wrong - right) > 1e-5


def test_it_names_the_line_that_asked(rhf):
    for run in (lambda mp: mp.run(), lambda mp: mp.kernel()):
        mp = accelerated.DFMP2(rhf, mo_coeff=turned(rhf.mo_coeff, 3, 4))
        with pytest.warns(UserWarning, match=CANONICAL) as caught:
            run(mp)
        assert [w.filename for w in caught] == [__file__]


def test_localized_orbitals(rhf):
    coeff = np.array(rhf.mo_coeff)
    coeff[:, 1:5] = lo.Boys(rhf.mol, coeff[:, 1:5]).kernel()
    (message,) = messages(rhf, mo_coeff=coeff)
    assert "between occupied orbitals" in message


def test_orbitals_as_an_argument_of_kernel(rhf):
    mp = accelerated.DFMP2(rhf)
    with pytest.warns(UserWarning, match=CANONICAL):
        mp.kernel(mo_coeff=turned(rhf.mo_coeff, 3, 4))


def test_orbitals_that_are_set(rhf):
    mp = accelerated.DFMP2(rhf)
    mp.mo_coeff = turned(rhf.mo_coeff, 3, 4)
    with pytest.warns(UserWarning, match=CANONICAL):
        mp.kernel()
    theirs = dfmp2.DFMP2(rhf, mo_coeff=turned(rhf.mo_coeff, 3, 4))
    with pytest.warns(UserWarning, match=CANONICAL):
        accelerated.accelerate(theirs).kernel()


def test_occupations_of_another_state(rhf):
    occ = np.array(rhf.mo_occ)
    occ[[4, 5]] = occ[[5, 4]]
    (message,) = messages(rhf, mo_occ=occ)
    assert "orbitals" in message


def test_frozen_orbitals_may_be_any(rhf):
    """What is left out of the correlation need not be canonical, but its space has to be one of the mean field."""
    assert not messages(rhf, mo_coeff=turned(rhf.mo_coeff, 0, 1), frozen=2)
    assert not messages(rhf, mo_coeff=turned(rhf.mo_coeff, 11, 12), frozen=[11, 12])
    assert messages(rhf, mo_coeff=turned(rhf.mo_coeff, 1, 2), frozen=[0])
    assert messages(rhf, mo_coeff=turned(rhf.mo_coeff, 0, 7), frozen=[0, 7])


@pytest.mark.parametrize("spin", [0, 1])
def test_open_shells(uhf, spin):
    coeff = np.array(uhf.mo_coeff)
    coeff[spin] = turned(coeff[spin], 2, 3)
    (message,) = messages(uhf, mo_coeff=coeff)
    assert "between occupied orbitals" in message
    assert not messages(uhf, mo_coeff=coeff, frozen=[[], [0, 1, 2, 3]] if spin else [[0, 1, 2, 3], []])
    assert messages(uhf, mo_coeff=coeff, frozen=[[0, 1, 2, 3], []] if spin else [[], [0, 1, 2, 3]])


@pytest.mark.parametrize("method", [scf.RHF, scf.UHF, dft.RKS, dft.UKS])
@pytest.mark.parametrize("conv_tol", [1e-6, 1e-9, 1e-12])
def test_canonical_orbitals(method, conv_tol):
    """Those of mean fields that have converged, as copies, with other signs and in another order."""
    mf = method(gto.M(atom=WATER, basis="6-31g", verbose=0)).run(conv_tol=conv_tol)
    coeff = np.array(mf.mo_coeff)
    assert not messages(mf)
    assert not messages(mf, mo_coeff=coeff)
    assert not messages(mf, mo_coeff=-coeff)
    back = [4, 3, 2, 1, 0, 5, 7, 6, 8, 9, 10, 12, 11]
    swapped = accelerated.DFMP2(mf, mo_coeff=coeff[..., back])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert swapped.run().e_corr == pytest.approx(accelerated.DFMP2(mf).run().e_corr, abs=1e-6)


def test_energies_that_are_given_are_the_callers(rhf):
    """Frozen natural orbitals, for one, are canonical with energies of their own."""
    coeff = turned(rhf.mo_coeff, 3, 4)
    assert not messages(rhf, mo_coeff=coeff, mo_energy=rhf.mo_energy)
    mp = accelerated.DFMP2(rhf)
    mp.mo_coeff, mp.mo_energy = coeff, rhf.mo_energy.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mp.kernel()
        mp.copy().kernel()
        pickle.loads(pickle.dumps(mp)).kernel()


def test_restored_objects_are_pyscfs(rhf):
    mp = accelerated.restore(accelerated.DFMP2(rhf, mo_coeff=turned(rhf.mo_coeff, 3, 4)))
    assert vars(mp).keys() == vars(dfmp2.DFMP2(rhf)).keys()


def test_energies_are_pyscfs(uhf):
    coeff = np.array(uhf.mo_coeff)
    coeff[0] = turned(coeff[0], 2, 3)
    with pytest.warns(UserWarning, match=CANONICAL):
        ours = accelerated.DFMP2(uhf, mo_coeff=coeff).run()
    assert ours.e_corr == pytest.approx(dfump2.DFUMP2(uhf, mo_coeff=coeff).kernel(with_t2=False)[0], abs=1e-10)
