"""Generalized Schur form of a pair of matrices, and its ordering."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core import _array, _costs, _device, _records, _small, _threads
from .._core._array import Array
from .._core._progress import Progress, phases
from . import _common

# Time of ordering half of the eigenvalues relative to that of the generalized Schur form of a real and of a complex
# pair, measured by benchmarks/progress.py.
_SHARE_ORDER, _SHARE_ORDER_COMPLEX = 2.3, 0.1
# How often a word may order a form anew because interchanges moved an eigenvalue over its border, on which it is but
# for rounding errors. Once is nearly always enough.
_MORE_ROUNDS = 3

_OUTPUTS = ("real", "complex", "r", "c")


def _half_plane(sign: float) -> Callable[[Array, Array], Array]:
    def select(alpha: Array, beta: Array) -> Array:
        finite: Array = beta != 0
        return finite & (sign * np.real(_quotients(alpha, beta, finite)) > 0)

    return select


def _inside(alpha: Array, beta: Array) -> Array:
    finite: Array = beta != 0
    return finite & (np.abs(_quotients(alpha, beta, finite)) < 1)


def _outside(alpha: Array, beta: Array) -> Array:
    finite: Array = beta != 0
    infinite: Array = ~finite & (alpha != 0)
    return infinite | (finite & (np.abs(_quotients(alpha, beta, finite)) > 1))


# The words for what may be selected. An infinite eigenvalue is in neither half plane and outside of the circle; 0/0 is
# nowhere.
_SELECTIONS = {"lhp": _half_plane(-1.0), "rhp": _half_plane(1.0), "iuc": _inside, "ouc": _outside}


def _quotients(alpha: Array, beta: Array, where: Array) -> Array:
    """alpha / beta, and 0 elsewhere; a quotient may overflow.

    The real beta divides both parts: NumPy's complex division multiplies by 1 / beta, which overflows for a subnormal
    one.
    """
    quotients: Array = np.zeros_like(alpha)
    with np.errstate(over="ignore", invalid="ignore"):
        np.divide(alpha.real, beta.real, out=quotients.real, where=where)
        np.divide(alpha.imag, beta.real, out=quotients.imag, where=where)
    return quotients


def checked_pair(a: ArrayLike, b: ArrayLike, names: tuple[str, str], to_complex: bool = False) -> tuple[Array, Array]:
    """Return `a` and `b` with one dtype and one shape, that of a stack of square matrices."""
    first, _ = _array.check(a, names[0])
    second, _ = _array.check(b, names[1])
    _array.check_square(first, names[0])
    return _array.fitted(first, second, names, np.complex64 if to_complex else np.float32)


class _Form:
    """A generalized Schur form, and eigenvalues alpha/beta where they are wanted."""

    def __init__(self, matrix: Array, values: bool) -> None:
        shape, dtype = matrix.shape, matrix.dtype
        self.s = _array.empty(shape, dtype, "the generalized Schur form of A")
        self.p = _array.empty(shape, dtype, "the generalized Schur form of B")
        self.q = _array.empty(shape, dtype, "the left Schur vectors", "F")
        self.z = _array.empty(shape, dtype, "the right Schur vectors", "F")
        self.values = values
        if values:
            self.alpha = _array.empty(shape[:-1], _array.complex_dtype(dtype), "the eigenvalues")
            self.beta = _array.empty(shape[:-1], _array.real_dtype(dtype), "the eigenvalues")

    def fields(self) -> dict[str, Any]:
        """Return what a record has of the form."""
        values = dict(alpha=self.alpha, beta=self.beta) if self.values else {}
        return dict(s=self.s, p=self.p, q=self.q, z=self.z, **values)


def _is_complex(output: str) -> bool:
    """Whether the argument `output` demands the complex form."""
    if not isinstance(output, str) or output not in _OUTPUTS:
        raise ValueError(f"output: {output!r} is not one of 'real', 'complex', 'r', 'c'")
    return output in ("complex", "c")


def _decompose(
    a: ArrayLike,
    b: ArrayLike,
    to_complex: bool,
    values: bool,
    check_finite: bool,
    threads: int | None,
    progress: Progress,
) -> _Form:
    first, second = checked_pair(a, b, ("A", "B"), to_complex)
    form = _Form(first, values)
    made = _records.qz(
        "QZ", threads=_threads.resolve(threads), a=first, b=second, check_finite=bool(check_finite), **form.fields()
    )
    _common.solve(made, first, _costs.QZ, progress)
    return form


def qz(
    A: ArrayLike,
    B: ArrayLike,
    output: Literal["real", "complex", "r", "c"] = "real",
    lwork: int | None = None,
    sort: None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, Array, Array, Array]:
    """Generalized Schur form ``A = Q @ AA @ Z.conj().T``, ``B = Q @ BB @ Z.conj().T`` of a pair of matrices.

    Parameters
    ----------
    A, B : (..., N, N) array_like
        The matrices. Batch dimensions broadcast.
    output : {'real', 'complex', 'r', 'c'}, optional
        The form of real matrices; complex ones have the complex form in any case.
    lwork : int, optional
        Accepted for SciPy's sake and ignored.
    sort : None
        As in SciPy, nothing else is possible; see `ordqz`.
    overwrite_a, overwrite_b : bool, optional
        Accepted for SciPy's sake; the inputs are never overwritten.
    check_finite : bool, optional
        Refuse infinities and NaNs. When False, a pair that is not finite gives NaNs.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    AA : (..., N, N) ndarray
        Upper triangular if complex. If real, upper quasi-triangular: a pair of complex eigenvalues is a 2 by 2 block.
        All other elements below the diagonal are exactly zero.
    BB : (..., N, N) ndarray
        Upper triangular, with a real diagonal that is nowhere negative. Beside a 2 by 2 block of AA it is diagonal,
        with positive elements, the larger one first.
    Q, Z : (..., N, N) ndarray
        Unitary; orthogonal if real.

    Raises
    ------
    ConvergenceError
        If the QZ iteration does not converge, with the block that would not split.
    ValueError, TypeError, MemoryError
        As in `eigh`.

    See Also
    --------
    ordqz : with selected eigenvalues first.

    Notes
    -----
    Reduction to Hessenberg-triangular form and QZ iteration [1]_, about ``66 N**3`` floating-point
    operations for real matrices. Single precision is worked on in double precision and rounded once; float16 and
    bfloat16 give float32.

    References
    ----------
    .. [1] C. B. Moler and G. W. Stewart, SIAM J. Numer. Anal. 10, 241 (1973).

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import qz
    >>> A = np.array([[1.0, 2, -1], [5, 5, 5], [2, 4, -8]])
    >>> B = np.array([[1.0, 1, -3], [3, 1, -1], [5, 6, -2]])
    >>> AA, BB, Q, Z = qz(A, B)
    >>> bool(np.allclose(Q @ AA @ Z.T, A)), bool(np.allclose(Q @ BB @ Z.T, B))
    (True, True)
    """
    if device is not None:
        _device.require_host(device)
    if sort is not None:
        raise ValueError(f"sort: {sort!r} is not None; ordqz orders generalized Schur forms")
    to_complex = _is_complex(output)
    n = _small.general_order((A, B), threads, progress, device)
    if n and (np.iscomplexobj(A) or not to_complex):
        return _small.qz(A, B, n, bool(check_finite))
    form = _decompose(A, B, to_complex, False, check_finite, threads, progress)
    return form.s, form.p, form.q, form.z


def ordqz(
    A: ArrayLike,
    B: ArrayLike,
    sort: Literal["lhp", "rhp", "iuc", "ouc"] | Callable[[Array, Array], ArrayLike] = "lhp",
    output: Literal["real", "complex", "r", "c"] = "real",
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Generalized Schur form of a pair of matrices, with the selected eigenvalues first.

    Parameters
    ----------
    A, B : (..., N, N) array_like
        The matrices. Batch dimensions broadcast.
    sort : {'lhp', 'rhp', 'iuc', 'ouc'} or callable, optional
        Which eigenvalues ``x = alpha / beta`` come first: those in the left half plane (``x.real < 0``), in the right
        one (``x.real > 0``), inside of the unit circle (``abs(x) < 1``) or outside (``abs(x) > 1``). Infinite ones are
        in neither half plane and outside of the circle; ``0 / 0`` is nowhere.

        A callable gets the arrays alpha and beta, of N elements, of each member, and returns N truth values. alpha is
        complex; beta is real for real forms and complex for complex ones. An exception that it raises reaches the
        caller.
    output, overwrite_a, overwrite_b, check_finite
        As in `qz`.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    AA, BB : (..., N, N) ndarray
        As in `qz`. A pair of complex eigenvalues of a real form comes first if one of the two is selected. Both the
        selected and the other eigenvalues keep the order in which they were found.
    alpha, beta : (..., N) ndarray
        The eigenvalues ``alpha / beta`` in the order of the diagonal, with the one of positive imaginary part first in
        a pair. They are the diagonals of AA and BB but for complex pairs of real forms, where both betas are the
        geometric mean of BB's two diagonal elements. beta has the dtype of AA, alpha the complex one.
    Q, Z : (..., N, N) ndarray
        Unitary; orthogonal if real.

    Raises
    ------
    LinAlgError
        If eigenvalues are too close to be interchanged: the form would be too far from that of A and B. It is a
        ValueError too.
    ConvergenceError, ValueError, TypeError, MemoryError
        As in `qz`.

    Notes
    -----
    The form of `qz`, whose diagonal blocks are interchanged by the direct method of Kagstrom [1]_ with a test of the
    backward error. Infinite eigenvalues and zeros are interchanged by rotations that keep exact zeros of beta and
    alpha. An eigenvalue that rounding errors of the interchanges move over the border of a word is moved to its place
    anew.

    References
    ----------
    .. [1] B. Kagstrom, in Linear Algebra for Large Scale and Real-Time Applications, 195 (1993).

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import ordqz
    >>> A = np.array([[2, 5, 8, 7], [5, 2, 2, 8], [7, 5, 6, 6], [5, 4, 4, 8]])
    >>> B = np.array([[0, 6, 0, 0], [5, 0, 2, 1], [5, 2, 6, 6], [4, 7, 7, 7]])
    >>> AA, BB, alpha, beta, Q, Z = ordqz(A, B, sort="lhp")
    >>> ((alpha / beta).real < 0).tolist()
    [True, True, False, False]
    """
    if device is not None:
        _device.require_host(device)
    select = _selection(sort)
    A, B = _array.as_array(A, "A"), _array.as_array(B, "B")
    to_complex = _is_complex(output)
    is_complex = to_complex or np.iscomplexobj(A) or np.iscomplexobj(B)
    order = A.shape[-1] if A.ndim else None
    with phases(progress, order, 1.0, _SHARE_ORDER_COMPLEX if is_complex else _SHARE_ORDER) as (of_form, of_order):
        form = _decompose(A, B, to_complex, True, check_finite, threads, of_form)
        _order(form, _selected(select, form), threads, of_order)
        for _ in range(0 if callable(sort) else _MORE_ROUNDS):
            selected = _selected(select, form)
            if not (selected[..., 1:] > selected[..., :-1]).any():
                break
            _order(form, selected, threads, None)
    return form.s, form.p, form.alpha, form.beta.astype(form.s.dtype, copy=False), form.q, form.z


