"""Devices, the ``device=`` and ``precision=`` arguments, and the report of the last call on a device."""

from __future__ import annotations

import contextlib
import json
import os
import re
import site
import sys
import threading
import weakref
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, NoReturn

import numpy as np

from . import _native, _records
from ._dataclass import Record
from ._errors import UnsupportedError
from ._files import absolute
from ._names import AVAILABLE_PATTERN, DEVICE_PATTERN, DEVICE_PRECISIONS, IN_HOST_MEMORY, INTEGERS, KNOWN_DEVICES, MIXED

_DOUBLE = 8  # bytes of a float64


@dataclass(frozen=True)
class Report(Record):
    """Report of the last call on a device. See `last_report`.

    Attributes
    ----------
    device : str
        The device's name.
    compiles : int
        Number of graphs that were compiled.
    cache_hits : int
        Number of compiled graphs that were found in memory or on disk.
    dispatches : int
        Runs of compiled graphs.
    bytes_in, bytes_out : int
        Bytes sent to the device and received from it.
    seconds : float
        The time of the whole call, compiling included.
    engines : dict of str to float
        Seconds by part of the device, if the device reports them.
    host_steps : list of str
        The steps that were computed on the host, with the reasons.
    error_bound : float
        A bound of the result's error if the algorithm has one, else 0; for a stack the largest one; NaN or infinity for
        arguments with such elements, infinity after an overflow. `inv_sqrt_spd` gives an estimate, see there.
    """

    device: str
    compiles: int
    cache_hits: int
    dispatches: int
    bytes_in: int
    bytes_out: int
    seconds: float
    engines: dict[str, float] = field(default_factory=dict)
    host_steps: list[str] = field(default_factory=list)
    error_bound: float = 0.0


@dataclass(frozen=True)
class DevicePlan(Record):
    """Plan of a call on a device. See `trnsci.df_mp2_energy`.

    ``print(plan)`` describes it in words.

    Attributes
    ----------
    device : str
        The device's name.
    precision : str
        The precision of products.
    graphs : int
        Number of graphs that have to be compiled, unless they are cached.
    dispatches : int
        Runs of compiled graphs.
    blocks : str
        The blocks of the work, with the padded sizes of their arrays.
    bytes_in, bytes_out : int
        Bytes to send to the device and to receive from it.
    flops : float
        Floating-point operations; a multiplication and an addition count as two.
    memory : int
        Upper limit of the bytes of all arrays on the device at any time, if no operations are fused.
    seconds : float or None
        An estimate of the time from the rates that the device reports; None if it reports none, like the interpreter
        and XLA on the host.
    """

    device: str
    precision: str
    graphs: int
    dispatches: int
    blocks: str
    bytes_in: int
    bytes_out: int
    flops: float
    memory: int
    seconds: float | None
    text: str = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.text


def read_plan(text: str) -> DevicePlan:
    """Return the plan that the library describes."""
    facts = json.loads(text)
    return DevicePlan(**{**facts, "flops": float(facts["flops"])})


_last_report: ContextVar[Report | None] = ContextVar("trnsci_last_report", default=None)


def last_report() -> Report | None:
    """Return the report of the last call with ``device=`` in this thread or task.

    Returns
    -------
    Report or None
        None before the first call. A call that fails does not change the report.

    Examples
    --------
    >>> import numpy as np
    >>> import trnsci
    >>> a = np.eye(3, dtype=np.float32)
    >>> _ = trnsci.blas.gemm(1, a, a, device="interp")
    >>> trnsci.last_report().dispatches
    1
    """
    return _last_report.get()


def keep_report(number: int) -> None:
    """Make the report that a call stored under `number` the last report."""
    facts = json.loads(_native.call("TakeReport", number))
    facts["engines"] = facts["engines"] or {}
    facts["host_steps"] = facts["host_steps"] or []
    facts["error_bound"] = float(facts["error_bound"])
    _last_report.set(Report(**facts))


