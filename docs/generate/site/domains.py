"""Pictures of where each first derivative is right, over all doubles: `tests/reference/domains.npz`, drawn."""

from __future__ import annotations

import pathlib

import numpy as np
from matplotlib import colors, pyplot

from docs.generate.site.drawings import is_newer, themed
from tests.reference import domains
from tests.reference.domains import NAN, NO_VALUE, RIGHT, SCIPY, UNSURE, UNTRIED, VERDICTS, WRONG, Planes

PALETTE = {
    RIGHT: "#2e9f68",
    UNSURE: "#8ec9e8",
    NAN: "#e0a020",
    SCIPY: "#b05fc0",
    domains.CONTRADICTED: "#f0846a",
    WRONG: "#c01818",
    NO_VALUE: "#9a9a9a",
    UNTRIED: "#cccccc",
}
WORDS = {
    RIGHT: "right",
    UNSURE: "not compared",
    NAN: "NaN",
    SCIPY: "SciPy's value wrong",
    domains.CONTRADICTED: "contradicted, open",
    WRONG: "wrong",
    NO_VALUE: "no value",
    UNTRIED: "not tried",
}
SHOWN = (RIGHT, UNSURE, NAN, SCIPY, domains.CONTRADICTED, WRONG)  # in the table
SIZE, LINE = (8.0, 2.7), (8.0, 1.0)  # of a row of planes, of a line, in inches


def has(name: str) -> bool:
    return name in domains.load()


def draw(name: str, folder: pathlib.Path) -> None:
    sources = domains.FILE, pathlib.Path(__file__)
    if not is_newer(folder / f"{name}-dark.svg", *sources):
        themed(lambda: figure(domains.load()[name]), folder / name)


def figure(planes: Planes) -> pyplot.Figure:
    """A panel for each first derivative; the axes are ranks, labelled with their decades."""
    several = len(planes.axes) > 1
    panels = list(planes.verdicts.items())
    width, height = SIZE if several else LINE
    figure, axes = pyplot.subplots(1, len(panels), figsize=(width, height), sharey=True, squeeze=False)
    figure.subplots_adjust(left=0.1, right=0.99, bottom=0.19 if several else 0.36, top=0.78, wspace=0.08)
    scale = colors.ListedColormap([PALETTE[k] for k in range(len(VERDICTS))])
    for ax, (argument, verdicts) in zip(axes[0], panels, strict=True):
        image = verdicts.T if several else verdicts[None]
        ax.imshow(image, cmap=scale, vmin=-0.5, vmax=len(VERDICTS) - 0.5, origin="lower", aspect="auto")
        ax.set_title(f"in {argument}", fontsize=9)
        ax.tick_params(labelsize=7)
        _ticks(ax.xaxis, planes.axes[0], 5 if len(panels) > 2 else 7)
        ax.set_xlabel(planes.arguments[0], fontsize=9)
        ax.set_yticks([])
    if several:
        _ticks(axes[0, 0].yaxis, planes.axes[1], 7)
        axes[0, 0].set_ylabel(planes.arguments[1], fontsize=9)
    there = sorted({int(k) for v in planes.verdicts.values() for k in np.unique(v)}, key=list(PALETTE).index)
    handles = [pyplot.Rectangle((0, 0), 1, 1, color=PALETTE[k]) for k in there]
    figure.legend(handles, [WORDS[k] for k in there], loc="upper right", ncols=8, frameon=False, fontsize=8)
    return figure


def _ticks(axis, numbers: np.ndarray, count: int) -> None:
    places = np.unique(np.linspace(0, len(numbers) - 1, count).round().astype(int))
    axis.set_ticks(places, [_label(numbers[p]) for p in places])


def _label(x: float) -> str:
    """To one digit; next to 1 the distance from it."""
    if 0.99 < x < 1:
        return f"1−{1 - x:.0e}".replace("e-0", "e-")
    text = f"{x:.1g}" if 1e-3 <= abs(x) < 1e4 else f"{x:.0e}"
    return text.replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def words(name: str) -> str:
    """What the picture shows, for those who do not see it."""
    along = " and ".join(domains.load()[name].arguments)
    return f"where the first derivatives of {name} are right, along {along}, over all doubles"


def table(name: str) -> str:
    """The shares of the points with a value: of each verdict, for each derivative; the others fixed."""
    planes = domains.load()[name]
    lines = [
        f"| derivative in | points with a value | {' | '.join(WORDS[k] for k in SHOWN)} |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for argument, verdicts in planes.verdicts.items():
        counts = np.bincount(verdicts.ravel(), minlength=len(VERDICTS))
        tried = int(counts.sum() - counts[NO_VALUE] - counts[UNTRIED])
        shares = [
            f"{100 * counts[k] / max(tried, 1):.1f}\N{NO-BREAK SPACE}%" if counts[k] else "" for k in SHOWN
        ]
        lines.append(f"| `{argument}` | {tried} | {' | '.join(shares)} |")
    fixed = ", ".join(f"`{a}` = {x:g}" for a, x in planes.others.items())
    examples = _wrong_values(planes)
    parts = ["\n".join(lines), f"Held: {fixed}." if fixed else "", examples]
    return "\n\n".join(filter(None, parts))


def _wrong_values(planes: Planes) -> str:
    """A point at which mpmath says that SciPy's own value is wrong."""
    for verdicts in planes.verdicts.values():
        places = np.argwhere(verdicts == SCIPY)
        if len(places):
            point = [axis[i] for axis, i in zip(planes.axes, places[len(places) // 2], strict=True)]
            at = ", ".join(f"`{a}` = {x:.6g}" for a, x in zip(planes.arguments, point, strict=True))
            return f"SciPy's own value is wrong, by mpmath's, at {at} for example."
    return ""
