"""Roots and integrals in recorded code: SciPy finds them for concrete numbers (see `implicit`).

An integral is recorded as a sum over the nodes of QUADPACK's final intervals.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._tracing.tape.array import Array, concrete, moves
from hostwrap._tracing.tape.implicit import corrected, jacobian
from hostwrap._tracing.tape.log import only_here
from hostwrap._tracing.tape.nodes import forward, generic, reachable
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.values import reaches

ROOTS = {"brentq", "brenth", "ridder", "bisect"}


def instead(x: Any) -> Callable | None:
    """The replacement of such a function, or None."""
    name, module = getattr(x, "__name__", None), str(getattr(x, "__module__", None))
    if name in ROOTS and module == "scipy.optimize._zeros_py":
        return functools.partial(_root, x)
    return functools.partial(_quad, x) if name == "quad" and module.startswith("scipy.integrate.") else None


def _root(function: Callable, f: Callable, a: Any, b: Any, args: Any = (), **options: Any) -> Any:
    args = args if isinstance(args, tuple) else (args,)
    given = inspect.signature(function).bind(f, a, b, args, **options).arguments
    options = {k: concrete(v) for k, v in given.items() if k not in ("f", "a", "b", "args")}
    of, plain, sizes = _looked_at(f, args)
    found = function(plain, concrete(a), concrete(b), **options)
    x = found[0] if isinstance(found, tuple) else found
    if not reaches([f, args], moves):
        return found
    if abs(plain(x)) > 1e-6 * max(sizes):
        raise refused(
            f"scipy.optimize.{function.__name__}", "the function jumps at the answer, and is not 0 there"
        )
    slope = float(jacobian(of, float(x)))
    if not np.isfinite(slope) or slope == 0:
        raise refused(
            f"scipy.optimize.{function.__name__}", f"the function has the slope {slope} at the root"
        )
    y = corrected(x, of, lambda off: off / slope)
    if not isinstance(found, tuple):
        return y
    found[1].root = y
    return y, found[1]


def _looked_at(f: Callable, args: tuple) -> tuple[Callable, Callable, list[float]]:
    """The function of one number, the same without a tape, and the sizes of its values there."""
    sizes: list[float] = []
    of = lambda t: f(t, *args)
    only_here()

    def plain(t: float) -> Any:
        sizes.append(abs(y := concrete(of(t))))
        return y

    return of, plain, sizes


def _quad(
    function: Callable, func: Callable, a: Any, b: Any, args: Any = (), *more: Any, **options: Any
) -> Any:
    given = dict(inspect.signature(function).bind(func, a, b, args, *more, **options).arguments)
    args = given["args"] if isinstance(given["args"], tuple) else (given["args"],)
    options = {k: v for k, v in given.items() if k not in ("func", "a", "b", "args")}
    of, plain, _ = _looked_at(func, args)
    ends = float(concrete(a)), float(concrete(b))
    value, error, info, *rest = function(plain, *ends, **{**options, "full_output": 1})
    found = value, error, *([info, *rest] if options.get("full_output") else [])
    if not reaches([func, args, a, b], moves):
        return found
    if {"weight", "points", "complex_func"} & {
        k for k, v in options.items() if v is not None and v is not False
    }:
        raise refused("scipy.integrate.quad", "the tape has it without weight=, points= and complex_func=")
    total, other = (_sum(of, info, *ends, nodes) for nodes in (21, 16))
    same = abs(concrete(total - other)) <= 1e-8 * abs(value) + 1e-14
    widths = (info["blist"] - info["alist"])[: info["last"]]
    narrow = np.min(widths) < _NARROW * np.sum(widths)  # it may jump there, at a place that moves
    near = abs(concrete(total) - value) <= 10 * abs(error) + 1e-12 * abs(value)  # roots inside are rounded
    if narrow or not (same and near and _same_slope(total, other)):
        raise refused(
            "scipy.integrate.quad", "the integrand is not smooth enough on the intervals of QUADPACK"
        )
    total = value + (total - concrete(total))
    for end, number, sign in ((b, ends[1], 1), (a, ends[0], -1)):
        if moves(end):
            total = total + sign * (end - number) * of((end + number) / 2)
    return (total, *found[1:])


def _same_slope(total: Any, other: Any) -> bool:
    """Whether sums over more and over fewer nodes have the same derivative, up to their own accuracy."""
    if not isinstance(total, Array) or total.node is None:
        return True
    nodes = [total.node, other.node]
    given = {n: generic(np.ones(n.shape)) for n in reachable(nodes) if not n.edges}
    a, b = (0.0 if t is None else concrete(t) for t in forward(nodes, given))
    rounding = 1e-14 * abs(concrete(total))  # of a slope that is 0: an equation holds for all arguments
    return bool(abs(a - b) <= _SLOPES * (abs(a) + abs(b)) + rounding)


_SLOPES, _NARROW = 1e-7, 2.0**-12


def _sum(of: Callable, info: dict, a: float, b: float, count: int) -> Any:
    """The Gauss-Kronrod sum on each interval; on infinite intervals in t, where x = a + (1 - t) / t."""
    turned, a, b = -1.0 if a > b else 1.0, min(a, b), max(a, b)
    nodes, weights = np.polynomial.legendre.leggauss(count)
    low, high = info["alist"][: info["last"]], info["blist"][: info["last"]]
    half = (high - low)[:, None] / 2
    t, w = np.ravel((low + high)[:, None] / 2 + half * nodes), np.ravel(half * weights)
    if np.isfinite(a) and np.isfinite(b):
        return turned * sum(wi * of(float(ti)) for ti, wi in zip(t, w, strict=True))
    x, w = (1 - t) / t, w / t**2
    both = not (np.isfinite(a) or np.isfinite(b))
    rows = [(0.0, 1), (0.0, -1)] if both else [(a, 1) if np.isfinite(a) else (b, -1)]
    return turned * sum(wi * of(float(end + s * xi)) for end, s in rows for xi, wi in zip(x, w, strict=True))
