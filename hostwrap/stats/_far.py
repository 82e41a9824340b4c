"""Logarithms of probabilities that underflow. They are finite where SciPy's are -inf, so they have their own names.

With the density f, log F(y) = log f(y) + log R(y), where R is the integral of f(t) / f(y) over the tail behind y. Its
nodes lie on all scales from y on, and no quotient over- or underflows. If a law has a formula for the logarithm, that
is used.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from hostwrap._recipes.scalars import numpy_of
from hostwrap.special._math import log
from hostwrap.stats._integral import Integral
from hostwrap.stats._law import Formula, Law
from hostwrap.stats._rules import UNDERFLOW, Continuous, along, inside_of

KINDS = ("far_logcdf", "far_logsf")


def available(law: Any, kind: str) -> bool:
    """Whether the method exists: the density is integrated up to an end that must not depend on the shapes."""
    if not isinstance(law, Law):
        return False
    own = getattr(law, kind.removeprefix("far_"))
    return bool(own or (law.logpdf and not law.nested and law.support is None))


def method(scipys: Any, rules: Continuous, kind: str) -> tuple[Callable, dict[str, Any]]:
    """(the values, the partials by the names of arguments) of a method in `KINDS`."""
    plain = kind.removeprefix("far_")
    formula, numbers = _tail(
        rules.law, plain, float(scipys.a if plain == "logcdf" else scipys.b), len(rules.shapes)
    )

    def values(x: Any, *args: Any) -> Any:
        found = np.array(getattr(scipys, plain)(x, *args))
        y, *shapes = np.broadcast_arrays((x - args[-2]) / args[-1], *args[:-2])
        low, high = scipys.support(*shapes)
        far = (found < UNDERFLOW) & (low < y) & (y < high)
        if np.any(far):
            found[far] = numbers(*(a[far] for a in (y, *shapes)))
        return found

    def located(x: Any, *args: Any) -> Any:
        *shapes, loc, scale = args
        _, y = inside_of((x - loc) / scale, *rules.support(*shapes), False)
        return formula(y, *shapes)

    def far_or_near(near: Callable, i: int, ans: Any, *args: Any) -> Any:
        far = (ans < UNDERFLOW) & jnp.isfinite(ans)
        return jnp.where(far, along(located, i, *args), near(ans, *args))

    found: dict[str, Any] = {}
    for i, (name, rule) in enumerate(rules.rules(plain).items()):
        found[name] = functools.partial(far_or_near, rule, i) if callable(rule) else rule
    return values, found


@functools.cache
def _tail(law: Law, plain: str, end: float, count: int) -> tuple[Formula, Callable]:
    """The logarithm of a probability, for JAX's numbers and for NumPy's."""
    if own := getattr(law, plain):
        in_numpy = numpy_of(plain, lambda *args: [own(*args)], count + 1)
        return own, lambda *args: in_numpy(args)[0]
    logpdf: Any = law.logpdf

    def quotient(t: Any, y: Any, *shapes: Any) -> Any:
        return logpdf(t, *shapes) - logpdf(y, *shapes)

    integral = Integral(quotient, end, plain == "logcdf")
    density = numpy_of("logpdf", lambda *args: [logpdf(*args)], count + 1)
    return (
        lambda y, *shapes: logpdf(y, *shapes) + log(integral(y, y, *shapes)),
        lambda y, *shapes: density((y, *shapes))[0] + np.log(integral.numbers(y, y, *shapes)),
    )
