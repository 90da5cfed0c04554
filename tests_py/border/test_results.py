"""Results that are allocated and described by layouts kept from earlier calls."""

import ctypes
import threading

import numpy as np
import pytest
from trnsci._core import _array
from trnsci._core._results import MOST_LAYOUTS, Result, Results

MATRICES = Results(Result("the first"), None, Result("the last", _array.complex_dtype, by_columns=True))
VECTORS = Results(Result("the values", _array.real_dtype, is_vector=True), inputs=2)


def described(address):
    """Return what a record says at an address: the address of the data, dtype code, shape and strides."""
    head = (ctypes.c_int64 * 3).from_address(address)
    sizes = list((ctypes.c_int64 * (2 * head[2])).from_address(address + 24))
    return head[0], head[1], tuple(sizes[: head[2]]), tuple(sizes[head[2] :])


def expected(a):
    codes = [np.dtype(name) for name in ("float32", "float64", "complex64", "complex128")]
    return a.__array_interface__["data"][0], codes.index(a.dtype), a.shape, a.strides


def layouts(dtype):
    square = np.ones((6, 6), dtype)
    stack = np.ones((3, 2, 5, 5), dtype)
    frozen = np.ones((6, 6), dtype)
    frozen.flags.writeable = False
    return [
        square, square.copy(), square.T, square[::2, ::2], square[::-1, 3:0:-1][:3], np.asfortranarray(square), frozen,
        stack, stack[:, ::-1], stack.swapaxes(0, 1), np.broadcast_to(square, (4, 6, 6)), np.ones((1, 1), dtype),
        square[:4, :2],
    ]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_records_describe_the_arrays_of_each_call(dtype):
    for _ in range(2):  # the second time by kept layouts
        for a in layouts(dtype):
            record, addresses, (first, none, last) = MATRICES.allocate(a)
            assert none is None and addresses[2] == 0
            assert first.shape == last.shape == a.shape
            assert first.dtype == a.dtype and last.dtype == np.result_type(a.dtype, np.complex64)
            assert first.flags.c_contiguous and last.swapaxes(-1, -2).flags.c_contiguous
            for address, array in zip((addresses[0], addresses[1], addresses[3]), (a, first, last), strict=True):
                assert described(address) == expected(array)
            del record  # alive until here


def test_two_inputs_and_another_number_of_columns():
    a, b = np.ones((3, 5, 4)), np.ones((1, 4, 5))
    for other, columns in [(None, None), (b, 2), (b.swapaxes(-1, -2), 2), (None, 2), (b, None), (b, 0)] * 2:
        record, addresses, (values,) = VECTORS.allocate(a, other, columns)
        assert values.shape == (3, 4 if columns is None else columns)
        assert len(addresses) == 3 and described(addresses[0]) == expected(a)
        assert addresses[1] == 0 if other is None else described(addresses[1]) == expected(other)
        if values.size:
            assert described(addresses[2]) == expected(values)
        del record


def test_results_of_one_layout_are_arrays_of_their_own():
    a = np.ones((4, 4))
    calls = [MATRICES.allocate(a) for _ in range(50)]
    assert len({first.__array_interface__["data"][0] for _, _, (first, _, _) in calls}) == len(calls)
    assert len({addresses[0] for _, addresses, _ in calls}) == len(calls)


def test_the_number_of_layouts_is_limited():
    results = Results(Result("the result"))
    for n in range(3 * MOST_LAYOUTS):
        record, addresses, (result,) = results.allocate(np.ones((n + 1, n + 1), np.float32))
        assert described(addresses[1]) == expected(result)
        assert len(results._layouts) <= MOST_LAYOUTS
        del record


def test_empty_stacks():
    for shape in [(0, 0), (0, 3, 3), (3, 0, 0)]:
        _, _, (first, _, last) = MATRICES.allocate(np.ones(shape))
        assert first.shape == last.shape == shape


@pytest.mark.parametrize("shape", [(2**45, 8, 8), (2**30, 2**30)])  # of the second one there are no complex arrays
def test_what_does_not_fit_is_named(shape):
    huge = np.lib.stride_tricks.as_strided(np.ones(1, np.float32), shape, [0] * len(shape))
    results = Results(Result("the vectors", _array.complex_dtype, by_columns=True))
    message = rf"^{8 * huge.size} bytes \(.* GiB\) are needed for the vectors of shape \({shape[0]}, "
    for _ in range(2):
        with pytest.raises(MemoryError, match=message):
            results.allocate(huge)


def test_threads_share_layouts():
    results = Results(Result("the result"))
    wrong = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(2000):
            a = np.ones((n := int(rng.integers(1, 2 * MOST_LAYOUTS)), n))
            record, addresses, (result,) = results.allocate(a)
            if (described(addresses[0]), described(addresses[1])) != (expected(a), expected(result)):
                wrong.append(n)
            del record

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(results._layouts) <= MOST_LAYOUTS + len(threads)
