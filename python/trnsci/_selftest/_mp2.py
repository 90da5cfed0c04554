"""DF-MP2 and density fitting, compared with their formulas as plain sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import trnsci

from .._core._array import Array
from ._case import ALL, COMPLEX, DOUBLE, REAL, Case, Checks, Measured

CHECKS = Checks()

_NOCC, _NVIR, _NAUX, _NAO = 4, 7, 9, 12
_POINTS = 3  # of a crystal

_DOUBLE_LIMIT = 100.0  # of errors of float64 results relative to the largest element, in units of eps
_FIT_LIMIT = 1.0
_SUM_LIMIT = 1.0

_FLOAT64_EPS = float(np.finfo(np.float64).eps)


class _Orbitals(NamedTuple):
    b: Array  # (i, a, P)
    occ: Array
    vir: Array


def _orbitals(case: Case, nocc: int = _NOCC) -> _Orbitals:
    b = case.random(nocc, _NVIR, _NAUX) / np.sqrt(case.dtype.type(_NAUX)).real
    return _Orbitals(b.astype(case.dtype), -0.5 - case.rng.random(nocc), 0.2 + 2 * case.rng.random(_NVIR))


def _integrals(left: _Orbitals, right: _Orbitals) -> tuple[Array, Array]:
    """Return (ia|jb) in the order ijab, and the denominators."""
    wide = [x.b.astype(np.result_type(x.b, np.float64)) for x in (left, right)]
    d = left.occ[:, None, None, None] + right.occ[:, None, None] - left.vir[:, None] - right.vir
    return np.einsum("iap,jbp->ijab", *wide), d


def _amplitudes(left: _Orbitals, right: _Orbitals, same_spin: bool) -> Array:
    k, d = _integrals(left, right)
    amplitudes: Array = (k - k.swapaxes(2, 3) if same_spin else k) / d
    return amplitudes


def _relative(difference: Array, exact: Array) -> float:
    """Return the largest error relative to the largest element, in units of eps of float64."""
    return float(np.max(np.abs(difference)) / np.max(np.abs(exact)) / _FLOAT64_EPS)


def _ratio(error: float, bound: float, exact: float) -> float:
    """Return an error in units of the result's error bound plus rounding errors of the sum."""
    return abs(error) / (bound + 100 * _FLOAT64_EPS * abs(exact))


@CHECKS.add(REAL)
def _energies(case: Case) -> Iterator[Measured]:
    x = _orbitals(case)
    k, d = _integrals(x, x)
    opposite, same = (k * k / d).sum(), (k * (k - k.swapaxes(2, 3)) / d).sum()
    result = trnsci.df_mp2_energy(*x)
    error = abs(result.e_corr_os - opposite) + abs(result.e_corr_ss - same)
    yield Measured("df_mp2_energy: error / error_bound", _ratio(error, result.error_bound, opposite), 1.0)
    beta = _orbitals(case, _NOCC - 1)
    energy = sum((_integrals(p, q)[0] ** 2 / _integrals(p, q)[1]).sum() for p, q in ((x, beta),))
    for spin in (x, beta):
        k, d = _integrals(spin, spin)
        energy += (k * (k - k.swapaxes(2, 3)) / d).sum() / 2
    result = trnsci.df_mp2_energy((x.b, beta.b), (x.occ, beta.occ), (x.vir, beta.vir))
    error = _ratio(result.e_corr - energy, result.error_bound, energy)
    yield Measured("df_mp2_energy, open shell: error / error_bound", error, 1.0)
    scaled = trnsci.sos_mp2_energy(*x, tol=1e-9)
    rounding = case.eps * _NAUX * abs(opposite)
    error = _ratio(scaled.e_corr_os - opposite, scaled.quadrature_error + rounding, opposite)
    yield Measured("sos_mp2_energy: error / quadrature_error", error, 1.0)


@CHECKS.add(ALL)
def _spin_orbitals(case: Case) -> Iterator[Measured]:
    x = _orbitals(case)
    k, d = _integrals(x, x)
    exact = (np.abs(k - k.swapaxes(2, 3)) ** 2 / d).sum() / 4
    result = trnsci.df_gmp2_energy(*x)
    yield Measured("df_gmp2_energy: error / error_bound", _ratio(result.e_corr - exact, result.error_bound, exact), 1.0)


@CHECKS.add(COMPLEX)
def _crystal(case: Case) -> Iterator[Measured]:
    n = _POINTS
    b = case.random(n, n, _NOCC, _NVIR, _NAUX)
    occ, vir = -0.5 - case.rng.random((n, _NOCC)), 0.2 + case.rng.random((n, _NVIR))
    point = np.arange(n)
    conserved = (point[:, None, None] - point[:, None] + point) % n
    wide = b.astype(np.complex128)
    exact = 0.0
    for (i, a, j), other in np.ndenumerate(conserved):
        k = np.einsum("iap,jbp->ijab", wide[i, a], wide[j, other]) / n
        exchange = np.einsum("ibp,jap->ijab", wide[i, other], wide[j, a]) / n
        d = occ[i][:, None, None, None] + occ[j][:, None, None] - vir[a][:, None] - vir[other]
        exact += (k.conj() * (2 * k - exchange) / d).sum().real / n
    result = trnsci.df_kmp2_energy(b, occ, vir, conserved)
    yield Measured("df_kmp2_energy: error / error_bound", _ratio(result.e_corr - exact, result.error_bound, exact), 1.0)


