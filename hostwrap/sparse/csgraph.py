"""`scipy.sparse.csgraph`, differentiable in the weights of the edges: which edges a shortest path takes is held.

Single precision stays single, and integers count as floating-point numbers. Shapes that do not fit raise
`SignatureError`. What SciPy refuses raises SciPy's own error, inside a compiled program `HostCallError`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import inexact
from hostwrap._recipes.elsewhere import elsewhere
from hostwrap._types import ArrayLike
from hostwrap.sparse._graphs import csgraph_from_dense, csgraph_to_dense
from hostwrap.sparse._operators import Entries, square
from hostwrap.sparse._paths import along, edges_before, in_tree, paths, ranked

if TYPE_CHECKING:
    from jax.experimental.sparse import BCOO

__all__ = [
    "bellman_ford",
    "construct_dist_matrix",
    "csgraph_from_dense",
    "csgraph_to_dense",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "minimum_spanning_tree",
    "shortest_path",
    "yen",
]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


if not TYPE_CHECKING:  # to checkers such a name is an error
    __getattr__ = elsewhere(__name__, __all__)


Nodes: TypeAlias = int | Sequence[int] | np.ndarray | None
Paths: TypeAlias = tuple[jax.Array, jax.Array]


def _weights(name: str, csgraph: Any) -> tuple[Entries, Any]:
    """A graph, and its weights; inf is none."""
    matrix = square(name, csgraph)
    data = matrix.data.astype(inexact(matrix.data))
    if jnp.iscomplexobj(data):
        raise SignatureError(f"{name}: weights must be real, got {data.dtype}.")
    if not hasattr(csgraph, "todense"):  # in a dense array 0 is no edge
        data = jnp.where(data == 0, jnp.inf, data)
    return matrix, data


@overload
def shortest_path(
    csgraph: Any, method: str = "auto", directed: bool = True,
    return_predecessors: Literal[False] = False, unweighted: bool = False,
    *, indices: Nodes = None,
) -> jax.Array: ...  # fmt: skip
@overload
def shortest_path(
    csgraph: Any, method: str = "auto", directed: bool = True,
    *, return_predecessors: Literal[True], unweighted: bool = False,
    indices: Nodes = None,
) -> Paths: ...  # fmt: skip
@overload
def shortest_path(
    csgraph: Any, method: str = "auto", directed: bool = True,
    return_predecessors: bool = False, unweighted: bool = False,
    *, indices: Nodes = None,
) -> jax.Array | Paths: ...  # fmt: skip
def shortest_path(
    csgraph: Any, method: str = "auto", directed: bool = True, return_predecessors: bool = False,
    unweighted: bool = False, *, indices: Nodes = None,
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
    matrix, data = _weights("shortest_path", csgraph)
    alone = np.ndim(indices) == 0 and indices is not None  # type: ignore[arg-type]
    starts = None if indices is None else tuple(map(int, np.atleast_1d(indices)))
    lengths, before = paths(
        data, matrix.row, matrix.column, n=matrix.shape[0], method=method, directed=bool(directed),
        unweighted=bool(unweighted), indices=starts,
    )  # fmt: skip
    lengths, before = (lengths[0], before[0]) if alone else (lengths, before)
    return (lengths, before) if return_predecessors else lengths


@overload
def dijkstra(
    csgraph: Any, directed: bool = True, indices: Nodes = None,
    return_predecessors: Literal[False] = False, unweighted: bool = False,
    limit: float = np.inf, min_only: bool = False,
) -> jax.Array: ...  # fmt: skip
@overload
def dijkstra(
    csgraph: Any, directed: bool = True, indices: Nodes = None,
    *, return_predecessors: Literal[True], unweighted: bool = False,
    limit: float = np.inf, min_only: Literal[False] = False,
) -> Paths: ...  # fmt: skip
@overload
def dijkstra(
    csgraph: Any, directed: bool = True, indices: Nodes = None,
    *, return_predecessors: Literal[True], unweighted: bool = False,
    limit: float = np.inf, min_only: Literal[True],
) -> tuple[jax.Array, jax.Array, jax.Array]: ...  # fmt: skip
@overload
def dijkstra(
    csgraph: Any, directed: bool = True, indices: Nodes = None,
    return_predecessors: bool = False, unweighted: bool = False,
    limit: float = np.inf, min_only: bool = False,
) -> jax.Array | tuple[jax.Array, ...]: ...  # fmt: skip
def dijkstra(
    csgraph: Any, directed: bool = True, indices: Nodes = None,
    return_predecessors: bool = False, unweighted: bool = False, limit: float = np.inf, min_only: bool = False,
) -> Any:  # fmt: skip
    """`scipy.sparse.csgraph.dijkstra`: `shortest_path` by this method.

    Lengths above `limit` are inf. With `min_only` the result is [n], from the nearest of `indices`; with predecessors
    it has a third part, which of them that is.

    >>> import jax, numpy as np
    >>> roads = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 2.0], [5.0, 2.0, 0.0]])
    >>> print(dijkstra(roads, indices=[0, 2], min_only=True))
    [0. 1. 0.]
    """
    lengths, before = shortest_path(csgraph, "D", directed, True, unweighted, indices=indices)
    there = lengths <= limit
    lengths, before = jnp.where(there, lengths, jnp.inf), jnp.where(there, before, -9999)
    if not min_only:
        return (lengths, before) if return_predecessors else lengths
    lengths, before = jnp.atleast_2d(lengths), jnp.atleast_2d(before)
    starts = jnp.atleast_1d(jnp.arange(len(lengths)) if indices is None else jnp.asarray(indices))
    nearest = jnp.argmin(lengths, axis=0)
    lengths, before = (jnp.take_along_axis(x, nearest[None], 0)[0] for x in (lengths, before))
    if not return_predecessors:
        return lengths
    return lengths, before, jnp.where(jnp.isfinite(lengths), starts[nearest], -9999)


@overload
def bellman_ford(
    csgraph: Any, directed: bool = True, indices: Nodes = None,
    return_predecessors: Literal[False] = False, unweighted: bool = False,
) -> jax.Array: ...  # fmt: skip
@overload
def bellman_ford(
    csgraph: Any, directed: bool = True, indices: Nodes = None,
    *, return_predecessors: Literal[True], unweighted: bool = False,
) -> Paths: ...  # fmt: skip
@overload
def bellman_ford(
    csgraph: Any, directed: bool = True, indices: Nodes = None,
    return_predecessors: bool = False, unweighted: bool = False,
) -> jax.Array | Paths: ...  # fmt: skip
def bellman_ford(
    csgraph: Any, directed: bool = True, indices: Nodes = None,
    return_predecessors: bool = False, unweighted: bool = False,
) -> Any:  # fmt: skip
    """`scipy.sparse.csgraph.bellman_ford`: `shortest_path` by this method, which takes negative weights.

    >>> import jax, numpy as np
    >>> print(bellman_ford(np.array([[0.0, 3.0, 1.0], [0.0, 0.0, 0.0], [0.0, -2.0, 0.0]]), indices=0))
    [ 0. -1.  1.]
    """
    return shortest_path(csgraph, "BF", directed, return_predecessors, unweighted, indices=indices)


@overload
def johnson(
    csgraph: Any, directed: bool = True, indices: Nodes = None,
    return_predecessors: Literal[False] = False, unweighted: bool = False,
) -> jax.Array: ...  # fmt: skip
@overload
def johnson(
    csgraph: Any, directed: bool = True, indices: Nodes = None,
    *, return_predecessors: Literal[True], unweighted: bool = False,
) -> Paths: ...  # fmt: skip
@overload
def johnson(
    csgraph: Any, directed: bool = True, indices: Nodes = None,
    return_predecessors: bool = False, unweighted: bool = False,
) -> jax.Array | Paths: ...  # fmt: skip
def johnson(
    csgraph: Any, directed: bool = True, indices: Nodes = None,
    return_predecessors: bool = False, unweighted: bool = False,
) -> Any:  # fmt: skip
    """`scipy.sparse.csgraph.johnson`: `shortest_path` by this method, which takes negative weights.

    >>> import jax, numpy as np
    >>> print(johnson(np.array([[0.0, 3.0, 1.0], [0.0, 0.0, 0.0], [0.0, -2.0, 0.0]]), indices=0))
    [ 0. -1.  1.]
    """
    return shortest_path(csgraph, "J", directed, return_predecessors, unweighted, indices=indices)


@overload
def floyd_warshall(
    csgraph: Any, directed: bool = True,
    return_predecessors: Literal[False] = False, unweighted: bool = False, overwrite: bool = False,
) -> jax.Array: ...  # fmt: skip
@overload
def floyd_warshall(
    csgraph: Any, directed: bool = True,
    *, return_predecessors: Literal[True], unweighted: bool = False, overwrite: bool = False,
) -> Paths: ...  # fmt: skip
@overload
def floyd_warshall(
    csgraph: Any, directed: bool = True,
    return_predecessors: bool = False, unweighted: bool = False, overwrite: bool = False,
) -> jax.Array | Paths: ...  # fmt: skip
def floyd_warshall(
    csgraph: Any, directed: bool = True, return_predecessors: bool = False, unweighted: bool = False,
    overwrite: bool = False,
) -> Any:  # fmt: skip
    """`scipy.sparse.csgraph.floyd_warshall`: `shortest_path` by this method, between all nodes; nothing is overwritten.

    >>> import jax, numpy as np
    >>> print(floyd_warshall(np.array([[0.0, 3.0], [2.0, 0.0]])))
    [[0. 3.]
     [2. 0.]]
    """
    return shortest_path(csgraph, "FW", directed, return_predecessors, unweighted)


@overload
def yen(
    csgraph: Any, source: int, sink: int, K: int, *, directed: bool = True,
    return_predecessors: Literal[False] = False, unweighted: bool = False,
) -> jax.Array: ...  # fmt: skip
@overload
def yen(
    csgraph: Any, source: int, sink: int, K: int, *, directed: bool = True,
    return_predecessors: Literal[True], unweighted: bool = False,
) -> Paths: ...  # fmt: skip
@overload
def yen(
    csgraph: Any, source: int, sink: int, K: int, *, directed: bool = True,
    return_predecessors: bool = False, unweighted: bool = False,
) -> jax.Array | Paths: ...  # fmt: skip
def yen(
    csgraph: Any, source: int, sink: int, K: int, *, directed: bool = True, return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:  # fmt: skip
    """`scipy.sparse.csgraph.yen`: the lengths of the K shortest paths without loops between two nodes.

    Differentiable in the weights; which edges a path takes is held, see `shortest_path`.

    Args:
        csgraph, directed, unweighted: as of `shortest_path`.
        source, sink: nodes. K: how many paths; Python integers.

    Returns:
        Lengths [K], and with return_predecessors=True the node before each one on each path, [K, n]. If there are m < K
        paths, they have the length m; in a compiled program inf and -9999 fill them up.

    >>> import jax, numpy as np
    >>> roads = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 2.0], [5.0, 2.0, 0.0]])
    >>> print(yen(roads, 0, 2, 3), jax.grad(lambda w: yen(w, 0, 2, 2)[1])(roads)[0])
    [3. 5.] [0. 0. 1.]
    """
    matrix, data = _weights("yen", csgraph)
    lengths, before, _ = ranked(
        data, matrix.row, matrix.column, n=matrix.shape[0], source=int(source), sink=int(sink), K=int(K),
        directed=bool(directed), unweighted=bool(unweighted),
    )  # fmt: skip
    there = jnp.isfinite(jax.lax.stop_gradient(lengths))
    if not isinstance(there, jax.core.Tracer):
        lengths, before = lengths[: there.sum()], before[: there.sum()]
    return (lengths, before) if return_predecessors else lengths


def construct_dist_matrix(
    graph: Any, predecessors: ArrayLike, directed: bool = True, null_value: float = np.inf
) -> jax.Array:
    """`scipy.sparse.csgraph.construct_dist_matrix`: the lengths of given paths, linear in the weights.

    Args:
        graph: [n, n], as of `shortest_path`.
        predecessors: [n, n], integers, as `shortest_path` has them; their edges must be in the graph.
        directed, null_value: as in SciPy.

    >>> import jax, numpy as np
    >>> roads = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 2.0], [5.0, 2.0, 0.0]])
    >>> before = shortest_path(roads, return_predecessors=True)[1]
    >>> print(jax.grad(lambda w: construct_dist_matrix(w, before)[0, 2])(roads))
    [[0. 1. 0.]
     [0. 0. 1.]
     [0. 0. 0.]]
    """
    matrix, data = _weights("construct_dist_matrix", graph)
    before = jnp.asarray(predecessors, int)
    edge = edges_before(
        jax.lax.stop_gradient(data), matrix.row, matrix.column, before, directed=bool(directed)
    )
    there = (before >= 0) | jnp.eye(len(before), dtype=bool)
    return jnp.where(there, along(before, edge, data), null_value)


def minimum_spanning_tree(csgraph: Any, overwrite: bool = False) -> BCOO:
    """`scipy.sparse.csgraph.minimum_spanning_tree`: the edges of least weight that connect what the graph connects.

    Differentiable in the weights: which edges are in the tree is held. Where two trees have the same weight, that is a
    kink, and one of them is taken. Nothing is overwritten.

    Args:
        csgraph: [n, n], as of `shortest_path`; an edge leads both ways, and the lighter one of two counts.

    Returns:
        A `jax.experimental.sparse.BCOO` with the entries of csgraph, in which those that are not in the tree are 0.

    >>> import jax, numpy as np
    >>> weight = lambda w: minimum_spanning_tree(w).todense().sum()
    >>> print(jax.grad(weight)(np.array([[0.0, 1.0, 4.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])))
    [[0. 1. 0.]
     [0. 0. 1.]
     [0. 0. 0.]]
    """
    from jax.experimental import sparse

    matrix, data = _weights("minimum_spanning_tree", csgraph)
    kept = in_tree(jax.lax.stop_gradient(data), matrix.row, matrix.column, n=matrix.shape[0])
    edges = jnp.stack([jnp.asarray(matrix.row), jnp.asarray(matrix.column)], axis=1)
    return sparse.BCOO((jnp.where(kept, data, 0.0), edges), shape=matrix.shape)