def _begin_to_close(number: int) -> int:
    """Refuse new calls on a device and close it when the calls in progress have ended; return the number of the
    closing."""
    # A forked child has nothing to close.
    with contextlib.suppress(RuntimeError):
        return int(_native.call("DeviceClose", number))
    return 0


class Device:
    """An open device that functions take as ``device=``.

    The object keeps compiled programs, so using one object for many calls saves compilations. Several threads may use
    it at once. As a context manager it closes the device at the end of the block.

    Parameters
    ----------
    name : str
        ``"interp"``: the interpreter, which runs the graphs of device programs on the host. It is slow, and it is the
        reference for other devices. ``"pjrt:cpu"``: XLA on the host, from the package that the extra ``xla`` installs
        (in a checkout ``pip install ".[xla]"``).
        ``"cuda"``: XLA on an NVIDIA GPU, from JAX's CUDA plugin. ``"pjrt:/path/plugin.so"``: any PJRT plugin.
    cache_dir : path-like, optional
        A folder in which compiled programs are kept for later processes, if the device supports it.

    Raises
    ------
    ValueError
        For a name that no device has.
    UnsupportedError
        For a device that this version cannot run on.
    DeviceError
        If the device cannot be opened. Calls on a closed device raise it, too.

    Examples
    --------
    >>> import numpy as np
    >>> import trnsci
    >>> with trnsci.Device("interp") as device:
    ...     trnsci.blas.gemm(1, np.ones((2, 3), np.float32), np.ones((3, 1), np.float32), device=device)
    array([[3.],
           [3.]], dtype=float32)
    """

    def __init__(self, name: str, *, cache_dir: str | os.PathLike[str] | None = None) -> None:
        check_name(name)
        if name == "cpu":
            raise ValueError("device: 'cpu' is the host, which need not be opened")
        folder = "" if cache_dir is None else _folder(cache_dir)
        self.name = name
        self._number = int(
            _native.invoke(_records.device_open(name=name, cache_dir=folder, plugin_dirs=_plugin_dirs()))
        )
        self._finalizer = weakref.finalize(self, _begin_to_close, self._number)

    @property
    def number(self) -> int:
        """The library's number of the device."""
        return self._number

    @property
    def in_host_memory(self) -> bool:
        """Whether arrays on the device are in host memory; a plugin given by its path is assumed to have its own
        memory."""
        return self.name in IN_HOST_MEMORY

    def info(self) -> dict[str, Any]:
        """Return a dictionary with name, version, element types and memory of the device.

        ``memory_used`` is the number of bytes in use, ``memory_limit`` that of the device (0 if unknown), and
        ``memory_kept`` that of buffers that are kept for later calls. These buffers are freed when memory is short and
        do not count as used.
        """
        facts: dict[str, Any] = json.loads(_native.call("DeviceInfo", self._number))
        return facts

    def close(self) -> None:
        """Wait for the calls on the device and close it. A second call does nothing.

        Inside a call of the same thread, that is, in a `progress` callable, a function that provides integrals or a
        signal handler, it does not wait, since that call may use the device: new calls are refused, and the device
        closes when the calls in progress have ended.
        """
        closing = self._finalizer()
        if _native.is_inside_a_call():
            return
        while closing and not _native.call("DeviceClosed", closing, _native.WAIT_MILLISECONDS):
            pass  # signal handlers, including that of Ctrl-C, run between two waits

    def __enter__(self) -> Device:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"trnsci.Device({self.name!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{self!r} is open in this process only and cannot be pickled or copied; "
            f"pass its name instead: device={self.name!r}"
        )


def check_name(device: object) -> None:
    """Check that `device` is the name of a device that this version can run on, or of the host.

    Raises
    ------
    UnsupportedError
        For a device that this version cannot run on.
    ValueError
        For an unknown device name.
    """
    if isinstance(device, str) and (device == "cpu" or re.fullmatch(AVAILABLE_PATTERN, device)):
        return
    if isinstance(device, str) and re.fullmatch(DEVICE_PATTERN, device):
        raise UnsupportedError(f"device: {device!r} is not available in this version; {', '.join(devices())} are")
    raise ValueError(f"device: {device!r} is not one of {', '.join(map(repr, KNOWN_DEVICES))}")


