"""The first table of docs/benchmark.md as a picture."""

from __future__ import annotations

import pathlib
import re

from matplotlib import pyplot

from docs.generate import DOCS
from docs.generate.site.drawings import themed

PAGE = DOCS / "benchmark.md"
SERIES = {"hostwrap": "#1f8fd0", "pure_callback": "#e07b20", "SciPy": "#7f7f7f", "jax.scipy": "#2e9f68"}
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}
Times = dict[str, dict[str, list[tuple[int, float]]]]


def times() -> Times:
    """Of each function and each series: sizes and seconds."""
    table = PAGE.read_text(encoding="utf-8").partition("## Jitted calls")[2].partition("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table.splitlines()
        if line[:1] == "|"
    ]
    heads, found = rows[0], {}
    for row in rows[2:]:
        cells = dict(zip(heads, row, strict=True))
        for series in SERIES:
            if number := re.fullmatch(r"([\d.]+) (s|ms|µs)", cells[series]):
                place = found.setdefault(row[0], {}).setdefault(series, [])
                place.append((int(cells["n"].replace(",", "")), float(number[1]) * UNITS[number[2]]))
    return found


def draw(path: pathlib.Path) -> None:
    themed(lambda: _figure(times()), path)


def _figure(found: Times) -> pyplot.Figure:
    columns = 3
    rows = -(-len(found) // columns)
    figure, axes = pyplot.subplots(
        rows, columns, figsize=(9, 2.7 * rows), sharex=True, sharey=True, layout="constrained"
    )
    for ax, (function, series) in zip(axes.flat, found.items(), strict=False):
        for name, points in series.items():
            ax.loglog(
                *zip(*points, strict=True), "o-", color=SERIES[name], label=name, markersize=3, linewidth=1.2
            )
        ax.set_title(function, fontsize=10)
        ax.grid(alpha=0.4)
        ax.spines[["top", "right"]].set_visible(False)
    figure.supxlabel("array size", fontsize=9)
    figure.supylabel("seconds a call", fontsize=9)
    most = max(axes.flat, key=lambda ax: len(ax.lines))
    figure.legend(*most.get_legend_handles_labels(), loc="outside upper right", ncols=4, frameon=False)
    return figure
