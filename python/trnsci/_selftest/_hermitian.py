"""Hermitian eigenproblems, Cholesky factors and systems with triangles."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from .. import linalg
from .._core._array import Array
from .._core._errors import LinearDependencyWarning
from ._case import HERMITIAN_LIMIT, ORDER, REAL, Case, Checks, Measured, norm, wide

CHECKS = Checks()

_CHOLESKY_LIMIT = 1.0


def _pairs(case: Case, name: str, a: Array, w: Array, v: Array) -> Iterator[Measured]:
    exact, vectors = wide(a), wide(v)
    yield Measured(f"{name}: A V - V W", case.in_eps(exact @ vectors - vectors * w, norm(a)), HERMITIAN_LIMIT)
    yield Measured(f"{name}: V^H V - I", case.identity_error(v), HERMITIAN_LIMIT)


@CHECKS.add()
def _eigh(case: Case) -> Iterator[Measured]:
    a = case.hermitian()
    yield from _pairs(case, "eigh", a, *linalg.eigh(a))
    w, v = linalg.eigh(a, driver="jacobi")
    yield from _pairs(case, "eigh, Jacobi's method", a, w, v)
    w, v = linalg.eigh(a, subset_by_index=(3, 9))
    yield from _pairs(case, "eigh, a subset", a, w, v)


@CHECKS.add()
def _generalized(case: Case) -> Iterator[Measured]:
    a, b = case.hermitian(), case.positive()
    w, v = linalg.eigh(a, b)
    vectors = wide(v)
    scale = norm(v) * (norm(a) + np.abs(w).max() * norm(b))
    residual = wide(a) @ vectors - wide(b) @ vectors * w
    yield Measured("eigh(a, b): A V - B V W", case.in_eps(residual, scale), HERMITIAN_LIMIT)


@CHECKS.add()
def _dependent(case: Case) -> Iterator[Measured]:
    # The last row and column of the metric repeat the previous ones.
    half = ORDER // 2
    small = np.zeros((half, half - 1), case.dtype)
    small[:-1], small[-1, -1] = np.eye(half - 1), 1
    a, b = case.hermitian()[:half, :half], small @ small.conj().T
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinearDependencyWarning)
        w, v = linalg.eigh(a, b, lindep=1e-3)
    vectors = wide(v)
    yield Measured(
        "eigh(a, b, lindep): V^H B V - I", case.in_eps(vectors.conj().T @ wide(b) @ vectors - np.eye(half - 1)), 4.0
    )
    residual = vectors.conj().T @ wide(a) @ vectors - np.diag(w)
    yield Measured("eigh(a, b, lindep): V^H A V - W", case.in_eps(residual, norm(a)), HERMITIAN_LIMIT)


@CHECKS.add()
def _values(case: Case) -> Iterator[Measured]:
    a, exact = case.second_differences()
    yield Measured("eigvalsh: W", case.in_eps(linalg.eigvalsh(a) - exact, 4), HERMITIAN_LIMIT)


@CHECKS.add(REAL)
def _tridiagonal(case: Case) -> Iterator[Measured]:
    a, exact = case.second_differences()
    d, e = np.diag(a), np.diag(a, 1)
    yield Measured(
        "eigvalsh_tridiagonal: W", case.in_eps(linalg.eigvalsh_tridiagonal(d, e) - exact, 4), HERMITIAN_LIMIT
    )
    d, e = case.random(ORDER), case.random(ORDER - 1)
    matrix = np.diag(d) + np.diag(e, 1) + np.diag(e, -1)
    yield from _pairs(case, "eigh_tridiagonal", matrix, *linalg.eigh_tridiagonal(d, e))


@CHECKS.add()
def _banded(case: Case) -> Iterator[Measured]:
    a, roots = case.second_differences()
    square = a @ a  # exact, since the elements are small integers
    band = np.zeros((3, ORDER), case.dtype)
    for k in range(3):
        band[2 - k, k:] = np.diag(square, k)
    yield Measured("eigvals_banded: W", case.in_eps(linalg.eigvals_banded(band) - roots**2, 16), HERMITIAN_LIMIT)
    yield from _pairs(case, "eig_banded", square, *linalg.eig_banded(band))


@CHECKS.add()
def _inverse_root(case: Case) -> Iterator[Measured]:
    a = case.positive()
    x = wide(linalg.inv_sqrt_spd(a)[0])
    scale = 1 + np.linalg.cond(wide(a)) / np.sqrt(ORDER)
    yield Measured("inv_sqrt_spd: X A X - I", case.in_eps(x @ wide(a) @ x - np.eye(ORDER), scale), HERMITIAN_LIMIT)


@CHECKS.add()
def _cholesky(case: Case) -> Iterator[Measured]:
    a, b = case.positive(), case.general()
    factor = wide(linalg.cholesky(a, lower=True))
    scale = np.linalg.norm(a)
    yield Measured("cholesky: A - L L^H", case.in_eps(factor @ factor.conj().T - a, scale), _CHOLESKY_LIMIT)
    upper, _ = linalg.cho_factor(a)
    upper = np.triu(wide(upper))
    yield Measured("cho_factor: A - U^H U", case.in_eps(upper.conj().T @ upper - a, scale), _CHOLESKY_LIMIT)
    x = wide(linalg.cho_solve(linalg.cho_factor(a), b))
    yield Measured("cho_solve: A X - B", case.in_eps(wide(a) @ x - b, scale * np.linalg.norm(x)), HERMITIAN_LIMIT)


@CHECKS.add()
def _triangular(case: Case) -> Iterator[Measured]:
    a = np.tril(case.general()) + ORDER * np.eye(ORDER, dtype=case.dtype)
    b = case.general()
    for trans, op in (("N", a), ("C", a.conj().T)):
        x = wide(linalg.solve_triangular(a, b, trans, lower=True))
        scale = np.linalg.norm(a) * np.linalg.norm(x)
        yield Measured(f"solve_triangular, {trans}: op(A) X - B", case.in_eps(wide(op) @ x - b, scale), HERMITIAN_LIMIT)
