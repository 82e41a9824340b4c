"""Random numbers in recorded code: the same draws, with the derivatives of the parameters that scale and shift them.

A number `loc + scale z` moves with its parameters while z, the draw of the standard distribution, stays (the pathwise
derivative). Numbers that NumPy finds by rejection, such as those of `gamma`, have no such z.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._tracing.tape.array import Array, concrete, holds, moves
from hostwrap._tracing.tape.implicit import at_value
from hostwrap._tracing.tape.log import only_here
from hostwrap._tracing.tape.nodes import current_level, is_inexact
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import joined
from hostwrap._tracing.values import reaches

_KINDS = (np.random.Generator, np.random.RandomState)
_NEW = "default_rng"


def instead(x: Any) -> Any:
    """The replacement of a generator of NumPy, of what makes one, and of the methods of NumPy's own; or None."""
    if isinstance(x, type) and issubclass(x, _KINDS):
        return _Kind(x)
    if isinstance(x, _KINDS):
        return Draws(x)
    if isinstance(owner := getattr(x, "__self__", None), _KINDS) and callable(x):
        return getattr(Draws(owner), x.__name__)
    if getattr(x, "__name__", None) == _NEW and x is np.random.default_rng:
        return functools.wraps(x)(lambda seed=None: Draws(x(_bare(seed))))
    return None


def _bare(x: Any) -> Any:
    return x.own if type(x) is Draws else concrete(x)


class _Kind:
    """Stands for the class of a generator."""

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def __call__(self, *args: Any, **kwargs: Any) -> Draws:
        return Draws(self.kind(*map(_bare, args), **{k: _bare(v) for k, v in kwargs.items()}))

    def __instancecheck__(self, x: Any) -> bool:
        return isinstance(x, self.kind)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kind, name)

    def __or__(self, other: Any) -> Any:
        return self.kind | getattr(other, "kind", other)

    def __ror__(self, other: Any) -> Any:
        return other | self.kind


class Draws:
    """A generator of NumPy whose methods take what records."""

    def __init__(self, own: Any) -> None:
        self.own = own

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        return type(self.own)

    def __getattr__(self, name: str) -> Any:
        if not callable(method := getattr(self.own, name)) or name.startswith("_"):
            return method

        @functools.wraps(method, updated=())
        def draw(*args: Any, **kwargs: Any) -> Any:
            if not (holds(args) or holds(kwargs)):
                return _ours(method(*args, **kwargs))
            if name == "shuffle":
                return self._shuffle(*args, **kwargs)
            if not reaches([args, kwargs], moves):
                return _ours(method(*concrete(args), **concrete(kwargs)))
            only_here()
            if name in _CHOSEN:
                return _chosen(method, *args, **kwargs)
            return self._moving(name, args, kwargs)

        return draw

    def _shuffle(self, x: Any, axis: int = 0) -> None:
        x[...] = np.take(x, self.own.permutation(np.shape(x)[axis]), axis=axis)

    def _moving(self, name: str, args: tuple, kwargs: dict) -> Any:
        names, moved = _PATHS.get(name, ((), None))
        still = _STILL.get(name, "size")
        given = dict(zip((*names, "size"), args, strict=False)) | kwargs
        if moved is None or not set(given) <= {*names, "size"} or moves(given.get(still)):
            raise refused(
                f"numpy.random's {name}",
                "its draws do not move with this parameter in a way that is known. Draw standard numbers, and write "
                "how they depend on it, as `loc + scale * z` or by the quantile function of `scipy.special`",
            )
        given = {k: joined(v) if isinstance(v, list | tuple) and k != "size" else v for k, v in given.items()}
        before, numbers = copy.deepcopy(self.own), concrete(given)
        found = getattr(self.own, name)(**numbers)
        size = np.shape(found) if np.ndim(found) else None
        return at_value(found, moved(found, given, numbers, lambda *at: getattr(before, name)(*at, size)))


def _ours(x: Any) -> Any:
    """An array that what records can be written to."""
    return Array(x, None, current_level.get()) if type(x) is np.ndarray and is_inexact(x) else x


def _chosen(method: Callable, a: Any, *args: Any, axis: int = 0, **kwargs: Any) -> Any:
    """Which of the elements it is follows from their number."""
    if reaches([args, kwargs], moves):
        raise refused(
            f"numpy.random's {method.__name__}", "which elements it takes does not move with probabilities"
        )
    a = joined(a)
    return np.take(a, method(np.shape(a)[axis], *concrete(args), **concrete(kwargs)), axis=axis)


# ---- what moves: (names, (draws, parameters, their numbers, draws of others) -> the draws, with derivatives)


def _shifted(found: Any, given: dict, numbers: dict, draws: Callable) -> Any:
    return given.get("loc", 0.0) + given.get("scale", 1.0) * draws(0.0, 1.0)


def _between(found: Any, given: dict, numbers: dict, draws: Callable) -> Any:
    low, high = given.get("low", 0.0), given.get("high", 1.0)
    return low + (high - low) * draws(0.0, 1.0)


def _scaled(found: Any, given: dict, numbers: dict, draws: Callable) -> Any:
    return given["scale"] * draws(1.0)


def _exponentiated(found: Any, given: dict, numbers: dict, draws: Callable) -> Any:
    return np.exp(given.get("mean", 0.0) + given.get("sigma", 1.0) * np.log(draws(0.0, 1.0)))


def _power(found: Any, given: dict, numbers: dict, draws: Callable) -> Any:
    return found ** (numbers["a"] / given["a"])


def _power_behind_one(found: Any, given: dict, numbers: dict, draws: Callable) -> Any:
    return (1 + found) ** (numbers["a"] / given["a"]) - 1


def _scaled_gamma(found: Any, given: dict, numbers: dict, draws: Callable) -> Any:
    return given["scale"] * draws(numbers["shape"], 1.0)


def _around(found: Any, given: dict, numbers: dict, draws: Callable) -> Any:
    return found - numbers["mean"] + given["mean"]


_STILL = {"gamma": "shape", "multivariate_normal": "cov"}
_CHOSEN = {"choice", "permutation"}
_PATHS: dict[str, tuple[tuple[str, ...], Callable]] = {
    **dict.fromkeys(("normal", "laplace", "logistic", "gumbel"), (("loc", "scale"), _shifted)),
    **dict.fromkeys(("exponential", "rayleigh"), (("scale",), _scaled)),
    **dict.fromkeys(("weibull", "power"), (("a",), _power)),
    "uniform": (("low", "high"), _between),
    "lognormal": (("mean", "sigma"), _exponentiated),
    "pareto": (("a",), _power_behind_one),
    "gamma": (("shape", "scale"), _scaled_gamma),
    "multivariate_normal": (("mean", "cov"), _around),
}
