"""`scipy.integrate.cubature`, for functions that may close over traced numbers, and for traced limits.

The value is SciPy's. The derivative in a number that the integrand reads is the integral of the integrand's derivative.
The derivative in a limit is an integral over the same region, too: with x = a + (b - a) u the region is constant, so
dI/da_k = integral of -F / (b_k - a_k) + dF/dx_k (b_k - x_k) / (b_k - a_k). For b_k take x_k - a_k in place of b_k -
x_k, and F with the other sign. An infinite limit is constant.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.integrate

from hostwrap._errors import MissingDerivative, NotTaken, SignatureError
from hostwrap._recipes.closures import Closure, wide
from hostwrap._recipes.equations import array, like, real
from hostwrap._recipes.numpys import in_jax
from hostwrap._recipes.scipys import as_scipys
from hostwrap._recipes.solutions import Solution
from hostwrap._types import ArrayLike
from hostwrap._wrap import Wrapped, wrap
from hostwrap.integrate._places import crossed, even
from hostwrap.integrate._switches import switches


@as_scipys("scipy.integrate")
def cubature(
    f: Callable, a: ArrayLike, b: ArrayLike, *, rule: str = "gk21", rtol: float = 1e-8, atol: float = 0.0,
    max_subdivisions: int = 10000, args: tuple = (), workers: Any = 1, points: Any = None,
) -> Solution:  # fmt: skip
    """`scipy.integrate.cubature`, differentiable: the integral of `f(x, *args)` over a box. (SciPy 1.15 or newer.)

    f is a function in JAX of points [n, d], returns [n, ...], and may close over traced numbers. Derivatives of the
    estimate in these, in args and in finite limits have any order, in both modes; each is one more integral.

    Args:
        a, b: [d], the corners; a limit may be infinite. If both limits are equal, there is no derivative in them (NaN).
        rule, rtol, atol, max_subdivisions: as in SciPy. Derivatives have rtol of the integral of their size.

    Returns:
        A `scipy.optimize.OptimizeResult` with `estimate`, and `error`, which has no derivative (NaN).

    Raises:
        RuleError: f cannot be traced; workers= or points= in a trace. Outside of one SciPy's own function takes them.
        SignatureError: limits that are no corners.
        RuntimeError: the integral does not converge; HostCallError inside a compiled program.

    >>> import jax, jax.numpy as jnp
    >>> f = lambda k: cubature(lambda x: jnp.exp(-k * x[:, 0]) * x[:, 1], [0.0, 0.0], [1.0, k]).estimate
    >>> print(f"{jax.grad(f)(0.7):.9f}")
    0.425512204
    """
    if points is not None or workers != 1:
        raise NotTaken("cubature: workers= and points= are not taken in a trace; leave them out.")
    a, b = real("cubature", "a", a), real("cubature", "b", b)
    if a.ndim != 1 or a.shape != b.shape or not a.size:
        raise SignatureError(
            f"cubature: wants corners a and b of one shape (d,), got {a.shape} and {b.shape}."
        )
    args, f = args if isinstance(args, tuple) else (args,), in_jax(f)
    dtype = like(a, b, shape=()).dtype
    a, b = a.astype(dtype), b.astype(dtype)
    closure = Closure("cubature", lambda x: array(f(x[None], *args))[0], a)
    body = closure.jax
    at = lambda x, a, b, *outside: body(outside, x)
    how = {"rule": rule, "rtol": rtol, "atol": atol, "max_subdivisions": max_subdivisions}
    given = a, b, *closure.outside
    examples = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in given]  # programs must not keep the numbers
    value = _integral(at, examples, how, 0)(*given)
    shape = value.shape
    estimate = wrap(
        _host(at, examples, how, 0, 1), out=like(*examples, shape=shape), vmap_method="sequential"
    )
    none = [lambda ans, *given, i=i: jnp.full((*shape, *given[i].shape), jnp.nan) for i in range(len(given))]
    return Solution(estimate=value, error=estimate.defpartials(*none)(*given), status="converged")


def _integral(
    f: Callable, examples: Sequence[Any], how: dict, order: int, lower: Sequence[Callable] = ()
) -> Wrapped:
    """The integral of `f(x, a, b, *outside)` at points x [d], differentiated `order` times in (a, b, *outside).

    `lower` are the integrands of lower orders, the first one first.
    """
    shape = jax.eval_shape(f, examples[0], *examples).shape

    def inside(i: int) -> Callable:
        slope = jax.jacfwd(f, 1 + i)
        moved = slope if i > 1 else lambda *x: slope(*x) + _of_limit(f, i, *x)
        return lambda ans, *given: _integral(moved, examples, how, order + 1, [*lower, f])(*given)

    host = _host(f, examples, how, order, 0, lower)
    return wrap(host, out=like(*examples, shape=shape), vmap_method="sequential").defpartials(
        *map(inside, range(len(examples)))
    )


def _of_limit(f: Callable, upper: int, x: Any, a: Any, b: Any, *outside: Any) -> Any:
    """The integrand of the derivative in a limit: see the module."""
    limit, other = (b, x - a) if upper else (a, b - x)
    here = jnp.isfinite(limit)
    width = jnp.where(here & jnp.isfinite(a) & jnp.isfinite(b), b - a, 1.0)
    return jnp.where(here, _density(f, upper, x, a, b, other, width, outside), 0.0)


def _density(
    f: Callable, upper: int, x: Any, a: Any, b: Any, other: Any, width: Any, outside: Sequence
) -> Any:
    slope = jax.jacfwd(f)(x, a, b, *outside)
    both = jnp.isfinite(a) & jnp.isfinite(b)
    # a region with one end, x = a + t, moves as a whole
    share = jnp.where(both, jnp.where(both, other, 0.0) / width, 1.0)
    value = f(x, a, b, *outside)[..., None] * jnp.where(both, (1 if upper else -1) / width, 0.0)
    return value + slope * share


def _jumping(lower: Sequence[Callable], examples: Sequence[Any]) -> Callable | None:
    """On the host: raise an error if one of the integrands jumps where a branch ends that may move.

    Two of SciPy's points with other outcomes have such a place on the line between them.
    """
    x, *others = examples[0], *examples
    gaps = switches(
        lower[0], [x, *others], [True, *[False] * len(others)], [False] * 3 + [True] * (len(others) - 2)
    )
    if gaps is None:
        return None
    d = x.shape[0]
    on_line = lambda f: lambda s, a, b, *more: f(a + s * (b - a), *more)
    line = jax.ShapeDtypeStruct((), x.dtype), x, x, *others
    ways = Closure("cubature", on_line(gaps), *line).numpy()
    every = lambda *args: jnp.concatenate([jnp.ravel(g(*args)) for g in lower])
    sides = Closure("cubature", on_line(every), *line).numpy()

    def check(given: Sequence[Any], how: dict) -> None:
        points: list[np.ndarray] = []
        at = lambda s, a, b: np.concatenate(ways([], [np.float64(s), a, b, *given]))
        side = lambda s, a, b: np.asarray(sides([], [np.float64(s), a, b, *given])[0])

        def seen(x: np.ndarray) -> np.ndarray:
            points.extend(x)
            return np.concatenate([side(0.0, p, p)[:1] for p in x])

        scipy.integrate.cubature(seen, given[0], given[1], rule=how["rule"], rtol=1e-3, max_subdivisions=50)
        size = max(np.max(np.abs(side(0.0, p, p))) for p in points)
        for a, b in itertools.islice(itertools.pairwise(points), 1000):
            read, value = (lambda s, g=g, a=a, b=b: g(s, a, b) for g in (at, side))
            for s, before, after, _ in crossed(read, [0.0, 1.0], value):
                if not np.all(even(value(s + before), value(s + after), size)):
                    raise MissingDerivative(
                        f"cubature: there is no derivative: the integrand jumps near x = {a + s * (b - a)}, a place "
                        f"that may move{_WAY if d > 1 else _WAY_OF_ONE}."
                    )

    return check


_WAY = ". Call dblquad or nquad, which know the part of a jump, or split the region there"
_WAY_OF_ONE = ". Call quad, which knows the part of a jump"


@functools.cache
def _counts(rule: str, d: int) -> tuple[int, ...]:
    """The numbers of points that SciPy asks for at once."""
    seen: set[int] = set()

    def probe(x: np.ndarray) -> np.ndarray:
        seen.add(len(x))
        return np.zeros(len(x))

    scipy.integrate.cubature(probe, np.zeros(d), np.ones(d), rule=rule)
    return tuple(sorted(seen))


def _host(
    f: Callable, examples: Sequence[Any], how: dict, order: int, which: int, lower: Sequence[Callable] = ()
) -> Callable:
    jumping = _jumping(lower, examples) if lower else None
    shape = jax.eval_shape(f, examples[0], *examples).shape
    many = jax.vmap(f, (0, *[None] * len(examples)))
    (d,), dtype = examples[0].shape, examples[0].dtype
    points = [jax.ShapeDtypeStruct((n, d), dtype) for n in _counts(how["rule"], d)]
    programs = {len(x): Closure("cubature", many, x, *examples).numpy() for x in points}

    def integrate(*given: Any) -> Any:
        given = tuple(wide(given))
        a, b = (np.asarray(x, float) for x in given[:2])
        at = lambda x: np.asarray(programs[len(x)]([], [x, *given])[0]).reshape(len(x), -1)
        options = dict(how)
        if jumping is not None:
            jumping(given, how)

        def size() -> float:
            """The size of what is added up: roughly the integral of the absolute value."""
            found = scipy.integrate.cubature(
                lambda x: np.abs(at(x)), a, b, rule=how["rule"], max_subdivisions=1
            )
            return np.max(np.abs(found.estimate), initial=0.0)

        with np.errstate(all="ignore"):
            if order:  # a derivative may be 0
                options["atol"] = max(how["atol"], how["rtol"] * size())
            found = scipy.integrate.cubature(at, a, b, **options)
            if found.status != "converged" and not np.all(found.error <= 1e-12 * size()):
                what = "the integral of a derivative" if order else "the integral"
                raise RuntimeError(
                    f"cubature: {what} does not converge; its error is about {found.error.max():.1e}."
                )
        return np.reshape((found.estimate, found.error)[which], shape)

    names = ["a", "b", *(f"outside{i}" for i in range(len(examples) - 2))]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    integrate.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in names])  # type: ignore[attr-defined]
    integrate.__name__ = "cubature"
    return integrate
