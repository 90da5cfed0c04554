"""The function `df_mp2_energy` and its result."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, overload

import numpy as np

from .._core import _array, _device, _names, _native, _records, _threads
from .._core._array import Array
from .._core._errors import UnsupportedError
from .._core._files import check_outputs, output_path
from .._core._progress import Progress
from .._core._source import block_bytes
from ._input import Arguments, read_spins, same_dtype
from ._integrals import Spin
from ._plan import MP2Plan, plan_on_device, plan_on_host
from ._plot import plot_pairs
from ._result import Energy

Layout: TypeAlias = Literal["iaP", "(ia)P", "P(ia)", "iPa"]
Path: TypeAlias = str | bytes | os.PathLike[Any]
Precision: TypeAlias = Literal["fp64", "mixed", "fp32", "bf16", "bf16x2", "bf16x3"]

# Spin-component scaling: S. Grimme, J. Chem. Phys. 118, 9095 (2003).
_SCS_OPPOSITE = 6 / 5
_SCS_SAME = 1 / 3

_PRECISIONS = (None, *_names.HOST_PRECISIONS)


@dataclass(frozen=True)
class MP2Result(Energy):
    """Energies of a DF-MP2 calculation, in hartree. ``float(result)`` is `e_corr`.

    A frozen dataclass; ``result.to_dict()`` has its fields as ``json.dumps`` takes them.

    Attributes
    ----------
    e_corr : float
        The correlation energy, ``e_corr_os + e_corr_ss``.
    e_corr_ss, e_corr_os : float
        Its same-spin and opposite-spin parts.
    e_scs : float
        The spin-component scaled energy, ``6/5 e_corr_os + 1/3 e_corr_ss``.
    pair_energies : ndarray or tuple of ndarray or None
        If asked for: restricted, the symmetric (nocc, nocc) array whose elements add up to `e_corr`; unrestricted, the
        tuple of arrays (alpha-alpha, beta-beta, alpha-beta), whose elements all together add up to `e_corr`.
    error_bound : float
        A bound on the rounding error of `e_corr`, for the integrals and orbital energies as given.
    recomputed : int
        Pairs of occupied orbitals that were computed again in float64 for `etol`.
    """

    e_corr: float
    e_corr_ss: float
    e_corr_os: float
    e_scs: float
    pair_energies: Any = field(repr=False, compare=False)
    error_bound: float
    recomputed: int = 0

    def scaled(self, c_os: float, c_ss: float) -> float:
        """Return the spin-component scaled energy ``c_os * e_corr_os + c_ss * e_corr_ss`` in hartree.

        ``scaled(6/5, 1/3)`` is `e_scs`, ``scaled(1.3, 0)`` scaled opposite-spin MP2.
        """
        return c_os * self.e_corr_os + c_ss * self.e_corr_ss

    def plot_pairs(
        self, *, spin: Literal["alpha-alpha", "beta-beta", "alpha-beta"] | None = None, first: int = 0, ax: Any = None
    ) -> Any:
        """Draw the pair energies as a heat map, one cell for each pair of occupied orbitals.

        Parameters
        ----------
        spin : {'alpha-alpha', 'beta-beta', 'alpha-beta'}, optional
            Of two spins the one panel to draw, by default all three side by side. Rows count orbitals of the first
            spin.
        first : int, optional
            The number of the first correlated orbital, for the labels: the number of frozen ones, counted from 0.
        ax : matplotlib Axes, or a sequence of three of them, optional
            Where to draw, by default in a new figure.

        Returns
        -------
        Axes, or tuple of three of them
            Those that were drawn into; ``ax.figure.savefig("pairs.png")`` writes a file.

        Raises
        ------
        ValueError
            If the result has no pair energies or no pairs, and for a `spin` or `ax` that does not fit it.
        TypeError
            For a `first` that is no integer.
        ImportError
            Without matplotlib, which is the extra ``plot`` of this package.

        Notes
        -----
        Energies are in millihartree, the elements of `pair_energies` as they are: in a closed shell and within one spin
        the two cells i, j and j, i share the energy of that pair, and the energy of a pair is their sum.
        """
        return plot_pairs(self.pair_energies, spin, first, ax)

    def __str__(self) -> str:
        lines = [
            f"DF-MP2 correlation energy  {self.e_corr:18.12f} hartree",
            f"  opposite spin            {self.e_corr_os:18.12f}",
            f"  same spin                {self.e_corr_ss:18.12f}",
            f"  spin-component scaled    {self.e_scs:18.12f}",
            f"  error bound              {self.error_bound:18.1e}",
        ]
        if self.recomputed:
            lines.append(f"  pairs computed again     {self.recomputed:18d}")
        return "\n".join(lines)


@overload
def df_mp2_energy(
    B: Any, eps_occ: Any, eps_vir: Any, *, layout: Layout = ..., precision: Precision | None = ...,
    pair_energies: bool = ...,
    check_finite: bool = ..., max_memory: float | None = ..., etol: float | None = ..., threads: int | None = ...,
    progress: Progress = ..., device: str | _device.Device | None = ..., checkpoint: Path | None = ...,
    plan: Literal[False] = ...,
) -> MP2Result: ...  # fmt: skip


@overload
def df_mp2_energy(
    B: Any, eps_occ: Any, eps_vir: Any, *, layout: Layout = ..., precision: Precision | None = ...,
    pair_energies: bool = ...,
    check_finite: bool = ..., max_memory: float | None = ..., etol: float | None = ..., threads: int | None = ...,
    progress: Progress = ..., device: None = ..., checkpoint: Path | None = ..., plan: Literal[True],
) -> MP2Plan: ...  # fmt: skip


@overload
def df_mp2_energy(
    B: Any, eps_occ: Any, eps_vir: Any, *, layout: Layout = ..., precision: Precision | None = ...,
    pair_energies: bool = ...,
    check_finite: bool = ..., max_memory: float | None = ..., etol: float | None = ..., threads: int | None = ...,
    progress: Progress = ..., device: str | _device.Device, checkpoint: Path | None = ..., plan: Literal[True],
) -> MP2Plan | _device.DevicePlan: ...  # fmt: skip


@overload
def df_mp2_energy(
    B: Any, eps_occ: Any, eps_vir: Any, *, layout: Layout = ..., precision: Precision | None = ...,
    pair_energies: bool = ...,
    check_finite: bool = ..., max_memory: float | None = ..., etol: float | None = ..., threads: int | None = ...,
    progress: Progress = ..., device: str | _device.Device | None = ..., checkpoint: Path | None = ..., plan: bool,
) -> MP2Result | MP2Plan | _device.DevicePlan: ...  # fmt: skip


def df_mp2_energy(
    B: Any,
    eps_occ: Any,
    eps_vir: Any,
    *,
    layout: Layout = "iaP",
    precision: Precision | None = None,
    pair_energies: bool = False,
    check_finite: bool = True,
    max_memory: float | None = None,
    etol: float | None = None,
    threads: int | None = None,
    progress: Progress = None,
    device: str | _device.Device | None = None,
    checkpoint: Path | None = None,
    plan: bool = False,
) -> MP2Result | MP2Plan | _device.DevicePlan:
    r"""DF-MP2 correlation energy from three-index integrals.

    With :math:`K^{ij}_{ab} = \sum_P B_{iaP} B_{jbP}` and
    :math:`D^{ij}_{ab} = \epsilon_i + \epsilon_j - \epsilon_a - \epsilon_b`, the restricted energy is

    .. math:: E_{os} = \sum_{ijab} (K^{ij}_{ab})^2 / D^{ij}_{ab}, \qquad
              E_{ss} = \sum_{ijab} K^{ij}_{ab} (K^{ij}_{ab} - K^{ij}_{ba}) / D^{ij}_{ab},

    and the unrestricted one has :math:`E_{ss} = \tfrac12 \sum_{ijab} K (K - K^T) / D` for each spin and
    :math:`E_{os}` over alpha i, a and beta j, b.

    Parameters
    ----------
    B : array_like, path, HDF5 dataset or callable, or a tuple or list of two of them
        Real fitted (RI) integrals, :math:`B_{iaP} = \sum_Q (ia|Q) [J^{-1/2}]_{QP}` with the Coulomb metric
        :math:`J_{PQ} = (P|Q)` of the auxiliary functions: :math:`(ia|jb) \approx \sum_P B_{iaP} B_{jbP}`. Or the path
        of a ``.npy`` file, or a dataset of h5py, that holds them; or a function that returns those of occupied orbitals
        ``first <= i < end`` for ``B(first, end)``, an array of shape (end - first, nvir, naux) whatever `layout` is.
        All but arrays are read in blocks, never whole, and ahead of time where `max_memory` suffices.
    eps_occ, eps_vir : (nocc,), (nvir,) array_like, or tuples or lists of two of them
        Energies of the correlated occupied and virtual orbitals, in hartree. They set nocc and nvir. Pairs (alpha,
        beta), of B too, ask for the unrestricted energy; both spins have the same naux, unless one has no orbitals.
    layout : {'iaP', '(ia)P', 'P(ia)', 'iPa'}, optional
        The shape of B: (nocc, nvir, naux), (nocc*nvir, naux), (naux, nocc*nvir) or (nocc, naux, nvir). Any strides are
        used as they are.
    precision : {None, 'fp64', 'mixed', 'fp32', 'bf16', 'bf16x2', 'bf16x3'}, optional
        Products in B's dtype (None), in float64, or in float32 ('mixed'). Sums and energies are float64 always. On a
        device it is one of ``'fp32'``, ``'fp64'``, ``'bf16'``, ``'bf16x2'``, ``'bf16x3'`` and is for all that the
        device computes, the energies of pairs; see `trnsci.blas.gemm`. Integrals of double precision need it there.
    pair_energies : bool, optional
        Return the energy of each pair of occupied orbitals too; `MP2Result.plot_pairs` draws them.
    check_finite : bool, optional
        Refuse infinities and NaNs in B. When False they give a NaN energy; devices refuse them always.
    max_memory : float, optional
        Megabytes that blocks of B may take where it cannot be multiplied in place, by default 256: B in a file, an
        array whose strides no product accepts, such as one in Fortran order, and 'mixed' with float64. On a device:
        megabytes that blocks and products may take there, by default what the device has.
    etol : float, optional
        What `error_bound` may be with ``precision='mixed'``, in hartree. Where it would be more, the pairs with the
        largest bounds are computed again in float64, as few as suffice; all of them if that is not enough.
    threads, progress
        See `trnsci.linalg`; progress counts pairs of occupied orbitals.
    device : str or Device, optional
        Where to run; see `trnsci.devices`. What happened there is in `trnsci.last_report`. B goes to the device in
        blocks of occupied orbitals, as many as its memory or `max_memory` takes; the host holds one more block while it
        is sent.
    checkpoint : path-like, optional
        A file that keeps what finished pairs add while the call runs. If the call is killed or fails, the same call
        with the same file computes the other pairs only, to the same bits; `progress` then counts those. The file is
        removed when the call succeeds. It is for one job: sizes, dtypes, spins, energies, `precision`, `etol`,
        `check_finite` and the kernels of the machine have to be what they were, while `threads` and `max_memory` may
        change. Of B each orbital that is read again is compared by a checksum; those that no remaining pair needs are
        not read. Host only. A `plan` is that of the whole job, whatever the file holds.
    plan : bool, optional
        Compute nothing, on a device compile nothing, and return what the call would do. Only the shapes of B and of the
        energies and the dtype of B count, so that ``np.broadcast_to(np.float32(0), (nocc, nvir, naux))`` may stand for
        an array in C order. Of a function one orbital is asked for, of a file the header is read.

    Returns
    -------
    MP2Result, MP2Plan or DevicePlan
        The energies in hartree; ``float(result)`` is the correlation energy. With `plan` a `trnsci.MP2Plan`, or on a
        device a `trnsci.DevicePlan`.

    Raises
    ------
    ValueError
        If shapes do not fit, an energy is not finite, or a denominator :math:`D` is zero, with the orbitals. For an
        infinity or NaN in B, with the orbital. For a file that is truncated, changed while it is read or no ``.npy``
        file, and for a `max_memory` that holds no block, with the least that works. For a `checkpoint` of another job,
        with what differs, one that is damaged or in use, the file of B or of the energies, and other files, which stay
        as they are.
    UnsupportedError
        For complex integrals (see `df_gmp2_energy`), integrals of double precision on a device without `precision`,
        a precision that the device lacks, and where it does not hold two blocks of one orbital.
    TypeError
        For a dtype that is not supported.
    OSError
        If a file cannot be opened, or the checkpoint cannot be written; it then keeps what it had. PermissionError for
        a checkpoint that is write-protected.
    MemoryError
        If the workspace does not fit.

    Notes
    -----
    One matrix product for each pair :math:`i \ge j`, ``nocc**2 * nvir**2 * naux`` floating-point operations in all. The
    memory in addition to B is one matrix of nvir by nvir for each thread, and the blocks that `max_memory` limits. The
    result is the same, bit for bit, for any number of threads.

    References
    ----------
    F. Weigend and M. Häser, Theor. Chem. Acc. 97, 331 (1997). S. Grimme, J. Chem. Phys. 118, 9095 (2003).

    Examples
    --------
    One occupied and one virtual orbital with the single integral 0.3; the energy is 0.3**2 / (2 * -0.5 - 2 * 0.7):

    >>> import numpy as np
    >>> import trnsci
    >>> result = trnsci.df_mp2_energy(np.sqrt([[[0.3]]]), [-0.5], [0.7])
    >>> round(float(result), 10), result.e_corr_ss
    (-0.0375, 0.0)

    How much work a larger molecule would be:

    >>> b = np.broadcast_to(np.float32(0), (16, 112, 384))
    >>> plan = trnsci.df_mp2_energy(b, np.zeros(16), np.ones(112), precision="fp64", plan=True)
    >>> plan.blocks, plan.bytes_read, plan.flops
    ('all orbitals at once', 2752512, 1310195712.0)
    >>> plan = trnsci.df_mp2_energy(b, np.zeros(16), np.ones(112), device="interp", plan=True)
    >>> plan.graphs, plan.dispatches
    (1, 1)
    """
    on = resolve(device, precision)
    keep = _checkpoint(checkpoint, on)
    check_outputs({"checkpoint": keep}, {"B": B, "eps_occ": eps_occ, "eps_vir": eps_vir})
    spins = read_spins(B, eps_occ, eps_vir, layout)
    limit = 0 if max_memory is None and on is not None else block_bytes(max_memory)
    tolerance = _tolerance(etol, precision)
    if plan:
        if on is not None:
            return plan_on_device(spins, layout, precision, limit, on)
        return plan_on_host(spins, layout, precision, limit, tolerance, keep or "", check_finite, threads)
    same_dtype(spins)
    return _energy(
        spins, layout, precision, pair_energies, check_finite, limit, tolerance, threads, progress, keep or "", on
    )


def resolve(device: str | _device.Device | None, precision: str | None) -> _device.Device | None:
    """Return the device that `df_mp2_energy` runs on, None for the host.

    Raises
    ------
    UnsupportedError, DeviceError
        For a device that this version cannot run on, or that cannot be opened.
    ValueError
        For an unknown device name, or an unknown precision there.
    """
    on = _device.resolve(device)
    if on is not None:
        _device.check_precision(precision, on)
    elif not isinstance(precision, (str, type(None))) or precision not in _PRECISIONS:
        if isinstance(precision, str) and precision in _names.DEVICE_PRECISIONS:
            raise ValueError(f"precision: {precision!r} is for devices; the host has None, 'fp64' and 'mixed'")
        raise ValueError(f"precision: {precision!r} is not one of {', '.join(map(repr, _PRECISIONS))}")
    return on


def _tolerance(etol: float | None, precision: str | None) -> float:
    """Return the tolerance as the library takes it, 0 for none."""
    if etol is None:
        return 0.0
    if precision != "mixed":
        raise ValueError(f"etol: is for precision='mixed', got precision={precision!r}")
    try:
        tolerance = float(etol)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"etol: expected a number of hartree, got {etol!r}") from None
    if not 0 < tolerance < np.inf:
        raise ValueError(f"etol: expected a positive number of hartree, got {etol!r}")
    return tolerance


def _checkpoint(path: Path | None, on: _device.Device | None) -> str | None:
    """Return the whole path of the checkpoint."""
    if path is None:
        return None
    whole = output_path(path, "checkpoint")
    if on is not None:
        raise UnsupportedError(f"checkpoint: is for the host; {on.name!r} keeps none")
    return whole


def _energy(
    spins: list[Spin],
    layout: str,
    precision: str | None,
    pair_energies: bool,
    check_finite: bool,
    max_bytes: int,
    tolerance: float,
    threads: int | None,
    progress: Progress,
    checkpoint: str,
    on: _device.Device | None,
) -> MP2Result:
    alpha, beta = spins[0], spins[-1]
    unrestricted = len(spins) == 2
    sums = np.zeros(3)  # opposite spin, same spin, error bound
    recomputed = np.zeros(1, np.int64)
    pairs: list[Array] = []
    if pair_energies:
        shapes = [(alpha.nocc, alpha.nocc)]
        if unrestricted:
            shapes += [(beta.nocc, beta.nocc), (alpha.nocc, beta.nocc)]
        pairs = [_array.empty(shape, np.dtype(np.float64), "the pair energies") for shape in shapes]
    named: dict[str, Any] = dict(zip(("pairs", "pairs_beta", "pairs_mixed"), pairs, strict=False))
    given = Arguments(spins, layout)
    made = _records.mp2(
        "MP2", threads=_threads.resolve(threads), **given.fields, sums=sums, recomputed=recomputed, **named,
        check_finite=bool(check_finite), max_bytes=max_bytes, tolerance=tolerance, precision=precision or "",
        device=on.number if on is not None else 0, checkpoint=checkpoint,
    )  # fmt: skip
    work = sum(s.work() for s in spins)
    report = _native.run(made, work, progress, always_job=on is not None, answer=given.answer)
    if on is not None:
        _device.keep_report(report)
    opposite, same, bound = sums.tolist()
    return MP2Result(
        e_corr=opposite + same,
        e_corr_ss=same,
        e_corr_os=opposite,
        e_scs=_SCS_OPPOSITE * opposite + _SCS_SAME * same,
        pair_energies=(tuple(pairs) if unrestricted else pairs[0]) if pair_energies else None,
        error_bound=bound,
        recomputed=int(recomputed[0]),
    )
