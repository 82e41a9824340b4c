"""The derivatives of a distribution's methods, from the formulas of its law. The values are SciPy's.

With y = (x - loc) / scale, density f, probabilities F below and S = 1 - F above, and a shape a:

    d logpdf     the derivative of the formula;  d pdf = pdf d logpdf
    d cdf        f / scale dx - f / scale dloc - y f / scale dscale + F_a da,  F_a = -S_a where S is the smaller one
    d sf         minus that;  d logcdf = d cdf / F,  d logsf = d sf / S
    quantiles    x solves F(x) = q, so dx = scale / f dq + dloc + y dscale - scale F_a / f da, at SciPy's x

A rule is `(answer, *arguments) -> the partial derivative`, on numbers that JAX traces. Outside of the support
derivatives are 0, and the formulas get a point inside instead. Where SciPy's value is NaN, derivatives are NaN.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp

from hostwrap._table.partials import Rule, Unknown, discrete, unknown
from hostwrap.stats._law import DiscreteLaw, Law

Rules = dict[str, Rule | Unknown]
Support = Callable[..., tuple[Any, Any]]

UNDERFLOW = -650.0  # of a logarithm whose exponential is small, and that over a small number may be 0
LARGE = 0.01  # of a probability: 1 minus it has all but two digits of it
STEPS = unknown("quantiles of a discrete distribution are integers, which jump; there is no derivative")
NO_DENSITY = "SciPy computes this density by a method of which no derivative is known here"
NESTED = "the density is an integral, and integrals of it would take minutes"
DENSITIES, TAILS, QUANTILES = ("pdf", "logpdf"), ("cdf", "sf", "logcdf", "logsf"), ("ppf", "isf")
MASSES = ("pmf", "logpmf")


def along(function: Callable, i: int, *args: Any) -> Any:
    """The derivative in the i-th argument."""

    def moving(x: Any) -> Any:
        return function(*args[:i], x, *args[i + 1 :])

    return jax.jvp(moving, (args[i],), (jnp.ones_like(args[i]),))[1]


def inside_of(y: Any, low: Any, high: Any, closed: bool) -> tuple[Any, Any]:
    """Whether y is in the support; and y, or another point in the support instead."""
    inside = (low < y) & (y < high)
    if closed:
        inside = inside | jnp.isfinite(y) & ((y == low) | (y == high))
    finite_low, finite_high = jnp.isfinite(low), jnp.isfinite(high)
    some_low, some_high = jnp.where(finite_low, low, 0.0), jnp.where(finite_high, high, 0.0)
    middle = (some_low + some_high) / jnp.where(finite_low & finite_high, 2.0, 1.0)
    aside = jnp.where(finite_low, 1.0, 0.0) - jnp.where(finite_high, 1.0, 0.0)
    return inside, jnp.where(inside, y, jax.lax.stop_gradient(middle + aside * 0.5))


def smaller_side(cdf: Any, sf: Any, i: int, y: Any, shapes: Any, gone: float = 0.0) -> Any:
    """F_a, by the formula of the smaller one of F and S, or by the only formula.

    It is `gone` where the probability underflows, and what it is made of overflows.
    """

    def of(side: Callable) -> Any:
        slope = along(side, i, y, *shapes)
        return jnp.where(jnp.isnan(slope) & (side(y, *shapes) == 0), gone, slope)

    if cdf is None or sf is None:
        return of(cdf) if cdf else -of(sf)
    below, by_cdf, by_sf = cdf(y, *shapes), of(cdf), -of(sf)
    found = jnp.where(below < 0.5, by_cdf, by_sf)
    # a quadrature of the tail of a small power may not end
    return jnp.where(jnp.isnan(found) & (below >= 0.5) & (below < 1 - LARGE), by_cdf, found)


def probability(law: Law | DiscreteLaw, cdf: bool, ans: Any, y: Any, *shapes: Any) -> Any:
    """F or S, by the formula that has all its digits; of a law without one it is SciPy's, whose log is `ans`.

    So it is where it is not small, and a quadrature has not found the density, or its end.
    """
    scipys = jnp.exp(ans)
    own = (law.below or law.cdf) if cdf else (law.above or law.sf)
    if not own:
        return scipys
    found = own(y, *shapes)
    return jnp.where(jnp.isnan(found) & (scipys > LARGE), scipys, found)


class Continuous:
    """The partial derivatives of the methods of one law; `scipys` is SciPy's density, in standard form."""

    def __init__(self, law: Law, shapes: tuple[str, ...], support: Support, scipys: Callable) -> None:
        self.law, self.shapes, self.support, self.scipys = law, shapes, support, scipys

    def density(self, y: Any, *shapes: Any) -> Any:
        """The density at a point in the support."""
        return jnp.exp(self.law.logpdf(y, *shapes)) if self.law.logpdf else self.scipys(y, *shapes)

    def rules(self, kind: str) -> Rules:
        """For the arguments of the method, by name."""
        first, make = "x", self._of_density if kind in DENSITIES else self._of_probability
        if kind in QUANTILES:
            first, make = "q", self._of_quantile
        names = (first, *self.shapes, "loc", "scale")
        found: Rules = {}
        for i, name in enumerate(names):
            why = self._refused(kind, name)
            found[name] = why or functools.partial(make, kind, i)
        return found

    def _refused(self, kind: str, name: str) -> Unknown | None:
        if name in self.law.integers:
            return discrete
        if kind in DENSITIES and not self.law.logpdf:
            return unknown(NO_DENSITY)
        if name in self.shapes and kind not in DENSITIES and not (self.law.cdf or self.law.sf):
            return unknown(self.law.no_shapes)
        return None

    # ---- densities

    def _of_density(self, kind: str, i: int, ans: Any, *args: Any) -> Any:
        slope = along(self._logpdf, i, *args)
        if i == 2 + len(self.shapes):
            # at a cusp y times its slope is 0, if the density is a number there
            there = jnp.isfinite(ans) if kind == "logpdf" else ans > 0
            cusp = (args[0] == args[-2]) & jnp.isnan(slope) & there
            slope = jnp.where(cusp, -1 / args[-1], slope)
        if kind == "logpdf":
            return _right(ans, slope)
        size = jnp.exp(self._logpdf(*args))
        gone = (size == 0) | (ans == 0)  # the formula may be NaN there
        return _right(ans, jnp.where(gone & self._stands(i, *args), 0.0, size * slope))

    def _stands(self, i: int, x: Any, *args: Any) -> Any:
        """Whether x is an end of the support, and stays one if this argument changes: a density of 0 there stays 0."""
        *shapes, loc, scale = args
        y, (low, high) = (x - loc) / scale, self.support(*shapes)
        if 0 < i <= len(shapes) and not self.law.support:
            return (y == low) | (y == high)
        return (y == 0) & ((low == 0) | (high == 0)) if i == 2 + len(shapes) else False

    def _logpdf(self, x: Any, *args: Any) -> Any:
        inside, y, shapes, scale = self._standard(x, *args, closed=True)
        return jnp.where(inside, self.law.logpdf(y, *shapes) - jnp.log(scale), 0.0)  # type: ignore[misc]

    def _standard(self, x: Any, *args: Any, closed: bool) -> tuple:
        *shapes, loc, scale = args
        return *inside_of((x - loc) / scale, *self.support(*shapes), closed), shapes, scale

    # ---- probabilities

    def _of_probability(self, kind: str, i: int, ans: Any, *args: Any) -> Any:
        inside, y, shapes, scale = self._standard(*args, closed=False)
        sign = 1 if kind.endswith("cdf") else -1
        if kind.startswith("log"):
            part = probability(self.law, sign == 1, ans, y, *shapes)
            slope = sign * self._moved(i, y, shapes, scale, part)
            if formula := getattr(self.law, kind):
                if 0 < i <= len(shapes):
                    small = along(formula, i, y, *shapes)
                else:  # in y it may overflow where it does not in scale
                    moved = -y if i > 1 + len(shapes) else jnp.ones_like(y) * (1 if i == 0 else -1)
                    small = jax.jvp(lambda y: formula(y, *shapes), (y,), (moved,))[1] / scale
                slope = jnp.where(part < 0.5, small, slope)
        else:
            slope = sign * self._moved(i, y, shapes, scale)
        return _right(ans, jnp.where(inside, slope, 0.0))

    def _chain(self, i: int, y: Any, scale: Any) -> Any:
        """The derivative of y in x (argument 0), loc (the last but one) and scale (the last)."""
        return {0: 1.0, 1 + len(self.shapes): -1.0, 2 + len(self.shapes): -y}[i] / scale

    def _moved(self, i: int, y: Any, shapes: Any, scale: Any, part: Any = None) -> Any:
        """The derivative of the cdf in the i-th argument, divided by a probability."""
        if 0 < i <= len(shapes):
            slope = smaller_side(self.law.cdf, self.law.sf, i, y, shapes)
            return slope if part is None else slope / part
        chain = self._chain(i, y, scale)
        if not self.law.logpdf:
            density = self.density(y, *shapes)
            return (density if part is None else density / part) * chain
        # the density of a heavy tail may be 0 where the probability is not, nor y times the density
        size = self.law.logpdf(y, *shapes)
        size = size if part is None else size - jnp.log(part)
        far = (size < UNDERFLOW) & (chain != 0)
        more = jnp.log(jnp.abs(jnp.where(far, chain, 1.0)))
        gone = jnp.sign(chain) * jnp.exp(jnp.where(far, size, 0.0) + more)
        # y f(y) is 0 at y = 0, at a pole of f too; not so its own derivative, which the root leaves NaN there
        pole = (chain == 0) & jnp.isposinf(size)
        usual = jnp.exp(jnp.where(far | pole, 0.0, size)) * chain
        return jnp.where(far, gone, jnp.where(pole, jnp.sqrt(jnp.where(pole, chain, 1.0) ** 2), usual))

    # ---- quantiles

    def _of_quantile(self, kind: str, i: int, ans: Any, q: Any, *args: Any) -> Any:
        *shapes, loc, scale = args
        if i == 1 + len(shapes):
            return _right(ans, jnp.ones_like(ans))
        y = (ans - loc) / scale
        if i == 2 + len(shapes):
            return _right(ans, y)
        low, high = self.support(*shapes)
        moves: list = []
        if i > 0:
            moves = [along(lambda *s, end=end: self.support(*s)[end], i - 1, *shapes) for end in (0, 1)]
            at_low, at_high = (q == 0, q == 1) if kind == "ppf" else (q == 1, q == 0)
            y = jnp.where(at_low | _moves_along(y, low, moves[0]), low, y)
            y = jnp.where(at_high | _moves_along(y, high, moves[1]), high, y)
        inside, z = inside_of(y, low, high, False)
        density = self.density(z, *shapes)
        if i == 0:
            slope = scale / density if kind == "ppf" else -scale / density
            return _right(ans, jnp.where(inside, slope, jnp.inf if kind == "ppf" else -jnp.inf))
        # the probability is q: where the formula's is 0, it has no digits there
        slope = smaller_side(self.law.cdf, self.law.sf, i, z, shapes, jnp.nan)
        edge = jnp.where(y <= low, *moves) * scale
        return _right(ans, jnp.where(inside, -scale * self._over_density(slope, density, z, shapes), edge))

    def _over_density(self, slope: Any, density: Any, z: Any, shapes: Any) -> Any:
        """Where the density of a heavy tail is 0, by logarithms."""
        if not self.law.logpdf:
            return slope / density
        gone = (density == 0) & (slope != 0)
        size = jnp.log(jnp.abs(jnp.where(gone, slope, 1.0))) - self.law.logpdf(z, *shapes)
        far = jnp.sign(slope) * jnp.exp(jnp.where(gone, size, 0.0))
        return jnp.where(gone, far, slope / jnp.where(gone, 1.0, density))


