"""What the ``device=`` argument means."""

from __future__ import annotations

import re

from ._errors import UnsupportedError

_KNOWN = ("cpu", "interp", "sim:trn1", "sim:trn2", "pjrt:cpu", "pjrt:/path/plugin.so", "cuda", "neuron", "neuron:<number>")
_PATTERN = re.compile(r"interp|sim:trn[12]|pjrt:(cpu|/.+)|cuda|neuron(:\d+)?")


def require_host(device: str | None) -> None:
    """Return if `device` is the host; nothing is moved there unasked.

    Raises
    ------
    UnsupportedError
        For a device that this version cannot run on.
    ValueError
        For a word that names no device.
    """
    if device is None or (isinstance(device, str) and device == "cpu"):
        return
    if isinstance(device, str) and _PATTERN.fullmatch(device):
        raise UnsupportedError(f"device: {device!r} is not available in this version; only the host, None or 'cpu', is")
    raise ValueError(f"device: {device!r} is not one of {', '.join(map(repr, _KNOWN))}")
