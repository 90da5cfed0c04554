"""What is timed through Python: our functions and those of NumPy and SciPy, on the same operands."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cblas_ops import DTYPES, ROOT, Library, loaded_openblas

Array = NDArray[Any]
Call = Callable[[], object]
Request = dict[str, Any]

# Correlation energy for each occupied orbital, about.
HARTREE_PER_ORBITAL = 0.04
# Blocks of a file of integrals may take so much less than the whole.
BLOCKS_SHARE = 4


@dataclass(frozen=True)
class Table:
    """The operations of one side, by name, and facts about it."""

    facts: dict[str, str]
    ops: dict[str, Callable[[Request], Call]]


def _random(*shape: int) -> Array:
    return np.random.default_rng(1).uniform(-1, 1, shape)


def _symmetric(r: Request) -> Array:
    """Return a Hermitian matrix, or a stack of them."""
    shape = (*([r["count"]] if "count" in r else []), r["n"], r["n"])
    dtype = np.dtype(DTYPES[r["dtype"]])
    a = _random(*shape)
    if dtype.kind == "c":
        a = a + 1j * np.random.default_rng(2).uniform(-1, 1, shape)
    symmetric: Array = (a + a.swapaxes(-1, -2).conj()).astype(dtype)
    return symmetric


def _positive(r: Request) -> Array:
    a = _symmetric(r)
    np.fill_diagonal(a, 4 * r["n"])
    return a


def _pencil(r: Request) -> tuple[Array, Array]:
    return _symmetric(r), _positive(r)


def _lowest(function: Callable[..., object], **keywords: Any) -> Callable[[Request], Call]:
    """Return what makes the call for the lowest tenth of the eigenvalues and their vectors."""

    def prepare(request: Request) -> Call:
        a, last = _symmetric(request), request["n"] // 10 - 1
        return lambda: function(a, subset_by_index=[0, last], **keywords)

    return prepare


def _general(r: Request) -> Array:
    """Return a matrix without structure."""
    dtype, shape = np.dtype(DTYPES[r["dtype"]]), (r["m"] if "m" in r else r["n"], r["n"])
    a = _random(*shape)
    if dtype.kind == "c":
        a = a + 1j * np.random.default_rng(2).uniform(-1, 1, shape)
    general: Array = a.astype(dtype)
    return general


def _in_unit_disc(r: Request) -> Array:
    """Return a matrix without structure whose eigenvalues are in the unit disc, or not far outside."""
    scaled: Array = _general(r) / np.sqrt(r["n"] / 3)  # a third is the mean square of a number between -1 and 1
    return scaled


def _general_pencil(r: Request) -> tuple[Array, Array]:
    """Return two different matrices without structure."""
    a, b = _random(2, r["n"], r["n"])
    return a, b


def _far_from_negative(r: Request) -> Array:
    """Return a matrix without structure whose eigenvalues are around 2, far from the negative numbers."""
    return _in_unit_disc(r) + 2 * np.eye(r["n"])


def _factors(r: Request) -> tuple[Array, Array]:
    batch = (r["count"],) if "count" in r else ()
    return _random(*batch, r["m"], r["k"]), _random(*batch, r["k"], r["n"])


def _triangular_system(r: Request) -> tuple[Array, Array]:
    return np.tril(_positive(r)), _general(r)


def mp2_operands(r: Request) -> tuple[Array, Array, Array]:
    """Return B and the energies of occupied and virtual orbitals of a closed shell.

    The energies have the range of valence orbitals in a double-zeta basis. B is as large as it is in a molecule with so
    many occupied orbitals, since the tolerance of some methods is in hartree.
    """
    nocc, nvir, naux = r["nocc"], r["nvir"], r["naux"]
    mean_square = 1 / 3  # of an element that is uniform between -1 and 1
    mean_denominator = 5.4
    wanted = mean_denominator * HARTREE_PER_ORBITAL * nocc / ((nocc * nvir) ** 2 * naux * mean_square**2)
    b = wanted ** (1 / 4) * _random(nocc, nvir, naux)
    return b, np.linspace(-1.5, -0.5, nocc), np.linspace(0.2, 4.2, nvir)


def ump2_operands(r: Request) -> tuple[tuple[Array, Array], ...]:
    """Return the same as pairs (alpha, beta). Both spins have the sizes of the request and memory of their own."""
    return tuple(zip(mp2_operands(r), mp2_operands(r), strict=True))


def calling(
    function: Callable[..., object], operands: Callable[[Request], Any], **keywords: Any
) -> Callable[[Request], Call]:
    """Return what makes, of a request, the call of a function with the request's operands."""

    def prepare(request: Request) -> Call:
        arguments = operands(request)
        if not isinstance(arguments, tuple):
            arguments = (arguments,)
        return lambda: function(*arguments, **keywords)

    return prepare


