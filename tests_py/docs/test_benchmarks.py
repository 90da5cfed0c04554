"""The bookkeeping of `make bench` and `make bench-pyscf`: counts, tables, comparisons. Nothing is timed."""

import importlib
import json
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)


def run(commit, cases, date="2026-01-01", kernel="avx512"):
    """A run with (group, n, threads, our time, times of peers) for each case, as results.json.

    A case in which we could not be timed has None as our time.
    """

    def times(ours, peers):
        all_times = {"python": ours, **peers} if ours else {}
        return {name: {"min": t, "median": 2 * t} for name, t in all_times.items()}

    timed = [
        {
            "group": group, "label": f"n={n}", "dtype": "d", "sizes": {"n": n}, "threads": threads, "flops": n**3,
            "ours": "python", "times": times(ours, peers), "skipped": {},
        }
        for group, n, threads, ours, peers in cases
    ]  # fmt: skip
    about = {"cpu": "Processor (Zen 4)", "cores": 2, "best_set": "avx512", "date": date, "commit": commit}
    contestants = {"python": {"title": "trnsci from Python", "version": "0.1.0", "kernel": kernel}}
    return {"machine": {**about, "python": "3.11"}, "contestants": contestants, "results": timed}


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


MACHINE = {"cpu": "AMD EPYC (Zen 4)", "cores": 2}
IDENTIFIED = {**MACHINE, "processor": "AuthenticAMD 25 17", "best_set": "avx512"}
GO, AVX2, AVX512 = ({"kernel": name} for name in ("go", "avx2", "avx512"))


@pytest.mark.parametrize(("about", "contestants", "expected"), [
    # As in the first stored runs: the processor's name, and the best set of the run.
    (MACHINE, {"go": AVX512, "go-avx2": AVX2, "openblas": {"kernel": "SkylakeX"}},
     {"go": "avx512, Zen 4, 2 cores", "go-avx2": "avx2 (forced), Zen 4, 2 cores"}),
    ({"cpu": "AMD EPYC (Zen 3)", "cores": 4}, {"python": AVX2}, {"python": "avx2, Zen 3, 4 cores"}),
    ({"cpu": "Intel(R) Processor", "cores": 4}, {"python": AVX2}, {"python": "avx2, Intel(R) Processor, 4 cores"}),
    # The best set is that of the processor, also where no contestant uses it.
    (IDENTIFIED, {"go-avx2": AVX2}, {"go-avx2": "avx2 (forced), AuthenticAMD 25 17, 2 cores"}),
    ({**IDENTIFIED, "best_set": "avx2"}, {"go": AVX2, "python": GO},
     {"go": "avx2, AuthenticAMD 25 17, 2 cores", "python": "go (forced), AuthenticAMD 25 17, 2 cores"}),
    # The library's name for the processor comes first.
    (IDENTIFIED, {"go": {**AVX512, "microarchitecture": "Zen 4"}, "python": {**AVX512, "microarchitecture": ""}},
     {"go": "avx512, Zen 4, 2 cores", "python": "avx512, AuthenticAMD 25 17, 2 cores"}),
])  # fmt: skip
def test_machine_classes(about, contestants, expected):
    classes = importlib.import_module("classes")
    assert classes.of_run(about, contestants) == expected
    written = classes.with_classes(about, contestants)
    assert {name: facts["class"] for name, facts in written.items() if "class" in facts} == expected
    assert classes.of_run({"cpu": "another", "cores": 99}, written) == expected


X86 = "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 143\nmodel name : Xeon\nflags : {}\n\nmodel : 7\nflags : avx"
ARM = "processor : 0\nFeatures : asimd sve\nCPU implementer : 0x41\nCPU part : 0xd40\n"


