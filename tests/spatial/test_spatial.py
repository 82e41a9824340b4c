"""`hostwrap.spatial` and `hostwrap.sparse.csgraph`: SciPy's values, and derivatives by differences of them."""

import doctest
import itertools
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.sparse
import scipy.spatial
import scipy.spatial.transform
from jax.experimental import sparse as jax_sparse

import hostwrap as hw
from hostwrap import spatial
from hostwrap._rules.differences import slope
from hostwrap.sparse import csgraph
from hostwrap.spatial import _hulls, _trees, distance, transform
from hostwrap.spatial import _matching as matching
from tests._kit import scipys
from tests._kit.days import by_turns
from tests._kit.scipys import Case
from tests._kit.toys import same

random = np.random.default_rng(5)
away = np.random.default_rng(2332)  # no two differences are equal, or 0
A, B = away.uniform(0.2, 1.5, (4, 3)), away.uniform(0.2, 1.5, (3, 3))
W = random.uniform(0.5, 1.5, 3)
ANGLES = np.array([0.0, 1.1, 2.6, 3.7, 5.1])
POINTS = np.append(np.stack([np.cos(ANGLES), 1.1 * np.sin(ANGLES)], 1), [[0.1, 0.2], [-0.3, 0.1]], 0)
SOLID = np.append(np.eye(3), [[-1.0, -0.8, -0.9], [0.1, 0.0, 0.1], [1.1, 1.0, 0.9]], 0)
INVERSE = np.linalg.inv(np.cov(random.normal(size=(3, 9))))
WEIGHTED = (
    "euclidean",
    "sqeuclidean",
    "cityblock",
    "chebyshev",
    "cosine",
    "correlation",
    "canberra",
    "braycurtis",
)
PLAIN = ("jensenshannon", "seuclidean", "mahalanobis")
GRAPH = np.where(random.uniform(size=(6, 6)) < 0.5, random.uniform(1.0, 2.0, (6, 6)), 0.0)


class Of:
    """SciPy's functions, or ours, of arrays alone."""

    def __init__(self, m, d, graphs):
        self.procrustes = m.procrustes
        self.cdist, self.pdist = d.cdist, d.pdist
        self.weighted = lambda a, b, w, **given: d.cdist(a, b, w=w, **given)
        self.variances = lambda a, b, v: d.cdist(a, b, "seuclidean", V=v)
        self.inverse = lambda a, b, v: d.cdist(a, b, "mahalanobis", VI=v)
        self.hull = lambda p: (m.ConvexHull(p).volume, m.ConvexHull(p).area)
        self.query = lambda data, x, **given: m.KDTree(data).query(x, **given)[0]
        self.hausdorff = lambda a, b: d.directed_hausdorff(a, b)[0]
        self.cells = lambda p: m.Voronoi(p).vertices[:6]
        self.corners = lambda h, x: (
            m.HalfspaceIntersection(h, x).intersections[:5],
            m.HalfspaceIntersection(h, x).dual_points,
        )
        self.edges = lambda g: graphs.csgraph_from_dense(g).data
        self.paths = lambda g, **given: graphs.shortest_path(g, **given)


