"""Graphs as sparse and as dense matrices."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import sparse

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._types import ArrayLike
from hostwrap.sparse._operators import square


def csgraph_from_dense(
    graph: ArrayLike, null_value: float | None = 0, nan_null: bool = True, infinity_null: bool = True
) -> sparse.BCOO:
    """`scipy.sparse.csgraph.csgraph_from_dense`: the edges of a dense matrix of weights, as a BCOO of JAX.

    Differentiable in the weights; which edges there are is held.

    Args:
        graph: [n, n], real.
        null_value, nan_null, infinity_null: which numbers stand for no edge, as in SciPy.

    Returns:
        A BCOO. In a compiled program the number of edges is not known: there it has all pairs, and the weight of what
        is no edge is infinite, as the functions of this module understand it.

    Raises:
        SignatureError: another shape.

    >>> import jax, numpy as np
    >>> graph = np.array([[0.0, 2.0], [3.0, 0.0]])
    >>> print(jax.grad(lambda g: csgraph_from_dense(g).data.sum())(graph))
    [[0. 1.]
     [1. 0.]]
    """
    (weights,) = arrays("csgraph_from_dense", graph=graph)
    if weights.ndim != 2 or weights.shape[0] != weights.shape[1] or jnp.iscomplexobj(weights):
        raise SignatureError(
            f"csgraph_from_dense: wants a real graph of shape (n, n), got {weights.dtype} {weights.shape}."
        )
    weights = weights.astype(inexact(weights))
    held = jax.lax.stop_gradient(weights)
    null = jnp.zeros(held.shape, bool)
    if null_value is not None:
        value = float(null_value)
        nan_null, infinity_null = nan_null or value != value, infinity_null or abs(value) == np.inf
        # SciPy compares to eight digits
        null |= jnp.abs(held - value) <= 1e-8 + 1e-5 * abs(value) if np.isfinite(value) else null
    null |= jnp.isnan(held) if nan_null else null
    null |= jnp.isinf(held) if infinity_null else null
    if isinstance(null, jax.core.Tracer):
        row, column = (x.ravel() for x in np.indices(weights.shape))
        data = jnp.where(null, jnp.inf, weights).ravel()
    else:
        row, column = np.nonzero(~np.asarray(null))
        data = weights[row, column]
    places = jnp.asarray(np.stack([row, column], 1))
    return sparse.BCOO((data, places), shape=weights.shape, indices_sorted=True, unique_indices=True)


def csgraph_to_dense(csgraph: Any, null_value: float = 0) -> jax.Array:
    """`scipy.sparse.csgraph.csgraph_to_dense`: the weights of a graph as a dense matrix, the smallest of each pair.

    Differentiable in the weights; which of several edges of a pair is the smallest is held.

    Args:
        csgraph: a sparse array of SciPy or JAX, [n, n]; a dense one stays as it is.
        null_value: what stands for no edge.

    >>> import jax, numpy as np
    >>> from jax.experimental.sparse import BCOO
    >>> edges = np.array([[0, 1], [0, 1], [1, 0]])
    >>> dense = lambda w: csgraph_to_dense(BCOO((w, edges), shape=(2, 2)))
    >>> print(jax.grad(lambda w: dense(w).sum())(np.array([3.0, 2.0, 5.0])))
    [0. 1. 1.]
    """
    graph = square("csgraph_to_dense", csgraph)
    data = graph.data.astype(inexact(graph.data))
    held, at = jax.lax.stop_gradient(data), (jnp.asarray(graph.row), jnp.asarray(graph.column))
    least = jnp.full(graph.shape, jnp.inf, data.dtype).at[at].min(held)
    number = jnp.where(held == least[at], jnp.arange(data.shape[0]), -1)
    edge = jnp.full(graph.shape, -1).at[at].max(number)
    there = (edge >= 0) & jnp.isfinite(least)
    return jnp.where(there, data[jnp.where(there, edge, 0)], null_value)