@pytest.mark.parametrize(("text", "identity", "best"), [
    (X86.format("sse avx2 fma avx512f"), "GenuineIntel 6 143", "avx512"),
    (X86.format("sse avx2 fma avx512_bf16"), "GenuineIntel 6 143", "avx2"),
    (X86.format("sse avx2 avx512f"), "GenuineIntel 6 143", "go"),
    (ARM, "0x41 0xd40", "go"),
])  # fmt: skip
def test_processor_from_cpuinfo(text, identity, best):
    classes = importlib.import_module("classes")
    entries = classes.first_processor(text)
    assert (classes.identity(entries), classes.best_set(entries)) == (identity, best)


@pytest.mark.parametrize(("name", "expected"), [
    ("2026-11-28-0c187c09cbba", {"avx512, Zen 4, 2 cores"}),
    ("2026-11-28-a3e56e8a21e6", {"avx512, Zen 4, 2 cores", "avx2 (forced), Zen 4, 2 cores"}),
    ("2026-11-29-320b4c9f8b00", {"avx512, Zen 4, 2 cores"}),
    ("2026-11-29-f6362be5dea7", {"avx2, Zen 3, 2 cores"}),
])  # fmt: skip
def test_machine_classes_of_stored_results(name, expected):
    check = importlib.import_module("check")
    stored = check.archive([BENCHMARKS / f"results/{name}.json"])
    assert {machine_class for machine_class, _ in stored} == expected
    assert {group for machine_class, group in stored if "forced" in machine_class} <= {"dgemm-avx2"}


ZEN4 = {**dict.fromkeys(("go", "python"), "avx512, Zen 4, 2 cores"), "go-avx2": "avx2 (forced), Zen 4, 2 cores"}


@pytest.fixture
def compare(tmp_path, capsys):
    """Returns what compares cases with stored runs and returns the exit status and the lines."""
    check, results = importlib.import_module("check"), importlib.import_module("results")

    def compare(cases, *stored, of_ours=ZEN4, wanted=""):
        # The order of names is not that of the dates.
        paths = [tmp_path / f"{len(stored) - i}.json" for i in range(len(stored) + 1)]
        for path, record in zip(paths, (*stored, run("now", cases)), strict=True):
            path.write_text(json.dumps(record))
        *then, now = paths
        status = check.check(results.read(now)[2], of_ours, check.archive(then), wanted)
        return status, capsys.readouterr().out.splitlines()

    return compare


def about_cases(lines):
    """What follows group, sizes and threads in the line about each case."""
    words = [line.split() for line in lines if " n=" in line]
    return {" ".join(of_line[:3]): of_line[3:] for of_line in words}


# Our time and those of the peers then and now, and what follows.
@pytest.mark.parametrize(("then", "now", "cells", "status"), [
    ((10e-6, {"scipy": 20e-6}), (5e-6, {"scipy": 20e-6}), "0.50 scipy 4.00 scipy 2.00", 0),
    ((10e-6, {"scipy": 20e-6}), (12e-6, {"scipy": 20e-6}), "1.20 scipy 1.67 scipy 2.00", 0),
    ((10e-6, {"scipy": 20e-6}), (13e-6, {"scipy": 20e-6}), "1.30 scipy 1.54 scipy 2.00 SLOWER", 1),
    # On a slow day, and on a fast one.
    ((10e-6, {"scipy": 20e-6}), (30e-6, {"scipy": 60e-6}), "3.00 scipy 2.00 scipy 2.00", 0),
    ((10e-6, {"scipy": 20e-6}), (9e-6, {"scipy": 12e-6}), "0.90 scipy 1.33 scipy 2.00 SLOWER", 1),
    # The fastest peer of each time, of those that were timed both times.
    ((10e-6, {"scipy": 20e-6, "mkl": 30e-6}), (10e-6, {"scipy": 40e-6, "mkl": 25e-6}), "1.00 mkl 2.50 scipy 2.00", 0),
    ((10e-6, {"scipy": 20e-6, "mkl": 30e-6}), (10e-6, {"mkl": 30e-6, "faer": 5e-6}), "1.00 mkl 3.00 mkl 3.00", 0),
    # Without a peer; other operations of ours are none.
    ((10e-6, {"mkl": 20e-6}), (12e-6, {"scipy": 20e-6}), "1.20", 0),
    ((10e-6, {"mkl": 20e-6}), (13e-6, {"scipy": 40e-6}), "1.30 SLOWER", 1),
    ((10e-6, {"python/df_mp2": 20e-6}), (10e-6, {"python/df_mp2": 5e-6}), "1.00", 0),
    ((10e-6, {"python/df_mp2": 20e-6}), (13e-6, {"python/df_mp2": 40e-6}), "1.30 SLOWER", 1),
])  # fmt: skip
def test_case_is_compared_with_the_stored_one(then, now, cells, status, compare):
    found, lines = compare([("eigh", 100, 1, *now)], run("aaa", [("eigh", 100, 1, *then)]))
    _, unit, _, unit_then, *others = about_cases(lines)["eigh n=100 1"]
    assert unit == unit_then == "us" and others == cells.split()
    assert found == status
    assert f"1 compared, 0 new, 0 vanished, {status} slower by more than a factor of 1.25" in lines


