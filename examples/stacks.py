"""Stacks of matrices: one call for ten thousand small eigenproblems, or for many products.

Functions of `trnsci.linalg` and `trnsci.blas` take arrays whose leading dimensions count matrices, as NumPy's do. Small
matrices are solved several at a time, and stacks are shared out among threads; results do not depend on their number.

Run it with:  python examples/stacks.py
"""

import sys
import time

import numpy as np
import trnsci
from trnsci import blas, linalg

COUNT, N = 10_000, 8
TOLERANCE = 1e-12


def main():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((COUNT, N, N))
    a = a + a.swapaxes(-1, -2)

    began = time.perf_counter()
    w, v = trnsci.eigh(a)
    print(f"{COUNT} matrices of order {N}: {1000 * (time.perf_counter() - began):.0f} ms")
    residual = np.abs(a @ v - v * w[:, None, :]).max()

    again, _ = trnsci.eigh(a, threads=1)
    print("the same bits with one thread:", np.array_equal(w, again))

    definite = blas.gemm(1.0, a, a, transB=True) + np.eye(N)  # A A^T + 1
    lower = linalg.cholesky(definite, lower=True)
    factor_error = np.abs(lower @ lower.swapaxes(-1, -2) - definite).max() / np.abs(definite).max()
    print(f"largest residual {residual:.1e}, of the Cholesky factors {factor_error:.1e}")

    if not np.array_equal(w, again) or max(residual / np.abs(w).max(), factor_error) > TOLERANCE:
        sys.exit("Too far off.")


if __name__ == "__main__":
    main()
