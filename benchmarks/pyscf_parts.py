"""Parts of a run alone: J and K from the fitting tensor, and the metric that is folded into it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
from pyscf import df, lib, scf
from pyscf.df import incore

# The first call of each is not counted; of the others the least time is.
CALLS = 5

Prepared = tuple[Callable[[], Any], Callable[[Any], Any]]  # makes the operand, which a call may overwrite; the call


def _least(operations: dict[str, Prepared]) -> tuple[dict[str, float], dict[str, Any]]:
    """Return the seconds of each operation and its last result; they take turns."""
    seconds: dict[str, float] = dict.fromkeys(operations, float("inf"))
    results: dict[str, Any] = {}
    for turn in range(CALLS + 1):
        for name, (prepare, call) in operations.items():
            operand = prepare()
            begin = time.perf_counter()
            results[name] = call(operand)
            if turn > 0:
                seconds[name] = min(seconds[name], time.perf_counter() - begin)
    return seconds, results


def _found(seconds: dict[str, float], energies: dict[str, float], **facts: int) -> dict[str, Any]:
    return {"seconds": sum(seconds.values()), "steps": seconds, "energies": energies, "facts": dict(facts)}


def jk(molecule: Any, ours: bool) -> dict[str, Any]:
    """Time J and K of a density that is tagged with its orbitals, both and each alone, and of the first density of an
    SCF.

    The energies are those of Coulomb and exchange, half and a quarter of the traces of both with the density.
    """
    mf = scf.RHF(molecule).density_fit()
    if ours:
        import trnsci.pyscf

        trnsci.pyscf.accelerate(mf)
    mf.with_df.build()
    # SciPy on both sides, so that both get the same orbitals.
    levels, coeff = scipy.linalg.eigh(mf.get_hcore(), mf.get_ovlp())
    tagged, first = mf.make_rdm1(coeff, mf.get_occ(levels, coeff)), mf.get_init_guess()
    seconds, results = _least(
        {
            "J and K": (lambda: tagged, lambda dm: mf.get_jk(molecule, dm)),
            "J": (lambda: tagged, lambda dm: mf.get_jk(molecule, dm, with_k=False)),
            "K": (lambda: tagged, lambda dm: mf.get_jk(molecule, dm, with_j=False)),
            "J and K of the first density": (lambda: first, lambda dm: mf.get_jk(molecule, dm)),
        }
    )
    energies: dict[str, float] = {}
    for name, dm in (("J and K", tagged), ("J and K of the first density", first)):
        vj, vk = (np.asarray(matrix) for matrix in results[name])
        energies[f"Coulomb, {name}"] = float(np.vdot(dm, vj)) / 2
        energies[f"exchange, {name}"] = float(np.vdot(dm, vk)) / 4
    return _found(seconds, energies, nao=molecule.nao_nr(), naux=int(mf.with_df.get_naoaux()))


def _fitted_by_pyscf(metric: Any, integrals: Any) -> Any:
    """Do what ``pyscf.df.incore.cholesky_eri`` does with integrals that are contiguous rows."""
    low = scipy.linalg.cholesky(metric, lower=True)
    (trsm,) = scipy.linalg.get_blas_funcs(("trsm",), (low, integrals))
    return trsm(1.0, low, integrals.T, lower=True, trans_a=1, side=1, overwrite_b=True).T


def _fitted_by_trnsci(metric: Any, integrals: Any) -> Any:
    import trnsci

    return trnsci.df_fit(metric, integrals, overwrite=True, check_finite=False, threads=lib.num_threads()).integrals


def metric(molecule: Any, ours: bool) -> dict[str, Any]:
    """Time the Cholesky factor of the metric and the triangular solve for all pairs of basis functions.

    The energy is the mean self-repulsion of a pair.
    """
    auxiliary = df.make_auxmol(molecule, df.make_auxbasis(molecule))
    integrals = incore.aux_e2(molecule, auxiliary, aosym="s2ij").T
    coulomb = incore.fill_2c2e(molecule, auxiliary)
    fit = _fitted_by_trnsci if ours else _fitted_by_pyscf
    operation: Prepared = (lambda: np.array(integrals, order="C"), lambda operand: fit(coulomb, operand))
    seconds, results = _least({"factor and solve": operation})
    fitted = results["factor and solve"]
    energy = float(np.vdot(fitted, fitted)) / fitted.shape[1]
    return _found(seconds, {"self-repulsion": energy}, naux=fitted.shape[0], npairs=fitted.shape[1])
