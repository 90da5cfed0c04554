"""The steps of the runs of `make bench-pyscf`."""

import importlib
import json
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)


class Clock:
    """Tells the time that it was set to."""

    now = 0.0

    def __call__(self):
        return self.now


def test_steps_inside_of_others_are_counted_once():
    clock = Clock()
    steps = importlib.import_module("steps").Steps(clock)

    class Object:
        def inner(self, seconds):
            clock.now += seconds
            return seconds

    watched = Object()
    steps.watch(watched, "inner", "inner")
    clock.now = 100.0  # before the first step, which nothing counts
    with steps.step("outer"):
        clock.now += 1.0
        assert watched.inner(2.0) == 2.0
        clock.now += 4.0
        with pytest.raises(TypeError), steps.step("failing"):
            clock.now += 8.0
            watched.inner(None)
        clock.now += 16.0
    clock.now += 32.0
    with steps.step("inner"):
        clock.now += 64.0
    assert steps.seconds == {"outer": 21.0, "inner": 66.0, "failing": 8.0}


def runs(*energies, converged=True):
    return [{"energies": {"mean field": energy}, "facts": {"converged": converged}} for energy in energies]


@pytest.mark.parametrize(
    ("pyscf", "trnsci", "found"),
    [
        (runs(-1.0, -1.0), runs(-1.0 + 5e-9, -1.0), 0),
        (runs(-1.0, -1.0), runs(-1.0 + 2e-8, -1.0), 1),
        (runs(-1.0, -1.0 + 2e-8), runs(-1.0, -1.0), 1),
        (runs(-1.0), runs(float("nan")), 1),
        (runs(-1.0), runs(-1.0, converged=False), 1),
    ],
)
def test_different_energies_are_found(pyscf, trnsci, found):
    compare = importlib.import_module("pyscf_runs").disagreements
    assert len(compare({"pyscf": pyscf, "trnsci": trnsci})) == found


def test_ring_has_the_geometry_that_is_asked_for():
    systems = importlib.import_module("pyscf_systems")
    atoms = systems.ring("OHHHHH")
    assert sorted(symbol for symbol, _ in atoms) == ["C"] * 6 + ["H"] * 5 + ["O"]
    carbons = [place for symbol, place in atoms if symbol == "C"]
    for near, next_one in zip(carbons, carbons[1:] + carbons[:1], strict=True):
        assert sum((a - b) ** 2 for a, b in zip(near, next_one, strict=True)) == pytest.approx(systems.RING**2)


@pytest.mark.parametrize("side", ["pyscf", "trnsci"])
def test_steps_of_a_run_add_up(side, capsys, monkeypatch):
    pytest.importorskip("pyscf")
    run = importlib.import_module("pyscf_run")
    monkeypatch.setattr("sys.argv", ["pyscf_run.py", "smoke-radical", side])
    moleintor = importlib.import_module("pyscf.gto.moleintor")
    monkeypatch.setattr(moleintor, "getints3c", moleintor.getints3c)  # put back what the run watches
    run.main()
    found = json.loads(capsys.readouterr().out)
    assert sum(found["steps"].values()) == pytest.approx(found["seconds"])
    assert found["steps"].keys() >= {
        "three-centre integrals",
        "fitting tensor",
        "J and K",
        "eigensolver",
        "pair energies",
    }
    assert found["facts"]["converged"]
