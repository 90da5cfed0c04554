"""What densities are made of, for exchange matrices: orbitals that PySCF knows, or eigenvectors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import blas, linalg
from .._core._array import Array

# What orbitals make of a vector is so close to what their density does. Both come from one product in double precision.
_SAME_DENSITY = 1e-10
# Eigenvectors save work if there are at most this many for each basis function: K takes as much work for an eigenvector
# as for a column of the density, and the eigenvectors have to be computed.
_MOST_FOR_EACH_FUNCTION = 0.5


class Factored(NamedTuple):
    """Densities as `trnsci.df_jk` takes them."""

    density: Array
    coeff: Array | None = None
    occ: Array | None = None
    # Whether there are two densities for each, of which the second one is subtracted.
    is_difference: bool = False

    def joined(self, matrix: Array | None) -> Array | None:
        """Return the J or K of the densities from those of `density`."""
        if matrix is None or not self.is_difference:
            return matrix
        difference: Array = matrix[0] - matrix[1]
        return difference


def factored(dm: Any, density: Array, hermi: int, threads: int) -> Factored:
    """Return densities with what they are made of, if that makes K cheaper: tags of `dm`, or eigenvectors."""
    orbitals = _tagged(dm, density)
    if orbitals is not None:
        return Factored(density, *orbitals)
    if hermi != 1 or density.dtype.kind == "c" or density.size == 0:
        return Factored(density)
    return _by_eigenvectors(density, threads)


def _tagged(dm: Any, density: Array) -> tuple[Array, Array] | None:
    """Return the orbitals that the densities are made of and their occupations, where they are known.

    PySCF tags densities with them. Those of ROHF are one set for two densities, with occupations 0, 1 and 2. Tags that
    do not belong to the density, since that was changed after it was made, are passed over.
    """
    coeff, occ = getattr(dm, "mo_coeff", None), getattr(dm, "mo_occ", None)
    if coeff is None or occ is None:
        return None
    coeff, occ = np.asarray(coeff), np.asarray(occ, float)
    if coeff.ndim == 2 and density.ndim == 3 and len(density) == 2:
        coeff, occ = np.stack((coeff, coeff)), np.stack((occ > 0, occ == 2)).astype(float)
    fits = coeff.shape[:-1] == density.shape[:-1] and occ.shape == (*density.shape[:-2], coeff.shape[-1])
    if not fits or np.any(occ < 0) or not _make_density(coeff, occ, density):
        return None
    return coeff, occ


def _make_density(coeff: Array, occ: Array, density: Array) -> bool:
    """Report whether densities are ``C n C^H``, by what both make of one vector, which costs less than the product.

    The vector is random, so that no change of a density stays unseen; einsum wakes no threads.
    """
    vector = np.random.default_rng(0).uniform(0.5, 1.5, density.shape[-1])
    ours = np.einsum("...pi,...i->...p", coeff, occ * np.einsum("...pi,p->...i", coeff.conj(), vector))
    theirs = np.einsum("...pq,q->...p", density, vector)
    largest = np.einsum("...pq,q->...p", np.abs(density), vector).max(axis=-1, initial=0)
    # Each density is judged by its own elements, however much larger those of another one are.
    return bool(np.all(np.abs(ours - theirs).max(axis=-1, initial=0) <= _SAME_DENSITY * largest))


def _by_eigenvectors(density: Array, threads: int) -> Factored:
    """Return real symmetric densities as ``U w U^T`` with the few eigenvalues that are not zero to rounding.

    First densities of open shells, those of GHF and responses to a field have no tags, but their rank is that of some
    orbitals. Where there are negative eigenvalues, as in responses, ``D = D+ - D-``, both made of orbitals; J and K are
    linear.
    """
    density, nao = density.astype(float, copy=False), density.shape[-1]
    weights, vectors = linalg.eigh(density, threads=threads)
    size = np.abs(weights)
    weights = np.where(size > np.finfo(float).eps * nao * size.max(axis=-1, keepdims=True), weights, 0.0)
    rank = int(np.count_nonzero(weights, axis=-1).max())
    if rank > _MOST_FOR_EACH_FUNCTION * nao:
        return Factored(density)
    largest = np.argsort(-np.abs(weights), axis=-1)[..., :rank]
    weights = np.take_along_axis(weights, largest, axis=-1)
    vectors = np.take_along_axis(vectors, largest[..., np.newaxis, :], axis=-1)
    if np.all(weights >= 0):
        return Factored(density, vectors, weights)
    coeff, occ = np.stack((vectors, vectors)), np.stack((np.maximum(weights, 0), np.maximum(-weights, 0)))
    parts = blas.gemm(1, coeff * occ[..., np.newaxis, :], coeff, transB=True, threads=threads)
    return Factored(parts, coeff, occ, is_difference=True)
