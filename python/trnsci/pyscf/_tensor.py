"""The fitting tensor of mean fields: PySCF's integrals, into which this package folds the metric."""

from __future__ import annotations

from typing import Any

from .._df_fit import df_fit
from ._common import df, incore, lib, logger
from ._integrals import WORD_BYTES, ao_integrals

# PySCF keeps a tensor in memory that takes less of the free memory than this.
_SHARE_IN_MEMORY = 0.9

# `patch` puts `build` in its place.
pyscf_build = df.DF.build


def build(self: Any) -> Any:
    """Compute the tensor as PySCF's ``DF.build`` does, which `patch` puts this into the place of.

    Integrals fill the tensor's memory, and the metric is folded in there; the log says so from ``verbose=4`` on. PySCF's own
    code is left with a tensor that is there already, or that is to be on disk, by PySCF's rule.

    Parameters
    ----------
    self : pyscf.df.DF

    Returns
    -------
    pyscf.df.DF
        `self`.
    """
    if self._cderi is not None or isinstance(self._cderi_to_save, str):
        return pyscf_build(self)
    auxmol = df.addons.make_auxmol(self.mol, self.auxbasis)
    nao, naux = int(self.mol.nao_nr()), int(auxmol.nao_nr())
    megabytes = nao * (nao + 1) // 2 * naux * WORD_BYTES / 1e6
    if megabytes >= _SHARE_IN_MEMORY * (self.max_memory - lib.current_memory()[0]):
        return pyscf_build(self)
    self.check_sanity()
    self.dump_flags()
    self.auxmol = auxmol
    self._cderi = _fitted(self, naux)
    return self


def _fitted(with_df: Any, naux: int) -> Any:
    """Return the tensor, of shape (naux, nao*(nao+1)/2), or of fewer rows where the metric has no Cholesky factor."""
    start = logger.perf_counter()
    tensor = next(ao_integrals(with_df, naux))
    between = logger.perf_counter()
    threads = lib.num_threads()
    metric = incore.fill_2c2e(with_df.mol, with_df.auxmol)
    options = {"lindep": incore.LINEAR_DEP_THR, "overwrite": True, "threads": threads}
    fitted = df_fit(metric, tensor, **options)
    how = "Cholesky factor" if fitted.dropped is None else f"eigenvectors, {fitted.dropped} of {naux} dropped"
    logger.info(with_df, "DF integrals: PySCF, libcint, %.3f seconds", between - start)
    logger.info(with_df, "DF metric: trnsci, %d threads, %s, %.3f seconds", threads, how, logger.perf_counter() - between)
    return fitted.integrals
