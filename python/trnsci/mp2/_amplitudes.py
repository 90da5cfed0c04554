"""The function `mp2_amplitudes`."""

from __future__ import annotations

from itertools import combinations
from typing import Any, overload

import numpy as np

from .._core import _array, _records
from .._core._array import Array
from .._core._files import check_outputs, is_path, output_path
from .._core._operands import overlaps, overlaps_itself
from .._core._progress import Progress
from ._common import Doubles, FilePath, Input, OneSpin, Output, TwoSpins
from ._energy import Layout
from ._integrals import Spin

_FLOAT64 = np.dtype(np.float64)
_NAMES = ("alpha-alpha", "alpha-beta", "beta-beta")


@overload
def mp2_amplitudes(
    B: Any, eps_occ: OneSpin, eps_vir: Any, *, layout: Layout = ..., out: Doubles | None = ...,
    max_memory: float | None = ..., threads: int | None = ..., progress: Progress = ...,
) -> Doubles: ...  # fmt: skip


@overload
def mp2_amplitudes(
    B: Any, eps_occ: OneSpin, eps_vir: Any, *, layout: Layout = ..., out: FilePath,
    max_memory: float | None = ..., threads: int | None = ..., progress: Progress = ...,
) -> FilePath: ...  # fmt: skip


@overload
def mp2_amplitudes(
    B: Any, eps_occ: TwoSpins, eps_vir: Any, *, layout: Layout = ..., out: None = ...,
    max_memory: float | None = ..., threads: int | None = ..., progress: Progress = ...,
) -> tuple[Doubles, Doubles, Doubles]: ...  # fmt: skip


@overload
def mp2_amplitudes(
    B: Any, eps_occ: TwoSpins, eps_vir: Any, *, layout: Layout = ..., out: tuple[Output, Output, Output] | list[Output],
    max_memory: float | None = ..., threads: int | None = ..., progress: Progress = ...,
) -> tuple[Output, Output, Output]: ...  # fmt: skip


@overload
def mp2_amplitudes(
    B: Any, eps_occ: Any, eps_vir: Any, *, layout: Layout = ..., out: Any = ...,
    max_memory: float | None = ..., threads: int | None = ..., progress: Progress = ...,
) -> Any: ...  # fmt: skip


