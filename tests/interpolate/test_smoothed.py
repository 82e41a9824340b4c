"""`UnivariateSpline`, `splrep` and `splev`: SciPy's values; derivatives at held knots, the sum of squares at s."""

import dataclasses
import doctest

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.interpolate
import scipy.optimize

import hostwrap as hw
from hostwrap import interpolate
from hostwrap.interpolate import _smoothed as smoothed
from tests._kit.along import both_ways, change, quickly

random = np.random.default_rng(0)
X = np.sort(random.uniform(0, 5, 20))
Y, W = np.sin(2 * X) + 0.2 * random.normal(size=20), random.uniform(0.5, 2, 20)
AT, S = np.array([0.7, 2.2, 3.3]), 1.5


def exact(x, y, w, s, k, f):
    """The spline whose knots are the sites that f has, with sum of squares s: a dense problem, p by bisection."""
    inner = np.searchsorted(X, f.get_knots()[1:-1])
    t = np.concatenate([np.repeat(x[0], k + 1), x[inner], np.repeat(x[-1], k + 1)])
    A = w[:, None] * scipy.interpolate.BSpline.design_matrix(x, t, k).toarray()
    basis = scipy.interpolate.BSpline(t, np.eye(A.shape[1]), k)
    steps = np.concatenate([[t[k]], x[inner], [t[-1]]])
    jumps = np.diff([basis(m, k) for m in (steps[1:] + steps[:-1]) / 2], axis=0)

    def fit(q):
        both = np.concatenate([A, np.exp(q / 2) * jumps])
        c = np.linalg.lstsq(both, np.concatenate([w * y, np.zeros(len(jumps))]))[0]
        return c, np.sum((w * y - A @ c) ** 2)

    c, _ = fit(scipy.optimize.brentq(lambda q: fit(q)[1] - s, -40, 20, xtol=1e-13))
    return scipy.interpolate.BSpline(t, c, k)(AT)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.rotating
def test_values_and_derivatives(k):
    theirs = scipy.interpolate.UnivariateSpline(X, Y, W, k=k, s=S)
    left = theirs.get_residual() - S
    ours = lambda x, y, w, s: interpolate.UnivariateSpline(x, y, w, k=k, s=s)(AT)
    point, along = (
        (X, Y, W, S),
        (0.1 * random.normal(size=20), random.normal(size=20), random.normal(size=20), 0.3),
    )
    moved = lambda h: [a + h * d for a, d in zip(point, along, strict=True)]
    held = lambda h: exact(*moved(h)[:3], moved(h)[3] + left, k, theirs)
    expected = change(held, (0.0,), (1.0,), 1e-4)
    weights = random.normal(size=3)
    value, tangent, pulled = both_ways(ours, point, along, weights)
    np.testing.assert_allclose(value, theirs(AT), rtol=1e-10)
    np.testing.assert_allclose(tangent, expected, rtol=1e-5)
    np.testing.assert_allclose(pulled, weights @ expected, rtol=1e-5)


@pytest.mark.parametrize("k", [pytest.param(k, marks=pytest.mark.rotating) for k in (1, 2, 3)])
def test_values_outside_of_a_compiled_program(k):
    """There the arrays have the length of SciPy's; each operation is compiled on its own, which takes seconds."""
    f, theirs = (m.UnivariateSpline(X, Y, W, k=k, s=S) for m in (interpolate, scipy.interpolate))
    np.testing.assert_allclose(f(AT), theirs(AT), rtol=1e-10)
    np.testing.assert_allclose(f.get_knots(), theirs.get_knots())


@pytest.mark.rotating
def test_second_derivatives_and_batches():
    slope = jax.jit(jax.grad(lambda s: interpolate.UnivariateSpline(X, Y, W, k=1, s=s)(2.2)))
    bend = jax.jit(jax.vmap(jax.grad(slope)))(np.array([S, 1.4]))
    # the distance of FITPACK's sum to s is held for each s; it stands where s does
    h = 1e-3
    f = scipy.interpolate.UnivariateSpline(X, Y, W, k=1, s=S)
    one = lambda s: exact(X, Y, W, s + f.get_residual() - S, 1, f)[1]
    np.testing.assert_allclose(bend[0], (one(S + h) - 2 * one(S) + one(S - h)) / h**2, rtol=1e-3)


@pytest.mark.rotating
def test_a_polynomial_where_s_is_large():
    """Here the spline is a polynomial by least squares, and does not change with s."""
    f = lambda y, s: interpolate.UnivariateSpline(X, y, W, s=s)(AT)
    pull, in_s = jax.jit(jax.jacfwd(f, (0, 1)))(Y, 1e3)
    theirs = lambda y: scipy.interpolate.UnivariateSpline(X, y, W, s=1e3)(AT)
    np.testing.assert_allclose(pull @ W, (theirs(Y + W) - theirs(Y - W)) / 2, rtol=1e-9)
    assert not np.any(in_s)


