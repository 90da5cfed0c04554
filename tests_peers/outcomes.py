"""What became of the tests of a run, and how that compares with the expected differences."""

import json
from typing import NamedTuple

from expected import DIFFERENCES


class Run(NamedTuple):
    """The outcomes of one run: a word for each test, a message for each that failed."""

    outcomes: dict[str, str]
    messages: dict[str, str]
    calls: int | None  # of our functions; None if the run did not come to its end

    @property
    def failed(self):
        return [test for test, outcome in self.outcomes.items() if outcome == "failed"]

    def count(self, outcome):
        return sum(1 for each in self.outcomes.values() if each == outcome)


def read(record):
    """Read the lines that the plugin `recorder` wrote. A test that fails in its set-up or afterwards has failed."""
    outcomes, messages, calls = {}, {}, None
    for line in record.read_text().splitlines() if record.exists() else []:
        entry = json.loads(line)
        if "calls" in entry:
            calls = entry["calls"]
        elif outcomes.get(entry["test"]) != "failed":
            outcomes[entry["test"]] = entry["outcome"]
            messages[entry["test"]] = entry["message"]
    return Run(outcomes, messages, calls)


class Comparison(NamedTuple):
    """The failed tests of a run, sorted by why."""

    without_us: list[str]  # fail in the peer as it is, too
    explained: dict[str, str]  # the reason of each
    unexplained: list[str]
    stale: list[str]  # patterns of expected differences that no failed test matches


def compare(run, baseline, peer, version):
    """Sort what failed.

    Parameters
    ----------
    run, baseline : Run
        With our functions, and of the tests that failed there in the peer as it is.
    peer, version : str
        Which expected differences count.
    """
    expected = [each for each in DIFFERENCES if each.peer == peer and each.holds_for(version)]
    without_us, explained, unexplained, used = [], {}, [], set()
    for test in run.failed:
        matches = [(each, each.pattern_of(test, run.messages[test])) for each in expected]
        each, pattern = next(((each, pattern) for each, pattern in matches if pattern), (None, None))
        if baseline.outcomes.get(test) == "failed":
            without_us.append(test)
        elif pattern:
            explained[test] = each.reason
            used.add(pattern)
        else:
            unexplained.append(test)
    stale = [pattern for each in expected for pattern in each.tests if pattern not in used]
    return Comparison(without_us, explained, unexplained, stale)
