"""A branch that is not taken has the derivative 0, where its own would be infinite or not a number."""

import jax
import numpy as np
import pytest
import scipy.special
from scipy.stats import kappa4

import hostwrap as hw
from hostwrap._tracing.numpys import followed
from tests._kit.days import by_turns
from tests._kit.toys import same
from tests._kit.versions import SCIPY

X = np.array([-1.0, 0.0, 0.5, 2.0])
P = np.full(4, 1.5)


def van_genuchten(h, m):
    saturation = np.where(h < 0, (1 + np.abs(h) ** 2) ** -m, 1.0)
    return np.where(h < 0, (1 - saturation ** (1 / m)) ** m, 0.0)


FUNCTIONS = {
    "power": lambda x, p: np.where(x > 0, x**p, 0.0),
    "root": lambda x, p: np.where(x > 0, np.sqrt(x) * p, 0.0),
    "quotient": lambda x, p: np.where(x == 0, p, np.sin(x) / x * p),
    "product": lambda x, p: np.sqrt(x * (x > 0) + (x <= 0) * p),
    "chain": lambda x, p: np.where(x <= 0, 0.0, np.exp(-p / np.sqrt(x)) + np.log(x) ** 2),
    "select": lambda x, p: np.select([x > 1, x > 0], [np.log(x), x**p], 0.0),
    "maximum": lambda x, p: np.maximum(x, 0.25) ** p,
    "of a number": lambda x, p: np.where(x > 0, x ** p[0], 0.0),
    "van Genuchten": van_genuchten,
    "root of a maximum": lambda x, p: np.sqrt(np.maximum(x - 0.25, 0.0)) * p,
    "root of a product": lambda x, p: np.sqrt(x * (x > 0)) * p,
    "root of a choice": lambda x, p: np.where(x > 0.25, x - 0.25, 0.0) ** 0.25 + p,
    "chord": lambda x, p: np.arccos(np.clip(np.reshape(x, (2, 2)), -0.75, 1.0)).ravel() * p**2,
    "twice": lambda x, p: np.where(x > 0, np.where(x > 1, np.log(x - 1) ** 2, np.sqrt(1 - x) * p), 0.0),
}


def differences(f, t):
    weights = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    with np.errstate(all="ignore"):
        return sum(w * (f(t + k * 1e-4) - f(t - k * 1e-4)) for k, w in weights.items()) / 1e-4


def jacobian(f, x):
    return np.stack([differences(lambda t, e=e: f(x + t * e), 0.0) for e in np.eye(len(x))], axis=-1)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of the branch that is not taken
@pytest.mark.parametrize("name", by_turns(*FUNCTIONS))
def test_a_branch_that_is_not_taken_has_no_derivative(name):
    f, g = FUNCTIONS[name], hw.wrap(FUNCTIONS[name], out=jax.ShapeDtypeStruct((4,), np.float64))
    assert hw.explain(g, X, P).way == "traced"
    smooth = X != 0
    in_x, in_p = jacobian(lambda x: f(x, P), X), jacobian(lambda p: f(X, p), P)
    for derivative in (jax.jacrev, jax.jacfwd):
        found = jax.jit(derivative(g))(X, P)
        same(found[:, smooth], in_x[:, smooth], 1e-8)
        assert np.isfinite(found).all()
        same(derivative(g, 1)(X, P), in_p, 1e-8)
        second = jax.jit(jax.jacfwd(derivative(g, 1), 1))(X, P)
        same(second, jax.jacrev(derivative(g, 1), 1)(X, P), 1e-9)
        assert np.isfinite(second).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_distribution_whose_quantile_is_put_together():
    q, h = np.array([0.2, 0.5]), 0.3
    g = hw.wrap(lambda q, h: kappa4._ppf(q, h, 0.0), vmap_method="broadcast_all")
    expected = [differences(lambda t, v=v: kappa4._ppf(np.array([v]), t, 0.0)[0], h) for v in q]
    same(jax.grad(lambda t: g(q, t).sum())(h), np.sum(expected), 1e-7)


def test_an_infinite_derivative_stays():
    assert jax.grad(hw.wrap(lambda x: np.where(x >= 0, np.sqrt(x), 0.0)))(0.0) == np.inf


