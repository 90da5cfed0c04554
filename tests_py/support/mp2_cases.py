"""Random integrals for DF-MP2 in every layout, and the restricted energies from four-index arrays."""

import numpy as np


def by_definition(b, occ, vir):
    """The restricted energies and pair energies from four-index arrays."""
    k = np.einsum("iap,jbp->ijab", b, b, dtype=np.float64)
    occ, vir = np.asarray(occ, float), np.asarray(vir, float)
    d = occ[:, None, None, None] + occ[:, None, None] - vir[:, None] - vir
    opposite = k * k / d
    same = k * (k - k.swapaxes(2, 3)) / d
    return opposite.sum(), same.sum(), (opposite + same).sum(axis=(2, 3))


def random_case(seed, nocc, nvir, naux, dtype=np.float64):
    rng = np.random.default_rng(seed)
    b = (rng.standard_normal((nocc, nvir, naux)) / np.sqrt(naux)).astype(dtype)
    return b, -1 - rng.random(nocc), 0.3 + 2 * rng.random(nvir)


def layouts(b):
    """B in every layout."""
    nocc, nvir, naux = b.shape
    pairs = np.ascontiguousarray(b.reshape(nocc * nvir, naux))
    return {
        "iaP": b,
        "(ia)P": pairs,
        "P(ia)": np.ascontiguousarray(pairs.T),
        "iPa": np.ascontiguousarray(b.transpose(0, 2, 1)),
    }


OCC = [-1.0, -0.5]
VIR = [0.2, 0.4, 0.9]


def small_b():
    """nocc 2, nvir 3, naux 2; its energies are below."""
    i, a, p = np.ogrid[:2, :3, :2]
    return 0.1 * (1 + i + 2 * a) - 0.05 * p * (i + 1) * (a - 1)
