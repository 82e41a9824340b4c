"""`hostwrap.interpolate`: values by SciPy, derivatives by differences of SciPy's values."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.interpolate
import scipy.spatial

import hostwrap as hw
from hostwrap import interpolate
from hostwrap._rules.differences import slope
from hostwrap.interpolate import BSpline, griddata, make_interp_spline
from tests._kit.toys import fresh_lane, same  # noqa: F401

lanes = pytest.mark.usefixtures("fresh_lane")
random = np.random.default_rng(5)
SITES = np.sort(random.uniform(0.0, 5.0, 9))
DATA = np.sin(2 * SITES)
PLACES = np.array([[0.4, 1.1], [2.7, 4.2]]) + 0.0123
degrees = pytest.mark.parametrize("k", [1, 2, 3, 4])


@degrees
@pytest.mark.rotating
def test_values_and_derivatives_in_the_place_are_those_of_scipy(k):
    ours = jax.jit(make_interp_spline, static_argnums=2)(SITES, DATA, k)
    scipys = scipy.interpolate.make_interp_spline(SITES, DATA, k)
    outside = np.concatenate([PLACES.ravel(), SITES, [SITES[0] - 0.3, SITES[-1] + 0.2]])
    same(ours.t, scipys.t, 1e-15)
    same(ours.c, scipys.c, 1e-11)
    orders = range(k + 2)
    got = jax.jit(lambda spline, x: [spline(x, nu) for nu in orders])(ours, outside)
    same(got, [jnp.asarray(scipys(outside, nu)) for nu in orders], 1e-9)
    first = jax.jit(jax.vmap(jax.grad(lambda x: ours(x))))(PLACES.ravel())
    same(first, scipys(PLACES.ravel(), 1), 1e-11)


@lanes
@pytest.mark.rotating
def test_derivatives_in_data_and_sites():
    direction = np.random.default_rng(1).normal(size=(2, 9)) * 0.05

    def exact(t):
        spline = scipy.interpolate.make_interp_spline(SITES + t * direction[0], DATA + t * direction[1])
        return spline(PLACES).ravel()

    def ours(x, y):
        return make_interp_spline(x, y)(PLACES).ravel()

    expected, _ = slope(exact, 0.2)
    same(jax.jit(lambda d: jax.jvp(ours, (SITES, DATA), (d[0], d[1]))[1])(direction), expected, 1e-9)
    rows = jax.jit(jax.jacrev(ours, (0, 1)))(SITES, DATA)
    same(rows[0] @ direction[0] + rows[1] @ direction[1], expected, 1e-9)
    same(jax.jit(jax.jacfwd(ours, (0, 1)))(SITES, DATA), rows, 1e-10)


@pytest.mark.rotating
def test_the_hessian_of_a_fit_and_batches():
    def energy(y):
        return jnp.sum(make_interp_spline(SITES, y, 2)(PLACES) ** 3)

    gradient = jax.jit(jax.grad(energy))

    def first(t):
        return np.asarray(gradient(DATA + t * 0.1 * SITES))

    got = jax.jit(jax.hessian(energy))(DATA) @ (0.1 * SITES)
    same(got, slope(first, 0.2)[0], 1e-8)
    stack = np.stack([DATA, DATA**2])
    many = jax.jit(jax.vmap(jax.grad(energy)))(stack)
    same(many, jnp.stack([gradient(y) for y in stack]), 1e-11)


@pytest.mark.rotating
def test_several_columns_and_a_tree():
    Y = np.stack([DATA, SITES**2], 1)
    spline = jax.jit(make_interp_spline)(SITES, Y)
    assert isinstance(spline, BSpline)
    same(spline(PLACES), scipy.interpolate.make_interp_spline(SITES, Y)(PLACES), 1e-11)
    slopes = jax.jit(jax.grad(lambda s: s(PLACES).sum()))(spline)
    assert [g.shape for g in jax.tree.leaves(slopes)] == [(13,), (9, 2)]


def test_derivatives_in_the_knots():
    spline, step = scipy.interpolate.make_interp_spline(SITES, DATA), np.zeros(13)
    step[6] = 0.1
    expected, _ = slope(lambda h: scipy.interpolate.BSpline(spline.t + h * step, spline.c, 3)(PLACES), 0.2)
    same(jax.jvp(lambda t: BSpline(t, spline.c)(PLACES), (spline.t,), (step,))[1], expected, 1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: make_interp_spline(SITES, DATA[:-1]), r"make_interp_spline: .*got \(9,\), \(8,\)"),
        (lambda: make_interp_spline(SITES[:3], DATA[:3]), "want n > k and 7 knots, got k = 3"),
        (lambda: make_interp_spline(SITES, None), "make_interp_spline: `y` must be a number or an array"),
        (lambda: make_interp_spline(SITES, DATA, -1), "k=-1 must be an integer >= 0"),
        (lambda: make_interp_spline(SITES, DATA, 3.0), "k=3.0 must be an integer"),
        (lambda: BSpline(SITES, DATA)(1.0), r"BSpline: wants knots of shape \(n \+ 4,\)"),
        (lambda: make_interp_spline(SITES, DATA)(1.0, -1), "nu=-1 must be an integer >= 0"),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()


# ---- scattered data


def scattered(d):
    """Points, values, and places most of which are inside."""
    draw = np.random.default_rng(d)
    n = 4**d
    return draw.uniform(size=(n, d)), draw.normal(size=(n, 2)), draw.uniform(0.2, 0.8, size=(2, 3, d))


@pytest.mark.rotating
@lanes
@pytest.mark.parametrize("d", [2, 3])
def test_scattered_data_are_scipys_with_all_derivatives(d):
    args = scattered(d)
    expected = scipy.interpolate.griddata(*args)
    assert np.isfinite(expected).sum() > 6
    same(jax.jit(griddata)(*args), jnp.asarray(expected), 1e-12)
    same(griddata(*args, fill_value=7.0), jnp.where(np.isnan(expected), 7.0, expected), 1e-12)

    def inside(*args):
        return griddata(*args, fill_value=0.0).ravel()

    def moved(h):
        args_ = [x + h * s for x, s in zip(args, steps, strict=True)]
        return np.nan_to_num(scipy.interpolate.griddata(*args_)).ravel()

    steps = [1e-3 * np.random.default_rng(i).normal(size=x.shape) for i, x in enumerate(args)]
    exact, error = slope(moved, 0.1)
    assert error.max() < 1e-10
    forward = jax.jit(jax.jacfwd(inside, (0, 1, 2)))(*args)
    along = sum(np.tensordot(row, s, s.ndim) for row, s in zip(forward, steps, strict=True))
    np.testing.assert_allclose(along, exact, rtol=1e-8, atol=1e-11)
    same(jax.jit(jax.jacrev(inside, (0, 1, 2)))(*args), forward, 1e-11)
    many = jax.jit(jax.vmap(griddata, (None, None, 0)))(*args)
    same(many, jnp.asarray(expected), 1e-12)


@pytest.mark.rotating
def test_second_derivatives_of_scattered_data():
    points, values, places = scattered(2)

    def energy(points):
        return jnp.sum(griddata(points, values, places, fill_value=0.0) ** 2)

    step = 1e-3 * np.random.default_rng(3).normal(size=points.shape)
    gradient = jax.jit(jax.grad(energy))
    exact, _ = slope(lambda h: np.asarray(gradient(points + h * step)), 0.1)
    np.testing.assert_allclose(jax.jit(jax.hessian(energy))(points).reshape(32, 32) @ step.ravel(), exact.ravel(),
                               rtol=1e-7, atol=1e-9)  # fmt: skip


@pytest.mark.rotating
def test_a_place_outside_has_no_part_in_derivatives():
    points, values, places = scattered(2)
    for far in (5.0, np.inf, np.nan):
        with_it = np.append(places.reshape(-1, 2), [[far, 0.5]], axis=0)

        def total(points, values, places):
            return jnp.nansum(griddata(points, values, places))

        one = jax.grad(total, (0, 1))(points, values, places)
        same(jax.jit(jax.grad(total, (0, 1)))(points, values, with_it), one, 1e-13)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (((5, 1), (5,), (1,)), r"d > 1.* got \(5, 1\).*make_interp_spline with k=1"),
        (((5, 2), (4,), (2,)), r"values of shape \(n, ...\).* got \(5, 2\), \(4,\)"),
        (((5, 2), (5,), (3,)), r"xi of shape \(..., d\).*\(3,\)"),
    ],
)
def test_scattered_data_that_do_not_fit(args, words):
    with pytest.raises(hw.SignatureError, match=words):
        griddata(*map(np.ones, args))


def test_scattered_data_that_cannot_be_had():
    points, values, places = scattered(2)
    with pytest.raises(hw.SignatureError, match="method='quintic'"):
        griddata(points, values, places, "quintic")
    with pytest.raises(hw.SignatureError, match="`xi` must be real"):
        griddata(points, values, places * 1j)
    with pytest.raises(scipy.spatial.QhullError):
        griddata(np.ones((5, 2)), np.ones(5), np.ones(2))
    with pytest.raises(Exception, match="Qhull"):
        jax.block_until_ready(jax.jit(griddata)(np.ones((5, 2)), np.ones(5), np.ones(2)))


# ---- scattered data, smooth


SCATTERED, HEIGHTS = random.normal(size=(30, 2)), random.normal(size=(30, 2))
SPOTS = random.normal(size=(20, 2)) * 0.5


def _scipys_clough(points, values, places):
    return scipy.interpolate.CloughTocher2DInterpolator(points, values, tol=1e-14, maxiter=9999)(places)


@pytest.mark.rotating
def test_clough_and_tocher_in_points_values_and_places():
    """Values are SciPy's; derivatives along a direction in all three are differences of them, in both modes."""
    ours = lambda *given: interpolate.CloughTocher2DInterpolator(*given[:2])(given[2])
    at = SCATTERED, HEIGHTS, SPOTS
    along = tuple(random.normal(size=x.shape) for x in at)
    expected = _scipys_clough(*at)
    weights = np.where(np.isnan(expected), 0.0, random.normal(size=expected.shape))
    same(ours(*at), jnp.asarray(expected), 1e-11)
    total = lambda *given: jnp.sum(jnp.where(weights == 0, 0.0, ours(*given) * weights))
    moved = lambda h: np.nansum(
        _scipys_clough(*(x + h * d for x, d in zip(at, along, strict=True))) * weights
    )
    exact = (8 * (moved(1e-4) - moved(-1e-4)) - moved(2e-4) + moved(-2e-4)) / 12e-4
    forth = jax.jit(lambda *d: jax.jvp(total, at, d)[1])(*along)
    back = jax.jit(jax.grad(total, (0, 1, 2)))(*at)
    same(forth, jnp.asarray(exact), 1e-5)
    same(sum(jnp.sum(g * d) for g, d in zip(back, along, strict=True)), forth, 1e-10)


@pytest.mark.parametrize("method", ["nearest", "linear", "cubic"])
@pytest.mark.rotating
def test_griddata_takes_points_as_a_tuple_too(method):
    x, y = np.meshgrid(np.linspace(-0.4, 0.4, 4), np.linspace(-0.3, 0.3, 3))
    expected = scipy.interpolate.griddata(SCATTERED, HEIGHTS, (x, y), method)
    same(interpolate.griddata(tuple(SCATTERED.T), HEIGHTS, (x, y), method), jnp.asarray(expected), 1e-5)
    total = lambda v: interpolate.griddata(SCATTERED, v, (x, y), method).sum()
    same(jax.grad(total)(HEIGHTS).sum(), jnp.asarray(2.0 * x.size), 1e-9)
