"""The fitting tensor of mean fields: PySCF's integrals, fitted by this package."""

from __future__ import annotations

import tempfile
from typing import Any

from ..df import df_fit
from ._common import balance_partition, df, incore, lib, logger, moleintor, outcore
from ._integrals import MOST_MEGABYTES, WORD_BYTES, ao_integrals

# PySCF keeps a tensor in memory that takes less of the free memory than this.
_SHARE_IN_MEMORY = 0.9
# The part of the free memory that a block of a tensor on disk takes while it is made, as in PySCF.
_SHARE_OF_BLOCK = 0.24

# `patch` puts `build` in its place.
pyscf_build = df.DF.build


def build(self: Any) -> Any:
    """Compute the tensor as PySCF's ``DF.build`` does, which `patch` puts this into the place of.

    Integrals fill the tensor's memory and are fitted there; the log says so from ``verbose=4`` on. A tensor that is to
    be on disk, by PySCF's rule, is made and written in blocks of pairs, the form that PySCF has for it. PySCF's own
    code is left with a tensor that is there already, and with one that is asked for in the older form, by rows.

    Parameters
    ----------
    self : pyscf.df.DF

    Returns
    -------
    pyscf.df.DF
        `self`.
    """
    if self._cderi is not None or self._compatible_format:
        return pyscf_build(self)
    auxmol = df.addons.make_auxmol(self.mol, self.auxbasis)
    nao, naux = int(self.mol.nao_nr()), int(auxmol.nao_nr())
    megabytes = nao * (nao + 1) // 2 * naux * WORD_BYTES / 1e6
    on_disk = isinstance(self._cderi_to_save, str) or megabytes >= _SHARE_IN_MEMORY * _free_megabytes(self)
    self.check_sanity()
    self.dump_flags()
    self.auxmol = auxmol
    self._cderi = _written(self, naux) if on_disk else _fitted(self, naux)
    return self


def _free_megabytes(with_df: Any) -> float:
    return float(with_df.max_memory - lib.current_memory()[0])


def _fitted(with_df: Any, naux: int) -> Any:
    """Return the tensor, of shape (naux, nao*(nao+1)/2), or of fewer rows where the metric has no Cholesky factor."""
    start = logger.perf_counter()
    tensor = next(ao_integrals(with_df, naux))
    between = logger.perf_counter()
    fitted = _fold(with_df, incore.fill_2c2e(with_df.mol, with_df.auxmol), tensor)
    _log(with_df, fitted, naux, between - start, logger.perf_counter() - between)
    return fitted.integrals


def _written(with_df: Any, naux: int) -> Any:
    """Write the tensor, in blocks of pairs of shape (naux, pairs), and return the file as PySCF holds it."""
    if with_df._cderi_to_save is None:
        # PySCF 2.9 takes Python's.
        temporary = getattr(lib, "NamedTemporaryFile", tempfile.NamedTemporaryFile)
        with_df._cderi_to_save = temporary(dir=lib.param.TMPDIR)
    store, mol = with_df._cderi_to_save, with_df.mol
    metric = incore.fill_2c2e(mol, with_df.auxmol)
    optimizer = moleintor.make_cintopt(mol._atm, mol._bas, mol._env, mol._add_suffix("int3c2e"))
    pairs = mol.ao_loc * (mol.ao_loc + 1) // 2  # of functions in the shells before each
    most = min(MOST_MEGABYTES, _SHARE_OF_BLOCK * _free_megabytes(with_df)) * 1e6 / (WORD_BYTES * naux)
    integrals, folding, fitted = 0.0, 0.0, None
    with outcore._create_h5file(store, with_df._dataname) as file:
        for n, (first, end, _) in enumerate(balance_partition(pairs, max(1, int(most)))):
            start = logger.perf_counter()
            shells = (first, end, 0, mol.nbas, 0, with_df.auxmol.nbas)
            block = incore.aux_e2(mol, with_df.auxmol, aosym="s2ij", cintopt=optimizer, shls_slice=shells)
            between = logger.perf_counter()
            fitted = _fold(with_df, metric, block.T)
            file[f"{with_df._dataname}/{n}"] = fitted.integrals
            integrals, folding = integrals + between - start, folding + logger.perf_counter() - between
    if fitted is not None:
        _log(with_df, fitted, naux, integrals, folding, ", on disk")
    return store


def _fold(with_df: Any, metric: Any, integrals: Any) -> Any:
    return df_fit(metric, integrals, lindep=incore.LINEAR_DEP_THR, overwrite=True, threads=lib.num_threads())


def _log(with_df: Any, fitted: Any, naux: int, integrals: float, folding: float, where: str = "") -> None:
    how = f"eigenvectors, {fitted.dropped} of {naux} dropped" if fitted.dropped else "Cholesky factor"
    logger.info(with_df, "DF integrals: PySCF, libcint, %.3f seconds", integrals)
    logger.info(with_df, "DF metric: trnsci, %d threads, %s%s, %.3f seconds", lib.num_threads(), how, where, folding)
