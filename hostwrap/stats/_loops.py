"""SciPy's methods as C loops, made of SciPy's own formulas.

A public method selects the elements in the support, and passes them to a private one. If the private one consists of
ufuncs, both can be recorded, with the selection as a branch; then no Python runs, and the bits are the same. A method
that a recording cannot follow is called as it is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._errors import NoLoop
from hostwrap.special._numerics.pointwise import piecewise
from hostwrap.stats._followed import followed

# below the support, above it, and whether it is a density, which has values at the ends
_OUTSIDE = {
    "pdf": (0.0, 0.0, True),
    "logpdf": (-np.inf, -np.inf, True),
    "pmf": (0.0, 0.0, True),
    "logpmf": (-np.inf, -np.inf, True),
    "cdf": (0.0, 1.0, False),
    "sf": (1.0, 0.0, False),
    "logcdf": (-np.inf, 0.0, False),
    "logsf": (0.0, -np.inf, False),
}


def as_loops(scipys: Any, kind: str) -> Callable | None:
    """The method `(x, *shapes, loc, scale)`, or `(k, *shapes, loc)`, to be recorded.

    None if it is no public method of SciPy's usual form.
    """
    import scipy.stats

    continuous = isinstance(scipys, scipy.stats.rv_continuous)
    usual = getattr(scipy.stats.rv_continuous if continuous else scipy.stats.rv_discrete, kind, None)
    if kind not in _OUTSIDE or getattr(type(scipys), kind, None) is not usual:
        return None
    method = functools.partial(_of_numbers if continuous else _of_integers, scipys, kind)

    def recorded(*arrays: Any) -> Any:
        try:
            result = method(*arrays)
            _check_shared(arrays[0].tape.steps)
            return result
        except NoLoop:
            raise
        except Exception as error:  # of SciPy's own code, which stand-ins for arrays are new to
            raise NoLoop(f"{type(error).__name__} in SciPy's {kind}: {error}") from error

    return recorded


def _of_numbers(scipys: Any, kind: str, x: Any, *args: Any) -> Any:
    below, above, density = _OUTSIDE[kind]
    *shapes, loc, scale = args
    y = (x - loc) / scale
    allowed = _allowed(scipys, shapes) & (scale > 0)
    _, high = followed(scipys._get_support)(*shapes)
    mask = followed(scipys._support_mask if density else scipys._open_support_mask)
    cases = [
        (~allowed | np.isnan(y), _always(np.nan)),
        (mask(y, *shapes), _inside(scipys, kind)),
        (y >= high, _always(above)),
        (None, _always(below)),
    ]
    return piecewise((y, *shapes, scale), cases)


def _of_integers(scipys: Any, kind: str, k: Any, *args: Any) -> Any:
    below, above, mass = _OUTSIDE[kind]
    *shapes, loc = args
    k = k - loc
    low, high = followed(scipys._get_support)(*shapes)
    inside = (k >= low) & ((k <= high) & followed(scipys._nonzero)(k, *shapes) if mass else k < high)
    private = followed(getattr(scipys, f"_{kind}"))
    if kind in ("cdf", "sf"):
        inside = inside & np.isfinite(k)
    chance = (lambda *at: np.clip(private(*at), 0, 1)) if kind in ("pmf", "cdf", "sf") else private
    bad = (~_allowed(scipys, shapes) | np.isnan(k), _always(np.nan))
    beyond = (k >= high, _always(above))
    first = [beyond, bad] if kind == "logcdf" else [bad]  # SciPy's is 0 there whatever the shapes are
    return piecewise((k, *shapes), [*first, (inside, chance), beyond, (None, _always(below))])


def _always(value: float) -> Callable:
    return lambda y, *_: np.full_like(y, value)


def _check_shared(steps: Any) -> None:
    """A method made of ufuncs that no file may name is found in other processes by its name, in Python."""
    for step in steps:
        if not hasattr(step, "loop"):
            _check_shared(step.steps)
        elif not step.loop.shared:
            raise NoLoop(step.loop.name)


def _inside(scipys: Any, kind: str) -> Callable:
    private = followed(getattr(scipys, f"_{kind}"))

    def value(y: Any, *args: Any) -> Any:
        *shapes, scale = args
        found = private(y, *shapes)
        return found / scale if kind == "pdf" else found - np.log(scale) if kind == "logpdf" else found

    return value


def _allowed(scipys: Any, shapes: Any) -> Any:
    owner = next(c for c in type(scipys).__mro__ if "_argcheck" in vars(c))
    if owner.__name__ != "rv_generic":
        return followed(scipys._argcheck)(*shapes) == True  # noqa: E712  # SciPy's may be 1
    allowed: Any = np.True_
    for shape in shapes:
        allowed = allowed & (shape > 0)
    return allowed
