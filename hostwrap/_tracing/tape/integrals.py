"""SciPy's `quad` in recorded code: the integral is recorded as a sum over fixed nodes.

SciPy finds the integral of concrete numbers, and the intervals on which the integrand is smooth. On these, more and
fewer nodes of Gauss must have the same sum and the same derivative; else the integral is refused.

Limits and break points move by Leibniz's rule: the integral gets a part at its end, from where it was to where it is.
With the weight 1 / (x - c) the variable is t = x - c, and for the integrand g(t) / t

    PV [integral from A to B of g(t) / t] = integral of (g(t) - g(0)) / t + g(0) log |B / A|.

Algebraic weights have the nodes of the double exponential rule, on which infinite weights at the ends do no harm.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from hostwrap._tracing.tape.array import Array, concrete, moves
from hostwrap._tracing.tape.implicit import at_value
from hostwrap._tracing.tape.log import Way, only_here, watching
from hostwrap._tracing.tape.nodes import forward, generic, reachable
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import joined
from hostwrap._tracing.values import reaches

_NAME = "scipy.integrate.quad"
_SLOPES, _NARROW = 1e-7, 2.0**-12
# how far beside a break point its sides are, and inside of a limit, relative to the interval
_BESIDE = 2.0**-40
# of an oscillating weight: the largest phase of an interval, and how many intervals at most
_PHASE, _MOST = 6.0, 2000

Intervals = Sequence[tuple[float, ...]]


def quad(
    function: Callable, func: Callable, a: Any, b: Any, args: Any = (), *more: Any, **options: Any
) -> Any:
    given = dict(inspect.signature(function).bind(func, a, b, args, *more, **options).arguments)
    args = given["args"] if isinstance(given["args"], tuple) else (given["args"],)
    options = {k: v for k, v in given.items() if k not in ("func", "a", "b", "args")}
    if not reaches([func, args, a, b, options], moves):
        return function(lambda x: concrete(func(x, *args)), concrete(a), concrete(b), **options)
    if options.get("complex_func"):
        return _complex(function, lambda x: func(x, *args), a, b, options)
    only_here()
    of = lambda x: func(x, *args)
    ends = float(concrete(a)), float(concrete(b))
    value, error, info, *rest = function(
        lambda x: concrete(of(x)), *ends, **{**_concrete_ones(options), "full_output": 1}
    )
    found = error, *([info, *rest] if options.get("full_output") else [])
    weight, number = options.get("weight"), options.get("wvar")
    if weight is None:
        points = [] if options.get("points") is None else options["points"]
        points = points if isinstance(points, list | tuple) else np.ravel(points)
        fine, coarse = _plain(of, info, a, b, points)
    elif weight in ("cos", "sin"):
        fine, coarse = _oscillating(of, info, a, b, np.cos if weight == "cos" else np.sin, number)
    elif weight == "cauchy":
        fine, coarse = _principal(of, info, a, b, number)
    else:
        fine, coarse = _algebraic(of, a, b, joined(number), weight)
    same = abs(concrete(fine - coarse)) <= 1e-8 * abs(value) + 1e-14
    near = abs(concrete(fine) - value) <= 10 * abs(error) + 1e-12 * abs(value)  # roots inside are rounded
    if not (same and near and _same_slope(fine, coarse)):
        raise _not_smooth()
    return (at_value(value, fine), *found)


def _concrete_ones(options: dict) -> dict:
    return {k: concrete(joined(v)) if reaches(v, moves) else v for k, v in options.items()}


def _complex(function: Callable, of: Callable, a: Any, b: Any, options: dict) -> Any:
    """SciPy's too are two integrals."""
    if options.pop("full_output", 0):
        raise refused(_NAME, "with complex_func= the tape has it without full_output=")
    options.pop("complex_func")
    re, im = (quad(function, lambda x, p=p: p(of(x)), a, b, **options) for p in (np.real, np.imag))
    return re[0] + 1j * im[0], re[1] + 1j * im[1]


def _not_smooth() -> Exception:
    return refused(_NAME, "the integrand is not smooth enough on the intervals of QUADPACK")


