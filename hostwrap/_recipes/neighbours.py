"""The nearest points, which SciPy's tree finds; the choice has no derivative."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.spatial

from hostwrap._recipes.cached import cached
from hostwrap._wrap import wrap


@cached(maxsize=4)
def tree(data: np.ndarray) -> scipy.spatial.KDTree:
    """The tree of these points."""
    return scipy.spatial.KDTree(data)


def _numbers(data: Any, x: Any, count: int) -> Any:
    return jax.ShapeDtypeStruct((x.shape[0], count), jnp.result_type(int))


@wrap(out=_numbers, static=("count",), derivatives="rules")
def nearest(data: np.ndarray, x: np.ndarray, *, count: int) -> np.ndarray:
    """The numbers [m, count] of the points nearest to each of x [m, k], ascending."""
    with tree.hold(data) as found:
        return np.sort(found.query(x, range(1, count + 1))[1], axis=1)
