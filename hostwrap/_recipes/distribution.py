"""The functions of a distribution as SciPy calls them: names, arguments, types. No mathematics here."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax

from hostwrap._call.arguments import bind
from hostwrap._errors import missing
from hostwrap._recipes.cores import arrays, inexact

MEANING = {
    "pdf": "The density at x",
    "logpdf": "The logarithm of the density at x",
    "pmf": "The probability of k",
    "logpmf": "The logarithm of the probability of k",
    "cdf": "The probability of at most {first}",
    "sf": "The probability of more than {first}, with all digits where it is small",
    "logcdf": "The logarithm of the probability of at most {first}",
    "logsf": "The logarithm of the probability of more than {first}",
    "ppf": "The x that the cdf takes to q",
    "isf": "The x that the sf takes to q: for small q it has more digits than the ppf of 1 - q",
}
DOC = """{meaning}, as `scipy.stats.{name}`.

All arguments are arrays that broadcast; integers stand for real numbers. Outside of the support derivatives are 0.
For parameters that are not allowed value and derivatives are NaN.
"""


class Distribution:
    """One function for each `kind`, as an attribute: `gamma.cdf(x, a, loc=0, scale=1)`."""

    cdf: Callable[..., jax.Array]
    sf: Callable[..., jax.Array]
    logcdf: Callable[..., jax.Array]
    logsf: Callable[..., jax.Array]

    def __init__(self, notation: str, functions: Mapping[str, Callable], after: Mapping[str, float]) -> None:
        self.name, shapes = notation.rstrip(")").split("(")
        self.shapes = tuple(filter(None, shapes.split(", ")))
        for kind, function in functions.items():
            first = "q" if kind in ("ppf", "isf") else "x" if "scale" in after else "k"
            signature = _signature((first, *self.shapes), after)
            setattr(self, kind, _public(f"{self.name}.{kind}", signature, function))

    def __getattr__(self, kind: str) -> Any:
        there = [k for k in MEANING if k in vars(self)]
        raise AttributeError(f"hostwrap.stats.{self.name} has no {kind}; it has {', '.join(there)}.")

    def __repr__(self) -> str:
        return f"<hostwrap.stats.{self.name}>"


class Continuous(Distribution):
    """`pdf` and quantiles too."""

    pdf: Callable[..., jax.Array]
    logpdf: Callable[..., jax.Array]
    ppf: Callable[..., jax.Array]
    isf: Callable[..., jax.Array]


class Discrete(Distribution):
    """`pmf` too."""

    pmf: Callable[..., jax.Array]
    logpmf: Callable[..., jax.Array]


def _signature(names: Sequence[str], after: Mapping[str, float]) -> inspect.Signature:
    kind, defaults = inspect.Parameter.POSITIONAL_OR_KEYWORD, [inspect.Parameter.empty] * len(names)
    named = zip((*names, *after), (*defaults, *after.values()), strict=True)
    return inspect.Signature([inspect.Parameter(name, kind, default=default) for name, default in named])


def _public(name: str, signature: inspect.Signature, function: Callable) -> Callable:
    compiled = jax.jit(function)

    def call(*args: Any, **kwargs: Any) -> jax.Array:
        values, _ = bind(name, signature, (), args, kwargs)
        given = arrays(name, **dict(zip(signature.parameters, values, strict=True)))
        dtype = inexact(*given)
        return compiled(*(x.astype(dtype) for x in given))

    call.__qualname__, call.__name__ = name, name.partition(".")[2]
    meaning = MEANING[call.__name__].format(first=next(iter(signature.parameters)))
    call.__doc__ = DOC.format(meaning=meaning, name=name)
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def lattice(function: str, argument: str, k: jax.Array) -> jax.Array:
    """k, in which there is no derivative: the function is made for integers."""
    return k


@lattice.defjvp
def _no_derivative(function: str, argument: str, primals: tuple, tangents: tuple) -> tuple:
    raise missing(function, argument, "it is an integer, in which the function is not differentiated")