def _order(form: _Form, selected: Array, threads: int | None, progress: Progress) -> None:
    """Move the selected eigenvalues of each form to the top."""
    made = _records.qz("QZOrder", threads=_threads.resolve(threads), selected=selected, **form.fields())
    _common.solve(made, form.s, _costs.QZ_ORDER, progress)


def _selected(select: Callable[[Array, Array], ArrayLike], form: _Form) -> Array:
    """Return which eigenvalues of a stack are selected."""
    beta = form.beta.astype(form.s.dtype, copy=False)
    selected = np.zeros(beta.shape, bool)
    for index in np.ndindex(beta.shape[:-1]):
        selected[index] = _truth_values(select(form.alpha[index], beta[index]), beta.shape[-1])
    return selected


def _selection(sort: Any) -> Callable[[Array, Array], ArrayLike]:
    if callable(sort):
        return sort  # type: ignore[no-any-return]
    if isinstance(sort, str) and sort in _SELECTIONS:
        return _SELECTIONS[sort]
    raise ValueError(f"sort: {sort!r} is neither a callable nor one of 'lhp', 'rhp', 'iuc', 'ouc'")


def _truth_values(answer: ArrayLike, n: int) -> NDArray[np.bool_]:
    values = _array.as_array(answer, "sort")
    if values.shape != (n,):
        raise ValueError(f"sort: expected {n} truth values from the callable, got an array of shape {values.shape}")
    return values.astype(bool)
