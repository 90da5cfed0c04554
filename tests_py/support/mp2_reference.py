"""MP2 energies by definition, as plain sums over four indices, and bounds of the rounding errors of such sums."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

Array: TypeAlias = "np.ndarray[Any, Any]"

# Roundings of a term that are not those of its product: differences, squares, the denominator, the quotient, and what
# its additions come to. They are counted for both sides of a comparison.
_OTHER_ROUNDINGS = 24


class Orbitals(NamedTuple):
    """Integrals B[i,a,P] and orbital energies of one spin, or of spin orbitals."""

    b: Array
    occ: Array
    vir: Array


class Sum(NamedTuple):
    """A sum of terms K K / D, and the same of their moduli with sum_P |B| |B| in the place of K."""

    value: float
    moduli: float

    def __add__(self, other: Any) -> Sum:
        return Sum(self.value + other.value, self.moduli + other.moduli)

    def __mul__(self, factor: Any) -> Sum:
        return Sum(factor * self.value, abs(factor) * self.moduli)


def _products(left: Orbitals, right: Orbitals) -> tuple[Array, Array, Array]:
    """Return (ia|jb) in the order ijab, sum_P |B_iaP| |B_jbP|, and the denominators."""
    wide = [np.asarray(x.b, np.result_type(x.b, np.float64)) for x in (left, right)]
    k, moduli = (np.einsum("iap,jbp->ijab", *pair) for pair in (wide, [np.abs(b) for b in wide]))
    d = left.occ[:, None, None, None] + right.occ[:, None, None] - left.vir[:, None] - right.vir
    return k, moduli, d


def opposite_spin(left: Orbitals, right: Orbitals) -> Sum:
    """Return sum_ijab K_ab^2 / D."""
    k, moduli, d = _products(left, right)
    return Sum((k * k / d).sum(), (moduli**2 / abs(d)).sum())


def same_spin(x: Orbitals) -> Sum:
    """Return 1/4 sum_ijab |K_ab - K_ba|^2 / D, which is the energy of spin orbitals."""
    k, moduli, d = _products(x, x)
    antisymmetric, both = k - k.swapaxes(2, 3), moduli + moduli.swapaxes(2, 3)
    return Sum((np.abs(antisymmetric) ** 2 / d).sum() / 4, (both**2 / abs(d)).sum() / 4)


def rounding(naux: int, dtype: Any) -> float:
    """Return what two computations of a `Sum` may differ by, relative to its moduli, if products are in `dtype`.

    A K of n products is off by n eps/2 of its moduli, and as it is squared the energy by n eps, which two sides double.
    Real and imaginary parts have 2n products, and together they are off by sqrt(2) times as much: N. J. Higham,
    Accuracy and Stability of Numerical Algorithms, chapter 3. Denominators must not cancel: occupied energies are
    negative, virtual ones positive.
    """
    dtype = np.dtype(dtype)
    factor = 2 * np.sqrt(2) if dtype.kind == "c" else 1
    return float((2 * factor * naux + _OTHER_ROUNDINGS) * np.finfo(dtype).eps)


def random_orbitals(
    rng: np.random.Generator, nocc: int, nvir: int, naux: int, dtype: Any = np.float64, spread: float = 0.0
) -> Orbitals:
    """Return integrals of a dtype, times exp(spread g) with a normal g for each, and energies with a gap."""
    b = rng.standard_normal((nocc, nvir, naux)) / np.sqrt(max(1, naux))
    if np.dtype(dtype).kind == "c":
        b = b + 1j * rng.standard_normal(b.shape) / np.sqrt(max(1, naux))
    b = b * np.exp(spread * rng.standard_normal(b.shape))
    return Orbitals(b.astype(dtype), -0.3 - 2 * rng.random(nocc), 0.1 + 3 * rng.random(nvir))


def random_layout(rng: np.random.Generator, b: Array, layout: str = "") -> tuple[Array, str]:
    """Return the same B in some layout, if none is named, and in some order in memory."""
    nocc, nvir, naux = b.shape
    pairs = b.reshape(nocc * nvir, naux)
    forms = {"iaP": b, "(ia)P": pairs, "P(ia)": pairs.T, "iPa": b.transpose(0, 2, 1)}
    layout = layout or str(rng.choice(list(forms)))
    form = forms[layout]
    kind = rng.integers(4)
    if kind == 2:  # with gaps
        return np.repeat(form, 2, axis=-1)[..., ::2], layout
    if kind == 3:  # backwards in memory
        turned = (slice(None, None, -1),) * form.ndim
        return np.ascontiguousarray(form[turned])[turned], layout
    return np.asarray(form, order="CF"[kind]).copy(order="K"), layout