def _same_slope(total: Any, other: Any) -> bool:
    """Whether sums over more and over fewer nodes have the same derivative, up to their own accuracy."""
    if not isinstance(total, Array) or total.node is None:
        return True
    a, b = _slopes([total, other])
    rounding = 1e-14 * abs(concrete(total))  # of a slope that is 0: an equation holds for all arguments
    return bool(abs(a - b) <= _SLOPES * (abs(a) + abs(b)) + rounding)


def _slopes(numbers: Sequence[Any]) -> list[Any]:
    """Their derivatives along one direction, which has nothing special."""
    nodes = [getattr(x, "node", None) for x in numbers]
    kept = [n for n in nodes if n is not None]
    given = {n: generic(np.ones(n.shape)) for n in reachable(kept) if not n.edges}
    found = iter(forward(kept, given))
    each = [None if n is None else next(found) for n in nodes]
    return [0.0 if t is None else concrete(t) for t in each]


# ---- sums


def _intervals(info: dict, a: Any, b: Any) -> Intervals:
    """SciPy's final ones, between numbers in order; it does not say them where one was enough for a weight."""
    if not info["last"]:
        return [tuple(sorted((float(concrete(a)), float(concrete(b)))))]
    low, high = (info[k][: info["last"]].tolist() for k in ("alist", "blist"))
    if min(h - x for x, h in zip(low, high, strict=True)) < _NARROW * (max(high) - min(low)):
        raise _not_smooth()  # it may jump there, at a place that moves
    return list(zip(low, high, strict=True))


