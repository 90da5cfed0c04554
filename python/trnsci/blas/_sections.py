"""Sections of the docstrings of this package."""

from __future__ import annotations

from .._core._docs import filler

filled = filler(
    {
        "errors": "Raises\n------\nValueError, TypeError\n    See `trnsci.blas`.",
        "options": "out, threads, device\n    See `trnsci.blas`.",
        "symmetric_a": (
            "A : (N, N) array_like, optional\n"
            "    A symmetric matrix, zero if it is not given; only the triangle that `uplo` names is read."
        ),
        "hermitian_a": (
            "A : (N, N) array_like, optional\n"
            "    A Hermitian matrix, zero if it is not given; only the triangle that `uplo` names is read."
        ),
        "uplo": "uplo : {'upper', 'lower'}, optional",
    }
)
