"""What ``progress=`` accepts, as one callable."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import numpy as np

Progress: TypeAlias = "bool | Callable[[int, int], object] | None"


@contextmanager
def reporter(progress: Progress) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that takes (steps done, steps in all), or None when nothing is to be reported.

    It passes each new count on once. The steps in all are 0 while they are not known, and such counts are not passed on.
    """
    if not progress:
        yield None
    elif isinstance(progress, (bool, np.bool_)):
        with _bar() as show:
            yield None if show is None else _only_news(show)
    elif callable(progress):
        yield _only_news(progress)
    else:
        raise TypeError(f"progress: expected a bool, a callable or None, got {type(progress).__name__}")


def _only_news(show: Callable[[int, int], object]) -> Callable[[int, int], None]:
    last = (-1, -1)

    def report(done: int, total: int) -> None:
        nonlocal last
        if total > 0 and (done, total) != last:
            last = (done, total)
            show(done, total)

    return report


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None] | None]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        warnings.warn("progress=True shows a bar only where tqdm is installed (pip install tqdm)", stacklevel=6)
        yield None
        return
    bar = None

    def show(done: int, total: int) -> None:
        nonlocal bar
        if bar is None:
            bar = tqdm(total=total, desc="trnsci", leave=False)
        bar.total = total
        bar.n = done
        bar.refresh()

    try:
        yield show
    finally:
        if bar is not None:
            bar.close()
