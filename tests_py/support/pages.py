"""What the pages of docs/ say in their tables, and what calls do in the words of these tables.

The pages compare with SciPy. A cell of a table is about the newest version that is known here and may go on with what older
ones do: "float64 (2, 2); before 1.16: ValueError". A version newer than that is not compared, and the tests say so.
"""

import inspect
import warnings
from pathlib import Path

import pytest
import scipy.linalg
from trnsci import linalg

DOCS = Path(__file__).resolve().parents[2] / "docs"

NEWEST = (1, 18)  # the newest SciPy that the pages know
SCIPY = tuple(map(int, scipy.__version__.split(".")[:2]))

# Of comparisons with SciPy's arguments and results.
needs_known_scipy = pytest.mark.skipif(
    SCIPY > NEWEST, reason=f"SciPy {scipy.__version__} is newer than {NEWEST[0]}.{NEWEST[1]}, with which the pages compare"
)


def tables(page, first_cell):
    """The rows of the tables of a page whose heading begins with that cell, by the heading of the section."""
    found = {}
    for section in (DOCS / page).read_text().split("\n## ")[1:]:
        inside, rows = False, []
        for line in section.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            inside = line.startswith("|") and (inside or cells[0] == first_cell)
            if inside:
                rows.append(cells)
        if rows:
            found[section.split("\n", 1)[0]] = rows[2:]
    return found


def of_version(cell, version=SCIPY):
    """What a cell says of a version of SciPy."""
    words, *earlier = cell.split("; before ")
    for part in earlier:
        first, _, then = part.partition(": ")
        if version < tuple(map(int, first.split("."))):
            words = then
    return words


def described(call, module):
    """A result in the words of a page."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            w = call(module)[0]
        except Exception as error:
            return type(error).__name__
    return f"{w.dtype} {w.shape}" if hasattr(w, "dtype") else type(w).__name__


def arguments(name):
    """The names of the arguments of our function."""
    return list(inspect.signature(getattr(linalg, name)).parameters)


def assert_scipys_arguments(name):
    """SciPy's come first, in SciPy's order; older versions of it lack some."""
    ours = arguments(name)
    theirs = list(inspect.signature(getattr(scipy.linalg, name)).parameters)
    if SCIPY == NEWEST:
        assert ours[: len(theirs)] == theirs
    else:
        assert [argument for argument in ours if argument in theirs] == theirs


def described_arguments(page, section):
    """The names in the table of arguments of a section."""
    return [word.strip(" `") for row in tables(page, "argument")[section] for word in row[0].split(",")]
