"""The function `df_gmp2_energy` and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import _costs, _records
from .._core._progress import Progress
from ._common import Input
from ._energy import Layout
from ._input import is_pair
from ._result import Energy


@dataclass(frozen=True)
class GMP2Result(Energy):
    """The energy of a DF-MP2 calculation with spin orbitals, in hartree. ``float(result)`` is `e_corr`.

    A frozen dataclass; ``result.to_dict()`` has its fields as ``json.dumps`` takes them.

    Attributes
    ----------
    e_corr : float
        The correlation energy.
    error_bound : float
        A bound on its rounding error, for the integrals and orbital energies as given.
    """

    e_corr: float
    error_bound: float


def df_gmp2_energy(
    B: Any,
    eps_occ: Any,
    eps_vir: Any,
    *,
    layout: Layout = "iaP",
    check_finite: bool = True,
    max_memory: float | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> GMP2Result:
    r"""DF-MP2 correlation energy of spin orbitals, or two-component spinors, with real or complex integrals.

    With :math:`K^{ij}_{ab} = (ia|jb) = \sum_P B_{iaP} B_{jbP}`, without a conjugate, and
    :math:`D^{ij}_{ab} = \epsilon_i + \epsilon_j - \epsilon_a - \epsilon_b`,

    .. math:: E = \tfrac14 \sum_{ijab} |K^{ij}_{ab} - K^{ij}_{ba}|^2 / D^{ij}_{ab}.

    Parameters
    ----------
    B : array_like, path, HDF5 dataset or callable
        :math:`B_{iaP} = \sum_\sigma \int \phi_{i\sigma}^* \phi_{a\sigma} (\ldots)_P`, the integrals (ia|P) summed over
        the components of the spinors, fitted as B there, real or complex, from where `df_mp2_energy` takes them.
    eps_occ, eps_vir, layout, check_finite, max_memory, threads, progress
        See `df_mp2_energy`; the energies are of spin orbitals.

    Returns
    -------
    GMP2Result
        The energy in hartree; ``float(result)`` is it.

    Raises
    ------
    ValueError, UnsupportedError, TypeError, OSError, MemoryError
        As in `df_mp2_energy`, but complex integrals are taken.

    Notes
    -----
    This is PySCF's DFGMP2. Products are in B's dtype, sums and the energy in float64. One product for each pair i > j:
    ``nocc**2 * nvir**2 * naux`` floating-point operations with real and four times as many with complex integrals. The
    result is the same, bit for bit, for any number of threads.

    Examples
    --------
    Two occupied and two virtual spin orbitals with (00|11) = 0.3i: the energy is -0.3**2 / 2.4, D being -2.4.

    >>> import numpy as np
    >>> import trnsci
    >>> b = np.zeros((2, 2, 1), complex)
    >>> b[0, 0], b[1, 1] = 0.3, 1j
    >>> round(trnsci.df_gmp2_energy(b, [-0.5, -0.5], [0.7, 0.7]).e_corr, 10)
    -0.0375
    """
    if is_pair(eps_occ):
        raise ValueError("eps_occ: spin orbitals are one set, not a pair (alpha, beta)")
    given = Input(B, eps_occ, eps_vir, layout, max_memory, complex_too=True)
    sums = np.zeros(2)  # energy, error bound
    factor = _costs.COMPLEX_FACTOR if given.alpha.b.dtype.kind == "c" else 1
    given.run(_records.gmp2, factor * given.alpha.work(), threads, progress, sums=sums, check_finite=bool(check_finite))
    energy, bound = sums.tolist()
    return GMP2Result(e_corr=energy, error_bound=bound)
