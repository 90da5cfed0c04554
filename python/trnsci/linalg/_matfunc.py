"""Functions of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core import _array, _costs, _device, _native, _records, _threads
from .._core._array import Array
from .._core._errors import UnsupportedError
from .._core._progress import Progress, finish_nothing
from . import _common

_METHODS = ("eigh", "newton-schulz")


def _check_threshold(threshold: Any) -> float:
    """Return the threshold for the library, where 0 is the default one."""
    if threshold is None:
        return 0.0
    try:
        value = float(threshold)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"threshold: expected a number, got {threshold!r}") from None
    if not 0 < value < 1:
        raise ValueError(f"threshold: expected a number above 0 and below 1, got {threshold!r}")
    return value


def _resolve(
    a: object, method: str, threshold: float | None, device: str | _device.Device | None, precision: str | None
) -> tuple[_device.Device | None, str]:
    """Return the device that the method runs on, None for the host, and the precision as the library takes it."""
    if method not in _METHODS:
        raise ValueError(f"method: {method!r} is not one of {', '.join(map(repr, _METHODS))}")
    if method == "eigh":
        if _device.resolve(device) is not None:
            raise UnsupportedError(
                "device: method='eigh' runs on the host only; method='newton-schulz' runs on devices"
            )
        return None, _device.check_precision(precision, None)
    on = _device.resolve(device)
    if on is None:
        raise ValueError("method: 'newton-schulz' needs device=; the host has 'eigh'")
    if threshold is not None:
        raise ValueError("threshold: 'newton-schulz' drops no eigenvalues")
    return on, _device.check_precision(precision, on, a)


def inv_sqrt_spd(
    a: ArrayLike,
    *,
    method: str = "eigh",
    threshold: float | None = None,
    check_finite: bool = True,
    threads: int | None = None,
    progress: Progress = None,
    device: str | _device.Device | None = None,
    precision: str | None = None,
) -> tuple[Array, int | NDArray[np.int64]]:
    """Inverse square root of a Hermitian or real symmetric positive definite matrix.

    Parameters
    ----------
    a : (..., N, N) array_like
        The matrix; only the lower triangle is used, and the imaginary part of its diagonal is taken to be zero.
    method : {"eigh", "newton-schulz"}, optional
        By eigenvalues on the host (default), or by an iteration of matrix products on a device.
    threshold : float, optional
        For "eigh": eigenvalues up to `threshold` times the largest one are dropped, so that the result is the root of a
        pseudo-inverse. The default is N times the machine epsilon of the dtype.
    check_finite : bool, optional
        Refuse infinities and NaNs anywhere in `a`. When False, a matrix whose lower triangle is not finite gives NaNs.
        The device method refuses them in the lower triangle in any case.
    threads, progress
        See `trnsci.linalg`.
    device : str or Device, optional
        For "newton-schulz", which needs one: where to run, see `trnsci.devices`.
    precision : str, optional
        For "newton-schulz": the precision of the products, ``"fp32"`` (default for float32), ``"fp64"``, ``"bf16x2"``
        or ``"bf16x3"``.

    Returns
    -------
    x : (..., N, N) ndarray
        ``a`` to the power -1/2: Hermitian, with ``x @ a @ x`` the identity, or a projector if eigenvalues were dropped.
    dropped : int or (...) ndarray of int
        How many eigenvalues were dropped; 0 for "newton-schulz".

    Raises
    ------
    LinAlgError
        If `a` has an eigenvalue that is negative by more than `threshold` and rounding, with that eigenvalue.
    ConvergenceError
        If the iteration on the device does not converge, or nothing is known of the error of its result: `a` is not
        positive definite, or singular to the precision.
    UnsupportedError
        For a device with the method "eigh", for what the device lacks, and on a device for complex matrices, plain
        bf16, and float64 without `precision`.
    ValueError, TypeError, MemoryError
        As in `eigh`.

    Notes
    -----
    "eigh" computes in double precision for every dtype. "newton-schulz" is the coupled iteration of N. J. Higham,
    Functions of Matrices (2008), section 6.7, scaled; a condition number of 1e4 takes about 11 steps of three products
    each. The error of ``x @ a @ x`` is of the order of the machine epsilon times the condition number of `a` in both.
    The ``error_bound`` of `trnsci.last_report` is an estimate of how far `x` is from the inverse square root in the
    spectral norm, made from `a`, `x` and random vectors; it is too small with a probability of 1e-10. It is never
    infinite: where the precision is too low to tell, that is an error.

    Examples
    --------
    >>> from trnsci.linalg import inv_sqrt_spd
    >>> x, dropped = inv_sqrt_spd([[4.0, 0.0], [0.0, 16.0]])
    >>> x
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    >>> dropped
    0
    >>> x, dropped = inv_sqrt_spd([[1.0, 1.0], [1.0, 1.0]])
    >>> x.round(6), dropped
    (array([[0.353553, 0.353553],
           [0.353553, 0.353553]]), 1)
    """
    on, how = _resolve(a, method, threshold, device, precision)
    lowest = _check_threshold(threshold)
    matrix, cast = _array.check(a, "a")
    _array.check_square(matrix, "a")
    batch = matrix.shape[:-2]
    x = _array.empty(matrix.shape, matrix.dtype, "the inverse square root")
    dropped = np.zeros(batch, np.int64)
    if on is not None:
        _on_device(on, how, matrix, x, check_finite, threads, progress)
    else:
        made = _records.inv_sqrt_spd(
            threads=_threads.resolve(threads), a=matrix, x=x, dropped=dropped.reshape(-1), threshold=lowest,
            check_finite=bool(check_finite),
        )  # fmt: skip
        _common.solve(made, matrix, _costs.INV_SQRT_SPD, progress)
    return _array.cast_to(x, cast), dropped if batch else int(dropped)


def _on_device(
    on: _device.Device,
    how: str,
    matrix: Array,
    x: Array,
    check_finite: bool,
    threads: int | None,
    progress: Progress,
) -> None:
    """Run the iteration for the matrices of a stack; `x` gets the results."""
    if matrix.dtype.kind == "c":
        raise UnsupportedError(f"device: {on.name} has no complex products, only real ones")
    if matrix.size == 0:
        finish_nothing(progress, matrix.shape[-1])
        return
    made = _records.device_inv_sqrt_spd(
        threads=_threads.resolve(threads),
        a=matrix,
        x=x,
        device=on.number,
        precision=how,
        check_finite=bool(check_finite),
    )
    _device.keep_report(_native.run(made, 0.0, progress, always_job=True))
