"""CITATION.cff is valid (Citation File Format 1.2.0) and names this version, its license and its authors."""

import re
from pathlib import Path

import pytest
from trnsci import __version__

ROOT = Path(__file__).parents[2]
FILE = ROOT / "CITATION.cff"

pytestmark = pytest.mark.skipif(not FILE.exists(), reason="needs a checkout, which has CITATION.cff")


def fields():
    """The keys of the file's first level that have their value in the same line."""
    return dict(re.findall(r'^([a-z-]+): +"?(.*?)"?$', FILE.read_text(encoding="utf-8"), re.MULTILINE))


def test_version():
    assert fields()["version"] == __version__


def test_what_the_format_asks_for():
    # cff-version, message, title and authors are required; an author is an entity with a name or a person.
    found = fields()
    assert (found["cff-version"], found["type"]) == ("1.2.0", "software")
    assert found["message"] and found["title"].startswith("trnsci: ")
    assert "authors:\n  - name: trnsci developers\n" in FILE.read_text(encoding="utf-8")


def test_license():
    assert fields()["license"] == "Apache-2.0" and "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")
