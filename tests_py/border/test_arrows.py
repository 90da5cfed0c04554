"""Which packages of trnsci import which, read from their source: the twin of tests_go/arrows_test.go."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import trnsci

ROOT = Path(trnsci.__file__).parent

# What each package may import of the others; the modules of trnsci itself may import all.
MAY_IMPORT = {
    "_core": {"_version"},
    "blas": {"_core"},
    "linalg": {"_core", "blas"},
    "df": {"_core"},
    "mp2": {"_core", "linalg"},
    "pyscf": {"_core", "blas", "linalg", "df", "mp2"},
    "_selftest": {"_core", "blas", "linalg", "df", "mp2", "trnsci"},
}


def modules():
    """Names of modules such as ("linalg", "_eigh"), and their paths."""
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).with_suffix("").parts
        yield name[:-1] if name[-1] == "__init__" else name, path


def imports(name, path, known):
    """The modules of trnsci that a module imports when it is itself imported."""
    inside_of = name if path.name == "__init__.py" else name[:-1]
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import) and any(alias.name == "trnsci" for alias in node.names):
            yield ("trnsci",)
        if isinstance(node, ast.ImportFrom) and node.level:
            base = (*inside_of[: len(inside_of) - node.level + 1], *(node.module.split(".") if node.module else ()))
            for alias in node.names:
                yield (*base, alias.name) if (*base, alias.name) in known else base


def test_packages_import_only_what_lies_below():
    known = {name for name, _ in modules()}
    found = {(name, other) for name, path in modules() for other in imports(name, path, known)}
    assert len(found) > len(known)
    for name, other in found:
        if len(name) > 0 and name[0] in MAY_IMPORT and other[:1] != name[:1]:
            assert other and other[0] in MAY_IMPORT[name[0]], f"{'.'.join(name)} must not import {'.'.join(other)}"


def test_no_module_imports_itself_in_a_circle():
    known = {name for name, _ in modules()}
    below = {name: {other for other in imports(name, path, known) if other != name} for name, path in modules()}
    TopologicalSorter(below).prepare()


def test_every_package_is_in_the_table():
    assert {path.parent.name for path in ROOT.glob("*/__init__.py")} == set(MAY_IMPORT)


def test_sizes_of_files_and_folders():
    """The twin of TestSizesOfPackagesAndFiles."""
    generated = {ROOT / "_core/_records.py", ROOT / "_core/_names.py"}
    tests = Path(__file__).parents[1]
    for folder in {path.parent for root in (ROOT, tests) for path in root.rglob("*.py")}:
        files = sorted(folder.glob("*.py"))
        assert len(files) <= 30, folder
        for path in files:
            assert path in generated or len(path.read_text().splitlines()) <= 400, path
