"""The parts of the records of `_records`; pybind/record/doc.go describes the format."""

from __future__ import annotations

import os
from array import array as _int64s
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from ._array import Array, data_address

Words: TypeAlias = "_int64s[int]"
# The function of the library, the record of its arguments, and the objects that have to stay alive during the call.
Call: TypeAlias = tuple[str, Words, tuple[object, ...]]

_WORD = 8

# Codes of dtypes in native byte order, by their letters. C's long long is int64, and its long is int64 or int32. The Go
# package has the same list.
_NAMES = ("float32", "float64", "complex64", "complex128", "bfloat16", "int32", "int64", "bool")
_CODES = {letter: _NAMES.index(np.dtype(letter).name) for letter in "fdFDilq?"}
_ABSENT = -1


def address(words: Words) -> int:
    """Return the address of a record, which is passed to the library."""
    return words.buffer_info()[0]


# While a record is made it is a list: appending to an array of int64 allocates for each number.


def describe(record: list[int], *arrays: Array | None) -> None:
    """Append the descriptions of arrays, or the marks of absent ones, to a record."""
    for a in arrays:
        if a is None:
            record.append(_ABSENT)
        else:
            shape = a.shape
            record += (_CODES[a.dtype.char], data_address(a), len(shape), *shape, *a.strides)


def describe_all(record: list[int], arrays: Sequence[Array]) -> None:
    """Append the descriptions of a list of arrays to a record."""
    record.append(len(arrays))
    describe(record, *arrays)


def put_text(record: list[int], text: str) -> None:
    """Append a text to a record, encoded as paths are, so that any path can be restored."""
    encoded = os.fsencode(text)
    record.append(len(encoded))
    record += _int64s("q", encoded.ljust(-(-len(encoded) // _WORD) * _WORD, b"\0"))
