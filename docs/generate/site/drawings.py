"""Pictures of measured errors, for light and for dark pages."""

from __future__ import annotations

import io
import pathlib
from collections.abc import Callable

import matplotlib
import numpy as np

from docs.generate.site.accuracy import ORDERS, SUPPORT, rows
from hostwrap.special._function import Special

matplotlib.use("Agg")
from matplotlib import pyplot

SMALLEST, LARGEST = 1e-17, 1e-4  # errors beyond them are shown at the edge
THEMES = {"light": ("#333333", "#b8b8b8"), "dark": ("#d8d8d8", "#555555")}  # text, lines
COLORS = {"value": "#7f7f7f", "first": "#1f8fd0", "second": "#e07b20"}


def draw(functions: list[Special], folder: pathlib.Path, name: str) -> None:
    """Errors in double precision of the functions of a family: a row for each argument, a picture for each theme."""
    if is_newer(folder / f"{name}-dark.svg", SUPPORT, pathlib.Path(__file__)):
        return
    mine = [row for f in functions for row in rows().get(f.name, []) if row["kind"] != "discrete"]
    themed(lambda: _figure(mine), folder / name)


def is_newer(path: pathlib.Path, *sources: pathlib.Path) -> bool:
    """Whether a picture was drawn from these numbers by this code."""
    return path.exists() and path.stat().st_mtime > max(source.stat().st_mtime for source in sources)


def themed(make: Callable[[], pyplot.Figure], path: pathlib.Path) -> None:
    """`path-light.svg`, and `path-dark.svg`, the same with other colours of text and lines."""
    ink, lines = THEMES["light"]
    style = {"text.color": ink, "axes.labelcolor": ink, "xtick.color": ink, "ytick.color": ink}
    style |= {
        "axes.edgecolor": lines,
        "grid.color": lines,
        "svg.hashsalt": "hostwrap",
        "svg.fonttype": "none",
    }
    with pyplot.rc_context(style):
        figure, file = make(), io.StringIO()
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
        pyplot.close(figure)
    for theme, (other_ink, other_lines) in THEMES.items():
        text = file.getvalue().replace(ink, other_ink).replace(lines, other_lines)
        path.with_name(f"{path.name}-{theme}.svg").write_text(text, encoding="utf-8")


def _figure(mine: list[dict[str, str]]) -> pyplot.Figure:
    figure, axes = pyplot.subplots(figsize=(8, 1.1 + 0.24 * len(mine)), layout="constrained")
    for order, shift in zip(ORDERS, (-0.2, 0.0, 0.2), strict=True):
        for dtype, marker in (("float64", "o"), ("complex128", "D")):
            places = np.arange(len(mine)) + shift
            label = order if dtype == "float64" else None
            axes.scatter(
                _column(mine, order, "max", dtype), places, 22, COLORS[order], marker, label=label, zorder=3
            )
            axes.scatter(_column(mine, order, "median", dtype), places, 4, COLORS[order], marker, zorder=2)
    axes.set_yticks(range(len(mine)), [f"{row['function']}, {row['argument']}" for row in mine], fontsize=8)
    axes.set(xscale="log", xlim=(SMALLEST / 2, LARGEST * 2), ylim=(len(mine) - 0.4, -0.6))
    axes.axvline(
        np.finfo(float).eps, linewidth=0.8, linestyle="--", color=axes.spines["left"].get_edgecolor()
    )
    axes.grid(axis="x", alpha=0.5)
    axes.set_xlabel("relative error; dots: real arguments, diamonds: complex; dashed: 2⁻⁵²", fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper right", ncols=3, frameon=False, fontsize=8)
    return figure


def _column(mine: list[dict[str, str]], order: str, what: str, dtype: str) -> np.ndarray:
    texts = [row[f"{order}_{what}_{dtype}"] for row in mine]
    return np.clip([float(text or "nan") for text in texts], SMALLEST, LARGEST)
