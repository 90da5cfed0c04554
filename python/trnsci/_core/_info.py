"""Facts about this installation."""

from __future__ import annotations

import json
import platform
from typing import Any

import numpy as np

from .._version import __version__
from . import _device, _native, _threads


def info() -> dict[str, Any]:
    """Return versions, build, CPU features, kernels in use, threads and devices, by name."""
    library = json.loads(_native.call("Info"))
    return {
        "trnsci": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "go": library["go"],
        "platform": library["platform"],
        "cpu features": library["cpu_features"],
        "microarchitecture": library["microarchitecture"] or "not known",
        "kernels": library["kernels"],
        "threads": _threads.get_num_threads(),
        "threads from": _threads.source(),
        "cpus usable by go": library["gomaxprocs"],
        "heap bytes in use": library["heap_bytes"],
        "devices": _device.devices(),
    }
