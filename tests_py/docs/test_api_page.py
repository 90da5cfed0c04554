"""docs/api.md is what `api_page` makes of the package."""

import api_page
import pytest


def test_page_is_fresh():
    pytest.importorskip("pyscf", reason="the page lists trnsci.pyscf, which needs PySCF")
    assert api_page.PAGE.read_text() == api_page.text(), "run python tests_py/support/api_page.py"
