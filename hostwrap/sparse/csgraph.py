"""`scipy.sparse.csgraph`, differentiable in the weights of the edges: which edges a shortest path takes is held."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse
import scipy.sparse.csgraph

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import inexact
from hostwrap._recipes.operators import square
from hostwrap._wrap import wrap

__all__ = ["shortest_path"]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


STATIC = ("n", "method", "directed", "unweighted", "indices")


def _results(data: Any, n: int, indices: tuple | None, **_: Any) -> tuple:
    shape = (n if indices is None else len(indices), n)
    whole = jax.ShapeDtypeStruct(shape, int)
    return jax.ShapeDtypeStruct(shape, data.dtype), whole, whole


@wrap(out=lambda data, row, column, **given: _results(data, **given), static=STATIC)
def _paths(
    data: np.ndarray, row: np.ndarray, column: np.ndarray,
    *, n: int, method: str, directed: bool, unweighted: bool, indices: tuple | None,
) -> tuple:  # fmt: skip
    """Distances, the node before each one on its path, and the number of the edge between them (-1: there is none)."""
    there = np.isfinite(data)
    number, row, column, data = np.flatnonzero(there), row[there], column[there], data[there]
    graph = scipy.sparse.coo_array((data, (row, column)), shape=(n, n)).tocsr()
    distances, before = scipy.sparse.csgraph.shortest_path(
        graph, method, directed, True, unweighted, indices=None if indices is None else list(indices)
    )
    if not directed:  # an edge leads both ways, and the shorter one of two counts
        number, data = np.tile(number, 2), np.tile(data, 2)
        row, column = np.append(row, column), np.append(column, row)
    order = np.lexsort((data, row * n + column))
    keys = (row * n + column)[order]
    wanted = before.astype(int) * n + np.arange(n)
    at = np.clip(np.searchsorted(keys, wanted), 0, max(len(keys) - 1, 0))
    found = number[order][at] if len(keys) else np.zeros_like(at)
    return distances, before.astype(int), np.where(before >= 0, found, -1)


@_paths.defjvp
def _paths_jvp(primals: Any, tangents: Any, **statics: Any) -> tuple:
    """The sum of what the edges of a path move by: each node takes what its forerunner has, twice as far each time."""
    results = _paths(*primals, **statics)
    distances, before, edge = results
    moves = (
        jnp.zeros_like(distances) if statics["unweighted"] else jnp.where(edge >= 0, tangents[0][edge], 0.0)
    )
    nodes = jnp.arange(before.shape[1])
    ahead = jnp.where(
        before >= 0, before, nodes
    )  # the first node of a path is its own forerunner, and moves by 0
    for _ in range(max(before.shape[1] - 1, 1).bit_length()):
        moves = moves + jnp.where(ahead != nodes, jnp.take_along_axis(moves, ahead, 1), 0.0)
        ahead = jnp.take_along_axis(ahead, ahead, 1)
    return results, (moves, None, None)


def shortest_path(
    csgraph: Any, method: str = "auto", directed: bool = True, return_predecessors: bool = False,
    unweighted: bool = False, *, indices: Any = None,
) -> Any:  # fmt: skip
    """`scipy.sparse.csgraph.shortest_path`: lengths of the shortest paths from each node (of indices) to each other.

    Differentiable in the weights: an edge has the derivative 1 for each path that it is on. Where two paths are equally
    short, that is a kink, and one of them is taken. Lengths are linear in the weights: second derivatives are 0.

    Args:
        csgraph: [n, n]; a sparse array of SciPy, a BCOO, BCSR, CSR or CSC of JAX, each edge stored once, or a dense
            array with known numbers, in which 0, inf and NaN are no edges.
        method, directed, unweighted: as in SciPy.
        indices: the nodes to start from, Python integers; all by default.

    Returns:
        Lengths [n, n] or [len(indices), n], inf where there is no path (its derivative is 0); with
        return_predecessors=True the node before each one on its path too, -9999 for none.

    Raises:
        SignatureError: no square matrix.
        HostCallError: SciPy refuses (a negative cycle; its own error outside of jit).

    >>> import jax, numpy as np, scipy.sparse
    >>> from jax.experimental.sparse import BCOO
    >>> edges = np.array([[0, 1], [1, 2], [0, 2]])
    >>> length = lambda w: shortest_path(BCOO((w, edges), shape=(3, 3)))[0, 2]
    >>> print(jax.grad(length)(np.array([1.0, 1.0, 3.0])))
    [1. 1. 0.]
    """
    matrix = square("shortest_path", csgraph)
    data = matrix.data.astype(inexact(matrix.data))
    if jnp.iscomplexobj(data):
        raise SignatureError(f"shortest_path: weights must be real, got {data.dtype}.")
    if not hasattr(csgraph, "todense"):  # in a dense array 0 is no edge
        data = jnp.where(data == 0, jnp.inf, data)
    alone = np.ndim(indices) == 0 and indices is not None
    starts = None if indices is None else tuple(map(int, np.atleast_1d(indices)))
    lengths, before, _ = _paths(
        data, matrix.row, matrix.column, n=matrix.shape[0], method=method, directed=bool(directed),
        unweighted=bool(unweighted), indices=starts,
    )  # fmt: skip
    lengths, before = (lengths[0], before[0]) if alone else (lengths, before)
    return (lengths, before) if return_predecessors else lengths
