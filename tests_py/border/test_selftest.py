"""`python -m trnsci selftest` calls every public function and fails when any result is wrong."""

import dataclasses
import functools
import inspect
import itertools
import sys

import numpy as np
import pytest
import trnsci
from trnsci import __main__, _selftest, blas, linalg
from trnsci._selftest._case import ALL, Case

PUBLIC = [(namespace, name) for namespace in (trnsci, linalg, blas) for name in namespace.__all__]

# It would change the number of threads of the whole process.
NOT_CALLED = {"set_num_threads"}
# They have no numbers to be wrong.
WITHOUT_NUMBERS = {"devices", "get_num_threads", "last_report", "release_memory", "threads"}


def public_functions():
    """Names and functions of the three namespaces, each once."""
    found = {}
    for namespace, name in PUBLIC:
        function = getattr(namespace, name)
        if inspect.isroutine(function):
            found.setdefault(id(function), (name, function))
    return list(found.values())


FUNCTIONS = public_functions()


def replace(monkeypatch, replacements):
    """Put other functions in the places of some, given by their identities."""
    for namespace, name in PUBLIC:
        other = replacements.get(id(getattr(namespace, name)))
        if other is not None:
            monkeypatch.setattr(namespace, name, other)


@pytest.fixture(scope="module")
def callers():
    """The checks that call each function, each with a dtype in double precision, by the name of the function."""
    found = {}

    def recorded(name, function, key):
        @functools.wraps(function)
        def record(*args, **options):
            if sys._getframe(1).f_globals["__name__"].startswith("trnsci._selftest"):
                found.setdefault(name, {})[key] = None
            return function(*args, **options)

        return record

    for run, dtypes in _selftest.CHECKS:
        with pytest.MonkeyPatch.context() as monkeypatch:
            dtype = dtypes[-1]
            others = {id(function): recorded(name, function, (run, dtype)) for name, function in FUNCTIONS}
            replace(monkeypatch, others)
            list(run(Case(dtype)))
    return found


def test_every_function_is_called(callers):
    assert {name for name, _ in FUNCTIONS} - set(callers) == NOT_CALLED


def wrong(result):
    """A result of which a part is a thousandth too large."""
    if isinstance(result, np.ndarray | float | np.number):
        return result * np.asarray(result).dtype.type(1.001)
    if isinstance(result, int):
        return result + 1
    if dataclasses.is_dataclass(result):
        energies = {name: getattr(result, name) * 1.001 for name in vars(result) if name.startswith("e_")}
        return dataclasses.replace(result, **energies)
    parts = wrong(result[0]), *result[1:]
    return type(result)(*parts) if hasattr(result, "_fields") else parts


@pytest.mark.parametrize("name", sorted({name for name, _ in FUNCTIONS} - NOT_CALLED - WITHOUT_NUMBERS))
def test_wrong_results_fail(name, callers, monkeypatch):
    function = dict(FUNCTIONS)[name]
    replace(monkeypatch, {id(function): lambda *args, **options: wrong(function(*args, **options))})
    measured = (m for run, dtype in callers[name] for m in _selftest._measure(run, dtype))
    failed = next((m for m in measured if not m.value <= m.limit), None)
    assert failed is not None
    assert np.isfinite(failed.value), failed  # it is wrong, and no error


def test_passes(capsys):
    assert __main__.main(["selftest"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "selftest passed"
    assert all(line.startswith("ok  ") for line in lines[1:-1])
    assert lines[0].split() == ["residual", *ALL]
    for name in trnsci.devices()[1:]:
        assert any(f"device {name}: " in line for line in lines)


def test_failures_are_repeated_at_the_end(monkeypatch, capsys):
    eigh = linalg.eigh
    monkeypatch.setattr(linalg, "eigh", lambda a, *b, **options: eigh(a + np.eye(len(a), dtype=a.dtype), *b, **options))

    def cholesky(*args, **options):
        raise trnsci.LinAlgError("no factor today")

    monkeypatch.setattr(linalg, "cholesky", cholesky)
    assert __main__.main(["selftest"]) == 1
    lines = capsys.readouterr().out.splitlines()
    end = list(itertools.dropwhile(lambda line: not line.startswith("selftest FAILED"), lines))
    failed = [line for line in lines[: -len(end)] if line.startswith("FAIL")]
    assert end == [f"selftest FAILED: {len(failed)} residuals over their limits", *failed]
    assert any("eigh: A V - V W" in line for line in failed)
    assert any("cholesky: LinAlgError: no factor today" in line for line in failed)
    assert not any("eigh_tridiagonal" in line for line in failed)
