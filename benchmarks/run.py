"""Time trnsci against its peers: ``make bench``, or ``python benchmarks/run.py [--filter dgemm,eigh]``.

Prints a table for each group of cases and writes build/bench/results.json and plots; of a run with a filter, they are
in build/bench/FILTER/. docs/performance.md says what is measured and how.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import plots
import results
from cases import Case, select
from contestants import Pool
from results import HEADER, ROOT, Result
from rounds import FEW, FULL, SMOKE, Effort, measure

# The load that other programs may put on the machine before a run says so.
BUSY = 0.5
# Shared out among the cases, which get fewer rounds on a slow or busy machine; each gets one, so that the whole may
# take more, but less than ten minutes.
SECONDS = 400.0
WIDTHS = (26, 8, 8, 9, 9, 20, 8, 9, 9, 10)


def _line(cells: tuple[str, ...]) -> str:
    return " ".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True))


def _affordable(effort: Effort, seconds: float, cases: int) -> Effort:
    """Return the effort of the next case when there are so many cases and seconds left."""
    share = max(0.0, seconds) / cases
    # Few cases are as slow as the limit allows.
    return replace(effort, budget=min(effort.budget, share), limit=min(effort.limit, 4 * share))


def _run(cases: list[Case], pool: Pool, effort: Effort) -> list[Result]:
    """Measure the cases, printing a table for each group."""
    end = time.monotonic() + SECONDS
    found: list[Result] = []
    for group, members in groupby(cases, key=lambda case: case.group.name):
        print(f"\n{group}\n{_line(HEADER)}")
        of_group: list[Result] = []
        for case in members:
            left = len(cases) - len(found) - len(of_group)
            share = FEW if case.group.long else _affordable(effort, end - time.monotonic(), left)
            result = Result.of(case, *measure(case, pool, share))
            of_group.append(result)
            for row in results.rows(result) if result.times else ():
                print(_line(row), flush=True)
        for note in results.left_out(of_group):
            print(f"  {note}")
        found += of_group
    return found


def main() -> int:
    """Run the chosen cases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--filter", default="", help='parts of names of groups, separated by commas; "smoke" for a short try'
    )
    options = parser.parse_args()
    chosen = list(select(options.filter))
    if not chosen:
        print(f"no group of cases has a name with {options.filter!r}", file=sys.stderr)
        return 2
    about = results.machine()
    print(f"{about['cpu']}, {about['cores']} cores, commit {about['commit']}")
    if about["load"] > BUSY:
        print(f"the machine is not idle (load {about['load']:.1f}): these times are rough")
    effort = SMOKE if "smoke" in options.filter else FULL
    pool = Pool()
    try:
        found = _run(chosen, pool, effort)
        contestants = pool.facts()
    finally:
        pool.close()
    folder = ROOT / "build/bench" / re.sub(r"[^\w-]+", "+", options.filter)
    _keep(folder, about, contestants, found)
    return 0


def _keep(folder: Path, about: results.Record, contestants: results.Record, found: list[Result]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    results.write(folder / "results.json", about, contestants, found)
    print()
    for name, facts in contestants.items():
        print(f"{name}: {facts['title']}, {facts['version']}, kernels {facts['kernel'] or 'unknown'}")
    print(f"times in {folder / 'results.json'}, {plots.draw(folder, found)}")


if __name__ == "__main__":
    sys.exit(main())
