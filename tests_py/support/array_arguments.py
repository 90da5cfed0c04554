"""A small call of every public function that takes arrays, with its array arguments by name."""

import dataclasses

import numpy as np
import trnsci
from blas_definitions import LEVEL1, LEVEL2, LEVEL3, Call
from trnsci import blas, linalg

# Public names that take no arrays.
WITHOUT_ARRAYS = {"devices", "get_num_threads", "last_report", "release_memory", "set_num_threads", "threads"}

# Symmetric, positive definite, well-conditioned, with different eigenvalues; triangular ones as a Schur form.
SPD = np.array([[4.0, 1.0, 0.5], [1.0, 5.0, 0.25], [0.5, 0.25, 7.0]])
GENERAL = np.array([[1.0, 2.0, 0.5], [-1.0, 3.0, 0.25], [0.5, 1.0, 7.0]])
UPPER = np.triu(SPD)
VECTOR = np.array([1.0, -2.0, 3.0])
BAND = np.array([[4.0, 5.0, 7.0], [1.0, 0.5, 0.25]])  # the diagonal and the one below it
OCC, VIR = np.array([-1.0, -0.5]), np.array([0.5, 0.75, 1.0])
B = np.linspace(-0.5, 0.5, 2 * 3 * 4).reshape(2, 3, 4)
PACKED = np.linspace(-1.0, 1.0, 4 * 6).reshape(4, 6)  # (naux, nao (nao + 1)/2)
MP2 = {"B": B, "eps_occ": OCC, "eps_vir": VIR}


def _squares(value):
    return value * value


# Arrays by name, and the rest of the arguments.
CALLS = {
    "eigh": ({"a": SPD, "b": SPD}, {}),
    "schur": ({"a": GENERAL}, {}),
    "df_fit": ({"metric": SPD, "integrals": SPD}, {}),
    "df_gmp2_energy": (MP2, {}),
    "df_jk": ({"L": PACKED, "dm": SPD, "mo_coeff": np.linalg.cholesky(SPD), "mo_occ": np.ones(3)}, {}),
    "df_kmp2_energy": (
        {
            "B": B[None, None] + 0j,
            "eps_occ": OCC[None],
            "eps_vir": VIR[None],
            "kconserv": np.zeros((1, 1, 1), np.int64),
        },
        {},
    ),
    "df_mp2_energy": (MP2, {"pair_energies": True}),
    "df_transform": ({"L": PACKED, "occ_coeff": SPD[:, :1].copy(), "vir_coeff": SPD[:, 1:].copy()}, {}),
    "mp2_amplitudes": (MP2, {}),
    "mp2_natural_orbitals": ({"rdm1": SPD}, {}),
    "mp2_rdm1": (MP2, {}),
    "sos_mp2_energy": (MP2, {}),
    "bandwidth": ({"a": UPPER}, {}),
    "cdf2rdf": ({"w": VECTOR, "v": SPD}, {}),
    "cho_factor": ({"a": SPD}, {}),
    "cho_solve": ({"c": SPD, "b": VECTOR}, {}),
    "cho_solve_banded": ({"cb": BAND, "b": VECTOR}, {}),
    "cholesky_banded": ({"ab": BAND}, {"lower": True}),
    "cholesky": ({"a": SPD}, {}),
    "coshm": ({"A": SPD}, {}),
    "cosm": ({"A": SPD}, {}),
    "eig": ({"a": GENERAL, "b": SPD}, {"left": True}),
    "eig_banded": ({"a_band": SPD}, {"lower": True}),
    "eigh_tridiagonal": ({"d": VECTOR, "e": VECTOR[:2].copy()}, {}),
    "eigvals": ({"a": GENERAL}, {}),
    "eigvals_banded": ({"a_band": SPD}, {"lower": True}),
    "eigvalsh": ({"a": SPD}, {}),
    "eigvalsh_tridiagonal": ({"d": VECTOR, "e": VECTOR[:2].copy()}, {}),
    "lstsq": ({"a": GENERAL, "b": VECTOR}, {}),
    "norm": ({"a": GENERAL}, {"ord": 2}),
    "null_space": ({"A": GENERAL}, {}),
    "orth": ({"A": GENERAL}, {}),
    "orthogonal_procrustes": ({"A": GENERAL, "B": SPD}, {}),
    "pinv": ({"a": GENERAL}, {}),
    "pinvh": ({"a": SPD}, {}),
    "polar": ({"a": GENERAL}, {}),
    "subspace_angles": ({"A": GENERAL, "B": VECTOR[:, None].copy()}, {}),
    "svd": ({"a": GENERAL}, {}),
    "svdvals": ({"a": GENERAL}, {}),
    "expm": ({"A": GENERAL}, {}),
    "expm_cond": ({"A": GENERAL}, {}),
    "expm_frechet": ({"A": GENERAL, "E": SPD}, {}),
    "fractional_matrix_power": ({"A": SPD}, {"t": 0.5}),
    "funm": ({"A": GENERAL}, {"func": _squares}),
    "hessenberg": ({"a": GENERAL}, {"calc_q": True}),
    "inv_sqrt_spd": ({"a": SPD}, {}),
    "det": ({"a": GENERAL}, {}),
    "inv": ({"a": GENERAL}, {}),
    "ishermitian": ({"a": SPD}, {}),
    "issymmetric": ({"a": SPD}, {}),
    "khatri_rao": ({"a": GENERAL, "b": SPD}, {}),
    "ldl": ({"A": SPD}, {}),
    "logm": ({"A": SPD}, {}),
    "lu": ({"a": GENERAL}, {}),
    "lu_factor": ({"a": GENERAL}, {}),
    "lu_solve": ({"lu": SPD, "b": VECTOR}, {}),
    "matmul_toeplitz": ({"c": VECTOR, "r": VECTOR, "x": VECTOR}, {}),
    "matrix_balance": ({"A": GENERAL}, {}),
    "ordqz": ({"A": GENERAL, "B": SPD}, {}),
    "qz": ({"A": GENERAL, "B": SPD}, {}),
    "qr": ({"a": GENERAL}, {"mode": "raw"}),
    "qr_multiply": ({"a": GENERAL, "c": SPD}, {}),
    "qr_delete": ({"Q": np.eye(3), "R": UPPER}, {"k": 1}),
    "qr_insert": ({"Q": np.eye(3), "R": UPPER, "u": VECTOR}, {"k": 1}),
    "qr_update": ({"Q": np.eye(3), "R": UPPER, "u": VECTOR, "v": VECTOR}, {}),
    "rq": ({"a": GENERAL}, {}),
    "rsf2csf": ({"T": UPPER, "Z": np.eye(3)}, {}),
    "schur_condition": ({"T": UPPER, "sdim": np.array(1)}, {}),
    "signm": ({"A": GENERAL}, {}),
    "sinhm": ({"A": SPD}, {}),
    "sinm": ({"A": SPD}, {}),
    "slogdet": ({"a": GENERAL}, {}),
    "solve": ({"a": GENERAL, "b": VECTOR}, {}),
    "solve_banded": ({"ab": BAND, "b": VECTOR}, {"l_and_u": (1, 0)}),
    "solve_circulant": ({"c": VECTOR, "b": VECTOR}, {}),
    "solve_continuous_are": ({"a": GENERAL, "b": SPD, "q": SPD, "r": SPD, "e": UPPER, "s": np.eye(3)}, {}),
    "solve_continuous_lyapunov": ({"a": GENERAL, "q": SPD}, {}),
    "solve_discrete_are": ({"a": GENERAL, "b": SPD, "q": SPD, "r": SPD, "e": UPPER, "s": np.eye(3)}, {}),
    "solve_discrete_lyapunov": ({"a": GENERAL, "q": SPD}, {}),
    "solve_lyapunov": ({"a": GENERAL, "q": SPD}, {}),
    "solve_sylvester": ({"a": GENERAL, "b": GENERAL, "q": SPD}, {}),
    "solve_toeplitz": ({"c": VECTOR, "r": VECTOR, "b": VECTOR}, {}),
    "solve_triangular": ({"a": UPPER, "b": VECTOR}, {}),
    "solveh_banded": ({"ab": BAND, "b": VECTOR}, {"lower": True}),
    "sqrtm": ({"A": SPD}, {}),
    "tanhm": ({"A": SPD}, {}),
    "tanm": ({"A": SPD}, {}),
}


