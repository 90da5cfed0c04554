"""Every function that reports progress, with operands that keep it busy for many times the interval of reports.

`CALLS` has functions that make the operands and return the call, which takes `progress=`. Operands cost little to make.
"""

import functools

import numpy as np
import pencils
import trnsci
from matrices import random
from trnsci import linalg

NVIR, NAUX = 300, 900


@functools.cache
def general(n, dtype="float64"):
    return random((n, n), dtype) / np.sqrt(n).astype(np.float32)


@functools.cache
def hermitian(n, dtype="float64"):
    a = general(n, dtype)
    return a + a.conj().T


def definite(n, dtype="float64"):
    """Diagonally dominant: nothing has to be multiplied for it."""
    return hermitian(n, dtype) + np.eye(n, dtype=dtype) * 8


def near_one(n):
    return general(n) / 4 + 2 * np.eye(n)


def band(rows, n):
    """Diagonals, the last one being the main one of a diagonally dominant matrix."""
    ab = np.full((rows, n), 0.5)
    ab[-1] = 2.0 * rows
    return ab


def orbitals(nocc, nvir=NVIR, naux=NAUX, dtype=np.float64):
    """Integrals of one occupied orbital stand for those of all, so that hours of work take little memory."""
    rng = np.random.default_rng(501)
    one = (rng.standard_normal((1, nvir, naux)) / naux).astype(dtype)
    return np.broadcast_to(one, (nocc, nvir, naux)), -1 - np.arange(nocc) / nocc, 0.2 + np.arange(nvir) / nvir


def packed_orbitals(nocc, nvir=NVIR, naux=NAUX):
    """Likewise with integrals that have to be packed."""
    across, occ, _ = orbitals(nocc, naux, nvir)
    return across.transpose(0, 2, 1), occ, 0.2 + np.arange(nvir) / nvir


