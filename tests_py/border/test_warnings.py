"""Warnings point at the line that called the package, however deep inside they arise."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
import trnsci
from trnsci import linalg
from trnsci.linalg import eigh as eigh_by_name

NILPOTENT = np.array([[0.0, 1.0], [0.0, 0.0]])
NEARLY_EQUAL = np.array([[1.0, 1.0], [0.0, 1.0 + 1e-15]])
DEPENDENT = np.ones((2, 2))

WARNED = {
    "a metric": lambda: trnsci.eigh(np.eye(2), DEPENDENT, lindep=1e-8),
    "a metric, by another name": lambda: eigh_by_name(np.eye(2), DEPENDENT, lindep=1e-8),
    "a metric, eigenvalues": lambda: linalg.eigvalsh(np.eye(2), DEPENDENT, lindep=1e-8),
    "a singular root": lambda: linalg.sqrtm(NILPOTENT),
    "a singular logarithm": lambda: linalg.logm(NILPOTENT),
    "an argument of sqrtm": lambda: linalg.sqrtm(np.eye(2), disp=True),
    "an argument of logm": lambda: linalg.logm(np.eye(2), disp=True),
    "funm": lambda: linalg.funm(NEARLY_EQUAL, np.exp),
    "Sylvester": lambda: linalg.solve_sylvester(np.eye(2), -np.eye(2), np.eye(2)),
    "Lyapunov": lambda: linalg.solve_continuous_lyapunov(NILPOTENT, np.eye(2)),
    "Stein": lambda: linalg.solve_discrete_lyapunov(np.eye(2), np.eye(2)),
}


@pytest.mark.parametrize("name", WARNED)
def test_warnings_point_at_the_caller(name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        WARNED[name]()
    assert caught
    assert {w.filename for w in caught} == {__file__}
    lines = {w.lineno for w in caught}
    assert lines == {WARNED[name].__code__.co_firstlineno}


@pytest.mark.parametrize("call", [
    lambda: trnsci.eigh(np.eye(3), progress=True),
    lambda: trnsci.schur(np.eye(3), sort="lhp", progress=True),
    lambda: linalg.funm(np.diag([1.0, 2.0, 3.0]), np.exp, progress=True),
])  # fmt: skip
def test_the_warning_that_there_is_no_bar_points_at_the_caller(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.warns(UserWarning, match="tqdm") as caught:
        call()
    assert [w.filename for w in caught] == [__file__]


def test_the_warning_of_an_import_points_at_the_importing_file(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import sys\n\nimport trnsci\n")
    run = subprocess.run(
        [sys.executable, program], env={**os.environ, "TRNSCI_NUM_THREADS": "many"}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert f"{program}:3: UserWarning: TRNSCI_NUM_THREADS='many'" in run.stderr


def test_a_warning_is_shown_once_for_each_line():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            linalg.sqrtm(NILPOTENT)
        linalg.sqrtm(NILPOTENT)
    assert len(caught) == 2