def _nodes(intervals: Intervals, count: int) -> Iterable[tuple[float, float]]:
    """The places and weights of Gauss on each."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    for low, high in intervals:
        half = (high - low) / 2
        yield from zip(((low + high) / 2 + half * nodes).tolist(), (half * weights).tolist(), strict=True)


def _both(of: Callable, intervals: Intervals) -> list[Any]:
    return [sum(w * of(x) for x, w in _nodes(intervals, count)) for count in (21, 16)]


def _from_to(of: Callable, start: float, end: Any) -> Any:
    """The integral from a number to one that has the same value, and moves: its derivatives, to the second."""
    return (end - start) * of((end + start) / 2)


def _moved(of: Callable, totals: Sequence[Any], a: Any, b: Any) -> list[Any]:
    """The integrals between limits that move, from those between numbers."""
    for end, other, sign in ((b, a, 1), (a, b, -1)):
        if moves(end):
            part = sign * _from_to(_inside(of, end, other), float(concrete(end)), end)
            totals = [total + part for total in totals]
    return list(totals)


def _inside(of: Callable, end: Any, other: Any) -> Callable:
    """The integrand beside a limit, inside, if it takes another branch at the limit itself."""
    step = _BESIDE * _width(end, other) * np.sign(concrete(other) - concrete(end))
    way, other_way = _way(of, end), _way(of, end + step)
    return of if way == other_way else lambda x: of(x + step)


def _width(a: Any, b: Any) -> float:
    width = abs(float(concrete(b)) - float(concrete(a)))
    return width if math.isfinite(width) else 1.0 + min(abs(float(concrete(x))) for x in (a, b))


def _way(of: Callable, x: Any) -> Way:
    with watching() as way:
        of(x)
    return way


def _plain(of: Callable, info: dict, a: Any, b: Any, points: Iterable[Any]) -> list[Any]:
    """On infinite intervals SciPy integrates over t, where x = a + (1 - t) / t."""
    ends = float(concrete(a)), float(concrete(b))
    turned, low, high = -1.0 if ends[0] > ends[1] else 1.0, min(ends), max(ends)
    intervals = _intervals(info, a, b)
    if math.isfinite(low) and math.isfinite(high):
        totals = _moved(of, [turned * x for x in _both(of, intervals)], a, b)
        near = 2 * _BESIDE * (high - low)  # a limit counts as it is inside
        places = {float(concrete(p)): p for p in sorted(points, key=moves)}  # one that moves, of equal ones
        beside = [
            turned * _beside(of, p, high - low) for x, p in places.items() if low + near < x < high - near
        ]
        return [total + sum(beside) for total in totals]
    both = not (math.isfinite(low) or math.isfinite(high))
    rows = [(0.0, 1), (0.0, -1)] if both else [(low, 1) if math.isfinite(low) else (high, -1)]

    def turned_over(t: float) -> Any:
        return sum(of(end + s * (1 - t) / t) for end, s in rows) / t**2

    return _moved(of, [turned * x for x in _both(turned_over, intervals)], a, b)


def _beside(of: Callable, point: Any, width: float) -> Any:
    """The part of a break point: what it moves is integrated before it, and no longer behind it."""
    number = float(concrete(point))
    sides = -_BESIDE * width, _BESIDE * width
    ways = [_way(of, point + side) for side in sides]
    if ways[0] != ways[1]:
        apart = ways[0].apart(ways[1])
        (slope,) = [math.inf] if apart is None else _slopes([apart])
        if not abs(slope) <= 1e-9:
            raise refused(
                _NAME,
                f"the integrand takes another branch at points= {number:.6g}, at a place that moves, and the point "
                "does not move with it: compute the point from the same numbers",
            )
    return _from_to(lambda x: of(x + sides[0]) - of(x + sides[1]), number, point) if moves(point) else 0.0


# ---- weights


def _oscillating(of: Callable, info: dict, a: Any, b: Any, wave: Callable, frequency: Any) -> list[Any]:
    if "alist" not in info:
        raise refused(_NAME, "the tape has weight='cos' and 'sin' between finite limits only")
    whole = lambda x: of(x) * wave(frequency * x)
    per = abs(float(concrete(frequency))) / _PHASE
    intervals = _intervals(info, a, b)
    if sum(math.ceil(per * (high - low)) for low, high in intervals) > _MOST:
        raise refused(_NAME, f"with weight='cos' and 'sin' the tape has at most {_MOST} intervals")
    parts = [np.linspace(low, high, 1 + max(1, math.ceil(per * (high - low)))) for low, high in intervals]
    pieces = [(x, y) for ends in parts for x, y in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]
    turned = -1.0 if concrete(a) > concrete(b) else 1.0
    return _moved(whole, [turned * x for x in _both(whole, pieces)], a, b)


def _principal(of: Callable, info: dict, a: Any, b: Any, pole: Any) -> list[Any]:
    at_pole, number = of(pole), float(concrete(pole))
    quotient = lambda t: (of(pole + t) - at_pole) / t
    pieces = []
    for low, high in ((x - number, y - number) for x, y in _intervals(info, a, b)):
        pieces += [(low, 0.0), (0.0, high)] if low < 0.0 < high else [(low, high)]
    low, high = a - pole, b - pole
    turned = -1.0 if concrete(a) > concrete(b) else 1.0
    totals = _moved(quotient, [turned * x for x in _both(quotient, pieces)], low, high)
    return [total + at_pole * np.log(abs(high / low)) for total in totals]


def _algebraic(of: Callable, a: Any, b: Any, exponents: Any, weight: str) -> list[Any]:
    """With u = (x - a) / (b - a) = 1 / (1 + exp(-pi sinh(t))), and equal steps in t."""
    alpha, beta = exponents
    low, high, turned = (b, a, -1.0) if concrete(a) > concrete(b) else (a, b, 1.0)
    width, step = high - low, 1 / 16
    stretched = np.pi * np.sinh(np.arange(-98, 99) * step)
    before, behind = -np.logaddexp(0, -stretched), -np.logaddexp(0, stretched)  # log(u), log(1 - u)
    each = np.pi * np.cosh(np.arange(-98, 99) * step) * np.exp(before + behind) * step
    sizes = each * np.exp(concrete(alpha) * before + concrete(beta) * behind) * (1 + before**2 * behind**2)
    fine, coarse = 0.0, 0.0
    for k in np.flatnonzero(sizes > 1e-22 * np.max(sizes)).tolist():
        term = each[k] * np.exp(alpha * before[k] + beta * behind[k]) * of(low + width * np.exp(before[k]))
        if weight in ("alg-loga", "alg-log"):
            term = term * (np.log(width) + before[k])
        if weight in ("alg-logb", "alg-log"):
            term = term * (np.log(width) + behind[k])
        fine, coarse = fine + term, coarse + (2 * term if k % 2 else 0.0)
    scale = turned * width ** (alpha + beta + 1)
    return [scale * fine, scale * coarse]
