"""Algebraic Riccati equations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _device, _operands
from .._core._array import Array
from .._core._errors import LinAlgError
from .._core._progress import Progress, finish_nothing, phases
from . import _common, _system
from ._eigh import eigvalsh
from ._qr import qr
from ._qz import ordqz
from ._schur import matrix_balance
from ._svd import svdvals

# Bounds of SciPy: units in the last place by which a Hermitian matrix may deviate, and the relative deviation from
# symmetry that says that no stable subspace was found.
_HERMITIAN_UNITS, _SYMMETRIC = 100, 0.1
# Shares in the time: of the checks of r and e, of balancing, of the deflation of infinite eigenvalues, of the ordered
# generalized Schur form, of the product of its basis with E, and of the solution.
_SHARES = (0.02, 0.01, 0.02, 0.05, 1.0, 0.03, 0.02)
_EPS = float(np.finfo(np.float64).eps)


def solve_continuous_are(
    a: ArrayLike,
    b: ArrayLike,
    q: ArrayLike,
    r: ArrayLike,
    e: ArrayLike | None = None,
    s: ArrayLike | None = None,
    balanced: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Solve the continuous-time algebraic Riccati equation.

    It is ``E^H X A + A^H X E - (E^H X B + S) R^-1 (B^H X E + S^H) + Q = 0``, of which the Hermitian solution is found
    that makes ``inv(E) @ (A - B @ K)`` stable, with ``K = inv(R) @ (B^H X E + S^H)``: all its eigenvalues are in the
    left half plane.

    Parameters
    ----------
    a : (..., M, M) array_like
    b : (..., M, N) array_like
    q : (..., M, M) array_like
        Hermitian.
    r : (..., N, N) array_like
        Hermitian and nonsingular.
    e : (..., M, M) array_like, optional
        Nonsingular; by default the identity.
    s : (..., M, N) array_like, optional
        By default zero.
    balanced : bool, optional
        Whether the equation is scaled first.
    threads, progress, device
        See `trnsci.linalg`. Leading dimensions of the operands broadcast; a number is a matrix of order 1, and a vector
        a matrix of one row.

    Returns
    -------
    x : (..., M, M) ndarray
        Hermitian, in the common dtype of the operands.

    Raises
    ------
    LinAlgError
        If there is no finite solution, or eigenvalues of the pencil are so close to the imaginary axis that the stable
        subspace is not found.
    ValueError
        For operands that do not fit, for infinities and NaNs, if q or r is not Hermitian up to rounding errors, or if r
        or e is singular to working precision.
    ConvergenceError, TypeError, MemoryError
        As in `ordqz`.

    Notes
    -----
    A basis ``(U1, U2)`` of the stable deflating subspace of the extended Hamiltonian pencil, ``X = U2 inv(E U1)`` [1]_
    [2]_. The pencil, of order 2 M + N, is balanced by a symplectic diagonal scaling [3]_, and N infinite eigenvalues
    are removed by a QR factorization; what is left goes through `ordqz`, in double precision for every dtype. About
    ``700 M**3`` floating-point operations for real operands.

    References
    ----------
    .. [1] P. Van Dooren, SIAM J. Sci. Stat. Comput. 2, 121 (1981).
    .. [2] W. F. Arnold and A. J. Laub, Proc. IEEE 72, 1746 (1984).
    .. [3] P. Benner, SIAM J. Sci. Comput. 22, 1885 (2001).

    Examples
    --------
    >>> from trnsci.linalg import solve_continuous_are
    >>> solve_continuous_are([[0.0, 1.0], [0.0, 0.0]], [[0.0], [1.0]], [[1.0, 0.0], [0.0, 2.0]], 1.0).round(12)
    array([[2., 1.],
           [1., 2.]])
    """
    return _solve(_continuous_pencil, a, b, q, r, e, s, balanced, threads, progress, device)


