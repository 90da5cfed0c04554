"""Writes docs/api.md, which lists everything public with its arguments: ``python tests_py/support/api_page.py``."""

import importlib
import inspect
import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"

# What trnsci offers of its packages is listed there.
PACKAGES = ("trnsci", "trnsci.linalg", "trnsci.mp2", "trnsci.blas", "trnsci.pyscf")
HEAD = """# API reference

Every public function and class with its arguments, to search in. `help(trnsci.eigh)` prints all of a docstring: shapes,
units, errors, method, examples. `help(trnsci.linalg)` describes the arguments `threads`, `progress` and `device`,
`help(trnsci.blas)` describes `out`.

`trnsci` itself has `eigh` and `schur` of `trnsci.linalg` and everything of `trnsci.mp2` under the same names.

This page is made from the docstrings by `python tests_py/support/api_page.py`.
"""


def first_sentence(thing):
    """The first sentence of a docstring."""
    paragraph = " ".join((inspect.getdoc(thing) or "").split("\n\n", 1)[0].split())
    return re.split(r"(?<=[.!?]) (?=[A-Z`])", paragraph)[0]


def arguments(thing):
    """The arguments with their defaults, without types."""
    signature = inspect.signature(thing)
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    return str(inspect.Signature(bare))


def is_error(thing):
    return inspect.isclass(thing) and issubclass(thing, BaseException)


def parent_of(error):
    """The nearest base class that is there without SciPy."""
    parent = next(base for base in error.__mro__[1:] if not base.__module__.startswith("scipy"))
    return parent.__name__ if parent.__module__ in ("builtins", "trnsci") else f"{parent.__module__}.{parent.__name__}"


def entry(name, thing):
    if inspect.ismodule(thing) or isinstance(thing, str):
        return None
    if is_error(thing):
        return f"* `{name}`, a subclass of `{parent_of(thing)}`. {first_sentence(thing)}"
    return f"* `{name}{arguments(thing)}`. {first_sentence(thing)}"


def sections():
    """Headings and lines of the packages."""
    packages = [importlib.import_module(name) for name in PACKAGES]
    inner = {id(getattr(package, name)) for package in packages[1:] for name in package.__all__}
    for package in packages:
        things = {name: getattr(package, name) for name in package.__all__}
        if package.__name__ == "trnsci":  # the errors are its own, whatever packages export them too
            things = {name: thing for name, thing in things.items() if id(thing) not in inner or is_error(thing)}
        else:
            things = {name: thing for name, thing in things.items() if not is_error(thing)}
        lines = [line for name, thing in sorted(things.items()) if (line := entry(name, thing))]
        yield f"## {package.__name__}\n\n{first_sentence(package)}\n\n" + "\n".join(lines) + "\n"


def text():
    return "\n".join([HEAD, *sections()])


if __name__ == "__main__":
    PAGE.write_text(text())