@CHECKS.add(REAL)
def _densities(case: Case) -> Iterator[Measured]:
    x, beta = _orbitals(case), _orbitals(case, _NOCC - 1)
    t = _amplitudes(x, x, False)
    yield Measured("mp2_amplitudes: eps of float64", _relative(trnsci.mp2_amplitudes(*x) - t, t), _DOUBLE_LIMIT)
    open_shell = (x.b, beta.b), (x.occ, beta.occ), (x.vir, beta.vir)
    parts = _amplitudes(x, x, True), _amplitudes(x, beta, False), _amplitudes(beta, beta, True)
    worst = max(
        _relative(got - exact, exact) for got, exact in zip(trnsci.mp2_amplitudes(*open_shell), parts, strict=True)
    )
    yield Measured("mp2_amplitudes, open shell: eps of float64", worst, _DOUBLE_LIMIT)
    exact = np.zeros((_NOCC + _NVIR, _NOCC + _NVIR))
    exact[:_NOCC, :_NOCC] = 2 * np.eye(_NOCC) - 2 * np.einsum("imab,jmab->ij", t, 2 * t - t.swapaxes(2, 3))
    exact[_NOCC:, _NOCC:] = 2 * np.einsum("ijca,ijcb->ab", t, 2 * t - t.swapaxes(0, 1))
    density = trnsci.mp2_rdm1(*x)
    yield Measured("mp2_rdm1: eps of float64", _relative(density - exact, exact), _DOUBLE_LIMIT)
    occupations, orbitals = trnsci.mp2_natural_orbitals(density)
    error = _relative((orbitals * occupations) @ orbitals.T - density, density)
    yield Measured("mp2_natural_orbitals: eps of float64", error, _DOUBLE_LIMIT)


@CHECKS.add(REAL)
def _fit(case: Case) -> Iterator[Measured]:
    g = case.random(_NAUX, _NAUX)
    metric = (g @ g.T + np.eye(_NAUX, dtype=case.dtype)).astype(case.dtype)
    metric = np.tril(metric) + np.tril(metric, -1).T
    integrals = case.random(_NAUX, _NAO)
    fitted = trnsci.df_fit(metric, integrals).integrals.astype(np.float64)
    wide = integrals.astype(np.float64)
    exact = wide.T @ np.linalg.solve(metric.astype(np.float64), wide)
    unit = _NAUX * case.eps * np.linalg.cond(metric.astype(np.float64)) * np.linalg.norm(exact)
    error = float(np.linalg.norm(fitted.T @ fitted - exact) / unit)
    yield Measured("df_fit: L^T L - (pq|P) J^-1 (P|rs)", error, _FIT_LIMIT)


def _packed(case: Case) -> tuple[Array, Array]:
    """Return integrals whose rows are triangles, and the same as squares in float64."""
    packed = case.random(_NAUX, _NAO * (_NAO + 1) // 2)
    squares = np.zeros((_NAUX, _NAO, _NAO))
    rows, columns = np.tril_indices(_NAO)
    squares[:, rows, columns] = squares[:, columns, rows] = packed
    return packed, squares


def _in_moduli(got: Array, exact: Array, moduli: Array, terms: int) -> float:
    """Return the largest error of an element in units of eps of float64, the number of terms and the sum of their
    moduli."""
    return float(np.max(np.abs(got - exact) / (terms * _FLOAT64_EPS * moduli)))


@CHECKS.add(REAL)
def _coulomb_and_exchange(case: Case) -> Iterator[Measured]:
    packed, squares = _packed(case)
    g = case.random(_NAO, _NAO).astype(np.float64)
    dm = g + g.T
    coulomb, exchange = "pmn,pls,sl->mn", "pml,ls,psn->mn"
    for name, got, formula in zip("JK", trnsci.df_jk(packed, dm), (coulomb, exchange), strict=True):
        operands = (squares, squares, dm) if formula == coulomb else (squares, dm, squares)
        exact, moduli = np.einsum(formula, *operands), np.einsum(formula, *map(np.abs, operands))
        error = _in_moduli(got, exact, moduli, 2 * _NAUX * _NAO)
        yield Measured(f"df_jk: {name}, eps of float64", error, _SUM_LIMIT)


@CHECKS.add(REAL)
def _transform(case: Case) -> Iterator[Measured]:
    packed, squares = _packed(case)
    occ, vir = (case.random(_NAO, n).astype(np.float64) for n in (_NOCC, _NVIR))
    got = trnsci.df_transform(packed, occ, vir)
    operands = occ, squares, vir
    exact, moduli = (np.einsum("mi,pmn,na->iap", *x) for x in (operands, map(np.abs, operands)))
    error = _in_moduli(got, exact, moduli, 2 * _NAO + 10)
    yield Measured("df_transform: eps of float64", error, _SUM_LIMIT)


@CHECKS.add(DOUBLE)
def _by_hand(case: Case) -> Iterator[Measured]:
    # Two orbitals of each kind with one auxiliary function: every (ia|jb) is 1/4, so that the sums are those of 1/D.
    occ, vir = np.array([-1.0, -0.5]), np.array([0.5, 1.5])
    result = trnsci.df_mp2_energy(np.full((2, 2, 1), 0.5), occ, vir)
    d = occ[:, None, None, None] + occ[:, None, None] - vir[:, None] - vir
    exact = (1 / d).sum() / 16  # same-spin terms cancel
    yield Measured("df_mp2_energy, by hand: relative error", case.relative(result.e_corr, exact), 16.0)
