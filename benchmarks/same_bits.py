"""Compare the results of two builds bit for bit: a change that only moves code must not change any.

Run ``same_bits.py record FILE`` with each build, then ``same_bits.py compare BEFORE AFTER``. The calls cover every
numerical function of the package, its dtypes, layouts and options, and orders on both sides of the limits where
algorithms change. FILE holds a digest of the results of each call. Digests depend on the processor and on NumPy, which
draws the inputs: compare files of one machine. Set GODEBUG=cpu.avx512f=off to record the kernels for AVX2 on a
processor with AVX-512.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import trnsci
from trnsci import blas, linalg, mp2

Call = Callable[[], Any]

REAL = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
ALL = REAL + COMPLEX
# Below, between and above the orders at which eigensolvers, Schur forms and products change their algorithm.
ORDERS: tuple[int, ...] = (1, 2, 5, 17, 33, 64, 100, 161)
SOME_ORDERS: tuple[int, ...] = (5, 64, 100)
LARGE = (300,)


class Inputs:
    """Random arrays that depend on the name of the call alone."""

    def __init__(self, name: str, dtype: str) -> None:
        self.rng = np.random.default_rng(zlib.crc32(name.encode()))
        self.dtype = np.dtype(dtype)

    def array(self, *shape: int) -> Any:
        """Return normally distributed numbers."""
        a = self.rng.standard_normal(shape)
        if self.dtype.kind == "c":
            a = a + 1j * self.rng.standard_normal(shape)
        return a.astype(self.dtype)

    def hermitian(self, n: int) -> Any:
        """Return a Hermitian matrix. No product of NumPy's is in it, whose bits depend on threads."""
        a = self.array(n, n)
        return a + a.conj().T

    def definite(self, n: int) -> Any:
        """Return a Hermitian matrix that is diagonally dominant."""
        return self.hermitian(n) / self.dtype.type(n) + 4 * np.eye(n, dtype=self.dtype)

    def triangular(self, n: int) -> Any:
        """Return an upper triangle with a dominant diagonal."""
        return np.triu(self.array(n, n)) / self.dtype.type(n) + 2 * np.eye(n, dtype=self.dtype)

    def graded(self, n: int) -> Any:
        """Return a matrix whose rows and columns have very different norms."""
        scale = 2.0 ** self.rng.integers(-12, 12, n)
        return (scale[:, None] * self.array(n, n) / scale).astype(self.dtype)

    def stable(self, n: int) -> Any:
        """Return a matrix whose eigenvalues are near 2, which has roots and logarithms."""
        return self.array(n, n) / self.dtype.type(4 * np.sqrt(n)) + 2 * np.eye(n, dtype=self.dtype)


