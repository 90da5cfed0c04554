"""A quick check of an installation: residuals of every function in units of the machine epsilon, for all its dtypes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from . import _blas, _devices, _functions, _general, _hermitian, _mp2, _svd, _systems
from ._case import ALL, Case, Measured, Run

CHECKS = (
    *_hermitian.CHECKS, *_general.CHECKS, *_svd.CHECKS, *_systems.CHECKS, *_functions.CHECKS, *_blas.CHECKS,
    *_mp2.CHECKS, *_devices.CHECKS,
)  # fmt: skip

_NAME_WIDTH, _WIDTH = 52, 11


@dataclass(frozen=True)
class Row:
    """A residual for each dtype, and the limit that none may exceed."""

    name: str
    limit: float
    values: dict[str, float] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return all(value <= self.limit for value in self.values.values())  # False for NaN

    def __str__(self) -> str:
        values = (f"{self.values[dtype]:.2g}" if dtype in self.values else "" for dtype in ALL)
        columns = "".join(f"{value:>{_WIDTH}}" for value in values)
        return f"{'ok  ' if self.passed else 'FAIL'}  {self.name:{_NAME_WIDTH}}{columns}  limit {self.limit:g}"


def rows() -> Iterator[Row]:
    """Run the checks one by one."""
    for run, dtypes in CHECKS:
        found: dict[str, Row] = {}
        for dtype in dtypes:
            for what, value, limit in _measure(run, dtype):
                found.setdefault(what, Row(what, limit)).values[dtype] = float(value)
        yield from found.values()


def _measure(run: Run, dtype: str) -> Iterator[Measured]:
    """Yield the measurements. An exception ends them and counts as a residual that exceeds every limit."""
    try:
        yield from run(Case(dtype))
    except Exception as error:
        yield Measured(f"{run.__name__.strip('_')}: {type(error).__name__}: {error}", math.nan, 0.0)


def report() -> int:
    """Print a row for each residual and, at the end, the failed ones; return their number."""
    print(f"      {'residual':{_NAME_WIDTH}}{''.join(f'{dtype:>{_WIDTH}}' for dtype in ALL)}")
    failed = []
    for row in rows():
        print(row, flush=True)
        if not row.passed:
            failed.append(row)
    if failed:
        print(f"selftest FAILED: {len(failed)} residuals over their limits", *failed, sep="\n")
    else:
        print("selftest passed")
    return len(failed)
