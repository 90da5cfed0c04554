"""The integrals and orbital energies of one spin: in memory, in a file, in an HDF5 dataset, or from a function."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs
from .._core._array import Array
from .._core._errors import UnsupportedError
from .._core._source import is_dataset, nothing, size_of_file

LAYOUTS = {
    "iaP": ("nocc", "nvir", "naux"),
    "(ia)P": ("nocc*nvir", "naux"),
    "P(ia)": ("naux", "nocc*nvir"),
    "iPa": ("nocc", "naux", "nvir"),
}


class Spin:
    """The checked input of one spin.

    B is `b`, an array of shape (nocc, nvir, naux), or in the file `path`, or what `read` returns for occupied orbitals
    ``first <= i < end``; `b` then has its shape and dtype, but no elements of its own. It may be complex if
    `complex_too` is set; of a file the library says so.
    """

    def __init__(
        self, b: Any, eps_occ: ArrayLike, eps_vir: ArrayLike, layout: str, suffix: str, complex_too: bool = False
    ) -> None:
        self.eps_occ = _energies(eps_occ, "eps_occ" + suffix)
        self.eps_vir = _energies(eps_vir, "eps_vir" + suffix)
        self.nocc, self.nvir = self.eps_occ.size, self.eps_vir.size
        self.name = "B" + suffix
        self.complex_too = complex_too
        self.path = ""
        self.read: Callable[[int, int], ArrayLike] | None = None
        self.bytes_asked = 0  # what a function has been asked for already
        if isinstance(b, (str, os.PathLike)):
            self.path = os.fsdecode(b)
            # The number of auxiliary functions, which only steers how the call is run, from the size of the file.
            self.naux = size_of_file(self.path, self.name) // max(1, 8 * self.nocc * self.nvir)
            self.b = np.empty((0, 0, 0))
            return
        if is_dataset(b, self.name):
            self.b = self._from_dataset(b, layout)
        elif callable(b) and not hasattr(b, "__array__"):
            self.b = self._from_function(b)
        else:
            self.b = self._in_memory(b, layout)
        self.naux = self.b.shape[2]

    def work(self) -> float:
        """Floating-point operations of the products, and the further cost of each pair."""
        return float(self.nocc) ** 2 * (float(self.nvir) ** 2 * self.naux + _costs.MP2_PAIR)

    def copy_block(self, first: int, end: int, address: int) -> None:
        """Copy the integrals of occupied orbitals ``first <= i < end`` to memory of the library."""
        assert self.read is not None
        block = np.ascontiguousarray(self._block(self.read, first, end), self.b.dtype)
        ctypes.memmove(address, block.ctypes.data, block.nbytes)

    def _block(self, read: Callable[[int, int], ArrayLike], first: int, end: int, naux: int | None = None) -> Array:
        """Return what `read` has for a block, checked."""
        name = f"{self.name}({first}, {end})"
        block, _ = _array.check(read(first, end), name)
        self._require_kind(block, name)
        wanted = (end - first, self.nvir, self.b.shape[2] if naux is None else naux)
        if block.ndim != len(wanted) or any(n not in (-1, m) for n, m in zip(wanted, block.shape, strict=True)):
            text = ", ".join("any" if n < 0 else str(n) for n in wanted)
            raise ValueError(f"{name}: expected shape (end - first, nvir, naux) = ({text}), got {block.shape}")
        if naux is None and not np.can_cast(block.dtype, self.b.dtype):
            raise TypeError(f"{name}: {block.dtype}, but the first block was {self.b.dtype}")
        return block

    def _from_function(self, read: Callable[[int, int], ArrayLike]) -> Array:
        """Ask for one orbital to learn the number of auxiliary functions and the dtype."""
        self.read = read
        if self.nocc == 0 or self.nvir == 0:
            return np.empty((self.nocc, self.nvir, 0))
        block = self._block(read, 0, 1, naux=-1)
        self.bytes_asked = block.nbytes
        return nothing((self.nocc, self.nvir, block.shape[2]), block.dtype)

    def _from_dataset(self, dataset: Any, layout: str) -> Array:
        shape, nvir = tuple(dataset.shape), self.nvir
        sample, _ = _array.check(np.empty(0, dataset.dtype), self.name)
        self._require_kind(sample, self.name)
        self._require_fit(shape, layout)
        naux = shape[LAYOUTS[layout].index("naux")]

        def read(first: int, end: int) -> Array:
            rows, count = slice(first * nvir, end * nvir), end - first
            block: Array
            if layout == "(ia)P":
                block = dataset[rows].reshape(count, nvir, naux)
            elif layout == "P(ia)":
                block = dataset[:, rows].reshape(naux, count, nvir).transpose(1, 2, 0)
            else:
                block = dataset[first:end]
                block = block.transpose(0, 2, 1) if layout == "iPa" else block
            return block

        self.read = read
        return nothing((self.nocc, nvir, naux), sample.dtype)

    def _in_memory(self, b: ArrayLike, layout: str) -> Array:
        array, _ = _array.check(b, self.name)
        self._require_kind(array, self.name)
        nocc, nvir = self.nocc, self.nvir
        self._require_fit(array.shape, layout)
        # Splitting an axis and permuting axes only makes views.
        if layout == "(ia)P":
            array = array.reshape(nocc, nvir, array.shape[1])
        elif layout == "P(ia)":
            array = array.reshape(array.shape[0], nocc, nvir).transpose(1, 2, 0)
        elif layout == "iPa":
            array = array.transpose(0, 2, 1)
        return array

    def _require_kind(self, array: Array, name: str) -> None:
        if array.dtype.kind == "c" and not self.complex_too:
            raise UnsupportedError(
                f"{name}: complex integrals ({array.dtype}) are for df_gmp2_energy and df_kmp2_energy"
            )

    def _require_fit(self, shape: tuple[int, ...], layout: str) -> None:
        if not self._fits(shape, layout):
            raise ValueError(f"{self.name}: {self._misfit(shape, layout)}")

    def _sizes(self) -> dict[str, int]:
        return {"nocc": self.nocc, "nvir": self.nvir, "nocc*nvir": self.nocc * self.nvir}

    def _fits(self, shape: tuple[int, ...], layout: str) -> bool:
        axes, sizes = LAYOUTS[layout], self._sizes()
        return len(shape) == len(axes) and all(sizes.get(axis, n) == n for axis, n in zip(axes, shape, strict=True))

    def _misfit(self, shape: tuple[int, ...], layout: str) -> str:
        axes, sizes = LAYOUTS[layout], self._sizes()
        wanted = ", ".join(str(sizes.get(axis, "any")) for axis in axes)
        text = f"shape {shape} does not fit layout {layout!r}, which is ({', '.join(axes)}) = ({wanted}) here"
        fitting = [repr(other) for other in LAYOUTS if self._fits(shape, other)]
        if fitting:
            return f"{text}; layout {' or '.join(fitting)} fits"
        if len(shape) == len(axes) + 1 and shape[0] == 2:
            return f"{text}; for two spins eps_occ and eps_vir are pairs too"
        if len(shape) == 3 and shape[1:] == (self.nocc, self.nvir):
            return f"{text}; transpose(1, 2, 0) would make it 'iaP'"
        return text


def requests(spins: list[Spin]) -> int:
    """Return a number whose bit s says that the library requests the integrals of spin s."""
    return sum(1 << n for n, s in enumerate(spins) if s.read is not None)


def _energies(eps: ArrayLike, name: str) -> Array:
    if isinstance(eps, (str, os.PathLike)):
        raise TypeError(f"{name}: expected an array, got a path; numpy.load it")
    array, _ = _array.check(eps, name)
    if array.ndim != 1:
        raise ValueError(f"{name}: expected one dimension (or, for two spins, a pair of them), got shape {array.shape}")
    if array.dtype.kind == "c":
        raise TypeError(f"{name}: orbital energies are real, got dtype {array.dtype}")
    contiguous: Array = np.ascontiguousarray(array, np.float64)
    return contiguous
