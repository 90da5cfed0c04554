"""Many calls of many functions: no memory is leaked, and threads do not disturb one another."""

import threading

import growth
import numpy as np
import pytest
import trnsci
from trnsci import blas, linalg
from trnsci._core._info import info

pytestmark = pytest.mark.serial


def _calls(rng):
    """Return functions of small random arrays, each of which gives an array."""
    n = 24
    a, b = rng.standard_normal((n, n)), rng.standard_normal((n, n))
    c = a + 1j * b
    spd = a @ a.T + n * np.eye(n)
    stack = rng.standard_normal((5, n, n))
    vectors = rng.standard_normal((3, n, 2 * n))  # as integrals of 3 occupied orbitals
    return [
        lambda: blas.gemm(1.0, a, b),
        lambda: blas.gemm(1.0, c, c, transA="C"),
        lambda: blas.batched_gemm(1.0, stack, stack),
        lambda: blas.gemv(1.0, a, b[0]),
        lambda: blas.symv(1.0, a, b[0]),
        lambda: blas.syrk(1.0, a),
        lambda: blas.herk(1.0, c),
        lambda: blas.trsm(1.0, spd, b),
        lambda: blas.trmm(1.0, spd, b.astype(np.float32)),
        lambda: np.asarray(blas.dot(a[0], b[0])),
        lambda: linalg.cholesky(spd),
        lambda: linalg.cho_solve(linalg.cho_factor(spd), b),
        lambda: linalg.solve_triangular(spd, b),
        lambda: linalg.eigvalsh(spd),
        lambda: np.abs(trnsci.eigh(spd)[1]),
        lambda: trnsci.schur(a)[0],
        lambda: np.asarray(
            trnsci.df_mp2_energy(vectors, np.array([-2.0, -1.5, -1.0]), np.linspace(0.5, 3.0, n)).e_corr
        ),
    ]


def _heap():
    """Return the bytes in use without what is kept for the next call, which the second collection frees."""
    info()
    return info()["heap bytes in use"]


def test_heap_does_not_grow():
    calls = _calls(np.random.default_rng(1))
    for _ in range(20):
        for call in calls:
            call()

    def work():
        for k in range(10_000):
            calls[k % len(calls)]()

    # A descriptor that is kept for each call would be 100 bytes of each.
    growth.assert_stays(_heap, work, 300_000)


def test_threads_do_not_disturb_one_another():
    def work(seed, failures):
        rng = np.random.default_rng(seed)
        calls = _calls(rng)
        expected = [call() for call in calls]
        for k in rng.integers(len(calls), size=400):
            if not np.array_equal(calls[k](), expected[k], equal_nan=True):
                failures.append((seed, int(k)))
                return

    failures = []
    threads = [threading.Thread(target=work, args=(seed, failures)) for seed in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_bits_do_not_depend_on_threads(threads):
    rng = np.random.default_rng(2)
    a, x = rng.standard_normal((700, 700)), rng.standard_normal(700)
    spd = a @ a.T + 700 * np.eye(700)
    for call in (
        lambda: blas.gemm(1.0, a, a),
        lambda: blas.gemv(1.0, a, x),
        lambda: blas.gemv(1.0, a, x, trans=True),
        lambda: blas.symv(1.0, a, x),
        lambda: blas.syrk(1.0, a),
        lambda: blas.trsm(1.0, spd, a),
        lambda: linalg.cholesky(spd),
    ):
        with trnsci.threads(1):
            one = call()
        with trnsci.threads(threads):
            assert np.array_equal(call(), one)
