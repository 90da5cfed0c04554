"""docs/eigh.md is right: it names every argument, and each of its lines on differences is what both functions do."""

import ml_dtypes
import numpy as np
import pages
import pytest
import scipy.linalg
import scipy.sparse
from trnsci import linalg

PAGE = "eigh.md"

IDENTITY = np.eye(2)
DIAGONAL, BESIDE = np.array([2.0, 1, 3]), np.zeros(2)
BAND = np.array([[0, 0, 0], DIAGONAL])

# The calls of the tables of differences; `m` is SciPy's module or ours.
DIFFERENCES = {
    "bool or integers of 8 or 16 bits": lambda m: m.eigh(IDENTITY.astype(np.int16)),
    "float16": lambda m: m.eigh(IDENTITY.astype(np.float16)),
    "bfloat16": lambda m: m.eigh(IDENTITY.astype(ml_dtypes.bfloat16)),
    "longdouble": lambda m: m.eigh(IDENTITY.astype(np.longdouble)),
    "object array": lambda m: m.eigh(IDENTITY.astype(object)),
    "strings of digits": lambda m: m.eigh([["1"]]),
    "sparse matrix": lambda m: m.eigh(scipy.sparse.eye_array(2)),
    "None for a": lambda m: m.eigh(None),
    "masked elements": lambda m: m.eigh(np.ma.masked_equal(IDENTITY, 0)),
    "type 4 without b": lambda m: m.eigh(IDENTITY, type=4),
    "type 1.0": lambda m: m.eigh(IDENTITY, IDENTITY, type=1.0),
    "indices with fractions": lambda m: m.eigh(IDENTITY, subset_by_index=(0.7, 1.9)),
    "indices as an array": lambda m: m.eigh(IDENTITY, subset_by_index=np.array([0, 1])),
    "no indices": lambda m: m.eigh(IDENTITY, subset_by_index=()),
    "one index, not in a sequence": lambda m: m.eigh(IDENTITY, subset_by_index=1),
    "an end that is a text": lambda m: m.eigh(IDENTITY, subset_by_value=("low", 1)),
    "an end that is complex": lambda m: m.eigh(IDENTITY, subset_by_value=(1j, 2)),
    "interval of a stack": lambda m: m.eigh(np.stack([IDENTITY, IDENTITY]), subset_by_value=(0, 2)),
    "indices of an empty matrix": lambda m: m.eigh(np.zeros((0, 0)), subset_by_index=(0, 5)),
    "driver of an empty matrix": lambda m: m.eigh(np.zeros((0, 0)), driver="gvd"),
    "metric of an empty matrix": lambda m: m.eigh(np.zeros((0, 0)), IDENTITY),
    "stack without members": lambda m: m.eigh(np.zeros((0, 3, 3))),
    "metric that is singular up to one rounding error": lambda m: m.eigh(IDENTITY, np.array([[1, 1], [1, np.nextafter(1, 2)]])),
    "tridiagonal: integers of 8 or 16 bits": lambda m: m.eigh_tridiagonal(DIAGONAL.astype("i1"), BESIDE.astype("i1")),
    "tridiagonal: an integer, of order 1": lambda m: m.eigh_tridiagonal([1], []),
    "tridiagonal: float16": lambda m: m.eigh_tridiagonal(DIAGONAL.astype("f2"), BESIDE.astype("f2")),
    "tridiagonal: longdouble": lambda m: m.eigh_tridiagonal(DIAGONAL.astype("g"), BESIDE),
    "tridiagonal: interval of a stack": lambda m: m.eigh_tridiagonal(
        np.stack([DIAGONAL] * 2), np.stack([BESIDE] * 2), select="v", select_range=(0, 9)
    ),
    "tridiagonal: interval from NaN": lambda m: m.eigh_tridiagonal(DIAGONAL, BESIDE, select="v", select_range=(np.nan, 1)),
    "tridiagonal: stack without members": lambda m: m.eigh_tridiagonal(np.zeros((0, 3)), np.zeros((0, 2))),
    "tridiagonal: select in a list": lambda m: m.eigh_tridiagonal(DIAGONAL, BESIDE, select=["a"]),
    "band: integers of 8 or 16 bits": lambda m: m.eig_banded(BAND.astype(np.int8)),
    "band: float16": lambda m: m.eig_banded(BAND.astype(np.float16)),
    "band: longdouble": lambda m: m.eig_banded(BAND.astype(np.longdouble)),
    "band: interval of a stack": lambda m: m.eig_banded(np.stack([BAND, BAND]), select="v", select_range=(0, 9)),
    "band: stack without members": lambda m: m.eig_banded(np.zeros((0, 2, 3))),
    "band: no rows": lambda m: m.eig_banded(np.zeros((0, 3))),
    "band: NaN outside of the matrix, not checked": lambda m: m.eig_banded([[np.nan, 0], [1, 2]], check_finite=False),
    "band: masked elements": lambda m: m.eig_banded(np.ma.masked_equal(BAND, 0)),
}


def stated():
    return {row[0]: row[1:] for rows in pages.tables(PAGE, "call").values() for row in rows}


def test_page_has_the_differences():
    assert list(stated()) == list(DIFFERENCES)


@pytest.mark.parametrize("name", DIFFERENCES)
def test_differences(name):
    assert pages.described(DIFFERENCES[name], linalg) == stated()[name][1]


@pages.needs_known_scipy
@pytest.mark.parametrize("name", DIFFERENCES)
def test_differences_are_scipys(name):
    assert pages.described(DIFFERENCES[name], scipy.linalg) == pages.of_version(stated()[name][0])


FUNCTIONS = {
    "Arguments": ("eigh", "eigvalsh"),
    "Tridiagonal matrices": ("eigh_tridiagonal", "eigvalsh_tridiagonal"),
    "Band matrices": ("eig_banded", "eigvals_banded"),
}


@pytest.mark.parametrize("heading", FUNCTIONS)
def test_page_has_every_argument(heading):
    described = pages.described_arguments(PAGE, heading)
    for position, name in enumerate(FUNCTIONS[heading]):
        ours = pages.arguments(name)
        assert set(ours) <= set(described)
        if position == 0:
            assert [argument for argument in described if argument in ours] == ours


@pages.needs_known_scipy
@pytest.mark.parametrize("name", [name for names in FUNCTIONS.values() for name in names])
def test_arguments_are_scipys(name):
    pages.assert_scipys_arguments(name)
