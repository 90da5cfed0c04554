"""Check a built wheel: manylinux policy, stable ABI, exported symbols, and what it links to.

Usage: check_wheel.py WHEEL. Exits with 1 and says why when a check fails.
"""

import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

EXTENSION = "trnsci/_trnsci.abi3.so"
ALLOWED_LIBRARIES = {"libc.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def check_symbols(library):
    exported = [line.split()[-1].split("@")[0] for line in run("nm", "-D", "--defined-only", library).splitlines()]
    if exported != ["PyInit__trnsci"]:
        sys.exit(f"the extension exports {exported}, expected PyInit__trnsci alone")


def check_dynamic_section(library):
    dynamic = run("readelf", "-d", library)
    needed = {line.split("[")[1].rstrip("]") for line in dynamic.splitlines() if "(NEEDED)" in line}
    if not needed <= ALLOWED_LIBRARIES:
        sys.exit(f"the extension needs {needed - ALLOWED_LIBRARIES}")
    if "RPATH" in dynamic or "RUNPATH" in dynamic:
        sys.exit("the extension has a run path of the build machine")


def main():
    wheel = Path(sys.argv[1])
    if "-cp310-abi3-" not in wheel.name:
        sys.exit(f"{wheel.name} is not tagged cp310-abi3")
    scripts = Path(sysconfig.get_path("scripts"))
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        library = archive.extract(EXTENSION, folder)
        strays = [n for n in archive.namelist() if not n.startswith(("trnsci/", "trnsci-"))]
        if strays:
            sys.exit(f"the wheel holds {strays}")
        if sys.platform == "linux":
            check_symbols(library)
            check_dynamic_section(library)
            policy = run(scripts / "auditwheel", "show", wheel)
            if "manylinux" not in policy:
                sys.exit(f"auditwheel finds no manylinux policy:\n{policy}")
            print(" ".join(policy.split()))
    print(run(scripts / "abi3audit", "--strict", "--verbose", wheel).strip())
    print(f"{wheel.name}: ok")


if __name__ == "__main__":
    main()
