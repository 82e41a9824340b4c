"""A distribution under SciPy's names, with methods that are made when you first use them, and with fixed parameters."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._call.arguments import misfit
from hostwrap._errors import SignatureError
from hostwrap._table.partials import Unknown, discrete, unknown
from hostwrap.stats import _far
from hostwrap.stats._expectation import Expectations
from hostwrap.stats._law import DiscreteLaw, Law
from hostwrap.stats._loops import as_loops
from hostwrap.stats._method import Key, Method
from hostwrap.stats._moments import FORMULAS, KINKED
from hostwrap.stats._rules import NESTED, NO_DENSITY, Continuous, Discrete, along, of_moments

MEANING = {
    "pdf": "The density at x",
    "logpdf": "The logarithm of the density at x",
    "pmf": "The probability of k",
    "logpmf": "The logarithm of the probability of k",
    "cdf": "The probability of at most {first}",
    "sf": "The probability of more than {first}",
    "logcdf": "The logarithm of the probability of at most {first}",
    "logsf": "The logarithm of the probability of more than {first}",
    "far_logcdf": "The logarithm of the probability of at most x, finite where SciPy's is -inf",
    "far_logsf": "The logarithm of the probability of more than x, finite where SciPy's is -inf",
    "ppf": "The {first} at which the cdf is q",
    "isf": "The {first} at which the sf is q: for small q it has more digits than the ppf of 1 - q",
    "mean": "The mean",
    "var": "The variance",
    "std": "The standard deviation",
    "entropy": "The differential entropy",
    "median": "The median",
    "interval": "Two quantiles with the probability `confidence` between them, and half of the rest on each side",
    "support": "The ends of the support",
    "moment": "The moment of this order about 0",
    "nnlf": "The negative log-likelihood of data x, for theta = (*shapes, loc, scale); inf if SciPy's is",
    "sample": "Random numbers from a JAX random key, of shape `shape` + that of the parameters",
}
DOC = """{meaning}, as `scipy.stats.{name}`.

Support: {support}. Values are SciPy's own{far}, including NaN. All arguments are arrays that broadcast; integers are
converted to floating-point numbers. {derivatives}

