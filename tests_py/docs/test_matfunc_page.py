"""docs/general.md is right about functions of matrices: all arguments are named, and its lines on differences are true."""

import ml_dtypes
import numpy as np
import pages
import pytest
import scipy.linalg
from trnsci import linalg

PAGE, SECTION = "general.md", "Matrix functions"
FUNCTIONS = ("expm", "sqrtm", "logm", "fractional_matrix_power", "signm", "funm")

TWO = np.array([[2.0, 1], [1, 3]])
EMPTY = np.zeros((0, 0))
# Its smallest singular value is half an eps of the largest one, or less.
ALMOST_SINGULAR = np.array([[1, 1], [1, 1 + 2.0**-52]])

# The calls of the table of differences; `m` is SciPy's module or ours.
DIFFERENCES = {
    "expm, float16": lambda m: m.expm(TWO.astype(np.float16)),
    "expm, bfloat16": lambda m: m.expm(TWO.astype(ml_dtypes.bfloat16)),
    "expm, longdouble": lambda m: m.expm(TWO.astype(np.longdouble)),
    "expm, object array": lambda m: m.expm(TWO.astype(object)),
    "expm, bool of order 1": lambda m: m.expm([[True]]),
    "expm, rectangle": lambda m: m.expm(np.zeros((2, 3))),
    "expm, masked elements": lambda m: m.expm(np.ma.masked_equal(TWO, 1)),
    "sqrtm, float16": lambda m: m.sqrtm(TWO.astype(np.float16)),
    "sqrtm, longdouble": lambda m: m.sqrtm(TWO.astype(np.longdouble)),
    "sqrtm, NaN": lambda m: m.sqrtm(TWO * np.nan),
    "logm, float32": lambda m: m.logm(TWO.astype(np.float32)),
    "logm, complex64": lambda m: m.logm(TWO.astype(np.complex64)),
    "logm, NaN": lambda m: m.logm(TWO * np.nan),
    "logm, order 0": lambda m: m.logm(EMPTY),
    "logm, stack without members": lambda m: m.logm(np.zeros((0, 2, 2))),
    "logm, a number": lambda m: m.logm(4.0),
    "power, float32": lambda m: m.fractional_matrix_power(TWO.astype(np.float32), 0.5),
    "power, integers to an integer": lambda m: m.fractional_matrix_power(TWO.astype(np.int64), 2),
    "power, order 0": lambda m: m.fractional_matrix_power(EMPTY, 0.5),
    "power, exponent that is a text": lambda m: m.fractional_matrix_power(TWO, "half"),
    "power, infinite exponent": lambda m: m.fractional_matrix_power(TWO, np.inf),
    "power, singular to a negative integer": lambda m: m.fractional_matrix_power(np.ones((2, 2)), -1),
    "power, singular to working precision, to a negative integer": lambda m: m.fractional_matrix_power(ALMOST_SINGULAR, -1),
    "signm, bool": lambda m: m.signm(np.eye(2, dtype=bool)),
    "signm, order 0": lambda m: m.signm(EMPTY),
    "funm, order 0": lambda m: m.funm(EMPTY, np.exp),
    "funm, values of another shape": lambda m: m.funm(TWO, lambda w: np.ones(3)),
}


def stated():
    return {row[0]: row[1:] for row in pages.tables(PAGE, "call")[SECTION]}


def described(name, module):
    return pages.described(lambda m: (DIFFERENCES[name](m),), module)


def test_page_has_the_differences():
    assert list(stated()) == list(DIFFERENCES)


@pytest.mark.parametrize("name", DIFFERENCES)
def test_differences(name):
    assert described(name, linalg) == stated()[name][1]


@pages.needs_known_scipy
@pytest.mark.parametrize("name", DIFFERENCES)
def test_differences_are_scipys(name):
    assert described(name, scipy.linalg) == pages.of_version(stated()[name][0])


def test_page_has_every_argument():
    words = pages.described_arguments(PAGE, SECTION)
    for name in FUNCTIONS:
        assert set(pages.arguments(name)) <= set(words)


@pages.needs_known_scipy
@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_are_scipys(name):
    pages.assert_scipys_arguments(name)
