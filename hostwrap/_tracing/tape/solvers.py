"""Roots and integrals in recorded code: SciPy finds them for concrete numbers (see `implicit` and `integrals`)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from hostwrap._tracing.tape.array import concrete, moves
from hostwrap._tracing.tape.implicit import corrected, jacobian
from hostwrap._tracing.tape.integrals import quad
from hostwrap._tracing.tape.log import only_here
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.values import reaches

ROOTS = {"brentq", "brenth", "ridder", "bisect"}


def instead(x: Any) -> Callable | None:
    """The replacement of such a function, or None."""
    name, module = getattr(x, "__name__", None), str(getattr(x, "__module__", None))
    if name in ROOTS and module == "scipy.optimize._zeros_py":
        return functools.partial(_root, x)
    return functools.partial(quad, x) if name == "quad" and module.startswith("scipy.integrate.") else None


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