THEN = run("aaa", [
    ("eigh", 100, 1, 10e-6, {"scipy": 20e-6}),
    ("eigh", 100, 2, 10e-6, {"scipy": 20e-6}),
    ("schur", 100, 1, 10e-6, {"scipy": 20e-6}),
    ("former", 100, 1, 10e-6, {"scipy": 20e-6}),
    ("df-mp2-large", 100, 2, 10e-6, {"scipy": 20e-6}),
])  # fmt: skip


def test_new_and_vanished_cases(compare):
    cases = [("eigh", 100, 1, 40e-6, {"scipy": 20e-6}), ("eigh", 200, 1, 1e-3, {}), ("expm", 100, 1, 1e-3, {})]
    status, lines = compare(cases, THEN)
    assert status == 1 and {name: cells[-1] for name, cells in about_cases(lines).items()} == {
        "eigh n=100 1": "SLOWER",
        "eigh n=100 2": "vanished",
        "eigh n=200 1": "new",
        "expm n=100 1": "new",
        "schur n=100 1": "vanished",
        "former n=100 1": "vanished",
    }
    assert "1 compared, 2 new, 3 vanished, 1 slower by more than a factor of 1.25" in lines


@pytest.mark.parametrize(("wanted", "vanished"), [
    ("eigh", {"eigh n=100 1", "eigh n=100 2"}),
    ("schur,form", {"schur n=100 1", "former n=100 1"}),
    ("df-mp2-large", {"df-mp2-large n=100 2"}),
])  # fmt: skip
def test_only_chosen_cases_vanish(wanted, vanished, compare):
    status, lines = compare([], THEN, wanted=wanted)
    assert status == 0
    assert {name for name, cells in about_cases(lines).items() if cells[-1] == "vanished"} == vanished


def test_case_that_could_not_be_timed_has_vanished(compare):
    status, lines = compare([("eigh", 100, 1, None, {})], run("aaa", [("eigh", 100, 1, 10e-6, {})]))
    assert status == 0 and about_cases(lines)["eigh n=100 1"][-1] == "vanished"
    assert "0 compared, 0 new, 1 vanished, 0 slower by more than a factor of 1.25" in lines


