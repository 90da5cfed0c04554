"""What the functions beside `df_mp2_energy` share."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._core import _array, _native, _threads
from .._core._array import Array
from .._core._progress import Progress
from .._core._source import block_bytes
from ._input import Arguments, read_spins, same_dtype
from ._integrals import Spin

# What overloads tell closed from open shells by, results of functions that compute in float64, and outputs that are returned.
OneSpin: TypeAlias = "NDArray[Any] | Sequence[float]"
TwoSpins: TypeAlias = "Sequence[NDArray[Any] | Sequence[float]]"
Doubles: TypeAlias = NDArray[np.float64]
FilePath = TypeVar("FilePath", bound="str | PathLike[Any]")
Output = TypeVar("Output", bound="str | PathLike[Any] | Array")


class Input:
    """The checked input of a function: one spin, or alpha and beta, and the memory for blocks of B."""

    def __init__(
        self, B: Any, eps_occ: Any, eps_vir: Any, layout: str, max_memory: float | None, complex_too: bool = False
    ) -> None:
        self.spins = read_spins(B, eps_occ, eps_vir, layout, complex_too)
        self.layout = layout
        self.max_bytes = block_bytes(max_memory)
        same_dtype(self.spins)

    @property
    def alpha(self) -> Spin:
        return self.spins[0]

    @property
    def beta(self) -> Spin:
        """The spin of the other electron, which for a closed shell is the same one."""
        return self.spins[-1]

    @property
    def unrestricted(self) -> bool:
        return len(self.spins) == 2

    def run(
        self, name: str, work: float, threads: int | None, progress: Progress, outputs: Sequence[Array | None], *args: Any
    ) -> None:
        """Call a function of the library.

        Its arguments are the records of B, eps_occ and eps_vir of both spins and of the outputs (None for one that is not
        there), the paths of both spins, the layout, the bits of spins whose integrals are asked for, and `args`.
        """
        given = Arguments(self.spins)
        records = [None if a is None else _array.record(a) for a in outputs]
        _native.run(
            name, work, _threads.resolve(threads), progress, (*given.arrays, *outputs, *records),
            *given.addresses, *(_array.address(r) for r in records), *given.paths, self.layout, given.fed, *args,
            answer=given.answer,
        )  # fmt: skip
