"""Build the extension module: gopy generates the binding of ./pybind, one ``go build`` makes the shared library.

gopy's own build and its generated Python are not used. It links libpython, adds -ffast-math, and its Python files hook
Go's garbage collector onto Python's; see docs/decisions. The edits below make its output fit the stable ABI. Each edit
is checked, so that another version of gopy or pybindgen cannot change the result unnoticed.

Everything is compiled once: gopy reads a package that has only the signatures of ./pybind, and is itself built with the
flags of the library, so that both share the compiled standard library. The extension is not rebuilt if its inputs did
not change.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent
NAME = "trnsci"  # gopy names the module _trnsci
SURFACE = "trnsci/pybind"
GOPY = "github.com/go-python/gopy"
EXTENSION = ROOT / "python" / NAME / f"_{NAME}.abi3.so"
LIMITED_API = "0x030A0000"  # the stable ABI of Python 3.10
WHEEL_PYTHON_TAG = "cp310"

# Sources of the extension, apart from the tools.
SOURCE_FOLDERS = ("core", "trnbackend", "pybind")
SOURCE_SUFFIXES = (".go", ".s", ".c", ".h")
SOURCE_FILES = ("go.mod", "go.sum", "gobuild.py")
# Variables that change the output of the Go and C compilers.
BUILD_VARIABLES = (
    "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOFLAGS", "GOTOOLCHAIN", "GOEXPERIMENT", "CC", "CGO_CFLAGS", "CGO_LDFLAGS",
)  # fmt: skip

# No debugging information: the linker would drop it.
BUILD_FLAGS = ("-mod=readonly", "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false")
# Packages that only the generator uses are compiled without optimizations.
GENERATOR_FLAGS = tuple(
    f"-gcflags={name}/...=-N -l -dwarf=false" for name in ("go", "text", "golang.org/x", "github.com")
)
# The Go compiler spends a fifth of its time in its garbage collector at the default of 100. At 400 it needs at most 1.5
# GB.
COMPILER_GOGC = "400"

_FUNCTION = re.compile(r"^func [A-Z]\w*\(", re.M)
_SIGNATURE = re.compile(r"^func [A-Z]\w*\([^()]*\) \([^()]*\)(?= \{$)", re.M)


class BuildError(SystemExit):
    """One line that says what the machine lacks or which step failed."""

    def __init__(self, message):
        super().__init__(f"trnsci build: {message}")


def check_machine():
    """Raise BuildError unless a recent Go, a C compiler and Python's headers are installed."""
    check_go()
    compiler = os.environ.get("CC", "gcc" if shutil.which("gcc") else "cc").split()[0]
    if shutil.which(compiler) is None:
        raise BuildError(f"no C compiler: `{compiler}` is not on PATH (install gcc or clang, or set CC)")
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.is_file():
        raise BuildError(
            f"Python.h is missing: install the headers of Python {sys.version_info[0]}.{sys.version_info[1]}"
            " (for example the package python3-dev)"
        )


def check_go():
    """Raise BuildError unless the Go toolchain is installed and as new as go.mod requires."""
    needed = re.search(r"^go (\d+)\.(\d+)", (ROOT / "go.mod").read_text(), re.M)
    how = (
        f"Go {needed[1]}.{needed[2]} or newer is needed. Without root: unpack the archive of the Go project's download "
        "page in your home folder and put its bin on PATH, or `conda install -c conda-forge go`. Go 1.21 and newer "
        "fetch it by themselves with GOTOOLCHAIN=auto"
    )
    if shutil.which("go") is None:
        raise BuildError(f"the Go toolchain is missing. {how}")
    # Inside the module Go 1.21 and newer print the version that they switch to, or why they cannot.
    answer = subprocess.run(["go", "env", "GOVERSION"], cwd=ROOT, capture_output=True, text=True)
    found = re.match(r"go(\d+)\.(\d+)", answer.stdout)
    if found is None:
        raise BuildError(f"`go env GOVERSION` says {(answer.stderr or answer.stdout).strip()!r}. {how}")
    if (int(found[1]), int(found[2])) < (int(needed[1]), int(needed[2])):
        raise BuildError(f"{answer.stdout.strip().replace('go', 'Go ')} is too old. {how}")


def say(text):
    """Report a step; pip shows it with ``pip install -v``."""
    print(f"trnsci build: {text}", file=sys.stderr, flush=True)


