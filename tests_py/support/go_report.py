"""Reads ``go test -json`` and prints what matters: a line for each package, and all output of tests that fail.

Usage: ``go test -json ... | go_report.py [--every-package] REPORT``. The slowest twenty tests go to the file REPORT.
The exit status is 1 when a test or a build fails; with ``--every-package`` also when a package has run no test, so that
a pattern of ``-run`` that matches nothing is an error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

SLOWEST = 20


class Report:
    """What the events of a run have told so far."""

    def __init__(self) -> None:
        self.output: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.seconds: dict[tuple[str, str], float] = {}
        self.ran: dict[str, int] = defaultdict(int)
        self.packages: dict[str, str] = {}
        self.failed: list[str] = []

    def read(self, lines: Iterable[str]) -> None:
        """Read all events, printing failures as they come. What is no event is printed as it stands."""
        for line in lines:
            try:
                event = json.loads(line)
            except ValueError:
                print(line, end="")
                continue
            self._event(event)

    def _event(self, event: dict[str, str]) -> None:
        action, package, test = (
            event["Action"],
            event.get("Package", event.get("ImportPath", "")),
            event.get("Test", ""),
        )
        name = package, test
        if action in ("output", "build-output"):
            self.output[name].append(event["Output"])
        elif action == "run":
            self.ran[package] += 1
        elif action == "build-fail":
            self._fail(package, test)
        elif action in ("pass", "fail", "skip"):
            self.seconds[name] = float(event.get("Elapsed", 0))
            if action == "fail":
                self._fail(package, test)
            elif test:
                self.output.pop(name, None)
            if not test:
                self.packages[package] = action
                print(f"{action:<5}{package}  {self.ran[package]} tests, {self.seconds[name]:.1f} s", flush=True)

    def _fail(self, package: str, test: str) -> None:
        self.failed.append(f"{package} {test}".strip())
        print("".join(self.output.pop((package, test), [])), end="", flush=True)

    def without_tests(self) -> list[str]:
        """Return the packages that have tests and have run none."""
        return [package for package, action in self.packages.items() if action == "pass" and not self.ran[package]]

    def slowest(self) -> list[str]:
        """Return lines about the tests that took longest, without those whose subtests are listed."""
        inner = {(package, test.rpartition("/")[0]) for package, test in self.seconds if "/" in test}
        tests = [(seconds, *name) for name, seconds in self.seconds.items() if name[1] and name not in inner]
        return [
            f"{seconds:8.2f} s  {package}  {test}" for seconds, package, test in sorted(tests, reverse=True)[:SLOWEST]
        ]


def main() -> int:
    """Read standard input."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--every-package", action="store_true")
    parser.add_argument("report", type=Path)
    options = parser.parse_args()
    report = Report()
    report.read(sys.stdin)
    options.report.parent.mkdir(parents=True, exist_ok=True)
    options.report.write_text("\n".join(report.slowest()) + "\n")
    empty = report.without_tests() if options.every_package else []
    for package in empty:
        print(f"{package}: no test was run; does the pattern match its tests?")
    if not report.packages:
        print("no package was tested")
    return 1 if report.failed or empty or not report.packages else 0


if __name__ == "__main__":
    sys.exit(main())
