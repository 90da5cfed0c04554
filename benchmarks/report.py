"""Print the tables of runs: of those in benchmarks/results, or of the results.json that are named.

Usage: ``python benchmarks/report.py [RESULTS.json ...]``; ``make bench-report`` writes them to build/bench/report.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import classes
import results
from results import HEADER, KEPT


def lines(path: Path) -> Iterator[str]:
    """Yield the lines about a run."""
    about, contestants, found = results.read(path)
    machine = f"{about['cpu']}, {about['cores']} cores"
    yield f"## {machine}; {about['date'][:10]}, commit `{about['commit']}`, Python {about['python']}"
    yield ""
    for machine_class in dict.fromkeys(classes.of_run(about, contestants).values()):
        yield f"* machine class: {machine_class}"
    for name, facts in contestants.items():
        yield f"* `{name}`: {facts['title']}; {facts['version']}; kernels: {facts['kernel'] or 'unknown'}"
    for name, members in results.groups(found):
        yield f"\n### {name}\n"
        yield f"| {' | '.join(HEADER)} |"
        yield "|---" * len(HEADER) + "|"
        for result in members:
            for row in results.rows(result):
                yield f"| {' | '.join(row)} |"
    notes = results.left_out(found)
    if notes:
        yield "\nLeft out:\n"
    for note in notes:
        yield f"* {note}"


def main() -> int:
    """Print the runs, the oldest first."""
    paths = [Path(name) for name in sys.argv[1:]] or sorted(KEPT.glob("*.json"))
    for path in paths:
        if not path.exists():
            print(f"{path} is not there: run make bench", file=sys.stderr)
            return 1
    for path in paths:
        print("\n".join(lines(path)), end="\n\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
