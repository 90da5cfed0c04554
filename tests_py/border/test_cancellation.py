"""Ctrl-C in every function that reports progress: sent with the first report, it ends the call and its work."""

import inspect
import os

import numpy as np
import pytest
import trnsci
from interruption import assert_ends_at_first_report
from long_calls import CALLS
from trnsci import blas, linalg, mp2

pytestmark = [
    pytest.mark.serial,
    pytest.mark.skipif(os.name != "posix", reason="there are no signals to send here"),
]
# Ends before its first report with any operands that fit into memory here.
SHORT = {"rsf2csf"}


def with_progress():
    functions = [getattr(module, name) for module in (trnsci, linalg, mp2, blas) for name in module.__all__]
    functions = [function for function in functions if inspect.isfunction(function)]
    return {f.__name__ for f in functions if "progress" in inspect.signature(f).parameters}


def test_every_function_that_reports_progress_is_here():
    assert with_progress() - SHORT == {name.partition(",")[0] for name in CALLS}


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.slow), 2])
@pytest.mark.parametrize("name", CALLS)
def test_the_call_ends_at_its_first_report(name, threads, monkeypatch):
    assert_ends_at_first_report(CALLS[name](), threads, monkeypatch, threads + 1)
    w, _ = trnsci.eigh(np.diag([2.0, 1.0]))  # the library is as good as new
    assert w.tolist() == [1, 2]
