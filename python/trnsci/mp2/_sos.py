"""The function `sos_mp2_energy` and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core import _array, _costs, _records
from .._core._progress import Progress
from ._common import Input
from ._energy import Layout
from ._result import Energy

# Scaled opposite-spin MP2: Y. Jung, R. C. Lochan, A. D. Dutoi and M. Head-Gordon, J. Chem. Phys. 121, 9793 (2004).
_SOS_OPPOSITE = 1.3


@dataclass(frozen=True)
class SOSResult(Energy):
    """Energies of a scaled opposite-spin MP2 calculation, in hartree. ``float(result)`` is `e_corr`.

    A frozen dataclass; ``result.to_dict()`` has its fields as ``json.dumps`` takes them.

    Attributes
    ----------
    e_corr : float
        The scaled energy, ``c_os * e_corr_os``.
    e_corr_os : float
        The opposite-spin correlation energy.
    points : int
        Terms of the sum that stands for the denominators.
    points_single : int
        Those of them that were computed in float32, which is proven to be enough for them.
    quadrature_error : float
        A bound on the error of `e_corr_os` because of both, below the `tol` that was asked for; infinite where the
        energy overflows. Rounding in float64 is not in it.
    """

    e_corr: float
    e_corr_os: float
    points: int
    points_single: int
    quadrature_error: float


def sos_mp2_energy(
    B: Any,
    eps_occ: Any,
    eps_vir: Any,
    *,
    layout: Layout = "iaP",
    c_os: float = _SOS_OPPOSITE,
    tol: float = 1e-7,
    max_memory: float | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> SOSResult:
    r"""Scaled opposite-spin MP2 energy with O(N^4) operations.

    With :math:`x = \epsilon_a - \epsilon_i` and :math:`y = \epsilon_b - \epsilon_j` the denominators are sums of
    products, :math:`1/(x + y) \approx \sum_k f_k(x) f_k(y)`, so that no pair of orbitals has to be formed:

    .. math:: E_{os} = -\sum_{ijab} \frac{(ia|jb)^2}{x + y} \approx -\sum_k \sum_{PQ} X^k_{PQ} Y^k_{PQ}, \qquad
              X^k_{PQ} = \sum_{ia} f_k(x_{ia}) B_{iaP} B_{iaQ},

    where Y is X for a closed shell and that of beta for an open one. The energy is ``c_os`` times that.

    Parameters
    ----------
    B, eps_occ, eps_vir, layout, threads
        See `df_mp2_energy`. Pairs (alpha, beta) ask for the unrestricted energy.
    c_os : float, optional
        The factor of the opposite-spin energy, by default 1.3.
    tol : float, optional
        What the approximation of the denominators may cost in `e_corr_os`, in hartree. As many points are taken as are
        proven to be enough, and of the last ones, which add little, as many are computed in float32 as are proven to
        take less than an eighth of it.
    max_memory : float, optional
        Megabytes that blocks of B may take where they are copied, and matrices X that are summed up in one pass over B;
        by default 256.
    progress
        See `trnsci.linalg`; progress counts blocks of B, once for each point and once before.

    Returns
    -------
    SOSResult
        The energies in hartree; ``float(result)`` is the scaled one.

    Raises
    ------
    ValueError
        As in `df_mp2_energy`; for a `tol` that is not positive, or that more than a hundred points would not meet.
    UnsupportedError
        If :math:`\epsilon_a + \epsilon_b - \epsilon_i - \epsilon_j` is not positive for all orbitals; for complex
        integrals.
    TypeError, OSError, MemoryError
        As in `df_mp2_energy`.

    Notes
    -----
    Instead of a quadrature of the Laplace integral of 1/(x + y), which has to be fitted, its Cholesky factors are used:
    with points :math:`p_k` and :math:`r_k(x) = \prod_{j \le k} (x - p_j)/(x + p_j)`,

    .. math:: f_k(x) = \frac{\sqrt{2 p_k}}{x + p_k} r_{k-1}(x), \qquad
              \frac1{x+y} - \sum_{k \le n} f_k(x) f_k(y) = \frac{r_n(x)\, r_n(y)}{x + y}.

    The error is known exactly, and Zolotarev's points make the largest :math:`|r_n|` the smallest possible: its square
    falls like :math:`4 \exp(-\pi^2 n / \log(4 x_{max}/x_{min}))`. Seven points give seven digits where x_max is ten
    times x_min, and nine where it is forty times that. ``nocc * nvir * naux**2`` operations for each point. A sketch of
    the first matrix X on a few random vectors, always the same ones, says how large the energy is about. The result is
    the same, bit for bit, for any number of threads and any `max_memory`.

    References
    ----------
    Y. Jung, R. C. Lochan, A. D. Dutoi and M. Head-Gordon, J. Chem. Phys. 121, 9793 (2004). H. Koch and A. Sánchez de
    Merás, J. Chem. Phys. 113, 508 (2000). E. L. Wachspress, The ADI Model Problem (2013).

    Examples
    --------
    >>> import numpy as np
    >>> import trnsci
    >>> result = trnsci.sos_mp2_energy(np.sqrt([[[0.3]]]), [-0.5], [0.7], c_os=1.0)
    >>> round(float(result), 10), result.points
    (-0.0375, 1)
    """
    scale, tolerance = _array.number(c_os, "c_os"), _array.number(tol, "tol")
    if not np.isfinite(scale):
        raise ValueError(f"c_os: expected a finite number, got {c_os!r}")
    given = Input(B, eps_occ, eps_vir, layout, max_memory)
    sums = np.zeros(2)  # opposite spin, bound on the error
    points = np.zeros(2, np.int64)  # of the quadrature, and those of them in float32
    work = sum(float(s.nocc) * s.nvir * float(s.naux) ** 2 for s in given.spins) * _costs.SOS_MP2_POINTS
    given.run(_records.sosmp2, work, threads, progress, sums=sums, points=points, tolerance=tolerance)
    (opposite, error), (total, single) = sums.tolist(), points.tolist()
    return SOSResult(
        e_corr=scale * opposite, e_corr_os=opposite, points=total, points_single=single, quadrature_error=error
    )
