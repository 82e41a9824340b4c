"""Graphs, and a few eigenpairs of sparse matrices, in recorded code."""

import jax
import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse import linalg as sl

import hostwrap as hw
from hostwrap._errors import MissingDerivative
from hostwrap._tracing.tape import run
from tests.tracing.test_recorded_scipy import check_slopes

# the tree of SciPy 1.15 wants 32 bits
ROWS, COLUMNS = np.array([[0, 0, 1, 1, 2, 3, 4], [1, 2, 2, 3, 3, 4, 0]], np.int32)
W, ONES = np.array([1.0, 2.0, 2.5, 1.2, 0.7, 3.0, 0.9]), np.ones(5)


def of_rows(w):
    return sparse.csr_matrix((w, (ROWS, COLUMNS)), shape=(5, 5))


def of_columns(w):
    return sparse.coo_array((w, (ROWS, COLUMNS)), shape=(5, 5)).tocsc()


def dense(w):
    graph = np.zeros((5, 5))
    graph[ROWS, COLUMNS] = w
    return graph


def with_predecessors(graph, w):
    lengths, before = csgraph.dijkstra(graph, directed=False, return_predecessors=True)
    return lengths.sum() + w[before[0, 1:]].sum()


def of_tree(graph, w):
    tree = csgraph.minimum_spanning_tree(graph).tocsr()
    return tree.data.sum() * tree.sum() + (tree @ np.arange(5.0))[0] + (tree + tree.T).toarray().max()


GRAPHS = {
    "from one node": lambda graph, w: csgraph.dijkstra(graph, indices=0)[1:],
    "predecessors": with_predecessors,
    "by Floyd and Warshall": lambda graph, w: csgraph.shortest_path(graph, method="FW"),
    "the nearest of two": lambda graph, w: csgraph.dijkstra(graph, indices=[0, 2], min_only=True)[[1, 3]],
    "by Bellman and Ford": lambda graph, w: csgraph.bellman_ford(graph)[0] + csgraph.johnson(graph)[1],
    "counted": lambda graph, w: csgraph.shortest_path(graph, unweighted=True)[0] * w[0],
    "tree": of_tree,
    "a row of a tree": lambda graph, w: csgraph.minimum_spanning_tree(graph).toarray()[0],
    "tree by depth": lambda graph, w: csgraph.depth_first_tree(graph, 0).toarray(),
    "order": lambda graph, w: w[csgraph.breadth_first_order(graph, 0)[0]],
    "components": lambda graph, w: np.bincount(csgraph.connected_components(graph)[1], w[:5], 5),
    "laplacian": lambda graph, w: csgraph.laplacian(sparse.csr_matrix(graph), normed=True).toarray(),
}


@pytest.mark.parametrize("make", [of_rows, of_columns, dense])
@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_is_recorded(name, make):
    f = lambda w: GRAPHS[name](make(w), w)
    np.testing.assert_allclose(run(f, [W], [True]).value[0], f(W), rtol=1e-13)
    check_slopes(f, W)


def test_a_path_that_is_not_there_has_no_slope():
    f = lambda w: csgraph.dijkstra(sparse.csr_array((w, ([0], [1])), shape=(3, 3)), indices=0)
    np.testing.assert_array_equal(run(f, [W[:1]], [True]).jvp([np.ones(1)])[0], [0, 1, 0])


def test_each_run_finds_its_own_path():
    """A recording that is kept must not be run at weights where another path is shorter."""
    f = hw.wrap(out=jax.ShapeDtypeStruct((), float))(lambda w: csgraph.dijkstra(of_rows(w), indices=0)[3])
    slope = jax.jit(jax.grad(f))
    for _ in range(4):
        np.testing.assert_array_equal(slope(W), [1, 0, 0, 1, 0, 0, 0])
        np.testing.assert_array_equal(slope(W[[5, 4, 2, 3, 1, 0, 6]]), [0, 1, 0, 0, 1, 0, 0])