HALVES = np.array([[1.0, 0, -1], [0, 1, -1.1], [-1, 0.1, 0], [0, -1, 0], [1, 1, -1.6]])
OURS = Of(spatial, distance, csgraph)
THEIRS = Of(scipy.spatial, scipy.spatial.distance, scipy.sparse.csgraph)
CASES = [
    *(Case("weighted", (A, B, W), {"metric": m}, 3, 0.005) for m in WEIGHTED),
    Case("weighted", (A, B, W), {"metric": "minkowski", "p": 2.5}, 3, 0.005),
    Case("weighted", (A, B, W), {"metric": "minkowski", "p": np.inf}, 2, 0.001),
    *(Case("pdist", (A,), {"metric": m}, 1, 0.005) for m in (*PLAIN[:2], "euclidean")),
    Case("cdist", (A, random.uniform(size=(5, 3))), {"metric": "mahalanobis"}, 2, 0.005, 1e-8),
    Case("variances", (A, B, W), {}, 3, 0.005),
    Case("inverse", (A, B, INVERSE + INVERSE.T), {}, 2, 0.005),
    Case("procrustes", (A, A**2 + 0.3 * random.uniform(size=A.shape)), {}, 2, 0.005),
    Case("hausdorff", (A, B), {}, 2, 0.005),
    Case("cells", (POINTS,), {}, 1, 0.0005, 1e-8),
    Case("corners", (HALVES, np.array([0.5, 0.4])), {}, 2, 0.005),
    *(Case("hull", (p,), {}, 1, 0.005) for p in (POINTS, SOLID)),
    *(
        Case("query", (POINTS, POINTS[:2] + np.array([0.05, 0.08])), {"k": 3, "p": p}, 2, 0.0005)
        for p in (1.0, 2.0, 3.5, np.inf)
    ),
]
every = pytest.mark.parametrize("case", **scipys.each(CASES))
some = pytest.mark.parametrize("case", **scipys.each([CASES[0], CASES[15], CASES[17], CASES[19]]))


@pytest.mark.rotating
@every
def test_values_are_those_of_scipy(case):
    expected = jax.tree.map(jnp.asarray, case.of(THEIRS)(*case.point))
    same(case.of(OURS)(*case.point), expected, 1e-13)


@pytest.mark.exhaustive
@every
def test_derivatives_of_both_modes_and_orders(case):
    scipys.derivatives(OURS, THEIRS, case)


@pytest.mark.rotating
@some
def test_derivatives_of_some(case):
    scipys.derivatives(OURS, THEIRS, case)


@pytest.mark.exhaustive
@every
def test_batches(case):
    scipys.batches(OURS, case)


def test_coincident_points_have_the_derivative_that_is_said():
    for metric in ("euclidean", "cityblock", "canberra"):
        assert not np.any(jax.jacrev(lambda a, m=metric: distance.cdist(a, A, m)[0, 0])(A))


def test_a_metric_without_a_derivative_says_so():
    same(distance.cdist(A, B, "hamming"), scipy.spatial.distance.cdist(A, B, "hamming"), 0)
    with pytest.raises(hw.MissingDerivative, match="metric='hamming' has none; these have: braycurtis"):
        jax.grad(lambda a: distance.cdist(a, B, "hamming").sum())(A)


def test_neighbours_that_are_not_there():
    d, i = spatial.KDTree(POINTS).query(np.array([9.0, 9.0]), 2, distance_upper_bound=1.0)
    same((d, i), (jnp.full(2, jnp.inf), jnp.full(2, 7)), 0)
    nearest = lambda x: spatial.KDTree(POINTS).query(x, 9)[0][:7].sum()
    assert np.isfinite(jax.jit(jax.grad(nearest))(POINTS[0] + 0.01)).all()


@pytest.mark.rotating
def test_a_triangulation():
    ours, theirs = spatial.Delaunay(POINTS), scipy.spatial.Delaunay(POINTS)
    count = len(theirs.simplices)
    same(ours.simplices[:count], jnp.asarray(theirs.simplices, int), 0)
    assert (ours.simplices[count:] == -1).all()
    same(jnp.sum(ours.volumes), jnp.asarray(scipy.spatial.ConvexHull(POINTS).volume), 1e-13)
    corners = POINTS[theirs.simplices]
    middle, radius = ours.circumcenters[:count], ours.circumradii[:count]
    same(jnp.linalg.norm(corners - middle[:, None], axis=2), jnp.tile(radius[:, None], (1, 3)), 1e-10)
    total = lambda p: jnp.nansum(spatial.Delaunay(p).circumradii ** -2)
    step = random.normal(size=POINTS.shape)
    change = (total(POINTS + 1e-5 * step) - total(POINTS - 1e-5 * step)) / 2e-5
    np.testing.assert_allclose(jnp.sum(jax.jit(jax.grad(total))(POINTS) * step), change, rtol=1e-5)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("indices", [None, 2])
