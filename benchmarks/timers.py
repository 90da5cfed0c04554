"""What a side of a worker hands to its loop."""

from __future__ import annotations

import time
from collections.abc import Callable

Timer = Callable[[int], float]  # seconds of that many calls


class Skip(Exception):
    """Why a case cannot be timed here."""


def repeated(call: Callable[[], object]) -> Timer:
    """Return what times a call from Python."""

    def timer(loops: int) -> float:
        start = time.perf_counter()
        for _ in range(loops):
            call()
        return time.perf_counter() - start

    return timer
