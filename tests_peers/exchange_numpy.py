"""A pytest plugin that puts functions of `trnsci.linalg` in the place of those of `numpy.linalg`.

NumPy's conventions differ from SciPy's, which ours are, and the functions here translate: a triangle is named by a
letter, results are named tuples, matrices that are not square are a `LinAlgError`, half precision is refused,
subclasses of arrays come back as such, and eigenvalues of real matrices are real if all of them are, until NumPy 2.5
made them complex. No arithmetic happens here.
"""

import sys

import numpy as np
import recorder
import trnsci.linalg

# NumPy's own functions find each other in the inner module, whose name has an underscore from version 2 on.
_inner = sys.modules.get("numpy.linalg._linalg") or sys.modules["numpy.linalg.linalg"]
_VERSION = tuple(map(int, np.__version__.split(".")[:2]))
_NAMED_RESULTS = _VERSION >= (1, 25)
_ALWAYS_COMPLEX = _VERSION >= (2, 5)


def _prepared(a, finite=False):
    """Return the array, with the function that gives a result the class of what came in."""
    array = np.asarray(a)
    wrap = getattr(a, "__array_wrap__", np.asarray)
    if array.ndim < 2:
        raise np.linalg.LinAlgError(f"{array.ndim}-dimensional array given. Array must be at least two-dimensional")
    if array.shape[-1] != array.shape[-2]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if array.dtype.char not in "?bBhHiIlLqQfdFD":
        raise TypeError(f"array type {array.dtype.name} is unsupported in linalg")
    if finite and not np.isfinite(array).all():
        raise np.linalg.LinAlgError("Array must not contain infs or NaNs")
    return array, wrap


def _lower(uplo):
    if uplo.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return uplo.upper() == "L"


def _general(result, array):
    """Return eigenvalues or vectors of a general matrix, as complex numbers or as real ones if they are that."""
    if _ALWAYS_COMPLEX:
        return result.astype(np.result_type(result, np.complex64), copy=False)
    return result.real if not np.iscomplexobj(array) and not result.imag.any() else result


def eigh(a, UPLO="L"):
    array, wrap = _prepared(a)
    w, v = trnsci.linalg.eigh(array, lower=_lower(UPLO), check_finite=False)
    return _inner.EighResult(w, wrap(v)) if _NAMED_RESULTS else (w, wrap(v))


def eigvalsh(a, UPLO="L"):
    array, _ = _prepared(a)
    return trnsci.linalg.eigvalsh(array, lower=_lower(UPLO), check_finite=False)


def eig(a):
    array, wrap = _prepared(a, finite=True)
    w, v = trnsci.linalg.eig(array)
    # Vectors are real where all eigenvalues are.
    w, v = _general(w, array), _general(v, array) if _ALWAYS_COMPLEX else v
    return _inner.EigResult(w, wrap(v)) if _NAMED_RESULTS else (w, wrap(v))


def eigvals(a):
    array, _ = _prepared(a, finite=True)
    return _general(trnsci.linalg.eigvals(array), array)


def cholesky(a, /, *, upper=False):
    array, wrap = _prepared(a)
    return wrap(trnsci.linalg.cholesky(array, lower=not upper, check_finite=False))


def exchange():
    for ours in (eigh, eigvalsh, eig, eigvals, cholesky):
        for module in (np.linalg, _inner):
            setattr(module, ours.__name__, recorder.counted(ours))


exchange()
