"""What `make bench-pyscf` counts and compares; no times of this machine."""

import importlib
import json
import re
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


def test_page_gets_the_tables_between_its_markers(tmp_path):
    report = importlib.import_module("report")
    page = tmp_path / "page.md"
    page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
    report.replace_tables(page, [["one"], ["two"]])
    assert page.read_text() == f"before\n{report.BEGIN}\none\n\ntwo\n{report.END}\nafter\n"
    page.write_text("no markers")
    with pytest.raises(ValueError, match="no lines"):
        report.replace_tables(page, [["one"]])


RUNS = """\
Processor, 2 cores; commit `aaa`.

### eigh

| case | threads | ours GF | ours min | median | peer | GF | min | median | peer/ours |
|---|---|---|---|---|---|---|---|---|---|
| n=16 | 1 | 1 | 10.0 us | 10 us | scipy | 1 | 9.0 us | 9 us | 0.90 |

Processor, 2 cores; commit `bbb`.

### eigh

| case | threads | ours GF | ours min | median | peer | GF | min | median | peer/ours |
|---|---|---|---|---|---|---|---|---|---|
| n=16 | 1 | 1 | 10.0 us | 10 us | mkl | 1 | 1.0 us | 1 us | 0.10 |
|  |  |  |  |  | scipy/eigh_numpy | 1 | 12.0 us | 12 us | 1.20 |
|  |  |  |  |  | scipy | 1 | 0.0310 ms | 1 ms | 3.10 |
| n=16 | 2 | 1 | 5.00 us | 10 us | scipy | 1 | 40.0 us | 40 us | 8.00 |

### cholesky

| case | threads | ours GF | ours min | median | peer | GF | min | median | peer/ours |
|---|---|---|---|---|---|---|---|---|---|
| n=1024 | 1 | 1 | 1.00 ms | 1 ms | scipy/dpotrf | 1 | 1.00 ms | 1 ms | 1.00 |
|  |  |  |  |  | scipy | 1 | 1.50 ms | 1 ms | 1.50 |
"""


@pytest.mark.parametrize(
    ("commits", "eigh"), [([], "1.2 / 2.4"), (["bbb"], "1.2 / 2.4"), (["aaa"], "0.9"), (["bbb", "aaa"], "1.2 / 2.4")]
)
def test_summary(commits, eigh):
    # The peers' least time with at most as many threads: 12 us over 10 us, and over 5 us.
    summary = importlib.import_module("summary")
    rows = [[cell.strip() for cell in line.split("|")] for line in summary.lines(RUNS, commits)]
    (row,) = (row for row in rows if len(row) > 2 and row[1] == "`eigh`, float64")
    assert row[2:] == [eigh, "", "", "", "", "", "", ""]
    (row,) = (row for row in rows if len(row) > 2 and row[1].startswith("`linalg.cholesky`"))
    assert row[-2] == ("" if commits == ["aaa"] else "1.5")


def test_page_has_the_summary_of_its_runs():
    summary = importlib.import_module("summary")
    page, runs = summary.PAGE.read_text(), summary.RUNS.read_text()
    there = page.partition(summary.BEGIN)[2].partition(summary.END)[0].strip().splitlines()
    commits = re.findall("`(\\w+)`", there[0])
    assert commits and all(f"commit `{commit}`" in runs for commit in commits)
    assert there == summary.lines(runs, commits)
    assert len(page.splitlines()) < 250


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
    assert found["steps"].keys() >= {"three-centre integrals", "fitting tensor", "J and K", "eigensolver", "pair energies"}
    assert found["facts"]["converged"]