def two_spins(nocc):
    return tuple(zip(orbitals(nocc), orbitals(nocc // 2), strict=True))


def crystal(k=3, nocc=20, nvir=60, naux=400):
    rng = np.random.default_rng(502)
    b = np.broadcast_to(rng.standard_normal((1, 1, nocc, nvir, naux)) / naux + 0j, (k, k, nocc, nvir, naux))
    occ, vir = np.tile(-np.arange(nocc, 0.0, -1), (k, 1)), np.tile(np.arange(1.0, nvir + 1), (k, 1))
    at = np.arange(k)
    return b, occ, vir, (at[:, None, None] - at[None, :, None] + at[None, None, :]) % k


def zeros(nao):
    """A source of packed integrals that is read block by block."""
    return lambda first, end: np.zeros((end - first, nao * (nao + 1) // 2))


def plain(function, *shapes_or_arrays, **options):
    """A call whose operands are made by the functions that are given."""

    def prepared():
        args = [make() for make in shapes_or_arrays]
        return functools.partial(function, *args, **options)

    return prepared


def of(function, make, **options):
    """A call whose operands are the members of a tuple."""
    return lambda: functools.partial(function, *make(), **options)


CALLS = {
    "eigh": plain(trnsci.eigh, lambda: hermitian(1500)),
    "eigh, complex": plain(trnsci.eigh, lambda: hermitian(900, "complex128")),
    "eigh, float32": plain(trnsci.eigh, lambda: hermitian(1800, "float32")),
    "eigh, subset": plain(trnsci.eigh, lambda: hermitian(1800), subset_by_index=(0, 9)),
    "eigh, generalized": plain(trnsci.eigh, lambda: hermitian(1200), lambda: definite(1200)),
    "eigh, lindep": plain(trnsci.eigh, lambda: hermitian(1000), lambda: definite(1000), lindep=1e-8),
    "eigh, Jacobi": plain(trnsci.eigh, lambda: hermitian(500), driver="jacobi"),
    "eigh, stack": plain(trnsci.eigh, lambda: np.broadcast_to(hermitian(150), (600, 150, 150))),
    "eigh, stack of small ones": plain(trnsci.eigh, lambda: np.broadcast_to(hermitian(12), (200_000, 12, 12))),
    "eigvalsh": plain(linalg.eigvalsh, lambda: hermitian(2000)),
    "eigh_tridiagonal": plain(linalg.eigh_tridiagonal, lambda: np.zeros(2500), lambda: np.ones(2499)),
    "eigvalsh_tridiagonal": plain(
        linalg.eigvalsh_tridiagonal, lambda: general(300).ravel()[:20000], lambda: np.ones(19999)
    ),
    "eig_banded": plain(linalg.eig_banded, lambda: general(1500)[:6]),
    "eigvals_banded": plain(linalg.eigvals_banded, lambda: np.tile(general(1500)[:6], (1, 4))),
    "hessenberg": plain(linalg.hessenberg, lambda: general(1500), calc_q=True),
    "schur": plain(trnsci.schur, lambda: general(1000)),
    "schur, complex": plain(trnsci.schur, lambda: general(700, "complex128")),
    "schur, complex form": plain(trnsci.schur, lambda: general(1000), output="complex"),
    "schur, sorted": plain(trnsci.schur, lambda: general(1000), sort="lhp"),
    "schur, stack": plain(trnsci.schur, lambda: np.broadcast_to(general(120), (200, 120, 120))),
    "schur_condition": plain(linalg.schur_condition, lambda: np.triu(general(900, "complex128")), lambda: 450),
    "matrix_balance": plain(linalg.matrix_balance, lambda: np.broadcast_to(general(150), (2000, 150, 150))),
    "eig": plain(linalg.eig, lambda: general(900)),
    "eig, left and right": plain(linalg.eig, lambda: general(800), left=True),
    "eig, generalized": of(linalg.eig, lambda: pencils.random(400, "float64")),
    "eigvals": plain(linalg.eigvals, lambda: general(1200)),
    "eigvals, generalized": of(linalg.eigvals, lambda: pencils.random(500, "complex128")),
    "qz": of(linalg.qz, lambda: pencils.random(500, "float64")),
    "ordqz": of(linalg.ordqz, lambda: pencils.random(500, "float64")),
    "qr": plain(linalg.qr, lambda: general(2000)),
    "qr, pivoting": plain(linalg.qr, lambda: general(1500), pivoting=True),
    "qr_multiply": plain(linalg.qr_multiply, lambda: general(2000), lambda: general(2000)),
    "qr_insert": plain(linalg.qr_insert, lambda: np.eye(1500), *[lambda: np.triu(general(1500))] * 2, lambda: 0),
    "qr_insert, columns": plain(
        linalg.qr_insert,
        lambda: np.eye(3000, 1500),
        lambda: np.triu(general(1500)),
        lambda: general(3000)[:, :200],
        lambda: 0,
        which="col",
    ),
    "qr_delete": plain(linalg.qr_delete, lambda: np.eye(1500), lambda: np.triu(general(1500)), lambda: 0, p=300),
    "qr_update": of(
        linalg.qr_update, lambda: (np.eye(1500), np.triu(general(1500)), general(1500)[:200].T, general(1500)[:, :200])
    ),
    "rq": plain(linalg.rq, lambda: general(2000)),
    "svd": plain(linalg.svd, lambda: general(1000)),
    "svd, tall": plain(linalg.svd, lambda: general(1500)[:, :700], full_matrices=False),
    "svd, complex": plain(linalg.svd, lambda: general(600, "complex128")),
    "svdvals": plain(linalg.svdvals, lambda: general(1300)),
    "pinv": plain(linalg.pinv, lambda: general(1000)),
    "pinvh": plain(linalg.pinvh, lambda: hermitian(1500)),
    "polar": plain(linalg.polar, lambda: general(1000)),
    "orth": plain(linalg.orth, lambda: general(1000)),
    "null_space": plain(linalg.null_space, lambda: general(1000)),
    "lstsq": plain(linalg.lstsq, lambda: general(1000), lambda: np.ones((1000, 3))),
    "subspace_angles": plain(linalg.subspace_angles, lambda: general(900), lambda: general(1000)[:900, :500]),
    # Of few rows, so that their product does not take long.
    "orthogonal_procrustes": plain(linalg.orthogonal_procrustes, lambda: general(900)[:40], lambda: near_one(900)[:40]),
    "solve_sylvester": plain(
        linalg.solve_sylvester, lambda: near_one(800), lambda: near_one(700), lambda: np.ones((800, 700))
    ),
    "solve_continuous_lyapunov": plain(linalg.solve_continuous_lyapunov, lambda: near_one(900), lambda: np.eye(900)),
    "solve_discrete_lyapunov": plain(linalg.solve_discrete_lyapunov, lambda: near_one(900), lambda: np.eye(900)),
    "solve_continuous_are": of(linalg.solve_continuous_are, lambda: (near_one(250), *(np.eye(250),) * 3)),
    "solve_discrete_are": of(linalg.solve_discrete_are, lambda: (near_one(250), *(np.eye(250),) * 3)),
    "norm": plain(linalg.norm, lambda: general(1500), ord=2),
    "expm": plain(linalg.expm, lambda: general(1200)),
    "expm, triangular": plain(linalg.expm, lambda: np.triu(general(1500))),
    "expm_frechet": plain(linalg.expm_frechet, lambda: general(800), lambda: general(800)),
    "expm_frechet, blocks": plain(
        linalg.expm_frechet, lambda: general(600), lambda: general(600), method="blockEnlarge"
    ),
    "expm_cond": plain(linalg.expm_cond, lambda: general(300)),
    "cosm": plain(linalg.cosm, lambda: general(900)),
    "sinm": plain(linalg.sinm, lambda: general(600, "complex128")),
    "tanm": plain(linalg.tanm, lambda: general(900)),
    "coshm": plain(linalg.coshm, lambda: general(1000)),
    "sinhm": plain(linalg.sinhm, lambda: general(1000)),
    "tanhm": plain(linalg.tanhm, lambda: near_one(1000)),
    "sqrtm": plain(linalg.sqrtm, lambda: near_one(900)),
    "sqrtm, Hermitian": plain(linalg.sqrtm, lambda: hermitian(1200)),
    "logm": plain(linalg.logm, lambda: near_one(700)),
    "fractional_matrix_power": plain(linalg.fractional_matrix_power, lambda: near_one(700), lambda: 0.3),
    "fractional_matrix_power, integer": plain(linalg.fractional_matrix_power, lambda: near_one(1500), lambda: 61),
    "signm": plain(linalg.signm, lambda: general(900)),
    "funm": plain(linalg.funm, lambda: general(900), lambda: np.exp),
    "inv_sqrt_spd": plain(linalg.inv_sqrt_spd, lambda: definite(1500)),
    "cholesky": plain(linalg.cholesky, lambda: definite(3000)),
    "cho_factor": plain(linalg.cho_factor, lambda: definite(3000)),
    "cho_solve": plain(linalg.cho_solve, lambda: (definite(2000), True), lambda: np.ones((2000, 3000))),
    "solve_triangular": plain(linalg.solve_triangular, lambda: definite(2500), lambda: np.ones((2500, 3000))),
    "solve_banded": plain(
        linalg.solve_banded, lambda: (60, 60), lambda: band(121, 30000), lambda: np.ones((30000, 30))
    ),
    "solve_banded, tridiagonal": plain(
        linalg.solve_banded, lambda: (1, 1), lambda: band(3, 300000), lambda: np.ones((300000, 50))
    ),
    "solveh_banded": plain(linalg.solveh_banded, lambda: band(120, 30000), lambda: np.ones((30000, 30))),
    "cholesky_banded": plain(linalg.cholesky_banded, lambda: band(300, 30000)),
    "cho_solve_banded": plain(
        linalg.cho_solve_banded, lambda: (band(20, 100000), False), lambda: np.ones((100000, 60))
    ),
    "solve_toeplitz": plain(linalg.solve_toeplitz, lambda: band(1, 20000)[0], lambda: np.ones((20000, 2))),
    "ldl": plain(linalg.ldl, lambda: hermitian(3000)),
    "lu_factor": plain(linalg.lu_factor, lambda: general(3000)),
    "lu_solve": plain(linalg.lu_solve, lambda: (general(2000), np.arange(2000)), lambda: np.ones((2000, 3000))),
    "lu": plain(linalg.lu, lambda: general(3000)),
    "det": plain(linalg.det, lambda: general(3000)),
    "slogdet": plain(linalg.slogdet, lambda: general(3000)),
    "solve": plain(linalg.solve, lambda: general(2000), lambda: np.ones((2000, 2000))),
    "solve, symmetric": plain(linalg.solve, lambda: hermitian(2000), lambda: np.ones((2000, 2000)), assume_a="sym"),
    "inv": plain(linalg.inv, lambda: general(2000)),
    "df_mp2_energy": of(trnsci.df_mp2_energy, lambda: orbitals(400)),
    "df_mp2_energy, packed": of(trnsci.df_mp2_energy, lambda: packed_orbitals(400)),
    "df_mp2_energy, mixed": of(trnsci.df_mp2_energy, lambda: orbitals(200), precision="mixed"),
    "df_mp2_energy, two spins": of(trnsci.df_mp2_energy, lambda: two_spins(500)),
    "sos_mp2_energy": of(trnsci.sos_mp2_energy, lambda: orbitals(200, naux=3000), tol=1e-9),
    "df_gmp2_energy": of(trnsci.df_gmp2_energy, lambda: orbitals(400)),
    "df_gmp2_energy, complex": of(trnsci.df_gmp2_energy, lambda: orbitals(200, dtype=complex)),
    "df_kmp2_energy": of(trnsci.df_kmp2_energy, crystal),
    "mp2_amplitudes": of(trnsci.mp2_amplitudes, lambda: orbitals(150, 60, 30000)),
    "mp2_rdm1": of(trnsci.mp2_rdm1, lambda: orbitals(200)),
    "df_jk": plain(trnsci.df_jk, lambda: zeros(200), lambda: np.eye(200), naux=100_000),
    "df_fit": plain(trnsci.df_fit, lambda: definite(1500), lambda: np.ones((1500, 20_000)), overwrite=True),
    "df_fit, indefinite": plain(
        trnsci.df_fit, lambda: hermitian(1500), lambda: np.ones((1500, 20_000)), overwrite=True
    ),
    "df_transform": plain(
        trnsci.df_transform, lambda: zeros(300), lambda: np.ones((300, 20)), lambda: np.ones((300, 30)), naux=100_000
    ),
}
