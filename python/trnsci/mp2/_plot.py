"""Pair energies as pictures; needs matplotlib, which is imported when a picture is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core._array import Array

# In the order of `MP2Result.pair_energies`; which spin's orbitals count rows and columns is in the name.
SPINS = ("alpha-alpha", "beta-beta", "alpha-beta")

_MILLIHARTREE = 1e3  # in a hartree
_PANEL_INCHES = 4.5
_COLOURS = "Blues_r"  # pairs without correlation are white
_COLOURS_OF_BOTH_SIGNS = "RdBu"


def plot_pairs(pair_energies: Any, spin: str | None, first: int, ax: Any) -> Any:
    """Draw what `MP2Result.plot_pairs` describes."""
    if pair_energies is None:
        raise ValueError("pair_energies: this result has none; compute it with pair_energies=True")
    if isinstance(first, bool) or not isinstance(first, (int, np.integer)):
        raise TypeError(f"first: expected the number of an orbital, got {first!r}")
    panels = _panels(pair_energies, spin)
    if not any(energies.size for energies, _ in panels):
        raise ValueError("pair_energies: no pairs of orbitals to plot")
    axes = _axes(ax, len(panels))
    for panel, (energies, name) in zip(axes, panels, strict=True):
        _draw(panel, energies, name, int(first))
    return axes[0] if len(panels) == 1 else tuple(axes)


def _panels(pair_energies: Any, spin: str | None) -> list[tuple[Array, str]]:
    """Return the arrays to draw, each with its spins; a closed shell has no name for them."""
    if not isinstance(pair_energies, tuple):
        if spin is not None:
            raise ValueError(f"spin: {spin!r} is for two spins; this result is of a closed shell")
        return [(pair_energies, "")]
    named = [(energies, name) for energies, name in zip(pair_energies, SPINS, strict=True)]
    if spin is None:
        return named
    chosen = [panel for panel in named if panel[1] == spin]
    if not chosen:
        raise ValueError(f"spin: {spin!r} is not one of {', '.join(map(repr, SPINS))}")
    return chosen


def _axes(ax: Any, count: int) -> list[Any]:
    """Return the Axes to draw into, those of a new figure where none are given."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(
            "plot_pairs needs matplotlib, the extra `plot` of this package: pip install matplotlib"
        ) from None
    if ax is None:
        size = (count * _PANEL_INCHES, _PANEL_INCHES)
        return list(pyplot.subplots(1, count, squeeze=False, figsize=size, layout="constrained")[1][0])
    axes = [ax] if hasattr(ax, "imshow") else list(np.ravel(ax))
    if len(axes) != count:
        raise ValueError(f"ax: expected {count} for {count} panels, got {len(axes)}")
    return axes


def _draw(ax: Any, energies: Array, name: str, first: int) -> None:
    """Draw one panel with its colour bar."""
    rows, columns = energies.shape
    row_spin, _, column_spin = name.partition("-")
    ax.set_ylabel(f"occupied orbital i {row_spin}".rstrip())
    ax.set_xlabel(f"occupied orbital j {column_spin}".rstrip())
    ax.set_title(name or "pair energies")
    if not energies.size:
        ax.text(0.5, 0.5, "no pairs", ha="center", va="center", transform=ax.transAxes)
        return
    values = _MILLIHARTREE * energies
    finite = values[np.isfinite(values)]
    low, high = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
    if high > 0:
        high = max(-low, high)
        low = -high
    # A cell is centred on its orbitals' numbers, of which the first is not always 0.
    extent = (first - 0.5, first + columns - 0.5, first + rows - 0.5, first - 0.5)
    colours = _COLOURS_OF_BOTH_SIGNS if high > 0 else _COLOURS
    image = ax.imshow(values, cmap=colours, vmin=low, vmax=high, extent=extent, aspect="equal", interpolation="nearest")
    for axis in (ax.xaxis, ax.yaxis):
        axis.get_major_locator().set_params(integer=True)
    ax.figure.colorbar(image, ax=ax, label="pair energy in millihartree", shrink=0.8)
