"""Write the summary of the runs in docs/performance/runs.md into docs/performance.md.

Usage: ``python benchmarks/summary.py [COMMIT ...]``: of the runs of these commits, which are of one machine, or of all. Where
several have a group of cases, the last one counts.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from report import PAGE as RUNS
from report import replace_between
from results import ROOT

PAGE = ROOT / "docs/performance.md"
BEGIN, END = "<!-- summary: begin -->", "<!-- summary: end -->"

SIZES = (16, 32, 64, 128, 256, 512, 1024)
# Groups of cases that are called from Python on both sides, and what the page calls them.
OPERATIONS = {
    "matmul": "`blas.gemm`, float64, beside NumPy's `@`",
    "cholesky": "`linalg.cholesky`, float64",
    "solve-triangular": "`linalg.solve_triangular`, float64",
    "eigh": "`eigh`, float64",
    "eigh-s": "`eigh`, float32",
    "eigh-z": "`eigh`, complex128",
    "eigh-values": "`linalg.eigvalsh`, float64",
    "eigh-subset": "`eigh`, the lowest tenth, float64",
    "eigh-generalized": "`eigh(a, b)`, float64",
    "hessenberg": "`linalg.hessenberg`, float64",
    "schur": "`schur`, float64",
    "schur-z": "`schur`, complex128",
    "eig-vectors": "`linalg.eig`, float64",
    "eig-values": "`linalg.eigvals`, float64",
    "expm": "`linalg.expm`, float64",
    "sqrtm": "`linalg.sqrtm`, float64",
}
SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
# NumPy's and SciPy's functions, called from Python, of which those that are LAPACK's own are not what users call.
PEER = "scipy"
BARE = ("scipy/dpotrf",)


@dataclass
class Times:
    """The least times of one case, by threads: ours, and the fastest of NumPy's and SciPy's."""

    ours: dict[int, float] = field(default_factory=dict)
    theirs: dict[int, float] = field(default_factory=dict)

    def ratio(self, threads: int) -> float:
        """Return the time of the peers with at most so many threads over ours with these."""
        return min(time for count, time in self.theirs.items() if count <= threads) / self.ours[threads]


def _seconds(text: str) -> float:
    value, unit = text.split()
    return float(value) * SECONDS[unit]


def _rows(text: str, commits: Sequence[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield commit, group and cells of the rows of all tables of the runs, those that continue a case filled in."""
    commit = group = ""
    head: list[str] = []
    for line in text.splitlines():
        if found := re.search(r"commit `(\w+)`", line):
            commit = found[1]
        elif line.startswith("### "):
            group = line[4:]
        elif line.startswith("| ") and not line.startswith("| case ") and (not commits or commit in commits):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            head = cells[:5] if cells[0] else head
            yield commit, group, head + cells[5:]


def times(text: str, commits: Sequence[str]) -> dict[str, dict[int, Times]]:
    """Return the times by group and order of the matrix."""
    found: dict[str, dict[int, Times]] = {}
    run_of: dict[str, str] = {}
    for commit, group, cells in _rows(text, commits):
        if group not in OPERATIONS or not (size := re.fullmatch(r"n=(\d+)", cells[0])):
            continue
        if run_of.get(group) != commit:  # a later run of the group
            run_of[group], found[group] = commit, defaultdict(Times)
        case, threads, peer = found[group][int(size[1])], int(cells[1]), cells[5]
        case.ours[threads] = _seconds(cells[3])
        if peer.split("/")[0] == PEER and peer not in BARE:
            case.theirs[threads] = min(case.theirs.get(threads, float("inf")), _seconds(cells[7]))
    return found


def _cell(case: Times | None) -> str:
    """Return the ratios for all numbers of threads, nothing where a case has none."""
    if case is None or not case.theirs:
        return ""
    return " / ".join(f"{case.ratio(threads):.1f}" for threads in sorted(case.ours))


def lines(text: str, commits: Sequence[str]) -> list[str]:
    """Return the lines of the summary of runs."""
    found = times(text, commits)
    commits = commits or list(dict.fromkeys(re.findall(r"commit `(\w+)`", text)))
    table = [
        f"From the runs of the commits {', '.join(f'`{commit}`' for commit in commits)}.",
        "",
        "| operation | " + " | ".join(f"n = {n}" for n in SIZES) + " |",
        "|---" * (len(SIZES) + 1) + "|",
    ]
    for group, name in OPERATIONS.items():
        cases = found.get(group, {})
        table.append(f"| {name} | " + " | ".join(_cell(cases.get(n)) for n in SIZES) + " |")
    return table


def main() -> int:
    """Replace what is between the markers."""
    replace_between(PAGE, BEGIN, END, lines(Path(RUNS).read_text(), sys.argv[1:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