def test_last_stored_run_of_the_class_that_has_the_group_counts(compare):
    status, lines = compare(
        [("eigh", 100, 1, 10e-6, {}), ("schur", 100, 1, 10e-6, {}), ("expm", 100, 1, 10e-6, {})],
        run("aaa", [("eigh", 100, 1, 20e-6, {}), ("schur", 100, 1, 40e-6, {})], date="2026-01-01"),
        run("bbb", [("eigh", 100, 1, 80e-6, {})], date="2026-01-02T09:00:00"),
        run("ccc", [("eigh", 100, 1, 90e-6, {})], date="2026-01-02T08:00:00"),
        run("ddd", [("eigh", 100, 1, 1e-6, {})], date="2026-01-03", kernel="avx2"),  # forced: another class
        wanted="eigh,schur,expm",
    )
    assert status == 0
    assert {name: cells[-1] for name, cells in about_cases(lines).items()} == {
        "eigh n=100 1": "0.12",
        "schur n=100 1": "0.25",
        "expm n=100 1": "new",
    }
    by_run = {line.split(": ")[1]: line.split(": ")[2].split(", ") for line in lines if line.startswith(ZEN4["python"])}
    assert "eigh" in by_run["compared with 2026-01-02, commit bbb"]
    assert by_run["compared with 2026-01-01, commit aaa"] == ["schur"]
    assert "expm" in by_run["nothing stored"]


def test_geometric_means(compare):
    then = [("eigh", n, 1, 1e-3, {"scipy": 1e-3} if n < 300 else {}) for n in (100, 200, 300)]
    now = [
        ("eigh", 100, 1, 1e-3, {"scipy": 2e-3}),
        ("eigh", 200, 1, 2e-3, {"scipy": 16e-3}),
        ("eigh", 300, 1, 4e-3, {}),
    ]
    _, lines = compare(now, run("aaa", then))
    assert "our time now/then: geometric mean 2.000 (of 3)" in lines
    assert "peer/ours now over then: geometric mean 4.000 (of 2)" in lines


class FakePool:
    """Contestants that only tell their kernels."""

    def get(self, entry, threads):
        assert entry == "python"

    def facts(self):
        return {"python": {"title": "ours", "version": "0.1.0", "kernel": "avx512", "microarchitecture": "Zen 4"}}

    def close(self):
        pass


@pytest.fixture
def bench(monkeypatch, tmp_path):
    """Returns what calls run.py in a folder with a stored run; each case takes the same time."""
    module = importlib.import_module("run")
    about = {"cpu": "EPYC", "cores": 2, "best_set": "avx512", "load": 0.0, "date": "2026-01-02", "commit": "now"}

    def bench(*options, seconds=1.0, stored_kernel="avx512"):
        case = next(module.select("smoke-python"))
        stored = run("aaa", [("smoke-python", case.sizes["n"], 1, 1.0, {})], kernel=stored_kernel)
        (tmp_path / "stored.json").write_text(json.dumps(stored))
        timed = []

        def measure(*arguments):
            timed.append(arguments)
            return {"python": {"min": seconds, "median": seconds}}, {}

        for name, value in {"KEPT": tmp_path, "ROOT": tmp_path, "Pool": FakePool, "measure": measure}.items():
            monkeypatch.setattr(module, name, value)
        monkeypatch.setattr(module.results, "machine", lambda: about)
        monkeypatch.setattr("sys.argv", ["run.py", "--filter", "smoke-python", *options])
        return module.main(), len(timed)

    return bench


def test_bench_writes_machine_classes(bench, tmp_path, capsys):
    status, timed = bench()
    assert status == 0 and timed > 0
    record = json.loads((tmp_path / "build/bench/smoke-python/results.json").read_text())
    assert record["contestants"]["python"]["class"] == "avx512, Zen 4, 2 cores"
    assert "machine class avx512, Zen 4, 2 cores\n" in capsys.readouterr().out


@pytest.mark.parametrize(("seconds", "expected"), [(1.2, 0), (1.3, 1)])
def test_bench_check_writes_nothing(seconds, expected, bench, tmp_path):
    status, timed = bench("--check", seconds=seconds)
    assert status == expected and timed > 0
    assert [path.name for path in tmp_path.iterdir()] == ["stored.json"]


def test_bench_check_times_nothing_without_results_of_the_class(bench, capsys):
    assert bench("--check", stored_kernel="avx2") == (2, 0)
    assert "there are results of\n  avx2 (forced), Zen 4, 2 cores\n" in capsys.readouterr().out
