"""Expectations of a distribution, as integrals or sums over its support; their derivatives are integrals, too.

    E(g) = integral of g(x) f(x) dx,   x = low + t, high - t, low + (high - low) t or t itself,

so that the domain of t does not depend on the shapes. The doubly exponential substitution of `_integral` maps the two
halves of the domain, below and above the median, to the line. For integers it is a sum, up to where the terms vanish.

With the same nodes the integral of the density must be 1, finer nodes must give the same result, and nothing may remain
beyond the last nodes. Otherwise the result is NaN, as for a density with a pole at an end which x cannot approach.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from hostwrap._recipes.scalars import numpy_of
from hostwrap._wrap import Wrapped, wrap
from hostwrap.stats._integral import slope_in
from hostwrap.stats._law import DiscreteLaw, Law

_LAST = 6.1  # of the line's ends: exp(-pi/2 sinh) is 1e-152 there, and its square not yet 0
_STEP = 1 / 20
# how near finer nodes and the integral of the density must be, and how small the terms at the ends
_CLOSE, _WHOLE, _NOTHING = 1e-9, 1e-10, 1e-12
_TERMS = 2**18

# of what a method is the expectation: g(x, log f(x), *extras)
OF: dict[str, Callable] = {
    "mean": lambda x, log_f: x,
    "var": lambda x, log_f, mean: (x - mean) ** 2,
    "entropy": lambda x, log_f: -log_f,
    "moment": lambda x, log_f, order, loc, scale: (loc + scale * x) ** order,
}


class Expectations:
    """Expectations of one distribution in standard form; `scipys` is SciPy's, for the median and the quantiles."""

    def __init__(self, law: Law | DiscreteLaw, scipys: Any, support: Callable) -> None:
        self.law, self.scipys, self.support = law, scipys, support
        self.log_density = law.logpmf if isinstance(law, DiscreteLaw) else None if law.nested else law.logpdf
        self._made: dict[tuple, Callable] = {}

    def of(self, kind: str, *order: int) -> Wrapped:
        """The function of (extras, *shapes), differentiated as often as `order` says in each of them."""
        key = (kind, order)
        if key not in self._made:
            self._made[key] = self._function(kind, order)
        return self._made[key]  # type: ignore[return-value]

    def _function(self, kind: str, order: tuple[int, ...]) -> Wrapped:
        extras = len(inspect.signature(OF[kind]).parameters) - 2

        def one(*given: float) -> float:
            shapes = given[extras:]
            with np.errstate(all="ignore"):
                if isinstance(self.law, DiscreteLaw):
                    return self._sum(kind, order, given, shapes)
                return self._integral(kind, order, given, shapes)

        def expect(*given: Any) -> Any:
            full = np.broadcast_arrays(*given)
            flat = zip(*(np.ravel(x).astype(float) for x in full), strict=True)
            return np.reshape([one(*numbers) for numbers in flat], full[0].shape)

        names = [f"a{i}" for i in range(len(order))]
        parameters = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in names]
        expect.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        raised = [tuple(n + (i == j) for j, n in enumerate(order)) for i in range(len(order))]
        return wrap(expect, vmap_method="broadcast_all").defpartials(
            *[lambda ans, *args, up=up: self.of(kind, *up)(*args) for up in raised]
        )

    @functools.cache  # noqa: B019  # as long as the distribution
    def _terms(self, kind: str, order: tuple[int, ...], extras: int, place: str) -> Callable:
        """(term, density) at t, both times dx/dt, as a function in NumPy."""

        def at(t: Any, *given: Any) -> tuple:
            shapes = given[extras:]
            low, high = self.support(*shapes)
            x, slope = {
                "line": (t, 1.0), "up": (low + t, 1.0), "down": (high - t, 1.0),
                "between": (low + (high - low) * t, high - low),
            }[place]  # fmt: skip
            log_f = self.log_density(x, *shapes)  # type: ignore[misc]
            return OF[kind](x, log_f, *given[:extras]) * jnp.exp(log_f) * slope, jnp.exp(log_f) * slope

        term: Callable = lambda *args: at(*args)[0]
        for i, n in enumerate(order, start=1):
            for _ in range(n):
                term = slope_in(term, i)
        return numpy_of("expectation", lambda *args: [term(*args), at(*args)[1]], len(order) + 1)

    def _ends(self, shapes: tuple) -> tuple[float, float]:
        if self.law.support is None:
            return float(self.scipys.a), float(self.scipys.b)
        low, high = self._support_in_numpy(list(shapes))
        return float(low), float(high)

    @functools.cached_property
    def _support_in_numpy(self) -> Callable:
        both = lambda *s: [jnp.asarray(end, float) for end in self.support(*s)]
        return numpy_of("support", both, len(inspect.signature(self.support).parameters))

    def _integral(self, kind: str, order: tuple, given: tuple, shapes: tuple) -> float:
        low, high = self._ends(shapes)
        quarter, middle, rest = (float(x) for x in self.scipys.ppf([0.25, 0.5, 0.75], *shapes))
        width = rest - quarter
        if not (np.isfinite([middle, width]).all() and low < middle < high and width > 0):
            return np.nan
        if np.isfinite(low) and np.isfinite(high):
            place, start, cut, end = "between", 0.0, (middle - low) / (high - low), 1.0
        elif np.isfinite(low) or np.isfinite(high):
            up = np.isfinite(low)
            place, start, end = ("up" if up else "down"), 0.0, np.inf
            cut = middle - low if up else high - middle
        else:
            place, start, cut, end = "line", -np.inf, middle, np.inf
        terms = self._terms(kind, order, len(given) - len(shapes), place)
        for finer in (1, 2, 4, 8, 16):
            step = _STEP / finer
            u = np.arange(-_LAST, _LAST + step / 2, step)
            full = half = size = whole = 0.0
            for side in (start, end):
                nodes, weights = _panel(u, cut, side, width)
                values, densities = (v * weights for v in terms([nodes, *given]))
                if not _vanishes(values):
                    return np.nan
                values, densities = (np.where(np.isfinite(v), v, 0.0) for v in (values, densities))
                full, half = full + np.sum(values), half + 2 * np.sum(values[::2])
                size, whole = size + np.sum(np.abs(values)), whole + np.sum(densities)
            if abs(full - half) <= _CLOSE * size and abs(whole * step - 1) <= _WHOLE:
                return full * step
        return np.nan

    def _sum(self, kind: str, order: tuple, given: tuple, shapes: tuple) -> float:
        low, high = self._ends(shapes)
        ends = [float(k) for k in self.scipys.ppf([1e-12, 1 - 1e-12], *shapes)]
        beyond = 10 * (ends[1] - ends[0] + 1)  # a tail that falls like a power is not nothing there
        first = low if np.isfinite(low) else ends[0] - beyond
        last = high if np.isfinite(high) else ends[1] + beyond
        if not last - first < _TERMS:
            return np.nan
        nodes = np.arange(first, last + 1)
        values, chances = self._terms(kind, order, len(given) - len(shapes), "line")([nodes, *given])
        values = np.where(np.isfinite(values), values, 0.0)
        rest = [v for v, end in ((values[0], low), (values[-1], high)) if not np.isfinite(end)]
        settled = all(abs(v) <= _NOTHING * np.sum(np.abs(values)) for v in rest)
        return float(np.sum(values)) if settled and abs(np.nansum(chances) - 1) <= _WHOLE else np.nan


def _panel(u: np.ndarray, cut: float, end: float, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights between the cut and an end of the domain, which is 0, 1 or infinite."""
    if np.isinf(end):
        away = width * np.exp(np.pi / 2 * np.sinh(u))
        return cut + np.sign(end) * away, away * np.pi / 2 * np.cosh(u)
    part, rest = 1 / (1 + np.exp(np.pi * np.sinh(u))), 1 / (1 + np.exp(-np.pi * np.sinh(u)))
    length = abs(cut - end)
    nodes = length * part if end == 0 else end - length * part
    return nodes, length * np.pi * np.cosh(u) * part * rest


def _vanishes(values: np.ndarray) -> bool:
    """Whether the terms vanish next to the ends, and next to nodes without a value."""
    lost = ~np.isfinite(values)
    beside = lost.copy()
    beside[1:] |= lost[:-1]
    beside[:-1] |= lost[1:]
    beside[[0, -1]] = True
    size = np.where(lost, 0.0, np.abs(values))
    return bool(np.max(size[beside]) <= _NOTHING * np.sum(size))
