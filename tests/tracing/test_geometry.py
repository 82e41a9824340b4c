"""Classes of SciPy made of points, in recorded code: neighbours, hulls, triangles, and what is interpolated there."""

import jax
import numpy as np
import pytest
import scipy.interpolate as ip
import scipy.spatial

import hostwrap as hw
from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.tape import recordable, run, second
from tests.tracing.test_uses import close

rng = np.random.default_rng(5)
POINTS, SOLID = rng.uniform(size=(9, 2)), rng.normal(size=(8, 3))
X = np.array([0.7, 1.9, 0.4, 2.3, 1.2, 3.1])
TREE = scipy.spatial.KDTree(POINTS)
LINEAR = ip.LinearNDInterpolator(POINTS, POINTS[:, 0] ** 2, rescale=True)
CUBIC = ip.CloughTocher2DInterpolator(POINTS, np.stack([POINTS[:, 0] ** 2, POINTS[:, 1]], 1), tol=1e-12)
NEAREST = ip.NearestNDInterpolator(POINTS, POINTS)


def moved(x):
    points = POINTS.copy()
    points[[0, 4, 8]] = x.reshape(3, 2) / 4
    return points


def solid(x):
    points = SOLID.copy()
    points[[0, 4]] += x.reshape(2, 3)
    return points


def values(x):
    return np.append(x, x[:3] ** 2)


def places(x):
    return 0.4 + 0.05 * x.reshape(3, 2)


def bounded(x):
    distances, indices = TREE.query(places(x), k=3, distance_upper_bound=0.2)
    return np.where(np.isfinite(distances), distances, 0.0) + indices


def triangles(x):
    mesh = scipy.spatial.Delaunay(moved(x))
    corners = mesh.points[mesh.simplices]
    return np.linalg.det(corners[:, 1:] - corners[:, :1]), mesh.transform


USES = {
    "distances": lambda x: scipy.spatial.KDTree(moved(x)).query([0.3, 0.4], k=2)[0],
    "distances by another norm": lambda x: scipy.spatial.cKDTree(moved(x)).query(places(x), p=1)[0],
    "the largest difference": lambda x: TREE.query(places(x), p=np.inf)[0],
    "neighbours within": bounded,
    "pairs": lambda x: moved(x)[np.array(sorted(scipy.spatial.KDTree(moved(x)).query_pairs(0.3)))],
    "a hull": lambda x: scipy.spatial.ConvexHull(moved(x)).volume + scipy.spatial.ConvexHull(moved(x)).area,
    "a hull in space": lambda x: scipy.spatial.ConvexHull(solid(x)).volume * scipy.spatial.ConvexHull(solid(x)).area,
    "its sides": lambda x: scipy.spatial.ConvexHull(solid(x)).equations,
    "sides in the plane": lambda x: scipy.spatial.ConvexHull(moved(x)).equations,
    "triangles": lambda x: triangles(x)[0],
    "coordinates in triangles": lambda x: triangles(x)[1],
    "cells": lambda x: scipy.spatial.Voronoi(solid(x)).vertices,
    "linear": lambda x: ip.LinearNDInterpolator(moved(x), values(x))(places(x)),
    "linear, made before": lambda x: LINEAR(places(x)[:, 0], places(x)[:, 1]),
    "linear, outside": lambda x: ip.LinearNDInterpolator(POINTS, values(x), fill_value=2.0)([[5, 5], [0.4, 0.5]]),
    "linear, rescaled": lambda x: ip.griddata(moved(x), values(x), places(x), rescale=True),
    "nearest": lambda x: NEAREST(places(x)) + ip.griddata(moved(x), values(x), [(0.5, 0.6)], "nearest"),
    "cubic, made before": lambda x: CUBIC(places(x)),
    "cubic": lambda x: ip.CloughTocher2DInterpolator(POINTS, values(x), tol=1e-13)(places(x)),
}  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_uses(use):
    f = USES[use]
    recorded = run(f, [X.copy()], [True])
    (value,) = recorded.value
    np.testing.assert_allclose(value, f(X.copy()), rtol=1e-10, atol=1e-12)
    close(np.stack([recorded.jvp([e])[0] for e in np.eye(6)], -1), f, 1e-6)
    c = rng.normal(size=np.shape(value))
    (back,) = recorded.vjp([c if np.ndim(c) else c[()]])
    np.testing.assert_allclose(back @ np.arange(6.0), np.sum(c * recorded.jvp([np.arange(6.0)])[0]))


def test_second_derivatives():
    f = lambda x: np.sum(ip.griddata(POINTS, values(x), places(x), "cubic") ** 2)
    gradient = lambda x: run(f, [x], [True]).vjp([1.0])[0]
    _, (found,) = second(recordable(f), [X], [True], [np.ones(6)], [1.0])
    np.testing.assert_allclose(found, (gradient(X + 1e-5) - gradient(X - 1e-5)) / 2e-5, rtol=1e-6)


def test_as_a_user_meets_it():
    f = hw.wrap("(6)->()")(lambda x: scipy.spatial.ConvexHull(moved(x)).area)
    found = jax.jit(jax.grad(f))(X)
    close(found[None], lambda x: scipy.spatial.ConvexHull(moved(x)).area)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: ip.CloughTocher2DInterpolator(moved(x), POINTS[:, 0])(0.4, 0.4),
        lambda x: scipy.spatial.KDTree(moved(x)).maxes,
        lambda x: scipy.spatial.ConvexHull(np.append(SOLID, SOLID[:, :1] ** 2 * x[0], axis=1)).equations,
    ],
)
def test_what_has_no_derivative_says_so(f):
    with pytest.raises(Untraceable, match="the tape has"):
        run(f, [X], [True])
