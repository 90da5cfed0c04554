"""Plots of runs: rates and times of peers over ours, for each group of a run, and for the page docs/performance.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from results import Result, groups

# What the page draws: rates of these groups, and the factors of these operations over the order of the matrix.
RATES = ("dgemm", "zgemm")
FACTORS = {
    "cholesky": "cholesky",
    "eigh": "eigh",
    "eigh-values": "eigvalsh",
    "schur": "schur",
    "eig-vectors": "eig",
    "sqrtm": "sqrtm",
}
# The same runs give the same bytes, and text stays text.
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "trnsci",
    "svg.fonttype": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
}


class Times(Protocol):
    """Times of one case, see `summary.Times`."""

    ours: dict[int, float]

    def best(self, threads: int) -> tuple[float, str]: ...


def draw(folder: Path, results: list[Result]) -> str:
    """Draw a picture for each group of several cases and return a line that says so, or why there is none."""
    try:
        import matplotlib
    except ImportError:
        return "no plots: matplotlib is not installed"
    matplotlib.use("Agg")
    drawn = 0
    for name, members in groups(results):
        threads = sorted({result.threads for result in members})
        if len(members) > len(threads):
            _draw_group(folder / f"{name}.png", name, members, threads)
            drawn += 1
    return f"{drawn} plots in {folder}"


def _draw_group(path: Path, name: str, members: list[Result], threads: list[int]) -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, len(threads), figsize=(5 * len(threads), 6), sharex=True, squeeze=False)
    for column, count in enumerate(threads):
        cases = [result for result in members if result.threads == count]
        rates, ratios = axes[:, column]
        for number, entry in enumerate(dict.fromkeys(entry for result in cases for entry in result.times)):
            there = [place for place, result in enumerate(cases) if entry in result.times]
            style = {"marker": "o", "markersize": 3, "color": f"C{number}"}
            rates.plot(there, [cases[place].rate(entry) for place in there], label=entry, **style)
            if entry != cases[0].ours:
                ratios.plot(there, [cases[place].ratio(entry) for place in there], **style)
        rates.set(title=f"{name}, {count} thread{'s' * (count > 1)}", ylabel="GF", ylim=(0, None))
        ratios.set(ylabel="time of peer / ours", ylim=(0, None))
        ratios.axhline(1, color="gray", linewidth=0.8)
        ratios.set_xticks(range(len(cases)), [result.label for result in cases], rotation=60, fontsize=7)
        rates.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


def draw_summary(folder: Path, results: Sequence[Result], times: Mapping[str, Mapping[int, Times]]) -> str:
    """Draw the plots of docs/performance.md, the same bytes for the same runs, and return a line that says so."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(exist_ok=True)
    with pyplot.rc_context(STYLE):
        _save(_rates(results), folder / "rates.svg")
        _save(_factors(times), folder / "factors.svg")
    return f"2 plots in {folder}"


def _save(figure: Any, path: Path) -> None:
    from matplotlib import pyplot

    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def _rates(results: Sequence[Result]) -> Any:
    """Rates of products with one thread, ours and those of each peer."""
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, len(RATES), figsize=(5 * len(RATES), 3.2))
    for axes, group in zip(panels, RATES, strict=True):
        cases = [result for result in results if result.group == group and result.threads == 1]
        for entry in dict.fromkeys(entry for result in cases for entry in result.times):
            there = [result for result in cases if entry in result.times]
            orders, rates = [result.sizes["n"] for result in there], [result.rate(entry) for result in there]
            axes.plot(orders, rates, marker="o", markersize=3, label=entry)
        axes.set(title=f"{group}, one thread", xlabel="n", ylabel="GF", xscale="log", ylim=(0, None))
        axes.legend(fontsize=7)
    return figure


def _factors(times: Mapping[str, Mapping[int, Times]]) -> Any:
    """The time of the fastest peer over ours, with one thread and with all."""
    from matplotlib import pyplot

    counts = sorted({count for cases in times.values() for case in cases.values() for count in case.ours})
    figure, panels = pyplot.subplots(1, len(counts), figsize=(5 * len(counts), 3.2), sharey=True, squeeze=False)
    for axes, count in zip(panels[0], counts, strict=True):
        for group, label in FACTORS.items():
            cases = [(n, case) for n, case in sorted(times.get(group, {}).items()) if count in case.ours]
            factors = [case.best(count)[0] for _, case in cases]
            axes.plot([n for n, _ in cases], factors, marker="o", markersize=3, label=label)
        axes.axhline(1, color="gray", linewidth=0.8)
        axes.set(title=f"{count} thread{'s' * (count > 1)}", xlabel="n", xscale="log")
    panels[0][0].set(ylabel="time of the fastest peer / ours", ylim=(0, None))  # of all panels, which share their axis
    panels[0][0].legend(fontsize=7)
    return figure
