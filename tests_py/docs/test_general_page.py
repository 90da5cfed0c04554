"""docs/general.md is right about schur, eig and eigvals: it names all arguments, and its tables are what both modules do."""

import matrices
import ml_dtypes
import numpy as np
import pages
import pytest
import scipy.linalg
import scipy.sparse
from trnsci import linalg

PAGE = "general.md"
FUNCTIONS = {"Schur form": ("schur",), "Eigenvalues and eigenvectors": ("eig", "eigvals")}

IDENTITY = np.eye(2)
HUGE = np.full((2, 2), 1.5e308)

# The calls of the tables of differences; `m` is SciPy's module or ours.
DIFFERENCES = {
    "Schur form": {
        "integers of 16 bits": lambda m: m.schur(IDENTITY.astype(np.int16)),
        "integers of 16 bits, complex form": lambda m: m.schur(IDENTITY.astype(np.int16), "complex"),
        "bool": lambda m: m.schur(IDENTITY.astype(bool)),
        "float16": lambda m: m.schur(IDENTITY.astype(np.float16)),
        "bfloat16": lambda m: m.schur(IDENTITY.astype(ml_dtypes.bfloat16)),
        "longdouble": lambda m: m.schur(IDENTITY.astype(np.longdouble)),
        "object array": lambda m: m.schur(IDENTITY.astype(object)),
        "sparse matrix": lambda m: m.schur(scipy.sparse.eye_array(2)),
        "None for a": lambda m: m.schur(None),
        "masked elements": lambda m: m.schur(np.ma.masked_equal(IDENTITY, 0)),
        "not square": lambda m: m.schur(np.zeros((2, 3))),
        "a NaN": lambda m: m.schur(np.full((2, 2), np.nan)),
        "a form that overflows": lambda m: m.schur(HUGE),
        "unknown word for sort": lambda m: m.schur(IDENTITY, sort="up"),
        "stack without members": lambda m: m.schur(np.zeros((0, 3, 3))),
    },
    "Eigenvalues and eigenvectors": {
        "integers of 16 bits": lambda m: m.eig(IDENTITY.astype(np.int16)),
        "float16": lambda m: m.eig(IDENTITY.astype(np.float16)),
        "bfloat16": lambda m: m.eig(IDENTITY.astype(ml_dtypes.bfloat16)),
        "longdouble": lambda m: m.eig(IDENTITY.astype(np.longdouble)),
        "object array": lambda m: m.eig(IDENTITY.astype(object)),
        "sparse matrix": lambda m: m.eig(scipy.sparse.eye_array(2)),
        "None for a": lambda m: m.eig(None),
        "masked elements": lambda m: m.eig(np.ma.masked_equal(IDENTITY, 0)),
        "a and b of different orders": lambda m: m.eig(IDENTITY, np.eye(3)),
        "an eigenvalue that overflows": lambda m: m.eig(HUGE),
        "stack without members": lambda m: m.eig(np.zeros((0, 3, 3))),
    },
}
CALLS = [(section, name) for section, calls in DIFFERENCES.items() for name in calls]


def stated(section):
    return {row[0]: row[1:] for row in pages.tables(PAGE, "call")[section]}


@pytest.mark.parametrize("section", DIFFERENCES)
def test_page_has_the_differences(section):
    assert list(stated(section)) == list(DIFFERENCES[section])


@pytest.mark.parametrize("section, name", CALLS)
def test_differences(section, name):
    assert pages.described(DIFFERENCES[section][name], linalg) == stated(section)[name][1]


@pages.needs_known_scipy
@pytest.mark.parametrize("section, name", CALLS)
def test_differences_are_scipys(section, name):
    assert pages.described(DIFFERENCES[section][name], scipy.linalg) == pages.of_version(stated(section)[name][0])


@pytest.mark.parametrize("section", FUNCTIONS)
def test_page_has_every_argument(section):
    described = pages.described_arguments(PAGE, section)
    for name in FUNCTIONS[section]:
        assert set(pages.arguments(name)) <= set(described)


@pages.needs_known_scipy
@pytest.mark.parametrize("name", [name for names in FUNCTIONS.values() for name in names])
def test_arguments_are_scipys(name):
    pages.assert_scipys_arguments(name)


def test_cells_about_versions():
    cell = "list; before 1.18: ValueError; before 1.17: IndexError"
    for minor, words in [(19, "list"), (18, "list"), (17, "ValueError"), (16, "IndexError"), (9, "IndexError")]:
        assert pages.of_version(cell, (1, minor)) == words


def largest_error(module, exponent):
    """The largest element of ``A V - V W``, divided by that of A, for a random matrix of that size."""
    a = matrices.random((10, 10), "float64") * 10.0**exponent
    w, v = module.eig(a)
    scale = np.abs(a).max()
    return np.abs((a / scale) @ v - v * (w / scale)).max()


@pytest.mark.parametrize("exponent", [-300, -150, 150, 300])
def test_eigenvalues_of_matrices_of_extreme_size(exponent):
    assert largest_error(linalg, exponent) < 1e-13


@pages.needs_known_scipy
@pytest.mark.parametrize("exponent", [-300, -150, 150, 300])
def test_scipys_eigenvalues_of_matrices_of_extreme_size(exponent):
    """The LAPACK in the wheels of 1.16 and 1.17 scales such matrices and does not scale the eigenvalues back."""
    error = largest_error(scipy.linalg, exponent)
    assert error > 1e-2 if pages.SCIPY in ((1, 16), (1, 17)) else error < 1e-13
