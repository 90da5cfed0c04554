"""Sections shared by many docstrings, as `scipy._lib.doccer` provides for SciPy."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

_PLACE = re.compile(r"^( *)%\((\w+)\)s$", re.MULTILINE)


def filler(sections: Mapping[str, str]) -> Callable[[_Function], _Function]:
    """Return a decorator that puts sections into docstrings.

    A line ``%(name)s`` becomes the lines of ``sections["name"]`` with the same indentation. An unknown name is a
    KeyError.
    """

    def fill(function: _Function) -> _Function:
        if function.__doc__:  # Python's option -OO removes docstrings
            function.__doc__ = _PLACE.sub(
                lambda place: "\n".join(f"{place[1]}{line}".rstrip() for line in sections[place[2]].split("\n")),
                function.__doc__,
            )
        return function

    return fill
