"""Functions of matrices, by the formula for circulant matrices: the discrete Fourier transform diagonalizes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from .. import linalg
from .._core._array import Array
from ._case import ORDER, Case, Checks, Measured, wide

CHECKS = Checks()

_LIMIT = 10.0
_ROOT_LIMIT = 2.0
_POWER = -2.3


def _circulant(column: Array) -> Array:
    """Return the circulant matrix with the given first column: each column is the previous one shifted down by one."""
    steps = np.arange(len(column))
    matrix: Array = column[steps[:, None] - steps]
    return matrix


@CHECKS.add()
def _by_formula(case: Case) -> Iterator[Measured]:
    column = case.random(ORDER) / (2 * ORDER**0.5)
    near = column.copy()
    near[0] += 4  # eigenvalues near 4, away from the branch cut along the negative numbers
    functions: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array], Array]] = {
        "expm": (linalg.expm, np.exp, column),
        "cosm": (linalg.cosm, np.cos, column),
        "sinm": (linalg.sinm, np.sin, column),
        "tanm": (linalg.tanm, np.tan, column),
        "coshm": (linalg.coshm, np.cosh, column),
        "sinhm": (linalg.sinhm, np.sinh, column),
        "tanhm": (linalg.tanhm, np.tanh, column),
        "logm": (linalg.logm, np.log, near),
        "sqrtm": (linalg.sqrtm, np.sqrt, near),
        "fractional_matrix_power": (lambda a: linalg.fractional_matrix_power(a, _POWER), lambda x: x**_POWER, near),
        "fractional_matrix_power, -3": (lambda a: linalg.fractional_matrix_power(a, -3), lambda x: x**-3.0, near),
        "signm": (linalg.signm, lambda x: np.sign(x.real), _away_from_the_axis(case, column)),
        "funm": (lambda a: linalg.funm(a, np.sin), np.sin, column),
    }
    for name, (function, of_numbers, first) in functions.items():
        exact = _circulant(np.fft.ifft(of_numbers(np.fft.fft(wide(first)))))
        error = case.in_eps(wide(function(_circulant(first))) - exact, np.linalg.norm(exact))
        yield Measured(f"{name}: circulant matrix", error, _LIMIT)


def _away_from_the_axis(case: Case, column: Array) -> Array:
    """Return the first column of a circulant matrix whose eigenvalues have real parts near 1 and -1."""
    signs = np.where(np.minimum(np.arange(ORDER), ORDER - np.arange(ORDER)) % 2, 1.0, -1.0)  # the same for conjugates
    moved = np.fft.ifft(signs)
    return (column / 4 + (moved if case.is_complex else moved.real)).astype(case.dtype)


@CHECKS.add()
def _derivative(case: Case) -> Iterator[Measured]:
    # Circulant matrices commute, so that the derivative is the product of the exponential and the direction; since they
    # are normal, its norm is that of the exponential.
    columns = [case.random(ORDER) / (2 * ORDER**0.5) for _ in range(2)]
    values, directions = (np.fft.fft(wide(column)) for column in columns)
    powers = np.exp(values)
    power, derivative = linalg.expm_frechet(_circulant(columns[0]), _circulant(columns[1]))
    for name, result, numbers in (("exponential", power, powers), ("derivative", derivative, powers * directions)):
        exact = _circulant(np.fft.ifft(numbers))
        error = case.in_eps(wide(result) - exact, np.linalg.norm(exact))
        yield Measured(f"expm_frechet: {name}, circulant matrices", error, _LIMIT)
    exact_condition = np.abs(powers).max() * np.linalg.norm(values) / np.linalg.norm(powers)
    error = case.relative(linalg.expm_cond(_circulant(columns[0])), exact_condition)
    yield Measured("expm_cond: circulant matrix", error, _LIMIT)


@CHECKS.add()
def _root(case: Case) -> Iterator[Measured]:
    a = case.general() + 8 * np.eye(ORDER, dtype=case.dtype)
    x = wide(linalg.sqrtm(a))
    yield Measured("sqrtm: X X - A", case.in_eps(x @ x - a, np.linalg.norm(x) ** 2), _ROOT_LIMIT)
