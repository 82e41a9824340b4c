"""Pictures of errors: `plot_ulp`."""

from __future__ import annotations

import importlib
import math
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap.testing._probe import parameters

EXTRAS = ("matplotlib.pyplot", "hostwrap.testing._reference", "hostwrap.testing._ulp")
FLOOR = 0.02  # where an error of 0 is drawn: the axis is logarithmic
STYLES = {"float64": ("tab:blue", "-"), "float32": ("tab:orange", "--")}


def plot_ulp(
    f: Callable[..., Any],
    *args: Any,
    reference: Callable[..., Any] | None = None,
    points: int = 60,
    log: bool = False,
    dtypes: Sequence[str] = ("float64",),
    seed: int = 0,
    **statics: Any,
) -> Any:
    """Plot the error of `f` and of each first derivative against mpmath, in units in the last place (ULP).

    For example::

        plot_ulp(hostwrap.special.kv, 1.7, (0.1, 50.0), dtypes=("float64", "float32"))

    A panel for the value and for the derivative in each argument with a floating-point number, computed under jit and
    vmap. A dot is a point; one at the top edge is NaN or infinite where it should be a number. The line is the
    condition-number envelope: what half an ULP in each argument does to the exact result, plus its rounding. No
    algorithm can be expected to stay below it, and a good one stays near it. Points at which two precisions of mpmath
    disagree, or which it cannot compute, are left out. A derivative that is not there has its reason in its panel.

    Args:
        f: a wrapped function, one of `hostwrap.special`, or any JAX function: of numbers, with one real result.
        args: a number for each argument, and for one of them a pair, the range `(low, high)` to plot over. Integers
            are held: no derivative is taken in them.
        reference: the same function in mpmath, of the same arguments; functions of `hostwrap.special` have theirs.
        points: how many, drawn at random from the range.
        log: draw them, and the axis, logarithmically.
        dtypes: "float64", "float32" or both.
        seed: of the points.
        statics: keyword arguments, passed on to both functions.

    Returns:
        The matplotlib axes, an array: the value first. `axes[0].figure` is the figure.

    Raises:
        ImportError: matplotlib or mpmath is not installed: `pip install matplotlib mpmath`.
        SignatureError: not exactly one range, or no reference.

    >>> import hostwrap as hw
    >>> axes = plot_ulp(hw.special.kv, 1.7, (0.1, 50.0), points=5)
    >>> print(len(axes))
    3
    """
    name = getattr(f, "__name__", type(f).__name__)
    pyplot, exactly, ulp = _extras()
    place, low, high = _range(args, log)
    if not dtypes or not set(dtypes) <= set(STYLES):
        raise SignatureError(f"plot_ulp: dtypes are {', '.join(STYLES)}, or both; got {dtypes!r}.")
    definition = exactly.reference_of(name, f, reference)
    names = (*parameters(f, statics), *(f"argument {k}" for k in range(len(args))))[: len(args)]
    live = tuple(i for i, x in enumerate(args) if i == place or not isinstance(x, int | np.integer))
    x = np.random.default_rng(seed).uniform(0.0, 1.0, points)
    x = np.sort(low * (high / low) ** x if log else low + (high - low) * x)
    found = {}
    for dtype in dtypes:
        columns = [np.full(points, a, dtype if i in live else int) for i, a in _held(args, place, x)]
        line = ulp.Line(tuple(names), tuple(columns), place, live)
        with jax.enable_x64(True):
            found[dtype] = ulp.errors(
                lambda *values: f(*values, **statics), lambda *values: definition(*values, **statics), line
            )
    held = ", ".join(f"{n} = {a:g}" for i, (n, a) in enumerate(zip(names, args, strict=True)) if i != place)
    return _draw(pyplot, f"{name}, {held}".rstrip(", "), names[place], found, log)


def _extras() -> list[Any]:
    """matplotlib's pyplot and our modules that need mpmath, which are loaded when somebody plots."""
    try:
        return [importlib.import_module(name) for name in EXTRAS]
    except ImportError as error:
        raise ImportError(
            f"plot_ulp needs matplotlib and mpmath ({error}): pip install matplotlib mpmath."
        ) from error


def _range(args: Sequence[Any], log: bool) -> tuple[int, float, float]:
    """Which argument has a range, and its ends."""
    places = [i for i, a in enumerate(args) if isinstance(a, tuple | list)]
    if len(places) != 1 or len(args[places[0]]) != 2:
        raise SignatureError(
            f"plot_ulp: one argument must be a pair (low, high), the range to plot over; got {args}."
        )
    low, high = map(float, args[places[0]])
    if not (math.isfinite(low) and math.isfinite(high) and low < high) or (log and low <= 0):
        wanted = "0 < low < high" if log else "low < high, both finite"
        raise SignatureError(f"plot_ulp: the range must have {wanted}; got {args[places[0]]}.")
    return places[0], low, high


def _held(args: Sequence[Any], place: int, x: np.ndarray) -> list[tuple[int, Any]]:
    return [(i, x if i == place else a) for i, a in enumerate(args)]


# ---- drawing


def _draw(pyplot: Any, title: str, label: str, found: dict[str, list], log: bool) -> Any:
    count = len(next(iter(found.values())))
    figure, axes = pyplot.subplots(
        1, count, figsize=(1 + 3.6 * count, 3.6), sharey=True, squeeze=False, layout="constrained"
    )
    figure.suptitle(title)
    top = max([10.0, *(_largest(e) for errors in found.values() for e in errors)]) * 3
    for dtype, errors in found.items():
        for ax, of in zip(axes[0], errors, strict=True):
            _panel(ax, of, dtype, top)
    for ax in axes[0]:
        ax.set(xlabel=label, xscale="log" if log else "linear", yscale="log", ylim=(FLOOR / 2, top))
        ax.axhline(0.5, color="gray", linewidth=0.8, linestyle=":")
        ax.grid(alpha=0.25)
    axes[0, 0].set_ylabel("error [ULP]")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=8)
    return axes[0]


def _panel(ax: Any, of: Any, dtype: str, top: float) -> None:
    ax.set_title(of.what)
    if of.missing:
        text = textwrap.fill(of.missing, 34)
        ax.text(0.5, 0.5, text, transform=ax.transAxes, ha="center", va="center", fontsize=8)
        return
    color, line = STYLES[dtype]
    ax.plot(of.x, of.envelope, line, color=color, alpha=0.6, linewidth=1, label=f"{dtype}: envelope")
    shown = np.clip(of.error, FLOOR, top)
    ax.plot(of.x, shown, ".", color=color, markersize=4, clip_on=False, label=f"{dtype}: error")


def _largest(of: Any) -> float:
    finite = [np.max(a, initial=0.0, where=np.isfinite(a)) for a in (of.error, of.envelope)]
    return float(max(finite))
