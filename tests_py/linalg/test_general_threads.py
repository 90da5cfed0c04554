"""The functions for general matrices give the same bits for any number of threads, again, and in concurrent calls."""

from concurrent.futures import ThreadPoolExecutor

import matrices
import numpy as np
import pytest
from trnsci import linalg

CALLS = {
    "schur": linalg.schur,
    "complex form": lambda a, **options: linalg.schur(a, "complex", **options),
    "ordered": lambda a, **options: linalg.schur(a, sort="lhp", **options)[:2],
    "hessenberg": lambda a, **options: linalg.hessenberg(a, calc_q=True, **options),
    "eig": lambda a, **options: linalg.eig(a, left=True, **options),
    "eigvals": linalg.eigvals,
    "expm": linalg.expm,
    "sqrtm": linalg.sqrtm,
    "sylvester": lambda a, **options: linalg.solve_sylvester(a, a, a, **options),
}
# Both sides of orders from which on steps are done in another way or shared by threads: 80, 140, 160, 256.
ORDERS = (5, 79, 81, 139, 141, 161, 300)
PAIRS = {
    "qz": linalg.qz,
    "pencil": lambda a, b, **options: linalg.eig(a, b, **options),
}


def bits(result):
    return [np.asarray(x).tobytes() for x in (result if isinstance(result, tuple) else (result,))]


def random(n, dtype):
    """A random matrix with eigenvalues in the unit circle around 2, so that it has a square root."""
    a = matrices.random((n, n), dtype, 5) / np.asarray(2 * n**0.5, matrices.real_dtype(dtype))
    return a + 2 * np.eye(n, dtype=dtype)


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("n", ORDERS)
@pytest.mark.parametrize("name", CALLS)
def test_number_of_threads_does_not_change_a_bit(name, n, dtype):
    """Nor does what the memory held before."""
    a = random(n, dtype)
    expected = bits(CALLS[name](a, threads=1))
    for threads in (2, 3):
        linalg.schur(np.full((n, n), np.nan, dtype), check_finite=False, threads=threads)
        assert bits(CALLS[name](a, threads=threads)) == expected


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("n", [5, 81, 141])
@pytest.mark.parametrize("name", PAIRS)
def test_number_of_threads_and_pairs(name, n, dtype):
    a, b = random(n, dtype), matrices.random((n, n), dtype, 6)
    expected = bits(PAIRS[name](a, b, threads=1))
    assert bits(PAIRS[name](a, b, threads=2)) == expected == bits(PAIRS[name](a, b, threads=1))


@pytest.mark.parametrize("name", CALLS)
def test_number_of_threads_and_stacks(name):
    a = np.stack([random(24, "float64") + k * np.eye(24) for k in range(7)])
    expected = bits(CALLS[name](a, threads=1))
    assert bits(CALLS[name](a, threads=3)) == expected


def test_calls_of_all_kinds_at_once():
    """Four threads of Python, with two of the library in each call."""
    jobs = [(name, random(n, dtype)) for name in CALLS for n in (7, 90, 170) for dtype in matrices.DTYPES]
    expected = [bits(CALLS[name](a, threads=1)) for name, a in jobs]
    shuffled = np.random.default_rng(0).permutation(2 * len(jobs)) % len(jobs)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda k: bits(CALLS[jobs[k][0]](jobs[k][1], threads=2)), shuffled))
    assert all(result == expected[k] for k, result in zip(shuffled, results, strict=True))
