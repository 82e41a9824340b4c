"""NumPyro distributions made from those of hostwrap. NumPyro is optional, and imported when you make one."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp

from hostwrap._errors import SignatureError
from hostwrap.stats._distribution import Distribution, Frozen


def as_numpyro(distribution: Any) -> Any:
    """Turn a distribution of numbers into one of NumPyro: `as_numpyro(stats.genextreme)(c, loc, scale)`.

    Args:
        distribution: one of `hostwrap.stats`; the result is then a class with SciPy's parameters. Or one with fixed
            parameters, `stats.genextreme(c, loc, scale)`; the result is then an instance.

    Returns:
        A `numpyro.distributions.Distribution` with `log_prob`, `cdf`, `icdf`, `sample`, `mean`, `variance` and
        `support`. Use it for observed sites, and, if it is continuous, for latent sites, also if its support depends on
        the parameters. Samples are differentiable in the parameters.

    Raises:
        SignatureError: the argument is not a univariate distribution of `hostwrap.stats`.
        ImportError: NumPyro is not installed (`pip install numpyro`).
    """
    if isinstance(distribution, Frozen):
        values = dict(zip(distribution.distribution.signature().parameters, distribution.values, strict=True))
        return _class_of(distribution.distribution)(**{name: values[name] for name in distribution.given})
    if isinstance(distribution, Distribution):
        return _class_of(distribution)
    raise SignatureError(
        "as_numpyro: pass a distribution of numbers of hostwrap.stats, such as stats.genextreme or "
        f"stats.genextreme(0.1), got {type(distribution).__name__}: {distribution!r:.60}."
    )


@functools.cache
def _class_of(distribution: Distribution) -> type:
    base, constraints = _base(), _numpyro().constraints
    names = tuple(distribution.signature().parameters)
    bounds = {name: constraints.real for name in names if name not in distribution.law.integers}
    if distribution.continuous:
        bounds["scale"] = constraints.positive
    members = {
        "distribution": distribution, "names": names, "arg_constraints": bounds, "pytree_data_fields": names,
        "pytree_aux_fields": ("given",), "reparametrized_params": list(bounds) if distribution.continuous else [],
        "__doc__": f"`scipy.stats.{distribution.name}` as a distribution of NumPyro: see `hostwrap.stats.as_numpyro`.",
        "__module__": "hostwrap.stats",
    }  # fmt: skip
    return type(distribution.name, (base,), members)


def _numpyro() -> Any:
    try:
        import numpyro.distributions as distributions
    except ImportError as error:
        raise ImportError("as_numpyro needs NumPyro: pip install numpyro.") from error
    return distributions


@functools.cache
def _base() -> type:
    """What the classes have in common."""
    numpyro = _numpyro()
    between = _between()

    class OfSciPy(numpyro.Distribution):  # type: ignore[name-defined, misc]
        distribution: Distribution
        names: tuple[str, ...]
        given: tuple[str, ...]  # the names of the parameters that are not left at their defaults

        def __init__(self, *args: Any, validate_args: bool | None = None, **kwargs: Any) -> None:
            frozen = self.distribution(*args, **kwargs)
            values = [jnp.asarray(x) for x in frozen.values]
            shape = jnp.broadcast_shapes(*(x.shape for x in values))
            for name, value in zip(self.names, values, strict=True):
                setattr(self, name, value)
            self.given = frozen.given
            super().__init__(batch_shape=shape, event_shape=(), validate_args=validate_args)

        @property
        def values(self) -> tuple:
            return tuple(getattr(self, name) for name in self.names)

        @property
        def support(self) -> Any:
            if fixed := _fixed_support(self.distribution, self.given):
                return fixed
            low, high = self.distribution.support(*self.values)
            return between(low, high, not self.distribution.continuous)

        def log_prob(self, value: Any, intermediates: Any = None) -> Any:
            kind = "logpdf" if self.distribution.continuous else "logpmf"
            return getattr(self.distribution, kind)(value, *self.values)

        def cdf(self, value: Any) -> Any:
            return self.distribution.cdf(value, *self.values)

        def icdf(self, q: Any) -> Any:
            return self.distribution.ppf(q, *self.values)

        def sample(self, key: Any, sample_shape: tuple[int, ...] = ()) -> Any:
            drawn = self.distribution.sample(key, *self.values, shape=tuple(sample_shape))
            return drawn if self.distribution.continuous else drawn.astype(int)

        @property
        def mean(self) -> Any:
            return self.distribution.mean(*self.values)

        @property
        def variance(self) -> Any:
            return self.distribution.var(*self.values)

    return OfSciPy


@functools.cache
def _fixed_support(distribution: Distribution, given: tuple[str, ...]) -> Any:
    """NumPyro's own constraint, if no parameter moves the support: components of a mixture must have one."""
    if distribution.law.support:
        return None
    constraints, infinite = _numpyro().constraints, float("inf")
    ends = float(distribution.scipys.a), float(distribution.scipys.b)
    known: dict[tuple, Any] = {}
    if distribution.continuous:
        known[-infinite, infinite] = constraints.real
        known |= {} if "loc" in given else {(0, infinite): constraints.nonnegative}
        known |= {} if {"loc", "scale"} & set(given) else {(0, 1): constraints.unit_interval}
    elif "loc" not in given:
        known = {(0, infinite): constraints.nonnegative_integer, (1, infinite): constraints.positive_integer}
    return known.get(ends)


