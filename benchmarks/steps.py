"""Where the time of a run goes: timers around functions of one process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any


class Steps:
    """Seconds of wall time by steps, in the order in which they were first left.

    While a step is open inside of another one, time is counted for the inner one only: the seconds of all steps add up
    to those between the begin and the end of the outermost one. For one thread.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.seconds: dict[str, float] = {}
        self._clock = clock
        self._open: list[str] = []
        self._since = 0.0

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Count the time of a ``with`` block for a step."""
        self._count()
        self._open.append(name)
        try:
            yield
        finally:
            self._count()
            self._open.pop()

    def watch(self, owner: Any, attribute: str, name: str) -> None:
        """Put in place of a function of an object or module one that counts its time for a step."""
        function = getattr(owner, attribute)

        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            with self.step(name):
                return function(*args, **kwargs)

        setattr(owner, attribute, timed)

    def _count(self) -> None:
        """Give what has passed since the last call to the innermost step."""
        now = self._clock()
        if self._open:
            self.seconds[self._open[-1]] = self.seconds.get(self._open[-1], 0.0) + now - self._since
        self._since = now
