"""The tables of the pages of docs/, and how SciPy is compared with them.

The pages compare with SciPy. A cell of a table is about the newest version known here and may go on with what older
ones do: "float64 (2, 2); before 1.16: ValueError".
"""

import inspect
from pathlib import Path

import pytest
import scipy.linalg
from trnsci import linalg

DOCS = Path(__file__).resolve().parents[2] / "docs"

NEWEST = (1, 18)  # the newest SciPy that the pages know
SCIPY = tuple(map(int, scipy.__version__.split(".")[:2]))


def assert_scipys(does, stated, what):
    """Assert that SciPy does what is stated of it.

    Nothing is stated of a SciPy newer than the pages know: there a difference is an expected failure, which pytest
    reports.
    """
    if does != stated and SCIPY > NEWEST:
        pytest.xfail(f"SciPy {scipy.__version__} is newer than the pages; {what}: {does}; stated: {stated}")
    assert does == stated


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


def arguments(name):
    """The names of the arguments of our function."""
    return list(inspect.signature(getattr(linalg, name)).parameters)


def described_arguments(page, section):
    """The names in the table of arguments of a section."""
    return [word.strip(" `") for row in tables(page, "argument")[section] for word in row[0].split(",")]
