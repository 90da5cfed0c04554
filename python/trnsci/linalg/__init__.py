"""Dense linear algebra with SciPy's names, arguments and results.

Every function takes matrices or stacks of matrices (leading dimensions are a batch) and leaves its inputs as they are
unless an ``overwrite_`` argument allows otherwise. Inputs of dtype float32, float64, complex64 and complex128 keep
their dtype; integers and bool become float64; float16 and bfloat16 are computed in float32 and the results are cast
back. A single number, alone or in a list, is a matrix of order 1 in `cholesky`, `cho_factor`, `matrix_balance`,
Lyapunov's and Riccati's equations, and in functions of matrices but for `inv_sqrt_spd`. Elsewhere it is a ValueError.

Arguments that all functions share, but for `matmul_toeplitz` and `solve_circulant`, which NumPy computes:

threads : int, optional
    The number of threads; by default what `trnsci.get_num_threads` says. Results are the same bits for any number.
progress : bool or callable, optional
    True shows a progress bar (with tqdm); a callable gets ``(steps_done, steps_in_all)`` while the call runs, in the
    caller's thread. An exception that it raises ends the call and reaches the caller.
device : str, optional
    Where to run: None or ``"cpu"`` is the host. Only `inv_sqrt_spd` runs on other devices, see `trnsci.devices`.
"""

from typing import Any

from .._core import _errors
from .._core._errors import LinAlgError
from . import _absent
from ._banded import cho_solve_banded, cholesky_banded, solve_banded, solveh_banded
from ._cholesky import cho_factor, cholesky
from ._det import det, slogdet
from ._eig import eig, eigvals
from ._eigh import eigh, eigvalsh
from ._eigh_banded import eig_banded, eigh_tridiagonal, eigvals_banded, eigvalsh_tridiagonal
from ._elementwise import bandwidth, cdf2rdf, ishermitian, issymmetric, khatri_rao, norm
from ._expm import expm, expm_cond, expm_frechet
from ._funm import funm
from ._ldl import ldl
from ._lstsq import lstsq
from ._lu import lu, lu_factor, lu_solve
from ._matfunc import inv_sqrt_spd
from ._matfunc_general import fractional_matrix_power, logm, signm, sqrtm
from ._qr import qr, qr_multiply, rq
from ._qr_update import qr_delete, qr_insert, qr_update
from ._qz import ordqz, qz
from ._riccati import solve_continuous_are, solve_discrete_are
from ._schur import hessenberg, matrix_balance, schur
from ._schur_order import rsf2csf, schur_condition
from ._solve import cho_solve, solve_triangular
from ._svd import svd, svdvals
from ._svd_based import null_space, orth, orthogonal_procrustes, pinv, pinvh, polar, subspace_angles
from ._sylvester import solve_continuous_lyapunov, solve_discrete_lyapunov, solve_lyapunov, solve_sylvester
from ._system import inv, solve
from ._toeplitz import matmul_toeplitz, solve_circulant, solve_toeplitz
from ._trigonometric import coshm, cosm, sinhm, sinm, tanhm, tanm

__all__ = [
    "LinAlgError",
    "LinAlgWarning",
    "bandwidth",
    "cdf2rdf",
    "cho_factor",
    "cho_solve",
    "cho_solve_banded",
    "cholesky",
    "cholesky_banded",
    "coshm",
    "cosm",
    "det",
    "eig",
    "eig_banded",
    "eigh",
    "eigh_tridiagonal",
    "eigvals",
    "eigvals_banded",
    "eigvalsh",
    "eigvalsh_tridiagonal",
    "expm",
    "expm_cond",
    "expm_frechet",
    "fractional_matrix_power",
    "funm",
    "hessenberg",
    "inv",
    "inv_sqrt_spd",
    "ishermitian",
    "issymmetric",
    "khatri_rao",
    "ldl",
    "logm",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul_toeplitz",
    "matrix_balance",
    "norm",
    "null_space",
    "ordqz",
    "orth",
    "orthogonal_procrustes",
    "pinv",
    "pinvh",
    "polar",
    "qr",
    "qr_delete",
    "qr_insert",
    "qr_multiply",
    "qr_update",
    "qz",
    "rq",
    "rsf2csf",
    "schur",
    "schur_condition",
    "signm",
    "sinhm",
    "sinm",
    "slogdet",
    "solve",
    "solve_banded",
    "solve_circulant",
    "solve_continuous_are",
    "solve_continuous_lyapunov",
    "solve_discrete_are",
    "solve_discrete_lyapunov",
    "solve_lyapunov",
    "solve_sylvester",
    "solve_toeplitz",
    "solve_triangular",
    "solveh_banded",
    "sqrtm",
    "subspace_angles",
    "svd",
    "svdvals",
    "tanhm",
    "tanm",
]


def __dir__() -> list[str]:
    return list(__all__)


def __getattr__(name: str) -> Any:
    if name == "LinAlgWarning":
        return _errors.LinAlgWarning
    raise _absent.error(name)
