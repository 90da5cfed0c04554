"""The exceptions of the package and how the Go library's error kinds map to them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np


class LinAlgError(np.linalg.LinAlgError):
    """A matrix lacks the property an operation needs, such as positive definiteness.

    It is a subclass of `numpy.linalg.LinAlgError`, which is also `scipy.linalg.LinAlgError`.

    Attributes
    ----------
    minor : int or None
        The order of the first leading minor that is not positive definite; in a stack, of the member that the message
        names. None for all other errors.
    """

    minor: int | None = None


class ConvergenceError(LinAlgError):
    """An iteration did not converge; the message says how far it got."""


class UnsupportedError(NotImplementedError):
    """The operation exists, but not for this dtype, option or device."""


class DeviceError(RuntimeError):
    """A device could not be opened or failed."""


class InternalError(RuntimeError):
    """A bug in the library, caught at the border. The process and later calls are unharmed."""


class Canceled(RuntimeError):
    """A long call ended because its job was cancelled.

    Users do not see it: the exception that caused the cancellation propagates instead.
    """


class LinearDependencyWarning(UserWarning):
    """Eigenvectors of a metric were dropped because they are linearly dependent; the message says how many.

    ``warnings.simplefilter("ignore", trnsci.LinearDependencyWarning)`` silences it, and "error" makes it an exception.
    """


if TYPE_CHECKING:

    class LinAlgWarning(RuntimeWarning):
        """A result may be inaccurate; the message says why."""


_making_class = threading.Lock()
_linalg_warning: type[LinAlgWarning] | None = None


def linalg_warning() -> type[LinAlgWarning]:
    """Return the class `trnsci.LinAlgWarning`, which is created when it is first needed.

    It is a subclass of `scipy.linalg.LinAlgWarning` where SciPy can be imported, else of RuntimeWarning. The package
    does not import SciPy for anything else, since that takes longer than importing the whole package; see
    docs/decisions/0013-linalg-warning.md.
    """
    global _linalg_warning
    with _making_class:
        if _linalg_warning is None:
            text = "A result may be inaccurate; the message says why."
            _linalg_warning = type("LinAlgWarning", (_scipy_warning(),), {"__doc__": text, "__module__": "trnsci"})
        return _linalg_warning


def _scipy_warning() -> type[Warning]:
    try:
        from scipy.linalg import LinAlgWarning
    except Exception:  # SciPy is not installed, or its installation is broken
        return RuntimeWarning
    return LinAlgWarning  # type: ignore[no-any-return]


def __getattr__(name: str) -> Any:
    if name == "LinAlgWarning":
        return linalg_warning()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# Users see and pickle the public name.
for _error in (LinAlgError, ConvergenceError, UnsupportedError, DeviceError, InternalError, LinearDependencyWarning):
    _error.__module__ = "trnsci"

_KINDS: dict[str, type[Exception]] = {
    "value": ValueError,
    "type": TypeError,
    "memory": MemoryError,
    "os": OSError,
    "linalg": LinAlgError,
    "convergence": ConvergenceError,
    "unsupported": UnsupportedError,
    "device": DeviceError,
    "canceled": Canceled,
}

# Surrounds the kind at the start of the Go library's error texts. A blank and the order of a leading minor may follow
# the kind.
_MARK = "\x1f"


def translate(error: RuntimeError) -> Exception:
    """Return the typed exception for an error that the extension module raised."""
    text = str(error)
    if not text.startswith(_MARK):
        return error
    _, head, message = text.split(_MARK, 2)
    kind, _, minor = head.partition(" ")
    if kind in _KINDS:
        typed = _KINDS[kind](message)
        if minor and isinstance(typed, LinAlgError):
            typed.minor = int(minor)
        return typed
    return InternalError(
        "an internal error, caught before it could do harm; please report it with the lines below and the call that "
        f"caused it\n{message}"
    )
