"""Code that the checks share: random matrices of a dtype, residuals in units of its machine epsilon, lists of
checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .._core._array import Array

ORDER = 60  # of matrices: larger than the orders that are computed in double precision for every dtype
_SEED = 7

REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
ALL = REAL + COMPLEX
DOUBLE = ("float64",)

# Limits for norms of residuals in units of n eps, for Hermitian and for general problems.
HERMITIAN_LIMIT = 4.0
GENERAL_LIMIT = 10.0


class Measured(NamedTuple):
    """A residual and its limit."""

    what: str
    value: float
    limit: float


class Case:
    """A dtype, and random numbers of it that are the same in every run."""

    def __init__(self, dtype: str) -> None:
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.eps = float(np.finfo(self.dtype).eps)
        self.is_complex = self.dtype.kind == "c"
        self.rng = np.random.default_rng(_SEED)

    def random(self, *shape: int) -> Array:
        """Return normally distributed numbers."""
        g = self.rng.standard_normal(shape)
        if self.is_complex:
            g = g + 1j * self.rng.standard_normal(shape)
        return g.astype(self.dtype)

    def general(self) -> Array:
        """Return a matrix without structure."""
        return self.random(ORDER, ORDER)

    def hermitian(self) -> Array:
        """Return an exactly Hermitian matrix."""
        g = self.general()
        a: Array = g + g.conj().T
        return a

    def positive(self) -> Array:
        """Return an exactly Hermitian matrix with eigenvalues between 1 and about 5."""
        g = self.general()
        p = (g @ g.conj().T / self.dtype.type(ORDER) + np.eye(ORDER)).astype(self.dtype)
        a: Array = np.tril(p) + np.tril(p, -1).conj().T
        return a

    def second_differences(self) -> tuple[Array, Array]:
        """Return the matrix of second differences, its off-diagonal times a phase, and its eigenvalues."""
        phase = 1j if self.is_complex else 1
        a = 2 * np.eye(ORDER) - phase * np.eye(ORDER, k=1) - np.conj(phase) * np.eye(ORDER, k=-1)
        return a.astype(self.dtype), 2 - 2 * np.cos(np.arange(1, ORDER + 1) * np.pi / (ORDER + 1))

    def in_eps(self, difference: Array, scale: Any = 1.0) -> float:
        """Return the Frobenius norm of a difference of matrices, or vectors, in units of n eps times `scale`."""
        return float(np.linalg.norm(difference) / (ORDER * self.eps * scale))

    def identity_error(self, q: Array) -> float:
        """Return the distance of q^H q from the identity."""
        return self.in_eps(wide(q).conj().T @ wide(q) - np.eye(q.shape[1]))

    def relative(self, value: Any, exact: Any) -> float:
        """Return the largest relative error of elements in units of eps."""
        return float(np.max(np.abs(value - exact) / np.abs(exact)) / self.eps)


def wide(a: Array) -> Array:
    """Return an array in double precision, complex."""
    return a.astype(np.complex128)


def norm(a: Array) -> float:
    """Return the spectral norm of a matrix."""
    return float(np.linalg.norm(wide(a), 2))


Run: TypeAlias = Callable[[Case], Iterable[Measured]]


class Checks(list[tuple[Run, tuple[str, ...]]]):
    """A list of measuring functions, each with the dtypes it applies to."""

    def add(self, dtypes: tuple[str, ...] = ALL) -> Callable[[Run], Run]:
        """Return a decorator that puts a function on the list."""

        def put(run: Run) -> Run:
            self.append((run, dtypes))
            return run

        return put
