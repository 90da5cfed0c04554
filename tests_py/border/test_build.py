"""gobuild.py: its messages about the machine, and that an extension with unchanged inputs is not rebuilt."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def gobuild(tmp_path):
    """The module with the root of a copy of what it reads, so that nothing of the checkout changes."""
    spec = importlib.util.spec_from_file_location("gobuild_under_test", ROOT / "gobuild.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in module.SOURCE_FILES:
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    for folder in module.SOURCE_FOLDERS:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "one.go").write_text("package one\n")
    module.ROOT = tmp_path
    return module


@pytest.fixture
def path_with_go(tmp_path, monkeypatch):
    """Put a program named go on PATH that prints the given text and ends with the given status."""

    def put(text, status=0, stream=1):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        program = folder / "go"
        program.write_text(f"#!/bin/sh\necho '{text}' >&{stream}\nexit {status}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    return put


@pytest.mark.parametrize(("text", "status", "stream", "said"), [
    ("go1.19.8", 0, 1, r"Go 1\.19\.8 is too old"),
    ("go1.25.12", 0, 1, r"Go 1\.25\.12 is too old"),
    ("go: go.mod requires go >= 1.26.0 (running go 1.21.0; GOTOOLCHAIN=local)", 1, 2, r"requires go >= 1\.26"),
])  # fmt: skip
def test_an_old_go_is_told_in_one_line(gobuild, path_with_go, text, status, stream, said):
    path_with_go(text, status, stream)
    with pytest.raises(SystemExit, match=said) as caught:
        gobuild.check_machine()
    message = str(caught.value)
    assert "\n" not in message and "1.26 or newer is needed" in message and "GOTOOLCHAIN=auto" in message


@pytest.mark.parametrize("text", ["go1.26.0", "go1.27rc1", "go2.0"])
def test_a_recent_go_is_taken(gobuild, path_with_go, text):
    path_with_go(text)
    gobuild.check_go()


def test_no_go_at_all(gobuild, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(SystemExit, match="the Go toolchain is missing"):
        gobuild.check_machine()


def test_a_failing_step_is_one_line(gobuild, capfd):
    with pytest.raises(SystemExit, match=r"^trnsci build: `.* failed with exit status 3; its output is above$"):
        gobuild.run(sys.executable, "-c", "raise SystemExit(3)")


def test_inputs_decide_whether_the_extension_is_kept(gobuild, tmp_path):
    pytest.importorskip("pybindgen", reason="pybindgen is not installed")
    before = gobuild.digest_of_inputs("")
    assert gobuild.digest_of_inputs("") == before
    assert gobuild.digest_of_inputs("testhooks") != before
    source = tmp_path / "core" / "one.go"
    source.write_text("package one // changed\n")
    changed = gobuild.digest_of_inputs("")
    assert changed != before
    source.rename(tmp_path / "core" / "two.go")
    assert gobuild.digest_of_inputs("") not in (before, changed)


def test_an_extension_that_was_exchanged_is_not_kept(gobuild, tmp_path):
    output, kept = tmp_path / "extension", tmp_path / "kept.json"
    assert not gobuild.is_kept(kept, "inputs", output)
    output.write_bytes(b"built")
    digest = "cbc2bb0e2ab5cd58f8c1f36ea5e2f49e8be55e1e2b1e0f9ee31f5b9c2cd5cdb7"
    kept.write_text(json.dumps({"inputs": "inputs", "output": digest}))
    assert not gobuild.is_kept(kept, "inputs", output)


def test_signatures_have_every_exported_function(gobuild):
    """The pattern of signatures finds all that are written in the package."""
    text = "".join(
        path.read_text() for path in sorted((ROOT / "pybind").glob("*.go")) if not path.name.endswith("_test.go")
    )
    assert len(gobuild._SIGNATURE.findall(text)) == len(re.findall(r"^func [A-Z]", text, re.M)) > 50


def test_check_ends_with_status_zero_here():
    done = subprocess.run([sys.executable, ROOT / "gobuild.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
