"""The integrals of trnsci.pyscf.DFMP2 against PySCF's own code: sources, blocks, metrics, cases left to PySCF."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest

pytest.importorskip("pyscf", reason="PySCF is not installed")
from pyscf import df, gto, lib, scf
from pyscf.df import incore
from pyscf.mp import dfmp2, dfump2
from trnsci import pyscf as accelerated
from trnsci.pyscf import _integrals

EPS = float(np.finfo(np.float64).eps)
WATER = "O 0 0 0; H 0 -0.757 0.587; H 0 0.757 0.587"
AUX = "cc-pvdz-ri"


def mean_field(kind, spin=0):
    mol = gto.M(atom=WATER, basis="cc-pvdz", verbose=0, charge=spin, spin=spin)
    return kind(mol).run(conv_tol=1e-12)


@pytest.fixture(scope="module")
def rhf():
    return mean_field(scf.RHF)


@pytest.fixture(scope="module")
def uhf():
    return mean_field(scf.UHF, 1)


@pytest.fixture(params=["RHF", "UHF"])
def mf(request):
    return request.getfixturevalue(request.param.lower())


def pair(mf, **options):
    """Return our object and PySCF's, with the same auxiliary basis each."""
    theirs = dfump2.DFUMP2 if mf.istype("UHF") else dfmp2.DFMP2
    objects = accelerated.DFMP2(mf, **options), theirs(mf, **options)
    for mp in objects:
        mp.with_df = df.DF(mf.mol, AUX)
    return objects


def spins(eris):
    return eris.ovL if isinstance(eris.ovL, list) else [eris.ovL]


def logged(mp, work):
    """Return the result of `work` and the lines of this package in the log that it leaves."""
    before, mp.verbose, mp.stdout = (mp.verbose, mp.stdout), 4, io.StringIO()
    result, text = work(), mp.stdout.getvalue()
    mp.verbose, mp.stdout = before
    return result, [line for line in text.splitlines() if line.startswith("DF-MP2")]


def require_close(ours, theirs, limit):
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert a.shape == b.shape and a.dtype == np.float64
        assert np.linalg.norm(a - b) <= limit * np.linalg.norm(b)


@pytest.mark.parametrize("megabytes", [256, 0.01, 1e-6], ids=["one block", "some blocks", "a shell each"])
@pytest.mark.parametrize("frozen", [None, [0, 20]])
def test_from_libcint(mf, frozen, megabytes, monkeypatch):
    monkeypatch.setattr(_integrals, "MOST_MEGABYTES", megabytes)
    ours, theirs = pair(mf, frozen=frozen)
    eris, lines = logged(ours, ours.ao2mo)
    condition = np.linalg.cond(incore.fill_2c2e(mf.mol, ours.with_df.auxmol))
    require_close(spins(eris), spins(theirs.ao2mo()), ours.with_df.auxmol.nao * EPS * condition)
    assert type(eris) is type(theirs.ao2mo()) and ours.with_df._cderi is None
    assert [re.sub(r"\d+\.\d{3} seconds", "T", line) for line in lines] == [
        "DF-MP2 integrals over atomic orbitals: PySCF, libcint, T",
        f"DF-MP2 integrals over orbitals: trnsci, {lib.num_threads()} threads, T",
        f"DF-MP2 metric: trnsci, {lib.num_threads()} threads, Cholesky factor, T",
    ]


@pytest.mark.parametrize("where", ["memory", "file"])
@pytest.mark.parametrize("megabytes", [256, 0.1])
def test_from_stored_integrals(mf, where, megabytes, monkeypatch, tmp_path):
    monkeypatch.setattr(_integrals, "MOST_MEGABYTES", megabytes)
    ours, theirs = pair(mf)
    for mp in (ours, theirs):
        if where == "file":
            mp.with_df._cderi_to_save = str(tmp_path / f"{type(mp).__module__}.h5")
            mp.with_df.max_memory = 0
        mp.with_df.build()
    assert isinstance(ours.with_df._cderi, np.ndarray) == (where == "memory")
    eris, lines = logged(ours, ours.ao2mo)
    require_close(spins(eris), spins(theirs.ao2mo()), 2 * mf.mol.nao * EPS)
    assert len(lines) == 2 and "PySCF, stored, " in lines[0] and "orbitals: trnsci" in lines[1]


