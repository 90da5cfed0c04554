"""docs/scipy.md lists every public name of scipy.linalg and says correctly which ones are here."""

import inspect
import re

import pages
import pytest
import scipy.linalg
from trnsci import linalg
from trnsci.linalg import _absent

PAGE = "scipy.md"
HERE, OTHER, ABSENT = "there", "other name", "not there"
SAME_NAMES = ((1, 17), (1, 18))

SCIPY = pages.SCIPY
ROWS = {row[0].strip("`"): row[1:] for rows in pages.tables(PAGE, "SciPy").values() for row in rows}
OURS_ALONE = {row[0].strip("`") for row in pages.tables(PAGE, "name")["Not in SciPy"]}
OLD = [row[0].strip("`") for row in pages.tables(PAGE, "SciPy")["Older names"]]

# scipy.linalg.interpolative is a module that has to be imported by itself.
IMPORTED_ALONE = {"interpolative"}
# Arguments in places where older versions of SciPy, which the tests run with too, do not have them.
NEWER = {"eigvals": {"overwrite_b"}}
THERE = [name for name, row in ROWS.items() if row[0] == HERE]


def test_page_has_scipys_names():
    theirs = set(scipy.linalg.__all__)
    pages.assert_scipys(sorted(theirs - set(ROWS)), [], "names that are not on the page")
    if SCIPY in SAME_NAMES:
        assert set(ROWS) - theirs - IMPORTED_ALONE == set()


def test_page_says_what_is_here():
    assert {row[0] for row in ROWS.values()} == {HERE, OTHER, ABSENT}
    assert {*THERE, *OURS_ALONE} == set(linalg.__all__)
    assert not OURS_ALONE & set(scipy.linalg.__all__)


def test_absent_names_are_those_of_the_page():
    absent = {name for name, row in ROWS.items() if row[0] != HERE} - set(OLD) - IMPORTED_ALONE
    assert sorted(absent) == list(_absent.NAMES)


@pytest.mark.parametrize("name", [name for name in ROWS if name not in THERE])
def test_absent_names_say_so(name):
    assert not hasattr(linalg, name)
    advice = f"; it is not part of this version, use .*scipy.linalg.{name}$" if name in _absent.NAMES else "$"
    with pytest.raises(AttributeError, match=f"^module 'trnsci.linalg' has no attribute '{name}'{advice}"):
        getattr(linalg, name)


@pytest.mark.parametrize("name", [name for name in THERE if name not in ("LinAlgError", "LinAlgWarning")])
def test_arguments_are_scipys(name):
    """In SciPy's order and with its kinds and defaults, but for a default that stands for "not given"."""
    ours, theirs = (inspect.signature(getattr(module, name)).parameters for module in (linalg, scipy.linalg))
    pages.assert_scipys(list(theirs), [argument for argument in ours if argument in theirs], f"arguments of {name}")
    for argument, parameter in theirs.items():
        default = ours[argument].default
        if "not given" not in repr(default).lower():
            pages.assert_scipys(parameter.default, default, f"default of {argument}")
        pages.assert_scipys(parameter.kind, ours[argument].kind, f"kind of {argument}")
    further = set(ours) - set(theirs) - NEWER.get(name, set())
    assert all(ours[argument].kind is inspect.Parameter.KEYWORD_ONLY for argument in further)


def test_links_lead_somewhere():
    targets = {match for row in ROWS.values() for match in re.findall(r"\]\(([^)]*)\)", row[1])}
    for target in targets:
        page, _, anchor = target.partition("#")
        headings = re.findall(r"^## (.*)$", (pages.DOCS / page).read_text(), re.M)
        anchors = {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}
        assert not anchor or anchor in anchors, target
