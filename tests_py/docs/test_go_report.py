"""What `make test` prints and concludes from the events of ``go test -json``."""

import json

import go_report
import pytest


def events(*rows):
    keys = ("Action", "Package", "Test", "Output", "Elapsed")
    return [json.dumps({k: v for k, v in zip(keys, row, strict=False) if v is not None}) + "\n" for row in rows]


PASSED = events(
    ("start", "p"),
    ("run", "p", "TestA"),
    ("output", "p", "TestA", "chatter\n"),
    ("run", "p", "TestA/slow"),
    ("pass", "p", "TestA/slow", None, 1.5),
    ("pass", "p", "TestA", None, 1.6),
    ("pass", "p", None, None, 2.0),
)
FAILED = events(
    ("run", "q", "TestB"),
    ("output", "q", "TestB", "q_test.go:3: wrong\n"),
    ("fail", "q", "TestB", None, 0.1),
    ("output", "q", None, "FAIL\n"),
    ("fail", "q", None, None, 0.2),
)
EMPTY = events(
    ("start", "r"), ("output", "r", None, "testing: warning: no tests to run\n"), ("pass", "r", None, None, 0.0)
)
NO_FILES = events(("output", "t", None, "?   t [no test files]\n"), ("skip", "t", None, None, 0.0))
BROKEN = [json.dumps({"ImportPath": "s", "Action": action, "Output": "s.go:1: syntax error\n"}) + "\n" for action in
          ("build-output", "build-fail")]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "options", "status"),
    [
        (PASSED, [], 0), (PASSED, ["--every-package"], 0), (PASSED + FAILED, [], 1), (PASSED + EMPTY, [], 0),
        (PASSED + EMPTY, ["--every-package"], 1),
        (PASSED + NO_FILES, ["--every-package"], 0), (PASSED + BROKEN, [], 1), ([], [], 1), (["no JSON\n"], [], 1),
    ],
)  # fmt: skip
def test_status(lines, options, status, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("sys.argv", ["go_report.py", *options, str(tmp_path / "reports" / "slowest.txt")])
    monkeypatch.setattr("sys.stdin", lines)
    assert go_report.main() == status
    printed = capsys.readouterr().out
    assert "chatter" not in printed
    assert ("q_test.go:3: wrong" in printed) == any("TestB" in line for line in lines)
    assert ("syntax error" in printed) == (lines == PASSED + BROKEN)
    slowest = (tmp_path / "reports" / "slowest.txt").read_text().splitlines()
    if lines[: len(PASSED)] == PASSED:
        assert slowest[0].split() == ["1.50", "s", "p", "TestA/slow"]