def run(*command, cwd=ROOT, capture=False, **env):
    """Run a command and return its output if that is captured."""
    words = [str(c) for c in command]
    result = subprocess.run(
        words, cwd=cwd, env={**os.environ, **env}, stdout=subprocess.PIPE if capture else None, text=True
    )
    if result.returncode:
        print(result.stdout or "", file=sys.stderr)
        raise BuildError(
            f"`{' '.join(words[:3])} ...` failed with exit status {result.returncode}; its output is above"
        )
    return result.stdout


def edit(path, *edits):
    """Replace each (pattern, replacement, count) in the file, insisting that it matches exactly count times."""
    text = path.read_text()
    for pattern, replacement, count in edits:
        text, found = re.subn(pattern, replacement, text, flags=re.M | re.S)
        if found != count:
            raise RuntimeError(
                f"{path.name}: expected {count} matches of {pattern!r}, found {found}: generator output changed"
            )
    path.write_text(text)


def write_signatures(folder, tags):
    """Write a module whose only package has the exported functions of ./pybind without bodies.

    gopy compiles the package that it binds. This one compiles at once and has the same import path.
    """
    package = json.loads(run("go", "list", f"-tags={tags}", "-json=GoFiles", SURFACE, capture=True))
    text = "\n".join((ROOT / "pybind" / name).read_text() for name in package["GoFiles"])
    signatures = _SIGNATURE.findall(text)
    if len(signatures) != len(_FUNCTION.findall(text)):
        raise RuntimeError(
            "pybind: an exported function has no parenthesized results, or parentheses in its parameters"
        )
    (folder / "pybind").mkdir(parents=True)
    (folder / "go.mod").write_text(f"module {NAME}\n")
    bodies = "\n".join(f"{signature} {{ panic(0) }}" for signature in signatures)
    (folder / "pybind" / "pybind.go").write_text(f"package pybind\n\n{bodies}\n")


def generate(folder, cflags, tags, environment):
    """Write the Go and C sources of the binding into folder."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "obj").mkdir(parents=True)
    gopy, signatures = folder / "obj" / "gopy", folder / "obj" / "signatures"
    # The generator runs on this machine, even if the build's target is another. Position-independent programs use the
    # same code as shared libraries, so the standard library is compiled once for both.
    host = {"GOOS": "", "GOARCH": "", "CGO_ENABLED": "0"}
    crossed = os.environ.get("GOOS") or os.environ.get("GOARCH")
    run(
        "go",
        "build",
        *BUILD_FLAGS,
        *GENERATOR_FLAGS,
        "-buildmode=pie",
        "-o",
        gopy,
        GOPY,
        **(environment | host if crossed else environment),
    )
    write_signatures(signatures, tags)
    run(
        gopy,
        "gen",
        f"-name={NAME}",
        f"-output={folder}",
        f"-vm={sys.executable}",
        "-no-make",
        "-no-warn",
        SURFACE,
        cwd=signatures,
        capture=True,
        **host,
    )
    go, header, c = folder / f"{NAME}.go", folder / f"{NAME}_go.h", folder / f"{NAME}.c"
    edit(
        go,
        (r"^#cgo [^\n]*\n", "", 2),  # libpython and an rpath of this machine
        (r"^static inline int gopy_method_check\(.*?\n}\n", "", 1),  # PyMethod_Check is outside the stable ABI
        (r"^func complex(?:64|128)(?:GoToPy|PyToGo)\(.*?\n}\n", "", 4),  # so is Py_complex
        (r'^import \(\n\t"runtime"\n', 'import (\n\t"errors"\n\t"runtime"\n\t"unsafe"\n', 1),
    )  # gopy leaves imports to goimports
    run(
        "go",
        "tool",
        "cgo",
        "-objdir",
        f"{folder}/obj/",
        "-exportheader",
        header.name,
        "--",
        *cflags,
        go.name,
        cwd=folder,
    )
    run(sys.executable, "build.py", cwd=folder)  # pybindgen writes the C file
    edit(c, (r"typedef PyAsyncMethods\* cmpfunc;", "", 1))
    shutil.rmtree(folder / "obj")


# Go's runtime interrupts long-running goroutines by SIGURG, which would reach Python's handlers of that signal. With
# this setting goroutines are interrupted only at function calls, which all of our loops reach within a few
# milliseconds: see docs/limits.md. A //go:debug line in the main package cannot set it; GODEBUG in the environment
# overrides it.
RUNTIME_SETTINGS = "asyncpreemptoff=1"


def linker_flags(folder):
    """Export the module's init function and nothing else, and set up Go's runtime."""
    return f"-X=runtime.godebugDefault={RUNTIME_SETTINGS} {export_flags(folder)}"


def export_flags(folder):
    """Export the module's init function and nothing else."""
    if sys.platform == "linux":
        exports = folder / "exports.map"
        exports.write_text(f"{{ global: PyInit__{NAME}; local: *; }};\n")
        return f"-s -w -extldflags=-Wl,--version-script={exports}"
    if sys.platform == "darwin":
        return f"-s -w -extldflags=-Wl,-undefined,dynamic_lookup,-exported_symbol,_PyInit__{NAME}"
    return "-s -w"


