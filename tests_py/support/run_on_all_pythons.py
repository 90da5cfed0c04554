"""Install one wheel on every supported Python found here and run the Python tests on each.

Usage: run_on_all_pythons.py WHEEL. A Python is found as pythonX.Y on PATH or below pyenv's versions. Missing versions
are named; the exit status is 1 when a run fails or no Python was found.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ("3.10", "3.11", "3.12", "3.13")


def candidates(version):
    on_path = shutil.which(f"python{version}")
    if on_path:
        yield on_path
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    yield from sorted(root.glob(f"versions/{version}.*/bin/python"), reverse=True)


def find(version):
    """Return an interpreter of that version that runs, or None. Some of pyenv's shims do not run."""
    for python in candidates(version):
        ask = "import sys; print('%d.%d' % sys.version_info[:2])"
        probe = subprocess.run([python, "-c", ask], capture_output=True, text=True)
        if probe.returncode == 0 and probe.stdout.strip() == version:
            return python
    return None


def test(python, version, wheel):
    venv = ROOT / "build" / f"venv-{version}"
    new = venv / "bin" / "python"
    if not new.exists():
        subprocess.run([python, "-m", "venv", venv], check=True)
        subprocess.run([new, "-m", "pip", "install", "-q", "pip>=25.1"], check=True)
        subprocess.run([new, "-m", "pip", "install", "-q", "--group", "test"], check=True, cwd=ROOT)
    subprocess.run([new, "-m", "pip", "install", "-q", "--force-reinstall", "--no-deps", wheel], check=True)
    command = [new, "-m", "pytest", "-q", "tests_py", "README.md", "--pyargs", "trnsci"]
    return subprocess.run(command, cwd=ROOT).returncode


def main():
    wheel = Path(sys.argv[1]).resolve()
    results = {}
    for version in VERSIONS:
        python = find(version)
        print(f"== Python {version}: {python or 'not found, not tested'}", flush=True)
        if python is not None:
            results[version] = test(python, version, wheel)
    for version, status in results.items():
        print(f"Python {version}: {'passed' if status == 0 else f'FAILED (exit status {status})'}")
    sys.exit(1 if not results or any(results.values()) else 0)


if __name__ == "__main__":
    main()
