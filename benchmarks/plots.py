"""Plots of a run: for each group and number of threads the rates, and how many times as fast as the peers we are."""

from __future__ import annotations

from pathlib import Path

from results import Result, groups


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
