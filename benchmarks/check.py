"""Compares cases with the last stored results of the same machine class: ``make bench-check``.

benchmarks/README.md says what the columns and the marks mean.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

import classes
import results
from cases import GROUPS, chosen, chosen_groups
from results import Result, in_units

# A case is marked that has become slower by more than this factor. In the stored runs three of four medians are within
# 1.23 times their minima, and the minima of a call that one run has several times (df_mp2, beside its variants) differ
# by up to 5 % with one thread and 22 % with two.
SLOWER = 1.25
HEADER = ("case", "threads", "now", "then", "now/then", "peer/ours now", "peer/ours then", "")
LAYOUT = "{:42} {:>7} {:>8} {:>8} {:>8} {:>23} {:>23}  {}"

SLOWER_CASES, NO_CLASS = 1, 2  # exit statuses

Key = tuple[str, int]  # sizes and threads of a case
BY_NAME = {group.name: group for group in GROUPS}


@dataclass(frozen=True)
class Stored:
    """The last stored results of a group for a machine class."""

    run: str  # date and commit
    cases: dict[Key, Result]


Archive = Mapping[tuple[str, str], Stored]  # by machine class and group


def _key(result: Result) -> Key:
    return result.label, result.threads


def archive(paths: Iterable[Path]) -> Archive:
    """Return what files have for each machine class and group: the results of the last run with both."""
    last: dict[tuple[str, str], Stored] = {}
    for about, contestants, found in sorted(map(results.read, sorted(paths)), key=lambda record: record[0]["date"]):
        of_ours = classes.of_run(about, contestants)
        run = f"{about['date'][:10]}, commit {about['commit']}"
        for group, members in results.groups(found):
            last[of_ours[members[0].ours], group] = Stored(run, {_key(result): result for result in members})
    return last


@dataclass(frozen=True)
class Comparison:
    """A case as it is timed now and as it is stored."""

    now: Result
    then: Result

    @property
    def time(self) -> float:
        """Return our least time now over the one then."""
        return _ours(self.now) / _ours(self.then)

    @property
    def peers(self) -> tuple[str, str] | None:
        """Return the fastest peer now and the one then, of those that both have; None if there is none.

        Other operations of ours do not count: a case is not slower because another one has become faster.
        """
        common = self.now.times.keys() & self.then.times.keys()
        peers = sorted(name for name in common if name.partition("/")[0] not in classes.OURS)
        if not peers:
            return None
        now, then = (min(peers, key=lambda name: side.times[name]["min"]) for side in (self.now, self.then))
        return now, then

    @property
    def against_peers(self) -> float | None:
        """Return peer/ours now over peer/ours then, each of the fastest peer; None without a peer."""
        if self.peers is None:
            return None
        now, then = self.peers
        return self.now.ratio(now) / self.then.ratio(then)

    @property
    def slower(self) -> bool:
        """Whether we have become slower: against the fastest peer or, without a peer, in time."""
        against_peers = self.against_peers
        return (self.time if against_peers is None else 1 / against_peers) > SLOWER

    def line(self) -> str:
        """Return the line about the case."""
        ratios = ("", "")
        if self.peers is not None:
            now, then = self.peers
            ratios = (f"{now} {self.now.ratio(now):.2f}", f"{then} {self.then.ratio(then):.2f}")
        times = (in_units(_ours(self.now)), in_units(_ours(self.then)), f"{self.time:.2f}")
        return _line(*_name(self.now), *times, *ratios, "SLOWER" if self.slower else "")


def _ours(result: Result) -> float:
    return result.times[result.ours]["min"]


def _name(result: Result) -> tuple[str, str]:
    return f"{result.group} {result.label}", str(result.threads)


def _line(*cells: str) -> str:
    return LAYOUT.format(*cells).rstrip()


def _expected(machine_class: str, name: str, of_ours: Mapping[str, str], wanted: str) -> bool:
    """Whether a run times a group that is stored for a class; one that has left benchmarks/cases.py it should time."""
    if name in BY_NAME:
        group = BY_NAME[name]
        return chosen(name, wanted, group.long) and of_ours[group.ours] == machine_class
    return chosen(name, wanted, long=False) and machine_class in of_ours.values()


def _pairs(
    found: Iterable[Result], of_ours: Mapping[str, str], stored: Archive, wanted: str
) -> Iterator[tuple[Result | None, Result | None]]:
    """Yield each case as it is timed now and as it is stored: first all that are timed, then those that are not."""
    timed: set[tuple[str, str, Key]] = set()
    for now in filter(lambda result: result.times, found):
        place = of_ours[now.ours], now.group
        timed.add((*place, _key(now)))
        yield now, stored[place].cases.get(_key(now)) if place in stored else None
    for (machine_class, group), last in stored.items():
        if _expected(machine_class, group, of_ours, wanted):
            for key, then in last.cases.items():
                if (machine_class, group, key) not in timed:
                    yield None, then


def _compared_with(of_ours: Mapping[str, str], stored: Archive, wanted: str) -> Iterator[str]:
    """Yield a line for each machine class and each of the stored runs that groups are compared with."""
    names: dict[tuple[str, str], list[str]] = defaultdict(list)
    for group in chosen_groups(wanted):
        machine_class = of_ours[group.ours]
        last = stored.get((machine_class, group.name))
        names[machine_class, f"compared with {last.run}" if last else "nothing stored"].append(group.name)
    for (machine_class, run), groups in names.items():
        yield f"{machine_class}: {run}: {', '.join(groups)}"


def _summary(comparisons: list[Comparison], new: int, vanished: int) -> Iterator[str]:
    slower = sum(comparison.slower for comparison in comparisons)
    counts = f"{len(comparisons)} compared, {new} new, {vanished} vanished"
    yield f"{counts}, {slower} slower by more than a factor of {SLOWER}"
    against_peers = [comparison.against_peers for comparison in comparisons]
    means = (
        ("our time now/then", [comparison.time for comparison in comparisons]),
        ("peer/ours now over then", [ratio for ratio in against_peers if ratio is not None]),
    )
    for name, ratios in means:
        if ratios:
            yield f"{name}: geometric mean {geometric_mean(ratios):.3f} (of {len(ratios)})"


def check(found: Iterable[Result], of_ours: Mapping[str, str], stored: Archive, wanted: str) -> int:
    """Print how cases compare with stored ones, a line for each as it is timed.

    Parameters
    ----------
    found : iterable of Result
        The cases. None is asked for, and so timed, if nothing is stored for their machine classes.
    of_ours : mapping
        The machine class of each of our contestants.
    stored : Archive
        What is compared with.
    wanted : str
        The filter that has chosen the cases; stored ones that it chooses too and that were not timed have vanished.

    Returns
    -------
    int
        The exit status: 1 if cases are slower, 2 if nothing is stored for the machine classes, 0 otherwise.
    """
    known = sorted({machine_class for machine_class, _ in stored})
    if not set(known) & set(of_ours.values()):
        print("no stored result is of this machine class; there are results of")
        print("\n".join(f"  {machine_class}" for machine_class in known))
        return NO_CLASS
    print("\n".join(_compared_with(of_ours, stored, wanted)))
    print(f"\n{_line(*HEADER)}")
    comparisons: list[Comparison] = []
    new = vanished = 0
    for now, then in _pairs(found, of_ours, stored, wanted):
        if now and then:
            comparisons.append(Comparison(now, then))
            print(comparisons[-1].line(), flush=True)
        elif now:
            new += 1
            print(_line(*_name(now), in_units(_ours(now)), "", "", "", "", "new"), flush=True)
        elif then:
            vanished += 1
            print(_line(*_name(then), "", in_units(_ours(then)), "", "", "", "vanished"))
    print()
    print("\n".join(_summary(comparisons, new, vanished)))
    return SLOWER_CASES if any(comparison.slower for comparison in comparisons) else 0
