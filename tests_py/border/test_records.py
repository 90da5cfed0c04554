"""The records in which calls cross the border, and the results that are allocated for them."""

import math
import os

import numpy as np
import pytest
import trnsci
from trnsci._core import _array, _records


def layouts(dtype):
    square = np.ones((6, 6), dtype)
    stack = np.ones((3, 2, 5, 5), dtype)
    frozen = np.ones((6, 6), dtype)
    frozen.flags.writeable = False
    return [
        square, square.T, square[::2, ::2], square[::-1, 3:0:-1][:3], np.asfortranarray(square), frozen,
        stack, stack[:, ::-1], stack.swapaxes(0, 1), np.broadcast_to(square, (4, 6, 6)), np.ones((1, 1), dtype),
        square[:4, :2], np.ones(0, dtype), np.array(1, dtype),
    ]  # fmt: skip


def description(a):
    """What a record has to say of an array, by NumPy's own account of it."""
    codes = ["float32", "float64", "complex64", "complex128", "bfloat16", "int32", "int64", "bool"]
    return [codes.index(a.dtype.name), a.__array_interface__["data"][0], a.ndim, *a.shape, *a.strides]


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "complex64", "complex128", "int32", "int64", "longlong", "bool"]
)
def test_arrays(dtype):
    for a in layouts(dtype):
        _, words, alive = _records.matrix_power("Expm", threads=3, a=a, x=a, exponent=-2)
        assert words.tolist() == [len(words), 3, -2, *description(a), *description(a)]
        assert alive[0] is a


def test_numbers_flags_texts_lists_and_what_is_not_there():
    a, sums = np.ones(2), np.zeros(3)
    path = b"/tmp/\xff/b.npy"
    spins = dict(
        b_alpha=a, occ_alpha=a, vir_alpha=a, path_alpha=os.fsdecode(path), path_beta="", layout="iaP", requests=3
    )
    name, words, _ = _records.sosmp2(threads=4, sums=sums, points=sums, tolerance=0.5, max_bytes=7, **spins)
    assert name == "SOSMP2"
    assert words[1:3].tolist() + words[4:5].tolist() == [4, 3, 7]
    assert np.frombuffer(words, np.float64)[3] == 0.5
    described = [*description(a) * 3, -1, -1, -1, *description(sums) * 2]
    assert words[5 : 5 + len(described)].tolist() == described
    texts = words[5 + len(described) :].tobytes()
    assert texts == b"".join(len(x).to_bytes(8, "little") + x + bytes(-len(x) % 8) for x in (path, b"", b"iaP"))
    _, words, alive = _records.kmp2(
        threads=1, b=[a, sums], occ=a, vir=a, conserve=a, sums=a, requests=False, check_finite=True, max_bytes=0
    )
    assert words[5:].tolist() == [*description(a) * 4, 2, *description(a), *description(sums)]
    assert any(kept is sums for kept in alive)


def test_complex_numbers():
    _, words, _ = _records.blas("Gemm", threads=1, alpha=1.5 - 2j, beta=3.0, conjugate=True)
    assert np.frombuffer(words, np.float64)[10:14].tolist() == [1.5, -2.0, 3.0, 0.0]
    assert words[7:10].tolist() == [1, 0, 0] and words[14:].tolist() == [-1, -1, -1]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(5, 4), (3, 5, 4), (0, 3, 3), (400, 500)])
def test_results_are_new_arrays(order, shape):
    first, second = (_array.empty(shape, np.dtype(np.float64), "the result", order) for _ in range(2))
    assert first.shape == second.shape == shape
    for a in (first, second):
        assert (a if order == "C" else a.swapaxes(-1, -2)).flags.c_contiguous
    assert not np.shares_memory(first, second)


@pytest.mark.parametrize("shape", [(2**45, 8, 8), (2**30, 2**30)])
def test_what_does_not_fit_is_named(shape):
    message = rf"^{8 * math.prod(shape)} bytes \(.* GiB\) are needed for the vectors of shape \({shape[0]}, "
    with pytest.raises(MemoryError, match=message):
        _array.empty(shape, np.dtype(np.complex64), "the vectors", "F")


def test_texts_may_be_longer_than_any_path():
    # The system refuses the name, not the border.
    with pytest.raises(OSError):
        trnsci.mp2_amplitudes(np.ones((1, 1, 1)), [-1.0], [1.0], out="x" * (1 << 20))
