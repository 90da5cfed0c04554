"""Symmetric eigenproblems: the vibrations of a chain of masses and springs.

The stiffness matrix K and the masses M give a generalized problem K x = w^2 M x, which `eigh(K, M)` solves. The lowest
modes alone are found faster, and a chain is a band matrix, whose eigenvalues need no full matrix at all.

Run it with:  python examples/normal_modes.py
"""

import sys

import numpy as np
import trnsci
from trnsci import linalg

N = 400
TOLERANCE = 1e-12


def main():
    # Springs of stiffness 1 between neighbours and to the walls; every third mass is heavier.
    stiffness = 2 * np.eye(N) - np.eye(N, k=1) - np.eye(N, k=-1)
    masses = np.where(np.arange(N) % 3 == 0, 2.0, 1.0)

    squares, modes = trnsci.eigh(stiffness, np.diag(masses))
    frequencies = np.sqrt(squares)
    print(f"{N} masses: frequencies from {frequencies[0]:.6f} to {frequencies[-1]:.6f}")
    residual = np.abs(stiffness @ modes - masses[:, None] * modes * squares).max()
    orthogonality = np.abs(modes.T @ (masses[:, None] * modes) - np.eye(N)).max()
    print(f"largest residual {residual:.1e}, largest error of X^T M X = 1 {orthogonality:.1e}")

    lowest, _ = trnsci.eigh(stiffness, np.diag(masses), subset_by_index=(0, 4))
    print("the five lowest:", np.sqrt(lowest).round(6))

    # The same chain as a band matrix M^-1/2 K M^-1/2: its diagonal and the one below it.
    band = np.zeros((2, N))
    band[0] = 2 / masses
    band[1, :-1] = -1 / np.sqrt(masses[:-1] * masses[1:])
    from_band = linalg.eigvals_banded(band, lower=True)

    errors = residual, orthogonality, np.abs(lowest - squares[:5]).max(), np.abs(from_band - squares).max()
    if max(errors) > TOLERANCE * N:
        sys.exit(f"Too far off: {errors}.")


if __name__ == "__main__":
    main()
