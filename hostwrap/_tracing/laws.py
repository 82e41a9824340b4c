"""Find the method of `hostwrap.stats` for a method of SciPy's distributions, or for the private ufunc behind it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

MODULES = ("scipy.stats._continuous_distns", "scipy.stats._discrete_distns")
METHODS = ("pdf", "logpdf", "pmf", "logpmf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf")
PRIVATE = tuple(f"_{name}" for name in METHODS)
MOMENTS = ("mean", "var", "std", "entropy")
_COMPUTED = (*METHODS, *PRIVATE, *MOMENTS, "_stats", "_munp", "_entropy", "_argcheck", "_get_support")

# A private ufunc is called `_law_method`. Of these the arguments stand in another order, or the name is another one.
_NAMES = {
    "_smirnovc": "_ksone_cdf", "_smirnovci": "_ksone_ppf", "_kolmogc": "_kstwobign_cdf", "_kolmogci": "_kstwobign_ppf",
    "_cosine_invcdf": "_cosine_ppf",
}  # fmt: skip
_MOMENTS = {"mean": "mean", "variance": "var"}
_ARGUMENTS: dict[str, Callable] = {
    "ksone": lambda n, x: (x, n),
    "skewnorm": lambda x, loc, scale, a: (x, a, loc, scale),
    "invgauss": lambda x, mu, scale: (x, mu, 0.0, scale),
    "hypergeom": lambda k, n, good, total: (k, total, good, n),
}  # fmt: skip


def method_of(distribution: Any, name: str) -> Any:
    """The method of `hostwrap.stats`; None unless the distribution is one of SciPy's own, unchanged."""
    law = law_of(distribution)
    return getattr(law, name) if law is not None and name in law.methods else None


def law_of(distribution: Any) -> Any:
    """The distribution of `hostwrap.stats`, if this is SciPy's own; else None. One of a subclass is so, too, if that
    changes nothing of what is computed."""
    law = _law(getattr(distribution, "name", None))
    if law is None:
        return None
    ours, scipys = type(distribution), type(law.scipys)
    same = _class_name(ours) == _class_name(scipys) or all(
        _home(ours, m) == _home(scipys, m) for m in _COMPUTED
    )
    ends = (distribution.a, distribution.b) == (law.scipys.a, law.scipys.b)
    return law if same and ends else None


def _class_name(kind: type) -> tuple[str, str]:
    """What a class has in common with its copies."""
    return kind.__module__, kind.__qualname__


def _home(kind: type, method: str) -> Any:
    """The class that defines the method."""
    return next((_class_name(c) for c in kind.__mro__ if method in vars(c)), None)


def of_one_shape(method: Any) -> Callable:
    """The method on broadcast arguments, so that `untaken` recognises an elementwise operation."""

    @functools.wraps(method, updated=())
    def call(*args: Any, **kwds: Any) -> Any:
        bound = method.__signature__.bind(*args, **kwds)
        bound.apply_defaults()
        return method(*jnp.broadcast_arrays(*map(jnp.asarray, bound.arguments.values())))

    return call


@functools.cache
def _law(name: Any) -> Any:
    from hostwrap import stats  # which loads SciPy

    found = getattr(stats, name, None) if isinstance(name, str) and name in dir(stats) else None
    return found if hasattr(found, "scipys") else None


@functools.cache
def of_ufunc(ufunc: np.ufunc) -> tuple[Any, Callable] | None:
    """The method that a private ufunc of SciPy computes, and its arguments in the order of the method."""
    if not ufunc.__name__.startswith("_"):
        return None
    _, name, kind, *more = *_NAMES.get(ufunc.__name__, ufunc.__name__).split("_"), "", ""
    kind = _MOMENTS.get(kind, kind)
    law = _law(name) if not any(more) and kind in (*METHODS, *MOMENTS) else None
    if law is None or kind not in law.methods:
        return None
    return getattr(law, kind), _ARGUMENTS.get(name, lambda *args: args)
