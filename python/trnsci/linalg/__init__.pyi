"""The types of `trnsci.linalg` for editors and type checkers.

Functions whose results depend on a flag have a signature for each value of it here, and one for a flag that is only
known to be a bool; those of all others are in their modules. A result whose dtype follows that of the input is an
`Array`, which may be used as an array of any dtype. ``= ...`` stands for the default in the module; where it belongs to
a Literal of another value, a call that leaves the argument out has matched a signature before.
"""

# What pyright would report is the rule above.
# pyright: reportOverlappingOverload=false

from collections.abc import Callable, Iterable
from typing import Any, Literal, SupportsFloat, SupportsIndex, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core._array import Array
from .._core._errors import LinAlgError as LinAlgError
from .._core._errors import LinAlgWarning as LinAlgWarning
from .._core._progress import Progress
from ._banded import cho_solve_banded as cho_solve_banded
from ._banded import cholesky_banded as cholesky_banded
from ._banded import solve_banded as solve_banded
from ._banded import solveh_banded as solveh_banded
from ._cholesky import cho_factor as cho_factor
from ._cholesky import cholesky as cholesky
from ._det import det as det
from ._det import slogdet as slogdet
from ._eig import eigvals as eigvals
from ._eigh import eigvalsh as eigvalsh
from ._eigh_banded import eigvals_banded as eigvals_banded
from ._eigh_banded import eigvalsh_tridiagonal as eigvalsh_tridiagonal
from ._elementwise import cdf2rdf as cdf2rdf
from ._elementwise import khatri_rao as khatri_rao
from ._expm import expm as expm
from ._ldl import ldl as ldl
from ._lstsq import lstsq as lstsq
from ._lu import lu_factor as lu_factor
from ._lu import lu_solve as lu_solve
from ._matfunc import inv_sqrt_spd as inv_sqrt_spd
from ._matfunc_general import fractional_matrix_power as fractional_matrix_power
from ._matfunc_general import signm as signm
from ._qr_update import qr_delete as qr_delete
from ._qr_update import qr_insert as qr_insert
from ._qr_update import qr_update as qr_update
from ._qz import ordqz as ordqz
from ._qz import qz as qz
from ._riccati import solve_continuous_are as solve_continuous_are
from ._riccati import solve_discrete_are as solve_discrete_are
from ._schur_order import rsf2csf as rsf2csf
from ._schur_order import schur_condition as schur_condition
from ._solve import cho_solve as cho_solve
from ._solve import solve_triangular as solve_triangular
from ._svd import svdvals as svdvals
from ._svd_based import null_space as null_space
from ._svd_based import orth as orth
from ._svd_based import orthogonal_procrustes as orthogonal_procrustes
from ._svd_based import polar as polar
from ._svd_based import subspace_angles as subspace_angles
from ._sylvester import solve_continuous_lyapunov as solve_continuous_lyapunov
from ._sylvester import solve_discrete_lyapunov as solve_discrete_lyapunov
from ._sylvester import solve_lyapunov as solve_lyapunov
from ._sylvester import solve_sylvester as solve_sylvester
from ._system import inv as inv
from ._system import solve as solve
from ._toeplitz import matmul_toeplitz as matmul_toeplitz
from ._toeplitz import solve_circulant as solve_circulant
from ._toeplitz import solve_toeplitz as solve_toeplitz
from ._trigonometric import coshm as coshm
from ._trigonometric import cosm as cosm
from ._trigonometric import sinhm as sinhm
from ._trigonometric import sinm as sinm
from ._trigonometric import tanhm as tanhm
from ._trigonometric import tanm as tanm

_Pair: TypeAlias = tuple[Array, Array]
_Triple: TypeAlias = tuple[Array, Array, Array]
_Doubles: TypeAlias = NDArray[np.float64]
_Indices: TypeAlias = NDArray[np.int64]
# Of a single matrix and of a stack.
_Count: TypeAlias = int | _Indices
_Error: TypeAlias = float | np.floating[Any] | Array

_Form: TypeAlias = Literal["real", "complex", "r", "c"]
_Derivation: TypeAlias = Literal["SPS", "blockEnlarge"]
_Sort: TypeAlias = Literal["lhp", "rhp", "iuc", "ouc"] | Callable[..., object]
_ByIndex: TypeAlias = Iterable[SupportsIndex] | None
_ByValue: TypeAlias = Iterable[SupportsFloat] | None

@overload
def eigh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    eigvals_only: Literal[False] = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: _ByIndex = None,
    subset_by_value: _ByValue = None,
    driver: str | None = None,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
    lindep: float | None = None,
) -> _Pair: ...
@overload
def eigh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    eigvals_only: Literal[True],
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: _ByIndex = None,
    subset_by_value: _ByValue = None,
    driver: str | None = None,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
    lindep: float | None = None,
) -> Array: ...
@overload
def eigh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    eigvals_only: bool,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: int = 1,
    check_finite: bool = True,
    subset_by_index: _ByIndex = None,
    subset_by_value: _ByValue = None,
    driver: str | None = None,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
    lindep: float | None = None,
) -> Array | _Pair: ...
@overload
def eigh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    eigvals_only: Literal[False] = False,
    select: Any = "a",
    select_range: Any = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> _Pair: ...
