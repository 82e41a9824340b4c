"""`python -m docs.generate.pictures` draws the pictures of README.md: from support.csv, from benchmark.md, one anew."""

from __future__ import annotations

import csv
import re

import matplotlib

from bench import picture
from docs.generate import DOCS

matplotlib.use("Agg")
import jax
import numpy as np
from matplotlib import pyplot

FOLDER = DOCS
STYLE = {"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "grid.alpha": 0.25}
ORDERS = {"value": ("tab:gray", "values (SciPy's own)"), "first": ("tab:blue", "first derivatives")}
ORDERS |= {"second": ("tab:orange", "second derivatives, mixed ones too")}
LOW, HIGH = 1e-17, 1e-3  # what is more accurate, or less, is drawn at the edge
WAYS = {"hostwrap": "tab:blue", "pure_callback": "tab:red", "SciPy": "tab:gray", "jax.scipy": "tab:green"}
SHOWN = ("jv", "gammainc", "ndtr")
SECONDS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    with pyplot.rc_context(STYLE):
        for name, draw in PICTURES.items():
            figure = draw()
            figure.savefig(FOLDER / name, dpi=100)
            pyplot.close(figure)


def order() -> pyplot.Figure:
    """A Bessel function and its derivative in the order, beside mpmath."""
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.4), sharex=True, sharey=True, layout="constrained")
    for ax, (title, function, orders) in zip(axes, picture.COLUMNS[::2], strict=True):
        picture.curves(ax, function, orders)
        ax.set(title=title, xlabel="z", ylim=(-1.05, 1.05))
        ax.grid()
    axes[0].legend(ncols=2, frameon=False, fontsize=8)
    return figure


def accuracy() -> pyplot.Figure:
    """How many derivatives have at most which error: the median of their points, and the worst point."""
    with (FOLDER / "support.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
    for ax, (kind, title) in zip(axes, {"median": "median point", "max": "worst point"}.items(), strict=True):
        for order, (color, label) in ORDERS.items():
            errors = _errors(rows, order, kind)
            share = np.arange(1, len(errors) + 1) / len(errors)
            ax.step(errors, 100 * share, where="post", color=color, label=label)
        ax.axvline(2.0**-53, color="black", linewidth=0.8, linestyle=":")
        ax.set(title=title, xlabel="relative error, float64", xscale="log", xlim=(LOW, HIGH), ylim=(0, 101))
        ax.grid()
    axes[0].set_ylabel("% with at most this error")
    axes[0].text(2.0**-53, 3, " rounding", fontsize=8)
    axes[0].legend(loc="lower right", fontsize=8)
    functions = len({row["function"] for row in rows})
    figure.suptitle(f"hostwrap.special against mpmath: {functions} functions, every continuous argument")
    return figure


def _errors(rows: list[dict[str, str]], order: str, kind: str) -> np.ndarray:
    """Sorted, one for each function and argument; of a value one for each function."""
    found = {
        (row["function"], "" if order == "value" else row["argument"]): row[f"{order}_{kind}_float64"]
        for row in rows
    }
    return np.sort(np.clip([float(error) for error in found.values() if error], LOW, HIGH))


def speed() -> pyplot.Figure:
    """Time of a jitted call against the number of elements, from the first table of benchmark.md."""
    page = (FOLDER / "benchmark.md").read_text(encoding="utf-8")
    times = timed(page)
    figure, axes = pyplot.subplots(
        1, len(SHOWN), figsize=(9, 3.6), sharex=True, sharey=True, layout="constrained"
    )
    for ax, name in zip(axes, SHOWN, strict=True):
        for way, color in WAYS.items():
            points = [
                (n, row[way]) for (function, n), row in times.items() if function == name and way in row
            ]
            if points:
                ax.loglog(*zip(*points, strict=True), "o-", color=color, markersize=3.5, label=way)
        ax.set(title=name, xlabel="elements")
        ax.grid()
    axes[0].set_ylabel("seconds a jitted call")
    axes[1].legend(fontsize=8)
    figure.suptitle(re.search(r"^Measured ([\d-]+)", page, re.MULTILINE)[0] + ", docs/benchmark.md")
    return figure


def timed(page: str) -> dict[tuple[str, int], dict[str, float]]:
    """The table `Jitted calls`: seconds, for a function and a number of elements, of each way there is."""
    lines = re.search(r"^## Jitted calls\n\n((?:\|.*\n)+)", page, re.MULTILINE)[1].splitlines()
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    found = {}
    for row in rows:
        cells = dict(zip(head, row, strict=True))
        ways = {way: _seconds(cells[way]) for way in WAYS if cells[way]}
        found[cells[head[0]], int(cells["n"].replace(",", ""))] = ways
    return found


def _seconds(text: str) -> float:
    number, unit = text.split()
    return float(number) * SECONDS[unit]


PICTURES = {"order.png": order, "accuracy.png": accuracy, "benchmark.png": speed}


if __name__ == "__main__":
    main()
