"""A pytest plugin that writes what became of each test, and how often functions of this package were called in it.

It is loaded into the pytest of a peer's environment, as the plugins ``exchange_*`` are. The file that the variable
``TRNSCI_PEER_RECORD`` names gets a line of JSON for each test that is reported and, at the end, one with the number of
calls.
"""

import functools
import json
import os

_calls = 0


def counted(function):
    """Return the function, wrapped so that its calls are counted."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        global _calls
        _calls += 1
        return function(*args, **kwargs)

    return wrapper


def _write(**entry):
    with open(os.environ["TRNSCI_PEER_RECORD"], "a") as file:
        file.write(json.dumps(entry) + "\n")


def _outcome(report):
    if report.failed:
        return "failed"
    if report.skipped:
        return "xfailed" if hasattr(report, "wasxfail") else "skipped"
    return "passed" if report.when == "call" else None


def _last_line(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    return crash.message if crash else str(report.longrepr)[-2000:]


def pytest_runtest_logreport(report):
    outcome = _outcome(report)
    if outcome is not None:
        _write(test=report.nodeid, outcome=outcome, message=_last_line(report) if report.failed else "")


def pytest_collectreport(report):
    if report.failed:
        _write(test=report.nodeid, outcome="failed", message=_last_line(report))


def pytest_sessionfinish(exitstatus):
    _write(calls=_calls, exitstatus=int(exitstatus))
