"""Without `jax_enable_x64`, which is JAX's default: what returns integers beside its numbers has JAX's integers."""

import jax
import numpy as np
import pytest

from hostwrap import interpolate, ndimage, optimize, signal, spatial
from hostwrap.sparse import csgraph
from hostwrap.sparse import linalg as sparse

POINTS = np.random.default_rng(0).normal(size=(7, 2))
MATRIX, VECTOR = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0])
ROADS = np.array([[0.0, 1.0, 3.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
HILLS = np.array([0.0, 1.0, 0.0, 2.0, 0.0])
LINE = np.linspace(0.0, 1.0, 12)


@pytest.mark.parametrize(
    ("call", "sizes"),
    [
        (lambda: sparse.cg(MATRIX, VECTOR)[0], (2,)),
        (lambda: jax.jit(lambda b: sparse.gmres(MATRIX, b)[0])(VECTOR), (2,)),
        (lambda: spatial.Delaunay(POINTS).simplices[:, 0] * 0, None),
        (lambda: spatial.ConvexHull(POINTS).volume, ()),
        (lambda: spatial.KDTree(POINTS).query(POINTS)[1], (7,)),
        (lambda: csgraph.shortest_path(ROADS), (3, 3)),
        (lambda: csgraph.yen(ROADS, 0, 2, 2), (2,)),
        (lambda: csgraph.construct_dist_matrix(ROADS, np.array([[-9999, 0, 1]] * 3)), (3, 3)),
        (lambda: ndimage.median_filter(MATRIX, 3), (2, 2)),
        (lambda: ndimage.distance_transform_edt(np.eye(4)), (4, 4)),
        (lambda: optimize.isotonic_regression(VECTOR).x, (2,)),
        (lambda: optimize.least_squares(lambda x: x**2 - VECTOR, VECTOR).x, (2,)),
        (lambda: signal.peak_widths(HILLS, np.array([1, 3]))[0], (2,)),
        (lambda: interpolate.griddata(POINTS, POINTS[:, 0], POINTS[:2] * 0.1), (2,)),
        (lambda: interpolate.UnivariateSpline(LINE, LINE**2)(0.5), ()),
    ],
)
@pytest.mark.rotating
def test_what_returns_integers_too(call, sizes):
    with jax.enable_x64(False):
        found = call()
        assert found.dtype in (np.float32, np.int32) and (sizes is None or found.shape == sizes)
