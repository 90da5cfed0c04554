"""Checks on the installed devices, and checks that results do not depend on the number of threads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import trnsci

from .. import blas, linalg
from .._core import _memory
from .._core._array import Array
from .._core._errors import DeviceError
from ._case import DOUBLE, HERMITIAN_LIMIT, ORDER, Case, Checks, Measured

CHECKS = Checks()

SINGLE = ("float32",)

_PRODUCT_LIMIT = 4.0  # in units of (k + 2) eps times the sum of the moduli
_NOCC, _NVIR, _NAUX = 3, 8, 10


@CHECKS.add(SINGLE)
def _devices(case: Case) -> Iterator[Measured]:
    for name in trnsci.devices()[1:]:
        try:
            device = trnsci.Device(name)
        except DeviceError as error:  # its software is installed, but the device is missing
            yield Measured(f"device {name}: left out, since it does not open: {error}", 0.0, 0.0)
            continue
        with device:
            yield from _on(device, case)


def _on(device: trnsci.Device, case: Case) -> Iterator[Measured]:
    a, b = case.general(), case.general()
    exact_a, exact_b = a.astype(np.float64), b.astype(np.float64)
    products = {
        "gemm": (blas.gemm(1, a, b, device=device), exact_a, exact_b),
        "batched_gemm": (blas.batched_gemm(1, a[None], b[None], device=device)[0], exact_a, exact_b),
        "syrk": (blas.syrk(1, a, device=device), exact_a, exact_a.T),
    }
    for name, (got, left, right) in products.items():
        yield Measured(f"device {device.name}: {name}", _in_moduli(case, got, left, right), _PRODUCT_LIMIT)
    report = trnsci.last_report()
    yield Measured(
        f"device {device.name}: last_report names it", float(report is None or report.device != device.name), 0.0
    )
    p = case.positive()
    x, _ = linalg.inv_sqrt_spd(p, method="newton-schulz", device=device)
    wide = p.astype(np.float64)
    residual = x @ wide @ x - np.eye(ORDER)
    scale = 1 + np.linalg.cond(wide) / np.sqrt(ORDER)
    yield Measured(f"device {device.name}: inv_sqrt_spd", case.in_eps(residual, scale), HERMITIAN_LIMIT)
    b, occ, vir = case.random(_NOCC, _NVIR, _NAUX), np.linspace(-2, -1, _NOCC), np.linspace(0.5, 3, _NVIR)
    result = trnsci.df_mp2_energy(b, occ, vir, device=device)
    exact = trnsci.df_mp2_energy(b.astype(np.float64), occ, vir)
    error = abs(result.e_corr - exact.e_corr) / (result.error_bound + exact.error_bound)
    yield Measured(f"device {device.name}: df_mp2_energy, error / error_bound", error, 1.0)


def _in_moduli(case: Case, got: Array, left: Array, right: Array) -> float:
    moduli = np.abs(left) @ np.abs(right)
    return float(np.max(np.abs(got - left @ right) / moduli) / ((ORDER + 2) * case.eps))


@CHECKS.add(DOUBLE)
def _number_of_threads(case: Case) -> Iterator[Measured]:
    a = case.hermitian()
    results = []
    for n in (1, 2):
        with trnsci.threads(n):
            yield Measured(f"threads({n}): get_num_threads", abs(trnsci.get_num_threads() - n), 0.0)
            results.append(linalg.eigh(a)[1])
    yield Measured("threads: difference of results with 1 and 2", float(np.abs(results[0] - results[1]).max()), 0.0)
    trnsci.release_memory()
    yield Measured("release_memory: bytes of results kept", _memory.kept_bytes(), 0.0)
