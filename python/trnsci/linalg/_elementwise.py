"""Functions that look at elements only: band width, symmetry, products of Khatri and Rao, real eigenvectors, norms."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core import _array, _device, _operands
from .._core._array import Array
from .._core._progress import Progress, finish_nothing
from . import _common
from ._svd import svdvals

_BY_SINGULAR_VALUES = (2, -2, "nuc")


def bandwidth(a: ArrayLike) -> Any:
    """Lower and upper band width of a matrix.

    Parameters
    ----------
    a : (..., M, N) array_like
        The matrix. Integers are compared as integers.

    Returns
    -------
    lower, upper : int or (...) ndarray of int64
        The largest ``i - j`` and ``j - i`` of elements ``a[i, j]`` that are not zero; NaNs are not. 0 if there are none
        on that side.

    Raises
    ------
    ValueError, TypeError
        As in `eigh`.

    Examples
    --------
    >>> from trnsci.linalg import bandwidth
    >>> bandwidth([[1.0, 2.0, 0.0], [0.0, 3.0, 4.0], [0.0, 0.0, 5.0]])
    (0, 1)
    """
    matrix = _as_given(a, "a")
    _operands.check_core(matrix, "a")
    *lead, m, n = matrix.shape
    if m == 0 or n == 0:
        lower, upper = (np.zeros(lead, np.int64) for _ in range(2))
    else:
        there = matrix != 0
        rows, some = np.arange(m), there.any(axis=-1)
        first, last = there.argmax(axis=-1), n - 1 - there[..., ::-1].argmax(axis=-1)
        lower = np.where(some, rows - first, 0).max(axis=-1).clip(0)
        upper = np.where(some, last - rows, 0).max(axis=-1).clip(0)
    return (lower, upper) if lead else (int(lower), int(upper))


def issymmetric(a: ArrayLike, atol: float | None = None, rtol: float | None = None) -> Any:
    """Whether a matrix is symmetric.

    Parameters
    ----------
    a : (..., N, N) array_like
        The matrix. Complex matrices are not conjugated; see `ishermitian`.
    atol, rtol : float, optional
        If one of them is not zero, ``abs(a - a.T) <= atol + rtol * abs(a.T)`` is demanded of all elements. Otherwise,
        and for integers in any case, a and its transpose have to be equal.

    Returns
    -------
    symmetric : bool or (...) ndarray of bool
        NaNs are equal to nothing; without tolerances those on the diagonal do not matter. An empty matrix is symmetric.

    Raises
    ------
    ValueError, TypeError
        As in `eigh`.

    Examples
    --------
    >>> from trnsci.linalg import issymmetric
    >>> issymmetric([[1, 2], [2, 3]]), issymmetric([[1, 2], [2.1, 3]]), issymmetric([[1, 2], [2.1, 3]], atol=0.2)
    (True, False, True)
    """
    matrix = _square_as_given(a)
    return _agree(matrix, matrix.swapaxes(-1, -2), False, atol, rtol)


def ishermitian(a: ArrayLike, atol: float | None = None, rtol: float | None = None) -> Any:
    """Whether a matrix is Hermitian.

    Parameters
    ----------
    a : (..., N, N) array_like
        The matrix.
    atol, rtol : float, optional
        As in `issymmetric`, with the conjugate transpose.

    Returns
    -------
    hermitian : bool or (...) ndarray of bool
        NaNs are equal to nothing; without tolerances those on the diagonal of a real matrix do not matter. An empty
        matrix is Hermitian.

    Raises
    ------
    ValueError, TypeError
        As in `eigh`.

    Examples
    --------
    >>> from trnsci.linalg import ishermitian
    >>> ishermitian([[1, 2j], [-2j, 3]]), ishermitian([[1, 2j], [2j, 3]])
    (True, False)
    """
    matrix = _square_as_given(a)
    return _agree(matrix, matrix.swapaxes(-1, -2).conj(), matrix.dtype.kind == "c", atol, rtol)


def khatri_rao(a: ArrayLike, b: ArrayLike) -> Array:
    """Product of Khatri and Rao: the Kronecker products of the columns of two matrices.

    Parameters
    ----------
    a : (..., M, K) array_like
    b : (..., N, K) array_like
        Integers are multiplied as integers. Leading dimensions broadcast.

    Returns
    -------
    c : (..., M * N, K) ndarray
        ``c[..., i * N + j, :] = a[..., i, :] * b[..., j, :]``.

    Raises
    ------
    ValueError, TypeError
        As in `eigh`.

    Examples
    --------
    >>> from trnsci.linalg import khatri_rao
    >>> khatri_rao([[1, 2], [3, 4]], [[5, 6], [7, 8], [9, 0]])
    array([[ 5, 12],
           [ 7, 16],
           [ 9,  0],
           [15, 24],
           [21, 32],
           [27,  0]])
    """
    first, second = _as_given(a, "a"), _as_given(b, "b")
    _operands.check_core(first, "a")
    m, k = first.shape[-2:]
    _operands.check_core(second, "b", columns=k)
    lead = _operands.leading({"a": first, "b": second})
    product: Array = first[..., :, None, :] * second[..., None, :, :]
    return product.reshape(*lead, m * second.shape[-2], k)


def cdf2rdf(w: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
    """Turn complex eigenvalues and eigenvectors of a real matrix into a real block diagonal form.

    Parameters
    ----------
    w : (..., N) array_like
        The eigenvalues; each complex one is followed by its conjugate, real ones may be in between.
    v : (..., N, N) array_like
        The eigenvectors, as columns.

    Returns
    -------
    wr : (..., N, N) ndarray
        Real eigenvalues on the diagonal, and blocks ``[[x, y], [-y, x]]`` for pairs ``x + y j, x - y j``.
    vr : (..., N, N) ndarray
        The real matrix with ``a @ vr = vr @ wr`` if ``a @ v = v * w``: of the vectors of a pair the negative imaginary
        part and the real part of the first one, but for rounding errors.

    Raises
    ------
    ValueError
        If a complex eigenvalue has no partner, for infinities and NaNs, and as in `eigh`.
    TypeError, MemoryError
        As in `eigh`.

    Examples
    --------
    >>> import numpy as np
    >>> from trnsci.linalg import cdf2rdf, eig
    >>> a = np.array([[1.0, 2.0, 3.0], [0.0, 4.0, 5.0], [0.0, -5.0, 4.0]])
    >>> wr, vr = cdf2rdf(*eig(a))
    >>> wr.round(12)
    array([[ 1.,  0.,  0.],
           [ 0.,  4.,  5.],
           [ 0., -5.,  4.]])
    >>> bool(np.allclose(a @ vr, vr @ wr))
    True
    """
    values, _ = _array.check(w, "w")
    vectors, _ = _array.check(v, "v")
    _array.check_square(vectors, "v")
    if values.shape != vectors.shape[:-1]:
        raise ValueError(f"v: shape {vectors.shape} does not fit w's shape {values.shape}")
    _common.check_finite(values, "w")
    _common.check_finite(vectors, "v")
    is_complex = values.imag != 0
    if (is_complex.sum(axis=-1) % 2).any():
        raise ValueError("w: expected complex eigenvalues in pairs")
    *stack, columns = is_complex.nonzero()
    members = tuple(index[::2] for index in stack)
    one, other = columns[::2], columns[1::2]
    first, second = (*members, one), (*members, other)
    above, below = (*first, other), (*second, one)
    form = np.zeros(vectors.shape, values.real.dtype)
    np.einsum("...ii->...i", form)[...] = values.real
    form[above] = values.imag[first]
    form[below] = values.imag[second]
    # By rows, of which each is a vector.
    rows = vectors.swapaxes(-1, -2)
    real = rows.real.copy()
    real[first] = (rows.imag[second] - rows.imag[first]) / 2
    real[second] = (rows.real[first] + rows.real[second]) / 2
    return form, real.swapaxes(-1, -2).copy()


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
) -> Any:
    """Norm of a vector, of a matrix, or of those along one or two axes.

    Parameters
    ----------
    a : array_like
        A vector or a matrix if neither `ord` is None nor `axis` is given; otherwise of any number of dimensions.
    ord : {None, 'fro', 'nuc', inf, -inf, 0, 1, -1, 2, -2} or float, optional
        Of a matrix: the Frobenius norm (None or 'fro'), the sum of the singular values ('nuc'), the largest and the
        smallest one (2, -2), the largest and the smallest sum of moduli in a column (1, -1) or in a row (inf, -inf). Of
        a vector: the Euclidean norm (None or 2), the largest and the smallest modulus (inf, -inf), the number of
        elements that are not zero (0), and ``sum(abs(a)**ord)**(1 / ord)`` for any other number.
    axis : int or pair of ints, optional
        The axis of the vectors, or those of the rows and the columns of matrices. By default all axes, of which there
        may be more than two if `ord` is None: the root of the sum of the squares of all elements.
    keepdims : bool, optional
        Keep the axes in the result, with one element each.
    check_finite : bool, optional
        Refuse infinities and NaNs.
    threads, progress, device
        See `trnsci.linalg`; they matter where singular values are needed.

    Returns
    -------
    n : real scalar or ndarray
        In the precision of `a`.

    Raises
    ------
    ValueError
        For an `ord` or `axis` that does not fit, for infinities and NaNs, and as in `eigh`.
    TypeError, MemoryError
        As in `eigh`.

    Examples
    --------
    >>> from trnsci.linalg import norm
    >>> a = [[3.0, 0.0], [0.0, -4.0]]
    >>> float(norm(a)), float(norm(a, 1)), round(float(norm(a, "nuc")), 12)
    (5.0, 4.0, 7.0)
    """
    if device is not None:
        _device.require_host(device)
    array, cast = _array.check(a, "a")
    if check_finite:
        _common.check_finite(array, "a")
    axes = axis
    if axes is None and ord is not None and array.ndim == 2:
        axes = (0, 1)
    if not isinstance(axes, (tuple, list)) or len(axes) != 2 or ord not in _BY_SINGULAR_VALUES:
        finish_nothing(progress)
        result = _plain_norm(array, ord, axis, keepdims)
        return result if cast is None else result.astype(cast)
    rows, columns = (_axis(k, array.ndim) for k in axes)
    if rows == columns:
        raise ValueError(f"axis: {axis!r} names one axis twice")
    stack = np.moveaxis(array, (rows, columns), (-2, -1))
    values = svdvals(stack, check_finite=False, threads=threads, progress=progress)
    if values.shape[-1] == 0 and ord == -2:
        raise ValueError(f"a: a matrix of shape {stack.shape[-2:]} has no singular values")
    chosen = _of_singular_values(values, ord)
    result = np.expand_dims(chosen, tuple(sorted((rows, columns)))) if keepdims else chosen[()]
    return result if cast is None else result.astype(cast)


def _of_singular_values(values: Array, ord: Any) -> Array:
    """Return the norm of matrices with these singular values in descending order."""
    if ord == -2:
        smallest: Array = values[..., -1]
        return smallest
    return np.asarray(values.sum(axis=-1) if ord == "nuc" else values.max(axis=-1, initial=0))


def _plain_norm(array: Array, ord: Any, axis: Any, keepdims: bool) -> Any:
    """Return a norm that needs no singular values; sums of squares neither overflow nor underflow."""
    try:
        with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
            if not (ord in (None, "fro") or (ord == 2 and (array.ndim == 1 or np.ndim(axis) == 0))):
                return np.linalg.norm(array, ord, axis, keepdims)
            largest = np.abs(array).max(initial=0)
            scale = array.real.dtype.type(1)
            if 0 < largest < np.inf:
                scale = np.ldexp(scale, np.frexp(largest)[1] - 1)
            return np.linalg.norm(array / scale, ord, axis, keepdims) * scale
    except TypeError as error:
        raise TypeError(f"axis: {error}") from None
    except ValueError as error:
        raise ValueError(f"ord, axis: {error}") from None


def _axis(axis: Any, ndim: int) -> int:
    number = operator.index(axis)
    if not -ndim <= number < ndim:
        raise ValueError(f"axis: {number} is not an axis of an array with {ndim} dimensions")
    return number % ndim


def _as_given(a: ArrayLike, name: str) -> Array:
    """Return `a` as an array of integers or of one of the computing dtypes."""
    array = _array.as_array(a, name)
    return array if array.dtype.kind in "biu" else _array.check(array, name)[0]


def _square_as_given(a: ArrayLike) -> Array:
    matrix = _as_given(a, "a")
    _array.check_square(matrix, "a")
    return matrix


def _agree(a: Array, turned: Array, with_diagonal: bool, atol: float | None, rtol: float | None) -> Any:
    if not (atol or rtol) or a.dtype.kind in "iu":
        equal = a == turned
        if not with_diagonal:
            equal |= np.eye(a.shape[-1], dtype=bool)
    else:
        equal = np.isclose(a, turned, rtol=rtol or 0.0, atol=atol or 0.0)
    every = equal.all(axis=(-2, -1))
    return every if a.ndim > 2 else bool(every)
