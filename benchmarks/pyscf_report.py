"""Write the tables of the last ``make bench-pyscf``, or of results that are named, into docs/pyscf.md.

Usage: ``python benchmarks/pyscf_report.py [RESULTS.json ...]``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from results import ROOT, Record, replace_between

PAGE = ROOT / "docs/pyscf.md"
BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"
HEADER = ("", "PySCF", "share", "trnsci", "share", "PySCF/trnsci")
HEADER_OF_PARTS = ("", "PySCF", "median", "trnsci", "median", "PySCF/trnsci")
# Steps that take less of both sides' time are one row.
LEAST_SHARE = 0.005


def about(machine: Record) -> Iterator[str]:
    """Yield the lines about the machine."""
    yield f"{machine['cpu']}, {machine['cores']} cores, load {machine['load']:.1f}; {machine['date'][:10]}, " + (
        f"commit `{machine['commit']}`, Python {machine['python']}."
    )


def _row(name: str, theirs: float, ours: float, whole: tuple[float, float] | None = None) -> str:
    """Return a row with the seconds of both sides, and their shares in the whole of each."""
    shares = (
        [f"{100 * part / total:.0f} %" for part, total in zip((theirs, ours), whole, strict=True)]
        if whole
        else ["", ""]
    )
    ratio = f"{theirs / ours:.2f}" if ours > 0 and theirs > 0 else ""
    return f"| {name} | {theirs:.4g} s | {shares[0]} | {ours:.4g} s | {shares[1]} | {ratio} |"


def _title(found: Record) -> str:
    facts = found["sides"]["trnsci"]["facts"]
    sizes = ", ".join(f"{name} {facts[name]}" for name in ("nao", "naux", "npairs", "cycles") if name in facts)
    threads = f"{found['threads']} thread" + ("s" if found["threads"] != 1 else "")
    return f"{found['title']}: {sizes}; {threads}" + (", those without work sleep" if found["sleeping"] else "")


def table(found: Record) -> Iterator[str]:
    """Yield the lines about one system with one setting."""
    header = HEADER if found["kind"] == "run" else HEADER_OF_PARTS
    yield f"\n### {_title(found)}\n"
    yield f"| {' | '.join(header)} |"
    yield "|---" * len(header) + "|"
    theirs, ours = found["sides"]["pyscf"], found["sides"]["trnsci"]
    yield from _run_rows(theirs, ours) if found["kind"] == "run" else _part_rows(theirs, ours)
    for line in found["disagreements"]:
        yield f"\n**Not the same**: {line}"


def _run_rows(theirs: Record, ours: Record) -> Iterator[str]:
    """Yield rows for whole runs, and for the steps of the fastest one of each side."""
    samples = len(ours["samples"])
    yield _row(f"**whole**, least of {samples}", theirs["min"], ours["min"])
    yield _row("**whole**, median", theirs["median"], ours["median"])
    whole = (theirs["min"], ours["min"])
    small = [0.0, 0.0]
    steps = {
        name: (theirs["steps"].get(name, 0.0), ours["steps"].get(name, 0.0)) for name in theirs["steps"] | ours["steps"]
    }
    for name, seconds in sorted(steps.items(), key=lambda step: -step[1][0]):
        if all(part < LEAST_SHARE * total for part, total in zip(seconds, whole, strict=True)):
            small = [a + b for a, b in zip(small, seconds, strict=True)]
        else:
            yield _row(name, *seconds, whole)
    if any(small):
        yield _row("smaller steps", small[0], small[1], whole)


def _part_rows(theirs: Record, ours: Record) -> Iterator[str]:
    """Yield a row for each operation: the least time of all processes, the median of their least times."""
    for name, least in theirs["steps_min"].items():
        medians = [f"{side['steps_median'][name]:.4g} s" for side in (theirs, ours)]
        ours_least = ours["steps_min"][name]
        times = f"{least:.4g} s | {medians[0]} | {ours_least:.4g} s | {medians[1]}"
        yield f"| {name} | {times} | {least / ours_least:.2f} |"


def _tables(path: Path) -> Iterator[str]:
    record: dict[str, Any] = json.loads(path.read_text())
    yield from about(record["machine"])
    for found in record["results"]:
        yield from table(found)


def main() -> int:
    """Replace what is between the markers."""
    paths = [Path(name) for name in sys.argv[1:]] or [ROOT / "build/bench/pyscf/results.json"]
    for path in paths:
        if not path.exists():
            print(f"{path} is not there: run make bench-pyscf", file=sys.stderr)
            return 1
    tables = [line for path in paths for line in (*_tables(path), "")]
    replace_between(PAGE, BEGIN, END, tables[:-1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
