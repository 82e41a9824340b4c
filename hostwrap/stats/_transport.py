"""The least cost at which one set of weighted points is carried to another: SciPy's value, by the best plan.

A best plan needs only n + m - 1 of all pairs, which form a tree. SciPy's solver finds such a tree, and it is held: then
the plan is linear in the weights, and the cost in the plan and the distances (Peyré and Cuturi, Computational Optimal
Transport, section 3.4). Where another tree becomes better the cost has a kink.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.optimize
import scipy.sparse
import scipy.sparse.csgraph
import scipy.spatial.distance
import scipy.stats

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays
from hostwrap._recipes.hosted import hosted, shaped
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


def _out(u: Any, v: Any, a: Any, b: Any) -> Any:
    return jax.ShapeDtypeStruct((len(u) + len(v) - 1, 2), jnp.result_type(int))


@wrap(out=_out)
def _tree(u: np.ndarray, v: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The pairs of a best plan: those that carry most, then those that cost nothing more, until they make a tree."""
    n, m = len(u), len(v)
    distances = scipy.spatial.distance.cdist(u, v)
    rows = scipy.sparse.kron(scipy.sparse.eye(n), np.ones((1, m)))
    columns = scipy.sparse.kron(np.ones((1, n)), scipy.sparse.eye(m))
    sums = np.concatenate([a / a.sum(), b / b.sum()])
    found = scipy.optimize.linprog(
        distances.ravel(), A_eq=scipy.sparse.vstack([rows, columns]).tocsc(), b_eq=sums, method="highs-ds"
    )
    if found.x is None:
        return np.full((n + m - 1, 2), -1)
    potentials = found.eqlin.marginals
    carried = found.x.reshape(n, m)
    dearer = np.maximum(distances - potentials[:n, None] - potentials[n:], 0)
    # a spanning tree by Kruskal: all weights are positive, and those of what is carried the smallest
    weight = np.where(carried > 1e-13, 1.0 - carried / 2, 2.0 + dearer / (1e-300 + distances.max()))
    graph = scipy.sparse.coo_array(
        (weight.ravel(), (np.repeat(np.arange(n), m), n + np.tile(np.arange(m), n))), shape=(n + m, n + m)
    )
    tree = scipy.sparse.csgraph.minimum_spanning_tree(graph.tocsr()).tocoo()
    return np.stack([tree.row, tree.col - n], 1)


def _cost(u: Any, v: Any, a: Any, b: Any) -> Any:
    held = jax.lax.stop_gradient((u, v, a, b))
    source, target = _tree(*held).T
    n, m = len(u), len(v)
    sums = jnp.concatenate([a / jnp.sum(a), b / jnp.sum(b)])
    every = jnp.arange(n + m - 1)
    # one of the n + m equations follows from the others
    matrix = jnp.zeros((n + m, n + m - 1), u.dtype).at[source, every].set(1.0).at[n + target, every].set(1.0)
    plan = jnp.linalg.solve(matrix[:-1], sums[:-1])
    apart = jnp.sum((u[source] - v[target]) ** 2, -1)
    good = apart > 0  # where a distance is 0 it has a cone, and the derivative is taken as 0
    return jnp.sum(plan * jnp.where(good, jnp.sqrt(jnp.where(good, apart, 1.0)), 0.0))


@hosted("u_values v_values u_weights v_weights", lambda u, v, a, b: shaped(u, (), v, a, b), _cost)
def _wasserstein(u_values: Any, v_values: Any, u_weights: Any, v_weights: Any) -> Any:
    return scipy.stats.wasserstein_distance_nd(u_values, v_values, u_weights, v_weights)


def wasserstein_distance_nd(
    u_values: ArrayLike, v_values: ArrayLike, u_weights: ArrayLike | None = None, v_weights: ArrayLike | None = None
) -> jax.Array:  # fmt: skip
    """`scipy.stats.wasserstein_distance_nd`: the distance between two sets of weighted points.

    It is differentiable in points and weights, to any order. Derivatives keep the pairs of the best transport plan. The
    distance has a kink where other pairs become better. In the weights it also has one where some weights of one set
    add up to some weights of the other, as equal weights do.

    Args:
        u_values, v_values: points [n, d] and [m, d], or [n] and [m].
        u_weights, v_weights: [n] and [m], positive. By default all are equal.

    Raises:
        SignatureError: shapes do not fit.
        ValueError: SciPy refuses the weights; inside a compiled program, `HostCallError`.

    >>> import jax, numpy as np
    >>> u, v = np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[3.0, 4.0], [1.0, 2.0]])
    >>> print(jax.grad(wasserstein_distance_nd)(u, v).round(4))
    [[-0.2236 -0.4472]
     [-0.2236 -0.4472]]
    """
    name = "wasserstein_distance_nd"
    given = [u_values, v_values, u_weights, v_weights]
    u, v = arrays(name, u_values=u_values, v_values=v_values)
    u, v = (x[:, None] if x.ndim == 1 else x for x in (u, v))
    weights = [jnp.ones(len(x)) if w is None else w for x, w in zip((u, v), given[2:], strict=True)]
    a, b = arrays(name, u_weights=weights[0], v_weights=weights[1])
    if u.ndim != 2 or u.shape[1:] != v.shape[1:] or (a.shape, b.shape) != (u.shape[:1], v.shape[:1]):
        raise SignatureError(
            f"{name}: wants points of shapes (n, d) and (m, d) and weights (n,) and (m,), got {u.shape}, {v.shape}, "
            f"{a.shape}, {b.shape}."
        )
    return _wasserstein(u, v, a, b)
