"""Plans: what a call of `df_mp2_energy` would do."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from .._core import _device, _native, _records, _threads
from .._core._dataclass import Record
from ._input import Arguments
from ._integrals import Spin


@dataclass(frozen=True)
class MP2Plan(Record):
    """What a call of `trnsci.df_mp2_energy` on the host would do, known before it reads anything.

    ``print(plan)`` says it in words; ``plan.to_dict()`` has it as ``json.dumps`` takes it.

    Attributes
    ----------
    precision : str
        That of the products, ``"fp64"`` or ``"fp32"``.
    threads : int
        Threads that the call would use.
    blocks : str
        The blocks of occupied orbitals: whether B is multiplied in place, held whole, or read in blocks of which some
        stream past those that stay.
    memory : int
        An upper bound of the bytes that the library allocates in addition to B, the blocks that `max_memory` limits
        included. What a function or dataset makes for a block, and the results, are not in it.
    bytes_read : int
        Bytes that are read of a file, dataset or function, the orbital that tells a function's shape included, or are
        packed of an array; 0 where B is multiplied in place. What `etol` may add is not in it.
    flops : float
        Floating-point operations of the products, a multiplication and an addition being two.
    seconds : float
        The time that the products take, by a measurement of some hundredths of a second on this machine. Reading is not
        in it. It differs from plan to plan and does not count when plans are compared.
    pairs : int
        Pairs of occupied orbitals. The other attributes are for all of them.
    pairs_kept : int
        Pairs that are in the `checkpoint` of a call that was stopped, which the call would not compute again; 0 without
        one.
    """

    precision: str
    threads: int
    blocks: str
    memory: int
    bytes_read: int
    flops: float
    seconds: float = field(compare=False)
    pairs: int
    pairs_kept: int

    def __str__(self) -> str:
        lines = [
            f"DF-MP2 on the host, products {self.precision}, threads {self.threads}",
            f"  blocks       {self.blocks}",
            f"  memory       {self.memory / 1e6:.3f} MB in addition to B, at most",
            f"  read of B    {self.bytes_read / 1e6:.3f} MB",
            f"  operations   {self.flops:.3g}",
            f"  time, about  {self.seconds:.3g} s for the products, without reading",
        ]
        if self.pairs_kept:
            lines.append(f"  checkpoint   {self.pairs_kept} of {self.pairs} pairs are there")
        return "\n".join(lines)


def plan_on_device(
    spins: list[Spin], layout: str, precision: str | None, max_bytes: int, on: _device.Device
) -> _device.DevicePlan:
    """Return what the call would do on its device. Only shapes and dtypes are looked at."""
    made = _records.mp2(
        "DeviceMP2Plan", threads=1, **Arguments(spins, layout).fields, check_finite=True, max_bytes=max_bytes,
        tolerance=0.0, device=on.number, precision=precision or "", checkpoint="",
    )  # fmt: skip
    text = _native.invoke(made)
    return _device.read_plan(text)


def plan_on_host(
    spins: list[Spin],
    layout: str,
    precision: str | None,
    max_bytes: int,
    tolerance: float,
    checkpoint: str,
    check_finite: bool,
    threads: int | None,
) -> MP2Plan:
    """Return what the call would do on the host."""
    made = _records.mp2(
        "MP2Plan", threads=_threads.resolve(threads), **Arguments(spins, layout).fields,
        check_finite=bool(check_finite),
        max_bytes=max_bytes, tolerance=tolerance, device=0, precision=precision or "", checkpoint=checkpoint,
    )  # fmt: skip
    text = _native.invoke(made)
    facts = json.loads(text)
    facts["bytes_read"] += sum(s.bytes_asked for s in spins)
    return MP2Plan(**{**facts, "flops": float(facts["flops"]), "seconds": float(facts["seconds"])})
