"""Graphs as HLO: XLA reads the bytes, runs them on the CPU and gets what trnbackend/interp gets.

The cases and the ranges in which their results are right come from tests_go/hlocases. XLA runs in a process of its own,
since it ends the process at a mistake in a program. Nothing here imports trnsci.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import run_hlo
from run_hlo import BITS, UNAVAILABLE, array

ROOT = Path(__file__).resolve().parents[2]
# Go tests check that every operation is among the cases; this, that they arrive.
FEWEST_CASES = 300


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with cases and what XLA made of them."""
    if shutil.which("go") is None:
        pytest.skip("the cases are made by a Go program, and there is no go on PATH")
    folder = tmp_path_factory.mktemp("hlo")
    subprocess.run(["go", "run", "./tests_go/hlocases", folder], cwd=ROOT, check=True)
    done = subprocess.run([sys.executable, run_hlo.__file__, folder], capture_output=True, text=True)
    last = (done.stdout.splitlines() or ["nothing"])[-1]
    if done.returncode == UNAVAILABLE:
        pytest.skip(last)
    assert done.returncode == 0, f"running HLO ended with status {done.returncode} at {last}:\n{done.stderr[-4000:]}"
    return folder


@pytest.fixture(scope="module")
def cases(folder):
    cases = json.loads((folder / "index.json").read_text())
    assert len(cases) >= FEWEST_CASES
    return cases


@pytest.fixture(scope="module")
def texts(folder):
    """XLA's texts of the cases of one operation."""
    texts = json.loads((folder / "texts.json").read_text())
    return {name: text for name, text in texts.items() if not name.startswith(("random ", "program "))}


def numbers(x, dtype):
    """The elements as doubles."""
    if dtype == "bf16":
        x = (x.astype(np.uint32) << 16).view(np.float32)
    return x.astype(np.float64)


def difference(got, dtype, low, high):
    """What is wrong with a result whose elements are right from low to high, or None. See tests_go/hlocases for NaN."""
    if got.shape != low.shape or got.dtype != np.dtype(BITS[dtype]):
        return f"is {got.dtype}{got.shape}, not {dtype}{low.shape}"
    x = numbers(got, dtype)
    free = np.isnan(low) | (low == -np.inf) & (high == np.inf)
    wrong = np.where(np.isnan(x), ~free, ~((low <= x) & (x <= high)))
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"has {np.count_nonzero(wrong)} wrong elements, at {at} {x[at]!r}, not {low[at]!r} to {high[at]!r}"


def test_results(folder, cases):
    data = (folder / "data.bin").read_bytes()
    failures = []
    for number, case in enumerate(cases):
        with np.load(folder / f"results-{number}.npz") as got:
            assert len(got.files) == len(case["results"]), case["name"]
            for k, result in enumerate(case["results"]):
                ends = [array(data, {"dtype": "f64", "dims": result["dims"], **result[end]}) for end in ("low", "high")]
                wrong = difference(got[f"arr_{k}"], result["dtype"], *ends)
                if wrong:
                    failures.append(f"{case['name']}: result {k} {wrong}\n{case['text']}")
    assert not failures, f"{len(failures)} results differ\n" + "\n".join(failures[:10])


def test_ranges_of_programs_tell_right_from_wrong(folder, cases):
    data = (folder / "data.bin").read_bytes()
    programs = [case for case in cases if case["name"].startswith("program ")]
    assert {case["name"].split()[1] for case in programs} == {"gemm", "syrk"} and len(programs) == 8
    for case in programs:
        (result,) = case["results"]
        low, high = (array(data, {"dtype": "f64", "dims": result["dims"], **result[end]}) for end in ("low", "high"))
        assert np.max(high - low) < np.max(abs(low)) / 4, case["name"]


def test_difference_notices():
    x = np.array([1.0, np.nan, np.inf, -0.0], np.float32)

    def f32(*want, error=0.0):
        return difference(x, "f32", np.array(want) - error, np.array(want) + error)

    assert f32(1, np.nan, np.inf, 0) is None
    assert f32(1, np.nan, np.inf) == "is float32(4,), not f32(3,)"
    assert difference(x.astype(np.float64), "f32", x, x) == "is float64(4,), not f32(4,)"
    for place, other in ((0, 1 + 2**-23), (0, np.nan), (1, 0.0), (2, -np.inf), (2, 3e38), (3, np.inf)):
        want = [1, np.nan, np.inf, 0]
        want[place] = other
        wrong = f32(*want, error=2**-24)
        assert wrong is not None and wrong.startswith("has 1 wrong"), wrong
    assert f32(1 + 2**-23, np.nan, np.inf, 0, error=2**-23) is None
    assert difference(x, "f32", np.full(4, -np.inf), np.full(4, np.inf)) is None
    one = np.array([0x3F80], np.uint16)
    assert difference(one, "bf16", np.ones(1), np.ones(1)) is None
    assert difference(one, "bf16", np.array([1 + 2**-7]), np.array([2.0])) is not None


# What XLA itself says that it read: Go's own reader of HLO would share a wrong field number with the writer.


def entry(text):
    """The lines of the entry computation."""
    return text.split("ENTRY", 1)[1].splitlines()[1:]


def test_names_are_attributes(cases, texts):
    for case in (case for case in cases if case["name"] in texts):
        lines = entry(texts[case["name"]])
        inputs = re.findall(r'parameter\((\d+)\), frontend_attributes={neff_input_names="(\w+)"}', "\n".join(lines))
        assert sorted(inputs, key=lambda x: int(x[0])) == [(str(k), f"x{k}") for k in range(len(case["inputs"]))]
        names = ",".join(f"y{k}" for k in range(len(case["results"])))
        (root,) = [line for line in lines if "ROOT" in line]
        assert re.search(rf'= .* (copy|tuple)\(.*\), frontend_attributes={{neff_output_names="{names}"}}', root), root


def test_precision_is_explicit(texts):
    dots = [(name, line) for name, text in texts.items() for line in entry(text) if " dot(" in line]
    full = [name for name, line in dots if "operand_precision={highest,highest}" in line]
    rest = [name for name, line in dots if "operand_precision" not in line]
    assert full and rest and len(full) + len(rest) == len(dots)
    assert all(re.match(r"dot f(32|64)\[", name) for name in full) and all(
        name.startswith("dot bf16[") for name in rest
    )


def test_donated_parameters_are_aliases(texts):
    aliases = {name: re.search(r"input_output_alias={ (.*?) },", text) for name, text in texts.items()}
    found = {name: match[1] for name, match in aliases.items() if match}
    types = ("f32", "bf16", "s32", "pred", "f64")
    want = {f"donated {d}": "{}: (1, {}, may-alias)" for d in types}
    # The parameter itself is the third result; the second has its shape too.
    want |= {f"donated {d} among several": "{2}: (0, {}, may-alias)" for d in types}
    assert found == want
