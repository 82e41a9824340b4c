"""Arguments that show a function: for its plot, and for its example."""

from __future__ import annotations

import functools
import itertools
import warnings
from typing import Any, NamedTuple

import jax
import numpy as np
import scipy.special

from hostwrap._table.partials import Unknown
from hostwrap.special._function import Special
from tests.reference.composed import measured
from tests.reference.entries import is_integer, required_statics

ALONG = ("x", "z", "t", "u", "r", "theta", "phi", "p", "y", "m")  # the first of these is the horizontal axis
SHARES = (0.25, 0.75, 0.5)  # of an argument between 0 and 1, such as a probability
NICE = (0.5, 1.0, 2.0, 0.25, 3.0, 0.75, 1.5, 5.0, 0.1, 0.0, -0.5, -1.0, 4.0, 10.0, 20.0)
POINTS = 241
LEFT, RIGHT = -6.0, 12.0  # the horizontal axis at most, if the function is tested there


class Curve(NamedTuple):
    """Values along one argument, with the others fixed."""

    fixed: dict[str, Any]
    x: np.ndarray
    values: list[np.ndarray]  # of each result


def smooth(function: Special) -> list[str]:
    """The arguments in which it has a derivative."""
    there = [a for a in function.args if not is_integer(function, a)]
    return [a for a in there if not isinstance(function.rules[a], Unknown)]


def along(function: Special) -> str:
    """The argument on the horizontal axis."""
    found = [a for a in ALONG if a in function.args and not is_integer(function, a)]
    return (found or smooth(function) or list(function.args))[-1 if not found else 0]


def statics(function: Special) -> dict[str, Any]:
    """Values of the static arguments that have no default."""
    return dict.fromkeys(required_statics(function), 1)


def curves(function: Special) -> list[Curve]:
    """Up to three, which differ in the first of the other arguments: those with the most finite numbers."""
    return _curves(function.name)


@functools.cache
def _curves(name: str) -> list[Curve]:
    function = measured()[name]
    x, others = along(function), [a for a in function.args if a != along(function)]
    choices = [_nice(function, a) for a in others]
    if not others:
        return [_curve(function, x, {})]
    first, *rest = choices
    best: list[Curve] = []
    for fixed in itertools.islice(itertools.product(*rest), 12):
        made = [
            _curve(function, x, dict(zip(others, (one, *fixed), strict=True))) for one in sorted(first[:3])
        ]
        if sum(map(shown, made)) > 1.1 * sum(map(shown, best)):
            best = made
    kept = [curve for curve in best if shown(curve) > 0.3]
    return kept[:1] if function.outs or is_complex(kept) else kept


def shown(curve: Curve) -> float:
    """The share of the axis on which the function is finite, and changes."""
    value = np.abs(curve.values[0])
    finite = value[np.isfinite(value)]
    return len(finite) / len(value) if len(np.unique(finite)) > 1 else 0.0


def is_complex(made: list[Curve]) -> bool:
    return any(np.iscomplexobj(value) for curve in made for value in curve.values)


def _nice(function: Special, a: str) -> list[Any]:
    """Some round numbers in the region in which an argument is tested."""
    box = function.boxes[a]
    if is_integer(function, a):
        wanted = [n for n in (1, 2, 0, 3, 5, 10) if box.low <= n <= box.high]
        return wanted or [int(box.low)]
    wanted = [v for v in (SHARES if box.low >= 0 and box.high <= 1 else NICE) if box.low < v < box.high]
    return (wanted if len(wanted) > 2 else list(np.linspace(box.low, box.high, 5)[[2, 1, 3]]))[:6]


def _curve(function: Special, x: str, fixed: dict[str, Any]) -> Curve:
    at = _axis(function, x)
    if "cv" in fixed:  # they are functions only at the characteristic value
        values = scipy.special.pro_cv if function.name.startswith("pro") else scipy.special.obl_cv
        fixed |= {"cv": float(values(fixed["m"], fixed["n"], fixed["c"]))}
    arguments = [at if a == x else np.full(at.shape, fixed[a]) for a in function.args]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = _values(function, arguments)
    return Curve(fixed, at, [np.asarray(value) for value in found])


def _values(function: Special, arguments: list[np.ndarray]) -> tuple:
    if isinstance(function, Special):
        found = function.on_host(*arguments, **{**function.statics, **statics(function)})
    else:
        found = jax.vmap(function.call)(*arguments)
    return tuple(found) if function.outs else (found,)


def _axis(function: Special, x: str) -> np.ndarray:
    box = function.boxes[x]
    if is_integer(function, x):
        return np.arange(box.low, min(box.high, box.low + 20) + 1)
    low, high = box.low, box.high
    if high - low > RIGHT - LEFT:
        low, high = max(low, LEFT), min(high, RIGHT)
        low, high = (low, high) if low < high else (box.low, box.high)
    return np.linspace(low, high, POINTS)
