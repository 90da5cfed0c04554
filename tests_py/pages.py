"""What the pages of docs/ say in their tables, and what calls do in the words of these tables."""

import warnings
from pathlib import Path

import scipy

DOCS = Path(__file__).resolve().parent.parent / "docs"
SCIPY = tuple(map(int, scipy.__version__.split(".")[:2]))


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


def described(call, module):
    """A result in the words of a page."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            w = call(module)[0]
        except Exception as error:
            return type(error).__name__
    return f"{w.dtype} {w.shape}"
