"""Run the Python tests with the oldest and with the newest NumPy, SciPy and PySCF that the package is meant for.

Usage: run_on_versions.py [--only oldest|newest] [WHEEL] [TEST ...]. Without a wheel the package in python/ is tested,
with the extension that was built there; without tests those of dense linear algebra, of the border and of PySCF. The
exit status is 1 when a run fails or its Python is not found.

What is promised: NumPy from 1.24 on, which is what pyproject.toml requires, and PySCF from 2.9 on. SciPy is needed by
tests and by PySCF only; the pages compare with it from 1.14 on. A new release goes into "newest" and into the caps of
pyproject.toml when this run is green with it.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from run_on_all_pythons import ROOT, find

# Python, and what is installed. The oldest are those of their minor versions; pip finds what these need.
SETS = {
    "oldest": ("3.10", ["numpy==1.24.*", "scipy==1.14.0", "pyscf==2.9.0", "ml_dtypes==0.4.*", "hypothesis==6.100.*",
                        "pytest==8.0.*", "pytest-timeout==2.3.*", "mpmath==1.3.*", "threadpoolctl==3.1.*",
                        "tqdm==4.60.*",
                        "matplotlib==3.8.*", "pybindgen==0.22.1"]),
    "newest": ("3.13", ["numpy==2.5.*", "scipy==1.18.*", "pyscf==2.14.*", "ml_dtypes==0.6.*", "hypothesis>=6.170,<7",
                        "pytest==9.*", "pytest-timeout==2.*", "mpmath==1.4.*", "threadpoolctl==3.*", "tqdm==4.*",
                        "matplotlib==3.*", "pybindgen==0.22.1"]),
}  # fmt: skip

# Files left out by default: other subjects, and devices, whose packages are not in the sets.
TOPICS = ("balance", "border", "cholesky", "dtypes", "eig", "expm", "general", "hessenberg", "linalg_warning",
    "matfunc",
          "ordqz", "properties", "pyscf", "qz", "results", "schur", "solve", "sylvester")  # fmt: skip
NOT_HERE = ("pyscf_device", "pyscf_whole_runs", "general_accuracy", "eigh_accuracy", "mp2_properties")


def default_tests():
    files = sorted((ROOT / "tests_py").rglob("test_*.py"))
    return [f for f in files if any(t in f.stem for t in TOPICS) and not any(t in f.stem for t in NOT_HERE)]


def environment(name, python, requirements):
    """Return the interpreter of an environment with these packages, made anew when they have changed."""
    folder = ROOT / "build" / f"venv-{name}"
    new, stamp = folder / "bin" / "python", folder / "requirements"
    wanted = "\n".join(requirements)
    if not stamp.exists() or stamp.read_text() != wanted:
        subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([new, "-m", "pip", "install", "-q", "--disable-pip-version-check", *requirements], check=True)
        stamp.write_text(wanted)
    return new


def test(python, wheel, tests):
    variables = dict(os.environ)
    if wheel is None:
        variables["PYTHONPATH"] = str(ROOT / "python")
    else:
        command = [
            python,
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            "--force-reinstall",
            "--no-deps",
            wheel,
        ]
        subprocess.run(command, check=True)
    versions = "import numpy, scipy, pyscf\nfor m in numpy, scipy, pyscf: print(m.__name__, m.__version__, flush=True)"
    subprocess.run([python, "-c", versions], check=True)
    return subprocess.run([python, "-m", "pytest", "-q", "-m", "not slow", *tests], cwd=ROOT, env=variables).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", choices=SETS)
    parser.add_argument("paths", nargs="*", metavar="WHEEL or TEST")
    given = parser.parse_args()
    wheel = next((Path(path).resolve() for path in given.paths if path.endswith(".whl")), None)
    tests = [path for path in given.paths if not path.endswith(".whl")] or default_tests()
    results = {}
    for name, (version, requirements) in SETS.items():
        if given.only not in (None, name):
            continue
        python = find(version)
        print(f"== {name}: Python {version}: {python or 'not found, not tested'}", flush=True)
        results[name] = 1 if python is None else test(environment(name, python, requirements), wheel, tests)
    for name, status in results.items():
        print(f"{name}: {'passed' if status == 0 else f'FAILED (exit status {status})'}")
    sys.exit(any(results.values()))


if __name__ == "__main__":
    main()
