"""The bookkeeping of `make bench` and `make bench-pyscf`: counts, tables, comparisons. Nothing is timed."""

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


def run(commit, cases):
    """A run with (group, n, threads, our time, times of peers) for each case, as results.json."""

    def times(ours, peers):
        return {name: {"min": t, "median": 2 * t} for name, t in {"python": ours, **peers}.items()}

    timed = [
        {
            "group": group, "label": f"n={n}", "dtype": "d", "sizes": {"n": n}, "threads": threads, "flops": n**3,
            "ours": "python", "times": times(ours, peers), "skipped": {},
        }
        for group, n, threads, ours, peers in cases
    ]  # fmt: skip
    about = {"cpu": "Processor", "cores": 2, "date": "2026-01-01", "commit": commit, "python": "3.11"}
    return {"machine": about, "contestants": {}, "results": timed}


RUNS = {
    "a": run("aaa", [("eigh", 100, 1, 10e-6, {"scipy": 9e-6})]),
    "b": run("bbb", [
        ("eigh", 16, 1, 10e-6, {"scipy": 1e-6}),
        ("eigh", 100, 1, 10e-6, {"mkl": 31e-6, "scipy/eigh_numpy": 12e-6, "scipy/eigh_evd": 40e-6}),
        ("eigh", 100, 2, 5e-6, {"scipy/eigh_evd": 40e-6}),
        ("eigh", 1024, 1, 1.0, {"scipy/eigh_evd": 2.0}),
        ("eigh", 1024, 2, 0.5, {"mkl": 1.5}),
        ("eigh", 2048, 1, 1.0, {"mkl": 0.1}),
        ("cholesky", 128, 1, 1e-3, {"scipy/dpotrf": 1e-3, "scipy": 1.5e-3}),
    ]),
}  # fmt: skip


@pytest.fixture
def runs(tmp_path):
    for name, record in RUNS.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(record))
    return tmp_path


@pytest.mark.parametrize(("names", "eigh"), [
    # The peers' least time with at most as many threads: 12 us over 10 us, and over 5 us. The last run of a group
    # counts.
    ("ab", ["100, 1024", "1.2 NumPy", "2.4 NumPy", "2.0 SciPy evd", "3.0 MKL"]),
    ("ba", ["100, 100", "0.9 SciPy", "0.9 SciPy"]),
])  # fmt: skip
def test_summary(names, eigh, runs):
    summary = importlib.import_module("summary")
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in summary.lines([runs / f"{x}.json" for x in names])
    ]
    (row,) = (row for row in rows if row and row[0] == "`eigh`, float64")
    assert row[1:] == eigh
    (row,) = (row for row in rows if row and row[0].startswith("`linalg.cholesky`"))
    assert row[1:] == ["128, 128", "1.5 SciPy", "1.5 SciPy"]  # dpotrf is no function for users


def test_page_gets_lines_between_its_markers(tmp_path):
    results = importlib.import_module("results")
    page = tmp_path / "page.md"
    page.write_text("before\n<begin>\nold\n<end>\nafter\n")
    results.replace_between(page, "<begin>", "<end>", ["one", "two"])
    assert page.read_text() == "before\n<begin>\none\ntwo\n<end>\nafter\n"
    page.write_text("no markers")
    with pytest.raises(ValueError, match="no lines"):
        results.replace_between(page, "<begin>", "<end>", ["one"])


def test_page_has_the_summary_of_its_runs():
    summary = importlib.import_module("summary")
    page = summary.PAGE.read_text()
    there = page.partition(summary.BEGIN)[2].partition(summary.END)[0].strip().splitlines()
    assert summary.named_on_page(page) and there == summary.lines(summary.named_on_page(page))


def test_report_has_every_row(capsys, monkeypatch, runs):
    report = importlib.import_module("report")
    monkeypatch.setattr("sys.argv", ["report.py", str(runs / "b.json")])
    assert report.main() == 0
    text = capsys.readouterr().out
    assert "commit `bbb`" in text and text.count("### ") == 2
    assert "|  |  |  |  |  | mkl | 32.3 | 31.0 us | 62.0 us | 3.10 |" in text


def test_results_are_read_as_they_were_written(runs):
    results = importlib.import_module("results")
    run = results.read(runs / "b.json")
    results.write(runs / "again.json", *run)
    assert results.read(runs / "again.json") == run


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
