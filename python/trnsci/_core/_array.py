"""Validation of array arguments and allocation of results."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from . import _memory

# An array of any dtype. NDArray[Any] will not do: pyright finds no `real` and `imag` in it.
Array: TypeAlias = "np.ndarray[tuple[Any, ...], Any]"

_byte: Callable[[Any], ctypes.c_char] = ctypes.c_char.from_buffer
_view: Callable[[Any], memoryview] = memoryview

_COMPUTING = frozenset(map(np.dtype, ("float32", "float64", "complex64", "complex128")))
_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
_REAL: dict[str, np.dtype[Any]] = {"f": _FLOAT32, "d": _FLOAT64, "F": _FLOAT32, "D": _FLOAT64}
_COMPLEX64, _COMPLEX128 = np.dtype(np.complex64), np.dtype(np.complex128)
_COMPLEX: dict[str, np.dtype[Any]] = {"f": _COMPLEX64, "d": _COMPLEX128, "F": _COMPLEX64, "D": _COMPLEX128}
_ACCEPTED = "float32, float64, complex64, complex128, integers and bool (as float64), float16 and bfloat16 (as float32)"


def check(a: ArrayLike | None, name: str) -> tuple[Array, np.dtype[Any] | None]:
    """Return `a` as an aligned array of one of the four computing dtypes, and the dtype results are cast to.

    No copy is made of an array that already is one, whatever its order and strides.

    Parameters
    ----------
    a : array_like
        The argument.
    name : str
        Its public name, for error messages.

    Returns
    -------
    array : ndarray
        float32, float64, complex64 or complex128.
    cast : dtype or None
        float16 or bfloat16 if `a` has that dtype, else None.
    """
    array = a if type(a) is np.ndarray else as_array(a, name)
    if array.dtype in _COMPUTING:
        return (array if array.flags.aligned and _whole_strides(array) else array.copy()), None
    return _convert(array, name)


def as_array(a: ArrayLike | None, name: str) -> Array:
    """Return `numpy.asarray(a)`; raise ValueError or TypeError with the argument's name if that fails."""
    if type(a) is np.ndarray:
        return a
    rows = a if isinstance(a, (list, tuple)) else (a,)
    if any(issubclass(kind, np.ma.MaskedArray) for kind in set(map(type, rows))) and any(map(np.ma.is_masked, rows)):
        raise ValueError(f"{name}: elements of a masked array are masked; fill or compress it first")
    try:
        return np.asarray(a)
    except (MemoryError, Warning):
        raise
    except ValueError as error:  # rows of different lengths
        raise ValueError(f"{name}: cannot be made an array: {error}") from None
    except Exception as error:  # the object's own conversion may raise anything
        raise TypeError(f"{name}: {type(a).__name__} cannot be made an array: {error}") from error


def integers(values: ArrayLike, name: str) -> Array:
    """Return an argument as an array of integers.

    Raises
    ------
    TypeError
        If it is not an array of integers.
    """
    array = as_array(values, name)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name}: expected integers, got dtype {array.dtype}")
    return array


def _whole_strides(a: Array) -> bool:
    """Whether every stride is a multiple of the item size; alignment does not imply that for complex dtypes."""
    itemsize = a.itemsize
    for stride in a.strides:  # noqa: SIM110  (all() of a generator takes three times as long)
        if stride % itemsize:
            return False
    return True


def _convert(a: Array, name: str) -> tuple[Array, np.dtype[Any] | None]:
    dtype = a.dtype
    if dtype.kind in "fc":
        native = dtype.newbyteorder("=")
        if native in _COMPUTING:  # the other byte order
            return _astype(a, native, name), None
        if native == np.float16:
            return _astype(a, _FLOAT32, name), native
    elif dtype.kind in "bui":
        return _astype(a, _FLOAT64, name), None
    elif dtype.name == "bfloat16":
        return _astype(a, _FLOAT32, name), dtype
    raise TypeError(f"{name}: dtype {dtype} is not supported; accepted are {_ACCEPTED}{_advice(a)}")


def _advice(a: Array) -> str:
    """Return advice for an array whose dtype is not supported."""
    if a.dtype.kind == "O" and a.size and isinstance(a.flat[0], np.ndarray):
        return " (np.stack makes one array of many)"
    value = a.item() if a.ndim == 0 else a
    if value is None:
        return "; None was given"
    if hasattr(value, "toarray"):
        return "; a sparse matrix has toarray()"
    return "; np.from_dlpack makes an array of it" if hasattr(value, "__dlpack__") and value is not a else ""


