"""Measures one case in rounds, in which our side and its peers take turns: a disturbance of the machine meets all of
them."""

from __future__ import annotations

import math
import statistics
import time
from dataclasses import dataclass

from cases import Case
from contestants import Contestant, Pool, Skipped

Summary = dict[str, float]


@dataclass(frozen=True)
class Effort:
    """How long a case is measured."""

    sample: float  # seconds of one sample at least, or one call: clocks and loops then cost nothing
    rounds: int  # at least
    budget: float  # seconds of a case; further rounds are made while they fit
    limit: float  # seconds after which a case ends with fewer rounds


FULL = Effort(sample=5e-3, rounds=5, budget=0.4, limit=5.0)
# Of long groups, whatever time it takes.
FEW = Effort(sample=5e-3, rounds=2, budget=0.0, limit=math.inf)
SMOKE = Effort(sample=2e-3, rounds=2, budget=0.1, limit=1.0)
# A first call of so many samples tells enough: the next one will not be short.
LONG = 20
# More rounds find no lower minimum.
MOST_ROUNDS = 50


@dataclass(frozen=True)
class Sample:
    """What is measured at once."""

    loops: int  # calls
    # Calls before them that are not counted: after the pause in which others were timed, processors are slow and caches
    # cold.
    before: int

    def take(self, contestant: Contestant) -> float:
        """Return the mean of the seconds of the calls."""
        if self.before > 0:
            contestant.time(self.before)
        seconds = contestant.time(self.loops) / self.loops
        contestant.settle()
        return seconds


def _sample(contestant: Contestant, shortest: float) -> Sample:
    """Return a sample that takes at least `shortest` seconds. The first call, which is slow, is not measured."""
    if contestant.time(1) > LONG * shortest:
        contestant.settle()
        return Sample(loops=1, before=0)
    loops, seconds = 1, contestant.time(1)
    while seconds < shortest / 4:
        loops *= 4
        seconds = contestant.time(loops)
    contestant.settle()
    loops = max(1, math.ceil(loops * shortest / seconds))
    return Sample(loops=loops, before=loops)


def _prepared(case: Case, entry: str, pool: Pool) -> Contestant:
    contestant = pool.get(entry, case.threads)
    contestant.prepare(case.request(entry.partition("/")[2]))
    return contestant


def measure(case: Case, pool: Pool, effort: Effort) -> tuple[dict[str, Summary], dict[str, str]]:
    """Return the times of a case, none if our side cannot be timed, and why others were left out."""
    ready: dict[str, Contestant] = {}
    skipped: dict[str, str] = {}
    for entry in (case.group.ours, *case.group.peers):
        try:
            ready[entry] = _prepared(case, entry, pool)
        except Skipped as reason:
            skipped[entry] = str(reason)
    if case.group.ours not in ready:
        return {}, skipped
    sample = {entry: _sample(contestant, effort.sample) for entry, contestant in ready.items()}
    samples: dict[str, list[float]] = {entry: [] for entry in ready}
    started = time.perf_counter()
    for done in range(MOST_ROUNDS):
        if done > 0 and time.perf_counter() - started > (effort.budget if done >= effort.rounds else effort.limit):
            break
        for entry, contestant in ready.items():
            samples[entry].append(sample[entry].take(contestant))
    return {entry: _summary(samples[entry], sample[entry].loops) for entry in ready}, skipped


def _summary(samples: list[float], loops: int) -> Summary:
    """Return minimum and median of the seconds of a call, each sample being the mean of a loop."""
    return {"min": min(samples), "median": statistics.median(samples), "samples": len(samples), "loops": loops}