@pytest.mark.rotating
def test_shortest_paths(directed, indices):
    edges = scipy.sparse.coo_array(GRAPH)
    given = {"directed": directed, "indices": indices}
    expected = scipy.sparse.csgraph.shortest_path(GRAPH, **given)
    for graph in (GRAPH, edges.tocsr()):
        same(csgraph.shortest_path(graph, **given), jnp.asarray(expected), 1e-15)

    def total(w):
        pattern = np.stack(edges.coords, 1)
        graph = jax_sparse.BCOO((w, pattern), shape=GRAPH.shape)
        found = csgraph.shortest_path(graph, **given)
        return jnp.where(jnp.isfinite(found), found, 0.0)

    step = random.normal(size=edges.nnz)
    moved = (total(edges.data + 1e-4 * step) - total(edges.data - 1e-4 * step)) / 2e-4
    tangent = jax.jit(lambda w: jax.jvp(total, (w,), (step,))[1])(edges.data)
    same(tangent, moved, 1e-9)
    weights = np.cos(np.arange(moved.size)).reshape(moved.shape)
    pulled = jax.jit(jax.grad(lambda w: jnp.sum(weights * total(w))))(edges.data)
    same(jnp.sum(pulled * step), jnp.sum(weights * tangent), 1e-12)
    slope = jax.grad(lambda g: csgraph.shortest_path(g, **given).ravel()[1])(GRAPH)
    assert np.isfinite(slope).all()


def test_graphs_as_matrices():
    theirs, ours = scipy.sparse.csgraph.csgraph_from_dense(GRAPH), csgraph.csgraph_from_dense(GRAPH)
    same(ours.todense(), jnp.asarray(theirs.toarray()), 0)
    same(csgraph.csgraph_to_dense(ours), jnp.asarray(GRAPH), 0)
    path = lambda g: csgraph.shortest_path(csgraph.csgraph_from_dense(g))[0]
    same(jax.jit(path)(GRAPH), path(GRAPH), 0)  # compiled, what is no edge has an infinite weight
    held = scipy.sparse.csgraph.csgraph_from_dense(np.array([[np.nan, 2.0], [np.inf, 1.0]]), null_value=2.0)
    same(
        csgraph.csgraph_from_dense(np.array([[np.nan, 2.0], [np.inf, 1.0]]), 2.0).todense(),
        jnp.asarray(held.toarray()),
        0,
    )
    twice = scipy.sparse.csr_array(([2.0, 3.0], [1, 1], [0, 2, 2]), shape=(2, 2))
    same(csgraph.csgraph_to_dense(twice, -1.0), jnp.array([[-1.0, 2.0], [-1.0, -1.0]]), 0)


def test_what_is_no_points_is_said():
    with pytest.raises(
        hw.SignatureError, match=r"HalfspaceIntersection: wants halfspaces of shape \(n, d \+ 1\)"
    ):
        spatial.HalfspaceIntersection(HALVES, np.zeros(3))
    with pytest.raises(hw.SignatureError, match="Voronoi: wants points"):
        spatial.Voronoi(np.zeros(3))
    with pytest.raises(hw.SignatureError, match="directed_hausdorff: wants points"):
        distance.directed_hausdorff(A, B[:, :2])
    with pytest.raises(hw.SignatureError, match="csgraph_from_dense: wants a real graph"):
        csgraph.csgraph_from_dense(A)


def test_shortest_paths_say_the_way():
    ours = csgraph.shortest_path(GRAPH, return_predecessors=True)
    theirs = scipy.sparse.csgraph.shortest_path(GRAPH, return_predecessors=True)
    same(ours[1], jnp.asarray(theirs[1], int), 0)
    ones = csgraph.shortest_path(GRAPH, unweighted=True)
    same(ones, jnp.asarray(scipy.sparse.csgraph.shortest_path(GRAPH, unweighted=True)), 0)


