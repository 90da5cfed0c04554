"""The integrals of DF-MP2 over pairs of orbitals: PySCF's over atomic orbitals, transformed and fitted by this
package."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._core._array import Array
from ..df import df_fit, df_transform
from ._common import balance_partition, df, dfmp2, dfump2, incore, lib, logger, moleintor

# The part of the memory left by `max_memory` that a block of integrals over atomic orbitals may take, as in PySCF, and
# megabytes beyond which larger blocks gain nothing.
_AO_BLOCK_SHARE = 0.7
MOST_MEGABYTES = 256.0
# PySCF leaves a fifth of the memory free, and counts in mebibytes here.
_SHARE_IN_MEMORY = 0.8
_MEBIBYTE = 1024**2
WORD_BYTES = 8


def pair_integrals(mp: Any, spaces: list[Any], on_disk: bool) -> list[Array] | None:
    """Return B[ia,P] of each spin, an array of shape (nocc*nvir, naux), or None where PySCF's own code has to compute
    them.

    `spaces` holds the coefficients of the occupied and virtual orbitals of each spin; `on_disk` asks for a file. The
    log has a line for each step, from ``verbose=4`` on, with its seconds.
    """
    log = logger.new_logger(mp)
    why = _left_to_pyscf(mp, spaces, on_disk)
    if why:
        log.info("DF-MP2 integrals over orbitals: PySCF, %s", why)
        return None
    with_df, threads = mp.with_df, lib.num_threads()
    naux, is_fitted = _naux(with_df), with_df._cderi is not None
    results = [np.empty((occ.shape[1], vir.shape[1], naux)) for occ, vir in spaces]
    rows = _rows_of_block(mp, naux, spaces[0][0].shape[0], sum(b.nbytes for b in results))
    blocks = with_df.loop(blksize=rows) if is_fitted else ao_integrals(with_df, rows)
    loading, transforming, p1 = 0.0, 0.0, 0
    while True:
        begin = logger.perf_counter()
        block = next(blocks, None)
        loading += logger.perf_counter() - begin
        if block is None:
            break
        begin = logger.perf_counter()
        p0, p1 = p1, p1 + len(block)
        for (occ, vir), b in zip(spaces, results, strict=True):
            # What is not finite shows in the energies, which are checked.
            df_transform(block, occ, vir, out=b[:, :, p0:p1], check_finite=False, threads=threads)
        transforming += logger.perf_counter() - begin
    log.info(
        "DF-MP2 integrals over atomic orbitals: PySCF, %s, %.3f seconds", "stored" if is_fitted else "libcint", loading
    )
    log.info("DF-MP2 integrals over orbitals: trnsci, %d threads, %.3f seconds", threads, transforming)
    if not is_fitted:
        results = _fit(log, with_df, results, threads)
    return [b.reshape(-1, b.shape[2]) for b in results]


def in_memory(mp: Any, spaces: list[Any], integrals: list[Array]) -> Any:
    """Return integrals as PySCF holds those in memory.

    Its own ``ao2mo`` would take them too, but that of PySCF 2.9 computes those over atomic orbitals before, and keeps
    them.
    """
    parts: list[Any] = [[occ for occ, _ in spaces], [vir for _, vir in spaces], integrals]
    holder = dfump2._DFINCOREERIS
    if len(spaces) == 1:
        parts, holder = [part[0] for part in parts], dfmp2._DFINCOREERIS
    occ_coeff, vir_coeff, ovL = parts
    return holder(mp.with_df, occ_coeff, vir_coeff, mp.max_memory, ovL=ovL, verbose=mp.verbose, stdout=mp.stdout)


def _left_to_pyscf(mp: Any, spaces: list[Any], on_disk: bool) -> str:
    """Return why the integrals are left to PySCF, empty if they are not. The rule for what is kept on disk is
    PySCF's."""
    with_df = mp.with_df
    if not isinstance(with_df, df.DF) or getattr(with_df, "cell", None) is not None:
        return f"which knows {type(with_df).__name__}"
    megabytes = sum(occ.shape[1] * vir.shape[1] for occ, vir in spaces) * _naux(with_df) * WORD_BYTES / _MEBIBYTE
    if on_disk or mp.force_outcore or _SHARE_IN_MEMORY * _free_megabytes(mp) < megabytes:
        return "on disk"
    return ""


def _free_megabytes(mp: Any) -> float:
    return float(mp.max_memory - lib.current_memory()[0])


def _naux(with_df: Any) -> int:
    """Return the number of auxiliary functions, before linearly dependent ones are dropped where nothing is fitted
    yet."""
    if with_df._cderi is not None:
        return int(with_df.get_naoaux())
    if with_df.auxmol is None:
        with_df.auxmol = df.addons.make_auxmol(with_df.mol, with_df.auxbasis)
    return int(with_df.auxmol.nao_nr())


def _rows_of_block(mp: Any, naux: int, nao: int, reserved: int) -> int:
    """Return how many auxiliary functions a block of integrals has; results of `reserved` bytes are not yet in use."""
    megabytes = min(MOST_MEGABYTES, _AO_BLOCK_SHARE * (_free_megabytes(mp) - reserved / 1e6))
    return max(1, min(naux, int(megabytes * 1e6 / (nao * (nao + 1) // 2 * WORD_BYTES))))


def ao_integrals(with_df: Any, rows: int) -> Iterator[Array]:
    """Compute packed integrals (P|mu nu) in blocks of about `rows` P; a block is freed before the next one."""
    mol, auxmol = with_df.mol, with_df.auxmol
    shells = balance_partition(auxmol.ao_loc, rows)
    nao = mol.nao_nr()
    memory = np.empty(max(count for _, _, count in shells) * (nao * (nao + 1) // 2))
    # What libcint computes once for all blocks.
    optimizer = moleintor.make_cintopt(mol._atm, mol._bas, mol._env, mol._add_suffix("int3c2e"))
    for first, end, _ in shells:
        block = incore.aux_e2(
            mol, auxmol, aosym="s2ij", out=memory, cintopt=optimizer, shls_slice=(0, mol.nbas, 0, mol.nbas, first, end)
        )
        yield block.T


def _fit(log: Any, with_df: Any, results: list[Array], threads: int) -> list[Array]:
    """Fit the integrals with the Coulomb metric of the auxiliary functions, in place."""
    begin = logger.perf_counter()
    metric = incore.fill_2c2e(with_df.mol, with_df.auxmol)
    options = {
        "axis": -1,
        "lindep": incore.LINEAR_DEP_THR,
        "overwrite": True,
        "check_finite": False,
        "threads": threads,
    }
    fits = [df_fit(metric, b, **options) for b in results]
    dropped = fits[0].dropped
    how = f"eigenvectors, {dropped} of {len(metric)} dropped" if dropped else "Cholesky factor"
    log.info("DF-MP2 metric: trnsci, %d threads, %s, %.3f seconds", threads, how, logger.perf_counter() - begin)
    return [fit.integrals for fit in fits]
