"""The programs of examples/ and of the documentation run as they stand."""

import re
import runpy
from pathlib import Path

import pytest

pytest.importorskip("pyscf")

ROOT = Path(__file__).parents[1]
# test_pyscf_device.py runs that one and looks at its rows.
PROGRAMS = sorted(p.name for p in (ROOT / "examples").glob("*.py") if p.name != "water_mp2_device.py")
PAGES = ("README.md", "docs/pyscf.md", "docs/mp2.md")


@pytest.mark.parametrize("name", PROGRAMS)
def test_example(name, capsys):
    """Each compares itself with PySCF and exits with a text where they differ."""
    runpy.run_path(str(ROOT / "examples" / name), run_name="__main__")
    assert "hartree" in capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES)
def test_page(page, tmp_path, monkeypatch):
    """The blocks of a page, one after the other; those with prompts are run by doctest."""
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    programs = [block for block in blocks if not block.startswith(">>>")]
    assert programs
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")  # draws without a screen
    names = {}
    for program in programs:
        exec(compile(program, page, "exec"), names)
