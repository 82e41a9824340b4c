"""The solution of an initial value problem as a function of all that it depends on, and its derivatives.

With the parameters p = (y0, args, t0) and the time s = t - t0 the problem is y' = f(t0 + s, y, args), y(0) = y0. The
derivative of order k in p solves the problem whose right-hand side is the k-fold jvp of f (the variational equations;
Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section I.14). Each jvp is taken along all
parameters at once: the directions form an axis of the NumPy arrays, of the length of p.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.integrate

from hostwrap._errors import RuleError
from hostwrap._recipes.scalars import numpy_of
from hostwrap._wrap import Wrapped, wrap


@functools.lru_cache(maxsize=64)
def flow(
    fun: Callable, name: str, n: int, shapes: tuple[tuple, ...], options: tuple, order: int = 0
) -> Wrapped:
    """(p, s) -> the derivative of y of this order in p: [n, len(s), len(p), ..., len(p)]."""
    count = n + sum(map(math.prod, shapes)) + 1
    rate = functools.partial(_rate, fun, name, n, shapes)
    rates = numpy_of(name, _jets(rate, n, count, order), 1 + n * 2**order + count * (1 + order))

    def solve(p: np.ndarray, s: np.ndarray) -> np.ndarray:
        return _solve(rates, n, order, p.astype(float), s.astype(float), dict(options))

    solve.__name__ = name
    again = functools.partial(flow, fun, name, n, shapes, options)
    wrapped = wrap(f"(p),(s)->(n,s{',p' * order})".replace("(n,", f"({n},"))(solve)
    return wrapped.defpartials(
        p=lambda ans, p, s: again(order + 1)(p, s),
        s=lambda ans, p, s: _diagonal(_derived(lambda p: jnp.stack(rate(s, again()(p, s), p)), order)(p)),
    )


def _rate(
    fun: Callable, name: str, n: int, shapes: Sequence[tuple], s: Any, y: Sequence, p: Sequence
) -> list:
    """dy/ds, with the arguments in the form that fun takes."""
    ends = list(itertools.accumulate(map(math.prod, shapes), initial=n))
    parts = [tuple(p[i] for i in range(*ends_)) for ends_ in itertools.pairwise(ends)]
    args = [part if shape else part[0] for part, shape in zip(parts, shapes, strict=True)]
    result = fun(p[len(p) - 1] + s, tuple(y[i] for i in range(n)), *args)
    return [x + 0 * s for x in checked(result, n, name)]


def checked(result: Any, n: int, name: str) -> Sequence:
    if not isinstance(result, list | tuple) or len(result) != n:
        raise RuleError(
            f"{name}: it must return a list of {n} numbers, one for each of y, got {result!r:.80}."
        )
    return result


def _derived(function: Callable, order: int) -> Callable:
    return functools.reduce(lambda f, _: jax.jacfwd(f), range(order), function)


def _diagonal(rates: jax.Array) -> jax.Array:
    """The Jacobian in s of rates[n, s, ...]: each place depends on its own time only."""
    k = rates.shape[1]
    own = jnp.eye(k).reshape(1, k, *[1] * (rates.ndim - 2), k)
    return rates[..., None] * own


def _jets(rate: Callable, n: int, count: int, order: int) -> Callable:
    """The rates of y and its derivatives along `order` directions, for each subset of them, as a flat list.

    Arguments: s; y and its derivatives, [2] * order + [n]; p, [count]; a direction for each order, [order, count].
    """

    def rates(s: Any, *numbers: Any) -> list:
        states, rest = list(numbers[: n * 2**order]), list(numbers[n * 2**order :])
        p, directions = rest[:count], [rest[count * (k + 1) : count * (k + 2)] for k in range(order)]

        def nested(states: list, k: int) -> Any:
            """The dy of a pair (y, dy): the half of the subsets that contains the first direction."""
            half = len(states) // 2
            return (
                tuple(states) if k == order else (nested(states[:half], k + 1), nested(states[half:], k + 1))
            )

        def moving(k: int) -> Any:
            """p and its derivatives: along a direction p changes by it; all others are 0."""
            if k == order:
                return tuple(p)
            inner = moving(k + 1)
            still = jax.tree.map(jnp.zeros_like, inner)
            leaves, tree = jax.tree.flatten(still)
            return inner, jax.tree.unflatten(tree, directions[k] + leaves[count:])

        def lifted(k: int) -> Callable:
            if k == order:
                return lambda y, p: tuple(rate(s, y, p))
            return lambda y, p: jax.jvp(lifted(k + 1), (y[0], p[0]), (y[1], p[1]))

        return jax.tree.leaves(lifted(0)(nested(states, 0), moving(0)))

    return rates


def _solve(
    rates: Callable, n: int, order: int, p: np.ndarray, s: np.ndarray, options: dict[str, Any]
) -> np.ndarray:
    subsets = list(itertools.product((0, 1), repeat=order))
    shapes = [(n, *(len(p) if moved else 1 for moved in subset)) for subset in subsets]
    cuts = np.cumsum([math.prod(shape) for shape in shapes])[:-1]
    # direction k of all parameters together: the identity, with its columns along axis k
    units = [
        row.reshape([-1 if j == k else 1 for j in range(order)])
        for k in range(order)
        for row in np.eye(len(p))
    ]

    def split(state: np.ndarray) -> list[np.ndarray]:
        return [part.reshape(shape) for part, shape in zip(np.split(state, cuts), shapes, strict=True)]

    def slope(s: float, state: np.ndarray) -> np.ndarray:
        flat = [row for part in split(state) for row in part]
        out = iter(rates([s, *flat, *p, *units]))
        # a number that does not depend on a direction is constant along its axis
        parts = [np.stack([_first(next(out), shape[1:]) for _ in range(n)]) for shape in shapes]
        return np.concatenate([part.ravel() for part in parts])

    start = np.concatenate([_start(p, n, subset).ravel() for subset in subsets])
    if np.all(s == s[0]):
        states = np.repeat(start[:, None], len(s), 1)
    else:
        found = scipy.integrate.solve_ivp(slope, (s[0], s[-1]), start, t_eval=s, **options)
        if not found.success:
            raise RuntimeError(f"the integration stopped: {found.message}")
        states = found.y
    last = np.split(states, cuts)[-1]
    return np.moveaxis(last.reshape(*shapes[-1], len(s)), -1, 1)


def _first(x: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    return x[tuple(slice(size) for size in shape)]


def _start(p: np.ndarray, n: int, subset: Sequence[int]) -> np.ndarray:
    """y0, its derivative in p (the identity in the first n), and no second one."""
    if sum(subset) == 0:
        return p[:n]
    return np.eye(n, len(p)) if sum(subset) == 1 else np.zeros((n, *[len(p)] * sum(subset)))
