"""Pictures for light and for dark pages."""

from __future__ import annotations

import io
import pathlib
from collections.abc import Callable

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

THEMES = {"light": ("#333333", "#b8b8b8"), "dark": ("#d8d8d8", "#555555")}  # text, lines


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