def solve_discrete_are(
    a: ArrayLike,
    b: ArrayLike,
    q: ArrayLike,
    r: ArrayLike,
    e: ArrayLike | None = None,
    s: ArrayLike | None = None,
    balanced: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Array:
    """Solve the discrete-time algebraic Riccati equation.

    It is ``A^H X A - E^H X E - (A^H X B + S) (R + B^H X B)^-1 (B^H X A + S^H) + Q = 0``, of which the Hermitian
    solution is found that makes ``inv(E) @ (A - B @ K)`` stable, with ``K = inv(R + B^H X B) @ (B^H X A + S^H)``: all
    its eigenvalues are inside of the unit circle.

    Parameters
    ----------
    a : (..., M, M) array_like
    b : (..., M, N) array_like
    q : (..., M, M) array_like
        Hermitian.
    r : (..., N, N) array_like
        Hermitian; it may be singular.
    e : (..., M, M) array_like, optional
        Nonsingular; by default the identity.
    s : (..., M, N) array_like, optional
        By default zero.
    balanced : bool, optional
        Whether the equation is scaled first.
    threads, progress, device
        See `trnsci.linalg`. Leading dimensions of the operands broadcast; a number is a matrix of order 1, and a vector
        a matrix of one row.

    Returns
    -------
    x : (..., M, M) ndarray
        Hermitian, in the common dtype of the operands.

    Raises
    ------
    LinAlgError
        If there is no finite solution, or eigenvalues of the pencil are so close to the unit circle that the stable
        subspace is not found.
    ValueError
        For operands that do not fit, for infinities and NaNs, if q or r is not Hermitian up to rounding errors, or if e
        is singular to working precision.
    ConvergenceError, TypeError, MemoryError
        As in `ordqz`.

    Notes
    -----
    As `solve_continuous_are`, with the extended symplectic pencil and its eigenvalues inside of the unit circle.

    Examples
    --------
    >>> from trnsci.linalg import solve_discrete_are
    >>> solve_discrete_are(2.0, 1.0, 3.0, 3.0).round(8)
    array([[12.70820393]])
    """
    return _solve(_discrete_pencil, a, b, q, r, e, s, balanced, threads, progress, device)


class _Equation(NamedTuple):
    """The operands of an equation in double precision, with the same leading dimensions."""

    a: Array
    b: Array
    q: Array
    r: Array
    e: Array | None
    s: Array | None


class _Pencil(NamedTuple):
    """An extended pencil ``h - x j`` of order 2 M + N, which eigenvalues come first, and where they must not lie."""

    h: Array
    j: Array
    stable: Literal["lhp", "iuc"]
    border: str


def _solve(
    pencil_of: Callable[[_Equation], _Pencil],
    a: ArrayLike,
    b: ArrayLike,
    q: ArrayLike,
    r: ArrayLike,
    e: ArrayLike | None,
    s: ArrayLike | None,
    balanced: bool,
    threads: int | None,
    progress: Progress,
    device: str | None,
) -> Array:
    if device is not None:
        _device.require_host(device)
    equation, kind = _checked({"a": a, "b": b, "q": q, "r": r, "e": e, "s": s})
    if equation.q.size == 0:
        finish_nothing(progress, equation.q.shape[-1])
        return _array.cast_to(np.zeros(equation.q.shape, kind.dtype), kind.cast)
    with phases(progress, equation.q.shape[-1], *_SHARES) as (of_r, of_e, of_scales, *of_basis, of_solution):
        if pencil_of is _continuous_pencil:
            _check_eigenvalues(equation.r, threads, of_r)
        if equation.e is not None:
            _check_regular(equation.e, threads, of_e)
        pencil = pencil_of(equation)
        scales = _balance(pencil, equation.a.shape[-1], threads, of_scales) if balanced else None
        u1, u2 = _stable_subspace(pencil, equation, threads, of_basis)
        x = _solution(u1, u2, scales, pencil.border, threads, of_solution)
    return _array.cast_to(x.astype(kind.dtype), kind.cast)


def _checked(given: dict[str, ArrayLike | None]) -> tuple[_Equation, _operands.Kind]:
    """Return the checked operands and the dtype of the result."""
    present = {name: x for name, x in given.items() if x is not None or name not in ("e", "s")}
    named = {name: np.atleast_2d(_array.as_array(x, name)) for name, x in present.items()}
    for name, x in named.items():
        _common.check_finite(_array.check(x, name)[0], name)
        if name not in ("b", "s"):
            _array.check_square(x, name)
    m, n = named["b"].shape[-2:]
    for name in ("a", "q", "e", "s", "r"):
        if name in named:
            _operands.check_core(named[name], name, n if name == "r" else m, n if name in "rs" else m)
    for name in ("q", "r"):
        _check_hermitian(named[name], name)
    operands, kind = _operands.settle(named)
    lead = _operands.leading(dict(zip(named, operands, strict=True)))
    wide = np.dtype(np.complex128 if kind.is_complex else np.float64)
    spread = {name: _operands.spread(x.astype(wide, copy=False), lead) for name, x in zip(named, operands, strict=True)}
    return _Equation(*(spread.get(name) for name in given)), kind  # type: ignore[arg-type]


def _one_norm(a: Array) -> Array:
    norms: Array = np.abs(a).sum(axis=-2).max(axis=-1, initial=0)
    return norms


def _check_hermitian(x: Array, name: str) -> None:
    matrix, _ = _array.check(x, name)
    deviation = _one_norm(matrix - _adjoint(matrix))
    if (deviation > _HERMITIAN_UNITS * np.spacing(_one_norm(matrix))).any():
        raise ValueError(f"{name}: expected a Hermitian matrix")


def _check_eigenvalues(r: Array, threads: int | None, progress: Progress) -> None:
    """Raise ValueError if the Hermitian r is singular to working precision."""
    smallest = np.abs(eigvalsh(r, threads=threads, progress=progress)).min(axis=-1, initial=np.inf)
    if ((smallest == 0) | (smallest < _EPS * _one_norm(r))).any():
        raise ValueError("r: the matrix is singular to working precision")


def _check_regular(e: Array, threads: int | None, progress: Progress) -> None:
    """Raise ValueError if e is singular to working precision."""
    smallest = svdvals(e, threads=threads, progress=progress)[..., -1]
    if ((smallest == 0) | (smallest < _EPS * _one_norm(e))).any():
        raise ValueError("e: the matrix is singular to working precision")


def _continuous_pencil(equation: _Equation) -> _Pencil:
    a, b, q, r, e, s = equation
    h, j, (first, second, last) = _empty_pencil(b)
    h[..., first, first], h[..., first, last] = a, b
    h[..., second, first], h[..., second, second] = -q, -_adjoint(a)
    h[..., last, second], h[..., last, last] = _adjoint(b), r
    if s is not None:
        h[..., second, last], h[..., last, first] = -s, _adjoint(s)
    identity = np.eye(b.shape[-2])
    j[..., first, first] = identity if e is None else e
    j[..., second, second] = identity if e is None else _adjoint(e)
    return _Pencil(h, j, "lhp", "the imaginary axis")


def _discrete_pencil(equation: _Equation) -> _Pencil:
    a, b, q, r, e, s = equation
    h, j, (first, second, last) = _empty_pencil(b)
    identity = np.eye(b.shape[-2])
    h[..., first, first], h[..., first, last] = a, b
    h[..., second, first], h[..., second, second] = -q, identity if e is None else _adjoint(e)
    h[..., last, last] = r
    if s is not None:
        h[..., second, last], h[..., last, first] = -s, _adjoint(s)
    j[..., first, first] = identity if e is None else e
    j[..., second, second], j[..., last, second] = _adjoint(a), -_adjoint(b)
    return _Pencil(h, j, "iuc", "the unit circle")


def _empty_pencil(b: Array) -> tuple[Array, Array, tuple[slice, slice, slice]]:
    """Return a pencil of zeros, and the rows and columns of its blocks of order M, M and N."""
    *lead, m, n = b.shape
    order = 2 * m + n
    h, j = (np.zeros((*lead, order, order), b.dtype) for _ in range(2))
    return h, j, (slice(m), slice(m, 2 * m), slice(2 * m, order))


def _balance(pencil: _Pencil, m: int, threads: int | None, progress: Progress) -> Array:
    """Scale the pencil by a diagonal similarity that is symplectic in its first 2 M rows; return the first M scales.

    The scales of both halves that balance the moduli of the elements off the diagonal are replaced by their geometric
    mean, the square root of their quotient rounded to a power of two.
    """
    h, j = pencil.h, pencil.j
    moduli = np.abs(h) + np.abs(j)
    np.einsum("...ii->...i", moduli)[...] = 0
    _, (scaling, _) = matrix_balance(moduli, permute=False, separate=True, threads=threads, progress=progress)
    exponents = np.log2(scaling)
    half = np.round((exponents[..., m : 2 * m] - exponents[..., :m]) / 2)
    scales: Array = np.exp2(np.concatenate([half, -half, exponents[..., 2 * m :]], axis=-1))
    for matrix in (h, j):
        matrix *= scales[..., :, None] / scales[..., None, :]
    return scales[..., :m]


def _stable_subspace(
    pencil: _Pencil, equation: _Equation, threads: int | None, progress: Sequence[Progress]
) -> tuple[Array, Array]:
    """Return the two halves of an orthonormal basis of the subspace, the first one multiplied by E."""
    of_deflation, of_form, of_basis = progress
    m, n = equation.b.shape[-2:]
    h, j = (x[..., : 2 * m] for x in (pencil.h, pencil.j))
    if n:
        # Rows that are orthogonal to the last N columns of h, in which j is zero.
        basis, _ = qr(pencil.h[..., 2 * m :], check_finite=False, threads=threads, progress=of_deflation)
        h, j = (_common.adjoint_product(basis[..., n:], x, threads) for x in (h, j))
    output: Literal["real", "complex"] = "complex" if h.dtype.kind == "c" else "real"
    *_, z = ordqz(h, j, sort=pencil.stable, output=output, check_finite=False, threads=threads, progress=of_form)
    u1, u2 = z[..., :m, :m], z[..., m:, :m]
    if equation.e is None:
        return u1, u2
    # The E of the pencil, which balancing has scaled.
    scaled = _common.adjoint_product(_adjoint(pencil.j[..., :m, :m]), u1, threads)
    stacked = np.concatenate([scaled, u2], axis=-2)
    basis, _ = qr(stacked, mode="economic", check_finite=False, threads=threads, progress=of_basis)
    return basis[..., :m, :], basis[..., m:, :]


def _solution(
    u1: Array, u2: Array, scales: Array | None, border: str, threads: int | None, progress: Progress
) -> Array:
    """Return the Hermitian solution ``u2 @ inv(u1)`` in the scale of the equation."""
    x = u2.swapaxes(-1, -2).copy(order="C")
    try:
        conditions = _system.solve_into(u1.swapaxes(-1, -2), x, threads, progress)
    except LinAlgError:
        raise LinAlgError("a, b, q, r: the equation has no finite solution") from None
    _refuse(conditions < _EPS, x.ndim > 2, "the equation has no finite solution")
    product = _common.adjoint_product(u1, u2, threads)
    deviation = _one_norm(product - _adjoint(product))
    bound = np.maximum(np.spacing(1000.0), _SYMMETRIC * _one_norm(product))
    _refuse((deviation > bound).reshape(-1), x.ndim > 2, f"eigenvalues of the pencil are too close to {border}")
    x = x.swapaxes(-1, -2)
    if scales is not None:
        x = x * (scales[..., :, None] * scales[..., None, :])
    symmetric: Array = (x + _adjoint(x)) / 2
    return symmetric


def _refuse(failed: Array, is_stack: bool, why: str) -> None:
    (members,) = failed.nonzero()
    if members.size:
        member = f" (batch member {members[0]})" if is_stack else ""
        raise LinAlgError(f"a, b, q, r: {why}{member}")


def _adjoint(a: Array) -> Array:
    adjoint: Array = a.swapaxes(-1, -2).conj()
    return adjoint