def digest_of_inputs(tags):
    """Return a hash of everything that the extension depends on."""
    digest = hashlib.sha256()
    settings = [
        sysconfig.get_path("include"),
        sys.version,
        metadata.version("pybindgen"),
        tags,
        run("go", "env", "GOVERSION", capture=True),
        *(os.environ.get(name, "") for name in BUILD_VARIABLES),
    ]
    digest.update(json.dumps(settings).encode())
    found = (path for folder in SOURCE_FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SOURCE_SUFFIXES)
    for path in sorted([*found, *(ROOT / name for name in SOURCE_FILES)]):
        digest.update(f"{path.relative_to(ROOT)}\0".encode())
        digest.update(path.read_bytes())
        digest.update(b"\0")
    return digest.hexdigest()


def build(output=EXTENSION, tags=""):
    """Build the extension module at output, with the given Go build tags, unless it is up to date."""
    check_machine()
    try:
        metadata.version("pybindgen")
    except metadata.PackageNotFoundError:
        raise BuildError(
            "pybindgen is missing: pip install 'pybindgen==0.22.1' (pip does it under build isolation)"
        ) from None
    # Go ignores folders that start with "_" in ./..., which keeps generated code out of vet and tests.
    folder = ROOT / "build" / f"_gen{'-' + tags if tags else ''}"
    output = Path(output).resolve()
    kept, inputs = folder / "kept.json", digest_of_inputs(tags)
    if is_kept(kept, inputs, output):
        say(f"{output.name} is up to date")
        return
    say("compiling the Go library, about a minute on two processors the first time")
    cflags = [
        "-O2",
        "-g0",
        "-I" + sysconfig.get_path("include"),
        f"-DPy_LIMITED_API={LIMITED_API}",
        "-Werror=implicit-function-declaration",
        "-Werror=int-conversion",
    ]
    environment = {
        "CGO_ENABLED": "1",
        "CGO_CFLAGS": " ".join([*cflags, os.environ.get("CGO_CFLAGS", "")]),
        "GOGC": os.environ.get("GOGC", COMPILER_GOGC),
    }
    generate(folder, cflags, tags, environment)
    output.parent.mkdir(parents=True, exist_ok=True)
    run(
        "go",
        "build",
        *BUILD_FLAGS,
        "-buildmode=c-shared",
        f"-tags={tags}",
        f"-ldflags={linker_flags(folder)}",
        "-o",
        output,
        f"./{folder.relative_to(ROOT)}",
        **environment,
    )
    output.with_suffix(".h").unlink(missing_ok=True)
    kept.write_text(json.dumps({"inputs": inputs, "output": hashlib.sha256(output.read_bytes()).hexdigest()}))


def is_kept(kept, inputs, output):
    """Whether an earlier build made output from the same inputs."""
    if not kept.is_file() or not output.is_file():
        return False
    made = json.loads(kept.read_text())
    return made == {"inputs": inputs, "output": hashlib.sha256(output.read_bytes()).hexdigest()}


def main():
    parser = argparse.ArgumentParser(description="build the extension module outside a wheel")
    parser.add_argument("--output", default=EXTENSION, help="the file to write")
    parser.add_argument("--tags", default="", help="Go build tags")
    parser.add_argument("--check", action="store_true", help="only tell what the machine lacks")
    options = parser.parse_args()
    if options.check:
        check_machine()
    else:
        build(options.output, options.tags)


if __name__ == "__main__":
    main()
