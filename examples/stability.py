"""Schur forms: is a linear system x' = A x stable, and what is its stable part?

`schur(A, sort="lhp")` puts the eigenvalues with negative real parts first. The leading columns of Z then span the
stable invariant subspace, and `schur_condition` says how sensitive that subspace is. The same form answers a Lyapunov
equation.

Run it with:  python examples/stability.py
"""

import sys

import numpy as np
import trnsci
from trnsci import linalg

N = 200
TOLERANCE = 1e-12


def main():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((N, N)) / np.sqrt(N)  # eigenvalues fill the unit disc

    t, z, stable = trnsci.schur(a, sort="lhp")
    print(f"{stable} of {N} eigenvalues have negative real parts")
    basis = z[:, :stable]
    invariance = np.linalg.norm(a @ basis - basis @ t[:stable, :stable])
    of_mean, separation = linalg.schur_condition(t, stable)
    print(f"the stable subspace is invariant up to {invariance:.1e}")
    print(
        f"a change E of A turns it by about |E| / {separation:.1e} and moves the mean eigenvalue by |E| / {of_mean:.1e}"
    )

    # Shifted to the left the system is stable, and the Lyapunov equation has a positive definite solution.
    shifted = a - 1.5 * np.eye(N)
    x = linalg.solve_continuous_lyapunov(shifted, -np.eye(N))
    residual = np.abs(shifted @ x + x @ shifted.T + np.eye(N)).max()
    smallest = linalg.eigvalsh((x + x.T) / 2)[0]
    print(f"A X + X A^T = -1: largest residual {residual:.1e}, smallest eigenvalue of X {smallest:.4f}")

    if max(invariance, residual) > TOLERANCE * N or smallest <= 0:
        sys.exit("Too far off.")


if __name__ == "__main__":
    main()