@pytest.mark.parametrize("name", ["dijkstra", "bellman_ford", "johnson", "floyd_warshall"])
def test_shortest_paths_by_the_name_of_the_method(name):
    given = {} if name == "floyd_warshall" else {"indices": [0, 3]}
    f, theirs = (getattr(m, name) for m in (csgraph, scipy.sparse.csgraph))
    for more in ({}, {"directed": False}, {"return_predecessors": True}):
        found, expected = f(GRAPH, **given, **more), theirs(GRAPH, **given, **more)
        for x, y in zip(*((v if isinstance(v, tuple) else (v,)) for v in (found, expected)), strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-15)
    there = np.isfinite(theirs(GRAPH, **given))
    slope = jax.grad(lambda g: jnp.where(there, f(g, **given), 0.0).sum())(GRAPH)
    assert np.array_equal(slope, np.round(slope)) and slope.sum() > 0


@pytest.mark.parametrize("given", [{"min_only": True}, {"limit": 2.0}, {"limit": 2.0, "min_only": True}])
def test_dijkstra_with_a_limit_and_from_the_nearest(given):
    args = {"indices": [1, 4], "return_predecessors": True, **given}
    for x, y in zip(
        csgraph.dijkstra(GRAPH, **args), scipy.sparse.csgraph.dijkstra(GRAPH, **args), strict=True
    ):
        np.testing.assert_allclose(x, y, rtol=1e-15)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.rotating
