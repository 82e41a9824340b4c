"""Pictures of errors beside condition numbers, for each function: how far from the best that rounded numbers allow."""

from __future__ import annotations

import pathlib

import numpy as np
from matplotlib import pyplot

from docs.generate import ulp
from docs.generate.site.drawings import is_newer, themed

NAMES = {"float64": "float64", "float32": "float32", "jax": "JAX's own, float64"}
DOTS = {"jax": ("#d04a4a", "x", 14), "float32": ("#e0a020", "o", 6), "float64": ("#1f8fd0", "o", 8)}


def has(name: str) -> bool:
    return any(key[0] == name for key in ulp.load())


def draw(name: str, folder: pathlib.Path) -> None:
    """Of a function: a panel for the value, and for each first derivative."""
    if not is_newer(folder / f"{name}-dark.svg", ulp.PATH, pathlib.Path(__file__)):
        themed(lambda: figure(name), folder / name)


def figure(name: str) -> pyplot.Figure:
    mine = {key[1:]: points for key, points in ulp.load().items() if key[0] == name}
    panels = list(dict.fromkeys(what for what, _ in mine))
    figure, axes = pyplot.subplots(
        1, len(panels), figsize=(8, 2.6), sharex=True, sharey=True, squeeze=False, layout="constrained"
    )
    for ax, what in zip(axes[0], panels, strict=True):
        for whose, (color, marker, size) in DOTS.items():
            if (what, whose) in mine:
                points = mine[what, whose]
                ax.scatter(10**points.condition, 10**points.error, size, color, marker=marker, linewidths=0.8)
        _envelope(ax)
        ax.set_title("value" if what == "value" else f"derivative in {what}", fontsize=9)
        ax.grid(alpha=0.5)
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=8)
    axes[0, 0].set_ylabel("error, ULP", fontsize=9)
    figure.supxlabel("condition number", fontsize=9)
    for whose in dict.fromkeys(whose for _, whose in mine):
        color, marker, _ = DOTS[whose]
        axes[0, 0].plot([], [], marker, color=color, markersize=4, label=NAMES[whose])
    figure.legend(loc="outside upper right", ncols=3, frameon=False, fontsize=8)
    return figure


def _envelope(ax: pyplot.Axes) -> None:
    """(1 + condition) / 2: half a unit in each argument, and the rounding of the result."""
    condition = np.logspace(ulp.LEAST, ulp.MOST, 100)
    ax.set(xscale="log", yscale="log", xlim=(1e-3, 1e10), ylim=(1e-3, 1e12))
    ax.plot(condition, (1 + condition) / 2, linewidth=1, color=ax.spines["left"].get_edgecolor())