@pytest.mark.parametrize("moving", [True, False])
@pytest.mark.parametrize("name", ["gammainc", "kv", "zeta"])
def test_a_number_beside_an_array_in_a_function_of_scipys(name, moving):
    """Where x <= 0 there is no derivative; the parameter is one number for all, and moves, or does not."""
    special = getattr(scipy.special, name)
    f = lambda x, a: np.where(x > 0, special(a if moving else 1.7, x), 0.0)
    wrapped = hw.wrap("(n),()->(n)")(f)
    x = np.array([0.3, -0.4, 0.0])
    in_x, in_a = jax.jacrev(wrapped, argnums=(0, 1))(x, 1.7)
    assert np.isfinite(in_x).all() and np.count_nonzero(in_x) == 1
    assert np.isfinite(in_a).all() and np.count_nonzero(in_a) == moving


def test_an_operand_that_is_broadcast_along_an_axis_is_reached_where_any_of_its_places_is():
    """JAX divides by an array with axes of length 1: the mask of the result is wider than that of the operand."""
    rows = np.array([[0.3, 1.2, -0.5], [0.9, -0.1, 0.4]])
    f = lambda x: np.corrcoef(x)[0, 1]
    traced = hw.to_jax(hw.wrap(out=jax.ShapeDtypeStruct((), float))(f))
    step = 1e-6 * np.eye(6).reshape(6, 2, 3)
    slopes = [(f(rows + h) - f(rows - h)) / 2e-6 for h in step]
    np.testing.assert_allclose(np.ravel(jax.grad(traced)(rows)), slopes, rtol=1e-7)


def test_only_what_may_be_infinite_is_held():
    """The 0 that comes back from a choice stays 0 in sums and products with constants."""
    linear = lambda np: lambda x: np.sum(np.where(x > 1, 3 * (x + 1) / 2 - 1, -x))
    traced = jax.jit(jax.grad(hw.to_jax(hw.wrap("(n)->()")(linear(np)))))
    theirs = jax.jit(jax.grad(linear(jax.numpy)))
    counts = [f.lower(X).compile().as_text().count(" select(") for f in (traced, theirs)]
    assert counts[0] == counts[1]


def test_what_is_times_0_is_held_before_its_slope_is_infinite():
    f = lambda x: (np.cumsum(np.sqrt(x)) + 1.0) * (x > 5)
    g = hw.wrap(f, out=jax.ShapeDtypeStruct((3,), np.float64))
    same(jax.jit(jax.jacfwd(g))(np.array([0.0, 1.0, 2.0])), np.zeros((3, 3)), 0)


def spreads(x):
    return hw.stats.gstd(x, axis=1, nan_policy="omit")


@pytest.mark.skipif(SCIPY < (1, 17), reason="gstd takes no nan_policy")
@pytest.mark.parametrize("compiled", [False, True])
def test_a_function_of_scipys_has_no_derivative_in_a_number_that_it_leaves_out(compiled):
    """The reverse mode of `gstd` was NaN: it takes a logarithm of the number that it omits."""
    x = np.random.default_rng(0).uniform(0.5, 2.0, (2, 6))
    x[1, 3] = np.nan
    run = jax.jit if compiled else lambda f: f
    reverse, forward = (run(mode(spreads))(x)[1, 1] for mode in (jax.jacrev, jax.jacfwd))
    same(reverse, forward, 1e-12)
    assert reverse[3] == 0
    same(np.delete(reverse, 3), jax.jacrev(spreads)(np.delete(x[1:], 3, axis=1))[0, 0], 1e-12)


def test_what_a_function_closes_over_moves():
    """The root moves with p also where it does not move with x."""
    outer = lambda p, x: followed(root_of_sum, (x, lambda y: p * y), {})
    for mode in (jax.jacrev, jax.jacfwd):
        found = jax.jit(mode(outer))(3.0, jax.numpy.asarray(X))
        same(found, 0.5 / np.sqrt(np.maximum(X, 0.0) + 3.0), 1e-12)


def root_of_sum(x, by):
    return np.sqrt(np.maximum(x, 0.0) + by(1.0))
