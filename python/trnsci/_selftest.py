"""A quick check of an installation: residuals of every solver in units of the machine epsilon."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import blas, linalg
from ._array import Array
from .mp2 import df_mp2_energy

_ORDER = 60
_SEED = 7
_LIMIT = 4.0  # residuals of the Hermitian solvers, in units of n eps
_SCHUR_LIMIT = 10.0


@dataclass(frozen=True)
class Check:
    """One residual and the limit it must stay below."""

    name: str
    value: float
    limit: float

    @property
    def passed(self) -> bool:
        return self.value <= self.limit  # False for NaN


def checks() -> Iterator[Check]:
    """Run the checks one by one."""
    rng = np.random.default_rng(_SEED)
    for dtype in (np.float32, np.float64, np.complex64, np.complex128):
        yield from _hermitian(rng, np.dtype(dtype))
        yield from _products(rng, np.dtype(dtype))
    yield from _schur(rng)
    yield _mp2()


def _in_eps(difference: Array, scale: Any, dtype: np.dtype[Any]) -> float:
    return float(np.linalg.norm(difference) / (_ORDER * np.finfo(dtype).eps * scale))


def _random(rng: np.random.Generator, dtype: np.dtype[Any]) -> Array:
    g: Array = rng.standard_normal((_ORDER, _ORDER)).astype(dtype)
    if dtype.kind == "c":
        g = g + g.dtype.type(1j) * rng.standard_normal((_ORDER, _ORDER)).astype(g.real.dtype)
    return g


def _products(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Check]:
    a, b = _random(rng, dtype), _random(rng, dtype)
    exact_a, exact_b = a.astype(np.clongdouble), b.astype(np.clongdouble)
    scale = np.linalg.norm(a) * np.linalg.norm(b)
    residual = (exact_a.conj().T @ exact_b - blas.gemm(1, a, b, transA="C")).astype(np.complex128)
    yield Check(f"gemm {dtype}: residual", _in_eps(residual, scale, dtype), _LIMIT)
    positive = a @ a.conj().T + _ORDER * np.eye(_ORDER, dtype=dtype)
    x = linalg.cho_solve(linalg.cho_factor(positive), b)
    scale = np.linalg.norm(positive) * np.linalg.norm(x)
    residual = positive.astype(np.complex128) @ x.astype(np.complex128) - b
    yield Check(f"cho_solve {dtype}: residual", _in_eps(residual, scale, dtype), _LIMIT)


def _hermitian(rng: np.random.Generator, dtype: np.dtype[Any]) -> Iterator[Check]:
    g = _random(rng, dtype)
    a = g + g.conj().T
    w, v = linalg.eigh(a)
    exact = a.astype(np.complex128)  # residuals are computed in double precision
    vectors = v.astype(np.complex128)
    yield Check(f"eigh {dtype}: residual", _in_eps(exact @ vectors - vectors * w, np.linalg.norm(exact, 2), dtype), _LIMIT)
    yield Check(f"eigh {dtype}: orthogonality", _in_eps(vectors.conj().T @ vectors - np.eye(_ORDER), 1, dtype), _LIMIT)
    positive = g @ g.conj().T + _ORDER * np.eye(_ORDER, dtype=dtype)
    root = linalg.inv_sqrt_spd(positive)[0].astype(np.complex128)
    residual = root @ positive.astype(np.complex128) @ root - np.eye(_ORDER)
    yield Check(f"inv_sqrt_spd {dtype}: residual", _in_eps(residual, np.linalg.cond(positive), dtype), _LIMIT)
    w, v = linalg.eigh(a, positive)
    metric, vectors = positive.astype(np.complex128), v.astype(np.complex128)
    scale = np.linalg.norm(vectors, 2) * (np.linalg.norm(exact, 2) + np.abs(w).max() * np.linalg.norm(metric, 2))
    residual = exact @ vectors - metric @ vectors * w
    yield Check(f"generalized eigh {dtype}: residual", _in_eps(residual, scale, dtype), _LIMIT)
    factor = linalg.cholesky(positive, lower=True).astype(np.complex128)
    residual = factor @ factor.conj().T - positive
    yield Check(f"cholesky {dtype}: residual", _in_eps(residual, np.linalg.norm(positive, 2), dtype), _LIMIT)


def _schur(rng: np.random.Generator) -> Iterator[Check]:
    a = rng.standard_normal((_ORDER, _ORDER))
    norm = float(np.linalg.norm(a, 2))
    t, z = linalg.schur(a)
    yield Check("schur float64: residual", _in_eps(z @ t @ z.T - a, norm, a.dtype), _SCHUR_LIMIT)
    yield Check("schur float64: orthogonality", _in_eps(z.T @ z - np.eye(_ORDER), 1, a.dtype), _SCHUR_LIMIT)
    h, q = linalg.hessenberg(a, calc_q=True)
    yield Check("hessenberg float64: orthogonality", _in_eps(q.T @ q - np.eye(_ORDER), 1, a.dtype), _SCHUR_LIMIT)
    yield Check("hessenberg float64: residual", _in_eps(q @ h @ q.T - a, norm, a.dtype), _SCHUR_LIMIT)


def _mp2() -> Check:
    # A made-up case small enough to be evaluated by hand from the formulas: nocc 2, nvir 3, naux 2.
    i, a, p = np.ogrid[:2, :3, :2]
    b = 0.1 * (1 + i + 2 * a) - 0.05 * p * (i + 1) * (a - 1)
    energy = float(df_mp2_energy(b, [-1.0, -0.5], [0.2, 0.4, 0.9]))
    return Check("df_mp2_energy: relative error / eps", abs(energy / -1.1198054886378939 - 1) / np.finfo(float).eps, 50.0)