Call it as `hostwrap.stats.{name}({example})`. For the formulas see
https://docs.scipy.org/doc/scipy/reference/generated/scipy.stats.{owner}.html
"""
OF_CONTINUOUS, OF_DISCRETE = ("pdf", "logpdf"), ("pmf", "logpmf")
OF_BOTH = ("cdf", "sf", "logcdf", "logsf", "ppf", "isf")
MOMENTS = ("mean", "var", "std", "entropy")
REST = ("median", "interval", "support", "moment", "nnlf", "sample")
INSTEAD = {
    "rvs": "JAX draws random numbers by a key: `sample(key, ..., shape=)`",
    "fit": "a fit minimises `nnlf(theta, x)`, which has all derivatives",
    "fit_loc_scale": "use `mean` and `std`",
    "stats": "use `mean`, `var`, and `moment`",
    "expect": "`hostwrap.wrap` a function that calls SciPy's, which is differentiated",
}


class Distribution:
    """`gamma.cdf(x, a, loc=0, scale=1)` and other methods; `gamma(a, loc, scale).cdf(x)` has fixed parameters."""

    pdf: Callable[..., jax.Array]
    logpdf: Callable[..., jax.Array]
    pmf: Callable[..., jax.Array]
    logpmf: Callable[..., jax.Array]
    cdf: Callable[..., jax.Array]
    sf: Callable[..., jax.Array]
    logcdf: Callable[..., jax.Array]
    logsf: Callable[..., jax.Array]
    ppf: Callable[..., jax.Array]
    isf: Callable[..., jax.Array]
    mean: Callable[..., jax.Array]
    var: Callable[..., jax.Array]
    std: Callable[..., jax.Array]
    entropy: Callable[..., jax.Array]

    def __init__(self, name: str, scipys: Any, law: Law | DiscreteLaw) -> None:
        self.name, self.scipys, self.law = name, scipys, law
        self.__module__ = "hostwrap.stats"
        self.shapes = tuple(scipys.shapes.split(", ")) if scipys.shapes else ()
        self.continuous = isinstance(law, Law)
        self._standard_support = law.support or self._constant_support
        maker: Any = Continuous if isinstance(law, Law) else Discrete
        self.rules = maker(law, self.shapes, self._standard_support, lambda *args: self.pdf(*args))

    @property
    def methods(self) -> tuple[str, ...]:
        """The names of all methods."""
        far = [kind for kind in _far.KINDS if _far.available(self.law, kind)]
        return (*(OF_CONTINUOUS if self.continuous else OF_DISCRETE), *OF_BOTH, *far, *MOMENTS, *REST)

    @property
    def location(self) -> tuple[str, ...]:
        """The arguments after the shapes, which have defaults."""
        return ("loc", "scale") if self.continuous else ("loc",)

    def __getattr__(self, kind: str) -> Any:
        if kind.startswith("_") or kind not in self.methods:
            why = f" ({INSTEAD[kind]})" if kind in INSTEAD else ""
            raise AttributeError(
                f"hostwrap.stats.{self.name} has no {kind}{why}; it has {', '.join(self.methods)}."
            )
        method = self._method(kind)
        vars(self)[kind] = method
        return method

    def __dir__(self) -> list[str]:
        return sorted({*self.methods, "name", "shapes"})

    def __repr__(self) -> str:
        return f"<hostwrap.stats.{self.name}>"

    def __reduce__(self) -> str:
        return self.name  # of `hostwrap.stats`

    def __call__(self, *args: Any, **kwargs: Any) -> Frozen:
        """The distribution with these parameters."""
        bound = _bound(self.name, self.signature(), args, kwargs)
        given = tuple(n for n in bound.arguments if n in kwargs or n in list(bound.arguments)[: len(args)])
        return Frozen(self, tuple(bound.arguments.values()), given)

    def signature(self, *first: str) -> inspect.Signature:
        """The signature of a method with these arguments before the shapes."""
        names = [*first, *self.shapes]
        defaults = {"loc": 0.0, "scale": 1.0}
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        after = [inspect.Parameter(n, kind, default=defaults[n]) for n in self.location]
        return inspect.Signature([*(inspect.Parameter(n, kind) for n in names), *after])

    def _constant_support(self, *shapes: Any) -> tuple[Any, Any]:
        return float(self.scipys.a), float(self.scipys.b)

    # ---- methods

    @functools.cached_property
    def _expectation(self) -> Callable | None:
        law, turn = self.law, getattr(self.law, "turn", None)
        if turn:
            law = dataclasses.replace(law, support=turn)
        found = Expectations(law, self.scipys, turn or self._standard_support)
        return found.of if found.log_density else None

    @property
    def _no_expectation(self) -> str:
        return NESTED if isinstance(self.law, Law) and self.law.nested else NO_DENSITY

    def _method(self, kind: str) -> Callable:
        if kind in MOMENTS:
            rules = of_moments(
                kind,
                self.shapes,
                self.law.integers,
                self.continuous,
                self._expectation,
                FORMULAS.get(self.name, {}),
                self._no_expectation,
            )
            return self._of_scipy((self.name, kind), self.signature(), getattr(self.scipys, kind), rules)
        if kind in REST:
            function = functools.partial(getattr(self, f"_{kind}"))
            function.__doc__ = MEANING[kind]  # type: ignore[attr-defined]
            return function
        if kind in _far.KINDS:
            return self._of_scipy(
                (self.name, kind), self.signature("x"), *_far.method(self.scipys, self.rules, kind)
            )
        first = "q" if kind in ("ppf", "isf") else "x" if self.continuous else "k"
        scipys, rules, loops = getattr(self.scipys, kind), self.rules.rules(kind), as_loops(self.scipys, kind)
        return self._of_scipy((self.name, kind), self.signature(first), scipys, rules, loops)

    def _of_scipy(
        self, key: Key, signature: inspect.Signature, scipys: Callable, rules: dict, loops: Callable | None = None
    ) -> Method:  # fmt: skip
        return Method(key, signature, scipys, rules, self._doc(str(key[1]), signature, rules), loops)

    def _doc(self, kind: str, signature: inspect.Signature, rules: dict) -> str:
        names = [n for n in signature.parameters if not isinstance(rules[n], Unknown)]
        missing = [f"`{n}`: {rules[n].why}" for n in signature.parameters if isinstance(rules[n], Unknown)]
        derivatives = f"It is differentiable in {', '.join(names) or 'no argument'}"
        derivatives += f" (not in {'; '.join(missing)})." if missing else "."
        ends = [float(e) for e in (self.scipys.a, self.scipys.b)]
        support = "it depends on the shapes" if self.law.support else f"{ends[0]:g} to {ends[1]:g}"
        first = "x" if self.continuous else "k"
        given = ", ".join(n for n in signature.parameters if n not in self.location)
        return DOC.format(
            meaning=MEANING[kind].format(first=first), name=f"{self.name}.{kind.removeprefix('far_')}",
            far=" down to -650" if kind in _far.KINDS else "", support=support,
            derivatives=derivatives, example=given, owner=self.name,
        )  # fmt: skip

    def _median(self, *args: Any, **kwargs: Any) -> jax.Array:
        return self.ppf(0.5, *args, **kwargs)

    def _interval(self, confidence: Any, *args: Any, **kwargs: Any) -> tuple[jax.Array, jax.Array]:
        confidence = jnp.asarray(confidence)
        ends = (1.0 - confidence) / 2, (1.0 + confidence) / 2
        return self.ppf(ends[0], *args, **kwargs), self.ppf(ends[1], *args, **kwargs)

    def _support(self, *args: Any, **kwargs: Any) -> tuple[jax.Array, jax.Array]:
        values = tuple(_bound(f"{self.name}.support", self.signature(), args, kwargs).arguments.values())
        return self._end(0)(*values), self._end(1)(*values)

    def _end(self, end: int) -> Method:
        def scipys(*args: Any) -> Any:
            return self.scipys.support(*args)[end]

        def rule(i: int, ans: Any, *args: Any) -> Any:
            return jnp.where(jnp.isnan(ans), jnp.nan, along(located, i, *args))

        def located(*args: Any) -> Any:
            *shapes, loc, scale = args if self.continuous else (*args, 1.0)
            low_high = jnp.asarray(self._standard_support(*shapes)[end], float)
            return jnp.where(jnp.isfinite(low_high), low_high * scale + loc, 0.0)

        signature = self.signature()
        rules: dict[str, Any] = {n: functools.partial(rule, i) for i, n in enumerate(signature.parameters)}
        rules |= dict.fromkeys(self.law.integers, discrete)
        return self._cached((self.name, "support", end), signature, scipys, rules)

    def _moment(self, order: int, *args: Any, **kwargs: Any) -> jax.Array:
        name = f"{self.name}.moment"
        if isinstance(order, bool) or not isinstance(order, int | np.integer) or order < 1:
            raise SignatureError(f"{name}: `order` must be a positive integer of Python, got {order!r:.60}.")
        order, signature = int(order), self.signature()
        values = tuple(_bound(name, signature, args, kwargs).arguments.values())
        rules: dict[str, Any] = dict.fromkeys(self.shapes, unknown(self._no_expectation))
        formulas = FORMULAS.get(self.name, {})

        def lower(*args: Any) -> Any:
            return self._moment(order - 1, *args) if order > 1 else 1.0

        def in_loc(ans: Any, *args: Any) -> Any:
            """E of n (loc + scale z)^(n - 1)."""
            return order * lower(*args)

        def in_scale(ans: Any, *args: Any) -> Any:
            """E of n (loc + scale z)^(n - 1) z."""
            return order * (ans - args[-2] * lower(*args)) / args[-1]

        def in_shape(i: int, ans: Any, *args: Any) -> Any:
            *shapes, loc, scale = args if self.continuous else (*args, 1.0)
            if order <= 2 and {"mean", "var"} <= set(formulas):
                mean, var = (along(formulas[kind], i, *shapes) for kind in ("mean", "var"))
                slope = scale * mean
                if order == 2:
                    slope = 2 * (loc + scale * formulas["mean"](*shapes)) * slope + scale**2 * var
            else:
                orders = [int(i == j) for j in range(len(shapes))]
                slope = self._expectation("moment", 0, 0, 0, *orders)(order, loc, scale, *shapes)  # type: ignore[misc]
            there = jnp.isfinite(self.var(*args) if order > 1 else ans) & jnp.isfinite(ans)
            return jnp.where(there, slope, jnp.nan)

        if order > 2 and self.name in KINKED:
            rules = dict.fromkeys(
                self.shapes, unknown("the density has a kink there that moves with this shape")
            )
        elif self._expectation:
            rules = {n: functools.partial(in_shape, i) for i, n in enumerate(self.shapes)}
        rules |= dict.fromkeys(self.law.integers, discrete)
        rules |= {"loc": in_loc, "scale": in_scale} if self.continuous else {"loc": discrete}
        scipys = functools.partial(_moment_of, self.scipys, order)
        return self._cached((self.name, "moment", order), signature, scipys, rules)(*values)

    def _cached(self, key: Key, signature: inspect.Signature, scipys: Callable, rules: dict) -> Method:
        made: dict[Key, Method] = vars(self).setdefault("_made", {})
        if key not in made:
            made[key] = self._of_scipy(key, signature, scipys, rules)
        return made[key]

    def _nnlf(self, theta: Any, x: Any) -> jax.Array:
        values = tuple(_bound(f"{self.name}.nnlf", self.signature(), tuple(theta), {}).arguments.values())
        x = jnp.asarray(x)
        found = (self.logpdf if self.continuous else self.logpmf)(x, *values)
        refused = jnp.isnan(found) & ~jnp.isnan(x)  # these shapes, or this scale
        return -jnp.sum(jnp.where(refused, -jnp.inf, found))

    def _sample(self, key: Any, *args: Any, shape: int | tuple[int, ...] = (), **kwargs: Any) -> jax.Array:
        """The ppf of uniform numbers, which the implicit function theorem makes differentiable in the parameters."""
        if "size" in kwargs:
            raise SignatureError(f"{self.name}.sample: SciPy's `size` is `shape` here, as in jax.random.")
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        values = tuple(_bound(f"{self.name}.sample", self.signature(), args, kwargs).arguments.values())
        full = (*shape, *jnp.broadcast_shapes(*map(jnp.shape, values)))
        floats = [x for x in map(jnp.asarray, values) if jnp.issubdtype(x.dtype, jnp.floating)]
        dtype = jnp.result_type(*floats) if floats else jnp.result_type(float)
        return self.ppf(jax.random.uniform(key, full, dtype, jnp.finfo(dtype).tiny), *values)

    def host(self, kind: str, *more: Any) -> Any:
        """The host function of a method, for programs that know its name."""
        if kind == "support":
            return self._end(int(more[0])).host
        if kind == "moment":
            signature, order = self.signature(), int(more[0])
            self._moment(order, *[1.0] * len(signature.parameters))
            return vars(self)["_made"][self.name, "moment", order].host
        return getattr(self, kind).host


def _moment_of(scipys: Any, order: int, *args: Any) -> Any:
    """SciPy's moment, which accepts only numbers in some versions."""
    full = np.broadcast_arrays(*args)
    moments = [scipys.moment(order, *one) for one in zip(*map(np.ravel, full), strict=True)]
    return np.reshape(moments, full[0].shape)


