"""Pictures of errors beside condition numbers, for each function: how far from the best that rounded numbers allow."""

from __future__ import annotations

import pathlib

import numpy as np
from matplotlib import pyplot

from docs.generate import ulp
from docs.generate.site.drawings import is_newer, themed

NAMES = {"float64": "float64", "float32": "float32", "jax": "JAX's own, float64"}
DOTS = {"jax": ("#d04a4a", "x", 4), "float32": ("#e0a020", "o", 2.4), "float64": ("#1f8fd0", "o", 2.8)}
SIZE = (8.0, 2.6)  # in inches


def has(name: str) -> bool:
    return any(key[0] == name for key in ulp.load())


def draw(name: str, folder: pathlib.Path) -> None:
    """Of a function: a panel for the value, and for each first derivative."""
    if not is_newer(folder / f"{name}-dark.svg", ulp.PATH, pathlib.Path(__file__)):
        themed(lambda: figure(name), folder / name)


def figure(name: str) -> pyplot.Figure:
    """All in decimal logarithms, with linear axes: Matplotlib's logarithmic ones take ten times as long."""
    mine = {key[1:]: points for key, points in ulp.load().items() if key[0] == name}
    panels = list(dict.fromkeys(what for what, _ in mine))
    figure, axes = pyplot.subplots(1, len(panels), figsize=SIZE, sharex=True, sharey=True, squeeze=False)
    figure.subplots_adjust(left=0.08, right=0.99, bottom=0.2, top=0.82, wspace=0.06)
    for ax, what in zip(axes[0], panels, strict=True):
        for whose, (color, marker, size) in DOTS.items():
            if (what, whose) in mine:
                points = mine[what, whose]
                ax.plot(points.condition, points.error, marker, color=color, markersize=size)
        _envelope(ax)
        ax.set_title("value" if what == "value" else f"derivative in {what}", fontsize=9)
        ax.grid(alpha=0.5)
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=8)
    every = list(mine.values())
    right, top = (max(4.0, *(max(points[i], default=0.0) for points in every)) for i in (0, 1))
    for axis, most in (("x", right), ("y", top)):
        ticks = np.arange(-3, most + 1, 3 if most < 10 else 6)
        ax.set(**{f"{axis}lim": (-3.3, most + 0.5), f"{axis}ticks": ticks})
        ax.set(**{f"{axis}ticklabels": [f"$10^{{{tick:.0f}}}$" for tick in ticks]})
    axes[0, 0].set_ylabel("error, ULP", fontsize=9)
    figure.supxlabel("condition number", fontsize=9)
    for whose in dict.fromkeys(whose for _, whose in mine):
        color, marker, _ = DOTS[whose]
        axes[0, 0].plot([], [], marker, color=color, markersize=4, label=NAMES[whose])
    figure.legend(loc="upper right", ncols=3, frameon=False, fontsize=8)
    return figure


def _envelope(ax: pyplot.Axes) -> None:
    """(1 + condition) / 2: half a unit in each argument, and the rounding of the result."""
    condition = np.linspace(ulp.LEAST, ulp.MOST, 100)
    edge = ax.spines["left"].get_edgecolor()
    ax.plot(condition, np.log10((1 + 10**condition) / 2), linewidth=1, color=edge)