def hermitian_calls(x: Inputs, n: int) -> Iterator[tuple[str, Call]]:
    """Eigenproblems of Hermitian matrices, Cholesky factors, triangles."""
    a, b, p = x.hermitian(n), x.definite(n), x.definite(n)
    real = np.dtype(x.dtype.char.lower())
    d, e = x.rng.standard_normal(n).astype(real), x.rng.standard_normal(max(n - 1, 0)).astype(real)
    band = x.array(min(4, n), n)
    band[-1] = band[-1].real
    yield "eigh", lambda: linalg.eigh(a)
    yield "eigh, upper, by columns", lambda: linalg.eigh(np.asfortranarray(a), lower=False)
    yield "eigh, generalized", lambda: linalg.eigh(a, b)
    yield "eigh, subset", lambda: linalg.eigh(a, subset_by_index=(n // 3, n // 2))
    yield "eigh, threads", lambda: linalg.eigh(a, threads=2)
    yield "eigvalsh", lambda: linalg.eigvalsh(a)
    yield "cholesky", lambda: linalg.cholesky(p, lower=True)
    yield "cho_solve", lambda: linalg.cho_solve(linalg.cho_factor(p), a)
    yield "qr", lambda: linalg.qr(a)
    yield "qr, pivoting", lambda: linalg.qr(a, pivoting=True)
    yield "rq", lambda: linalg.rq(a)
    yield "inv_sqrt_spd", lambda: linalg.inv_sqrt_spd(p)
    yield "eig_banded", lambda: linalg.eig_banded(band)
    yield "eigh, stack", lambda: linalg.eigh(np.stack([a, p, b]))
    if x.dtype.kind == "f":
        yield "eigh_tridiagonal", lambda: linalg.eigh_tridiagonal(d, e)
        yield "eigvalsh_tridiagonal", lambda: linalg.eigvalsh_tridiagonal(d, e)
    if n <= 100:
        yield "eigh, jacobi", lambda: linalg.eigh(a, driver="jacobi")
        yield "eigh, lindep", lambda: linalg.eigh(a, b, lindep=1e-3)


def general_calls(x: Inputs, n: int) -> Iterator[tuple[str, Call]]:
    """Forms and eigenvectors of general matrices and of pairs of them."""
    a, b, g = x.array(n, n), x.array(n, n), x.graded(n)
    yield "hessenberg", lambda: linalg.hessenberg(a, calc_q=True)
    yield "matrix_balance", lambda: linalg.matrix_balance(g)
    yield "schur", lambda: linalg.schur(a)
    yield "schur, complex, sorted", lambda: linalg.schur(a, output="complex", sort="lhp")
    yield "schur, sorted", lambda: linalg.schur(a, sort="iuc")
    yield "schur, called sort", lambda: linalg.schur(a, sort=lambda re, im=0.0: re.real > 0)
    yield "schur, threads", lambda: linalg.schur(a, threads=2)
    yield "schur, graded", lambda: linalg.schur(g)
    yield "eig", lambda: linalg.eig(a, left=True)
    yield "eigvals", lambda: linalg.eigvals(g)
    yield "qz", lambda: linalg.qz(a, b)
    yield "ordqz", lambda: linalg.ordqz(a, b, sort="rhp")
    yield "eig of a pair", lambda: linalg.eig(a, b)
    if x.dtype.kind == "f":
        yield "rsf2csf", lambda: linalg.rsf2csf(*linalg.schur(a))


def function_calls(x: Inputs, n: int) -> Iterator[tuple[str, Call]]:
    """Functions of matrices and matrix equations."""
    a, s, p, q = x.array(n, n), x.stable(n), x.stable(n), x.array(n, n)
    yield "expm", lambda: linalg.expm(a)
    yield "logm", lambda: linalg.logm(s)
    yield "sqrtm", lambda: linalg.sqrtm(s)
    yield "signm", lambda: linalg.signm(a)
    yield "fractional_matrix_power", lambda: linalg.fractional_matrix_power(s, 0.3)
    yield "funm", lambda: linalg.funm(s, np.cos)
    yield "solve_sylvester", lambda: linalg.solve_sylvester(s, p, q)
    yield "solve_continuous_lyapunov", lambda: linalg.solve_continuous_lyapunov(s, q)
    yield "solve_discrete_lyapunov", lambda: linalg.solve_discrete_lyapunov(s / 4, q)
    yield "schur_condition", lambda: linalg.schur_condition(linalg.schur(a, output="complex")[0], n // 2)


def blas_calls(x: Inputs, n: int) -> Iterator[tuple[str, Call]]:
    """The BLAS."""
    m, k = n + 3, 2 * n + 1
    a, b, c = x.array(m, k), x.array(k, n), x.array(m, n)
    square, other, t = x.array(n, n), x.array(n, n), x.triangular(n)
    v, w = x.array(n), x.array(n)
    h = x.hermitian(n)
    stack = x.array(3, n, n)
    yield "gemm", lambda: blas.gemm(1.5, a, b)
    yield "gemm, transposed", lambda: blas.gemm(2, a, x.array(n, k), 0.5, c, transB=True)
    yield "gemm, by columns", lambda: blas.gemm(1, np.asfortranarray(a), np.asfortranarray(b), threads=2)
    yield "batched_gemm", lambda: blas.batched_gemm(1, stack, stack)
    yield "gemmt", lambda: blas.gemmt(1, square, other)
    yield "syrk", lambda: blas.syrk(1, a)
    yield "syr2k", lambda: blas.syr2k(1, square, other)
    yield "symm", lambda: blas.symm(1, square, other)
    yield "trmm", lambda: blas.trmm(1, t, square)
    yield "trsm", lambda: blas.trsm(1, t, square)
    yield "trsm, right", lambda: blas.trsm(1, t, square, side="right", trans=True)
    yield "lu_factor", lambda: linalg.lu_factor(square)
    yield "lu_solve", lambda: linalg.lu_solve(linalg.lu_factor(square), other)
    yield "solve", lambda: linalg.solve(square, other)
    yield "inv", lambda: linalg.inv(square)
    yield "det", lambda: linalg.det(square)
    yield "solve_triangular", lambda: linalg.solve_triangular(t, square)
    if x.dtype.kind == "c":
        yield "herk", lambda: blas.herk(1, a)
        yield "her2k", lambda: blas.her2k(1, square, other)
        yield "hemm", lambda: blas.hemm(1, h, other)
        yield "hemv", lambda: blas.hemv(1, h, v)
        yield "level 1, conjugated", lambda: (blas.vdot(v, w), blas.gerc(1, v, w), blas.her(1, v), blas.her2(1, v, w))
    yield "level 1 sums", lambda: (blas.asum(v), blas.dot(v, w), blas.iamax(v), blas.nrm2(v))
    yield "level 1 vectors", lambda: (blas.axpy(2, v, w), blas.scal(3, v))
    yield (
        "level 2",
        lambda: (
            blas.gemv(1, square, v),
            blas.gemv(1, square, v, trans=True),
            blas.ger(1, v, w),
            blas.symv(1, h, v),
            blas.syr(1, v),
            blas.syr2(1, v, w),
            blas.trmv(t, v),
            blas.trsv(t, v),
        ),
    )


def correlation_calls(x: Inputs) -> Iterator[tuple[str, Call]]:
    """DF-MP2, and what is made of three-index integrals."""
    nocc, nvir, naux, nao = 7, 19, 43, 26
    b, other = x.array(nocc, nvir, naux), x.array(nocc + 1, nvir - 1, naux)
    eps = -np.sort(x.rng.random(nocc + 1) + 1)[::-1], np.sort(x.rng.random(nvir) + 0.5)
    occ, vir = eps[0][:nocc], eps[1]
    spins = (b, other), (occ, eps[0]), (vir, vir[:-1])
    metric, integrals = x.definite(naux), x.array(nao * (nao + 1) // 2, naux)
    packed = x.array(naux, nao * (nao + 1) // 2)
    dm, coefficients = x.hermitian(nao), x.array(nao, nao)
    yield "df_mp2_energy", lambda: mp2.df_mp2_energy(b, occ, vir, pair_energies=True)
    yield "df_mp2_energy, unrestricted", lambda: mp2.df_mp2_energy(*spins, threads=2)
    if x.dtype == np.float64:
        yield "df_mp2_energy, mixed", lambda: mp2.df_mp2_energy(b, occ, vir, precision="mixed")
        yield "df_mp2_energy, tolerance", lambda: mp2.df_mp2_energy(b, occ, vir, precision="mixed", etol=1e-5)
        yield "df_mp2_energy, interpreter", lambda: mp2.df_mp2_energy(b, occ, vir, device="interp", precision="fp32")
        yield "df_jk", lambda: trnsci.df_jk(packed, dm)
        occupied = coefficients[:, :5]
        of_orbitals = np.einsum("ui,vi->uv", occupied, occupied, optimize=False)
        yield "df_jk, orbitals", lambda: trnsci.df_jk(packed, of_orbitals, mo_coeff=occupied, mo_occ=np.ones(5))
        yield "df_transform", lambda: trnsci.df_transform(packed, coefficients[:, :5], coefficients[:, 5:])
        yield "df_fit", lambda: trnsci.df_fit(metric, integrals, axis=-1)
        on_device: Any = {"device": "interp", "precision": "bf16x2"}
        yield "blas.gemm, interpreter", lambda: blas.gemm(1, packed, packed, transB=True, **on_device)
    yield "df_gmp2_energy", lambda: mp2.df_gmp2_energy(b, occ, vir)
    yield "df_gmp2_energy, complex", lambda: mp2.df_gmp2_energy(b + 0.5j * b[::-1], occ, vir)
    yield "sos_mp2_energy", lambda: mp2.sos_mp2_energy(b, occ, vir)
    yield "mp2_amplitudes", lambda: mp2.mp2_amplitudes(b, occ, vir)
    yield "mp2_rdm1", lambda: mp2.mp2_rdm1(b, occ, vir)
    yield "mp2_natural_orbitals", lambda: mp2.mp2_natural_orbitals(mp2.mp2_rdm1(b, occ, vir))
    k = np.array([[[0, 1], [1, 0]], [[1, 0], [0, 1]]])
    blocks = {(i, j): x.array(nocc, nvir, naux) + 1j * x.array(nocc, nvir, naux) for i in range(2) for j in range(2)}
    orbitals = [occ, occ], [vir, vir]
    by_points = [[blocks[i, j] for j in range(2)] for i in range(2)]
    yield "df_kmp2_energy", lambda: mp2.df_kmp2_energy(by_points, *orbitals, k)


def calls() -> Iterator[tuple[str, Call]]:
    """Yield every call with its name."""
    families = {"hermitian": hermitian_calls, "general": general_calls, "functions": function_calls, "blas": blas_calls}
    for family, make in families.items():
        for dtype in ALL:
            orders = ORDERS if dtype == "float64" else SOME_ORDERS
            if dtype in ("float64", "complex64"):
                orders += LARGE
            for n in orders:
                name = f"{family} {dtype} {n}"
                yield from ((f"{name}: {what}", call) for what, call in make(Inputs(name, dtype), n))
    for dtype in REAL:
        name = f"correlation {dtype}"
        yield from ((f"{name}: {what}", call) for what, call in correlation_calls(Inputs(name, dtype)))


def digest(result: Any, into: Any) -> None:
    """Add a result to a digest: arrays with dtype and shape, containers member by member."""
    if dataclasses.is_dataclass(result):
        result = [getattr(result, field.name) for field in dataclasses.fields(result)]
    if isinstance(result, dict):
        result = [item for key in sorted(result) for item in (key, result[key])]
    if isinstance(result, (list, tuple)):
        for part in result:
            digest(part, into)
    elif result is None or isinstance(result, str):
        into.update(repr(result).encode())
    else:
        a = np.asarray(result)
        into.update(f"{a.dtype.str}{a.shape}".encode())
        into.update(a.tobytes())


def outcome(call: Call) -> str:
    """Return a digest of what a call returns, or the name of its error."""
    into = hashlib.sha256()
    try:
        digest(call(), into)
    except Exception as error:
        return type(error).__name__
    return into.hexdigest()[:32]


def record(file: Path) -> None:
    """Run all calls and write their digests."""
    results = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, call in calls():
            results[name] = outcome(call)
    file.write_text(json.dumps(results, indent=0))
    errors = [f"{name}: {value}" for name, value in results.items() if len(value) < 32]
    print(f"{len(results)} calls, {len(errors)} of them raise an error")
    print("\n".join(errors))


def compare(before: Path, after: Path) -> int:
    """Print the calls whose results differ and return their number."""
    old, new = json.loads(before.read_text()), json.loads(after.read_text())
    differing = [name for name in old if old[name] != new.get(name)]
    print(f"{len(old)} calls, {len(differing)} differ, {len(new.keys() - old.keys())} are new")
    print("\n".join(differing))
    return len(differing)


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("record", "compare"))
    parser.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    if options.action == "record":
        record(*options.files)
        return 0
    return int(compare(*options.files) > 0)


if __name__ == "__main__":
    sys.exit(main())