@pytest.mark.rotating
def test_the_methods_in_a_compiled_program():
    f, far = scipy.interpolate.UnivariateSpline(X, Y, W, s=S), np.array([-1.0, 2.0, 7.0])

    @quickly
    def used(y):
        g = interpolate.UnivariateSpline(X, y, W, s=S)
        slope = jax.grad(lambda c: dataclasses.replace(g, c=c).derivative()(2.0))(g.c)
        return g(far), g.derivative(2)(far), g.antiderivative()(AT), g.get_knots(), slope

    values, curved, areas, knots, slope = used(Y)
    np.testing.assert_allclose(values, f(far), rtol=1e-8)
    np.testing.assert_allclose(curved, f.derivative(2)(far), rtol=1e-7)
    np.testing.assert_allclose(areas, f.antiderivative()(AT), rtol=1e-9)
    np.testing.assert_allclose(knots[np.isfinite(knots)], f.get_knots())
    assert np.all(np.isfinite(slope))


@pytest.mark.rotating
def test_the_functions_of_fitpack():
    tck, far = scipy.interpolate.splrep(X, Y, W, s=S), np.array([-1.0, 2.0, 7.0])
    for ours, theirs in zip(interpolate.splrep(X, Y, W, s=S), tck, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(
        quickly(lambda y: interpolate.make_splrep(X, y, s=S)(AT))(Y),
        scipy.interpolate.make_splrep(X, Y, s=S)(AT),
        rtol=1e-9,
    )

    def calls(m, c):
        own = (tck[0], c, 3)
        return [
            m.splev(far, own, 1), m.splev(far, own, 0, 3), m.splint(-1.0, 2.0, own), m.splder(own, 2)[1],
            m.splantider(own)[1],
        ]  # fmt: skip

    for ours, theirs in zip(
        quickly(lambda c: calls(interpolate, c))(tck[1]), calls(scipy.interpolate, tck[1]), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-10)


@pytest.mark.rotating
def test_the_examples_say_what_comes_out():
    assert not doctest.testmod(smoothed).failed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: interpolate.UnivariateSpline(X, Y, k=6), "k=6 must be an integer from 1 to 5"),
        (lambda: interpolate.splrep(X, Y, per=1), "splrep: wants task=0"),
        (lambda: interpolate.make_splrep(X, Y, t=X), "make_splrep: wants t=None"),
        (lambda: interpolate.splev(1.0, (X, Y[:, None], 3)), r"splev: wants tck = \(t, c, k\)"),
        (lambda: jax.jit(interpolate.splev)(1.0, interpolate.splrep(X, Y)), "k a Python integer"),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(hw.SignatureError, match=words):
        call()


@pytest.mark.rotating
def test_roots_of_a_cubic_spline():
    x = np.arange(9.0)
    y, step = np.sin(1.7 * x + 0.5), np.cos(x)
    weights = np.arange(1.0, 11.0)

    def total(y):
        roots = interpolate.sproot(interpolate.splrep(x, y))
        return jnp.sum(weights[: len(roots)] * jnp.nan_to_num(roots) ** 2)

    def theirs(t):
        roots = scipy.interpolate.sproot(scipy.interpolate.splrep(x, y + t * step))
        return np.sum(weights[: len(roots)] * roots**2)

    tck = scipy.interpolate.splrep(x, y)
    np.testing.assert_allclose(interpolate.sproot(tck), scipy.interpolate.sproot(tck), rtol=1e-14)
    slope = jax.jit(jax.grad(total))
    along = lambda t: slope(y + t * step) @ step
    np.testing.assert_allclose(along(0.0), (theirs(1e-5) - theirs(-1e-5)) / 2e-5, rtol=1e-7)
    np.testing.assert_allclose(jax.grad(total)(y), slope(y), rtol=1e-12)
    second = jax.jvp(slope, (y,), (step,))[1] @ step
    np.testing.assert_allclose(second, (along(1e-5) - along(-1e-5)) / 2e-5, rtol=1e-6)
    assert interpolate.sproot(interpolate.splrep(x, y**2 + 1)).shape == (0,)
    assert jax.jit(lambda y: interpolate.sproot(interpolate.splrep(x, y), mest=7))(y).shape == (7,)
    with pytest.raises(hw.HostwrapError, match="sproot: the spline must have degree 3"):
        interpolate.sproot(interpolate.splrep(x, y, k=1))
