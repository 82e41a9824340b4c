"""SciPy's integrators, as functions of an integrand and of its limits: plain, with break points, with a weight.

Break points and the number of a weight may be traced: they are the integrator's `own` numbers. An integral does not
depend on its break points. With the weights cos(w x) and sin(w x) it depends on w,

    d/dw [integral of f(x) cos(w x)] = integral of -x f(x) sin(w x),

so the derivatives of such an integral have a weight of the same kind, which SciPy knows.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.integrate

from hostwrap._errors import MissingDerivative, RuleError
from hostwrap._recipes.equations import real


class Integrator(NamedTuple):
    """`run(f, lower, upper, *own)` in NumPy returns (value, estimated error, complaint).

    `weight(x, *own)` is the factor that it adds to f, None for 1. `slopes` are functions, one for each of `own`: of f,
    they return f and the integrator in the derivative, or None where that is 0. `together` says that it integrates all
    components of an array at once.
    """

    run: Callable
    own: tuple[Any, ...] = ()
    weight: Callable | None = None
    slopes: tuple[Callable, ...] = ()
    together: bool = False

    def weighted(self, f: Callable) -> Callable:
        """The whole integrand, a function of (x, *own, *outside), like f."""
        weight, n = self.weight, len(self.own)
        return f if weight is None else lambda x, *rest: weight(x, *rest[:n]) * f(x, *rest)


_TAKEN = ("epsabs", "epsrel", "limit", "limlst", "maxp1", "points", "weight", "wvar")


def checked(options: dict) -> dict:
    """The options of `quad` that are given."""
    options = {k: x for k, x in options.items() if x is not None}
    if unknown := sorted(set(options) - set(_TAKEN)):
        raise RuleError(
            f"quad: {unknown} are not taken where the integral is differentiated; it takes {list(_TAKEN)}."
        )
    if "weight" in options and "points" in options:
        warnings.warn(_IGNORED, scipy.integrate.IntegrationWarning, stacklevel=4)
        del options["points"]
    return options


_IGNORED = "quad: SciPy takes no break points with a weight; points= is ignored."


def quadpack(options: dict) -> Integrator:
    """`quad` with these options, without a weight."""
    options = checked(options)
    points = options.pop("points", None)
    if points is None:
        return Integrator(lambda f, lower, upper: _run(f, lower, upper, options))
    run = lambda f, lower, upper, points: _run(f, lower, upper, {**options, "points": points})
    return broken(run, real("quad", "points", points))


def broken(run: Callable, points: Any, together: bool = False) -> Integrator:
    """An integrator that starts with the intervals between these points."""
    return Integrator(run, (points,), slopes=(lambda f: None,), together=together)


def _run(f: Callable, lower: float, upper: float, options: dict) -> tuple:
    value, error, _, *said = scipy.integrate.quad(f, lower, upper, full_output=1, **options)
    return value, error, said[0] if said else ""


def bound(integrator: Integrator, outside: Sequence[Any]) -> Callable:
    """The integrator as a function of (f, lower, upper), where the first numbers outside are its own."""
    own = outside[: len(integrator.own)]
    return lambda f, lower, upper: integrator.run(f, lower, upper, *own)


# ---- weights


def oscillating(weight: str, frequency: Any, options: dict) -> Integrator:
    """With the weight cos(w x) or sin(w x)."""
    other, sign = ("sin", -1.0) if weight == "cos" else ("cos", 1.0)

    def slope(f: Callable) -> tuple:
        return lambda x, *rest: sign * x * f(x, *rest), oscillating(other, frequency, options)

    run = lambda f, lower, upper, w: _run(f, lower, upper, {**options, "weight": weight, "wvar": w.item()})
    factor = jnp.cos if weight == "cos" else jnp.sin
    return Integrator(run, (frequency,), lambda x, w: factor(w * x), (slope,))


def principal(options: dict) -> Integrator:
    """Cauchy's principal value, with the weight 1 / x."""
    run = lambda f, lower, upper: _run(f, lower, upper, {**options, "weight": "cauchy", "wvar": 0.0})
    return Integrator(run, weight=lambda x: 1 / x)


LOGARITHMS = {"alg": (0, 0), "alg-loga": (1, 0), "alg-logb": (0, 1), "alg-log": (1, 1)}


def algebraic(logs: tuple[int, int], exponents: tuple[Any, Any], options: dict) -> Integrator:
    """From 0 to 1, with the weight x^alpha (1 - x)^beta, times log(x) and log(1 - x) to these powers.

    The derivative in an exponent has one more logarithm.
    """
    word = next(k for k, v in LOGARITHMS.items() if v == logs)

    def run(f: Callable, lower: float, upper: float, alpha: Any, beta: Any) -> tuple:
        return _run(f, lower, upper, {**options, "weight": word, "wvar": (alpha.item(), beta.item())})

    def slope(f: Callable, which: int) -> tuple:
        more = logs[0] + (which == 0), logs[1] + (which == 1)
        if max(more) > 1:
            raise MissingDerivative(
                f"quad: SciPy has no weight with a square of a logarithm, as the derivative of weight={word!r} in "
                f"wvar[{which}] has. Call quad without a weight, with the factor in the integrand."
            )
        return f, algebraic(more, exponents, options)

    def weight(x: Any, alpha: Any, beta: Any) -> Any:
        return x**alpha * (1 - x) ** beta * jnp.log(x) ** logs[0] * jnp.log1p(-x) ** logs[1]

    return Integrator(
        run, exponents, weight, tuple(functools.partial(slope, which=which) for which in (0, 1))
    )


def weighted(integral: Callable, f: Callable, lower: Any, upper: Any, options: dict) -> tuple[Any, Callable]:
    """The integral of weight(x) f(x), and its estimated error; `integral(f, lower, upper, integrator)` has both."""
    weight, given = options.pop("weight"), options.pop("wvar", None)
    kinds = ("cos", "sin", "cauchy", *LOGARITHMS)
    numbers = real("quad", "wvar", 0.0 if given is None else given)
    if weight not in kinds or given is None or numbers.shape != ((2,) if weight in LOGARITHMS else ()):
        raise RuleError(
            f"quad: expected weight= one of {list(kinds)} with wvar= a number, of the algebraic ones two numbers; got "
            f"weight={weight!r}, wvar={given!r:.80}."
        )
    if weight in ("cos", "sin"):
        return integral(f, lower, upper, oscillating(weight, numbers, options))
    if weight == "cauchy":
        return integral(lambda x: f(x + numbers), lower - numbers, upper - numbers, principal(options))
    if any(not isinstance(x, jax.core.Tracer) and not np.isfinite(x) for x in (lower, upper)):
        raise RuleError(f"quad: weight={weight!r} needs finite limits, got {lower} and {upper}.")
    low, high = jnp.minimum(lower, upper), jnp.maximum(lower, upper)
    alpha, beta = numbers
    width, on_unit = high - low, lambda x: f(low + (high - low) * x)
    # log(x - a) is log(b - a) + log(u) where x = a + (b - a) u
    powers = [range(n + 1) for n in LOGARITHMS[weight]]
    size = jnp.where(lower > upper, -1.0, 1.0) * width ** (alpha + beta + 1)
    total, estimates = 0.0, []
    for i in powers[0]:
        for j in powers[1]:
            part, estimate = integral(on_unit, 0.0, 1.0, algebraic((i, j), (alpha, beta), options))
            factor = size * jnp.log(width) ** (powers[0][-1] - i + powers[1][-1] - j)
            total = total + factor * part
            estimates.append((factor, estimate))
    return total, lambda: sum(jnp.abs(factor) * estimate() for factor, estimate in estimates)