def mp2_amplitudes(
    B: Any,
    eps_occ: Any,
    eps_vir: Any,
    *,
    layout: Layout = "iaP",
    out: Any = None,
    max_memory: float | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Any:
    r"""Amplitudes of double excitations in first-order perturbation theory.

    With :math:`(ia|jb) = \sum_P B_{iaP} B_{jbP}` and
    :math:`D^{ij}_{ab} = \epsilon_i + \epsilon_j - \epsilon_a - \epsilon_b` they are, of a closed shell and between
    alpha and beta,

    .. math:: t_{ijab} = (ia|jb) / D^{ij}_{ab}

    and within one spin of an open shell :math:`t_{ijab} = [(ia|jb) - (ib|ja)] / D^{ij}_{ab}`. These are PySCF's `t2`.

    Parameters
    ----------
    B, eps_occ, eps_vir, layout, threads
        See `df_mp2_energy`. Pairs (alpha, beta) ask for the amplitudes of an open shell. All is computed in float64.
    out : ndarray or path, or tuple or list of three of them, optional
        Where the amplitudes go: writable float64 arrays of any strides, or names of ``.npy`` files, which are written
        an orbital i at a time. A file appears under its name when it is complete, in place of one that is there; after
        an error nothing of it is left. A symbolic link stays, and the file that it names is written. Of an open shell
        three: alpha-alpha, alpha-beta, beta-beta.
    max_memory : float, optional
        Megabytes that blocks of B may take where they are copied, and amplitudes on their way to a file; by default
        256.
    progress
        See `trnsci.linalg`; progress counts pairs of occupied orbitals, with files orbitals, of an open shell for each
        of the three parts anew.

    Returns
    -------
    ndarray or path, or tuple of three of them
        `out`, or new arrays: of shape (nocc, nocc, nvir, nvir) with the axes i, j, a, b, or of an open shell the tuple
        (alpha-alpha, alpha-beta, beta-beta).

    Raises
    ------
    ValueError, UnsupportedError, TypeError
        As in `df_mp2_energy`; for an `out` of another shape or dtype, that cannot be written, that shares memory with
        B, the energies or another part, that is in the file of one of them, by whatever name, or that is the name of
        something other than a file.
    OSError
        If a file cannot be opened or written, as when the disk is full; PermissionError for one that is
        write-protected.
    MemoryError
        If new arrays do not fit.

    Notes
    -----
    Within one set of orbitals :math:`t_{jiba} = t_{ijab}`, bit for bit, so that ``nocc**2 * nvir**2 * naux``
    floating-point operations suffice; between alpha and beta it is two for each of its elements and naux. A file is
    written in the order of its elements: there it is only pairs of the same block of i that are computed once for both,
    all of them where half of `max_memory` holds the amplitudes. B in a file that does not fit `max_memory` is read once
    for each block of i, ahead of time. The result is the same, bit for bit, for any number of threads and any
    `max_memory`.

    Examples
    --------
    >>> import numpy as np
    >>> import trnsci
    >>> t = trnsci.mp2_amplitudes(np.sqrt([[[0.3]]]), [-0.5], [0.7])
    >>> t.shape, round(float(t[0, 0, 0, 0]), 10)
    ((1, 1, 1, 1), -0.125)
    """
    places = _whole_paths(out, "out")
    check_outputs({"out": places}, {"B": B, "eps_occ": eps_occ, "eps_vir": eps_vir})
    given = Input(B, eps_occ, eps_vir, layout, max_memory)
    pairs = [(given.alpha, given.beta)]
    if given.unrestricted:
        pairs = [(given.alpha, given.alpha), *pairs, (given.beta, given.beta)]
    outputs = _outputs(places, pairs, given)
    for part, ((left, right), output) in enumerate(zip(pairs, outputs, strict=True)):
        is_file = not isinstance(output, np.ndarray)
        work = 2.0 * left.nocc * right.nocc * (float(left.nvir) * right.nvir * left.naux + 1)
        given.run(
            _records.mp2_amplitudes, work, threads, progress, part=part,
            out=None if is_file else output, path_out=output if is_file else "",
        )  # fmt: skip
    if out is not None:
        return tuple(out) if given.unrestricted else out
    return outputs if given.unrestricted else outputs[0]


def _whole_paths(out: Any, name: str) -> Any:
    """Return `out` with the whole paths of its files."""
    if isinstance(out, (tuple, list)):
        return [_whole_paths(part, f"{name}[{n}]") for n, part in enumerate(out)]
    return output_path(out, name) if is_path(out) else out


def _outputs(out: Any, pairs: list[tuple[Spin, Spin]], given: Input) -> tuple[Any, ...]:
    """Return where each part goes, an array or a path."""
    shapes = [(p.nocc, q.nocc, p.nvir, q.nvir) for p, q in pairs]
    if out is None:
        return tuple(_array.empty(shape, _FLOAT64, "the amplitudes") for shape in shapes)
    if len(pairs) == 1:
        return (_output(out, shapes[0], "out", given),)
    if not isinstance(out, (tuple, list)) or len(out) != len(pairs):
        raise ValueError(
            f"out: expected three arrays or paths ({', '.join(_NAMES)}), since eps_occ is given for two spins"
        )
    outputs = tuple(_output(o, shape, f"out[{n}]", given) for n, (o, shape) in enumerate(zip(out, shapes, strict=True)))
    for (m, first), (n, second) in combinations(enumerate(outputs), 2):
        if isinstance(first, np.ndarray) and isinstance(second, np.ndarray) and overlaps(first, second):
            raise ValueError(f"out[{n}]: is where out[{m}] is too")
    return outputs


def _output(out: Any, shape: tuple[int, ...], name: str, given: Input) -> Any:
    if isinstance(out, str):
        return out
    if not isinstance(out, np.ndarray):
        raise TypeError(f"{name}: expected an array or a path, got {type(out).__name__}")
    if out.shape != shape or out.dtype != _FLOAT64:
        raise ValueError(f"{name}: expected float64 of shape {shape}, got {out.dtype} of shape {out.shape}")
    if not _usable(out):
        raise ValueError(
            f"{name}: the array cannot be written in place (read-only, unaligned, or with overlapping elements)"
        )
    if any(overlaps(out, a) for s in given.spins for a in (s.b, s.eps_occ, s.eps_vir)):
        raise ValueError(f"{name}: shares memory with B or the energies")
    return out


def _usable(out: Array) -> bool:
    """Whether the library can write each element of `out` once, where it is."""
    strides_are_whole = all(stride % out.itemsize == 0 for stride in out.strides)
    return bool(_array.is_writable(out) and out.flags.aligned and strides_are_whole and not overlaps_itself(out))