def _calling_with_file(function: Callable[..., object]) -> Callable[[Request], Call]:
    """Return what calls a DF-MP2 function that reads B from a file, in blocks of a part of its size."""

    def prepare(request: Request) -> Call:
        b, *energies = mp2_operands(request)
        folder = tempfile.TemporaryDirectory(dir=ROOT / "build/bench")
        path = Path(folder.name) / "B.npy"
        np.save(path, b)
        megabytes = b.nbytes / BLOCKS_SHARE / 1e6
        # The call refers to the folder, which is removed with it.
        return lambda: (function(path, *energies, max_memory=megabytes), folder)

    return prepare


def ours() -> Table:
    """Return our functions."""
    import trnsci
    from trnsci._core._info import info

    facts = info()
    design = facts["microarchitecture"]
    return Table(
        {
            "version": facts["trnsci"],
            "kernel": str(facts["kernels"]),
            "microarchitecture": "" if design == "not known" else design,
        },
        {
            "matmul": calling(trnsci.blas.gemm, lambda r: (1.0, *_factors(r))),
            "cholesky": calling(trnsci.linalg.cholesky, _positive, lower=True),
            "qr": calling(trnsci.linalg.qr, _general, mode="economic"),
            "qr_pivoting": calling(trnsci.linalg.qr, _general, mode="economic", pivoting=True),
            "svd": calling(trnsci.linalg.svd, _general, full_matrices=False),
            "svdvals": calling(trnsci.linalg.svdvals, _general),
            "solve_triangular": calling(trnsci.linalg.solve_triangular, _triangular_system, lower=True),
            "lu_factor": calling(trnsci.linalg.lu_factor, _general),
            "eigh": calling(trnsci.eigh, _symmetric),
            "eigvalsh": calling(trnsci.linalg.eigvalsh, _symmetric),
            "eigh_subset": _lowest(trnsci.eigh),
            "eigh_generalized": calling(trnsci.eigh, _pencil),
            "hessenberg": calling(trnsci.linalg.hessenberg, _general, calc_q=True),
            "schur": calling(trnsci.schur, _general),
            "eig": calling(trnsci.linalg.eig, _general),
            "eigvals": calling(trnsci.linalg.eigvals, _general),
            "qz": calling(trnsci.linalg.qz, _general_pencil),
            "eig_pencil": calling(trnsci.linalg.eig, _general_pencil),
            "expm": calling(trnsci.linalg.expm, _in_unit_disc),
            "sqrtm": calling(trnsci.linalg.sqrtm, _far_from_negative),
            "df_mp2": calling(trnsci.df_mp2_energy, mp2_operands),
            "df_mp2_mixed": calling(trnsci.df_mp2_energy, mp2_operands, precision="mixed"),
            "df_mp2_file": _calling_with_file(trnsci.df_mp2_energy),
            "df_ump2": calling(trnsci.df_mp2_energy, ump2_operands),
            "sos_mp2": calling(trnsci.sos_mp2_energy, mp2_operands),
        },
    )


