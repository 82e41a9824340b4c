"""`hostwrap.interpolate`: values by SciPy, derivatives by differences of SciPy's values."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.interpolate

import hostwrap as hw
from hostwrap._numerical.differences import slope
from hostwrap.interpolate import BSpline, make_interp_spline
from tests._toys import each_lane, fresh_lane, same  # noqa: F401

lanes = pytest.mark.usefixtures("fresh_lane")
random = np.random.default_rng(5)
SITES = np.sort(random.uniform(0.0, 5.0, 9))
DATA = np.sin(2 * SITES)
PLACES = np.array([[0.4, 1.1], [2.7, 4.2]]) + 0.0123
degrees = pytest.mark.parametrize("k", [1, 2, 3, 4])


@degrees
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
        (lambda: make_interp_spline(SITES[:3], DATA[:3]), "n > k = 3"),
        (lambda: make_interp_spline(SITES, None), "make_interp_spline: `y` must be a number or an array"),
        (lambda: make_interp_spline(SITES, DATA, 0), "k=0 must be an integer >= 1"),
        (lambda: make_interp_spline(SITES, DATA, 3.0), "k=3.0 must be an integer"),
        (lambda: BSpline(SITES, DATA)(1.0), r"BSpline: wants knots of shape \(n \+ 4,\)"),
        (lambda: make_interp_spline(SITES, DATA)(1.0, -1), "nu=-1 must be an integer >= 0"),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()
