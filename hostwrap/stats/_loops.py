"""SciPy's methods as C loops: its own formulas, at the places where its public methods use them.

A public method chooses the elements that are in the support, and gives them to a private one. Where that one is made of
ufuncs, the two can be recorded, with the choice as a branch; then no Python runs, and the bits are the same. What a
recording cannot follow is called as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._errors import NoLoop
from hostwrap.special._numerics.pointwise import piecewise

# below the support, above it, and whether it is a density, which has values at the ends
_OUTSIDE = {
    "pdf": (0.0, 0.0, True),
    "logpdf": (-np.inf, -np.inf, True),
    "cdf": (0.0, 1.0, False),
    "sf": (1.0, 0.0, False),
    "logcdf": (-np.inf, 0.0, False),
    "logsf": (0.0, -np.inf, False),
}


def as_loops(scipys: Any, kind: str) -> Callable | None:
    """The method `(x, *shapes, loc, scale)`, to be recorded; None if it is no public method of SciPy's usual form."""
    import scipy.stats

    usual = getattr(scipy.stats.rv_continuous, kind, None)
    if kind not in _OUTSIDE or getattr(type(scipys), kind, None) is not usual:
        return None
    below, above, density = _OUTSIDE[kind]

    def method(x: Any, *args: Any) -> Any:
        *shapes, loc, scale = args
        y = (x - loc) / scale
        allowed = _allowed(scipys, shapes) & (scale > 0)
        _, high = scipys._get_support(*shapes)
        mask = scipys._support_mask if density else scipys._open_support_mask
        cases = [
            (~allowed | np.isnan(y), lambda y, *_: np.full_like(y, np.nan)),
            (mask(y, *shapes), _inside(scipys, kind)),
            (y >= high, lambda y, *_: np.full_like(y, above)),
            (None, lambda y, *_: np.full_like(y, below)),
        ]
        return piecewise((y, *shapes, scale), cases)

    def recorded(*arrays: Any) -> Any:
        try:
            result = method(*arrays)
            _check_public(arrays[0].tape.steps)
            return result
        except NoLoop:
            raise
        except Exception as error:  # of SciPy's own code, which stand-ins for arrays are new to
            raise NoLoop(f"{type(error).__name__} in SciPy's {kind}: {error}") from error

    return recorded


def _check_public(steps: Any) -> None:
    """Programs from a file name public ufuncs alone; a method made of others is found there by its name, in Python."""
    for step in steps:
        if hasattr(step, "loop"):
            where = step.loop.name.rpartition(" ")[0].rpartition(".")[0]
            if where not in ("", "numpy", "scipy.special"):
                raise NoLoop(step.loop.name)
        else:
            _check_public(step.steps)


def _inside(scipys: Any, kind: str) -> Callable:
    private = getattr(scipys, f"_{kind}")

    def value(y: Any, *args: Any) -> Any:
        *shapes, scale = args
        found = private(y, *shapes)
        return found / scale if kind == "pdf" else found - np.log(scale) if kind == "logpdf" else found

    return value


def _allowed(scipys: Any, shapes: Any) -> Any:
    owner = next(c for c in type(scipys).__mro__ if "_argcheck" in vars(c))
    if owner.__name__ != "rv_generic":
        return scipys._argcheck(*shapes) == True  # noqa: E712  # SciPy's may be 1
    allowed: Any = np.True_
    for shape in shapes:
        allowed = allowed & (shape > 0)
    return allowed
