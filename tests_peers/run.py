"""Run the test suites of SciPy, NumPy and PySCF with our functions in the place of theirs.

Each set of versions has a virtual environment below build/peers. What fails there is run again in the peer as it is;
what fails only with our functions has to stand in `expected.py`, and what stands there has to fail. The exit status is
1 otherwise, or when a run did not come to its end. docs/peers.md has the reasons.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import outcomes
from environments import PYSCF_PARTS, PYSCF_REPOSITORY, SETS, Environment, MissingPython, MissingTests

HERE = Path(__file__).resolve().parent
# Seconds that one test may take; the longest of PySCF takes some minutes on two processors.
TEST_TIMEOUT = 900


class Suite:
    """The tests of a peer, and the plugin that exchanges its functions."""

    def __init__(self, peer, plugin, paths, options=(), variables=None):
        self.peer, self.plugin, self.paths, self.options = peer, plugin, paths, options
        self.variables = variables or {}


_PYSCF_PATHS = [f"pyscf/{part}/test" for part in PYSCF_PARTS]
# PySCF's files of tests have the same names in several folders.
_PYSCF_OPTIONS = ("--import-mode=importlib",)
SUITES = {
    "scipy": Suite("scipy", "exchange_scipy", ["scipy/linalg/tests"]),
    "numpy": Suite("numpy", "exchange_numpy", ["numpy/linalg/tests"]),
    "pyscf": Suite("pyscf", "exchange_pyscf", _PYSCF_PATHS, _PYSCF_OPTIONS, {"TRNSCI_PEER_MODE": "patch"}),
    "pyscf-accelerate": Suite(
        "pyscf", "exchange_pyscf", _PYSCF_PATHS, _PYSCF_OPTIONS, {"TRNSCI_PEER_MODE": "accelerate"}
    ),
}


def pytest(environment, suite, name, tests, plugins, package):
    """Run tests in an environment and return what became of them."""
    folder = environment.folder / suite
    folder.mkdir(exist_ok=True)
    record = folder / f"{name}.jsonl"
    record.unlink(missing_ok=True)
    chosen = folder / f"{name}.tests"
    chosen.write_text("\n".join(tests))
    site = environment.site_packages()
    command = [
        environment.python,
        "-m",
        "pytest",
        "-q",
        "-c",
        os.devnull,
        f"--rootdir={site}",
        f"--timeout={TEST_TIMEOUT}",
    ]
    command += ["-p", "no:cacheprovider", *SUITES[suite].options, *(f"-p{plugin}" for plugin in plugins), f"@{chosen}"]
    paths = [str(HERE), *([str(package)] if package else [])]
    # Threads of NumPy's BLAS that wait would take processors from ours; matrices of the tests are small.
    variables = {
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": os.pathsep.join(paths),
        "TRNSCI_PEER_RECORD": str(record),
        **SUITES[suite].variables,
    }
    with open(folder / f"{name}.log", "w") as log:
        subprocess.run(command, cwd=site, env={**os.environ, **variables}, stdout=log, stderr=subprocess.STDOUT)
    return outcomes.read(record)


def run_suite(environment, name, package):
    """Run one suite in one environment, print what came of it, and return whether all is as expected."""
    suite = SUITES[name]
    version = environment.set.versions[suite.peer]
    begin = time.monotonic()
    ours = pytest(environment, name, "exchanged", suite.paths, ("recorder", suite.plugin), package)
    nothing = outcomes.Run({}, {}, 0)
    baseline = pytest(environment, name, "plain", ours.failed, ("recorder",), None) if ours.failed else nothing
    found = outcomes.compare(ours, baseline, name, version)
    minutes = (time.monotonic() - begin) / 60
    for test in found.unexplained:
        print(f"  unexplained: {test}\n      {' '.join(ours.messages[test].split())[:200]}")
    for pattern in found.stale:
        print(f"  expected to fail, but does not: {pattern}")
    log = environment.folder / name / "exchanged.log"
    if not ours.calls:
        print(f"  the run did not come to its end, or never called our functions: see {log}")
    print(
        f"{name} {version} ({environment.name}): {ours.count('passed')} passed, {ours.count('skipped')} skipped, "
        f"{ours.count('xfailed')} failed as the peer expects, {len(found.explained)} expected differences, "
        f"{len(found.without_us)} fail without us too, {len(found.unexplained)} unexplained; "
        f"{ours.calls} calls of ours, {minutes:.1f} minutes",
        flush=True,
    )
    return bool(ours.calls) and not found.unexplained and not found.stale


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", nargs="+", choices=SUITES, default=list(SUITES), help="which suites; all by default")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), help="sets of versions; all by default")
    parser.add_argument(
        "--pyscf-repository", default=PYSCF_REPOSITORY, help="a clone that has PySCF's tests: address or path"
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--wheel", type=Path, help="the wheel of trnsci to install")
    which.add_argument("--package", type=Path, help="the folder that holds a built package trnsci, instead of a wheel")
    arguments = parser.parse_args()
    good = []
    for name in arguments.sets:
        environment = Environment(name)
        try:
            environment.make()
        except MissingPython as missing:
            print(f"set {name}: not run, {missing}")
            continue
        if arguments.wheel:
            environment.install(arguments.wheel.resolve())
        else:
            environment.uninstall()
        package = arguments.package.resolve() if arguments.package else None
        for peer in arguments.peers:
            try:
                if SUITES[peer].peer == "pyscf":
                    environment.take_tests_of_pyscf(arguments.pyscf_repository)
                good.append(run_suite(environment, peer, package))
            except MissingTests as missing:
                print(f"{peer} ({name}): not run, {missing}")
                good.append(False)
    sys.exit(0 if good and all(good) else 1)


if __name__ == "__main__":
    main()