def _blas_call(name):
    """The operands of the tests of the BLAS, with zeros in place of elements that are not read."""
    call = Call(name, np.float64, m=3, n=3, k=3)
    return {n: np.nan_to_num(a) for n, a in call.arrays.items()}, {**call.scalars, **call.flags}


CALLS.update({name: _blas_call(name) for name in (*LEVEL1, *LEVEL2, *LEVEL3)})
CALLS["iamax"] = {"x": VECTOR}, {}
CALLS["batched_gemm"] = {"A": SPD[None], "B": GENERAL[None], "C": SPD[None]}, {"alpha": 2.0, "beta": 1.0}


def arrays_of(name):
    return CALLS[name][0]


def call(name, **arrays):
    """Call a function with some of its arrays replaced, and return its results as a list of arrays."""
    given, rest = CALLS[name]
    given = {**given, **arrays}
    if name == "cho_solve":
        given = {"c_and_lower": (given.pop("c"), True), **given}
    if name == "cho_solve_banded":
        given = {"cb_and_lower": (given.pop("cb"), True), **given}
    if name in ("solve_toeplitz", "matmul_toeplitz"):
        given = {"c_or_cr": (given.pop("c"), given.pop("r")), **given}
    if name == "lu_solve":
        given = {"lu_and_piv": (given.pop("lu"), np.arange(3)), **given}
    found = next(getattr(module, name) for module in (trnsci, linalg, blas) if hasattr(module, name))
    return flat(found(**given, **rest))


def flat(result):
    """The arrays and numbers of a result."""
    if dataclasses.is_dataclass(result):
        result = tuple(getattr(result, f.name) for f in dataclasses.fields(result))
    if isinstance(result, (tuple, list)):
        return [array for part in result for array in flat(part)]
    return [] if result is None else [np.asarray(result)]


def public_functions():
    """Names of all public functions."""
    modules = {trnsci: trnsci.__all__, linalg: linalg.__all__, blas: blas.__all__}
    found = [(name, getattr(module, name)) for module, names in modules.items() for name in names]
    return {name for name, f in found if callable(f) and not isinstance(f, type)}
