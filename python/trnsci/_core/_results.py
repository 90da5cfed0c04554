"""Results of calls, allocated and described in little time.

To allocate the results of a Schur form and to describe three arrays to the Go library one by one takes 5.4 us, as long as the
reduction of a matrix of order 16. But for the addresses the descriptions depend on the layout of the input alone: they are kept
for the next input that has the same, which takes 4.2 us.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _array, _memory
from ._array import Array, Record

# Layouts that are kept for a function; when there are more, all are forgotten.
MOST_LAYOUTS = 64

DType = np.dtype[Any]


def _same(dtype: DType) -> DType:
    return dtype


class Result(NamedTuple):
    """What a function returns for each matrix of a stack."""

    name: str  # in error messages
    dtype: Callable[[DType], DType] = _same  # of the input's
    is_vector: bool = False
    by_columns: bool = False  # a matrix is stored by columns


class _Plan(NamedTuple):
    """How a result is allocated."""

    new: Callable[[Sequence[int], DType], Array]
    stored: tuple[int, ...]  # the shape in memory
    dtype: DType
    turned: bool  # whether the last two axes are exchanged then
    at: int  # where the record has its address
    name: str


class _Layout(NamedTuple):
    """What calls have in common whose inputs have the same layout."""

    template: Record  # the record; addresses in it are not those of the next call
    offsets: list[int | None]  # where the parts of the record begin, in bytes; None for an array that is not there
    other_at: int  # where the record has the address of the second input
    plans: list[_Plan | None]


class Results:
    """The results of a function, or of one way to call it.

    Parameters
    ----------
    *results : Result or None
        None stands for one that is not wanted.
    inputs : int, optional
        How many arrays the library is given in front of them, one or two.
    """

    def __init__(self, *results: Result | None, inputs: int = 1) -> None:
        self._results = results
        self._inputs = inputs
        self._layouts: dict[object, _Layout] = {}

    def allocate(
        self, matrix: Array, other: Array | None = None, columns: int | None = None
    ) -> tuple[Record, list[int], list[Any]]:
        """Allocate the results of a call and describe them and the inputs.

        Parameters
        ----------
        matrix : (..., M, N) ndarray
            The input, as `_array.check` returns it.
        other : ndarray, optional
            The second input.
        columns : int, optional
            The number of columns of the results and of elements of vectors, otherwise N.

        Returns
        -------
        record : array
            The record of inputs and results, to be kept alive as they are.
        addresses : list of int
            What crosses the border for each of them, 0 where there is none.
        results : list of ndarray or None

        Raises
        ------
        MemoryError
            If a result does not fit, with the size and what it was for.
        """
        of_other = None if other is None else (other.shape, other.strides, other.dtype.char)
        key = matrix.shape, matrix.strides, matrix.dtype.char, of_other, columns
        layout = self._layouts.get(key) or self._keep(key, self._lay_out(matrix, other, columns))
        record = layout.template[:]
        record[0] = _array.data_address(matrix)
        if other is not None:
            record[layout.other_at] = _array.data_address(other)
        results: list[Any] = []
        for plan in layout.plans:
            if plan is None:
                results.append(None)
                continue
            new, stored, dtype, turned, at, name = plan
            try:
                memory = new(stored, dtype)
            except MemoryError as error:
                raise _array.no_memory(name, _array.turned(stored) if turned else stored, dtype) from error
            if memory.size:
                record[at] = _array.plain_address(memory)
            results.append(memory.swapaxes(-1, -2) if turned else memory)
        first = record.buffer_info()[0]
        return record, [0 if offset is None else first + offset for offset in layout.offsets], results

    def _keep(self, key: object, layout: _Layout) -> _Layout:
        if len(self._layouts) >= MOST_LAYOUTS:
            self._layouts.clear()
        self._layouts[key] = layout
        return layout

    def _lay_out(self, matrix: Array, other: Array | None, columns: int | None) -> _Layout:
        record = _array.record(matrix)
        offsets: list[int | None] = [0]
        other_at = len(record)
        if self._inputs > 1:
            offsets.append(None if other is None else record.itemsize * other_at)
        if other is not None:
            record += _array.record(other)
        plans: list[_Plan | None] = []
        for result in self._results:
            offsets.append(None if result is None else record.itemsize * len(record))
            plans.append(None if result is None else _plan(result, matrix, columns, record))
        return _Layout(record, offsets, other_at, plans)


def _plan(result: Result, matrix: Array, columns: int | None, record: Record) -> _Plan:
    """Return how a result is allocated, and extend the record."""
    lead = matrix.shape[:-2] if result.is_vector else matrix.shape[:-1]
    shape = (*lead, matrix.shape[-1] if columns is None else columns)
    dtype = result.dtype(matrix.dtype)
    if math.prod(shape) * dtype.itemsize > sys.maxsize:
        raise _array.no_memory(result.name, shape, dtype)
    at, stored, strides = len(record), shape, _strides(shape, dtype)
    if result.by_columns:
        stored = _array.turned(shape)
        strides = _array.turned(_strides(stored, dtype))
    record.extend(_array.described(0, dtype, shape, strides))
    return _Plan(_memory.allocator(stored, dtype), stored, dtype, result.by_columns, at, result.name)


def _strides(shape: tuple[int, ...], dtype: DType) -> tuple[int, ...]:
    """Return the strides in bytes of an array in C order."""
    return tuple(dtype.itemsize * math.prod(shape[i + 1 :]) for i in range(len(shape)))