@functools.cache
def _between() -> type:
    """A constraint to an interval whose ends may be infinite, which is known only when the program runs."""
    numpyro = _numpyro()
    constraints, transforms = numpyro.constraints, numpyro.transforms

    class Between(constraints.Constraint):  # type: ignore[name-defined, misc]
        def __init__(self, low: Any, high: Any, is_discrete: bool) -> None:
            self.low, self.high, self.is_discrete = low, high, is_discrete

        def __call__(self, x: Any) -> Any:
            inside = (self.low <= x) & (x <= self.high)
            return inside & (jnp.floor(x) == x) if self.is_discrete else inside

        def __repr__(self) -> str:
            return f"Between({self.low}, {self.high}, is_discrete={self.is_discrete})"

        def feasible_like(self, prototype: Any) -> Any:
            middle = _to(self.low, self.high, jnp.zeros(jnp.shape(prototype)))
            return jnp.round(middle) if self.is_discrete else middle

        def eq(self, other: object, static: bool = False) -> Any:
            if not isinstance(other, Between) or self.is_discrete != other.is_discrete:
                return False
            return jnp.array_equal(self.low, other.low) & jnp.array_equal(self.high, other.high)

        def tree_flatten(self) -> tuple:
            return (self.low, self.high), (("low", "high"), {"is_discrete": self.is_discrete})

    class Into(transforms.Transform):  # type: ignore[name-defined, misc]
        domain = constraints.real

        def __init__(self, low: Any, high: Any) -> None:
            self.low, self.high = low, high

        @property
        def codomain(self) -> Any:
            return Between(self.low, self.high, False)

        def __call__(self, x: Any) -> Any:
            return _to(self.low, self.high, x)

        def _inverse(self, y: Any) -> Any:
            return _back(self.low, self.high, y)

        def log_abs_det_jacobian(self, x: Any, y: Any, intermediates: Any = None) -> Any:
            below, above, low, high = _ends(self.low, self.high)
            inner = jnp.log(high - low) + jax.nn.log_sigmoid(x) + jax.nn.log_sigmoid(-x)
            return jnp.where(below & above, inner, jnp.where(below | above, x, 0.0))

        def tree_flatten(self) -> tuple:
            return (self.low, self.high), (("low", "high"), {})

    transforms.biject_to.register(Between, lambda c: Into(c.low, c.high))
    return Between


def _ends(low: Any, high: Any) -> tuple:
    """Whether each end is finite, and two finite ends in their place."""
    below, above = jnp.isfinite(low), jnp.isfinite(high)
    return below, above, jnp.where(below, low, 0.0), jnp.where(above, high, jnp.where(below, low, 0.0) + 1.0)


def _to(low: Any, high: Any, x: Any) -> Any:
    """Map the whole line into the support, by a logistic function or an exponential."""
    below, above, low, high = _ends(low, high)
    inner = low + (high - low) * jax.nn.sigmoid(x)
    grown = jnp.exp(jnp.where(below & above, 0.0, x))
    return jnp.where(below & above, inner, jnp.where(below, low + grown, jnp.where(above, high - grown, x)))


def _back(low: Any, high: Any, y: Any) -> Any:
    below, above, low, high = _ends(low, high)
    both = below & above
    part = jnp.where(both, (y - low) / jnp.where(both, high - low, 1.0), 0.5)
    away = jnp.where(below, y - low, high - y)
    one = jnp.log(jnp.where(both | ~(below | above), 1.0, away))
    return jnp.where(both, jnp.log(part) - jnp.log1p(-part), jnp.where(below | above, one, y))
