"""Shortest paths and trees in graphs on the host, with derivatives in the weights of the edges.

SciPy finds the edges of a path; the length of the path is linear in their weights.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse
import scipy.sparse.csgraph

from hostwrap._wrap import wrap

STATIC = ("n", "method", "directed", "unweighted", "indices")


def _results(data: Any, n: int, indices: tuple | None, **_: Any) -> tuple:
    shape = (n if indices is None else len(indices), n)
    whole = jax.ShapeDtypeStruct(shape, jnp.result_type(int))
    return jax.ShapeDtypeStruct(shape, data.dtype), whole


@wrap(out=lambda data, row, column, **given: _results(data, **given), static=STATIC, copy=False)
def paths(
    data: np.ndarray, row: np.ndarray, column: np.ndarray,
    *, n: int, method: str, directed: bool, unweighted: bool, indices: tuple | None,
) -> tuple:  # fmt: skip
    """The distances, and the node before each one on its path."""
    there = np.isfinite(data)
    graph = scipy.sparse.coo_array((data[there], (row[there], column[there])), shape=(n, n)).tocsr()
    distances, before = scipy.sparse.csgraph.shortest_path(
        graph, method, directed, True, unweighted, indices=None if indices is None else list(indices)
    )
    return distances, before.astype(int)


def numbers_of_edges(
    data: np.ndarray,
    row: np.ndarray,
    column: np.ndarray,
    number: np.ndarray,
    before: np.ndarray,
    directed: bool,
) -> np.ndarray:
    """The number of the edge to each node from the one before it; -1 if there is none."""
    n = before.shape[1]
    if not directed:  # edges lead both ways, and the shorter one of two counts
        number, data = np.tile(number, 2), np.tile(data, 2)
        row, column = np.append(row, column), np.append(column, row)
    order = np.lexsort((data, row * n + column))
    keys = (row * n + column)[order]
    wanted = before.astype(int) * n + np.arange(n)
    at = np.clip(np.searchsorted(keys, wanted), 0, max(len(keys) - 1, 0))
    found = number[order][at] if len(keys) else np.zeros_like(at)
    return np.where(before >= 0, found, -1)


@wrap(
    out=lambda data, row, column, before, directed: jax.ShapeDtypeStruct(before.shape, before.dtype),
    static="directed",
    copy=False,
)
def edges_before(
    data: np.ndarray, row: np.ndarray, column: np.ndarray, before: np.ndarray, *, directed: bool
) -> np.ndarray:
    number = np.flatnonzero(np.isfinite(data))
    return numbers_of_edges(data[number], row[number], column[number], number, before, directed)


def along(before: Any, edge: Any, weights: Any) -> Any:
    """The sum of these weights on the path to each node, by doubling: each node adds the sum of the node that many
    steps before."""
    moves = jnp.where(edge >= 0, weights[edge], 0.0)
    nodes = jnp.arange(before.shape[1])
    ahead = jnp.where(before >= 0, before, nodes)  # the first node of a path precedes itself, and moves by 0
    for _ in range(max(before.shape[1] - 1, 1).bit_length()):
        moves = moves + jnp.where(ahead != nodes, jnp.take_along_axis(moves, ahead, 1), 0.0)
        ahead = jnp.take_along_axis(ahead, ahead, 1)
    return moves


@paths.defjvp
def _paths_jvp(primals: Any, tangents: Any, **statics: Any) -> tuple:
    """The sum of the tangents of the edges of a path."""
    distances, before = results = paths(*primals, **statics)
    if statics["unweighted"]:
        return results, (jnp.zeros_like(distances), None)
    edge = edges_before(*jax.lax.stop_gradient(primals), before, directed=statics["directed"])
    return results, (along(before, edge, tangents[0]), None)


def _of_rank(data: Any, n: int, K: int, **_: Any) -> tuple:
    whole = jax.ShapeDtypeStruct((K, n), jnp.result_type(int))
    return jax.ShapeDtypeStruct((K,), data.dtype), whole, whole


@wrap(
    out=lambda data, row, column, **given: _of_rank(data, **given),
    static=("n", "source", "sink", "K", "directed", "unweighted"),
)
def ranked(
    data: np.ndarray, row: np.ndarray, column: np.ndarray,
    *, n: int, source: int, sink: int, K: int, directed: bool, unweighted: bool,
) -> tuple:  # fmt: skip
    """As `paths`, and the numbers of edges (-1: none), one row for each path; the length of a missing path is inf."""
    there = np.isfinite(data)
    number, row, column, data = np.flatnonzero(there), row[there], column[there], data[there]
    places = row.astype(np.int32), column.astype(np.int32)  # SciPy's yen requires this type
    graph = scipy.sparse.coo_array((data, places), shape=(n, n)).tocsr()
    found, paths = scipy.sparse.csgraph.yen(
        graph, source, sink, K, directed=directed, return_predecessors=True, unweighted=unweighted
    )
    lengths, before = np.full(K, np.inf, data.dtype), np.full((K, n), -9999)
    lengths[: len(found)], before[: len(found)] = found, paths
    return lengths, before, numbers_of_edges(data, row, column, number, before, directed)


@ranked.defjvp
def _ranked_jvp(primals: Any, tangents: Any, **statics: Any) -> tuple:
    lengths, before, edge = results = ranked(*primals, **statics)
    if statics["unweighted"]:
        return results, (jnp.zeros_like(lengths), None, None)
    return results, (along(before, edge, tangents[0])[:, statics["sink"]], None, None)


@wrap(out=lambda data, row, column, n: jax.ShapeDtypeStruct(data.shape, bool), static="n")
def in_tree(data: np.ndarray, row: np.ndarray, column: np.ndarray, *, n: int) -> Any:
    """Whether each edge is in the tree. SciPy gets the numbers of the edges as the data of the graph."""
    number = np.flatnonzero(np.isfinite(data))
    order = number[np.argsort(data[number], kind="stable")]
    ranks = np.arange(1.0, len(order) + 1)  # a tree depends only on the order of the weights
    places = row[order].astype(np.int32), column[order].astype(np.int32)  # which the C code wants
    graph = scipy.sparse.coo_array((ranks, places), shape=(n, n)).tocsr()
    tree = scipy.sparse.csgraph.minimum_spanning_tree(graph)
    found = np.zeros(len(data), bool)
    found[order[tree.data.astype(int) - 1]] = True
    return found
