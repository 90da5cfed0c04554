"""The fitting tensor of density-fitted mean fields, with our metric against PySCF's."""

import io

import numpy as np
import pytest

pyscf = pytest.importorskip("pyscf")
from fitted_mean_fields import (  # noqa: E402
    SAME_ENERGY,
    converged,
    fitted,
    molecule,
    plain_energy,
    twice_the_auxiliary_functions,
)
from pyscf import df, lib, scf  # noqa: E402
from trnsci import pyscf as accelerated  # noqa: E402
from trnsci.pyscf import _tensor  # noqa: E402

SAME_INTEGRAL = 1e-10


@pytest.fixture
def metrics(monkeypatch):
    """A list that gets a word for each metric that is folded in by our code."""
    calls = []
    compute = _tensor.df_fit

    def recorder(*args, **kwargs):
        calls.append(kwargs["threads"])
        return compute(*args, **kwargs)

    monkeypatch.setattr(_tensor, "df_fit", recorder)
    return calls


def pair(prepare=lambda with_df: None, mf=lambda: fitted(scf.RHF(molecule()))):
    """Return PySCF's object and ours, both with tensor."""
    theirs, ours = mf().with_df, accelerated.accelerate(mf()).with_df
    for with_df in (theirs, ours):
        prepare(with_df)
        assert with_df.build() is with_df
    return theirs, ours


@pytest.mark.parametrize("threads", [1, 2])
def test_tensor(threads, metrics):
    with lib.with_omp_threads(threads):
        theirs, ours = pair()
    assert metrics == [threads]
    assert ours._cderi.flags.c_contiguous and ours._cderi.dtype == float
    assert ours._cderi.shape == theirs._cderi.shape
    assert np.abs(ours._cderi - theirs._cderi).max() < SAME_INTEGRAL
    assert ours.auxmol.nao == theirs.auxmol.nao


@pytest.mark.parametrize("omega", [0.3, -0.3])
def test_part_of_the_range(omega, metrics):
    theirs, ours = fitted(scf.RHF(molecule())).with_df, accelerated.accelerate(fitted(scf.RHF(molecule()))).with_df
    parts = []
    for with_df in (theirs, ours):
        with with_df.range_coulomb(omega) as part:
            parts.append(part.build()._cderi)
    assert len(metrics) == 1
    # Both factors of a nearly singular metric are right, though not the same: integrals over four functions are
    # compared.
    their_integrals, our_integrals = (part.T @ part for part in parts)
    assert np.abs(our_integrals - their_integrals).max() < SAME_INTEGRAL


def test_singular_metric(metrics):
    theirs, ours = pair(mf=twice_the_auxiliary_functions)
    assert len(metrics) == 1
    naux = theirs._cderi.shape[0]
    assert ours._cderi.shape == theirs._cderi.shape and naux < ours.auxmol.nao
    their_integrals, our_integrals = (with_df._cderi.T @ with_df._cderi for with_df in (theirs, ours))
    assert np.abs(our_integrals - their_integrals).max() < SAME_INTEGRAL


def on_disk(where, path):
    """Return what makes the tensor of an object go to disk."""

    def prepare(with_df):
        with_df.blockdim = 7
        if where == "file":
            with_df._cderi_to_save = str(path / f"{type(with_df).__mro__[1].__name__}.h5")
        else:
            with_df.max_memory = 1

    return prepare


@pytest.mark.parametrize("where", ["file", "little memory"])
def test_tensor_on_disk(where, metrics, tmp_path):
    theirs, ours = pair(on_disk(where, tmp_path))
    assert metrics and not isinstance(ours._cderi, np.ndarray)
    their_rows, our_rows = (np.vstack(list(with_df.loop())) for with_df in (theirs, ours))
    assert our_rows.shape == their_rows.shape
    assert np.abs(our_rows - their_rows).max() < SAME_INTEGRAL
    dm = scf.RHF(theirs.mol).init_guess_by_minao()
    for matrix, wanted in zip(ours.get_jk(dm), theirs.get_jk(np.array(dm)), strict=True):
        assert np.abs(matrix - wanted).max() < SAME_ENERGY


def test_singular_metric_on_disk(metrics, tmp_path):
    theirs, ours = pair(on_disk("little memory", tmp_path), twice_the_auxiliary_functions)
    assert len(metrics) > 1
    their_rows, our_rows = (np.vstack(list(with_df.loop())) for with_df in (theirs, ours))
    assert our_rows.shape == their_rows.shape and len(our_rows) < ours.auxmol.nao
    assert np.abs(our_rows.T @ our_rows - their_rows.T @ their_rows).max() < SAME_INTEGRAL


def test_file_of_an_earlier_tensor_is_written_again(tmp_path):
    path = str(tmp_path / "tensor.h5")
    energies = []
    for atom in ("H 0 0 0; H 0 0 0.74", "H 0 0 0; H 0 0 0.9"):
        mf = accelerated.accelerate(scf.RHF(molecule(atom)).density_fit())
        mf.with_df._cderi_to_save = path
        energies.append(converged(mf).e_tot)
        assert abs(energies[-1] - converged(scf.RHF(molecule(atom)).density_fit()).e_tot) < SAME_ENERGY


def test_older_form_on_disk_is_left_to_pyscf(metrics, tmp_path):
    def prepare(with_df):
        with_df._compatible_format = True
        on_disk("file", tmp_path)(with_df)

    theirs, ours = pair(prepare)
    assert not metrics
    assert np.array_equal(np.vstack(list(ours.loop())), np.vstack(list(theirs.loop())))


def test_tensor_that_is_there_is_kept(metrics):
    mf = fitted(scf.RHF(molecule()))
    tensor = mf.with_df.build()._cderi
    with_df = accelerated.accelerate(mf).with_df
    with_df.auxmol = None
    assert with_df.build()._cderi is tensor
    assert not metrics


class OwnTensor(df.DF):
    """Has a method of its own."""

    def build(self):
        self._cderi = 2 * super().build()._cderi
        return self


@pytest.mark.parametrize("everywhere", [False, True], ids=["accelerate", "patch"])
def test_own_method_is_kept(everywhere):
    mf = fitted(scf.RHF(molecule()), with_df=OwnTensor(molecule()))
    wanted = 2 * df.DF(molecule()).build()._cderi
    if everywhere:
        with accelerated.patch():
            mf.with_df.build()
    else:
        accelerated.accelerate(mf).with_df.build()
    assert np.abs(mf.with_df._cderi - wanted).max() < SAME_INTEGRAL


def test_patch(metrics):
    with accelerated.patch():
        ours = converged(fitted(scf.RHF(molecule())))
        assert len(metrics) == 1
        # Made while PySCF's class has our method.
        inside = accelerated.accelerate(fitted(scf.RHF(molecule())))
    assert abs(ours.e_tot - plain_energy("RHF")) < SAME_ENERGY
    assert df.DF.build is _tensor.pyscf_build
    inside.with_df.build()
    assert len(metrics) == 2
    accelerated.restore(inside).with_df.reset().build()
    assert len(metrics) == 2


def test_log_says_what_was_done():
    mf = accelerated.accelerate(fitted(scf.RHF(molecule())))
    mf.with_df.verbose, mf.with_df.stdout = 4, io.StringIO()
    mf.with_df.build()
    assert "DF metric: trnsci" in mf.with_df.stdout.getvalue()
