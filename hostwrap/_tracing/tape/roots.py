"""Roots of piecewise polynomials and of splines in recorded code.

SciPy finds them for concrete numbers; see `implicit`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._tracing.compiled.splines import pieces, splder
from hostwrap._tracing.tape.array import concrete, moves
from hostwrap._tracing.tape.implicit import corrected
from hostwrap._tracing.tape.refusals import refused


def instead(x: Any) -> Callable | None:
    """The replacement of such a function, or None."""
    name, module = str(getattr(x, "__name__", None)), str(getattr(x, "__module__", ""))
    if name == "real_roots" and module == "scipy.interpolate._ppoly":
        return functools.partial(_real_roots, x)
    in_fortran = type(x).__name__ == "fortran" and name.endswith("sproot")  # "function sproot"
    of_fitpack = in_fortran or (name == "sproot" and module.endswith("_fitpack"))  # in C from SciPy 1.18 on
    return functools.partial(_sproot, x) if of_fitpack else None


def _real_roots(function: Callable, c: Any, breaks: Any, y: Any, jumps: bool, extrapolate: bool) -> list:
    found = function(*map(concrete, (c, breaks, y)), jumps, extrapolate)
    if not moves([c, breaks, y]):
        return found
    of = lambda column, nu: lambda x: pieces(c[:, :, column : column + 1], breaks, x, nu, True)[:, 0]
    size = np.max(np.abs(concrete(c)), initial=0.0)
    return [_moving("PPoly.solve", x, of(j, 0), of(j, 1), y, size) for j, x in enumerate(found)]


def _sproot(function: Callable, knots: Any, c: Any, most: int) -> tuple:
    x, count, flag = function(concrete(knots), concrete(c), most)
    if not moves([knots, c]):
        return x, count, flag
    of = lambda nu: lambda x: splder(knots, c, 3, x, nu)[0]
    return _moving("sproot", x[:count], of(0), of(1), 0.0, np.max(np.abs(concrete(c)))), count, flag


def _moving(name: str, x: np.ndarray, f: Callable, slope: Callable, y: Any, size: float) -> Any:
    """The places x with f(x) = y, with their derivatives."""
    if not len(x):
        return x
    slopes = concrete(slope(x))
    if not np.all(np.isfinite(x)) or np.any(slopes == 0) or np.any(abs(concrete(f(x) - y)) > 1e-6 * size):
        raise refused(
            f"scipy.interpolate.{name}", "it is 0 on an interval, or jumps or has no slope at a root"
        )
    return corrected(x, lambda z: f(z) - y, lambda off: off / slopes)
