"""The BLAS: each element is compared with a result in extended precision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .. import blas
from .._core._array import Array
from ._case import ORDER, Case, Checks, Measured

CHECKS = Checks()

_LIMIT = 4.0
_LONGEST_SUM = 2 * ORDER  # of the updates with two products
_OTHER_ROUNDINGS = 2

_ALPHA, _BETA = 0.75, -1.5

# The operands: vectors, matrices, a Hermitian and a symmetric one, and the lower triangle of a matrix.
Operands = dict[str, Array]


def _operands(case: Case) -> Operands:
    a, b, c, s = (case.general() for _ in range(4))
    return {
        "x": case.random(ORDER),
        "y": case.random(ORDER),
        "A": a,
        "B": b,
        "C": c,
        "H": case.hermitian(),
        "S": s + s.T,
        "K": case.hermitian(),
        "L": np.tril(a) + 2 * ORDER * np.eye(ORDER, dtype=case.dtype),
    }


def _t(a: Array) -> Array:
    transposed: Array = a.T
    return transposed


def _h(a: Array) -> Array:
    adjoint: Array = a.conj().T
    return adjoint


def _outer(x: Array, y: Array) -> Array:
    product: Array = x[:, None] * y
    return product


# The formula of each function. With exact operands it gives the result, with moduli a bound.
_FORMULAS: dict[str, tuple[Callable[[Operands], Any], Callable[..., Any]]] = {
    "axpy": (lambda o: blas.axpy(_ALPHA, o["x"], o["y"]), lambda o, p, q: p * o["x"] + o["y"]),
    "scal": (lambda o: blas.scal(_ALPHA, o["x"]), lambda o, p, q: p * o["x"]),
    "dot": (lambda o: blas.dot(o["x"], o["y"]), lambda o, p, q: (o["x"] * o["y"]).sum()),
    "vdot": (lambda o: blas.vdot(o["x"], o["y"]), lambda o, p, q: (o["x"].conj() * o["y"]).sum()),
    "nrm2": (lambda o: blas.nrm2(o["x"]), lambda o, p, q: np.sqrt((np.abs(o["x"]) ** 2).sum())),
    "asum": (lambda o: blas.asum(o["x"]), lambda o, p, q: (np.abs(o["x"].real) + np.abs(o["x"].imag)).sum()),
    "iamax": (lambda o: blas.iamax(o["x"]), lambda o, p, q: np.argmax(np.abs(o["x"].real) + np.abs(o["x"].imag))),
    "gemv": (
        lambda o: blas.gemv(_ALPHA, o["A"], o["x"], _BETA, o["y"], "C"),
        lambda o, p, q: p * (_h(o["A"]) @ o["x"]) + q * o["y"],
    ),
    "symv": (
        lambda o: blas.symv(_ALPHA, o["S"], o["x"], _BETA, o["y"]),
        lambda o, p, q: p * (o["S"] @ o["x"]) + q * o["y"],
    ),
    "hemv": (
        lambda o: blas.hemv(_ALPHA, o["H"], o["x"], _BETA, o["y"]),
        lambda o, p, q: p * (o["H"] @ o["x"]) + q * o["y"],
    ),
    "trmv": (lambda o: blas.trmv(o["L"], o["x"], "lower", "C"), lambda o, p, q: _h(o["L"]) @ o["x"]),
    "ger": (lambda o: blas.ger(_ALPHA, o["x"], o["y"], o["A"]), lambda o, p, q: p * _outer(o["x"], o["y"]) + o["A"]),
    "gerc": (
        lambda o: blas.gerc(_ALPHA, o["x"], o["y"], o["A"]),
        lambda o, p, q: p * _outer(o["x"], o["y"].conj()) + o["A"],
    ),
    "syr": (lambda o: blas.syr(_ALPHA, o["x"], o["S"]), lambda o, p, q: p * _outer(o["x"], o["x"]) + o["S"]),
    "her": (lambda o: blas.her(_ALPHA, o["x"], o["H"]), lambda o, p, q: p * _outer(o["x"], o["x"].conj()) + o["H"]),
    "syr2": (
        lambda o: blas.syr2(_ALPHA, o["x"], o["y"], o["S"]),
        lambda o, p, q: p * (_outer(o["x"], o["y"]) + _outer(o["y"], o["x"])) + o["S"],
    ),
    "her2": (
        lambda o: blas.her2(_ALPHA, o["x"], o["y"], o["H"]),
        lambda o, p, q: p * (_outer(o["x"], o["y"].conj()) + _outer(o["y"], o["x"].conj())) + o["H"],
    ),
    "gemm": (
        lambda o: blas.gemm(_ALPHA, o["A"], o["B"], _BETA, o["C"], "T", "C"),
        lambda o, p, q: p * (_t(o["A"]) @ _h(o["B"])) + q * o["C"],
    ),
    "batched_gemm": (
        lambda o: blas.batched_gemm(_ALPHA, np.stack([o["A"], o["B"]]), np.stack([o["B"], o["C"]])),
        lambda o, p, q: p * np.stack([o["A"] @ o["B"], o["B"] @ o["C"]]),
    ),
    "gemmt": (
        lambda o: blas.gemmt(_ALPHA, o["A"], o["B"], _BETA, o["C"], uplo="lower"),
        lambda o, p, q: np.tril(p * (o["A"] @ o["B"]) + q * o["C"]),
    ),
    "symm": (
        lambda o: blas.symm(_ALPHA, o["S"], o["B"], _BETA, o["C"], "right"),
        lambda o, p, q: p * (o["B"] @ o["S"]) + q * o["C"],
    ),
    "hemm": (
        lambda o: blas.hemm(_ALPHA, o["H"], o["B"], _BETA, o["C"]),
        lambda o, p, q: p * (o["H"] @ o["B"]) + q * o["C"],
    ),
    "syrk": (
        lambda o: blas.syrk(_ALPHA, o["A"], _BETA, o["S"]),
        lambda o, p, q: p * (o["A"] @ _t(o["A"])) + q * o["S"],
    ),
    "herk": (
        lambda o: blas.herk(_ALPHA, o["A"], _BETA, o["H"]),
        lambda o, p, q: p * (o["A"] @ _h(o["A"])) + q * o["H"],
    ),
    "syr2k": (
        lambda o: blas.syr2k(_ALPHA, o["A"], o["B"], _BETA, o["S"]),
        lambda o, p, q: p * (o["A"] @ _t(o["B"]) + o["B"] @ _t(o["A"])) + q * o["S"],
    ),
    "her2k": (
        lambda o: blas.her2k(_ALPHA, o["A"], o["B"], _BETA, o["H"]),
        lambda o, p, q: p * (o["A"] @ _h(o["B"]) + o["B"] @ _h(o["A"])) + q * o["H"],
    ),
    "trmm": (
        lambda o: blas.trmm(_ALPHA, o["L"], o["B"], "right", "lower", "T"),
        lambda o, p, q: p * (o["B"] @ _t(o["L"])),
    ),
}


def _in_units(case: Case, difference: Any, moduli: Any) -> float:
    """Return the largest error of an element in units of eps times the sum of the moduli of its terms and their
    number."""
    unit = (_LONGEST_SUM + _OTHER_ROUNDINGS) * case.eps
    return float(np.max(np.abs(difference) / np.where(moduli == 0, 1, moduli)) / unit)


@CHECKS.add()
def _products(case: Case) -> Iterator[Measured]:
    given = _operands(case)
    exact = {name: a.astype(np.clongdouble) for name, a in given.items()}
    moduli = {name: np.abs(a) for name, a in exact.items()}
    for name, (call, formula) in _FORMULAS.items():
        difference = call(given) - formula(exact, _ALPHA, _BETA)
        yield Measured(f"blas.{name}", _in_units(case, difference, formula(moduli, abs(_ALPHA), abs(_BETA))), _LIMIT)


@CHECKS.add()
def _triangular_systems(case: Case) -> Iterator[Measured]:
    o = _operands(case)
    triangle = o["L"].astype(np.clongdouble)
    for name, solution, right in (
        ("trsv", blas.trsv(o["L"], o["x"], "lower"), o["x"]),
        ("trsm", blas.trsm(_ALPHA, o["L"], o["B"], uplo="lower"), _ALPHA * o["B"]),
    ):
        residual = triangle @ solution - right
        yield Measured(f"blas.{name}", _in_units(case, residual, np.abs(triangle) @ np.abs(solution)), _LIMIT)
