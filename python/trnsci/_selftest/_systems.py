"""Systems of equations with band, Toeplitz and circulant matrices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .. import linalg
from .._core._array import Array
from ._case import HERMITIAN_LIMIT, ORDER, Case, Checks, Measured, norm, wide

CHECKS = Checks()
_RIGHT = 3  # right-hand sides


def _solved(case: Case, name: str, a: Array, x: Array, b: Array) -> Measured:
    return Measured(name, case.in_eps(wide(a) @ wide(x) - b, norm(a) * np.linalg.norm(x)), HERMITIAN_LIMIT)


def _band(diagonals: Array, lower: int) -> Array:
    """Return the matrix with the given diagonals, the uppermost one first, of which `lower` are below the main one."""
    upper = len(diagonals) - 1 - lower
    a = np.zeros((ORDER, ORDER), diagonals.dtype)
    for k in range(-lower, upper + 1):
        a += np.diag(diagonals[upper - k, max(k, 0) : ORDER + min(k, 0)], k)
    return a


@CHECKS.add()
def _general_bands(case: Case) -> Iterator[Measured]:
    b = case.random(ORDER, _RIGHT)
    for lower, upper in ((1, 1), (2, 3), (40, 30)):
        ab = case.random(lower + upper + 1, ORDER)
        x = linalg.solve_banded((lower, upper), ab, b)
        yield _solved(case, f"solve_banded, {lower} and {upper}: A X - B", _band(ab, lower), x, b)


@CHECKS.add()
def _definite_bands(case: Case) -> Iterator[Measured]:
    b = case.random(ORDER, _RIGHT)
    for lower in (1, 3, 40):
        ab = case.random(lower + 1, ORDER)
        ab[0] = np.abs(ab[0]) + 3 * (lower + 1)
        below = np.tril(_band(ab, lower), -1)
        a = below + below.conj().T + np.diag(ab[0])
        yield _solved(case, f"solveh_banded, {lower}: A X - B", a, linalg.solveh_banded(ab, b, lower=True), b)
        factor = linalg.cholesky_banded(ab, lower=True)
        triangle = wide(_band(factor, lower))
        error = case.in_eps(triangle @ triangle.conj().T - a, norm(a))
        yield Measured(f"cholesky_banded, {lower}: A - L L^H", error, 1.0)
        x = linalg.cho_solve_banded((factor, True), b)
        yield _solved(case, f"cho_solve_banded, {lower}: A X - B", a, x, b)


@CHECKS.add()
def _few_parameters(case: Case) -> Iterator[Measured]:
    c, r, b = case.random(ORDER), case.random(ORDER), case.random(ORDER, _RIGHT)
    c[0] += 4 * ORDER
    steps = np.arange(ORDER)[:, None] - np.arange(ORDER)
    toeplitz, circulant = np.where(steps >= 0, c[steps], r[-steps]), c[steps]
    yield _solved(case, "solve_toeplitz: A X - B", toeplitz, linalg.solve_toeplitz((c, r), b), b)
    yield _solved(case, "solve_circulant: A X - B", circulant, linalg.solve_circulant(c, b), b)
    product = linalg.matmul_toeplitz((c, r), b)
    error = case.in_eps(wide(product) - wide(toeplitz) @ b, norm(toeplitz) * np.linalg.norm(b))
    yield Measured("matmul_toeplitz: A X", error, HERMITIAN_LIMIT)
