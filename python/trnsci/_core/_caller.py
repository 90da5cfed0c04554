"""The caller of the package, for the location of warnings and the label of a progress bar."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Iterator
from types import FrameType

# As in frames: relative if sys.path has relative entries.
_PACKAGE = os.path.dirname(os.path.dirname(sys._getframe().f_code.co_filename)) + os.sep
_CONTEXTS = contextlib.contextmanager.__code__.co_filename


def _is_inside(frame: FrameType, beside: str | None) -> bool:
    """Whether a frame runs code of the package, of the package `beside`, or of Python in between.

    Python's code in between is that of imports and context managers.
    """
    if beside is not None and frame.f_globals.get("__name__", "").partition(".")[0] == beside:
        return True
    name = frame.f_code.co_filename
    return name.startswith(_PACKAGE) or name == _CONTEXTS or ("importlib" in name and "_bootstrap" in name)


def _frames(beside: str | None = None) -> Iterator[FrameType]:
    """Yield the frames inside, innermost first, and then the first frame outside, if any."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_inside(frame, beside):
        yield frame
        frame = frame.f_back
    if frame is not None:
        yield frame


def warn(message: str, category: type[Warning], beside: str | None = None) -> None:
    """Warn at the line that called the package, outside of the package `beside` too, such as pyscf.

    `warnings.warn` has no `skip_file_prefixes` before Python 3.12, and a `stacklevel` would have to be counted.
    """
    *_, frame = _frames(beside)
    names = frame.f_globals
    warnings.warn_explicit(
        message, category, frame.f_code.co_filename, frame.f_lineno,
        names.get("__name__"), names.setdefault("__warningregistry__", {}),
    )  # fmt: skip


def public_name() -> str:
    """Return the name of the outermost public function of the package that is running."""
    package = sys.modules["trnsci"]
    public = {name for module in (package, package.linalg, package.blas, package.mp2) for name in module.__all__}
    name = "trnsci"
    for frame in _frames():
        if frame.f_code.co_name in public and frame.f_code.co_filename.startswith(_PACKAGE):
            name = frame.f_code.co_name
    return name
