"""Continuous and discrete distributions: location, scale and support, for the functions of any of them alike."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from hostwrap._recipes.distribution import Continuous, Discrete, lattice

INSIDE = 0.5  # in every support: what a function gets where the answer does not come from it


def positive(*shapes: Any) -> Any:
    """Whether the parameters are allowed, where all are to be positive."""
    return functools.reduce(jnp.logical_and, (s > 0 for s in shapes), jnp.array(True))


def continuous(
    notation: str,
    support: tuple[float, float],
    *,
    logpdf: Callable,
    cdf: Callable,
    sf: Callable,
    ppf: Callable,
    isf: Callable,
    logcdf: Callable | None = None,
    logsf: Callable | None = None,
    edges: bool = True,
    allowed: Callable = positive,
) -> Continuous:
    """A distribution from its standard form, in the open support.

    `edges`: at finite ends the density is that of logpdf, not 0. `allowed(*shapes)` says which parameters there are.
    """

    def at(function: Callable, below: float, above: float, closed: bool = False) -> Callable:
        """The function of y, the shapes and the scale, in the support; else what it is below and above."""

        def located(x: Any, *args: Any) -> Any:
            *shapes, loc, scale = args
            y = (x - loc) / scale
            inside = _within(y, support, closed)
            value = function(jnp.where(inside, y, INSIDE), *shapes, scale)
            value = jnp.where(inside, value, jnp.where(y <= support[0], below, above))
            return value * _one_if(allowed(*shapes) & (scale > 0) & ~jnp.isnan(y))

        return located

    def standard(function: Callable) -> Callable:
        return lambda y, *args: function(y, *args[:-1])

    def quantile(function: Callable, at_0: float, at_1: float) -> Callable:
        def located(q: Any, *args: Any) -> Any:
            *shapes, loc, scale = args
            inside = _within(q, (0.0, 1.0), False)
            y = function(jnp.where(inside, q, INSIDE), *shapes)
            y = jnp.where(inside, y, jnp.where(q <= 0, at_0, at_1))
            return (y * scale + loc) * _one_if(allowed(*shapes) & (scale > 0) & (q >= 0) & (q <= 1))

        return located

    low, high = support
    functions = {
        "pdf": at(lambda y, *a: jnp.exp(logpdf(y, *a[:-1])) / a[-1], 0.0, 0.0, edges),
        "logpdf": at(lambda y, *a: logpdf(y, *a[:-1]) - jnp.log(a[-1]), -jnp.inf, -jnp.inf, edges),
        "cdf": at(standard(cdf), 0.0, 1.0),
        "sf": at(standard(sf), 1.0, 0.0),
        "logcdf": at(standard(logcdf or log_of(cdf, sf)), -jnp.inf, 0.0),
        "logsf": at(standard(logsf or log_of(sf, cdf)), 0.0, -jnp.inf),
        "ppf": quantile(ppf, low, high),
        "isf": quantile(isf, high, low),
    }
    return Continuous(notation, functions, {"loc": 0.0, "scale": 1.0})


def discrete(
    notation: str,
    *,
    logpmf: Callable,
    cdf: Callable,
    sf: Callable,
    highest: Callable = lambda *shapes: jnp.inf,
    allowed: Callable = positive,
    integers: tuple[str, ...] = (),
) -> Discrete:
    """A distribution on 0, 1, ..., highest(*shapes). There is no derivative in k, loc and the shapes in `integers`."""
    name, names = notation.split("(")[0], notation.rstrip(")").split("(")[1].split(", ")

    def at(kind: str, function: Callable, below: float, above: float) -> Callable:
        held = functools.partial(lattice, f"{name}.{kind}")

        def located(k: Any, *args: Any) -> Any:
            *shapes, loc = args
            k = held("k", k) - held("loc", loc)
            shapes = [held(n, s) if n in integers else s for n, s in zip(names, shapes, strict=True)]
            inside = (k >= 0) & (k < highest(*shapes))
            if kind in ("pmf", "logpmf"):
                inside = (inside | (k == highest(*shapes))) & (jnp.floor(k) == k) & jnp.isfinite(k)
            value = function(jnp.where(inside, jnp.floor(k), 0.0), *shapes)
            value = jnp.where(inside, value, jnp.where(k < 0, below, above))
            return value * _one_if(allowed(*shapes) & ~jnp.isnan(k))

        return located

    functions = {
        "pmf": at("pmf", lambda *a: jnp.exp(logpmf(*a)), 0.0, 0.0),
        "logpmf": at("logpmf", logpmf, -jnp.inf, -jnp.inf),
        "cdf": at("cdf", cdf, 0.0, 1.0),
        "sf": at("sf", sf, 1.0, 0.0),
        "logcdf": at("logcdf", log_of(cdf, sf), -jnp.inf, 0.0),
        "logsf": at("logsf", log_of(sf, cdf), 0.0, -jnp.inf),
    }
    return Discrete(notation, functions, {"loc": 0.0})


def log_of(part: Callable, rest: Callable) -> Callable:
    """The logarithm of a probability: of itself where it is small, and else by log1p of minus the rest."""

    def logarithm(*args: Any) -> Any:
        p = part(*args)
        small = p < 0.5
        of_rest = jnp.log1p(-jnp.where(small, 0.5, rest(*args)))
        return jnp.where(small, jnp.log(jnp.where(small, p, 0.5)), of_rest)

    return logarithm


def _within(y: Any, support: tuple[float, float], closed: bool) -> Any:
    low, high = support
    inside = (low < y) & (y < high)
    return inside | jnp.isfinite(y) & ((y == low) | (y == high)) if closed else inside


def _one_if(right: Any) -> Any:
    """A factor that makes value and derivatives NaN where the parameters are not right."""
    return jnp.where(right, 1.0, jnp.nan)