def devices() -> list[str]:
    """Return the names of the devices whose software is installed, the host first."""
    found: str = _native.invoke(_records.devices_found(plugin_dirs=_plugin_dirs()))
    return ["cpu", *found.split(",")]


def _plugin_dirs() -> str:
    """Return the folders to search for plugins, in the form that the library takes."""
    folders: list[Any] = [
        os.environ.get("TRNSCI_PJRT_PLUGIN_DIRS", ""),
        *getattr(site, "getsitepackages", list)(),
        *sys.path,
    ]
    # Like import, ignore entries of sys.path that are not paths.
    paths = [os.fsdecode(folder) for folder in folders if isinstance(folder, (str, bytes, os.PathLike)) and folder]
    return os.pathsep.join(paths)


def _folder(cache_dir: Any) -> str:
    """Return the folder for compiled programs, created if necessary."""
    folder = absolute(cache_dir, "cache_dir")
    try:
        os.makedirs(folder, exist_ok=True)
        return os.fsdecode(folder)
    except FileExistsError:
        raise NotADirectoryError(f"cache_dir: {cache_dir!r} is not a folder") from None


# Devices given by name, which are opened once.
_opened: dict[str, Device] = {}
# Reentrant: a signal handler may run while its thread opens a device.
_lock = threading.RLock()


def _after_fork_in_child() -> None:
    """Replace the lock: in a forked child nobody releases one that another thread held."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)


def resolve(device: str | Device | None) -> Device | None:
    """Return the device to run on, None for the host."""
    if device is None or (isinstance(device, str) and device == "cpu"):
        return None
    if isinstance(device, Device):
        return device
    check_name(device)
    with _lock:
        if device not in _opened:
            _opened[device] = Device(device)
        return _opened[device]


def require_host(device: str | Device | None) -> None:
    """Check that `device` is the host; work is never moved to the host implicitly.

    Raises
    ------
    UnsupportedError
        If it is a device: the function runs on the host only.
    ValueError
        For an unknown device name.
    """
    if device is None or (isinstance(device, str) and device == "cpu"):
        return
    name = device.name if isinstance(device, Device) else device
    check_name(name)
    raise UnsupportedError(f"device: {name!r} does not run this function; it runs on the host only, None or 'cpu'")


def check_precision(precision: str | None, device: Device | None, *arrays: object) -> str:
    """Return the precision in the form that the library takes.

    Parameters
    ----------
    precision : str or None
        The user's argument.
    device : Device or None
        None is the host.
    *arrays : object
        The array arguments, some of which may be None. They tell whether float64 comes from integers, for the error of
        a device without it.

    Raises
    ------
    ValueError
        If the precision is unknown, or the host or the device does not have it.
    """
    if precision is None:
        return INTEGERS if device is not None and _become_float64(arrays) else ""
    if precision == MIXED and device is not None:
        raise ValueError(
            f"precision: {MIXED!r} is for df_mp2_energy on the host; devices have {', '.join(DEVICE_PRECISIONS)}"
        )
    if not isinstance(precision, str) or precision not in DEVICE_PRECISIONS:
        raise ValueError(f"precision: {precision!r} is not one of {', '.join(map(repr, DEVICE_PRECISIONS))}")
    if device is None:
        raise ValueError("precision: is for devices; the host computes in the precision of the arrays")
    return precision


def _become_float64(arrays: tuple[object, ...]) -> bool:
    """Whether the computation is in double precision only because of integers."""
    dtypes = [np.asarray(a).dtype for a in arrays if a is not None]
    return any(d.kind in "bui" for d in dtypes) and not any(d.kind in "fc" and d.itemsize == _DOUBLE for d in dtypes)
