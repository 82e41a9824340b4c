"""Neighbours: SciPy's tree finds them, and JAX differentiates their distances."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._recipes.neighbours import tree
from hostwrap._types import ArrayLike
from hostwrap._wrap import wrap


def _found(data: Any, x: Any, k: int, **_: Any) -> tuple:
    shape = (*x.shape[:-1], k)
    return jax.ShapeDtypeStruct(shape, jnp.result_type(data, x)), jax.ShapeDtypeStruct(
        shape, jnp.result_type(int)
    )


@wrap(out=_found, static=("k", "eps", "p", "bound"))
def _query(data: np.ndarray, x: np.ndarray, *, k: int, eps: float, p: float, bound: float) -> tuple:
    with tree.hold(data) as found:
        return found.query(x, range(1, k + 1), eps, p, bound)


@_query.defjvp
def _query_jvp(primals: Any, tangents: Any, *, p: float, **how: Any) -> tuple:
    data, x = primals
    d, i = _query(data, x, p=p, **how)
    there = i < data.shape[0]

    def distances(data: Any, x: Any) -> Any:
        apart = data[jnp.where(there, i, 0)] - x[..., None, :]
        return jnp.where(there, _norm(apart, p), jnp.inf)

    along = tuple(jnp.zeros_like(v) if t is None else t for v, t in zip(primals, tangents, strict=True))
    moved = jax.jvp(distances, (data, x), along)[1]
    return (d, i), (moved, None)


def _norm(x: Any, p: float) -> Any:
    """The norm along the last axis; at 0, where it has no derivative, hostwrap takes 0."""
    size = jnp.where(x == 0, 0.0, jnp.abs(x))
    if p == math.inf:
        return jnp.max(size, -1)
    if p == 1:
        return jnp.sum(size, -1)
    apart = size > 0
    total = jnp.sum(jnp.where(apart, jnp.where(apart, size, 1.0) ** p, 0.0), -1)
    return jnp.where(total > 0, jnp.where(total > 0, total, 1.0) ** (1 / p), 0.0)


@dataclasses.dataclass(frozen=True, eq=False)
class KDTree:
    """`scipy.spatial.KDTree(data)` with `query`: data is [n, m], real. It is a pytree, and builds its tree once.

    >>> import jax, numpy as np
    >>> points = np.array([[0.0, 0.0], [3.0, 4.0]])
    >>> print(jax.grad(lambda x: KDTree(points).query(x)[0])(np.array([3.0, 5.0])) + 0)
    [0. 1.]
    """

    data: ArrayLike

    def query(
        self, x: ArrayLike, k: int = 1, eps: float = 0.0, p: float = 2.0, distance_upper_bound: float = math.inf,
        workers: int = 1,
    ) -> tuple[jax.Array, jax.Array]:  # fmt: skip
        """The distances to the k nearest points, and the indices of these, as `scipy.spatial.KDTree.query`.

        Args:
            x: [..., m].
            k: an integer >= 1; if it is 1, the results have no axis for the neighbours.
            eps: how much farther than the nearest one a point may be, relative to its distance.
            p: the exponent of the norm, >= 1.
            distance_upper_bound: points farther away are not found; their distance is inf and their index is n.
            workers: has no effect.

        Returns:
            distances [..., k], differentiable in data and x to any order, and indices [..., k]. Derivatives keep the
            nearest points; at ties first derivatives jump.

        Raises:
            SignatureError: shapes do not fit, or k or p is out of range.
        """
        data, x = arrays("KDTree", data=self.data, x=x)
        if data.ndim != 2 or not x.ndim or x.shape[-1] != data.shape[1]:
            raise SignatureError(
                f"KDTree: wants data of shape (n, m) and x of shape (..., m), got {data.shape}, {x.shape}."
            )
        if not isinstance(k, int) or k < 1 or not p >= 1:
            raise SignatureError(f"KDTree: k={k!r} must be an integer >= 1, and p={p!r} a number >= 1.")
        real = inexact(data, x)
        how = {"eps": float(eps), "p": float(p), "bound": float(distance_upper_bound)}
        d, i = _query(data.astype(real), x.astype(real), k=k, **how)
        return (d[..., 0], i[..., 0]) if k == 1 else (d, i)


jax.tree_util.register_dataclass(KDTree, data_fields=["data"], meta_fields=[])