def _numpy_mp2(b: Array, occupied: Array, virtual: Array) -> float:
    """Return the closed-shell DF-MP2 correlation energy as a short NumPy program computes it: a product for each i."""
    energy = 0.0
    nocc, nvir, naux = b.shape
    for i in range(nocc):
        integrals = (b[i] @ b[: i + 1].reshape(-1, naux).T).reshape(nvir, i + 1, nvir)  # (ia|jb) as a, j, b
        gaps = occupied[i] - virtual[:, None, None] + (occupied[: i + 1, None] - virtual)
        amplitudes = integrals / gaps
        pairs = 2 * np.einsum("ajb,ajb->j", amplitudes, integrals) - np.einsum("ajb,bja->j", amplitudes, integrals)
        energy += 2 * float(pairs[:i].sum()) + float(pairs[i])
    return energy


def scipy_and_numpy() -> Table:
    """Return the peers' functions: the default of each, and other drivers of eigenproblems."""
    import scipy
    from scipy.linalg import blas, lapack

    kernels = {Library(path).facts()["kernel"] for path in loaded_openblas()}
    return Table(
        {"version": f"NumPy {np.__version__}, SciPy {scipy.__version__}", "kernel": ", ".join(sorted(kernels))},
        {
            "matmul": calling(np.matmul, _factors),
            "cholesky": calling(scipy.linalg.cholesky, _positive, lower=True),
            "dpotrf": calling(lapack.dpotrf, lambda r: np.asfortranarray(_positive(r)), lower=1),
            "qr": calling(scipy.linalg.qr, _general, mode="economic"),
            "qr_numpy": calling(np.linalg.qr, _general),
            "qr_pivoting": calling(scipy.linalg.qr, _general, mode="economic", pivoting=True),
            "svd": calling(scipy.linalg.svd, _general, full_matrices=False),
            "svd_numpy": calling(np.linalg.svd, _general, full_matrices=False),
            "svdvals": calling(scipy.linalg.svdvals, _general),
            "solve_triangular": calling(scipy.linalg.solve_triangular, _triangular_system, lower=True),
            "lu_factor": calling(scipy.linalg.lu_factor, _general),
            "eigh": calling(scipy.linalg.eigh, _symmetric),
            "eigh_evd": calling(scipy.linalg.eigh, _symmetric, driver="evd"),
            "eigh_numpy": calling(np.linalg.eigh, _symmetric),
            "eigvalsh": calling(scipy.linalg.eigvalsh, _symmetric),
            "eigvalsh_numpy": calling(np.linalg.eigvalsh, _symmetric),
            "eigh_subset": _lowest(scipy.linalg.eigh),
            "eigh_subset_evx": _lowest(scipy.linalg.eigh, driver="evx"),
            "eigh_generalized": calling(scipy.linalg.eigh, _pencil),
            "eigh_gv": calling(scipy.linalg.eigh, _pencil, driver="gv"),
            "hessenberg": calling(scipy.linalg.hessenberg, _general, calc_q=True),
            "schur": calling(scipy.linalg.schur, _general),
            "eig": calling(scipy.linalg.eig, _general),
            "eig_numpy": calling(np.linalg.eig, _general),
            "eigvals": calling(scipy.linalg.eigvals, _general),
            "qz": calling(scipy.linalg.qz, _general_pencil),
            "eig_pencil": calling(scipy.linalg.eig, _general_pencil),
            "expm": calling(scipy.linalg.expm, _in_unit_disc),
            "sqrtm": calling(scipy.linalg.sqrtm, _far_from_negative),
            "eigvals_numpy": calling(np.linalg.eigvals, _general),
            "df_mp2": calling(_numpy_mp2, mp2_operands),
            "dsymv": calling(blas.dsymv, lambda r: (1.0, np.asfortranarray(_symmetric(r)), _random(r["n"])), lower=1),
        },
    )
