"""The CPU quota of the control groups that the process is in, which containers and batch systems set on Linux.

A quota is the CPU time that all threads together may use in each period. The file formats are those of Linux's
cgroups(7), proc(5) and the kernel's admin guide: ``cpu.max`` of version 2, ``cpu.cfs_quota_us`` and
``cpu.cfs_period_us`` of version 1.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

_V2 = "cgroup2"
_V1 = "cgroup"
_CONTROLLER = "cpu"
_NUMBER = re.compile(r"[0-9]{1,19}")  # of 64 bits
_OCTAL = re.compile(r"\\([0-7]{3})")  # how mountinfo writes blanks and backslashes


class _Mount(NamedTuple):
    """A mounted hierarchy of control groups."""

    root: PurePosixPath  # the group that is at `point`
    point: PurePosixPath
    version: str


def cpu_quota(root: str | Path = "/") -> float | None:
    """Return the number of CPUs whose time the process may use, or None if there is no limit or it is unknown.

    Parameters
    ----------
    root : path-like, optional
        Where the file system begins.

    Returns
    -------
    float or None
        The smallest quota of the process's group and of its ancestors, up to the mounted one.
    """
    files = Path(root)
    groups = dict(_groups(_text(files / "proc/self/cgroup")))
    quotas = [
        quota
        for mount in _mounts(_text(files / "proc/self/mountinfo"))
        if mount.version in groups
        for folder in _folders(mount, groups[mount.version])
        if (quota := _quota_of(files / str(folder).lstrip("/"), mount.version)) is not None
    ]
    return min(quotas, default=None)


def whole_cpus(quota: float) -> int:
    """Return the number of threads that use up a quota, at least 1."""
    return max(1, math.ceil(quota))


def _text(path: Path) -> str:
    """Return the text of a file, or an empty text if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except (OSError, ValueError):
        return ""


def _groups(text: str) -> Iterator[tuple[str, PurePosixPath]]:
    """Yield the process's groups in the hierarchies that may have a CPU quota, by version."""
    for line in text.splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not path.startswith("/"):
            continue
        if number == "0" and not controllers:
            yield _V2, PurePosixPath(path)
        elif _CONTROLLER in controllers.split(","):
            yield _V1, PurePosixPath(path)


def _mounts(text: str) -> Iterator[_Mount]:
    """Yield the hierarchies that may have a CPU quota."""
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        fields, kind = before.split(" "), after.split(" ")
        if len(fields) < 6 or not fields[3].startswith("/") or not fields[4].startswith("/"):
            continue
        if kind[0] == _V2 or (kind[0] == _V1 and _CONTROLLER in kind[-1].split(",")):
            yield _Mount(PurePosixPath(_unescaped(fields[3])), PurePosixPath(_unescaped(fields[4])), kind[0])


def _unescaped(text: str) -> str:
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), text)


def _folders(mount: _Mount, group: PurePosixPath) -> Iterator[PurePosixPath]:
    """Yield the folders of a group and of its ancestors, up to the mounted one.

    A group that is not below the mounted one, as in some containers, is treated as the mounted one.
    """
    inside = group.is_relative_to(mount.root) and ".." not in group.parts
    path = mount.point / group.relative_to(mount.root) if inside else mount.point
    yield path
    while path != mount.point:
        path = path.parent
        yield path


def _quota_of(folder: Path, version: str) -> float | None:
    """Return the quota of one group in CPUs, None if it has none."""
    if version == _V2:
        parts = _text(folder / "cpu.max").split()
    else:
        parts = [_text(folder / f"cpu.cfs_{name}_us").strip() for name in ("quota", "period")]
    if len(parts) != 2 or not all(map(_NUMBER.fullmatch, parts)):  # "max", -1, or not a quota
        return None
    quota, period = map(int, parts)
    return quota / period if quota > 0 and period > 0 else None