def _moves_along(y: Any, end: Any, slope: Any) -> Any:
    """Whether y is an end that moves, but for its last digits, of which no formula in y - end has any."""
    size = jnp.where(jnp.isfinite(end), jnp.abs(end), 0.0)
    return (jnp.abs(y - end) <= 4 * jnp.finfo(jnp.result_type(y)).eps * size) & (slope != 0)


class Discrete:
    """The partial derivatives of a law on integers: they are in its continuous shapes alone."""

    def __init__(self, law: DiscreteLaw, shapes: tuple[str, ...], support: Support, scipys: Callable) -> None:
        self.law, self.shapes, self.support = law, shapes, support

    def rules(self, kind: str) -> Rules:
        """For the arguments of the method, by name."""
        if kind in QUANTILES:
            return dict.fromkeys(("q", *self.shapes, "loc"), STEPS)
        make = self._of_mass if kind in MASSES else self._of_probability
        found: Rules = {"k": discrete, "loc": discrete}
        for i, name in enumerate(self.shapes, start=1):
            if name in self.law.integers:
                found[name] = discrete
            elif not self.law.logpmf if kind in MASSES else not (self.law.cdf or self.law.sf):
                found[name] = unknown(self.law.no_shapes)
            else:
                found[name] = functools.partial(make, kind, i)
        return found

    def _of_mass(self, kind: str, i: int, ans: Any, k: Any, *args: Any) -> Any:
        *shapes, loc = args
        low, high = self.support(*shapes)
        inside, at = inside_of(k - loc, low, high, True)
        inside = inside & (jnp.floor(at) == at)
        at = jnp.where(inside, at, jnp.floor(at))
        slope = along(self.law.logpmf, i, at, *shapes)  # type: ignore[arg-type]
        if kind == "pmf":
            slope = jnp.exp(self.law.logpmf(at, *shapes)) * slope  # type: ignore[misc]
        slope = jnp.where(inside, slope, 0.0)
        return _right(ans, slope)

    def _of_probability(self, kind: str, i: int, ans: Any, k: Any, *args: Any) -> Any:
        *shapes, loc = args
        cdf, sf = self.law.cdf, self.law.sf
        low, high = self.support(*shapes)
        k = jnp.floor(k - loc)
        inside = (low <= k) & (k < high) & jnp.isfinite(k)
        k = jnp.where(inside, k, jnp.where(jnp.isfinite(low), low, 0.0))
        slope = smaller_side(cdf, sf, i, k, shapes)
        if kind.startswith("log") and (formula := getattr(self.law, kind)):
            return _right(ans, jnp.where(inside, along(formula, i, k, *shapes), 0.0))
        if kind.startswith("log"):
            slope = slope / probability(self.law, kind == "logcdf", ans, k, *shapes)
        slope = slope if kind.endswith("cdf") else -slope
        return _right(ans, jnp.where(inside, slope, 0.0))


