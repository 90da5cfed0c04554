"""The argument ``progress=`` as one callable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TypeAlias

import numpy as np

from ._caller import public_name, warn

Progress: TypeAlias = "bool | Callable[[int, int], object] | None"

# The number of steps that the work of several calls is divided into.
_PARTS = 1_000_000

_FORMAT = "{l_bar}{bar}| {elapsed}<{remaining}"


@contextmanager
def reporter(progress: Progress, order: int | None = None) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that takes (done, total), or None if nothing is to be reported.

    It reports each new count once. The total is 0 while it is unknown, and such counts are not reported. The label of a
    bar is the name of the running public function, with the order of its matrices if given.
    """
    if not progress:
        yield None
    elif isinstance(progress, (bool, np.bool_)):
        with _bar(public_name() if order is None else f"{public_name()} {order}") as show:
            yield None if show is None else _only_news(show)
    elif callable(progress):
        yield _only_news(progress)
    else:
        raise TypeError(f"progress: expected a bool, a callable or None, got {type(progress).__name__}")


def phases(progress: Progress, order: int | None, *shares: float) -> AbstractContextManager[list[Progress]]:
    """Provide the ``progress=`` argument of each of several library calls that make up one call of the user, in a
    ``with`` block.

    `shares` are the shares of the calls in the work.

    The total stays the same throughout; work after the last call is not counted.
    """
    if progress is None:  # takes a fifth of the time, which matters for small matrices
        return nullcontext([None] * len(shares))
    return _phases(progress, order, shares)


@contextmanager
def _phases(progress: Progress, order: int | None, shares: tuple[float, ...]) -> Iterator[list[Progress]]:
    with reporter(progress, order) as report:
        if report is None:
            yield [None] * len(shares)
            return
        ends = [round(_PARTS * sum(shares[: k + 1]) / sum(shares)) for k in range(len(shares))]

        def part(begin: int, end: int) -> Callable[[int, int], None]:
            return lambda done, total: report(begin + (end - begin) * done // total, _PARTS)

        yield [part(begin, end) for begin, end in zip([0, *ends], ends, strict=False)]


def finish_nothing(progress: Progress, order: int | None = None) -> None:
    """Report one step for a call that has nothing to compute, as the library does if it has nothing to plan."""
    with reporter(progress, order) as report:
        if report is not None:
            report(1, 1)


def _only_news(show: Callable[[int, int], object]) -> Callable[[int, int], None]:
    last = (-1, -1)

    def report(done: int, total: int) -> None:
        nonlocal last
        if total > 0 and (done, total) != last:
            last = (done, total)
            show(done, total)

    return report


@contextmanager
def _bar(label: str) -> Iterator[Callable[[int, int], None] | None]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        warn("progress=True shows a bar only where tqdm is installed (pip install tqdm)", UserWarning)
        yield None
        return
    bar = None

    def show(done: int, total: int) -> None:
        nonlocal bar
        if bar is None:
            # The bar shows no counts, since work is counted in operations. Without smoothing the time left follows from
            # the mean speed so far.
            bar = tqdm(total=total, desc=label, leave=False, bar_format=_FORMAT, smoothing=0, miniters=1)
        bar.update(done - bar.n)  # the bar is redrawn at most ten times in a second
        if done == total:
            bar.refresh()

    try:
        yield show
    finally:
        if bar is not None:
            bar.close()
