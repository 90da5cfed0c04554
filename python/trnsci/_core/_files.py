"""The files of a call: paths that stay valid while it runs, and outputs that must not overwrite inputs."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ._source import is_dataset

# The same for all names of a file.
_Identity: TypeAlias = tuple[object, ...]

_ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def is_path(value: object) -> bool:
    """Whether an argument that may be an array or a path is a path."""
    return isinstance(value, (str, os.PathLike))


def absolute(path: Any, name: str) -> str:
    """Return an absolute path, which names the same file when the working directory changes.

    Raises
    ------
    TypeError, ValueError
        If the argument is not a path, or is a name that no file can have.
    """
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"{name}: expected a path, got {path!r}") from None
    if not text or "\0" in text:
        raise ValueError(f"{name}: {text!r} is no path")
    # os.path.abspath would replace "link/.." by the directory that contains the link.
    return text if os.path.isabs(text) else os.path.join(os.getcwd(), text)


def absolute_if_path(value: Any, name: str) -> Any:
    """Return an absolute path for a path, and everything else as it is."""
    return absolute(value, name) if is_path(value) else value


def output_path(path: Any, name: str) -> str:
    """Return the absolute path of a file that may be written, that of its target for a symbolic link.

    Raises
    ------
    TypeError, ValueError
        As `absolute`; for a directory, a pipe or a device, which a file would replace.
    PermissionError
        For a file that is write-protected. The superuser's files are protected by their mode too.
    """
    whole = os.path.realpath(absolute(path, name))
    try:
        status = os.stat(whole)
    except OSError:
        return whole  # a new file, or an error that the writer will report
    if not stat.S_ISREG(status.st_mode):
        raise ValueError(f"{name}: {os.fsdecode(path)!r} is not a regular file")
    if _is_protected(whole, status):
        raise PermissionError(errno.EACCES, f"{name}: the file is write-protected", whole)
    return whole


def _is_protected(path: str, status: os.stat_result) -> bool:
    mine = hasattr(os, "geteuid") and status.st_uid == os.geteuid()
    return not status.st_mode & (stat.S_IWUSR if mine else _ANY_WRITE) or not os.access(path, os.W_OK)


class _Place(NamedTuple):
    """A file that an argument reads or writes."""

    name: str  # of the argument
    identity: _Identity
    in_memory: bool  # whether it is an array in a memory-mapped file


def check_outputs(outputs: Mapping[str, Any], inputs: Mapping[str, Any]) -> None:
    """Refuse outputs in the file of an input, or of another output.

    Parameters
    ----------
    outputs, inputs : mapping of str to object
        Arguments by name: paths, datasets of h5py, arrays, which may be memory-mapped, lists of these, or anything
        else. Two arrays in one file are not refused here: overlaps in memory are checked elsewhere.

    Raises
    ------
    ValueError
        With the names of both arguments.
    """
    written = [place for name, value in outputs.items() for place in _places(value, name) if not _is_private(value)]
    taken = [place for name, value in inputs.items() for place in _places(value, name)]
    for place in written:
        for other in taken:
            if place.identity == other.identity and not (place.in_memory and other.in_memory):
                raise ValueError(f"{place.name}: is where {other.name} is too, in one file, which would be lost")
        taken.append(place)


def _is_private(value: Any) -> bool:
    """Whether writes to a memory-mapped array do not reach its file."""
    return isinstance(value, np.memmap) and value.mode == "c"


def _places(value: Any, name: str) -> Iterator[_Place]:
    """Yield the files that an argument stands for."""
    if isinstance(value, (list, tuple)):
        for n, part in enumerate(value):
            yield from _places(part, f"{name}[{n}]")
    elif is_path(value):
        yield _Place(name, _identity(absolute(value, name)), False)
    elif is_dataset(value, name):
        for identity in _of_dataset(value):
            yield _Place(name, identity, False)
    elif isinstance(value, np.ndarray):
        yield from (_Place(name, _identity(path), True) for path in _mapped(value))


def _identity(path: str) -> _Identity:
    """Return device and inode; for a new file those of its directory, and its name."""
    try:
        return _of_status(os.stat(path))
    except OSError:
        folder, last = os.path.split(os.path.realpath(path))
    try:
        return (*_of_status(os.stat(folder)), last)
    except OSError:
        return folder, last


def _of_status(status: os.stat_result) -> _Identity:
    return status.st_dev, status.st_ino


def _of_dataset(dataset: Any) -> Iterator[_Identity]:
    """Yield the HDF5 file of a dataset, and the files that the dataset takes elements from."""
    file = dataset.file
    if file.driver == "sec2":  # the file may have been opened by a relative name
        yield _of_status(os.fstat(file.id.get_vfd_handle()))
    else:
        yield _identity(file.filename)
    beside = [source[0] for source in dataset.external or ()]
    beside += [source.file_name for source in (dataset.virtual_sources() if dataset.is_virtual else ())]
    for name in beside:  # settings of HDF5 decide which of two directories they are relative to
        yield _identity(os.path.join(os.path.dirname(os.path.abspath(file.filename)), name))
        yield _identity(os.path.abspath(name))


def _mapped(array: Any) -> Iterator[str]:
    """Yield the file that an array is a view of."""
    while array is not None:
        if isinstance(array, np.memmap) and array.filename is not None:
            yield os.fspath(array.filename)
            return
        array = array.obj if isinstance(array, memoryview) else getattr(array, "base", None)
