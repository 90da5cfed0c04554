"""The programs of examples/ and of the documentation run unchanged."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# These need nothing but NumPy; each ends with a text where its results are not accurate.
ALONE = ("device_product.py", "normal_modes.py", "stability.py", "stacks.py")
# Two are run by tests of their own: below, with a smaller basis set, and in test_pyscf_device.py, which looks at its
# rows.
APART = ("benzene_df_mp2.py", "water_mp2_device.py")
PROGRAMS = sorted(p.name for p in (ROOT / "examples").glob("*.py") if p.name not in APART + ALONE)
PAGES = ("README.md", "docs/pyscf.md", "docs/mp2.md")


@pytest.mark.parametrize("name", ALONE)
def test_example_without_pyscf(name, capsys):
    runpy.run_path(str(ROOT / "examples" / name), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.parametrize("name", PROGRAMS)
def test_example(name, capsys):
    """Each compares itself with PySCF and exits with a text where they differ."""
    pytest.importorskip("pyscf")
    runpy.run_path(str(ROOT / "examples" / name), run_name="__main__")
    assert "hartree" in capsys.readouterr().out


def test_benzene(capsys):
    """The program compares energies itself; its times are not looked at."""
    pytest.importorskip("pyscf")
    program = runpy.run_path(str(ROOT / "examples" / APART[0]))
    program["main"].__globals__["BASIS"] = "sto-3g"
    program["main"]()
    out = capsys.readouterr().out
    assert "Benzene, sto-3g: 36 basis functions" in out
    for row in ("RHF energy", "MP2 correlation", "SCS-MP2 energy", "DF-MP2", "both"):
        assert re.search(rf"^{row} +-?\d+\.\d+ +-?\d+\.\d+ +", out, re.MULTILINE)


@pytest.mark.slow
def test_benzene_as_it_is(capsys):
    pytest.importorskip("pyscf")
    runpy.run_path(str(ROOT / "examples" / APART[0]), run_name="__main__")
    assert "hartree" in capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES)
def test_page(page, tmp_path, monkeypatch):
    """The blocks of a page, one after the other; those with prompts are run by doctest."""
    pytest.importorskip("pyscf")
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    programs = [block for block in blocks if not block.startswith(">>>")]
    assert programs
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")  # draws without a screen
    names = {}
    for program in programs:
        exec(compile(program, page, "exec"), names)
