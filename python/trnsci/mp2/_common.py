"""What the functions other than `df_mp2_energy` share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._core import _native, _threads
from .._core._array import Array
from .._core._progress import Progress
from .._core._record import Call
from .._core._source import block_bytes
from ._input import Arguments, read_spins, same_dtype
from ._integrals import Spin

# What overloads tell closed from open shells by, results of functions that compute in float64, and outputs that are
# returned.
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
        self, record: Callable[..., Call], work: float, threads: int | None, progress: Progress, **arguments: Any
    ) -> None:
        """Call the function of the library whose records `record` makes, with all that the input has to say."""
        given = Arguments(self.spins, self.layout)
        made = record(threads=_threads.resolve(threads), max_bytes=self.max_bytes, **given.fields, **arguments)
        _native.run(made, work, progress, answer=given.answer)