@pytest.mark.parametrize("call", [
    lambda graph: csgraph.yen(graph, 0, 3, 2),
    lambda graph: csgraph.construct_dist_matrix(graph, np.full((5, 5), -9999, np.int32)),
])  # fmt: skip
def test_what_has_no_derivative_here_says_so(call):
    f = hw.wrap(lambda w: call(of_rows(w * W)).sum() * w)
    with pytest.raises(MissingDerivative, match=r"csgraph\..*the tape has no derivative"):
        jax.grad(f)(1.1)


# ---- pairs


def symmetric(w):
    return of_rows(w) + of_rows(w).T + sparse.diags(np.arange(5.0))


def mass(w):
    return sparse.diags([w[:5] + 1], [0]).tocsc()


def both(pairs):
    w, v = pairs
    return w.sum() + (v**4).sum(axis=0)


def product(u, s, vt):
    return (u * s**2) @ vt


PAIRS = {
    "eigsh": lambda w: both(sl.eigsh(symmetric(w), k=2, v0=ONES)),
    "values": lambda w: sl.eigsh(symmetric(w), k=2, which="SA", return_eigenvectors=False, v0=ONES),
    "generalised": lambda w: both(sl.eigsh(symmetric(w), k=2, M=mass(w), sigma=0.1, v0=ONES)),
    "operator": lambda w: both(
        sl.eigsh(sl.LinearOperator((5, 5), matvec=lambda x: symmetric(w) @ x, dtype=float), k=1, v0=ONES)
    ),
    "eigs": lambda w: np.real(both(sl.eigs(symmetric(w) + of_rows(w), k=1, v0=ONES))),
    "complex values": lambda w: sl.eigs(of_rows(w), k=2, return_eigenvectors=False, v0=ONES).imag ** 2,
    "svds": lambda w: product(*sl.svds(of_rows(w), k=2, v0=ONES)),
    "singular values": lambda w: sl.svds(of_rows(w), k=2, return_singular_vectors=False, v0=ONES),
}


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_are_recorded(name):
    f = PAIRS[name]
    np.testing.assert_allclose(run(f, [W], [True]).value[0], f(W), rtol=1e-10)
    check_slopes(f, W)


def test_second_derivatives_of_pairs():
    f = hw.wrap(out=jax.ShapeDtypeStruct((), float))(
        lambda w: sl.eigsh(symmetric(w), k=1, v0=ONES)[0][0] ** 2
    )
    assert hw.explain(f, W).way == "recorded"
    slope, along = jax.jit(jax.grad(f)), np.cos(W)
    found = jax.jit(lambda w: jax.jvp(jax.grad(f), (w,), (along,))[1])(W)
    want = (slope(W + 1e-5 * along) - slope(W - 1e-5 * along)) / 2e-5
    np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-7)


def test_pairs_of_a_constant_matrix_are_traced():
    f = hw.wrap(out=jax.ShapeDtypeStruct((), float))(
        lambda w: w[:5] @ sl.eigsh(sparse.csr_matrix(np.diag(W[:5])), k=1, v0=ONES)[1][:, 0] ** 2
    )
    assert hw.explain(f, W).way == "traced"
    np.testing.assert_allclose(jax.grad(f)(W), [0, 0, 1, 0, 0, 0, 0], atol=1e-12)


@pytest.mark.parametrize(("call", "why"), [
    (lambda w: sl.eigsh(sparse.eye(6) * w, k=2, v0=np.arange(6.0))[1].sum(), "vectors of equal eigenvalues"),
    (lambda w: sl.eigs(of_rows(W) * w, k=2, v0=ONES)[1].real.sum(), "complex vectors have any phase"),
    (lambda w: sl.eigsh(sparse.eye(2001) * w, k=1, v0=np.ones(2001))[0][0], "at most 2000 rows"),
])  # fmt: skip
def test_pairs_that_have_no_derivative(call, why):
    with pytest.raises(MissingDerivative, match=why):
        jax.grad(hw.wrap(lambda w: call(w if w > 0 else -w)))(1.1)
