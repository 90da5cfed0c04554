"""What this package computes from the integrals over pairs of orbitals: energies, amplitudes, densities."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any

from .. import mp2
from .._core import _device
from .._core._array import Array
from .._core._device import last_report
from ..mp2 import MP2Result
from ._common import BLOCK_SHARE, LEAST_MEGABYTES, lib, logger
from ._orbitals import by_spin

# Blocks hold at least this number of occupied orbitals, even above PySCF's soft memory limit; two orbitals make a pair.
_LEAST_ORBITALS = 4
# A device also holds parts of them and products: the size of five or six orbitals for fp64 and bf16x3, the largest.
_LEAST_ORBITALS_ON_DEVICE = 12


def energies(mp: Any, eris: Any, on: _device.Device | None, precision: str | None, etol: float | None) -> MP2Result:
    """Compute the energies from what PySCF's ``ao2mo`` returned. The log says where, and how long it took."""
    log = logger.new_logger(mp)
    start = (logger.process_clock(), logger.perf_counter())
    threads = lib.num_threads()
    integrals, eps_occ, eps_vir = _arguments(mp, eris)
    megabytes = _block_megabytes(mp, integrals, eps_vir, _LEAST_ORBITALS if on is None else _LEAST_ORBITALS_ON_DEVICE)
    result: MP2Result = mp2.df_mp2_energy(  # type: ignore[call-overload]
        *_by_kind(integrals, eps_occ, eps_vir),
        layout="(ia)P",
        pair_energies=True,  # they are made at any rate, and small
        max_memory=megabytes if on is None or on.in_host_memory else None,
        threads=threads,
        device=on,
        precision=precision,
        etol=etol,
    )
    if on is None:
        log.info("DF-MP2 pair energies: trnsci, %d threads, %.3f seconds", threads, logger.perf_counter() - start[1])
    else:
        _log_report(log, precision, last_report())
    log.timer("trnsci pair energies", *start)
    return result


def amplitudes(mp: Any, eris: Any) -> Any:
    """Compute the amplitudes as PySCF holds them, one array or those of alpha-alpha, alpha-beta and beta-beta."""
    require_room_for_amplitudes(mp)
    start, threads = logger.perf_counter(), lib.num_threads()
    integrals, eps_occ, eps_vir = _arguments(mp, eris)
    megabytes = _block_megabytes(mp, integrals, eps_vir, _LEAST_ORBITALS)
    t2 = mp2.mp2_amplitudes(
        *_by_kind(integrals, eps_occ, eps_vir), layout="(ia)P", max_memory=megabytes, threads=threads
    )
    logger.info(mp, "DF-MP2 amplitudes: trnsci, %d threads, %.3f seconds", threads, logger.perf_counter() - start)
    return t2


def densities(mp: Any, eris: Any) -> list[Array]:
    """Compute the density of each spin over the correlated orbitals, occupied ones first."""
    start, threads = logger.perf_counter(), lib.num_threads()
    integrals, eps_occ, eps_vir = _arguments(mp, eris)
    megabytes = _block_megabytes(mp, integrals, eps_vir, _LEAST_ORBITALS)
    found = mp2.mp2_rdm1(*_by_kind(integrals, eps_occ, eps_vir), layout="(ia)P", max_memory=megabytes, threads=threads)
    logger.info(mp, "DF-MP2 density: trnsci, %d threads, %.3f seconds", threads, logger.perf_counter() - start)
    return [found] if len(integrals) == 1 else list(found)


def require_room_for_amplitudes(mp: Any) -> None:
    """Refuse amplitudes that PySCF will refuse, but before the energies are computed, and with their number of
    bytes."""
    spins = [[e.size for e in energies[1:3]] for energies in by_spin(mp.split_mo_energy())]
    pairs = combinations_with_replacement(spins, 2)
    needed = 8 * sum(nocc * other_nocc * nvir * other_nvir for (nocc, nvir), (other_nocc, other_nvir) in pairs)
    free = mp.max_memory - lib.current_memory()[0]
    if needed / 1e6 > free:
        raise MemoryError(
            f"with_t2: the amplitudes take {needed} bytes, and max_memory, {mp.max_memory:g} MB, leaves "
            f"{max(0, free):.0f} MB; energies alone need none of them, and trnsci.mp2_amplitudes writes them to files"
        )


def _arguments(mp: Any, eris: Any) -> tuple[list[Any], tuple[Array, ...], tuple[Array, ...]]:
    """Return the integrals and the energies of the correlated orbitals of each spin."""
    eps_occ, eps_vir = zip(*(energies[1:3] for energies in by_spin(mp.split_mo_energy())), strict=True)
    return ([eris.ovL] if len(eps_occ) == 1 else list(eris.ovL)), eps_occ, eps_vir


def _by_kind(*arguments: Sequence[Any]) -> Sequence[Any]:
    """Return the arguments of a closed shell or, as pairs, those of an open one."""
    return [spins[0] for spins in arguments] if len(arguments[0]) == 1 else arguments


def _log_report(log: Any, precision: str | None, report: Any) -> None:
    """Write what happened on a device into PySCF's log."""
    log.info(
        "DF-MP2 pair energies: trnsci on %s, %s: %d graphs compiled, %d runs, %.3f seconds, error bound %.1e hartree",
        report.device, precision, report.compiles, report.dispatches, report.seconds, report.error_bound,
    )  # fmt: skip


def _block_megabytes(mp: Any, integrals: Sequence[Any], eps_vir: Sequence[Array], least: int) -> float:
    """Return how much memory blocks of integrals on disk, or on a device, may take: that of `least` orbitals at any
    rate."""
    free = mp.max_memory - lib.current_memory()[0]
    orbital = max(vir.size * x.shape[1] * x.dtype.itemsize for x, vir in zip(integrals, eps_vir, strict=True)) / 1e6
    return float(max(LEAST_MEGABYTES, least * orbital, BLOCK_SHARE * free))
