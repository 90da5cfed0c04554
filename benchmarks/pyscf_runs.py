"""Time whole runs of PySCF with and without trnsci: ``make bench-pyscf``, or ``python benchmarks/pyscf_runs.py [--only
NAME]``.

Each run is a fresh process; both sides take turns. Prints a table for each system and writes
build/bench/pyscf/results.json, or NAME.json there. Ends with status 1 where the energies of both sides differ.
docs/pyscf.md says what is measured and how.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
from dataclasses import asdict, dataclass
from typing import Any

import pyscf_report
import results
from contestants import THREADS, UNSET
from pyscf_systems import SMOKE, SYSTEMS, System, select
from results import ROOT

SIDES = ("pyscf", "trnsci")
SAME_ENERGY = 1e-8  # hartree
LEAST_ROUNDS = 2
# Makes threads of OpenBLAS and OpenMP that have no work sleep at once.
SLEEPING = {"OPENBLAS_THREAD_TIMEOUT": "4", "OMP_WAIT_POLICY": "passive"}

Run = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """How the processes of both sides are started."""

    threads: int
    sleeping: bool  # whether threads without work sleep at once

    def environment(self) -> dict[str, str]:
        """Return the environment without anything that chooses threads or kernels but the number of threads."""
        kept = {name: value for name, value in os.environ.items() if name not in (*UNSET, *THREADS, *SLEEPING)}
        return kept | {"OMP_NUM_THREADS": str(self.threads)} | (SLEEPING if self.sleeping else {})


def _run(system: System, side: str, setting: Setting) -> Run:
    command = [sys.executable, str(ROOT / "benchmarks/pyscf_run.py"), system.name, side]
    done = subprocess.run(command, env=setting.environment(), stdout=subprocess.PIPE, text=True, check=True)
    answer: Run = json.loads(done.stdout.splitlines()[-1])
    return answer


def _of_side(runs: list[Run]) -> Run:
    """Return the facts of one side, minimum and median of its runs and steps, and the steps of the fastest run."""
    fastest = min(runs, key=lambda run: float(run["seconds"]))
    samples = [run["seconds"] for run in runs]
    of_steps = {name: [run["steps"].get(name, 0.0) for run in runs] for name in fastest["steps"]}
    return {
        **fastest,
        "samples": samples,
        "min": min(samples),
        "median": statistics.median(samples),
        "steps_min": {name: min(seconds) for name, seconds in of_steps.items()},
        "steps_median": {name: statistics.median(seconds) for name, seconds in of_steps.items()},
    }


def disagreements(runs: dict[str, list[Run]]) -> list[str]:
    """Return a line for each energy that differs between runs, and for each run that did not converge."""
    every = [(side, run) for side in SIDES for run in runs[side]]
    found = [f"a run with {side} did not converge" for side, run in every if not run["facts"].get("converged", True)]
    for name in every[0][1]["energies"]:
        energies = [run["energies"][name] for _, run in every]
        # Whatever is not finite differs.
        if not (all(map(math.isfinite, energies)) and max(energies) - min(energies) <= SAME_ENERGY):
            found.append(
                f"{name}: " + ", ".join(f"{side} {run['energies'][name]:.10f}" for side, run in every) + " hartree"
            )
    return found


def measure(system: System, settings: list[Setting], rounds: int) -> list[Run]:
    """Return a record for each setting; sides and settings take turns in each round."""
    runs: dict[Setting, dict[str, list[Run]]] = {setting: {side: [] for side in SIDES} for setting in settings}
    for _ in range(rounds):
        for setting in settings:
            for side in SIDES:
                runs[setting][side].append(_run(system, side, setting))
    return [
        {
            "system": system.name,
            "title": system.title,
            "kind": system.kind,
            **asdict(setting),
            "sides": {side: _of_side(of_sides[side]) for side in SIDES},
            "disagreements": disagreements(of_sides),
        }
        for setting, of_sides in runs.items()
    ]


def _arguments() -> argparse.Namespace:
    everything = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [system.name for system in SYSTEMS]
    parser.add_argument(
        "--only", action="append", default=[], choices=names, metavar="NAME", help=f"one of {', '.join(names)}"
    )
    parser.add_argument(
        "--threads", type=int, action="append", help="may be given repeatedly (default: all processors)"
    )
    parser.add_argument("--rounds", type=int, default=3, help=f"runs of each side, {LEAST_ROUNDS} or more (default: 3)")
    sleeping = " ".join(f"{name}={value}" for name, value in SLEEPING.items())
    parser.add_argument("--sleeping", action="store_true", help=f"also with {sleeping}")
    parser.add_argument("--smoke", action="store_true", help="smallest molecules, to see that it works")
    options = parser.parse_args()
    if options.rounds < LEAST_ROUNDS:
        parser.error(f"--rounds: expected {LEAST_ROUNDS} or more, got {options.rounds}")
    options.threads = options.threads or [everything]
    if min(options.threads) < 1:
        parser.error(f"--threads: expected 1 or more, got {min(options.threads)}")
    return options


def main() -> int:
    """Run the chosen systems."""
    options = _arguments()
    policies = (False, True) if options.sleeping else (False,)
    settings = [Setting(threads, sleeping) for threads in options.threads for sleeping in policies]
    record: dict[str, Any] = {"machine": results.machine(), "results": []}
    folder = ROOT / "build/bench/pyscf"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{'+'.join(options.only) or (SMOKE if options.smoke else 'results')}.json"
    print("\n".join(pyscf_report.about(record["machine"])))
    for system in select(options.only, options.smoke):
        for found in measure(system, settings, options.rounds):
            record["results"].append(found)
            print("\n".join(pyscf_report.table(found)), flush=True)
        path.write_text(json.dumps(record, indent=1) + "\n")
    print(f"\ntimes in {path}")
    wrong = [f"{found['title']}: {line}" for found in record["results"] for line in found["disagreements"]]
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