def _right(ans: Any, slope: Any) -> Any:
    """NaN where the answer is NaN, as for shapes that are not allowed."""
    return jnp.where(jnp.isnan(ans), jnp.nan, slope)


# ---- moments


def of_moments(
    kind: str, shapes: tuple[str, ...], integers: tuple[str, ...], continuous: bool, expectation: Callable | None,
    formulas: Mapping[str, Callable], no_expectation: str,
) -> Rules:  # fmt: skip
    """The partials of mean, var, std and entropy, for SciPy's answer.

    Those in the shapes are of a formula, else of the expectation: `expectation(kind, *orders)`, a function of what
    `OF[kind]` takes, and the shapes.
    """
    plain = "var" if kind == "std" else kind
    formula = formulas.get(plain)

    def in_shape(i: int, ans: Any, *args: Any) -> Any:
        *values, _, scale = args if continuous else (*args, 1.0)
        order = [int(i == j) for j in range(len(shapes))]
        if formula:
            slope = along(formula, i, *values)
        elif plain == "var":
            # E (x - m)^2 stands still in m at the mean
            mean = expectation("mean", *[0] * len(shapes))(*values)  # type: ignore[misc]
            slope = expectation("var", 0, *order)(mean, *values)  # type: ignore[misc]
        else:
            slope = expectation(plain, *order)(*values)  # type: ignore[misc]
        if kind == "std":
            slope = slope * scale**2 / (2 * ans)
        return jnp.where(jnp.isfinite(ans), slope * {"mean": scale, "var": scale**2}.get(kind, 1.0), jnp.nan)

    def in_scale(ans: Any, *args: Any) -> Any:
        loc, scale = args[-2:]
        by = {"mean": (ans - loc) / scale, "var": 2 * ans / scale, "std": ans / scale, "entropy": 1 / scale}
        return _right(ans, by[kind])

    why = unknown(no_expectation)
    known = formula or expectation
    found: Rules = {n: functools.partial(in_shape, i) if known else why for i, n in enumerate(shapes)}
    found |= dict.fromkeys(integers, discrete)
    if not continuous:
        return found | {"loc": discrete}
    in_loc = lambda ans, *args: _right(ans, jnp.full_like(ans, 1.0 if kind == "mean" else 0.0))
    return found | {"loc": in_loc, "scale": in_scale}
