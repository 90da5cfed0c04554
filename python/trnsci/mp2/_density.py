"""The functions `mp2_rdm1` and `mp2_natural_orbitals`."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from .. import linalg
from .._core import _array, _records
from .._core._array import Array
from .._core._progress import Progress
from ._common import Doubles, Input, OneSpin, TwoSpins
from ._energy import Layout


@overload
def mp2_rdm1(
    B: Any, eps_occ: OneSpin, eps_vir: Any, *, layout: Layout = ..., max_memory: float | None = ...,
    threads: int | None = ..., progress: Progress = ...,
) -> Doubles: ...  # fmt: skip


@overload
def mp2_rdm1(
    B: Any, eps_occ: TwoSpins, eps_vir: Any, *, layout: Layout = ..., max_memory: float | None = ...,
    threads: int | None = ..., progress: Progress = ...,
) -> tuple[Doubles, Doubles]: ...  # fmt: skip


@overload
def mp2_rdm1(
    B: Any, eps_occ: Any, eps_vir: Any, *, layout: Layout = ..., max_memory: float | None = ...,
    threads: int | None = ..., progress: Progress = ...,
) -> Doubles | tuple[Doubles, Doubles]: ...  # fmt: skip


def mp2_rdm1(
    B: Any,
    eps_occ: Any,
    eps_vir: Any,
    *,
    layout: Layout = "iaP",
    max_memory: float | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Any:
    r"""Unrelaxed one-particle density matrix of MP2 in the basis of the orbitals.

    With the amplitudes t of `mp2_amplitudes` a closed shell has

    .. math:: \gamma_{ij} = 2 \delta_{ij} - 2 \sum_{mab} t_{imab} (2 t_{jmab} - t_{jmba}), \qquad
              \gamma_{ab} = 2 \sum_{ijc} t_{ijca} (2 t_{ijcb} - t_{ijbc})

    and alpha of an open shell

    .. math:: \gamma_{ij} = \delta_{ij} - \tfrac12 \sum_{mab} t_{imab} t_{jmab} - \sum_{\bar m a \bar b} t_{i \bar m a
    \bar b}
              t_{j \bar m a \bar b}, \qquad
              \gamma_{ab} = \tfrac12 \sum_{ijc} t_{ijca} t_{ijcb}
              + \sum_{i \bar j \bar c} t_{i \bar j a \bar c} t_{i \bar j b \bar c}

    with beta under the bars. Elements between occupied and virtual orbitals, which come from the relaxation of the
    orbitals, are zero. This is PySCF's `make_rdm1`.

    Parameters
    ----------
    B, eps_occ, eps_vir, layout, threads
        See `df_mp2_energy`. Pairs (alpha, beta) ask for the densities of an open shell. All is computed in float64.
    max_memory : float, optional
        Megabytes that blocks of B may take where they are copied, and amplitudes that are kept; by default 256.
    progress
        See `trnsci.linalg`; progress counts occupied orbitals, of an open shell those of four passes.

    Returns
    -------
    ndarray or tuple of two of them
        Symmetric, of shape (nocc + nvir, nocc + nvir): the occupied orbitals, then the virtual ones. The trace is the
        number of electrons in the given occupied orbitals. Of an open shell (alpha, beta).

    Raises
    ------
    ValueError, UnsupportedError, TypeError, OSError, MemoryError
        As in `df_mp2_energy`.

    Notes
    -----
    Amplitudes are computed for one block of orbitals i after the other; those of one i take ``2 * nocc * nvir**2``
    numbers. A closed shell takes ``2 * nocc**2 * nvir**2 * (naux + nvir + nocc)`` floating-point operations. Where half
    of `max_memory` holds the amplitudes, those of i, j serve j, i too, and those between alpha and beta both densities,
    which saves half of the part with naux. The result is the same, bit for bit, for any number of threads and any
    `max_memory`.

    Examples
    --------
    >>> import numpy as np
    >>> import trnsci
    >>> density = trnsci.mp2_rdm1(np.sqrt([[[0.3]]]), [-0.5], [0.7])
    >>> np.round(density, 10).tolist()
    [[1.96875, 0.0], [0.0, 0.03125]]
    """
    given = Input(B, eps_occ, eps_vir, layout, max_memory)
    sizes = [s.nocc + s.nvir for s in given.spins]
    densities = [_array.empty((n, n), np.dtype(np.float64), "the density") for n in sizes]
    work = 0.0
    for s in given.spins:
        work += 2.0 * s.nocc**2 * (float(s.nvir) ** 2 * (s.naux + s.nvir + s.nocc) + 1) * len(given.spins)
    beta = densities[1] if given.unrestricted else None
    given.run(_records.mp2_density, work, threads, progress, out=densities[0], out_beta=beta)
    return tuple(densities) if given.unrestricted else densities[0]


def mp2_natural_orbitals(rdm1: ArrayLike) -> tuple[Array, Array]:
    """Natural orbitals: the eigenvectors of a one-particle density matrix.

    Parameters
    ----------
    rdm1 : (n, n) array_like
        A symmetric or Hermitian density in an orthonormal basis, such as `mp2_rdm1` returns. That of an open shell is
        one of its two, or their sum where both spins have the same orbitals.

    Returns
    -------
    occupations : (n,) ndarray
        Occupation numbers, descending.
    orbitals : (n, n) ndarray
        The natural orbitals as columns, in the basis of `rdm1`; ``mo_coeff @ orbitals`` are those over basis functions.

    Raises
    ------
    ValueError, TypeError
        As in `trnsci.eigh`.

    Examples
    --------
    >>> import numpy as np
    >>> import trnsci
    >>> occupations, orbitals = trnsci.mp2_natural_orbitals(np.diag([0.25, 1.75]))
    >>> occupations.tolist(), np.abs(orbitals).tolist()
    ([1.75, 0.25], [[0.0, 1.0], [1.0, 0.0]])
    """
    array, _ = _array.check(rdm1, "rdm1")
    if array.ndim != 2:
        raise ValueError(f"rdm1: expected one matrix, got shape {array.shape}")
    _array.check_square(array, "rdm1")
    if not np.isfinite(array).all():
        raise ValueError("rdm1: contains infinities or NaNs")
    occupations, orbitals = linalg.eigh(array)
    return occupations[::-1].copy(), orbitals[:, ::-1].copy()
