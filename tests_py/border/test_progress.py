"""Progress of all long functions is planned once, never falls, and ends at its total. Nothing is timed."""

import matrices
import numpy as np
import pencils
import pytest
import trnsci
from trnsci import linalg

# Reports come every 20 ms, of calls that take some times as long on a fast machine.
MOST_AT_FIRST = 0.9


def positive(n, dtype="float64"):
    a = matrices.random((n, n), dtype)
    return (a @ a.conj().T / n + np.eye(n)).astype(dtype)


def orbitals(nocc=12, nvir=60, naux=150):
    rng = np.random.default_rng(1)
    return rng.standard_normal((nocc, nvir, naux)) / 30, -np.arange(nocc, 0.0, -1), np.arange(1.0, nvir + 1)


def crystal(k=2):
    rng = np.random.default_rng(2)
    b = rng.standard_normal((k, k, 6, 20, 80)) + 1j * rng.standard_normal((k, k, 6, 20, 80))
    occ, vir = np.tile(-np.arange(6, 0.0, -1), (k, 1)), np.tile(np.arange(1.0, 21), (k, 1))
    at = np.arange(k)
    return b, occ, vir, (at[:, None, None] - at[None, :, None] + at[None, None, :]) % k


def tensor(naux=200, nao=80):
    return np.random.default_rng(3).standard_normal((naux, nao * (nao + 1) // 2))


GENERAL = {n: matrices.random((n, n), "float64") for n in (120, 220, 300)}
HERMITIAN = matrices.hermitian(500, "float64")
RNG = np.random.default_rng(4)
DIAGONAL, BESIDE, BAND = RNG.standard_normal(3000), RNG.standard_normal(2999), RNG.standard_normal((6, 900))
WIDE = RNG.standard_normal((81, 900))
DEFINITE = np.full((50, 9000), 0.5)
DEFINITE[-1] = 100
NEAR = GENERAL[220] / 40 + 2 * np.eye(220)


def singular(n):
    """A matrix with five zero eigenvalues that are semisimple."""
    a = GENERAL[n] / 40 + 2 * np.eye(n)
    a[:, :5] = a[:, 5:10]
    return a


def graded(n, ratio):
    d = np.geomspace(1, ratio, n)
    return d[:, None] * (GENERAL[n] / 40 + 2 * np.eye(n)) / d


def direct_sum():
    a = np.zeros((321, 321))
    a[:120, :120], a[120:320, 120:320], a[320, 320] = GENERAL[120], HERMITIAN[:200, :200], -3
    return a


CALLS = {
    "eigh": lambda p: trnsci.eigh(HERMITIAN, progress=p),
    "eigh, complex": lambda p: trnsci.eigh(matrices.hermitian(300, "complex128"), progress=p),
    "eigh, single precision": lambda p: trnsci.eigh(matrices.hermitian(500, "float32"), progress=p),
    "eigh, subset by index": lambda p: trnsci.eigh(HERMITIAN, subset_by_index=[0, 9], progress=p),
    "eigh, subset by value": lambda p: trnsci.eigh(HERMITIAN, subset_by_value=[0, 10], progress=p),
    "eigh, generalized": lambda p: trnsci.eigh(HERMITIAN, positive(500), progress=p),
    "eigh, generalized type 3": lambda p: trnsci.eigh(HERMITIAN, positive(500), type=3, progress=p),
    "eigh, generalized, single": lambda p: trnsci.eigh(matrices.hermitian(400, "float32"), positive(400, "f"),
        progress=p),
    "eigh, lindep": lambda p: trnsci.eigh(HERMITIAN, positive(500), lindep=1e-8, progress=p),
    "eigh, Jacobi": lambda p: trnsci.eigh(matrices.hermitian(150, "float64"), driver="jacobi", progress=p),
    "eigh, Jacobi, definite": lambda p: trnsci.eigh(positive(200), driver="jacobi", progress=p),
    "eigh, stack": lambda p: trnsci.eigh(np.stack([matrices.hermitian(200, "float64")] * 6), progress=p),
    "eigh, stack of small ones": lambda p: trnsci.eigh(np.stack([matrices.hermitian(12, "float64")] * 4000),
        progress=p),
    "eigh, block diagonal": lambda p: trnsci.eigh(np.kron(np.eye(2), HERMITIAN[:250, :250]), progress=p),
    "eigvalsh": lambda p: linalg.eigvalsh(matrices.hermitian(600, "float64"), progress=p),
    "eigh_tridiagonal": lambda p: linalg.eigh_tridiagonal(DIAGONAL[:900], BESIDE[:899], progress=p),
    "eigvalsh_tridiagonal": lambda p: linalg.eigvalsh_tridiagonal(DIAGONAL, BESIDE, progress=p),
    "eig_banded": lambda p: linalg.eig_banded(BAND[:, :500], progress=p),
    "eigvals_banded": lambda p: linalg.eigvals_banded(BAND, progress=p),
    "hessenberg": lambda p: linalg.hessenberg(GENERAL[300], calc_q=True, progress=p),
    "schur": lambda p: trnsci.schur(GENERAL[300], progress=p),
    "schur, complex": lambda p: trnsci.schur(matrices.random((220, 220), "complex128"), progress=p),
    "schur, small": lambda p: trnsci.schur(GENERAL[120], progress=p),
    "schur, output": lambda p: trnsci.schur(GENERAL[220], output="complex", progress=p),
    "schur, sort": lambda p: trnsci.schur(GENERAL[220], sort="lhp", progress=p),
    "schur, output and sort": lambda p: trnsci.schur(GENERAL[220], output="complex", sort="lhp", progress=p),
    "schur, stack": lambda p: trnsci.schur(np.stack([GENERAL[120]] * 5), progress=p),
    "rsf2csf": lambda p: linalg.rsf2csf(*trnsci.schur(GENERAL[220]), progress=p),
    "schur_condition": lambda p: linalg.schur_condition(trnsci.schur(GENERAL[220], output="complex")[0], 100,
        progress=p),
    "matrix_balance": lambda p: linalg.matrix_balance(GENERAL[300], progress=p),
    "eig": lambda p: linalg.eig(GENERAL[220], progress=p),
    "eig, left and right": lambda p: linalg.eig(GENERAL[220], left=True, progress=p),
    "eigvals": lambda p: linalg.eigvals(GENERAL[300], progress=p),
    "eig, generalized": lambda p: linalg.eig(*pencils.random(120, "float64"), left=True, progress=p),
    "eigvals, generalized": lambda p: linalg.eigvals(*pencils.random(120, "complex128"), progress=p),
    "qz": lambda p: linalg.qz(*pencils.random(150, "float64"), progress=p),
    "ordqz": lambda p: linalg.ordqz(*pencils.random(120, "float64"), progress=p),
    "solve_banded": lambda p: linalg.solve_banded((3, 2), BAND, np.ones((900, 40)), progress=p),
    "solve_banded, wide": lambda p: linalg.solve_banded((40, 40), WIDE, np.ones((900, 40)), progress=p),
    "solve_banded, tridiagonal": lambda p: linalg.solve_banded((1, 1), BAND[:3], np.ones((900, 200)), progress=p),
    "solveh_banded": lambda p: linalg.solveh_banded(DEFINITE, np.ones((9000, 9)), progress=p),
    "solveh_banded, tridiagonal": lambda p: linalg.solveh_banded(DEFINITE[-2:], np.ones((9000, 9)), progress=p),
    "cholesky_banded": lambda p: linalg.cholesky_banded(DEFINITE, progress=p),
    "cho_solve_banded": lambda p: linalg.cho_solve_banded((DEFINITE, False), np.ones((9000, 9)), progress=p),
    "solve_toeplitz": lambda p: linalg.solve_toeplitz(DEFINITE[::-1, 0], np.ones((50, 900)), progress=p),
    "qr": lambda p: linalg.qr(GENERAL[300], progress=p),
    "qr, pivoting": lambda p: linalg.qr(GENERAL[300], mode="economic", pivoting=True, progress=p),
    "qr_multiply": lambda p: linalg.qr_multiply(GENERAL[300], GENERAL[300], progress=p),
    "rq": lambda p: linalg.rq(GENERAL[300], progress=p),
    "solve_sylvester": lambda p: linalg.solve_sylvester(GENERAL[220], GENERAL[120], np.ones((220, 120)), progress=p),
    "solve_continuous_lyapunov": lambda p: linalg.solve_continuous_lyapunov(GENERAL[220], np.eye(220), progress=p),
    "solve_discrete_lyapunov": lambda p: linalg.solve_discrete_lyapunov(GENERAL[220], np.eye(220), progress=p),
    "expm": lambda p: linalg.expm(GENERAL[300], progress=p),
    "expm, small norm": lambda p: linalg.expm(GENERAL[300] / 1000, progress=p),
    "expm, triangular": lambda p: linalg.expm(np.triu(GENERAL[300]), progress=p),
    "expm, far from normal": lambda p: linalg.expm(graded(300, 1e8), progress=p),
    "norm": lambda p: linalg.norm(GENERAL[300], "nuc", progress=p),
    "expm_frechet": lambda p: linalg.expm_frechet(GENERAL[220], GENERAL[220], progress=p),
    "expm_frechet, small norm": lambda p: linalg.expm_frechet(GENERAL[220] / 1e3, GENERAL[220], compute_expm=False,
        progress=p),
    "expm_frechet, blocks": lambda p: linalg.expm_frechet(GENERAL[220], GENERAL[220], "blockEnlarge", progress=p),
    "expm_cond": lambda p: linalg.expm_cond(GENERAL[120], progress=p),
    "cosm": lambda p: linalg.cosm(GENERAL[300], progress=p),
    "sinm, complex": lambda p: linalg.sinm(matrices.random((220, 220), "complex128"), progress=p),
    "tanm": lambda p: linalg.tanm(GENERAL[220] / 40, progress=p),
    "coshm": lambda p: linalg.coshm(GENERAL[300], progress=p),
    "tanhm": lambda p: linalg.tanhm(GENERAL[220] / 40, progress=p),
    "solve_continuous_are": lambda p: linalg.solve_continuous_are(GENERAL[120] / 40, *(np.eye(120),) * 3, progress=p),
    "solve_discrete_are": lambda p: linalg.solve_discrete_are(GENERAL[120] / 40, *(np.eye(120),) * 3, progress=p),
    "sqrtm": lambda p: linalg.sqrtm(GENERAL[220], progress=p),
    "sqrtm, real": lambda p: linalg.sqrtm(NEAR, progress=p),
    "logm": lambda p: linalg.logm(GENERAL[220], progress=p),
    "logm, definite": lambda p: linalg.logm(positive(220), progress=p),
    "fractional_matrix_power": lambda p: linalg.fractional_matrix_power(NEAR, 0.3, progress=p),
    "fractional_matrix_power, large": lambda p: linalg.fractional_matrix_power(NEAR, 3.3, progress=p),
    "fractional_matrix_power, integer": lambda p: linalg.fractional_matrix_power(NEAR, -7, progress=p),
    "signm": lambda p: linalg.signm(GENERAL[220], progress=p),
    "sqrtm, singular": lambda p: linalg.sqrtm(singular(220), progress=p),
    "fractional_matrix_power, singular": lambda p: linalg.fractional_matrix_power(singular(220), 0.3, progress=p),
    "fractional_matrix_power, none": lambda p: linalg.fractional_matrix_power(singular(220), -0.3, progress=p),
    "signm, singular": lambda p: linalg.signm(singular(220), progress=p),
    "signm, singular triangle": lambda p: linalg.signm(np.triu(GENERAL[220], 5), progress=p),
    "sqrtm, Hermitian": lambda p: linalg.sqrtm(HERMITIAN, progress=p),
    "logm, Hermitian": lambda p: linalg.logm(HERMITIAN, progress=p),
    "logm, complex Hermitian": lambda p: linalg.logm(matrices.hermitian(300, "complex128"), progress=p),
    "logm, graded": lambda p: linalg.logm(graded(220, 1e6), progress=p),
    "logm, triangular": lambda p: linalg.logm(np.triu(NEAR), progress=p),
    "logm, direct sum": lambda p: linalg.logm(direct_sum(), progress=p),
    "sqrtm, stack": lambda p: linalg.sqrtm(np.stack([NEAR, singular(220), HERMITIAN[:220, :220], np.eye(220)]),
        progress=p),
    "funm": lambda p: linalg.funm(GENERAL[220], np.sin, progress=p),
    "inv_sqrt_spd": lambda p: linalg.inv_sqrt_spd(positive(400), progress=p),
    "cholesky": lambda p: linalg.cholesky(positive(1200), progress=p),
    "cho_factor": lambda p: linalg.cho_factor(positive(1200), progress=p),
    "cho_solve": lambda p: linalg.cho_solve((np.tril(positive(900)), True), np.ones((900, 600)), progress=p),
    "solve_triangular": lambda p: linalg.solve_triangular(np.triu(positive(900)), np.ones((900, 900)), progress=p),
    "qr_insert": lambda p: linalg.qr_insert(np.eye(300), np.eye(300), np.ones((90, 300)), 3, progress=p),
    "qr_insert, columns": lambda p: linalg.qr_insert(np.eye(300, 200), np.eye(200), np.ones((300, 90)), 3, "col", 0,
        progress=p),
    "qr_delete": lambda p: linalg.qr_delete(np.eye(300), np.eye(300), 3, 90, progress=p),
    "qr_delete, columns": lambda p: linalg.qr_delete(np.eye(300), np.eye(300), 3, 90, "col", progress=p),
    "qr_update": lambda p: linalg.qr_update(np.eye(300), np.eye(300), np.ones((300, 90)), np.ones((300, 90)),
        progress=p),
    "ldl": lambda p: linalg.ldl(HERMITIAN, progress=p),
    "lu_factor": lambda p: linalg.lu_factor(matrices.random((900, 900), "float64"), progress=p),
    "lu_solve": lambda p: linalg.lu_solve((positive(900), np.arange(900)), np.ones((900, 600)), progress=p),
    "lu": lambda p: linalg.lu(matrices.random((900, 900), "float64"), progress=p),
    "det": lambda p: linalg.det(matrices.random((900, 900), "float64"), progress=p),
    "slogdet": lambda p: linalg.slogdet(matrices.random((900, 900), "float64"), progress=p),
    "solve": lambda p: linalg.solve(matrices.random((900, 900), "float64"), np.ones((900, 100)), progress=p),
    "inv": lambda p: linalg.inv(matrices.random((900, 900), "float64"), progress=p),
    "df_mp2_energy": lambda p: trnsci.df_mp2_energy(*orbitals(), progress=p),
    "df_mp2_energy, tolerance": lambda p: trnsci.df_mp2_energy(*orbitals(), precision="mixed", progress=p),
    "sos_mp2_energy": lambda p: trnsci.sos_mp2_energy(*orbitals(), progress=p),
    "df_gmp2_energy": lambda p: trnsci.df_gmp2_energy(*orbitals(), progress=p),
    "df_kmp2_energy": lambda p: trnsci.df_kmp2_energy(*crystal(), progress=p),
    "mp2_amplitudes": lambda p: trnsci.mp2_amplitudes(*orbitals(), progress=p),
    "mp2_rdm1": lambda p: trnsci.mp2_rdm1(*orbitals(), progress=p),
    "mp2_rdm1, open shell": lambda p: trnsci.mp2_rdm1(*((x, x) for x in orbitals()), progress=p),
    "df_jk": lambda p: trnsci.df_jk(tensor(), np.eye(80), progress=p),
    "df_fit": lambda p: trnsci.df_fit(positive(200), tensor(), axis=0, progress=p),
    "df_transform": lambda p: trnsci.df_transform(tensor(), np.eye(80)[:, :20], np.eye(80)[:, 20:], progress=p),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:A. the matrix is singular to working precision")
@pytest.mark.parametrize("name", CALLS)
def test_progress_is_planned_once_and_reaches_its_end(name):
    seen = []
    CALLS[name](lambda done, total: seen.append((done, total)))
    done, totals = [d for d, _ in seen], {t for _, t in seen}
    assert len(totals) == 1 and min(totals) > 0, f"totals {totals}"
    total = totals.pop()
    assert done == sorted(done) and done[0] >= 0 and done[-1] == total, seen
    assert all(isinstance(x, int) for x in (*done, total))
    assert len(done) < 3 or done[0] < MOST_AT_FIRST * total, (
        f"the first of {len(done)} reports says {done[0]} of {total}"
    )


def test_a_call_of_nothing_has_a_single_step():
    seen = []
    trnsci.eigh(np.eye(2), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] > 0


CALLS_OF_NOTHING = {
    "eigh": lambda p, a: trnsci.eigh(a, progress=p),
    "eigh, generalized": lambda p, a: trnsci.eigh(a, a, progress=p),
    "eig_banded": lambda p, a: linalg.eig_banded(np.ones((2, 0)), progress=p),
    "eigvalsh_tridiagonal": lambda p, a: linalg.eigvalsh_tridiagonal(np.ones((0, 3)), np.ones((0, 2)), progress=p),
    "schur, output and sort": lambda p, a: trnsci.schur(a, output="complex", sort="lhp", progress=p),
    "matrix_balance": lambda p, a: linalg.matrix_balance(a, progress=p),
    "eig, generalized": lambda p, a: linalg.eig(a, a, progress=p),
    "ordqz": lambda p, a: linalg.ordqz(a, a, progress=p),
    "solve_sylvester": lambda p, a: linalg.solve_sylvester(a, a, a, progress=p),
    "expm": lambda p, a: linalg.expm(a, progress=p),
    "expm_frechet": lambda p, a: linalg.expm_frechet(a, a, progress=p),
    "expm_cond": lambda p, a: linalg.expm_cond(a, progress=p),
    "cosm": lambda p, a: linalg.cosm(a, progress=p),
    "tanhm": lambda p, a: linalg.tanhm(a, progress=p),
    "solve_continuous_are": lambda p, a: linalg.solve_continuous_are(a, a, a, a, progress=p),
    "logm": lambda p, a: linalg.logm(a, progress=p),
    "funm": lambda p, a: linalg.funm(a, np.sin, progress=p),
    "inv_sqrt_spd": lambda p, a: linalg.inv_sqrt_spd(a, progress=p),
    "cholesky": lambda p, a: linalg.cholesky(a, progress=p),
    "cho_solve": lambda p, a: linalg.cho_solve((np.eye(3), True), np.ones((3, 0)), progress=p),
    "df_mp2_energy": lambda p, a: trnsci.df_mp2_energy(np.ones((2, 0, 3)), [-2, -1], [], progress=p),
}


@pytest.mark.parametrize("shape", [(0, 0), (0, 3, 3), (2, 0, 0)])
@pytest.mark.parametrize("name", CALLS_OF_NOTHING)
def test_arrays_without_elements_are_a_single_step(name, shape):
    seen, call, a = [], CALLS_OF_NOTHING[name], np.ones(shape)
    call(lambda done, total: seen.append((done, total)), a)
    assert seen[-1][0] == seen[-1][1] > 0 and len({total for _, total in seen}) == 1, seen
    with pytest.raises(TypeError, match=r"^progress: expected a bool"):
        call("yes", a)
    with pytest.raises(ZeroDivisionError):
        call(lambda done, total: 1 // 0, a)


@pytest.mark.parametrize(("call", "label"), [
    (lambda: trnsci.eigh(np.eye(30), progress=True), "eigh 30"),
    (lambda: linalg.eigvalsh(np.eye(31), progress=True), "eigvalsh 31"),
    (lambda: linalg.eigvals(np.eye(32), progress=True), "eigvals 32"),
    (lambda: trnsci.schur(np.eye(33), sort="lhp", progress=True), "schur 33"),
    (lambda: linalg.funm(np.eye(34), np.sin, progress=True), "funm 34"),
    (lambda: linalg.ordqz(np.eye(35), np.eye(35), progress=True), "ordqz 35"),
    (lambda: trnsci.df_mp2_energy(*orbitals(2, 3, 4), progress=True), "df_mp2_energy"),
])  # fmt: skip
def test_a_bar_is_called_as_the_function(call, label, monkeypatch):
    tqdm = pytest.importorskip("tqdm.auto", reason="there are no bars without tqdm")
    labels, shown = [], []

    class Bar(tqdm.tqdm):
        def __init__(self, *args, **options):
            labels.append(options["desc"])
            super().__init__(*args, **options)

        def close(self):
            shown.append((self.n, self.total))
            super().close()

    monkeypatch.setattr(tqdm, "tqdm", Bar)
    call()
    assert labels == [label]
    assert all(n == total > 0 for n, total in shown)
