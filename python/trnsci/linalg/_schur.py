"""Schur and Hessenberg forms of general matrices, and their balancing."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _costs, _device, _records, _small, _threads
from .._core._progress import Progress, phases
from . import _common, _schur_order
from ._expm import check_matrices

# Time of ordering half of the eigenvalues relative to that of the Schur forms, the complex form of a real matrix
# included, as in pybind/schur.go.
_SHARE_FORM, _SHARE_COMPLEX, _SHARE_ORDER = 1.0, 0.1, 0.2


def schur(
    a: ArrayLike,
    output: Literal["real", "complex", "r", "c"] = "real",
    lwork: int | None = None,
    overwrite_a: bool = False,
    sort: Any = None,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """Schur decomposition ``a = Z @ T @ Z^H`` of a general matrix.

    Parameters
    ----------
    a : (..., N, N) array_like
    output : {'real', 'complex', 'r', 'c'}, optional
        Which form a real matrix gets. A complex matrix gets the complex one in any case.
    lwork : int, optional
        Accepted for SciPy's sake and ignored.
    overwrite_a : bool, optional
        Allow the input to be used as scratch memory.
    sort : {None, 'lhp', 'rhp', 'iuc', 'ouc'} or callable, optional
        Which eigenvalues come first: those in the left (``re < 0``) or right half plane (``re >= 0``), inside (``abs <=
        1``) or outside the unit circle, or those for which the callable is true. It gets the eigenvalue, a complex
        number, if the form is complex, and its real and imaginary part if the form is real (a callable that takes one
        argument gets the real part, as in SciPy). Of a complex pair in a real form both come first if it is true for
        one. The eigenvalues of either kind keep their order. The callable is called for each eigenvalue, and for a real
        form again when all is in order. An exception that it raises ends the call.
    check_finite : bool, optional
        Refuse infinities and NaNs. When False, a matrix that is not finite gives NaNs.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    T : (..., N, N) ndarray
        The complex form is upper triangular. The real one is upper quasi-triangular: a pair of complex eigenvalues is a
        2 by 2 block with equal diagonal elements and off-diagonal elements of opposite sign; real eigenvalues stand
        alone. All other elements below the diagonal are exactly zero.
    Z : (..., N, N) ndarray
        Unitary, real with a real T.
    sdim : int or (...) ndarray of int64
        How many eigenvalues come first; only with `sort`.

    Raises
    ------
    ConvergenceError
        If the QR iteration does not converge, with the block that would not split.
    LinAlgError
        If eigenvalues are too close to each other to be put in order, or no longer satisfy the condition after that.
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    Householder reduction to Hessenberg form, then implicit QR with double shifts for a real form and single ones for a
    complex one, in large matrices many bulges at a time, with aggressive early deflation (Braman, Byers and Mathias,
    2002); about ``25 N**3`` floating-point operations. The complex form of a real matrix is made of the real one,
    so that real eigenvalues are exactly real and those of a pair exactly conjugate, with the positive imaginary part
    first (SciPy iterates with complex numbers). Ordering: exchanges of neighbouring blocks (Bai and Demmel, 1993), at
    most about ``6 N**3`` operations more; `schur_condition` tells how well the result is determined.

    Examples
    --------
    >>> import numpy as np
    >>> import trnsci
    >>> a = np.array([[0, 2, 2], [0, 1, 2], [1, 0, 1]])
    >>> T, Z = trnsci.schur(a)
    >>> bool(np.allclose(Z @ T @ Z.T, a))
    True
    """
    if device is not None:
        _device.require_host(device)
    if not isinstance(output, str) or output not in ("real", "r", "complex", "c"):
        raise ValueError(f"output: {output!r} is not one of 'real', 'complex', 'r', 'c'")
    _schur_order.check_sort(sort)
    order = _small.general_order((a,), threads, progress, device) if sort is None else 0
    if order and (output in ("real", "r") or np.iscomplexobj(a)):
        return _small.schur(a, order, bool(check_finite))
    matrix, cast = _array.check(a, "a")
    _array.check_square(matrix, "a")
    t = _array.empty(matrix.shape, matrix.dtype, "the Schur form")
    z = _array.empty(matrix.shape, matrix.dtype, "the Schur vectors")
    last_t, last_z = t, z
    to_complex = output in ("complex", "c") and t.dtype.kind != "c"
    if to_complex:
        cast = None
        last_t = _array.empty(t.shape, _array.complex_dtype(t.dtype), "the complex Schur form")
        last_z = _array.empty(z.shape, last_t.dtype, "the complex Schur vectors")
    by_word = isinstance(sort, str)
    counts = np.zeros(t.shape[:-2], np.int64) if by_word else None
    size = _threads.resolve(threads)
    made = _records.schur(
        threads=size, a=matrix, t=t, z=z, complex_t=last_t if to_complex else None,
        complex_z=last_z if to_complex else None,
        counts=None if counts is None else counts.reshape(-1), sort=sort if by_word else "",
        check_finite=bool(check_finite), overwrite=_array.may_overwrite(overwrite_a, a, matrix),
    )  # fmt: skip
    if sort is None or by_word:
        _common.solve(made, matrix, _costs.SCHUR, progress)
        sdim: Any = int(counts) if counts is not None and counts.ndim == 0 else counts
    else:
        shares = _SHARE_FORM + _SHARE_COMPLEX * to_complex, _SHARE_ORDER
        with phases(progress, matrix.shape[-1], *shares) as (of_form, of_order):
            _common.solve(made, matrix, _costs.SCHUR, of_form)
            sdim = _schur_order.order(last_t, last_z, sort, size, of_order)
    forms = _array.cast_to(last_t, cast), _array.cast_to(last_z, cast)
    return forms if sort is None else (*forms, sdim)


def hessenberg(
    a: ArrayLike,
    calc_q: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    threads: int | None = None,
    progress: Progress = None,
    device: str | None = None,
) -> Any:
    """Hessenberg form ``a = Q @ H @ Q^H`` of a general matrix.

    Parameters
    ----------
    a : (..., N, N) array_like
    calc_q : bool, optional
        Whether Q is returned.
    overwrite_a : bool, optional
        Allow the input to be used as scratch memory.
    check_finite : bool, optional
        Refuse infinities and NaNs. When False, a matrix that is not finite gives NaNs.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    H : (..., N, N) ndarray
        Zero below the first subdiagonal.
    Q : (..., N, N) ndarray
        Unitary; only if `calc_q`.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `schur`.

    Notes
    -----
    Householder reflections, ``10/3 N**3`` floating-point operations and ``4/3 N**3`` more for Q, four times as many if
    they are complex.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import hessenberg
    >>> a = np.arange(16.0).reshape(4, 4)
    >>> H, Q = hessenberg(a, calc_q=True)
    >>> bool(np.allclose(Q @ H @ Q.T, a)), float(H[2, 0])
    (True, 0.0)
    """
    if device is not None:
        _device.require_host(device)
    matrix, cast = _array.check(a, "a")
    _array.check_square(matrix, "a")
    h = _array.empty(matrix.shape, matrix.dtype, "the Hessenberg form")
    q = _array.empty(matrix.shape, matrix.dtype, "the unitary factor") if calc_q else None
    made = _records.hessenberg(
        threads=_threads.resolve(threads), a=matrix, h=h, q=q, check_finite=bool(check_finite),
        overwrite=_array.may_overwrite(overwrite_a, a, matrix),
    )  # fmt: skip
    _common.solve(made, matrix, _costs.HESSENBERG, progress)
    h = _array.cast_to(h, cast)
    return h if q is None else (h, _array.cast_to(q, cast))


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
) -> Any:
    """Permute and scale a matrix so that its rows and columns have similar norms, ``B = inv(T) @ A @ T``.

    Parameters
    ----------
    A : (..., N, N) array_like
        A single number is a matrix of order 1.
    permute : bool, optional
        Whether eigenvalues that can be read off are isolated: outside of a block on the diagonal, B is upper
        triangular.
    scale : bool, optional
        Whether rows and columns are scaled, by powers of two.
    separate : bool, optional
        Whether the scales and the permutation are returned instead of T.
    overwrite_a : bool, optional
        Accepted for SciPy's sake: the input stays as it is.
    threads, progress, device
        See `trnsci.linalg`.

    Returns
    -------
    B : (..., N, N) ndarray
    T : (..., N, N) ndarray
        A permuted diagonal matrix of the real dtype. With `separate`, the tuple of the scales and of the permutation,
        an array of integers for which ``B = A[perm][:, perm] * scaling / scaling[:, None]``, instead; both are (...,
        N).

    Raises
    ------
    ValueError, TypeError, MemoryError
        As in `schur`.

    Notes
    -----
    The method of Parlett and Reinsch with the norms of James, Langou and Lowery (2014), as in LAPACK since 3.5. B has
    no rounding errors.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import matrix_balance
    >>> B, (scaling, perm) = matrix_balance([[1, 1024], [1 / 1024, 1]], separate=True)
    >>> B
    array([[1. , 2. ],
           [0.5, 1. ]])
    """
    if device is not None:
        _device.require_host(device)
    matrix, cast = check_matrices(A)
    balanced = _array.empty(matrix.shape, matrix.dtype, "the balanced matrix")
    balanced[...] = matrix
    perm = _array.empty(matrix.shape[:-1], np.dtype(np.int64), "the permutation")
    scaling = _array.empty(matrix.shape[:-1], np.dtype(np.float64), "the scales")
    made = _records.balance(
        threads=_threads.resolve(threads),
        b=balanced,
        order=perm,
        scales=scaling,
        permute=bool(permute),
        scale=bool(scale),
    )
    _common.solve(made, balanced, _costs.BALANCE, progress)
    result = _array.cast_to(balanced, cast)
    if separate:
        return result, (scaling, perm)
    transformation = np.zeros(matrix.shape)
    np.put_along_axis(transformation, perm[..., None, :], scaling[..., None, :], axis=-2)
    return result, transformation
