"""The BLAS for NumPy arrays, with the names and meanings of trnblas, an earlier package for Trainium.

Level 1 is in vectors, level 2 in a matrix and vectors, level 3 in matrices. Nothing is computed in place unless
``out=`` says so. Where real and symmetric names (``symm``, ``syrk``, ...) differ from Hermitian ones (``hemm``,
``herk``, ...) for complex matrices, they are the same for real ones.

What all functions share:

dtypes
    float32, float64, complex64 and complex128 are computed as they are, different ones in what `numpy.result_type`
    says; integers and bool become float64; float16 and bfloat16 are computed in float32 and the results are cast back.
    A complex scalar makes the result complex.
op, trans
    ``op(A)`` is A for False or 'N', the transpose for True or 'T', the conjugate transpose for 'C'.
uplo, side, diag
    'upper' or 'lower', 'left' or 'right', 'unit' or 'nonunit', or their first letters in upper case.
beta
    Where `beta` is 0, `C` or `y` is not read, so that infinities and NaNs in it do not matter; otherwise it must be
    given.
stacks
    Functions of level 3 take stacks of matrices; leading dimensions broadcast as NumPy's do.
layouts
    Any strides. Matrices stored by rows or by columns are read in place, others are copied first.
out : ndarray, optional
    Where the result goes: an array of its shape and dtype with any strides, which may be `C`, `y` or `B`, or overlap
    any of the arguments. It is also returned.
threads : int, optional
    The number of threads; by default what `trnsci.get_num_threads` says. Results are the same bits for any number.
device : str or Device, optional
    Where to run: None or ``"cpu"`` is the host. Only `gemm`, `batched_gemm` and `syrk` run on other devices; see
    `trnsci.devices`.
errors
    ValueError for a shape or word that does not fit, TypeError for a dtype that is not supported, MemoryError where the
    result does not fit; the message begins with the argument's name. UnsupportedError for a device that this version
    has not.

Long calls of level 3 can be interrupted by Ctrl-C.
"""

from ._level1 import asum, axpy, dot, iamax, nrm2, scal, vdot
from ._level2 import gemv, ger, gerc, trmv, trsv
from ._level2_symmetric import hemv, her, her2, symv, syr, syr2
from ._level3 import batched_gemm, gemm, gemmt
from ._level3_symmetric import hemm, her2k, herk, symm, syr2k, syrk
from ._level3_triangular import trmm, trsm

__all__ = [
    "asum",
    "axpy",
    "batched_gemm",
    "dot",
    "gemm",
    "gemmt",
    "gemv",
    "ger",
    "gerc",
    "hemm",
    "hemv",
    "her",
    "her2",
    "her2k",
    "herk",
    "iamax",
    "nrm2",
    "scal",
    "symm",
    "symv",
    "syr",
    "syr2",
    "syr2k",
    "syrk",
    "trmm",
    "trmv",
    "trsm",
    "trsv",
    "vdot",
]


def __dir__() -> list[str]:
    return list(__all__)
