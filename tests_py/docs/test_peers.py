"""The bookkeeping of `make peer-tests`: expected differences are explained, unexpected ones are found."""

import sys
from pathlib import Path

import pytest
from pages import tables

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests_peers"))
import expected
import outcomes
from environments import SETS
from expected import Difference


def _explained():
    (rows,) = (rows for rows in tables("peers.md", "difference").values())
    return {row[0] for row in rows}


def test_each_difference_is_explained_and_each_explanation_is_of_one():
    assert {each.reason for each in expected.DIFFERENCES} == _explained()


def test_no_test_has_two_reasons_in_one_set():
    seen = {}
    for name, peers in SETS.items():
        for each in expected.DIFFERENCES:
            for pattern in each.tests if each.holds_for(peers.versions[each.peer.split("-")[0]]) else ():
                assert seen.setdefault((name, each.peer, pattern), each) is each, f"{pattern} in the set {name}"


@pytest.mark.parametrize(
    "test, pattern, belongs",
    [
        ("a/b.py::C::d", "a/b.py::C::d", True),
        ("a/b.py::C::d[1-x]", "a/b.py::C::d", True),
        ("a/b.py::C::d", "a/b.py::C", True),
        ("a/b.py::C::d", "a/b.py", True),
        ("a/b.py::C::dd", "a/b.py::C::d", False),
        ("a/b.py::C::d[e-cho]", "a/b.py::C::d[e-*]", True),
        ("a/b.py::C::d[g-cho]", "a/b.py::C::d[e-*]", False),
        ("a/b_py::C::d", "a/b.py::C::d", False),
    ],
)
def test_patterns(test, pattern, belongs):
    assert expected.belongs(test, pattern) is belongs


def test_versions_are_compared_by_numbers():
    difference = Difference("words", "scipy", ("a",), shows="", since="1.9", before="1.18")
    versions = ("1.8.3", "1.9.0", "1.17.1", "1.18.0", "1.18.1")
    assert [version for version in versions if difference.holds_for(version)] == ["1.9.0", "1.17.1"]


def _run(**outcome_of):
    tests = {f"f.py::{name}": outcome for name, outcome in outcome_of.items()}
    return outcomes.Run(tests, dict.fromkeys(tests, "Regex pattern did not match"), 1)


def test_what_failed_is_sorted(monkeypatch):
    known = Difference("words", "scipy", ("f.py::known", "f.py::mended", "f.py::otherwise"), shows="did not match")
    other = Difference("words", "numpy", ("f.py::new",), shows="")
    monkeypatch.setattr(outcomes, "DIFFERENCES", (known, other))
    ours = _run(known="failed", mended="passed", new="failed", theirs="failed", otherwise="failed")
    ours.messages["f.py::otherwise"] = "a wrong number"
    plain = _run(known="passed", new="passed", theirs="failed", otherwise="passed")
    found = outcomes.compare(ours, plain, "scipy", "1.18.1")
    assert found.without_us == ["f.py::theirs"]
    assert found.explained == {"f.py::known": "words"}
    assert found.unexplained == ["f.py::new", "f.py::otherwise"]
    assert found.stale == ["f.py::mended", "f.py::otherwise"]


def test_a_test_that_fails_in_its_teardown_has_failed(tmp_path):
    record = tmp_path / "record.jsonl"
    record.write_text(
        '{"test": "f.py::a", "outcome": "passed", "message": ""}\n'
        '{"test": "f.py::a", "outcome": "failed", "message": "no"}\n'
        '{"test": "f.py::b", "outcome": "failed", "message": "set-up"}\n{"calls": 3, "exitstatus": 1}\n'
    )
    run = outcomes.read(record)
    assert (run.failed, run.calls, run.messages["f.py::a"]) == (["f.py::a", "f.py::b"], 3, "no")


def test_a_run_without_an_end_has_no_calls(tmp_path):
    assert outcomes.read(tmp_path / "none.jsonl").calls is None
