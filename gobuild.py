"""Build the extension module: gopy generates the binding of ./pybind, one ``go build`` makes the shared library.

gopy's own build and its generated Python are not used. It links libpython, adds -ffast-math, and its Python files hook
Go's garbage collector onto Python's; see docs/decisions. The few edits below make its output fit the stable ABI, and
each is asserted, so that another gopy or pybindgen version cannot change the result unnoticed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent
NAME = "trnsci"  # gopy names the module _trnsci
SURFACE = "trnsci/pybind"
EXTENSION = ROOT / "python" / NAME / f"_{NAME}.abi3.so"
LIMITED_API = "0x030A0000"  # the stable ABI of Python 3.10
WHEEL_PYTHON_TAG = "cp310"


class BuildError(SystemExit):
    """One clear line about what the machine lacks."""

    def __init__(self, message):
        super().__init__(f"trnsci build: {message}")


def check_machine():
    """Raise BuildError unless Go, a C compiler and Python's headers are there."""
    if shutil.which("go") is None:
        raise BuildError("the Go toolchain is missing: install Go 1.26 or newer and put `go` on PATH")
    compiler = os.environ.get("CC", "gcc" if shutil.which("gcc") else "cc").split()[0]
    if shutil.which(compiler) is None:
        raise BuildError(f"no C compiler: `{compiler}` is not on PATH (install gcc or clang, or set CC)")
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.is_file():
        raise BuildError(f"Python.h is missing: install the headers of Python {sys.version_info[0]}.{sys.version_info[1]}"
                         " (for example the package python3-dev)")
    try:
        import pybindgen  # noqa: F401
    except ImportError:
        raise BuildError("pybindgen is missing: pip install 'pybindgen==0.22.1' (pip does it under build isolation)") from None


def run(*command, cwd=ROOT, **env):
    subprocess.run([str(c) for c in command], cwd=cwd, env={**os.environ, **env}, check=True)


def remove(path, *patterns):
    """Delete each (pattern, count) from the file, insisting that it matches exactly count times."""
    text = path.read_text()
    for pattern, count in patterns:
        text, found = re.subn(pattern, "", text, flags=re.M | re.S)
        if found != count:
            raise RuntimeError(f"{path.name}: expected {count} matches of {pattern!r}, found {found}: generator output changed")
    path.write_text(text)


def generate(folder, cflags, tags):
    """Write the Go and C sources of the binding into folder."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "obj").mkdir(parents=True)
    # The generators run on this machine, whatever the build's target is.
    host = {"GOOS": "", "GOARCH": "", "CC": "", "CGO_ENABLED": "0"}
    if tags:  # gopy passes its own flag on to the build but not to the loading of the package
        host["GOFLAGS"] = f"{os.environ.get('GOFLAGS', '')} -tags={tags}".strip()
    run("go", "tool", "gopy", "gen", f"-name={NAME}", f"-output={folder}", f"-vm={sys.executable}",
        "-no-make", "-no-warn", SURFACE, **host)
    go, header, c = folder / f"{NAME}.go", folder / f"{NAME}_go.h", folder / f"{NAME}.c"
    remove(go,
           (r"^#cgo [^\n]*\n", 2),  # libpython and an rpath of this machine
           (r"^static inline int gopy_method_check\(.*?\n}\n", 1),  # PyMethod_Check is outside the stable ABI
           (r"^func complex(?:64|128)(?:GoToPy|PyToGo)\(.*?\n}\n", 4))  # so is Py_complex
    run("go", "tool", "goimports", "-w", go, **host)
    run("go", "tool", "cgo", "-objdir", f"{folder}/obj/", "-exportheader", header.name, "--", *cflags, go.name, cwd=folder)
    run(sys.executable, "build.py", cwd=folder)  # pybindgen writes the C file
    remove(c, (r"typedef PyAsyncMethods\* cmpfunc;", 1))
    shutil.rmtree(folder / "obj")


def linker_flags(folder):
    """Export the module's init function and nothing else."""
    if sys.platform == "linux":
        exports = folder / "exports.map"
        exports.write_text(f"{{ global: PyInit__{NAME}; local: *; }};\n")
        return f"-s -w -extldflags=-Wl,--version-script={exports}"
    if sys.platform == "darwin":
        return f"-s -w -extldflags=-Wl,-undefined,dynamic_lookup,-exported_symbol,_PyInit__{NAME}"
    return "-s -w"


def build(output=EXTENSION, tags=""):
    """Build the extension module at output, with the given Go build tags."""
    check_machine()
    # Go ignores folders that start with "_" in ./..., which keeps generated code out of vet and tests.
    folder = ROOT / "build" / f"_gen{'-' + tags if tags else ''}"
    cflags = ["-O2", "-g0", "-I" + sysconfig.get_path("include"), f"-DPy_LIMITED_API={LIMITED_API}",
              "-Werror=implicit-function-declaration", "-Werror=int-conversion"]
    generate(folder, cflags, tags)
    output = Path(output).resolve()
    output.parent.mkdir(parents=True, exist_ok=True)
    run("go", "build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", f"-tags={tags}",
        f"-ldflags={linker_flags(folder)}", "-o", output, f"./{folder.relative_to(ROOT)}",
        CGO_ENABLED="1", CGO_CFLAGS=" ".join([*cflags, os.environ.get("CGO_CFLAGS", "")]))
    output.with_suffix(".h").unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description="build the extension module outside a wheel")
    parser.add_argument("--output", default=EXTENSION, help="the file to write")
    parser.add_argument("--tags", default="", help="Go build tags")
    options = parser.parse_args()
    build(options.output, options.tags)


if __name__ == "__main__":
    main()