@overload
def eigh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    eigvals_only: Literal[True],
    select: Any = "a",
    select_range: Any = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array: ...
@overload
def eigh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    eigvals_only: bool,
    select: Any = "a",
    select_range: Any = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array | _Pair: ...
@overload
def eig_banded(
    a_band: ArrayLike,
    lower: bool = False,
    eigvals_only: Literal[False] = False,
    overwrite_a_band: bool = False,
    select: Any = "a",
    select_range: Any = None,
    max_ev: int = 0,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> _Pair: ...
@overload
def eig_banded(
    a_band: ArrayLike,
    lower: bool = False,
    eigvals_only: Literal[True] = ...,
    overwrite_a_band: bool = False,
    select: Any = "a",
    select_range: Any = None,
    max_ev: int = 0,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array: ...
@overload
def eig_banded(
    a_band: ArrayLike,
    lower: bool = False,
    eigvals_only: bool = False,
    overwrite_a_band: bool = False,
    select: Any = "a",
    select_range: Any = None,
    max_ev: int = 0,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array | _Pair: ...
@overload
def eig(
    a: ArrayLike,
    b: ArrayLike | None = None,
    left: Literal[False] = False,
    right: Literal[True] = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> _Pair: ...
@overload
def eig(
    a: ArrayLike,
    b: ArrayLike | None = None,
    left: Literal[False] = False,
    right: Literal[False] = ...,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array: ...
@overload
def eig(
    a: ArrayLike,
    b: ArrayLike | None = None,
    left: Literal[True] = ...,
    right: Literal[True] = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> _Triple: ...
@overload
def eig(
    a: ArrayLike,
    b: ArrayLike | None = None,
    left: Literal[True] = ...,
    right: Literal[False] = ...,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> _Pair: ...
@overload
def eig(
    a: ArrayLike,
    b: ArrayLike | None = None,
    left: bool = False,
    right: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array | _Pair | _Triple: ...
@overload
def schur(
    a: ArrayLike,
    output: _Form = "real",
    lwork: int | None = None,
    overwrite_a: bool = False,
    sort: None = None,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> _Pair: ...
@overload
def schur(
    a: ArrayLike,
    output: _Form = "real",
    lwork: int | None = None,
    overwrite_a: bool = False,
    sort: _Sort = ...,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, Array, _Count]: ...
@overload
def hessenberg(
    a: ArrayLike,
    calc_q: Literal[False] = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array: ...
@overload
def hessenberg(
    a: ArrayLike,
    calc_q: Literal[True],
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> _Pair: ...
@overload
def hessenberg(
    a: ArrayLike,
    calc_q: bool,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array | _Pair: ...
@overload
def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: Literal["full", "economic"] = "full",
    pivoting: Literal[False] = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> _Pair: ...
@overload
def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: Literal["r"] = ...,
    pivoting: Literal[False] = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array]: ...
@overload
def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: Literal["raw"] = ...,
    pivoting: Literal[False] = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[_Pair, Array]: ...
@overload
def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: Literal["full", "economic"] = "full",
    pivoting: Literal[True] = ...,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, Array, _Indices]: ...
@overload
def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: Literal["r"] = ...,
    pivoting: Literal[True] = ...,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, _Indices]: ...
@overload
def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: Literal["raw"] = ...,
    pivoting: Literal[True] = ...,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[_Pair, Array, _Indices]: ...
@overload
def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: str = "full",
    pivoting: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any: ...
@overload
def qr_multiply(
    a: ArrayLike,
    c: ArrayLike,
    mode: Literal["left", "right"] = "right",
    pivoting: Literal[False] = False,
    conjugate: bool = False,
    overwrite_a: bool = False,
    overwrite_c: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> _Pair: ...
@overload
def qr_multiply(
    a: ArrayLike,
    c: ArrayLike,
    mode: Literal["left", "right"] = "right",
    pivoting: Literal[True] = ...,
    conjugate: bool = False,
    overwrite_a: bool = False,
    overwrite_c: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, Array, _Indices]: ...
@overload
def qr_multiply(
    a: ArrayLike,
    c: ArrayLike,
    mode: Literal["left", "right"] = "right",
    pivoting: bool = False,
    conjugate: bool = False,
    overwrite_a: bool = False,
    overwrite_c: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> _Pair | tuple[Array, Array, _Indices]: ...
@overload
def rq(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: Literal["full", "economic"] = "full",
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> _Pair: ...
@overload
def rq(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: Literal["r"] = ...,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array: ...
@overload
def rq(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: str = "full",
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array | _Pair: ...
@overload
def matrix_balance(
    A: ArrayLike,
    permute: bool = True,
    scale: bool = True,
    separate: Literal[False] = False,
    overwrite_a: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, _Doubles]: ...
@overload
def matrix_balance(
    A: ArrayLike,
    permute: bool = True,
    scale: bool = True,
    separate: Literal[True] = ...,
    overwrite_a: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, tuple[_Doubles, _Indices]]: ...
@overload
def matrix_balance(
    A: ArrayLike,
    permute: bool = True,
    scale: bool = True,
    separate: bool = False,
    overwrite_a: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, _Doubles | tuple[_Doubles, _Indices]]: ...
@overload
def expm_frechet(
    A: ArrayLike,
    E: ArrayLike,
    method: _Derivation | None = None,
    compute_expm: Literal[True] = True,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> _Pair: ...
@overload
def expm_frechet(
    A: ArrayLike,
    E: ArrayLike,
    method: _Derivation | None = None,
    compute_expm: Literal[False] = ...,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array: ...
@overload
def expm_frechet(
    A: ArrayLike,
    E: ArrayLike,
    method: _Derivation | None = None,
    compute_expm: bool = True,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array | _Pair: ...
def expm_cond(
    A: ArrayLike,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> float | _Doubles: ...
def bandwidth(a: ArrayLike) -> tuple[int, int] | tuple[_Indices, _Indices]: ...
def norm(
    a: ArrayLike,
    ord: float | str | None = None,
    axis: int | tuple[int, int] | None = None,
    keepdims: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> np.floating[Any] | Array: ...
def issymmetric(a: ArrayLike, atol: float | None = None, rtol: float | None = None) -> bool | NDArray[np.bool_]: ...
def ishermitian(a: ArrayLike, atol: float | None = None, rtol: float | None = None) -> bool | NDArray[np.bool_]: ...
@overload
def sqrtm(
    A: ArrayLike,
    disp: Literal[True] = ...,
    blocksize: int = ...,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array: ...
@overload
def sqrtm(
    A: ArrayLike,
    disp: Literal[False],
    blocksize: int = ...,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, _Error]: ...
@overload
def sqrtm(
    A: ArrayLike,
    disp: bool,
    blocksize: int = ...,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array | tuple[Array, _Error]: ...
@overload
def logm(
    A: ArrayLike,
    disp: Literal[True] = ...,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array: ...
@overload
def logm(
    A: ArrayLike,
    disp: Literal[False],
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, _Error]: ...
@overload
def logm(
    A: ArrayLike,
    disp: bool,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array | tuple[Array, _Error]: ...
@overload
def funm(
    A: ArrayLike,
    func: Callable[[Array], ArrayLike],
    disp: Literal[True] = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array: ...
@overload
def funm(
    A: ArrayLike,
    func: Callable[[Array], ArrayLike],
    disp: Literal[False],
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, _Error]: ...
@overload
def funm(
    A: ArrayLike,
    func: Callable[[Array], ArrayLike],
    disp: bool,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array | tuple[Array, _Error]: ...
@overload
def lu(
    a: ArrayLike,
    permute_l: Literal[False] = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    p_indices: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> _Triple: ...
@overload
def lu(
    a: ArrayLike,
    permute_l: Literal[True],
    overwrite_a: bool = False,
    check_finite: bool = True,
    p_indices: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> _Pair: ...
@overload
def lu(
    a: ArrayLike,
    permute_l: bool,
    overwrite_a: bool = False,
    check_finite: bool = True,
    p_indices: bool = False,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> _Pair | _Triple: ...
@overload
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: Literal[True] = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: Literal["gesdd", "gesvd"] = "gesdd",
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> _Triple: ...
@overload
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: Literal[False] = ...,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: Literal["gesdd", "gesvd"] = "gesdd",
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array: ...
@overload
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: Literal["gesdd", "gesvd"] = "gesdd",
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any: ...
@overload
def pinv(
    a: ArrayLike,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    return_rank: Literal[False] = False,
    check_finite: bool = True,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array: ...
@overload
def pinv(
    a: ArrayLike,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    return_rank: Literal[True] = ...,
    check_finite: bool = True,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, int]: ...
@overload
def pinv(
    a: ArrayLike,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    return_rank: bool = False,
    check_finite: bool = True,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any: ...
@overload
def pinvh(
    a: ArrayLike,
    atol: float | None = None,
    rtol: float | None = None,
    lower: bool = True,
    return_rank: Literal[False] = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array: ...
@overload
def pinvh(
    a: ArrayLike,
    atol: float | None = None,
    rtol: float | None = None,
    lower: bool = True,
    return_rank: Literal[True] = ...,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, int]: ...
@overload
def pinvh(
    a: ArrayLike,
    atol: float | None = None,
    rtol: float | None = None,
    lower: bool = True,
    return_rank: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any: ...
