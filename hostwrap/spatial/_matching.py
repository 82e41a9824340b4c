"""The superposition of two shapes."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from hostwrap._recipes.cores import batched
from hostwrap._recipes.polar import orthogonal_procrustes
from hostwrap._types import ArrayLike


@batched("(m,n),(m,n)->(m,n),(m,n),()")
def procrustes(data1: ArrayLike, data2: ArrayLike) -> tuple[jax.Array, jax.Array, jax.Array]:
    """`scipy.spatial.procrustes`: both shapes centred, of size 1, the second turned to the first; and their disparity.

    Differentiable in both, to any order, where the points of each are not all one and `data1' data2`, centred, has full
    rank.

    Args:
        data1, data2: [..., m, n], m points each, real.

    >>> import jax, numpy as np
    >>> shape = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    >>> moved = lambda t: procrustes(shape, shape + t * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]))[2]
    >>> print(jax.grad(moved)(0.5).round(6))
    0.08448
    """
    first, second = (x - x.mean(0) for x in (data1, data2))
    first, second = (x / jnp.linalg.norm(x) for x in (first, second))
    R, s = orthogonal_procrustes(first, second)
    second = second @ R.T * s
    return first, second, jnp.sum((first - second) ** 2)