def _astype(a: Array, dtype: np.dtype[Any], name: str) -> Array:
    try:
        return a.astype(dtype)
    except MemoryError as error:
        raise MemoryError(
            f"{a.size * dtype.itemsize} bytes are needed for {name} of shape {a.shape} as {dtype}"
        ) from error


def check_square(a: Array, name: str) -> None:
    """Raise ValueError unless the last two dimensions of `a` are equal."""
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"{name}: expected a square matrix or a stack of them, got shape {a.shape}")


def number(value: Any, name: str) -> float:
    """Return an argument as a float."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}: expected a number, got {value!r}") from None


def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of the real parts of a computing dtype."""
    return _REAL[dtype.char]


def complex_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the complex dtype with the precision of a computing dtype."""
    return _COMPLEX[dtype.char]


def is_writable(a: Array) -> bool:
    """Whether elements of `a` may be changed.

    Results of `numpy.broadcast_arrays` may not be changed, although their flag says so and reading it may warn.
    """
    try:
        return not _view(a).readonly
    except ValueError:  # dtypes such as bfloat16 have no buffers
        read_only: bool = a.__array_interface__["data"][1]
        return not read_only


def may_overwrite(asked: bool, given: ArrayLike, checked: Array, *read: Array) -> bool:
    """Whether the call may use the memory of `checked` as scratch: the caller allows it, or `checked` is our own copy.

    It may not if `checked` shares memory with one of `read`, the other arrays that the call reads.
    """
    if checked is not given and not np.may_share_memory(checked, np.asarray(given)):
        return checked.flags.forc
    if not asked or not checked.flags.forc or any(np.may_share_memory(checked, a) for a in read):
        return False
    return is_writable(checked)


def cast_to(result: Array, dtype: np.dtype[Any] | None) -> Array:
    """Return `result` in the dtype that `check` said results are cast to."""
    return result if dtype is None else result.astype(dtype)


def plain_address(a: Array) -> int:
    """Return the address of a writable contiguous array that is not empty, in the fastest way.

    Raises
    ------
    TypeError, ValueError
        For other arrays.
    """
    return ctypes.addressof(_byte(a))


def data_address(a: Array) -> int:
    """Return the address of the first element of an array."""
    flags = a.flags
    try:
        # ctypes takes a quarter of the time of __array_interface__, but no gaps between rows.
        if flags.c_contiguous:
            return ctypes.addressof(_byte(a))
        if flags.f_contiguous:
            return ctypes.addressof(_byte(a.T))
    except (TypeError, ValueError):  # read-only or empty
        pass
    address: int = a.__array_interface__["data"][0]
    return address


def empty(shape: Sequence[int], dtype: np.dtype[Any], name: str, order: str = "C") -> Array:
    """Allocate a result; "F" means that each matrix of a stack is stored by columns.

    Raises
    ------
    MemoryError
        If it does not fit; the message has the size and the purpose.
    """
    by_columns = order == "F" and len(shape) > 1
    stored = turned(shape) if by_columns else tuple(shape)
    try:
        memory: Array = _memory.empty(stored, dtype)
    except (MemoryError, ValueError) as error:  # ValueError: more elements than an array may have
        raise no_memory(name, shape, dtype) from error
    return memory.swapaxes(-1, -2) if by_columns else memory


def fitted(first: Array, second: Array, names: tuple[str, str], least: Any = np.float32) -> tuple[Array, Array]:
    """Return checked stacks of square matrices with one dtype, which can represent `least`, and with one shape.

    Raises
    ------
    ValueError
        If the matrices differ in order, or if the leading dimensions do not broadcast.
    """
    dtype = first.dtype
    if first.shape == second.shape and dtype == second.dtype and np.can_cast(least, dtype):  # the usual case
        return first, second
    unfit = ValueError(f"{names[1]}: shape {second.shape} does not fit {names[0]}'s shape {first.shape}")
    if second.shape[-2:] != first.shape[-2:]:
        raise unfit
    try:
        shape = np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        raise unfit from None
    dtype = np.result_type(dtype, second.dtype, least)

    def fit(x: Array) -> Array:
        x = x.astype(dtype, copy=False)
        return x if x.shape == shape else np.broadcast_to(x, shape)

    return fit(first), fit(second)


def turned(numbers: Sequence[int]) -> tuple[int, ...]:
    """Return a shape or strides with the last two exchanged."""
    return (*numbers[:-2], numbers[-1], numbers[-2])


def no_memory(name: str, shape: Sequence[int], dtype: np.dtype[Any]) -> MemoryError:
    """Return the error for a result that does not fit."""
    size = math.prod(map(int, shape)) * dtype.itemsize
    return MemoryError(f"{size} bytes ({size / 2**30:.1f} GiB) are needed for {name} of shape {tuple(shape)}")
