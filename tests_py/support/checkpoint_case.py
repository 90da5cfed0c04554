"""Integrals of twelve occupied orbitals, of which `ROOM` megabytes hold four: what the tests of checkpoints compute."""

import numpy as np

NOCC, NVIR, NAUX = 12, 9, 20
PAIRS = NOCC * (NOCC + 1) // 2
ROOM = 4 * NVIR * NAUX * 8 / 1e6


def molecule():
    rng = np.random.default_rng(81)
    return 0.1 * rng.normal(size=(NOCC, NVIR, NAUX)), -1 - rng.random(NOCC), 0.2 + rng.random(NVIR)