def test_a_spin_without_electrons():
    mf = scf.UHF(gto.M(atom="H 0 0 0", basis="cc-pvdz", spin=1, verbose=0)).run()
    # Alpha has pairs, but there is no other electron to correlate with.
    mp = accelerated.DFMP2(mf).run()
    assert [b.shape[0] for b in mp.ao2mo().ovL] == [4, 0] and mp.e_corr == pytest.approx(0, abs=1e-15)


def amplitudes(mp):
    return mp.t2 if isinstance(mp.t2, tuple) else (mp.t2,)


def test_integrals_can_be_handed_around(mf):
    ours, theirs = pair(mf)
    mine, other = ours.ao2mo(), theirs.ao2mo()
    energies = ours.kernel(eris=other, with_t2=True)[0], theirs.kernel(eris=mine, with_t2=True)[0]
    assert energies[0] == pytest.approx(energies[1], abs=1e-12)
    for a, b in zip(amplitudes(ours), amplitudes(theirs), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)
    again, lines = logged(ours, lambda: ours.ao2mo(ovL=mine.ovL))
    assert lines == [] and all(a is b for a, b in zip(spins(again), spins(mine), strict=True))


def test_on_disk_pyscf_computes_them(mf, tmp_path):
    ours, theirs = pair(mf)
    want = spins(theirs.ao2mo())
    limit = theirs.with_df.auxmol.nao * EPS * np.linalg.cond(theirs.with_df.auxmol.intor("int2c2e"))
    cases = [
        ("force_outcore", True, {}),
        ("max_memory", 0, {}),
        ("verbose", 4, {"ovL_to_save": str(tmp_path / "ovl.h5")}),
    ]
    for name, setting, arguments in cases:
        before = getattr(ours, name)
        setattr(ours, name, setting)
        eris, lines = logged(ours, lambda arguments=arguments: ours.ao2mo(**arguments))
        setattr(ours, name, before)
        assert lines == ["DF-MP2 integrals over orbitals: PySCF, on disk"]
        assert not isinstance(spins(eris)[0], np.ndarray)
        require_close([b[:] for b in spins(eris)], want, limit)


def doubled(mol):
    """Return an auxiliary basis in which every function is there twice."""
    auxmol = df.addons.make_auxmol(mol, AUX)
    return gto.conc_mol(auxmol, auxmol)


def test_dependent_auxiliary_functions(mf, monkeypatch):
    """What is left is what there was without the copies, whether rounding makes the metric indefinite or not."""
    ours, theirs = pair(mf)
    want = theirs.kernel(with_t2=False)[0]
    auxmol = doubled(mf.mol)
    metric = auxmol.intor("int2c2e")
    metric[-1, -1] *= 1 - 1e-9  # far more than rounding: it has no Cholesky factor
    monkeypatch.setattr(incore, "fill_2c2e", lambda *args: metric)
    ours.with_df.auxmol = auxmol
    (energy, _), lines = logged(ours, ours.kernel)
    assert energy == pytest.approx(want, abs=1e-8)
    found = re.search(r"metric: trnsci, \d+ threads, eigenvectors, (\d+) of (\d+) dropped", "\n".join(lines))
    dropped, total = map(int, found.groups())
    assert total == auxmol.nao and total / 2 <= dropped < total
    assert {b.shape[1] for b in spins(ours.ao2mo())} == {total - dropped}
    assert all(np.isfinite(b).all() for b in spins(ours.ao2mo()))


def test_other_fits_are_left_to_pyscf(rhf):
    class Other:
        """Stands in for a fit that only PySCF knows."""

        mol, _cderi, auxmol = rhf.mol, None, None

    mp = accelerated.DFMP2(rhf)
    mp.with_df = Other()
    spaces = [mp.split_mo_coeff()[1:3]]
    result, lines = logged(mp, lambda: _integrals.pair_integrals(mp, spaces, on_disk=False))
    assert result is None and lines == ["DF-MP2 integrals over orbitals: PySCF, which knows Other"]
