"""The public names of `scipy.linalg` that `trnsci.linalg` does not have."""

from __future__ import annotations

# Of SciPy 1.18, without its deprecated modules. docs/scipy.md lists them too.
NAMES = (
    "blas", "block_diag", "circulant", "clarkson_woodruff_transform", "companion", "convolution_matrix", "cossin",
    "cython_blas", "cython_lapack", "dft", "diagsvd", "fiedler", "fiedler_companion", "find_best_blas_type",
    "get_blas_funcs", "get_lapack_funcs", "hadamard", "hankel", "helmert", "hilbert", "invhilbert", "invpascal",
    "lapack", "leslie", "pascal", "toeplitz",
)  # fmt: skip

_PACKAGE = "trnsci.linalg"


def error(name: str) -> AttributeError:
    """Return the error for an attribute that `trnsci.linalg` does not have."""
    text = f"module {_PACKAGE!r} has no attribute {name!r}"
    if name in NAMES:
        others = "trnsci.blas or " if name == "blas" else ""
        text += f"; it is not part of this version, use {others}scipy.linalg.{name}"
    return AttributeError(text)
