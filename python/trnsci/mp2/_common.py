"""What the functions beside `df_mp2_energy` share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _array, _native, _threads
from .._array import Array
from .._progress import Progress
from ._energy import _answer, _bytes, _same_dtype, read_spins
from ._integrals import Spin, fed, hex_path


class Input:
    """The checked input of a function: one spin, or alpha and beta, and the memory for blocks of B."""

    def __init__(
        self, B: Any, eps_occ: Any, eps_vir: Any, layout: str, max_memory: float | None, complex_too: bool = False
    ) -> None:
        self.spins = read_spins(B, eps_occ, eps_vir, layout, complex_too)
        self.layout = layout
        self.max_bytes = _bytes(max_memory)
        _same_dtype(self.spins)

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
        inputs = [a for s in self.spins for a in (s.b, s.eps_occ, s.eps_vir)]
        records = [None if a is None else _array.record(a) for a in (*inputs, *outputs)]
        addresses = [_array.address(r) for r in records]
        absent = [0] * (6 - len(inputs))
        asked = fed(self.spins)
        _native.run(
            name, work, _threads.resolve(threads), progress, (*inputs, *outputs, *records),
            *addresses[: len(inputs)], *absent, *addresses[len(inputs) :],
            hex_path(self.alpha.path), hex_path(self.beta.path) if self.unrestricted else "", self.layout, asked, *args,
            answer=(lambda question: _answer(self.spins, question)) if asked else None,
        )  # fmt: skip


def number(value: Any, name: str) -> float:
    """Return an argument as a float."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}: expected a number, got {value!r}") from None
