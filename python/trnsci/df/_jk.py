"""The function `df_jk`."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _native, _records, _threads
from .._core._array import Array
from .._core._progress import Progress
from .._core._source import block_bytes
from ._packed import Tensor

_FLOAT64, _COMPLEX128 = np.dtype(np.float64), np.dtype(np.complex128)
_HERMI = (0, 1, 2)


def _densities(dm: ArrayLike) -> Array:
    array, _ = _array.check(dm, "dm")
    _array.check_square(array, "dm")
    return array.astype(_COMPLEX128 if array.dtype.kind == "c" else _FLOAT64, copy=False)


def _orbitals(mo_coeff: Any, mo_occ: Any, dm: Array) -> tuple[Array, Array] | None:
    """Return orbitals that make the real parts of the densities, and their occupations."""
    if mo_coeff is None and mo_occ is None:
        return None
    if mo_coeff is None or mo_occ is None:
        raise TypeError("mo_coeff, mo_occ: expected both or neither")
    coeff, _ = _array.check(mo_coeff, "mo_coeff")
    occ, _ = _array.check(mo_occ, "mo_occ")
    if occ.dtype.kind == "c":
        raise TypeError(f"mo_occ: occupations are real, got dtype {occ.dtype}")
    lead, nao = dm.shape[:-2], dm.shape[-1]
    if coeff.ndim != dm.ndim or coeff.shape[:-1] != dm.shape[:-1]:
        wanted = ", ".join(map(str, (*lead, nao, "nmo")))
        raise ValueError(f"mo_coeff: expected shape ({wanted}) for dm of shape {dm.shape}, got {coeff.shape}")
    wanted_occ = (*lead, coeff.shape[-1])
    if occ.shape != wanted_occ:
        raise ValueError(f"mo_occ: expected shape {wanted_occ} for mo_coeff of shape {coeff.shape}, got {occ.shape}")
    if coeff.dtype.kind == "c":
        # The real part of C n C^H is made of the real and of the imaginary parts of the orbitals.
        coeff, occ = np.concatenate((coeff.real, coeff.imag), axis=-1), np.concatenate((occ, occ), axis=-1)
    return coeff.astype(_FLOAT64, copy=False), np.ascontiguousarray(occ, _FLOAT64)


def _parts(a: Array | None) -> tuple[Array | None, Array | None]:
    """Return the real and the imaginary parts, without a copy; None for those that are not there."""
    if a is None or a.dtype.kind != "c":
        return a, None
    return a.real, a.imag


@overload
def df_jk(
    L: Any, dm: ArrayLike, *, hermi: int = ..., mo_coeff: ArrayLike | None = ..., mo_occ: ArrayLike | None = ...,
    with_j: Literal[True] = ..., with_k: Literal[True] = ..., naux: int | None = ..., check_finite: bool = ...,
    max_memory: float | None = ..., threads: int | None = ..., progress: Progress = ...,
) -> tuple[Array, Array]: ...  # fmt: skip


@overload
def df_jk(
    L: Any, dm: ArrayLike, *, hermi: int = ..., mo_coeff: ArrayLike | None = ..., mo_occ: ArrayLike | None = ...,
    with_j: Literal[True] = ..., with_k: Literal[False], naux: int | None = ..., check_finite: bool = ...,
    max_memory: float | None = ..., threads: int | None = ..., progress: Progress = ...,
) -> tuple[Array, None]: ...  # fmt: skip


@overload
def df_jk(
    L: Any, dm: ArrayLike, *, hermi: int = ..., mo_coeff: ArrayLike | None = ..., mo_occ: ArrayLike | None = ...,
    with_j: Literal[False], with_k: Literal[True] = ..., naux: int | None = ..., check_finite: bool = ...,
    max_memory: float | None = ..., threads: int | None = ..., progress: Progress = ...,
) -> tuple[None, Array]: ...  # fmt: skip


@overload
def df_jk(
    L: Any, dm: ArrayLike, *, hermi: int = ..., mo_coeff: ArrayLike | None = ..., mo_occ: ArrayLike | None = ...,
    with_j: bool = ..., with_k: bool = ..., naux: int | None = ..., check_finite: bool = ...,
    max_memory: float | None = ..., threads: int | None = ..., progress: Progress = ...,
) -> tuple[Array | None, Array | None]: ...  # fmt: skip


def df_jk(
    L: Any,
    dm: ArrayLike,
    *,
    hermi: int = 1,
    mo_coeff: ArrayLike | None = None,
    mo_occ: ArrayLike | None = None,
    with_j: bool = True,
    with_k: bool = True,
    naux: int | None = None,
    check_finite: bool = True,
    max_memory: float | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> tuple[Array | None, Array | None]:
    r"""Coulomb and exchange matrices from density-fitted integrals.

    With :math:`(\mu\nu|\lambda\sigma) = \sum_P L_{P,\mu\nu} L_{P,\lambda\sigma}`,

    .. math:: J_{\mu\nu} = \sum_P L_{P,\mu\nu} \sum_{\lambda\sigma} L_{P,\lambda\sigma} D_{\sigma\lambda}, \qquad
              K_{\mu\nu} = \sum_P \sum_{\lambda\sigma} L_{P,\mu\lambda} D_{\lambda\sigma} L_{P,\sigma\nu}.

    Parameters
    ----------
    L : (naux, nao*(nao+1)/2) array_like, path, HDF5 dataset or callable
        Real fitted (RI) integrals, as `df_fit` returns them: in row P the lower triangle of a symmetric matrix, row by
        row, so that :math:`\mu \ge \nu` is at ``mu*(mu+1)//2 + nu``. This is PySCF's ``_cderi``. Or the path of a
        ``.npy`` file in C order, or a dataset of h5py, that holds them; or a function that returns rows ``p0 <= P <
        p1`` for ``L(p0, p1)``. All but arrays are read once, in blocks, and ahead of time where `max_memory` suffices.
    dm : (..., nao, nao) array_like
        Density matrices, real or complex. L is read once for all of them.
    hermi : {1, 0, 2}, optional
        Densities are Hermitian (1), general (0) or anti-Hermitian (2). With 1 and 2 only the part
        :math:`(D \pm D^\dagger)/2` that has this symmetry counts, and half of the last product for K is saved.
    mo_coeff, mo_occ : (..., nao, nmo), (..., nmo) array_like, optional
        What the densities are made of: :math:`D = C \operatorname{diag}(n) C^\dagger` with occupations :math:`n \ge 0`.
        K then takes less work: nocc orbitals with :math:`n > 0` stand for nao columns of D. Orbitals may be complex;
        the imaginary part of K is made of `dm` in any case.
    with_j, with_k : bool, optional
        Which matrices to compute.
    naux : int, optional
        The number of rows of L, needed where it is a function. That of a file is in the file, whatever is given here.
    check_finite : bool, optional
        Refuse infinities and NaNs in L. When False, what they touch is not finite. Those in `dm` are refused always.
    max_memory : float, optional
        Megabytes that blocks of L may take where it is not used in place, by default 256: L that is read, in float32,
        or with rows that are not contiguous.
    threads, progress
        See `trnsci.linalg`; progress counts rows of L.

    Returns
    -------
    J, K : ndarray or None
        Arrays like `dm`, in double precision; None for what was not asked for. J of real densities is symmetric.

    Raises
    ------
    ValueError
        If shapes do not fit, for an infinity or NaN, for negative occupations, if the orbitals do not make `dm` (to
        half of the digits, in the real part), for a file that is truncated, changed while it is read, in Fortran order
        or no ``.npy`` file, and for a `max_memory` that holds no block, with the least that works.
    UnsupportedError
        For complex L.
    TypeError
        For a dtype that is not supported, one of `mo_coeff` and `mo_occ` without the other, and a function without
        `naux`.
    OSError
        If a file cannot be read.
    MemoryError
        If results or workspace do not fit.

    Notes
    -----
    For each real density ``4 * naux * nao*(nao+1)/2`` floating-point operations for J; for K ``3 * naux * nao**2 *
    nocc`` with orbitals, ``3 * naux * nao**3`` without and ``4 * naux * nao**3`` for a general density. The parts of a
    complex density are two real ones. The result is the same, bit for bit, for any number of threads, any `max_memory`
    and wherever L comes from; further densities in the call may change the last bits of one.

    References
    ----------
    O. Vahtras, J. Almlöf and M. W. Feyereisen, Chem. Phys. Lett. 213, 514 (1993). F. Weigend, Phys. Chem. Chem. Phys.
    4, 4285 (2002).

    Examples
    --------
    One auxiliary function with L = [[2, 1], [1, 0]], and an electron in the first basis function.

    >>> import numpy as np
    >>> import trnsci
    >>> j, k = trnsci.df_jk([[2.0, 1.0, 0.0]], np.diag([1.0, 0.0]))
    >>> j
    array([[4., 2.],
           [2., 0.]])
    >>> k
    array([[4., 2.],
           [2., 1.]])
    """
    if np.ndim(hermi) or hermi not in _HERMI:
        raise ValueError(f"hermi: expected 0, 1 or 2, got {hermi!r}")
    if not (with_j or with_k):
        raise ValueError("with_j, with_k: nothing is asked for")
    density = _densities(dm)
    nao = density.shape[-1]
    orbitals = _orbitals(mo_coeff, mo_occ, density)
    tensor = Tensor(L, nao * (nao + 1) // 2, naux)
    room = block_bytes(max_memory)
    j = _array.empty(density.shape, density.dtype, "J") if with_j else None
    k = _array.empty(density.shape, density.dtype, "K") if with_k else None
    (j_real, j_imag), (k_real, k_imag) = _parts(j), _parts(k)
    coeff, occ = orbitals or (None, None)
    made = _records.dfjk(
        threads=_threads.resolve(threads), **tensor.fields(), dm=density.real, dm_imag=_parts(density)[1], coeff=coeff,
        occ=occ,
        j=j_real, j_imag=j_imag, k=k_real, k_imag=k_imag, labelled=density.ndim > 2, hermi=int(hermi),
        check_finite=bool(check_finite), max_bytes=room,
    )  # fmt: skip
    work = 3.0 * tensor.naux * nao * density.size
    _native.run(made, work, progress, answer=None if tensor.read is None else tensor.answer)
    return j, k