def test_paths_of_any_rank(directed):
    given = {"directed": directed, "return_predecessors": True}
    weights = random.uniform(1.0, 2.0, (5, 5))
    found, theirs = (
        csgraph.yen(weights, 0, 4, 6, **given),
        scipy.sparse.csgraph.yen(weights, 0, 4, 6, **given),
    )
    for x, y in zip(found, theirs, strict=True):
        assert np.array_equal(x, y)
    f = jax.jit(lambda w: csgraph.yen(w, 0, 4, 6, directed=directed))
    hw.testing.check(f, weights, order=1)
    two = np.array([[0.0, 1.0, 3.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    assert np.array_equal(jax.jit(lambda w: csgraph.yen(w, 0, 2, 3))(two), [2.0, 3.0, np.inf])
    assert np.array_equal(csgraph.yen(two, 0, 2, 3, unweighted=True), [1.0, 2.0])


@pytest.mark.parametrize("directed", [True, False])
def test_lengths_of_given_paths(directed):
    before = scipy.sparse.csgraph.shortest_path(GRAPH, directed=directed, return_predecessors=True)[1]
    # SciPy's writes infinities into its argument
    build = lambda m, g: m.construct_dist_matrix(g.copy(), before, directed=directed, null_value=9.0)
    ours = jax.jit(lambda g: build(csgraph, g))
    np.testing.assert_allclose(ours(GRAPH), build(scipy.sparse.csgraph, GRAPH), rtol=1e-15)
    step = random.normal(size=GRAPH.shape) * (GRAPH != 0)
    step = step if directed else step + step.T
    change = (build(scipy.sparse.csgraph, GRAPH + 1e-4 * step) - ours(GRAPH - 1e-4 * step)) / 2e-4
    np.testing.assert_allclose(jax.jvp(ours, (GRAPH,), (step,))[1], change, rtol=1e-9, atol=1e-9)


@pytest.mark.rotating
def test_spanning_trees():
    whole = random.uniform(1.0, 2.0, (6, 6))
    for graph in (whole, whole + whole.T, np.triu(whole) * (whole > 1.4), np.full((4, 4), 2.0)):
        tree = jax.jit(csgraph.minimum_spanning_tree)(graph).todense()
        theirs = scipy.sparse.csgraph.minimum_spanning_tree(graph)
        np.testing.assert_allclose(tree.sum(), theirs.sum(), rtol=1e-14)
        assert (tree > 0).sum() == theirs.nnz
    hw.testing.check(lambda g: csgraph.minimum_spanning_tree(g).todense(), whole, order=1)
    with pytest.raises(hw.SignatureError, match="minimum_spanning_tree: weights must be real"):
        csgraph.minimum_spanning_tree(whole * 1j)


@pytest.mark.rotating
@pytest.mark.parametrize("module", [_hulls, _trees, csgraph, distance, matching])
def test_the_examples_say_what_comes_out(module):
    found = doctest.testmod(module)
    assert found.attempted and not found.failed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: distance.cdist(A, B[:, :2]), r"cdist: wants points of shapes .* got \(4, 3\), \(3, 2\)"),
        (lambda: distance.cdist(A, B, np.dot), "must be a string; a function of your own"),
        (lambda: distance.pdist(A, "mahalanobis", w=W), "metric='mahalanobis' takes no weights"),
        (lambda: spatial.ConvexHull(POINTS[0]), r"ConvexHull: wants points of shape \(n, d\)"),
        (lambda: spatial.Delaunay(POINTS * 1j), "Delaunay: `points` must be real"),
        (lambda: spatial.KDTree(POINTS).query(A), r"KDTree: wants .* got \(7, 2\), \(4, 3\)"),
        (lambda: spatial.KDTree(POINTS).query(POINTS, 0), "k=0 must be an integer >= 1"),
        (lambda: csgraph.shortest_path(A), r"`A` must be a square matrix, got one of shape \(4, 3\)"),
        (lambda: csgraph.shortest_path(GRAPH * 1j), "weights must be real"),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()


@pytest.mark.parametrize("size", by_turns(0.0, 1e-3, 0.31, 0.33, 3.0))
def test_rotation_vectors_also_where_there_is_no_rotation(size):
    ours, theirs, other = transform.Rotation, scipy.spatial.transform.Rotation, np.array([0.3, -0.2, 0.5])
    at, axis = size * np.array([0.6, 0.64, 0.48]), np.array([0.2, 0.7, -0.3])
    np.testing.assert_allclose(ours.from_rotvec(at).as_quat(), theirs.from_rotvec(at).as_quat(), rtol=1e-15)
    np.testing.assert_allclose(ours.from_rotvec(at).as_rotvec(), at, rtol=1e-14)

    def turned(v, R=ours):
        return ((R.from_rotvec(v) * R.from_rotvec(other)).inv() * R.from_rotvec(other)).as_rotvec()

    exact, _ = slope(lambda t: turned(at + t * axis, theirs), 0.01)
    found = jax.jit(lambda v: jax.jvp(turned, (v,), (axis,))[1])(at)
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-10)
    second, _ = slope(lambda t: np.asarray(jax.jvp(turned, (at + t * axis,), (axis,))[1]), 0.01)
    again = jax.jit(jax.jacrev(lambda v: jax.jvp(turned, (v,), (axis,))[1]))(at) @ axis
    np.testing.assert_allclose(again, second, rtol=1e-7, atol=1e-9)


EULER = [s for s in map("".join, itertools.product("xyz", repeat=3)) if s[0] != s[1] != s[2]]


@pytest.mark.parametrize("seq", by_turns(*EULER, *map(str.upper, EULER)))
def test_angles_about_axes(seq):
    ours, theirs = transform.Rotation, scipy.spatial.transform.Rotation
    quats = np.random.default_rng(0).normal(size=(50, 4))
    np.testing.assert_allclose(
        ours.from_quat(quats).as_euler(seq), theirs.from_quat(quats).as_euler(seq), rtol=1e-9
    )
    locked = theirs.from_euler(seq, [0.3, 0.0 if seq[0] == seq[2] else np.pi / 2, 0.4])
    with warnings.catch_warnings(action="ignore"):
        want = locked.as_euler(seq)
    np.testing.assert_allclose(ours.from_quat(locked.as_quat()).as_euler(seq), want, atol=1e-6)


def test_gradients_of_angles_under_jit():
    """JAX's own are off by a tenth."""
    angles = jax.jit(lambda a: transform.Rotation.from_euler("xyz", a).as_euler("ZXZ"))
    at = np.array([0.50143961, 0.610759, 0.71648645])
    np.testing.assert_allclose(jax.jacrev(angles)(at), jax.jacfwd(angles)(at), rtol=1e-12, atol=1e-14)
    with pytest.raises(ValueError, match="consecutive axes"):
        transform.Rotation.from_rotvec(at).as_euler("xxz")


def test_rotations_are_of_one_class():
    one = transform.Rotation.from_rotvec(np.eye(3))
    for made in (one.inv(), one * one, one[:2], jax.jit(lambda r: r.inv())(one)):
        assert type(made) is transform.Rotation
    assert not doctest.testmod(transform).failed
