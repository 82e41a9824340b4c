"""The plot of a function: along one real argument, with the others fixed."""

from __future__ import annotations

import inspect
import pathlib

import numpy as np
from matplotlib import pyplot

from docs.generate.site import choice
from docs.generate.site.drawings import is_newer, themed
from hostwrap.special._function import Special

COLORS = ("#1f8fd0", "#e07b20", "#2e9f68", "#b05fc0")
SIZE = (6.0, 2.9)  # in inches


def draw(function: Special, folder: pathlib.Path) -> None:
    sources = [inspect.getfile(owner) for owner in (choice, _figure, function.ref)]
    if not is_newer(folder / f"{function.name}-dark.svg", *map(pathlib.Path, sources)):
        themed(lambda: _figure(function), folder / function.name)


def words(function: Special) -> str:
    """What the plot shows, for those who do not see it."""
    return f"{function.name} along {choice.along(function)}: {', '.join(label for label, *_ in _lines(function))}"


def _lines(function: Special) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Label, x and y of each line: a curve for each value of another argument, or for each result and part."""
    found = []
    for curve in choice.curves(function):
        fixed = ", ".join(f"{a} = {value:g}" for a, value in curve.fixed.items())
        for out, value in zip(function.outs or [""], curve.values, strict=True):
            parts = {"real": value.real, "imaginary": value.imag} if np.iscomplexobj(value) else {"": value}
            for part, y in parts.items():
                words = [out, part and f"{part} part", fixed]
                found.append((", ".join(filter(None, words)) or function.name, curve.x, y))
    return found


def _figure(function: Special) -> pyplot.Figure:
    figure, ax = pyplot.subplots(figsize=SIZE)
    figure.subplots_adjust(left=0.11, right=0.98, bottom=0.17, top=0.96)
    lines = _lines(function)
    low, high = _limits(np.concatenate([y for _, _, y in lines]))
    for (label, x, y), color in zip(lines, COLORS, strict=False):
        inside = np.where((y > 2 * low - high) & (y < 2 * high - low), y, np.nan)  # no line across a pole
        inside[1:][np.abs(np.diff(inside)) > high - low] = np.nan
        ax.plot(x, inside, "." if len(x) < choice.POINTS else "-", color=color, label=label, linewidth=1.6)
    ax.set(ylim=(low, high), xlabel=choice.along(function))
    ax.grid(alpha=0.5)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=9)
    ax.legend(frameon=False, fontsize=9)
    return figure


def _limits(values: np.ndarray) -> tuple[float, float]:
    """All of a tame function; of one with poles what is between them."""
    finite = np.sort(values[np.isfinite(values)])
    low, high = np.quantile(finite, [0.04, 0.96])
    span = high - low or abs(high) or 1.0
    low, high = max(finite[0], low - span), min(finite[-1], high + span)
    margin = 0.06 * (high - low) or 0.5
    return low - margin, high + margin
