"""Write the tables of the last full run, or of the runs that are named, into docs/performance/runs.md.

``python benchmarks/summary.py`` then writes the summary of docs/performance.md.

Usage: ``python benchmarks/report.py [RESULTS.json ...]``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import results
from results import HEADER, ROOT

PAGE = ROOT / "docs/performance/runs.md"
BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"


def _tables(path: Path) -> Iterator[str]:
    """Yield the lines about a run."""
    about, contestants, found = results.read(path)
    yield f"{about['cpu']}, {about['cores']} cores; {about['date'][:10]}, commit `{about['commit']}`, Python {about['python']}."
    yield ""
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


def replace_between(page: Path, first: str, last: str, lines: list[str]) -> None:
    """Put lines between two markers of a page; a page without them is an error."""
    text = page.read_text()
    before, begin, rest = text.partition(first)
    _, end, after = rest.partition(last)
    if not (begin and end):
        raise ValueError(f"{page} has no lines {first} and {last}")
    page.write_text("\n".join([before + first, *lines, last + after]))


def replace_tables(page: Path, runs: list[list[str]]) -> None:
    """Put the lines of each run between the markers of a page; a page without them is an error."""
    tables = [line for lines in runs for line in (*lines, "")]
    replace_between(page, BEGIN, END, tables[:-1])


def main() -> int:
    """Replace what is between the markers."""
    paths = [Path(name) for name in sys.argv[1:]] or [ROOT / "build/bench/results.json"]
    for path in paths:
        if not path.exists():
            print(f"{path} is not there: run make bench", file=sys.stderr)
            return 1
    replace_tables(PAGE, [list(_tables(path)) for path in paths])
    return 0


if __name__ == "__main__":
    sys.exit(main())
