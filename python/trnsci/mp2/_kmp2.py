"""The function `df_kmp2_energy` and its result."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _native, _records, _threads
from .._core._array import Array
from .._core._progress import Progress
from .._core._source import block_bytes, checked_naux, is_dataset, nothing
from ._result import Energy

# The energies of orbitals that stand in where k-points have fewer than others, in hartree: PySCF's for those that it
# drops. Their integrals are zero, so that they add nothing whatever D is.
_PADDING = 1e30


@dataclass(frozen=True)
class KMP2Result(Energy):
    """Energies of a DF-MP2 calculation of a crystal, in hartree for each cell. ``float(result)`` is `e_corr`.

    A frozen dataclass; ``result.to_dict()`` has its fields as ``json.dumps`` takes them.

    Attributes
    ----------
    e_corr : float
        The correlation energy, ``e_corr_os + e_corr_ss``.
    e_corr_ss, e_corr_os : float
        Its same-spin and opposite-spin parts.
    error_bound : float
        A bound on the rounding error of `e_corr`, for the integrals and orbital energies as given.
    """

    e_corr: float
    e_corr_ss: float
    e_corr_os: float
    error_bound: float


def df_kmp2_energy(
    B: Any,
    eps_occ: Any,
    eps_vir: Any,
    kconserv: ArrayLike,
    *,
    naux: int | None = None,
    check_finite: bool = True,
    max_memory: float | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> KMP2Result:
    r"""DF-MP2 correlation energy of a crystal with a closed shell, for each cell.

    Orbitals i, a, j are at the k-points :math:`k_i, k_a, k_j` and b at :math:`k_b`, which conserves the momentum. With
    nk k-points, :math:`(ia|jb) = \frac1{n_k} \sum_P B^{k_i k_a}_{iaP} B^{k_j k_b}_{jbP}`, without a conjugate, and
    :math:`D = \epsilon_{i k_i} + \epsilon_{j k_j} - \epsilon_{a k_a} - \epsilon_{b k_b}`,

    .. math:: E_{os} = \frac1{n_k} \sum_{k_i k_j k_a} \sum_{ijab} |(ia|jb)|^2 / D, \qquad
              E_{ss} = \frac1{n_k} \sum_{k_i k_j k_a} \sum_{ijab} (ia|jb)^* [(ia|jb) - (ib|ja)] / D,

    where (ib|ja) is made of :math:`B^{k_i k_b}` and :math:`B^{k_j k_a}`.

    Parameters
    ----------
    B : array_like, nested sequence, HDF5 dataset or callable
        Complex fitted integrals, :math:`B_{iaP} = \sum_Q (i k_i, a k_a|Q) [J^{-1/2}]_{QP}` with the Coulomb integrals J
        of the auxiliary functions: ``B[ki][ka]`` of shape (nocc, nvir, naux) for all pairs of k-points, an array of
        shape (nk, nk, nocc, nvir, naux), an h5py dataset of this shape, or a function that returns them for ``B(ki,
        ka)``. Of the latter two no more is in memory than `max_memory` says. A pair may have fewer auxiliary functions
        than others; the missing ones count as zeros. Arrays of any strides are used in place, real ones after a
        conversion.
    eps_occ, eps_vir : (nk, nocc), (nk, nvir) array_like, or sequences of nk one-dimensional ones
        Energies of the occupied and virtual orbitals of each k-point, in hartree. Where k-points have different numbers
        of orbitals, pass a list of arrays: ``B[ki][ka]`` then has the shape (len(eps_occ[ki]), len(eps_vir[ka]), naux).
        Zero rows of B with energies of 1e30 hartree, as PySCF has for orbitals that it drops, give the same.
    kconserv : (nk, nk, nk) array_like of int
        The number of :math:`k_b` at ``kconserv[ki, ka, kj]``, so that :math:`k_i - k_a + k_j - k_b` is a vector of the
        reciprocal lattice: ``pyscf.pbc.lib.kpts_helper.get_kconserv(cell, kpts)``.
    naux : int, optional
        For functions: the most auxiliary functions of any pair, by default those of ``B(0, 0)``.
    check_finite : bool, optional
        Refuse infinities and NaNs in B. When False they give a NaN energy.
    max_memory : float, optional
        Megabytes that blocks of B may take where they are copied, by default 256.
    threads, progress
        See `trnsci.linalg`; progress counts parts of pairs of k-points.

    Returns
    -------
    KMP2Result
        The energies in hartree for each cell; ``float(result)`` is the correlation energy.

    Raises
    ------
    ValueError
        If shapes do not fit, an energy is not finite, a denominator D is zero, or `kconserv` cannot be a conservation
        of momentum; for an infinity or NaN in B, with the orbital and the k-points; for a `max_memory` that does not
        hold the four blocks that one product and its exchange take, with the least that works.
    TypeError
        For a dtype that is not supported.
    MemoryError
        If the workspace does not fit.

    Notes
    -----
    This is PySCF's KMP2 with Gaussian density fitting. ``4 * nk**3 * nocc**2 * nvir**2 * naux`` floating-point
    operations; the memory in addition to B is two matrices of nvir by nvir, or of some more pairs of orbitals, for each
    thread. Products are in B's dtype, sums and energies in float64. The result is the same, bit for bit, for any number
    of threads and any `max_memory`. Where k-points have different numbers of orbitals, nocc and nvir are the largest
    ones, and blocks with fewer are copied to this size, with zeros.

    Where not all of B fits, the blocks of as many k_i as `max_memory` holds, less one, stay while those of all k_j are
    read past them.

    Examples
    --------
    One k-point, one occupied and one virtual orbital with the integral 0.3; the energy is 0.3**2 / (2 * -0.5 - 2 *
    0.7):

    >>> import numpy as np
    >>> import trnsci
    >>> b = np.full((1, 1, 1, 1, 1), np.sqrt(0.3) + 0j)
    >>> round(float(trnsci.df_kmp2_energy(b, [[-0.5]], [[0.7]], [[[0]]])), 10)
    -0.0375
    """
    rows_occ, rows_vir = _energies(eps_occ, "eps_occ"), _energies(eps_vir, "eps_vir")
    nk = len(rows_occ)
    if nk == 0 or len(rows_vir) != nk:
        raise ValueError(f"eps_occ: expected one or more k-points, as many as in eps_vir, got {nk} and {len(rows_vir)}")
    conserve = _kconserv(kconserv, nk)
    given = _Blocks(B, [e.size for e in rows_occ], [e.size for e in rows_vir], naux)
    occ, vir = _rectangular(rows_occ, -_PADDING), _rectangular(rows_vir, _PADDING)
    limit = block_bytes(max_memory)
    sums = np.zeros(3)  # opposite spin, same spin, error bound
    per_pair = _costs.COMPLEX_FACTOR * float(vir.shape[1]) ** 2 * given.arrays[0].shape[2] + _costs.KMP2_PAIR
    made = _records.kmp2(
        threads=_threads.resolve(threads), b=given.arrays, occ=occ, vir=vir, conserve=conserve.reshape(-1), sums=sums,
        requests=given.read is not None, check_finite=bool(check_finite), max_bytes=limit,
    )  # fmt: skip
    work = float(nk) ** 3 * float(occ.shape[1]) ** 2 * per_pair
    _native.run(made, work, progress, answer=None if given.read is None else given.answer)
    opposite, same, bound = sums.tolist()
    return KMP2Result(e_corr=opposite + same, e_corr_ss=same, e_corr_os=opposite, error_bound=bound)


def _energies(eps: Any, name: str) -> list[Array]:
    """Return the energies of each k-point."""
    if not isinstance(eps, (list, tuple)) and not _is_ragged_array(eps):
        array, _ = _array.check(eps, name)
        if array.ndim != 2:
            raise ValueError(f"{name}: expected energies for each k-point, two dimensions, got shape {array.shape}")
        return [_row(row, name) for row in array]
    return [_row(row, f"{name}[{k}]") for k, row in enumerate(eps)]


def _is_ragged_array(eps: Any) -> bool:
    """Whether `eps` is an array of arrays, as NumPy makes one of rows with different lengths."""
    return isinstance(eps, np.ndarray) and eps.dtype == object and eps.ndim == 1


def _row(eps: Any, name: str) -> Array:
    array, _ = _array.check(eps, name)
    if array.ndim != 1:
        raise ValueError(f"{name}: expected the energies of a k-point, one dimension, got shape {array.shape}")
    if array.dtype.kind == "c":
        raise TypeError(f"{name}: orbital energies are real, got dtype {array.dtype}")
    return np.ascontiguousarray(array, np.float64)


def _rectangular(rows: list[Array], padding: float) -> Array:
    """Return rows as one array, with `padding` for what the shorter ones lack."""
    out = np.full((len(rows), max(row.size for row in rows)), padding)
    for k, row in enumerate(rows):
        out[k, : row.size] = row
    return out


def _kconserv(kconserv: ArrayLike, nk: int) -> Array:
    array = _array.integers(kconserv, "kconserv")
    if array.shape != (nk, nk, nk):
        raise ValueError(f"kconserv: expected shape (nk, nk, nk) = ({nk}, {nk}, {nk}), got {array.shape}")
    return np.ascontiguousarray(array, np.int64)


class _Blocks:
    """The integrals of all pairs of k-points: `arrays` of one shape and dtype, or what `read` returns for a pair;
    `arrays` then have the shape and dtype, but no elements of their own."""

    def __init__(self, B: Any, nocc: list[int], nvir: list[int], naux: int | None) -> None:
        nk = len(nocc)
        self.nk, self.nocc, self.nvir = nk, nocc, nvir
        self.most = max(nocc), max(nvir)
        self.read: Callable[[int, int], ArrayLike] | None = None
        if is_dataset(B, "B"):
            if len(B.shape) != 5 or B.shape[:2] != (nk, nk):
                raise ValueError(
                    f"B: expected a dataset of shape (nk, nk, nocc, nvir, naux) with nk = {nk}, got {B.shape}"
                )
            self.read = lambda ki, ka: B[ki, ka]
        elif callable(B) and not hasattr(B, "__array__"):
            self.read = B
        elif naux is not None:
            raise ValueError("naux: is for functions; arrays have their own")
        self.arrays = self._in_memory(B) if self.read is None else self._shapes(naux)

    def answer(self, number: int, first: int, end: int, address: int) -> None:
        """Copy the block that the library requests, always whole, to its memory."""
        assert self.read is not None
        ki, ka = divmod(number, self.nk)
        name, like = f"B({ki}, {ka})", self.arrays[0]
        block = self._checked(self.read(ki, ka), ki, ka, name)
        if block.shape[2] > like.shape[2]:
            more = f"{block.shape[2]} auxiliary functions are more than naux = {like.shape[2]}"
            raise ValueError(f"{name}: {more}; pass the most as naux")
        if not np.can_cast(block.dtype, like.dtype):
            raise TypeError(f"{name}: {block.dtype}, but B(0, 0) was {like.dtype}")
        block = np.ascontiguousarray(_padded(block, like.shape), like.dtype)
        ctypes.memmove(address, block.ctypes.data, block.nbytes)

    def _checked(self, b: ArrayLike, ki: int, ka: int, name: str) -> Array:
        array, _ = _array.check(b, name)
        nocc, nvir = self.nocc[ki], self.nvir[ka]
        if array.ndim != 3 or array.shape[:2] != (nocc, nvir):
            raise ValueError(f"{name}: expected shape (nocc, nvir, naux) = ({nocc}, {nvir}, any), got {array.shape}")
        return array.astype(np.result_type(array, np.complex64), copy=False)

    def _shapes(self, naux: int | None) -> list[Array]:
        """Ask for the first block to learn the dtype and, where it is not given, the number of auxiliary functions."""
        assert self.read is not None
        dtype = np.dtype(np.complex128)
        if all(self.most):
            first = self._checked(self.read(0, 0), 0, 0, "B(0, 0)")
            naux, dtype = first.shape[2] if naux is None else naux, first.dtype
        return [nothing((*self.most, checked_naux(naux or 0)), dtype)] * self.nk**2

    def _in_memory(self, B: Any) -> list[Array]:
        blocks: list[Array] = []
        for ki, row in enumerate(self._all(B, "B")):
            blocks += [self._checked(b, ki, ka, f"B[{ki}][{ka}]") for ka, b in enumerate(self._all(row, f"B[{ki}]"))]
        shape, dtype = (*self.most, max(b.shape[2] for b in blocks)), np.result_type(*blocks)
        return [_padded(b, shape).astype(dtype, copy=False) for b in blocks]

    def _all(self, of: Any, name: str) -> Any:
        is_sequence = isinstance(of, Sequence) and not isinstance(of, (str, bytes, memoryview))
        rows = of if is_sequence else _array.as_array(of, name)  # some objects iterate over labels, not over elements
        if isinstance(rows, np.ndarray) and rows.ndim == 0:
            raise TypeError(
                f"{name}: expected an array or a sequence of {self.nk} for the k-points, got {type(of).__name__}"
            )
        if len(rows) != self.nk:
            raise ValueError(f"{name}: expected {self.nk} for the k-points, got {len(rows)}")
        return rows


def _padded(block: Array, shape: tuple[int, ...]) -> Array:
    """Return a block with zeros for the orbitals and auxiliary functions that it lacks."""
    if block.shape == shape:
        return block
    return np.pad(block, [(0, most - size) for most, size in zip(shape, block.shape, strict=True)])
