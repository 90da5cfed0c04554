"""The function `df_transform`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _native, _records, _threads
from .._core._array import Array
from .._core._errors import UnsupportedError
from .._core._files import check_outputs
from .._core._operands import Kind, finish, target
from .._core._progress import Progress
from .._core._source import block_bytes
from ._packed import Tensor

_FLOAT64 = np.dtype(np.float64)


def _orbitals(coeff: ArrayLike, name: str) -> Array:
    array, _ = _array.check(coeff, name)
    if array.dtype.kind == "c":
        raise UnsupportedError(f"{name}: complex orbitals ({array.dtype}) are not supported")
    if array.ndim != 2:
        raise ValueError(f"{name}: expected shape (nao, number of orbitals), got {array.shape}")
    return array.astype(_FLOAT64, copy=False)


def _is_flat(b: Array) -> bool:
    """Whether the first two axes of an array count elements that are equally far apart."""
    return b.size == 0 or b.shape[0] == 1 or b.strides[0] == b.shape[1] * b.strides[1]


def df_transform(
    L: Any,
    occ_coeff: ArrayLike,
    vir_coeff: ArrayLike,
    *,
    naux: int | None = None,
    out: Array | None = None,
    check_finite: bool = True,
    max_memory: float | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Array:
    r"""Transform density-fitted integrals to pairs of an occupied and a virtual orbital.

    .. math:: B_{iaP} = \sum_{\mu\nu} C_{\mu i} L_{P,\mu\nu} C_{\nu a}

    Parameters
    ----------
    L : (naux, nao*(nao+1)/2) array_like, path, HDF5 dataset or callable
        Real integrals, of which row P holds the lower triangle of a symmetric matrix, as in `df_jk`. They may be fitted
        or not: `df_fit` can do that afterwards with `B` and ``axis=-1``. A function returns rows ``p0 <= P < p1`` for
        ``L(p0, p1)``. All but arrays are read once, in blocks, and ahead of time where `max_memory` suffices.
    occ_coeff, vir_coeff : (nao, nocc), (nao, nvir) array_like
        Real coefficients of the orbitals. The occupied ones are summed over first, which pays if they are the fewer.
    naux : int, optional
        The number of rows of L, needed where it is a function. That of a file is in the file, whatever is given here.
    out : (nocc, nvir, naux) ndarray, optional
        Where to write the result: float64, writable. It is written to in place if it is C-contiguous.
    check_finite : bool, optional
        Refuse infinities and NaNs in L. Those in the orbitals are refused always.
    max_memory : float, optional
        Megabytes that blocks of L may take where it is not used in place, by default 256.
    threads, progress
        See `trnsci.linalg`; progress counts rows of L.

    Returns
    -------
    B : (nocc, nvir, naux) ndarray
        In double precision, `out` if that is given. It is what `df_mp2_energy` takes as its layout ``"iaP"``.

    Raises
    ------
    ValueError
        If shapes do not fit, if `out` is an array in L's file, for an infinity or NaN, for a file that is truncated,
        changed while it is read, in Fortran order or no ``.npy`` file, and for a `max_memory` that holds no block, with
        the least that works.
    UnsupportedError
        For complex L or orbitals.
    TypeError
        For a dtype that is not supported, and a function without `naux`.
    OSError
        If a file cannot be read.
    MemoryError
        If the result or workspace does not fit.

    Notes
    -----
    ``2 * naux * nao * nocc * (nao + nvir)`` floating-point operations. The result is the same, bit for bit, for any
    number of threads, any `max_memory` and wherever L comes from.

    Examples
    --------
    Two basis functions, (00|P), (10|P) and (11|P) being 2, 1 and 5; each is an orbital.

    >>> import trnsci
    >>> trnsci.df_transform([[2.0, 1.0, 5.0]], [[1.0], [0.0]], [[0.0], [1.0]])
    array([[[1.]]])
    """
    check_outputs({"out": out}, {"L": L})
    occ, vir = _orbitals(occ_coeff, "occ_coeff"), _orbitals(vir_coeff, "vir_coeff")
    (nao, nocc), nvir = occ.shape, vir.shape[1]
    if len(vir) != nao:
        raise ValueError(f"vir_coeff: expected {nao} rows, as occ_coeff has, got shape {vir.shape}")
    tensor = Tensor(L, nao * (nao + 1) // 2, naux, exact=True)
    room = block_bytes(max_memory)
    kind, read = Kind(_FLOAT64, None), [occ, vir, *([] if tensor.path or tensor.read else [tensor.l])]
    shape = nocc, nvir, tensor.naux
    result = target(shape, kind, out, *read)
    if not _is_flat(result):
        result = _array.empty(shape, _FLOAT64, "B")
    flat = result.reshape(nocc * nvir, tensor.naux)
    work = 2.0 * tensor.naux * nao * nocc * (nao + nvir)
    made = _records.df_transform(
        threads=_threads.resolve(threads), **tensor.fields(), occ=occ, vir=vir, out=flat,
        check_finite=bool(check_finite),
        max_bytes=room,
    )  # fmt: skip
    _native.run(made, work, progress, answer=None if tensor.read is None else tensor.answer)
    return finish(result, kind, out)