def _bound(name: str, signature: inspect.Signature, args: tuple, kwargs: dict) -> inspect.BoundArguments:
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise SignatureError(f"{name}{signature}: {misfit(signature, error, args, kwargs)}.") from None
    bound.apply_defaults()
    return bound


@jax.tree_util.register_pytree_node_class
class Frozen:
    """A distribution with fixed parameters: `gamma(2.0).cdf(x)`. It is a pytree of the parameters that you gave."""

    def __init__(self, distribution: Distribution, values: tuple, given: tuple[str, ...]) -> None:
        self.distribution, self.values, self.given = distribution, values, given

    def _parameters(self) -> dict[str, Any]:
        return dict(zip(self.distribution.signature().parameters, self.values, strict=True))

    def __getattr__(self, kind: str) -> Any:
        if kind.startswith("_"):
            raise AttributeError(kind)
        if kind == "nnlf":
            raise AttributeError(f"a frozen {self.distribution.name} has no nnlf; use -logpdf(x).sum().")
        method = getattr(self.distribution, kind)
        if kind in ("name", "shapes", "methods"):
            return method
        return functools.partial(method, **self._parameters())

    def __dir__(self) -> list[str]:
        return dir(self.distribution)

    def __repr__(self) -> str:
        values = self._parameters()
        given = ", ".join(f"{n}={values[n]}" for n in self.given)
        return f"<hostwrap.stats.{self.distribution.name}({given})>"

    def tree_flatten(self) -> tuple[tuple, tuple]:
        values = self._parameters()
        return tuple(values[n] for n in self.given), (self.distribution, self.given)

    @classmethod
    def tree_unflatten(cls, aux: tuple, leaves: Any) -> Frozen:
        distribution, given = aux
        full = {n: p.default for n, p in distribution.signature().parameters.items()}
        full |= dict(zip(given, leaves, strict=True))
        return cls(distribution, tuple(full.values()), given)
