"""How the distances of all pairs of points change with the points, and the transpose, without storing all differences.

The distances are known already; the host divides (a - b) . (da - db) by them. XLA would compute the differences twice
for a gradient, once for the sums of each side, and both times in parts that do not fit the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.spatial.distance

from hostwrap._recipes import sums
from hostwrap._recipes.hosted import hosted, mapped, shaped

FEW = 8  # coordinates, of which the compiler makes one loop over all pairs


def _products(a: Any, b: Any, da: Any, db: Any) -> Any:
    """(a - b) . (da - db) of all pairs of points [n, k] and [m, k]."""
    if a.shape[1] > FEW:
        one = lambda u, v, du, dv: (u - v) @ (du - dv)
        return jax.vmap(jax.vmap(one, (None, 0, None, 0)), (0, None, 0, None))(a, b, da, db)
    total = jnp.zeros((len(a), len(b)), jnp.result_type(a, b))
    for k in range(a.shape[1]):
        total += (a[:, None, k] - b[None, :, k]) * (da[:, None, k] - db[None, :, k])
    return total


def _scaled(products: Any, distances: Any, squared: bool) -> Any:
    """The factor of each pair. The distance of coincident points has no derivative (a cone); hostwrap takes 0."""
    if squared:
        return 2 * products
    return jnp.where(distances > 0, products / jnp.where(distances > 0, distances, 1.0), 0.0)


@hosted(
    "c distances a b",
    lambda c, distances, a, b, sides, **_: shaped(
        c, (sum((len(a), len(b))[s] for s in sides), a.shape[1]), a, b
    ),
)
def _back(c: Any, distances: Any, a: Any, b: Any, sides: tuple[int, ...], squared: bool) -> Any:
    """The transpose, to both sides or to one: [n + m, k], [n, k] or [m, k]."""
    found = sums.pairs_back(a, b, c, None if squared else distances, sides)
    return np.concatenate([x for x in found if x is not None]) * (2 if squared else 1)


@hosted("c distances x", lambda c, distances, x, **_: shaped(c, x.shape, x))
def _back_among(c: Any, distances: Any, x: Any, squared: bool) -> Any:
    c, distances = (scipy.spatial.distance.squareform(y, checks=False) for y in (c, distances))
    found = sums.pairs_back(x, x, c, None if squared else distances, (0,))
    return found[0] * (2 if squared else 1)


def between(a: Any, b: Any, distances: Any, tangents: tuple, squared: bool) -> Any:
    """The tangent of distances [n, m], or of their squares; the tangent of a constant side is None."""
    sides = tuple(i for i, t in enumerate(tangents) if t is not None)
    moves = jnp.concatenate([tangents[i] for i in sides])

    def along(moves: Any) -> Any:
        given = [jnp.zeros_like(a), jnp.zeros_like(b)]
        ends = np.cumsum([len(given[i]) for i in sides])[:-1]
        for i, part in zip(sides, jnp.split(moves, ends), strict=True):
            given[i] = part
        return _scaled(_products(a, b, *given), distances, squared)

    return mapped(along, along, lambda c: _back(c, distances, a, b, sides, squared), moves)


def among(x: Any, distances: Any, moves: Any, squared: bool) -> Any:
    """The same for the pairs of points in x [n, k], in the order of `pdist`."""
    upper = np.triu_indices(len(x), 1)
    along: Callable = lambda moves: _scaled(_products(x, x, moves, moves)[upper], distances, squared)
    return mapped(along, along, lambda c: _back_among(c, distances, x, squared), moves)
