"""Machine classes: what decides times. Only results of one class are compared with each other.

A class names the set of kernels in use, the processor and the number of cores, such as "avx512, Zen 4, 2 cores". A set
that was forced on a processor with a better one makes a class of its own, "avx2 (forced), Zen 4, 2 cores": a figure
forced on AVX-512 hardware is a hint, not a result.
"""

from __future__ import annotations

import re
from typing import Any

OURS = ("go", "go-avx2", "python")  # the contestants that are trnsci
SETS = ("go", "avx2", "avx512")  # the names of core/kernel/set.go, the best set last
FORCED = " (forced)"
# What tells processors apart in /proc/cpuinfo: on x86-64, and on arm64.
IDENTITY = ("vendor_id", "cpu family", "model", "CPU implementer", "CPU part")


def first_processor(cpuinfo: str) -> dict[str, str]:
    """Return the entries about the first processor in the text of /proc/cpuinfo."""
    lines = cpuinfo.strip().partition("\n\n")[0].splitlines()
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def identity(entries: dict[str, str]) -> str:
    """Return vendor, family and model of a processor, such as "AuthenticAMD 25 17"."""
    return " ".join(entries[name] for name in IDENTITY if name in entries)


def best_set(entries: dict[str, str]) -> str:
    """Return the best set of kernels that a processor can run, by the features that core/kernel asks for."""
    features = entries.get("flags", "").split()
    if not {"avx2", "fma"} <= set(features):
        return "go"
    return "avx512" if "avx512f" in features else "avx2"


def of_run(about: dict[str, Any], contestants: dict[str, Any]) -> dict[str, str]:
    """Return the machine class of each of our contestants in a run.

    Parameters
    ----------
    about : dict
        The machine of the run.
    contestants : dict
        What its contestants say of themselves. The oldest stored runs tell no classes: these are derived from the name
        of the processor in `about`, and the best set is the best one in the run.
    """
    ours = {name: facts for name, facts in contestants.items() if name in OURS}
    best = about.get("best_set") or max((facts["kernel"] for facts in ours.values()), key=SETS.index, default="go")
    return {name: facts.get("class") or _class(about, facts, best) for name, facts in ours.items()}


def _class(about: dict[str, Any], facts: dict[str, str], best: str) -> str:
    forced = FORCED if facts["kernel"] in SETS[: SETS.index(best)] else ""
    return f"{facts['kernel']}{forced}, {_processor(about, facts)}, {about['cores']} cores"


def _processor(about: dict[str, Any], facts: dict[str, str]) -> str:
    """Return the microarchitecture if the library knows it, else what identifies the processor.

    The oldest runs have only a name, with the microarchitecture in parentheses at its end.
    """
    at_end = re.search(r"\(([^()]+)\)$", about["cpu"])
    name: str = at_end[1] if at_end else about["cpu"]
    return facts.get("microarchitecture") or about.get("processor") or name


def with_classes(about: dict[str, Any], contestants: dict[str, Any]) -> dict[str, Any]:
    """Return the contestants of a run, ours with their machine class."""
    classes = of_run(about, contestants)
    return {
        name: {**facts, "class": classes[name]} if name in classes else facts for name, facts in contestants.items()
    }
