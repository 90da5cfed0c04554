"""Calls whose result type depends on a flag; `test_types.py` runs type checkers on this file.

Nothing here is executed. A line that ends in ``type: ignore`` has to be an error.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import trnsci
from numpy.typing import NDArray
from trnsci import blas, linalg

if TYPE_CHECKING:
    from typing_extensions import assert_type

Array: TypeAlias = "np.ndarray[tuple[Any, ...], Any]"
Doubles: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]
Pair: TypeAlias = tuple[Array, Array]
Triple: TypeAlias = tuple[Array, Array, Array]
Count: TypeAlias = "int | Indices"
Error: TypeAlias = "float | np.floating[Any] | Array"


def hermitian(a: Doubles, flag: bool) -> None:
    assert_type(trnsci.eigh(a), Pair)
    assert_type(trnsci.eigh([[1, 2], [2, 1]], a, eigvals_only=False, subset_by_index=[0, 0]), Pair)
    assert_type(linalg.eigh(a, eigvals_only=True, subset_by_value=(0, np.inf)), Array)
    assert_type(linalg.eigh(a, eigvals_only=flag), Array | Pair)
    assert_type(linalg.eigvalsh(a, subset_by_index=np.array([0, 1])), Array)
    assert_type(linalg.eigh_tridiagonal(a[0], a[1]), Pair)
    assert_type(linalg.eigh_tridiagonal(a[0], a[1], True), Array)
    assert_type(linalg.eigh_tridiagonal(a[0], a[1], eigvals_only=True, select="i", select_range=(0, 1)), Array)
    assert_type(linalg.eigh_tridiagonal(a[0], a[1], flag), Array | Pair)
    assert_type(linalg.eig_banded(a), Pair)
    assert_type(linalg.eig_banded(a, True), Pair)
    assert_type(linalg.eig_banded(a, False, True), Array)
    assert_type(linalg.eig_banded(a, eigvals_only=True), Array)
    assert_type(linalg.eig_banded(a, eigvals_only=flag), Array | Pair)
    assert_type(linalg.inv_sqrt_spd(a), tuple[Array, int | Indices])


def general(a: Doubles, flag: bool) -> None:
    assert_type(linalg.eig(a), Pair)
    assert_type(linalg.eig(a, a, False, True), Pair)
    assert_type(linalg.eig(a, right=False), Array)
    assert_type(linalg.eig(a, None, False, False), Array)
    assert_type(linalg.eig(a, left=True), Triple)
    assert_type(linalg.eig(a, a, True), Triple)
    assert_type(linalg.eig(a, left=True, right=False), Pair)
    assert_type(linalg.eig(a, left=flag), Array | Pair | Triple)
    assert_type(linalg.eig(a, right=flag), Array | Pair | Triple)
    assert_type(linalg.eigvals(a).imag, NDArray[Any])
    assert_type(trnsci.schur(a), Pair)
    assert_type(linalg.schur(a, "complex", sort=None), Pair)
    assert_type(linalg.schur(a, sort="lhp"), tuple[Array, Array, Count])
    assert_type(linalg.schur(a, "real", None, False, lambda re, im: re > im), tuple[Array, Array, Count])
    assert_type(linalg.schur(a, sort="iuc" if flag else None), Pair | tuple[Array, Array, Count])
    assert_type(linalg.schur_condition(a, 1), tuple[float | Doubles, float | Doubles])
    assert_type(linalg.hessenberg(a), Array)
    assert_type(linalg.hessenberg(a, True), Pair)
    assert_type(linalg.hessenberg(a, calc_q=flag), Array | Pair)
    assert_type(linalg.qr(a), Pair)
    assert_type(linalg.qr(a, mode="economic", pivoting=True), tuple[Array, Array, Indices])
    assert_type(linalg.qr(a, mode="r"), tuple[Array])
    assert_type(linalg.qr(a, mode="r", pivoting=True), tuple[Array, Indices])
    assert_type(linalg.qr(a, False, None, "raw"), tuple[Pair, Array])
    assert_type(linalg.qr(a, False, None, "raw", True), tuple[Pair, Array, Indices])
    assert_type(linalg.rq(a), Pair)
    assert_type(linalg.rq(a, mode="r"), Array)
    assert_type(linalg.qr_multiply(a, a, "left"), Pair)
    assert_type(linalg.qr_multiply(a, a, pivoting=True), tuple[Array, Array, Indices])
    assert_type(linalg.qr_multiply(a, a, pivoting=flag), Pair | tuple[Array, Array, Indices])
    assert_type(linalg.svd(a), Triple)
    assert_type(linalg.svd(a, False, True), Triple)
    assert_type(linalg.svd(a, compute_uv=False), Array)
    assert_type(linalg.pinv(a), Array)
    assert_type(linalg.pinv(a, return_rank=True), tuple[Array, int])
    assert_type(linalg.pinvh(a), Array)
    assert_type(linalg.pinvh(a, None, None, True, True), tuple[Array, int])
    assert_type(linalg.matrix_balance(a), tuple[Array, Doubles])
    assert_type(linalg.lu(a), tuple[Array, Array, Array])
    assert_type(linalg.lu(a, True), Pair)
    assert_type(linalg.lu(a, permute_l=flag), Pair | tuple[Array, Array, Array])
    assert_type(linalg.matrix_balance(a, separate=True), tuple[Array, tuple[Doubles, Indices]])
    assert_type(linalg.matrix_balance(a, True, True, True), tuple[Array, tuple[Doubles, Indices]])
    assert_type(linalg.matrix_balance(a, separate=flag), tuple[Array, Doubles | tuple[Doubles, Indices]])


def functions_of_matrices(a: Doubles, flag: bool) -> None:
    assert_type(linalg.sqrtm(a), Array)
    assert_type(linalg.sqrtm(a, disp=True, blocksize=64), Array)
    assert_type(linalg.sqrtm(a, False), tuple[Array, Error])
    assert_type(linalg.sqrtm(a, disp=flag), Array | tuple[Array, Error])
    assert_type(linalg.logm(a), Array)
    assert_type(linalg.logm(a, disp=False), tuple[Array, Error])
    assert_type(linalg.logm(a, flag), Array | tuple[Array, Error])
    assert_type(linalg.expm_frechet(a, a), tuple[Array, Array])
    assert_type(linalg.expm_frechet(a, a, compute_expm=False), Array)
    assert_type(linalg.expm_frechet(a, a, compute_expm=flag), Array | tuple[Array, Array])
    assert_type(linalg.expm_cond(a), float | Doubles)
    assert_type(linalg.bandwidth(a), tuple[int, int] | tuple[Indices, Indices])
    assert_type(linalg.issymmetric(a), bool | NDArray[np.bool_])
    assert_type(linalg.norm(a), np.floating[Any] | Array)
    assert_type(linalg.ishermitian(a), bool | NDArray[np.bool_])
    assert_type(linalg.funm(a, np.sin), Array)
    assert_type(linalg.funm(a, lambda x: x * x, disp=False), tuple[Array, Error])
    assert_type(linalg.funm(a, np.sin, flag), Array | tuple[Array, Error])


def scalars_of_the_blas(a: Doubles, z: NDArray[np.complex64]) -> None:
    assert_type(blas.dot(a, [1.0, 2.0]), np.floating[Any])
    assert_type(blas.dot(z, a), np.complexfloating[Any, Any])
    assert_type(blas.dot(a, z), np.complexfloating[Any, Any])
    assert_type(blas.vdot([1.0, 2.0], a), np.floating[Any])
    assert_type(blas.vdot(z, z), np.complexfloating[Any, Any])
    assert_type(blas.vdot([1, 2], z), np.complexfloating[Any, Any])
    assert_type(blas.nrm2(z), np.floating[Any])
    assert_type(blas.asum(z), np.floating[Any])
    assert_type(blas.iamax(z), int)
    assert_type(blas.gemm(1, a, z), Array)


def mp2(b: Doubles, e: Doubles, flag: bool) -> None:
    assert_type(trnsci.mp2_amplitudes(b, e, e), Doubles)
    assert_type(trnsci.mp2_amplitudes(b, [-1.0], [1.0], out=b), Doubles)
    assert_type(trnsci.mp2_amplitudes(b, e, e, out="t.npy"), str)
    assert_type(trnsci.mp2_amplitudes(b, e, e, out=Path("t.npy")), Path)
    assert_type(trnsci.mp2_amplitudes((b, b), (e, e), (e, e)), tuple[Doubles, Doubles, Doubles])
    assert_type(trnsci.mp2_amplitudes((b, b), (e, [-1.0]), (e, e), out=("a", "b", "c")), tuple[str, str, str])
    assert_type(trnsci.mp2_rdm1(b, e, e), Doubles)
    assert_type(trnsci.mp2_rdm1((b, b), (e, e), (e, e)), tuple[Doubles, Doubles])
    assert_type(trnsci.mp2_rdm1((b, b), [e, e], [e, e]), tuple[Doubles, Doubles])
    assert_type(trnsci.df_mp2_energy(b, e, e), trnsci.MP2Result)
    assert_type(trnsci.df_mp2_energy(b, e, e, plan=True), trnsci.MP2Plan)
    assert_type(trnsci.df_mp2_energy(b, e, e, plan=True, device="interp"), trnsci.MP2Plan | trnsci.DevicePlan)
    assert_type(trnsci.df_mp2_energy(b, e, e, plan=flag), trnsci.MP2Result | trnsci.MP2Plan | trnsci.DevicePlan)


def coulomb_and_exchange(b: Doubles, d: Doubles, flag: bool) -> None:
    assert_type(trnsci.df_jk(b, d), Pair)
    assert_type(trnsci.df_jk(b, d, with_k=False), tuple[Array, None])
    assert_type(trnsci.df_jk(b, d, with_j=False), tuple[None, Array])
    assert_type(trnsci.df_jk(b, d, with_k=flag), tuple[Array | None, Array | None])


def an_array_of_any_dtype_fits(a: Doubles) -> Doubles:
    w, v = trnsci.eigh(a)
    singles: NDArray[np.float32] = w
    print(singles, v.real, v.imag)
    return v


def errors(a: Doubles) -> None:
    try:
        linalg.cholesky(a)
    except linalg.LinAlgError as error:
        assert_type(error.minor, int | None)
    number: int = trnsci.eigh(a)  # type: ignore
    w, v = trnsci.eigh(a, eigvals_only=True), number  # a pair of our own
    linalg.eigh(a, eigvals_only="no")  # type: ignore
    linalg.toeplitz(a)  # type: ignore
    trnsci.eig(a)  # type: ignore
    trnsci.pyscf.accelerate(w, v)  # type: ignore


class MeanField:
    """Stands for PySCF's, which have no types of their own."""


def objects_of_pyscf(mf: MeanField) -> None:
    assert_type(trnsci.pyscf.accelerate(mf), MeanField)
    assert_type(trnsci.pyscf.restore(mf), MeanField)
