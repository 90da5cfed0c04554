"""Time two builds of the package against each other, case by case in alternation: nothing may have become slower.

``python benchmarks/builds.py BEFORE AFTER [--filter eigh,schur]`` takes two checkouts in which ``python gobuild.py``
has made the extension. It times the cases of ``make bench`` that are called from Python and small calls, whose time is
that of the border, and prints the ratios of the minima and of the medians. Each checkout is timed by its own worker.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from dataclasses import replace
from pathlib import Path

from cases import Case, Group, select
from contestants import Kind, Pool
from rounds import Effort, measure

SMALL = (
    Group("small eigh", "eigh", ({"n": 2}, {"n": 8}), lambda s: 9.0 * s["n"] ** 3, ()),
    Group("small matmul", "matmul", ({"m": 16, "n": 16, "k": 16},), lambda s: 2.0 * s["n"] ** 3, ()),
    Group("small schur", "schur", ({"n": 8},), lambda s: 25.0 * s["n"] ** 3, ()),
    Group("small cholesky", "cholesky", ({"n": 8},), lambda s: s["n"] ** 3 / 3, ()),
)
EFFORT = Effort(sample=5e-3, rounds=7, budget=0.3, limit=8.0)
# Ratios above this are marked: two runs of the same build differ by less in nearly all cases.
SLOWER = 1.05


def _kind(checkout: Path) -> Kind:
    """Return the contestant that times the package of a checkout."""
    (checkout / "build/bench").mkdir(parents=True, exist_ok=True)
    command = (sys.executable, str(checkout / "benchmarks/worker.py"), "ours")
    return Kind(str(checkout), command, environment={"PYTHONPATH": str(checkout / "python")})


def _cases(wanted: str) -> list[Case]:
    """Return the cases that are called from Python, with our side as "after" and "before" as its peer."""
    small = [Case(group, sizes, 1) for group in SMALL if not wanted for sizes in group.sizes]
    usual = [case for case in select(wanted) if case.group.ours == "python"]
    return [replace(case, group=replace(case.group, ours="after", peers=("before",))) for case in small + usual]


def main() -> int:
    """Time all cases and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--filter", default="", help="parts of names of groups, separated by commas")
    options = parser.parse_args()
    pool = Pool({"before": _kind(options.before.resolve()), "after": _kind(options.after.resolve())})
    ratios = []
    try:
        for case in _cases(options.filter):
            times, _ = measure(case, pool, EFFORT)
            before, after = times["before"], times["after"]
            ratio = after["min"] / before["min"]
            ratios.append(ratio)
            print(
                f"{case.group.name:18} {case.label:24} {case.threads} threads  {before['min'] * 1e6:12.2f} us before, "
                f"ratio of minima {ratio:5.3f}, of medians {after['median'] / before['median']:5.3f}"
                f"{'  SLOWER' if ratio > SLOWER else ''}",
                flush=True,
            )
    finally:
        pool.close()
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    print(f"{len(ratios)} cases, geometric mean of the ratios of minima {mean:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
