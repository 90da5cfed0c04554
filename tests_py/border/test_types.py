"""Type checkers accept `check_types.py`, and the stub of `trnsci.linalg` matches the functions."""

import ast
import importlib.util
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import trnsci
from trnsci import linalg

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tests_py" / "support" / "check_types.py"
PACKAGE = Path(trnsci.__file__).parent
INSTALLED = "site-packages" in PACKAGE.parts

STUB = ast.parse((PACKAGE / "linalg" / "__init__.pyi").read_text())
SIGNATURES = [node for node in STUB.body if isinstance(node, ast.FunctionDef)]


def test_mypy():
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    settings = ROOT / "pyproject.toml"
    environment = os.environ if INSTALLED else {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    call = [sys.executable, "-m", "mypy", "--strict", "--config-file", settings, SCRIPT]
    run = subprocess.run(call, env=environment, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_pyright(tmp_path):
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    checker = shutil.which("basedpyright", path=beside) or shutil.which("pyright", path=beside)
    if checker is None:
        pytest.skip("neither basedpyright nor pyright is installed")
    settings = {
        "include": [str(SCRIPT), str(PACKAGE / "linalg" / "__init__.pyi")],
        "typeCheckingMode": "standard",
        "reportUnnecessaryTypeIgnoreComment": "error",
        "extraPaths": [] if INSTALLED else [str(PACKAGE.parent)],
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    call = [checker, "--pythonpath", sys.executable, "--project", tmp_path]
    run = subprocess.run(call, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_stub_has_the_public_names():
    again = {
        name.asname for node in STUB.body if isinstance(node, ast.ImportFrom) for name in node.names if name.asname
    }
    assert {node.name for node in SIGNATURES} | again == set(linalg.__all__)


def parameters_of(function):
    """Names, whether they may be positional, and defaults in the stub: no default, "..." or its value."""
    arguments = function.args
    positional = arguments.args
    defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    named = [*zip(positional, defaults, strict=True), *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    for number, (argument, default) in enumerate(named):
        text = None if default is None else ast.unparse(default)
        yield argument.arg, number < len(positional), text, ast.unparse(argument.annotation)


@pytest.mark.parametrize("signature", SIGNATURES, ids=[f"{node.name}:{node.lineno}" for node in SIGNATURES])
def test_stub_has_the_arguments_of_the_functions(signature):
    real = inspect.signature(getattr(linalg, signature.name)).parameters
    stated = list(parameters_of(signature))
    kinds = {name: parameter.kind is not parameter.KEYWORD_ONLY for name, parameter in real.items()}
    assert [(name, positional) for name, positional, _, _ in stated] == list(kinds.items())
    for name, _, default, annotation in stated:
        parameter = real[name]
        if default is None:  # the argument itself, or a flag that is given in this signature
            assert parameter.default is parameter.empty or annotation.startswith(("Literal", "bool")), name
        elif default != "...":
            assert ast.literal_eval(default) == parameter.default, name


def test_results_have_types():
    """No public function returns Any, unless it has a signature for each kind of result."""
    overloaded = {node.name for node in SIGNATURES}
    functions = {name: getattr(package, name) for package in (trnsci, linalg, trnsci.blas) for name in package.__all__}
    for name, function in functions.items():
        if inspect.isfunction(function) and name not in overloaded:
            result = inspect.signature(function).return_annotation
            assert "Any" not in re.split(r"\W+", re.sub(r"np\.\w+\[Any\]", "", result)) or has_overloads(function), name


def has_overloads(function):
    source = ast.parse(Path(inspect.getsourcefile(function)).read_text())
    named = [node for node in source.body if isinstance(node, ast.FunctionDef) and node.name == function.__name__]
    return any(ast.unparse(decorator) == "overload" for node in named for decorator in node.decorator_list)


def test_script_calls_every_function_of_the_stub():
    called = {node.func.attr for node in ast.walk(ast.parse(SCRIPT.read_text()))
              if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}  # fmt: skip
    assert {node.name for node in SIGNATURES} - called == set()
