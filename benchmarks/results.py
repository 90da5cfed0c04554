"""What a run found: the record that is written to results.json, and its tables as text."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from itertools import groupby
from pathlib import Path
from typing import Any

import classes
from cases import Case
from rounds import Summary

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "benchmarks/results"  # runs that docs/performance.md is about
Record = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """The times of one case."""

    group: str
    label: str
    dtype: str
    sizes: dict[str, int]
    threads: int
    flops: float
    ours: str
    times: dict[str, Summary]
    skipped: dict[str, str]

    @classmethod
    def of(cls, case: Case, times: dict[str, Summary], skipped: dict[str, str]) -> Result:
        """Return the result of a measured case."""
        group = case.group
        flops = group.flops(case.sizes)
        return cls(group.name, case.label, group.dtype, case.sizes, case.threads, flops, group.ours, times, skipped)

    def peers(self) -> list[str]:
        """Return the peers that took part, fastest first."""
        return sorted((name for name in self.times if name != self.ours), key=lambda name: self.times[name]["min"])

    def ratio(self, peer: str) -> float:
        """Return how many times as fast as a peer we are: its least time over ours."""
        return self.times[peer]["min"] / self.times[self.ours]["min"]

    def rate(self, name: str) -> float:
        """Return 1e9 operations a second."""
        return self.flops / self.times[name]["min"] / 1e9


def machine() -> Record:
    """Return what is known of the machine and of this version of the source."""
    processor = classes.first_processor(Path("/proc/cpuinfo").read_text())
    return {
        "cpu": processor.get("model name", platform.processor()),
        "processor": classes.identity(processor),
        "best_set": classes.best_set(processor),
        "cores": len(os.sched_getaffinity(0)),
        "load": os.getloadavg()[0],
        "platform": platform.platform(),
        "python": platform.python_version(),
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": _git("describe", "--always", "--dirty", "--abbrev=12"),
    }


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


def write(path: Path, about: Record, contestants: Record, results: list[Result]) -> None:
    """Write a run as JSON, with a line for each case."""
    cases = ",\n".join(f"  {json.dumps(asdict(result))}" for result in results)
    head = f' "machine": {json.dumps(about)},\n "contestants": {json.dumps(contestants)}'
    path.write_text(f'{{\n{head},\n "results": [\n{cases}\n ]\n}}\n')


def read(path: Path) -> tuple[Record, Record, list[Result]]:
    """Return machine, contestants and results of a run."""
    record = json.loads(path.read_text())
    return record["machine"], record["contestants"], [Result(**result) for result in record["results"]]


HEADER = ("case", "threads", "ours GF", "ours min", "median", "peer", "GF", "min", "median", "peer/ours")


def in_units(seconds: float) -> str:
    """Return a time with three digits and its unit."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1 or unit == "us":
            return f"{seconds * factor:#.3g}".rstrip(".") + f" {unit}"
    raise AssertionError


def rows(result: Result) -> Iterator[tuple[str, ...]]:
    """Yield a row of a table for each peer of a case, the fastest first; our side is in the first one."""
    mine = result.times[result.ours]
    head: tuple[str, ...] = (
        result.label,
        str(result.threads),
        f"{result.rate(result.ours):.3g}",
        in_units(mine["min"]),
        in_units(mine["median"]),
    )
    for peer in result.peers():
        theirs = result.times[peer]
        yield (
            *head,
            peer,
            f"{result.rate(peer):.3g}",
            in_units(theirs["min"]),
            in_units(theirs["median"]),
            f"{result.ratio(peer):.2f}",
        )
        head = ("",) * len(head)


def groups(results: list[Result]) -> Iterator[tuple[str, list[Result]]]:
    """Yield the groups in their order with those of their results that have times."""
    for name, members in groupby(results, key=lambda result: result.group):
        timed = [result for result in members if result.times]
        if timed:
            yield name, timed


def left_out(results: list[Result]) -> list[str]:
    """Return a line for each contestant that did not take part in a group, with the reason."""
    reasons = (f"{r.group}: without {name}: {reason}" for r in results for name, reason in r.skipped.items())
    return list(dict.fromkeys(reasons))


def replace_between(page: Path, first: str, last: str, new: Sequence[str]) -> None:
    """Put lines between two markers of a page; a page without them is an error."""
    text = page.read_text()
    before, begin, rest = text.partition(first)
    _, end, after = rest.partition(last)
    if not (begin and end):
        raise ValueError(f"{page} has no lines {first} and {last}")
    page.write_text("\n".join([before + first, *new, last + after]))
