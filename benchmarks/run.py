"""Time trnsci against its peers: ``make bench``, or ``python benchmarks/run.py [--filter dgemm,eigh]``.

Prints a table for each group of cases and writes build/bench/results.json and plots; of a run with a filter, they are
in build/bench/FILTER/. ``make bench-check``, or the option --check, compares with the last stored results instead.
benchmarks/README.md says what is measured and how.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import check
import classes
import plots
import results
from cases import Case, select
from contestants import Pool
from results import HEADER, KEPT, ROOT, Result
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


def _measured(cases: list[Case], pool: Pool, effort: Effort) -> Iterator[Result]:
    """Measure the cases one by one."""
    end = time.monotonic() + SECONDS
    for done, case in enumerate(cases):
        share = FEW if case.group.long else _affordable(effort, end - time.monotonic(), len(cases) - done)
        yield Result.of(case, *measure(case, pool, share))


def _shown(found: Iterator[Result]) -> list[Result]:
    """Return the results, printing a table for each group while it is measured."""
    shown: list[Result] = []
    for group, members in groupby(found, key=lambda result: result.group):
        print(f"\n{group}\n{_line(HEADER)}")
        of_group: list[Result] = []
        for result in members:
            of_group.append(result)
            for row in results.rows(result) if result.times else ():
                print(_line(row), flush=True)
        for note in results.left_out(of_group):
            print(f"  {note}")
        shown += of_group
    return shown


def _classes(cases: list[Case], pool: Pool, about: results.Record) -> dict[str, str]:
    """Start our contestants, print and return their machine classes."""
    for case in cases:
        pool.get(case.group.ours, case.threads)
    of_ours = classes.of_run(about, pool.facts())
    for machine_class in dict.fromkeys(of_ours.values()):
        hint = ": times are a hint, not a result" if classes.FORCED in machine_class else ""
        print(f"machine class {machine_class}{hint}")
    return of_ours


def main() -> int:
    """Run the chosen cases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--filter", default="", help='parts of names of groups, separated by commas; "smoke" for a short try'
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; compare with the last stored results of the machine class"
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
    pool = Pool()
    try:
        of_ours = _classes(chosen, pool, about)
        found = _measured(chosen, pool, SMOKE if "smoke" in options.filter else FULL)
        if options.check:
            return check.check(found, of_ours, check.archive(KEPT.glob("*.json")), options.filter)
        shown = _shown(found)
        contestants = classes.with_classes(about, pool.facts())
    finally:
        pool.close()
    folder = ROOT / "build/bench" / re.sub(r"[^\w-]+", "+", options.filter)
    _keep(folder, about, contestants, shown)
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
