"""eigh and threads: the same bits for any number of threads, concurrent calls, interrupted calls."""

from concurrent.futures import ThreadPoolExecutor

import matrices
import numpy as np
import pytest
import trnsci
from trnsci import linalg

# Orders on both sides of those from which on threads share the work of one step or another.
ORDERS = (5, 64, 97, 130, 300, 600, pytest.param(1100, marks=pytest.mark.slow))
CALLS = {
    "eigh": trnsci.eigh,
    "eigvalsh": linalg.eigvalsh,
    "subset": lambda a, **options: trnsci.eigh(a, subset_by_index=(0, len(a) // 10), **options),
    "generalized": lambda a, **options: trnsci.eigh(a, matrices.positive_definite(len(a), a.dtype), **options),
}


def bits(result):
    return [x.tobytes() for x in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("n", ORDERS)
@pytest.mark.parametrize("name", CALLS)
def test_number_of_threads_does_not_change_a_bit(name, n, dtype):
    a = matrices.hermitian(n, dtype)
    expected = bits(CALLS[name](a, threads=1))
    for threads in (2, 3):
        assert bits(CALLS[name](a, threads=threads)) == expected


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize(("n", "count"), [(8, 100), (24, 37), (40, 9)])
def test_number_of_threads_and_stacks(n, count, dtype):
    a = matrices.hermitian(n, dtype, batch=(count,))
    for function in (trnsci.eigh, linalg.eigvalsh):
        expected = bits(function(a, threads=1))
        for threads in (2, 3):
            assert bits(function(a, threads=threads)) == expected


def test_the_same_bits_again():
    """Memory that is kept between calls has an earlier one's numbers in it."""
    orders = (130, 5, 300, 64, 31, 300, 130, 5)
    inputs = {(n, dtype): matrices.hermitian(n, dtype) for n in orders for dtype in matrices.DTYPES}
    expected = {key: bits(trnsci.eigh(a)) for key, a in inputs.items()}
    for dtype in matrices.DTYPES:
        trnsci.eigh(np.full((300, 300), np.nan, dtype), check_finite=False)
        for n in orders:
            assert bits(trnsci.eigh(inputs[n, dtype])) == expected[n, dtype]


def test_calls_of_all_kinds_at_once():
    """Four threads of Python, with two of the library in each call."""
    jobs = [(name, matrices.hermitian(n, dtype)) for name in CALLS for n in (7, 60, 300) for dtype in matrices.DTYPES]
    expected = [bits(CALLS[name](a, threads=1)) for name, a in jobs]
    shuffled = np.random.default_rng(0).permutation(2 * len(jobs)) % len(jobs)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda k: bits(CALLS[jobs[k][0]](jobs[k][1], threads=2)), shuffled))
    assert all(result == expected[k] for k, result in zip(shuffled, results, strict=True))
