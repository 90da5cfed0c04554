"""How well progress tells the time that is left: `python benchmarks/progress.py [--curve] [--repeats N] [NAME ...]`.

For each long function it prints by which factor the estimate of the remaining time, the time spent times what is left
over what is done, is wrong at most between a tenth and 95 % of a call. Calls run with one thread, and time is the
processor time of the process, so that others on the machine disturb little; the best of some calls counts. Reports come
every 20 ms: calls should take much longer than that.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import trnsci
from trnsci import linalg

FIRST, LAST = 0.1, 0.95
LIMIT = 1.5  # of the factor
SILENCE = 0.05  # of the time: reports that are farther apart are looked at twice

Report = tuple[float, float]  # time, share done
Case = Callable[[Callable[[int, int], None]], object]


def worst_factor(reports: list[Report], end: float) -> tuple[float, float]:
    """Return the largest factor between the estimated and the true remaining time, and where in the time it is met.

    `reports` start at time 0. An estimate is looked at when its report comes and, where the next one is long in coming,
    just before that.
    """
    worst, at = 1.0, 0.0
    for (begin, done), (until, _) in zip(reports, [*reports[1:], (end, 1.0)], strict=True):
        for now in (begin, until) if until - begin > SILENCE * end else (begin,):
            if FIRST <= now / end <= LAST:
                factor = (now * (1 - done)) / (done * (end - now)) if 0 < done < 1 else float("inf")
                factor = max(factor, 1 / factor) if factor else float("inf")
                if factor > worst:
                    worst, at = factor, now / end
    return worst, at


def watch(case: Case) -> tuple[list[Report], float]:
    """Return the reports of one call and its time."""
    reports: list[Report] = [(0.0, 0.0)]
    start = time.process_time()
    case(lambda done, total: reports.append((time.process_time() - start, done / total)))
    return reports, time.process_time() - start


def curve(reports: list[Report], end: float) -> str:
    """Return what is done after each tenth of the time, in per cent."""
    times, shares = np.array(reports).T
    return " ".join(f"{100 * np.interp(tenth / 10, times / end, shares):3.0f}" for tenth in range(1, 10))


def watched(function: Callable[..., object], *args: Any, **options: Any) -> Case:
    """Return a call of a function with one thread that takes its progress."""
    return lambda progress: function(*args, **options, threads=1, progress=progress)


def matrices(n: int, dtype: str = "float64") -> tuple[Any, Any, Any]:
    """Return a general, a Hermitian and a positive definite matrix."""
    rng = np.random.default_rng(n)
    a = rng.standard_normal((n, n))
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.standard_normal((n, n))
    a = a.astype(dtype)
    h = a + a.conj().T
    return a, h, (a @ a.conj().T / n + np.eye(n)).astype(dtype)


def eigensolvers() -> Iterator[tuple[str, Case]]:
    _, h, s = matrices(1500)
    yield "eigh", watched(trnsci.eigh, h)
    yield "eigvalsh", watched(linalg.eigvalsh, h)
    yield "eigh subset", watched(trnsci.eigh, h, subset_by_index=[0, 99])
    yield "eigh generalized", watched(trnsci.eigh, h, s)
    yield "eigh lindep", watched(trnsci.eigh, h, s, lindep=1e-8)
    for dtype in ("float32", "complex64", "complex128"):
        _, h, s = matrices(1000, dtype)
        yield f"eigh {dtype}", watched(trnsci.eigh, h)
        yield f"eigvalsh {dtype}", watched(linalg.eigvalsh, h)
        yield f"eigh generalized {dtype}", watched(trnsci.eigh, h, s)
    stack = np.stack([matrices(500)[1]] * 6)
    yield "eigh stack", watched(trnsci.eigh, stack)
    small, spd = matrices(400)[1:]
    yield "eigh jacobi", watched(trnsci.eigh, small, driver="jacobi")
    yield "eigh jacobi definite", watched(trnsci.eigh, spd, driver="jacobi")
    rng = np.random.default_rng(0)
    d, e = rng.standard_normal(2500), rng.standard_normal(2499)
    yield "eigh_tridiagonal", watched(linalg.eigh_tridiagonal, d, e)
    long_d, long_e = rng.standard_normal(12000), rng.standard_normal(11999)
    yield "eigvalsh_tridiagonal", watched(linalg.eigvalsh_tridiagonal, long_d, long_e)
    band = rng.standard_normal((12, 3000))
    yield "eigvals_banded", watched(linalg.eigvals_banded, band)
    narrow = rng.standard_normal((12, 1200))
    yield "eig_banded", watched(linalg.eig_banded, narrow)


def general() -> Iterator[tuple[str, Case]]:
    for n, dtype in ((800, "float64"), (500, "complex128"), (150, "float64"), (130, "complex128")):
        a = matrices(n, dtype)[0]
        if n < 200:
            a = np.stack([a] * 8)
        yield f"hessenberg {n} {dtype}", watched(linalg.hessenberg, a, calc_q=True)
        yield f"schur {n} {dtype}", watched(trnsci.schur, a)
        yield f"eig {n} {dtype}", watched(linalg.eig, a)
        yield f"eigvals {n} {dtype}", watched(linalg.eigvals, a)
    a = matrices(700)[0]
    yield "schur sort", watched(trnsci.schur, a, sort="lhp")
    yield "schur complex", watched(trnsci.schur, a, output="complex")
    yield "eig left", watched(linalg.eig, a, left=True)
    for n, dtype in ((350, "float64"), (250, "complex128")):
        a = matrices(n, dtype)[0]
        b = matrices(n + 1, dtype)[0][:n, :n]
        yield f"qz {dtype}", watched(linalg.qz, a, b)
        yield f"ordqz {dtype}", watched(linalg.ordqz, a, b)
        yield f"eig pair {dtype}", watched(linalg.eig, a, b)
        yield f"eigvals pair {dtype}", watched(linalg.eigvals, a, b)
    a, h, _ = matrices(600)
    b = matrices(601)[0][:600, :600]
    yield "solve_sylvester", watched(linalg.solve_sylvester, a, b, h)
    yield "solve_continuous_lyapunov", watched(linalg.solve_continuous_lyapunov, a, h)
    yield "solve_discrete_lyapunov", watched(linalg.solve_discrete_lyapunov, a, h)


def functions() -> Iterator[tuple[str, Case]]:
    a, _, s = matrices(500)
    near = a / 40 + 2 * np.eye(500)
    yield "expm", watched(linalg.expm, a)
    small, metric = matrices(900)[0] / 300, matrices(1200)[2]
    yield "expm small", watched(linalg.expm, small)
    for kind, matrix in (("", a), (" real", near), (" complex", near + 1j * a / 40), (" hermitian", s)):
        yield f"sqrtm{kind}", watched(linalg.sqrtm, matrix)
        yield f"logm{kind}", watched(linalg.logm, matrix)
        yield f"power{kind}", watched(linalg.fractional_matrix_power, matrix, 0.3)
        yield f"signm{kind}", watched(linalg.signm, matrix)
        yield f"funm{kind}", watched(linalg.funm, matrix, np.sin)
    yield "integer power", watched(linalg.fractional_matrix_power, a, 1000)
    yield "inv_sqrt_spd", watched(linalg.inv_sqrt_spd, metric)


def factorizations() -> Iterator[tuple[str, Case]]:
    for n, dtype in ((3000, "float64"), (3000, "float32"), (1500, "complex128")):
        s = matrices(n, dtype)[2]
        f, b = linalg.cho_factor(s), matrices(n, dtype)[0]
        yield f"cholesky {dtype}", watched(linalg.cholesky, s)
        yield f"cho_solve {dtype}", watched(linalg.cho_solve, f, b)
        yield f"solve_triangular {dtype}", watched(linalg.solve_triangular, f[0], b)


def energies() -> Iterator[tuple[str, Case]]:
    rng = np.random.default_rng(1)
    nocc, nvir, naux = 30, 150, 400
    b, occ, vir = rng.standard_normal((nocc, nvir, naux)) / 30, -np.arange(nocc, 0.0, -1), np.arange(1.0, nvir + 1)
    args = (b, occ, vir)
    yield "df_mp2_energy", watched(trnsci.df_mp2_energy, *args)
    pair = ((b, b), (occ, occ), (vir, vir))
    yield "df_mp2_energy pair", watched(trnsci.df_mp2_energy, *pair)
    yield "sos_mp2_energy", watched(trnsci.sos_mp2_energy, *args)
    yield "df_gmp2_energy", watched(trnsci.df_gmp2_energy, *args)
    yield "mp2_amplitudes", watched(trnsci.mp2_amplitudes, *args)
    yield "mp2_rdm1", watched(trnsci.mp2_rdm1, *args)
    k = 3
    blocks = rng.standard_normal((k, k, 10, 40, 200)) + 1j * rng.standard_normal((k, k, 10, 40, 200))
    kocc, kvir = np.tile(-np.arange(10, 0.0, -1), (k, 1)), np.tile(np.arange(1.0, 41), (k, 1))
    kconserv = (np.arange(k)[:, None, None] - np.arange(k)[None, :, None] + np.arange(k)[None, None, :]) % k
    yield "df_kmp2_energy", watched(trnsci.df_kmp2_energy, blocks, kocc, kvir, kconserv)


def integrals() -> Iterator[tuple[str, Case]]:
    rng = np.random.default_rng(2)
    nao, naux = 220, 700
    rows = rng.standard_normal((naux, nao * (nao + 1) // 2))
    dm = rng.standard_normal((nao, nao))
    yield "df_jk", watched(trnsci.df_jk, rows, dm + dm.T)
    yield "df_transform", watched(trnsci.df_transform, rows, dm[:, :40], dm[:, 40:])
    metric = matrices(700)[2]
    yield "df_fit", watched(trnsci.df_fit, metric, rows, axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="beginnings of names; all functions without any")
    parser.add_argument(
        "--curve", action="store_true", help="print what is done after each tenth of the time, in per cent"
    )
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for group in (eigensolvers, general, functions, factorizations, energies, integrals):
        for name, case in group():
            if options.names and not any(name.startswith(beginning) for beginning in options.names):
                continue
            case(lambda done, total: None)
            calls = [watch(case) for _ in range(options.repeats)]
            reports, end = min(calls, key=lambda call: worst_factor(*call))
            worst, at = worst_factor(reports, end)
            mark = "" if worst <= LIMIT else "  <-- too far off"
            shape = f"  {curve(reports, end)}" if options.curve else ""
            print(f"{name:32} {end:6.2f} s  {worst:6.2f} at {100 * at:3.0f} %{shape}{mark}", flush=True)


if __name__ == "__main__":
    main()
