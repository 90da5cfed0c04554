"""No file of the repository tells users to install from an index: there the name belongs to another project."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# `pip install trnsci`, by any installer and with any options and quotes, and an extra of trnsci.
FROM_AN_INDEX = re.compile(
    r"""trnsci\[[a-z, ]+\]|"""
    r"""\b(?:pip3?|pipx|uv|conda|poetry)\s+(?:install|add)\s+(?:-\S+\s+(?:[\w.-]+\s+)?)*["'`]?trnsci\b(?![-/\w])"""
)
# A warning against it is right: "Do not `pip install trnsci`".
WARNING = re.compile(r"\b(?:not|never)\W+(?:\w+\W+){0,2}$", re.IGNORECASE)


def advice(text):
    """Return what the text says to install from an index by the name of this package."""
    return [m[0] for m in FROM_AN_INDEX.finditer(text) if not WARNING.search(text[: m.start()])]


@pytest.mark.parametrize(
    "text",
    [
        'pip install "trnsci[xla]" installs one',
        "pip install -U trnsci",
        "python -m pip install --upgrade 'trnsci'",
        "as it is by `trnsci[pyscf]`",
        "trnsci[progress,plot]",
        "pip install trnsci==0.1.0",
        "uv pip install trnsci",
        "uv add trnsci",
        "conda install -c conda-forge trnsci",
        "pip install --index-url=https://pypi.org/simple trnsci",
    ],
)
def test_advice_is_found(text):
    assert advice(text)


@pytest.mark.parametrize(
    "text",
    [
        'pip install ".[xla]"',
        "Do not `pip install trnsci`: that is another project",
        "pip install dist/trnsci-0.1.0-cp310-abi3-linux_x86_64.whl",
        "pip install lammps-jax-pjrt-cpu",
    ],
)
def test_other_text_is_left_alone(text):
    assert not advice(text)


def tracked():
    """Return the files of the checkout that git knows."""
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("needs a checkout and git")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / name for name in listed.decode().split("\0") if name]


def test_no_file_sends_users_to_the_other_project():
    bad = {}
    for path in tracked():
        if path == Path(__file__) or not path.is_file():
            continue
        found = advice(path.read_text(encoding="utf-8", errors="replace"))
        if found:
            bad[str(path.relative_to(ROOT))] = found
    assert not bad
