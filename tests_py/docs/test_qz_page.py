"""docs/general.md is right about qz and ordqz: it names all arguments, and what it says on differences is true."""

import ml_dtypes
import numpy as np
import pages
import pytest
import scipy.linalg
import scipy.sparse
from trnsci import linalg

PAGE, SECTION = "general.md", "Generalized Schur form"

IDENTITY = np.eye(2)
# Two pairs that differ by 4e-6 in badly scaled blocks, coupled by numbers of 1e10: LAPACK finds them too close as well.
CLOSE = np.array([[1, 1, -2.9e10, 2.4e10], [-1, 1, -3.5e9, -3.6e10], [0, 0, 1.0000036, 3.6e10], [0, 0, -1 / 3.6e10, 1.0000036]])

# The calls of the table of differences; `m` is SciPy's module or ours.
DIFFERENCES = {
    "integers of 16 bits": lambda m: m.qz(IDENTITY.astype(np.int16), IDENTITY.astype(np.int16)),
    "integers of 16 bits, complex form": lambda m: m.qz(IDENTITY.astype(np.int16), IDENTITY.astype(np.int16), "complex"),
    "bfloat16": lambda m: m.qz(IDENTITY.astype(ml_dtypes.bfloat16), IDENTITY.astype(ml_dtypes.bfloat16)),
    "longdouble": lambda m: m.qz(IDENTITY.astype(np.longdouble), IDENTITY),
    "object array": lambda m: m.qz(IDENTITY.astype(object), IDENTITY),
    "strings of digits": lambda m: m.qz([["1"]], [["1"]]),
    "sparse matrix": lambda m: m.qz(scipy.sparse.eye_array(2), IDENTITY),
    "None for A": lambda m: m.qz(None, IDENTITY),
    "masked elements": lambda m: m.qz(np.ma.masked_equal(IDENTITY, 0), IDENTITY),
    "stack without members": lambda m: m.qz(np.zeros((0, 3, 3)), np.eye(3)),
    "matrices of order 0": lambda m: m.qz(np.zeros((0, 0)), np.zeros((0, 0))),
    "ordqz, eigenvalues too close": lambda m: m.ordqz(CLOSE, np.eye(4), lambda alpha, beta: np.array([0, 0, 1, 1])),
}


def stated():
    return {row[0]: row[1:] for row in pages.tables(PAGE, "call")[SECTION]}


def test_page_has_the_differences():
    assert list(stated()) == list(DIFFERENCES)


@pytest.mark.parametrize("name", DIFFERENCES)
def test_differences(name):
    assert pages.described(DIFFERENCES[name], linalg) == stated()[name][1]


@pages.needs_known_scipy
@pytest.mark.parametrize("name", DIFFERENCES)
def test_differences_are_scipys(name):
    assert pages.described(DIFFERENCES[name], scipy.linalg) == pages.of_version(stated()[name][0])


def test_page_has_every_argument():
    described = pages.described_arguments(PAGE, SECTION)
    for name in ("qz", "ordqz"):
        assert set(pages.arguments(name)) <= set(described)


@pages.needs_known_scipy
@pytest.mark.parametrize("name", ["qz", "ordqz"])
def test_arguments_are_scipys(name):
    pages.assert_scipys_arguments(name)
