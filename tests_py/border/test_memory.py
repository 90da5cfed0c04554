"""Memory of large results is reused, but never while any object refers to it."""

import gc
import resource
import subprocess
import sys
import threading

import numpy as np
import pytest
import trnsci
from trnsci._core import _memory

pytestmark = pytest.mark.serial

DOUBLE = np.dtype(np.float64)
SHAPE = (200, 200)  # 320 kB


@pytest.fixture(autouse=True)
def nothing_kept():
    gc.collect()
    _memory._kept.clear()
    yield
    _memory._kept.clear()


def address(array):
    return array.__array_interface__["data"][0]


def test_a_result_gets_the_memory_of_one_that_is_gone():
    a = np.random.default_rng(1).standard_normal(SHAPE)
    form = trnsci.schur(a)[0]
    assert _memory.kept_bytes() == a.nbytes, "the vectors are gone, the form is not"
    before = form.copy()
    first = {address(result) for result in trnsci.schur(a)}
    assert {address(result) for result in trnsci.schur(a)} == first
    assert np.array_equal(form, before)


@pytest.mark.parametrize(
    "look",
    [
        lambda a: a[50:60, 7],
        lambda a: a.T,
        lambda a: a.reshape(-1).view(np.complex128),
        lambda a: memoryview(a),
        lambda a: np.asarray(memoryview(a))[::2],
        lambda a: np.broadcast_to(a[0], (3, a.shape[1])),
        lambda a: a.astype(DOUBLE, copy=False).view(np.recarray),
        lambda a: a.flat,
        lambda a: iter(a),
        lambda a: np.lib.stride_tricks.as_strided(a, (5,), (8,)),
    ],
)
def test_memory_that_is_looked_at_stays(look):
    result = _memory.empty(SHAPE, DOUBLE)
    where = address(result)
    view = look(result)
    del result
    gc.collect(0)  # of young objects: a whole collection takes long among thousands of tests
    assert _memory.kept_bytes() == 0
    assert address(_memory.empty(SHAPE, DOUBLE)) != where
    del view
    gc.collect(0)
    assert where in {address(block) for blocks in _memory._kept.values() for block in blocks}


def test_small_and_huge_results_are_not_kept():
    small = _memory.empty((_memory.LEAST_BYTES // 8 - 1,), DOUBLE)
    huge = _memory.empty((_memory.MOST_BYTES // 8 + 1,), DOUBLE)
    assert small.flags.owndata and huge.flags.owndata
    del small, huge
    assert _memory.kept_bytes() == 0


def test_no_more_is_kept_than_the_limit():
    size = _memory.MOST_BYTES // 3
    results = [_memory.empty((size,), np.dtype(np.uint8)) for _ in range(5)]
    del results
    assert _memory.kept_bytes() == 3 * size
    other = _memory.empty((size + 1,), np.dtype(np.uint8))
    assert _memory.kept_bytes() == 0, "what is kept makes room for blocks of a size that is asked for"
    del other
    assert _memory.kept_bytes() == size + 1


def test_shapes_without_elements_and_those_that_do_not_fit():
    assert _memory.empty((0, 10**9), DOUBLE).shape == (0, 10**9)
    with pytest.raises((MemoryError, ValueError)):
        _memory.empty((2**40, 2**20), DOUBLE)


def test_threads_do_not_share_blocks():
    wrong = []

    def work(number):
        rng = np.random.default_rng(number)
        held = []
        for step in range(400):
            array = _memory.empty((rng.integers(200, 204), 200), DOUBLE)
            array[...] = mark = 1000 * number + step
            held.append((array, mark))
            if len(held) > rng.integers(1, 6):
                old, expected = held.pop(rng.integers(len(held)))
                if not (old == expected).all():
                    wrong.append((number, step))
                del old, array

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert 0 < _memory.kept_bytes() <= _memory.MOST_BYTES


def resident():
    """Bytes of the process that are in memory."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


def test_release_memory_gives_results_and_workspace_back():
    a = np.random.default_rng(2).standard_normal((700, 700))
    trnsci.schur(a)  # two results of 3.9 MB, and workspace of about twice as much
    gc.collect()
    kept, before = _memory.kept_bytes(), resident()
    assert kept == 2 * a.nbytes
    trnsci.release_memory()
    assert _memory.kept_bytes() == 0
    assert resident() < before - kept
    trnsci.schur(a)


def test_release_memory_before_the_library_is_loaded():
    script = "import trnsci; trnsci.release_memory(); from trnsci._core import _native; print(_native.is_loaded())"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.stdout == "False\n", run.stderr
