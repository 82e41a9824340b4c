"""Functions that are compositions of entries: n-th derivatives of Bessel functions, Riccati-Bessel functions."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special as sc
from mpmath import mp

from hostwrap import special

NAMES = ("jvp", "yvp", "ivp", "kvp", "h1vp", "h2vp")
BASE = {"jvp": "jv", "yvp": "yv", "ivp": "iv", "kvp": "kv", "h1vp": "hankel1", "h2vp": "hankel2"}
DEFINITIONS = {
    "jvp": mp.besselj, "yvp": mp.bessely, "ivp": mp.besseli, "kvp": mp.besselk, "h1vp": mp.hankel1, "h2vp": mp.hankel2
}  # fmt: skip
V = np.array([0.0, 0.5, 1.0, 2.3, 7.0])
Z = np.array([0.3, 1.7, 4.0, 11.0, 30.0])

named = pytest.mark.parametrize("name", NAMES)


def derivative(name, v, z, order_v, order_z):
    """The true mixed derivative of the function of which `name` gives derivatives."""
    with mp.workdps(40):
        f = DEFINITIONS[name]
        exact = mp.diff(lambda a, b: f(a, b), (mp.mpf(float(v)), mp.mpc(z)), (order_v, order_z))
        return complex(exact)


def truth(name, order_v, order_z):
    values = np.array([derivative(name, v, z, order_v, order_z) for v, z in zip(V, Z, strict=True)])
    return values if name.startswith("h") else values.real


@named
@pytest.mark.parametrize("n", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("run", [lambda f: f, jax.jit], ids=["now", "jitted"])
@pytest.mark.rotating
def test_values_are_scipys_to_the_last_bit(name, n, run):
    random = np.random.default_rng(14)
    v, x, y = random.uniform(-5, 20, 500), random.uniform(0.1, 50, 500), random.uniform(-8, 8, 500)
    for z in (x, x + 1j * y):
        got, want = run(lambda v, z: getattr(special, name)(v, z, n))(v, z), getattr(sc, name)(v, z, n)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)


@named
def test_the_first_derivative_is_the_default_and_names_are_scipys(name):
    f = getattr(special, name)
    np.testing.assert_array_equal(f(V, Z), f(v=V, z=Z, n=1))
    assert f([1, 2], 3, n=2).shape == (2,)


@named
@pytest.mark.parametrize("n", [1, 0, 2])
@pytest.mark.rotating
def test_derivatives_in_order_and_argument(name, n):
    def along(argument):
        f = lambda v, z: getattr(special, name)(v, z, n)
        tangents = tuple(np.full(5, float(argument == i)) for i in range(2))
        return jax.jit(lambda v, z: jax.jvp(f, (v, z), tangents)[1])(V, Z)

    np.testing.assert_allclose(along(0), truth(name, 1, n), rtol=1e-11)
    np.testing.assert_allclose(along(1), truth(name, 0, n + 1), rtol=1e-11)


def test_mixed_second_derivative():
    got = jax.jit(jax.vmap(jax.grad(jax.grad(special.jvp, 0), 1)))(V, Z)
    np.testing.assert_allclose(got, truth("jvp", 1, 2), rtol=1e-11)


@named
def test_the_order_of_differentiation_is_a_natural_number(name):
    f = getattr(special, name)
    for wrong, error in ((-1, ValueError), (1.5, TypeError)):
        with pytest.raises(error, match="non-negative integer"):
            f(1.0, 2.0, wrong)
        with pytest.raises(error):
            getattr(sc, name)(1.0, 2.0, wrong)


# ---- Riccati


@pytest.mark.parametrize("name", ["riccati_jn", "riccati_yn"])
@pytest.mark.parametrize("n", [0, 1, 6.0])
@pytest.mark.parametrize("x", [0.1, 40.0])
def test_riccati_values_are_scipys(name, n, x):
    for got, want in zip(getattr(special, name)(n, x), getattr(sc, name)(n, x), strict=True):
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-11)


@pytest.mark.parametrize("name", ["riccati_jn", "riccati_yn"])
@pytest.mark.parametrize("x", [0.1, 2.5, 40.0])
def test_riccati_derivatives(name, x):
    """u'' = (k (k + 1) / x^2 - 1) u, from DLMF 10.47.1."""
    f = lambda t: getattr(special, name)(6, t)
    value, slope = f(x)
    first, second = jax.jit(jax.jacfwd(f))(x)
    k = np.arange(7)
    np.testing.assert_allclose(first, slope, rtol=1e-13)
    np.testing.assert_allclose(second, (k * (k + 1) / x**2 - 1) * value, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(jax.jacrev(f)(x)[1], second, rtol=1e-12)


def test_riccati_at_zero_and_beyond_the_range_of_numbers():
    value, slope = special.riccati_jn(2, 0.0)
    np.testing.assert_array_equal(value, [0, 0, 0])
    np.testing.assert_array_equal(slope, [1, 0, 0])
    value, slope = special.riccati_yn(2, 0.0)
    np.testing.assert_array_equal(value, [-1, -np.inf, -np.inf])
    np.testing.assert_array_equal(slope, [0, np.inf, np.inf])
    value, slope = special.riccati_yn(80, 1e-3)
    assert value[-1] == -np.inf and slope[-1] == np.inf and np.all(np.isfinite(value[:50]))
    assert np.all(np.isfinite(jax.jacrev(lambda x: special.riccati_yn(80, x)[0])(1e-3)[:50]))


def test_riccati_refuses_what_scipy_refuses():
    for module in (special, sc):
        for name in ("riccati_jn", "riccati_yn"):
            with pytest.raises(ValueError):
                getattr(module, name)(2, jnp.ones(3))
            with pytest.raises(ValueError):
                getattr(module, name)(-1, 1.0)


# ---- next to order 0, where K is even in v and I nearly so: orders like v - 1 do not know v any more

NEXT_TO_ZERO = [(7.75e-12, 1.363), (4.31e-10, 100.0), (-3e-8, 20.0), (2e-14, 0.01), (0.0, 40.0), (5e-5, 12.0)]


@functools.cache
def exact(name, v, z, order_v, order_z):
    """With steps that suit derivatives as small as v."""
    if not order_v:  # in z alone 40 digits and mpmath's own steps are enough
        return derivative(name, v, z, 0, order_z).real
    with mp.workdps(80):
        at = mp.mpf(v), mp.mpf(z)
        return float(mp.diff(DEFINITIONS[name], at, (order_v, order_z), h=mp.mpf(10) ** -20))


@pytest.mark.parametrize("name", ["ivp", "kvp"])
@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.rotating
def test_derivatives_next_to_order_zero(name, n):
    f = lambda v, z: getattr(special, name)(v, z, n)
    cases = [
        (jax.grad(f), 1, 0),
        (jax.grad(f, 1), 0, 1),
        (jax.grad(jax.grad(f), 1), 1, 1),
        (jax.grad(jax.grad(f, 1)), 1, 1),
    ]
    v, z = np.array(NEXT_TO_ZERO).T
    for derivative, order_v, order_z in cases:
        want = [exact(name, *point, order_v, n + order_z) for point in NEXT_TO_ZERO]
        want = np.where((v == 0) & (name == "kvp") & (order_v == 1), 0.0, want)
        np.testing.assert_allclose(jax.jit(jax.vmap(derivative))(v, z), want, rtol=1e-10)


@pytest.mark.parametrize("name", ["iv", "kv"])
@pytest.mark.rotating
def test_mixed_derivatives_next_to_order_zero(name):
    f, v, z = getattr(special, name), *np.array(NEXT_TO_ZERO).T
    want = np.array([exact(name + "p", *point, 1, 1) for point in NEXT_TO_ZERO])
    want = np.where((v == 0) & (name == "kv"), 0.0, want)
    for derivative in (jax.grad(jax.grad(f), 1), jax.grad(jax.grad(f, 1))):
        np.testing.assert_allclose(jax.jit(jax.vmap(derivative))(v, z), want, rtol=1e-10)
