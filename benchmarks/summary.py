"""Write the table and the plots of docs/performance.md from runs that are kept in benchmarks/results.

Usage: ``python benchmarks/summary.py [RESULTS.json ...]``: from these runs, which are of one machine, or again from
those that the page names. Where several have a group of cases, the last one counts.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import plots
import results
from results import KEPT, ROOT, Result, replace_between

PAGE = ROOT / "docs/performance.md"
BEGIN, END = "<!-- summary: begin -->", "<!-- summary: end -->"

# Groups of cases, what the page calls them, and from which language both sides are called.
OPERATIONS = {
    "dgemm": "`blas.Gemm` from Go, float64",
    "zgemm": "`blas.Gemm` from Go, complex128",
    "solve-triangular": "`linalg.solve_triangular`, float64",
    "cholesky": "`linalg.cholesky`, float64",
    "eigh": "`eigh`, float64",
    "eigh-s": "`eigh`, float32",
    "eigh-z": "`eigh`, complex128",
    "eigh-values": "`linalg.eigvalsh`, float64",
    "eigh-generalized": "`eigh(a, b)`, float64",
    "hessenberg": "`linalg.hessenberg` with Q, float64",
    "schur": "`schur`, float64",
    "schur-z": "`schur`, complex128",
    "eig-vectors": "`linalg.eig`, float64",
    "eig-values": "`linalg.eigvals`, float64",
    "sqrtm": "`linalg.sqrtm`, float64",
}
# The orders of the table: the first one timed from SMALL on, and LARGE or else the last one up to LARGEST.
SMALL, LARGE, LARGEST = 100, 1000, 1024
# What SciPy's wrappers leave to users: bare LAPACK routines are no peers of functions.
BARE = ("scipy/dpotrf",)
PEERS = {"scipy": "SciPy", "openblas": "OpenBLAS", "mkl": "MKL"}


@dataclass
class Times:
    """The least times of one case by threads: ours, and those of each peer."""

    ours: dict[int, float] = field(default_factory=dict)
    theirs: dict[int, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))

    def best(self, threads: int) -> tuple[float, str]:
        """Return the time of the fastest peer with at most so many threads over ours with these, and its name."""
        most = [times for count, times in self.theirs.items() if count <= threads]
        time, name = min((time, name) for times in most for name, time in times.items())
        return time / self.ours[threads], name


def times(runs: Sequence[list[Result]]) -> dict[str, dict[int, Times]]:
    """Return the times by group and order of the matrix."""
    found: dict[str, dict[int, Times]] = {}
    for run in runs:
        for name, members in results.groups(run):
            if name not in OPERATIONS:
                continue
            found[name] = defaultdict(Times)  # in place of those of an earlier run
            for result in members:
                case = found[name][result.sizes["n"]]
                case.ours[result.threads] = result.times[result.ours]["min"]
                for peer in result.peers():
                    if peer not in BARE:
                        case.theirs[result.threads][peer] = result.times[peer]["min"]
    return {name: {n: case for n, case in cases.items() if case.theirs} for name, cases in found.items()}


def peer_name(name: str) -> str:
    """Return what the page calls a peer: SciPy's drivers have names of their own."""
    if name in PEERS:
        return PEERS[name]
    library, _, operation = name.partition("/")
    if "numpy" in operation:
        return "NumPy"
    return f"{PEERS.get(library, library)} {operation.rpartition('_')[2]}".strip()


def orders(cases: dict[int, Times]) -> tuple[int, int]:
    """Return the two orders of a group that the table is about."""
    small = min(n for n in cases if n >= SMALL)
    large = LARGE if LARGE in cases else max(n for n in cases if n <= LARGEST)
    return small, large


def row(name: str, cases: dict[int, Times]) -> str:
    """Return a line of the table."""
    small, large = orders(cases)
    cells = [OPERATIONS[name], f"{small}, {large}"]
    for n in (small, large):
        for threads in sorted(cases[n].ours):
            factor, peer = cases[n].best(threads)
            cells.append(f"{factor:.1f} {peer_name(peer)}")
    return f"| {' | '.join(cells)} |"


def lines(paths: Sequence[Path]) -> list[str]:
    """Return the lines of the summary of runs."""
    found = times([results.read(path)[2] for path in paths])
    threads = sorted({count for cases in found.values() for case in cases.values() for count in case.ours})
    words = ["one thread" if count == 1 else f"{count} threads" for count in threads]
    head = [f"{n} n, {word}" for n in ("first", "second") for word in words]
    return [
        f"From {', '.join(f'`{path.name}`' for path in paths)}.",
        "",
        f"| operation | n | {' | '.join(head)} |",
        "|---" * (len(head) + 2) + "|",
        *(row(name, found[name]) for name in OPERATIONS if name in found),
    ]


def named_on_page(text: str) -> list[Path]:
    """Return the runs that the summary of a page names."""
    summary = text.partition(BEGIN)[2].partition(END)[0]
    return [KEPT / name for name in re.findall(r"`([\w.-]+\.json)`", summary)]


def main() -> int:
    """Replace what is between the markers, and the plots."""
    paths = [Path(name) for name in sys.argv[1:]] or named_on_page(PAGE.read_text())
    replace_between(PAGE, BEGIN, END, lines(paths))
    runs = [results.read(path)[2] for path in paths]
    print(plots.draw_summary(ROOT / "docs/performance", [result for run in runs for result in run], times(runs)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
