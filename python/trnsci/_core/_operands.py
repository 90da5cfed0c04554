"""Code that the functions of `trnsci.blas` share: words, dtypes, operands, results, and the call."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _array, _costs, _device, _native, _records, _threads
from ._array import Array
from ._errors import UnsupportedError
from ._progress import Progress

# Flags cross the border as the letters of the reference BLAS.
NO_TRANS, TRANS, CONJ_TRANS = map(ord, "NTC")
UPPER, LOWER = map(ord, "UL")
LEFT, RIGHT = map(ord, "LR")
NON_UNIT, UNIT = map(ord, "NU")

TRANS_WORDS = {False: NO_TRANS, True: TRANS, "N": NO_TRANS, "T": TRANS, "C": CONJ_TRANS}
UPLO_WORDS = {"upper": UPPER, "lower": LOWER, "U": UPPER, "L": LOWER}
SIDE_WORDS = {"left": LEFT, "right": RIGHT, "L": LEFT, "R": RIGHT}
DIAG_WORDS = {"nonunit": NON_UNIT, "unit": UNIT, "N": NON_UNIT, "U": UNIT}

_OTHER = {NO_TRANS: TRANS, TRANS: NO_TRANS, UPPER: LOWER, LOWER: UPPER}

# Results of this size and more are refused before they are written if they would not fit into memory.
_RESERVED_BYTES = 64 << 20
# Limit of the work that NumPy spends to decide exactly whether two arrays overlap; beyond it they count as overlapping.
_OVERLAP_EFFORT: Any = 1000


def word(value: Any, words: dict[Any, int], name: str) -> int:
    """Return the flag that `value` stands for."""
    try:
        return words[value]
    except (KeyError, TypeError):
        raise ValueError(f"{name}: {value!r} is not one of {', '.join(map(repr, words))}") from None


def scalar(value: Any, name: str) -> float | complex:
    """Return `value` as a float or, if its type is complex, as a complex."""
    if type(value) is float:
        return value
    if type(value) is int:
        try:
            return float(value)
        except OverflowError:
            raise ValueError(f"{name}: an integer of {value.bit_length()} bits is beyond the largest float") from None
    array = _array.as_array(value, name)
    if array.ndim == 0:
        if array.dtype.kind in "biuf":
            return float(array)
        if array.dtype.kind == "c":
            return complex(array)
    raise TypeError(f"{name}: expected a number, got {value!r:.60}")


def real_scalar(value: Any, name: str) -> float:
    """Return `value` as a float."""
    number = scalar(value, name)
    if isinstance(number, complex):
        raise TypeError(f"{name}: expected a real number, got {value!r:.60}")
    return number


class Kind(NamedTuple):
    """The dtype of a computation, and the dtype that its result is cast to if it differs."""

    dtype: np.dtype[Any]
    cast: np.dtype[Any] | None

    @property
    def is_complex(self) -> bool:
        return self.dtype.kind == "c"


def settle(
    given: Mapping[str, ArrayLike | None], *scalars: float | complex, optional: str | None = None
) -> tuple[list[Array], Kind]:
    """Return arrays in their common dtype, which is complex if a scalar is. The optional array is omitted if it is
    None."""
    checked = [_array.check(a, name) for name, a in given.items() if a is not None or name != optional]
    dtype = np.result_type(*(a.dtype for a, _ in checked))
    casts = {cast for _, cast in checked}
    cast = casts.pop() if len(casts) == 1 else None
    if dtype.kind != "c" and any(isinstance(x, complex) for x in scalars):
        dtype, cast = np.result_type(dtype, np.complex64), None
    return [a if a.dtype == dtype else a.astype(dtype) for a, _ in checked], Kind(dtype, cast)


def need_c(beta: float | complex, c: ArrayLike | None, name: str) -> None:
    """Raise ValueError if `beta` is not zero and its array is missing."""
    if beta != 0 and c is None:
        raise ValueError(f"{name}: beta is not zero, so {name} is needed")


def check_vector(x: Array, name: str, length: int | None = None) -> Array:
    """Return the vector `x` with distinct addresses of its elements."""
    if x.ndim != 1:
        raise ValueError(f"{name}: expected a vector, got shape {x.shape}")
    if length is not None and len(x) != length:
        raise ValueError(f"{name}: expected {length} elements, got {len(x)}")
    distinct: Array = x.copy() if len(x) > 1 and x.strides[0] == 0 else x
    return distinct


def check_matrix(a: Array, name: str, rows: int | None = None, columns: int | None = None) -> None:
    """Raise ValueError unless `a` is one matrix, of the given shape."""
    if a.ndim != 2:
        raise ValueError(f"{name}: expected a matrix, got shape {a.shape}")
    check_core(a, name, rows, columns)


def check_core(a: Array, name: str, rows: int | None = None, columns: int | None = None) -> None:
    """Raise ValueError unless `a` is a matrix or a stack of matrices of the given shape."""
    if a.ndim < 2:
        raise ValueError(f"{name}: expected a matrix or a stack of them, got shape {a.shape}")
    m, n = a.shape[-2:]
    if (rows is not None and m != rows) or (columns is not None and n != columns):
        wanted = f"{'any' if rows is None else rows} x {'any' if columns is None else columns}"
        raise ValueError(f"{name}: expected {wanted} matrices, got shape {a.shape}")


def transposed(a: Array) -> Array:
    """Return the matrices of `a` transposed, in the same memory."""
    turned: Array = a.swapaxes(-1, -2)
    return turned


def is_by_rows(a: Array) -> bool:
    """Whether the matrices of `a` are row-major: contiguous rows at increasing addresses."""
    m, n = a.shape[-2:]
    down, right = a.strides[-2:]
    return a.size == 0 or ((n <= 1 or right == a.itemsize) and (m <= 1 or down >= n * a.itemsize))


def _copied(a: Array, name: str) -> Array:
    try:
        copy: Array = a.copy(order="C")
    except MemoryError as error:
        raise MemoryError(
            f"{a.nbytes} bytes are needed for a copy of {name}, whose layout cannot be read in place"
        ) from error
    return copy


def stored_by_rows(a: Array, name: str) -> Array:
    """Return `a` itself or a copy, row-major."""
    return a if is_by_rows(a) else _copied(a, name)


def _plainest(trans: int, a: Array) -> int:
    return TRANS if trans == CONJ_TRANS and a.dtype.kind != "c" else trans


def by_rows(a: Array, trans: int, name: str) -> tuple[Array, int]:
    """Return row-major matrices and the flag that give the same ``op(a)``, copying only if necessary."""
    trans = _plainest(trans, a)
    if is_by_rows(a):
        return a, trans
    if trans != CONJ_TRANS and is_by_rows(transposed(a)):
        return transposed(a), _OTHER[trans]
    return _copied(a, name), trans


def triangle_by_rows(a: Array, uplo: int, trans: int, name: str) -> tuple[Array, int, int]:
    """Return row-major matrices and the flags that give the same ``op(a)`` for a triangular `a`."""
    matrix, flag = by_rows(a, trans, name)
    return matrix, uplo if flag == _plainest(trans, a) else _OTHER[uplo], flag


def symmetric_by_rows(a: Array, uplo: int, hermitian: bool, name: str) -> tuple[Array, int]:
    """Return row-major matrices and the triangle that give the same symmetric or Hermitian matrices."""
    if is_by_rows(a):
        return a, uplo
    if is_by_rows(transposed(a)) and not (hermitian and a.dtype.kind == "c"):
        return transposed(a), _OTHER[uplo]
    return _copied(a, name), uplo


def flipped(trans: int) -> int:
    """Return the flag of the transposed operand; CONJ_TRANS has none."""
    return _OTHER[trans]


def leading(named: dict[str, Array]) -> tuple[int, ...]:
    """Return the leading dimensions that all arrays broadcast to."""
    if all(a.ndim == 2 for a in named.values()):
        return ()
    try:
        return np.broadcast_shapes(*(a.shape[:-2] for a in named.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape}" for name, a in named.items())
        raise ValueError(f"{next(iter(named))}: leading dimensions do not broadcast: {shapes}") from None


def spread(a: Array, lead: tuple[int, ...]) -> Array:
    """Return `a` with the given leading dimensions."""
    return a if a.shape[:-2] == lead else np.broadcast_to(a, lead + a.shape[-2:])


def overlaps(a: Array, b: Array) -> bool:
    """Whether `a` and `b` may share an element."""
    if not np.may_share_memory(a, b):
        return False
    try:
        return bool(np.shares_memory(a, b, max_work=_OVERLAP_EFFORT))
    except RuntimeError:  # numpy.exceptions.TooHardError, whose module depends on the version
        return True


def _check_out(out: Array, shape: Sequence[int], dtype: np.dtype[Any]) -> None:
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out: expected an array, got {type(out).__name__}")
    if out.shape != tuple(shape):
        raise ValueError(f"out: expected shape {tuple(shape)}, got {out.shape}")
    if out.dtype.newbyteorder("=") != dtype:
        raise TypeError(f"out: expected dtype {dtype}, got {out.dtype}")
    if not _array.is_writable(out):
        raise ValueError("out: the array is read-only")
    if overlaps_itself(out):
        raise ValueError(f"out: elements of the array may share memory (shape {out.shape}, strides {out.strides})")


def overlaps_itself(a: Array) -> bool:
    """Whether two elements of `a` may share memory: some stride is not larger than the extent of the dimensions with
    smaller strides."""
    reach = a.itemsize
    for stride, n in sorted((abs(s), n) for s, n in zip(a.strides, a.shape, strict=True) if n > 1):
        if stride < reach:
            return a.size > 0
        reach += stride * (n - 1)
    return False


def _fit_to_write(out: Array, dtype: np.dtype[Any]) -> bool:
    """Whether the library can write directly into `out`."""
    if out.dtype != dtype or not out.flags.aligned or any(s % out.itemsize for s in out.strides):
        return False
    return out.ndim == 1 or is_by_rows(out)


def target(shape: Sequence[int], kind: Kind, out: Array | None, *read: Array) -> Array:
    """Return the array that a call writes: `out` if that is possible and it overlaps nothing that the call reads, else
    a new one."""
    if out is not None:
        _check_out(out, shape, kind.cast or kind.dtype)
        if _fit_to_write(out, kind.dtype) and not any(overlaps(out, a) for a in read):
            return out
        return _array.empty(shape, kind.dtype, "the result")
    return result(shape, kind.dtype)


def result(shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
    """Allocate the result of a call, and raise MemoryError if it would not fit into memory."""
    array = _array.empty(shape, dtype, "the result")
    if array.nbytes >= _RESERVED_BYTES:
        _native.call("Reserve", array.nbytes)
    return array


def load(into: Array, source: Array | float) -> None:
    """Copy the array that a call updates to its target, unless they are the same."""
    if source is into:
        return
    if into.ndim == 1 and isinstance(source, np.ndarray) and np.may_share_memory(into, source):
        source = source.copy()  # NumPy checks vectors for overlap only if their strides have opposite signs
    np.copyto(into, source)


def load_hermitian(into: Array, source: Array | float) -> None:
    """Load Hermitian matrices and make the diagonal real, since updates that add nothing do not change it."""
    load(into, source)
    if into.dtype.kind == "c":
        np.einsum("...ii->...i", into).imag = 0


def finish(result: Array, kind: Kind, out: Array | None) -> Array:
    """Return the result of a call in the wanted array and dtype."""
    if out is None:
        return result if kind.cast is None else result.astype(kind.cast)
    if result is not out:
        np.copyto(out, result, casting="unsafe" if kind.cast else "same_kind")
    return out


def invoke(
    function: Any,
    work: float,
    threads: int | None,
    *,
    a: Array,
    progress: Progress = None,
    **operands: Any,
) -> int:
    """Call a function of the BLAS, or one that takes the same record, `_records.blas`, of operands and flags.

    `work` is an estimate of its floating-point operations on real numbers.
    """
    made = _records.blas(function, threads=_threads.resolve(threads), a=a, **operands)
    return _native.run(made, work * _costs.COMPLEX_FACTOR if a.dtype.kind == "c" else work, progress)


def invoke_product(function: str, work: float, threads: int | None, *, a: Array, c: Array, **operands: Any) -> None:
    """Call a level 3 function for a stack of results `c`, unless it is empty."""
    if c.size:
        invoke(function, _costs.PRODUCT * work * math.prod(c.shape[:-2]), threads, a=a, c=c, **operands)


def invoke_on(
    on: _device.Device, function: Any, work: float, threads: int | None, *, c: Array, **operands: Any
) -> None:
    """Call a function of the library that runs on a device, unless the result `c` is empty.

    The call is always a job: a device may be slow. UnsupportedError for complex arrays.
    """
    if c.dtype.kind == "c":
        raise UnsupportedError(f"device: {on.name} has no complex products, only real ones")
    if c.size:
        made = _records.device_product(function, threads=_threads.resolve(threads), c=c, device=on.number, **operands)
        _device.keep_report(_native.run(made, work, always_job=True))


require_host = _device.require_host
