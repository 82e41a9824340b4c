"""Graphs in recorded code: SciPy finds the edges for concrete weights; lengths are sums of the recorded weights.

Which edges a path or a tree takes is constant; where it changes, derivatives jump.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from hostwrap._tracing.tape.array import Array, concrete, holds
from hostwrap._tracing.tape.implicit import at_value
from hostwrap._tracing.tape.log import only_here
from hostwrap._tracing.tape.nodes import current_level
from hostwrap._tracing.tape.refusals import refused
from hostwrap._tracing.tape.rules import bound_to, joined
from hostwrap._tracing.values import reaches

Copied = Callable[[type], Callable[..., Any]]


def instead(x: Any, copied: Copied) -> Callable | None:
    """The replacement of such a function, or None. `copied(cls)` is a class of SciPy's for recorded numbers."""
    name, module = getattr(x, "__name__", None), str(getattr(x, "__module__", None))
    known = _KNOWN.get(str(name)) if module.startswith("scipy.sparse.csgraph.") else None
    return known and functools.partial(known, copied, x)


class Edges(NamedTuple):
    """The edges of a graph, the weights recorded."""

    weights: Any
    row: np.ndarray
    column: np.ndarray
    n: tuple[int, int]
    like: Callable[..., Any]  # makes sparse arrays of recorded numbers

    @classmethod
    def of(cls, graph: Any, copied: Copied) -> Edges:
        if hasattr(graph, "tocoo"):
            found = graph.tocoo()
            row, column = map(concrete, found.coords)
            return cls(found.data, row, column, tuple(graph.shape), type(found))
        dense = joined(graph)
        row, column = np.nonzero(np.isfinite(concrete(dense)) & (concrete(dense) != 0))
        return cls(dense[row, column], row, column, np.shape(dense), copied(scipy.sparse.coo_array))

    @property
    def plain(self) -> Any:
        """The graph for SciPy, whose C code wants indices of 32 bits."""
        places = tuple(np.asarray(i, np.int32) for i in (self.row, self.column))
        return scipy.sparse.csr_array((concrete(self.weights), places), shape=self.n)


def _on(copied: Copied, function: Callable, args: tuple, kwargs: dict) -> tuple[Edges, dict] | None:
    """The graph and the other arguments; None if nothing in it is recorded."""
    if not reaches([args, kwargs], holds):
        return None
    only_here()
    given = bound_to(function, args, kwargs)
    edges = Edges.of(given.pop(next(iter(inspect.signature(function).parameters))), copied)
    return edges, {k: concrete(x) for k, x in given.items()}


def _paths(copied: Copied, function: Callable, *args: Any, **kwargs: Any) -> Any:
    found = _on(copied, function, args, kwargs)
    if found is None:
        return function(*args, **kwargs)
    edges, options = found
    wanted = options.pop("return_predecessors", False)
    value, before, *rest = function(edges.plain, return_predecessors=True, **options)
    lengths = value
    if not options.get("unweighted"):
        find, many = importlib.import_module("hostwrap.sparse._paths").numbers_of_edges, np.atleast_2d(before)
        which = np.arange(len(edges.row)), many, options.get("directed", True)
        edge = find(concrete(edges.weights), edges.row, edges.column, *which)
        total = Array(np.zeros(many.size), None, current_level.get())
        np.add.at(total, *_along(many, edge, edges.weights))
        lengths = at_value(value, np.reshape(total, np.shape(value)))
    return (lengths, before, *rest) if wanted else lengths


def _along(before: np.ndarray, edge: np.ndarray, weights: Any) -> tuple[np.ndarray, Any]:
    """The places of the lengths to which edges add, and what they add."""
    at = np.flatnonzero(edge >= 0)
    starts, nodes = np.divmod(at, before.shape[1])
    places, numbers = [], []
    while len(at):
        on = edge[starts, nodes] >= 0
        at, starts, nodes = at[on], starts[on], nodes[on]
        places.append(at)
        numbers.append(edge[starts, nodes])
        nodes = before[starts, nodes]
    numbers_of = np.concatenate([np.zeros(0, int), *numbers])
    return np.concatenate([np.zeros(0, int), *places]), weights[numbers_of]


def _tree(copied: Copied, function: Callable, *args: Any, **kwargs: Any) -> Any:
    """The entries of a tree, which are edges of the graph."""
    found = _on(copied, function, args, kwargs)
    if found is None:
        return function(*args, **kwargs)
    edges, options = found
    tree = function(edges.plain, **options).tocoo()
    places = edges.row * edges.n[1] + edges.column
    order = np.argsort(places, kind="stable")
    at = order[np.searchsorted(places[order], tree.row * edges.n[1] + tree.col)]
    return edges.like((edges.weights[at], (tree.row, tree.col)), shape=edges.n).tocsr()


def _integers(copied: Copied, function: Callable, *args: Any, **kwargs: Any) -> Any:
    found = _on(copied, function, args, kwargs)
    return function(*args, **kwargs) if found is None else function(found[0].plain, **found[1])


def _refused(copied: Copied, function: Callable, *args: Any, **kwargs: Any) -> Any:
    if reaches([args, kwargs], holds):
        raise refused(f"scipy.sparse.csgraph.{function.__name__}", "the tape has no derivative for it")
    return function(*args, **kwargs)


_KNOWN: dict[str, Callable] = {
    **dict.fromkeys(("shortest_path", "dijkstra", "bellman_ford", "johnson", "floyd_warshall"), _paths),
    **dict.fromkeys(("minimum_spanning_tree", "breadth_first_tree", "depth_first_tree"), _tree),
    **dict.fromkeys(
        (
            "connected_components", "breadth_first_order", "depth_first_order", "reverse_cuthill_mckee",
            "maximum_bipartite_matching", "min_weight_full_bipartite_matching", "structural_rank",
        ),
        _integers,
    ),
    **dict.fromkeys(("yen", "maximum_flow", "construct_dist_matrix", "reconstruct_path"), _refused),
}  # fmt: skip
