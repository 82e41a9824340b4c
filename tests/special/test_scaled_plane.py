"""Scaled Bessel and Airy functions of complex z, along the direction in which their modulus hardly changes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hostwrap import special as hs

SIZES = np.array([1e3, 1e6, 1e9])


def along(f, z, direction, times=1):
    for _ in range(times):
        f = lambda z, f=f: jax.jvp(f, (z,), (jnp.full_like(z, direction),))[1]
    return jax.jit(f)(jnp.asarray(z, complex))


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(
    "name, axis", [("ive", 1), ("ive", -1), ("jve", 1j), ("jve", -1j), ("yve", 1j), ("yve", -1j)]
)
def test_far_out_the_modulus_falls_like_a_root(name, axis, times):
    """Each function is a phase and z^(-1/2) (1 + O(1/z)): the n-th derivative is (-1/2)(-3/2)... z^-n of it."""
    f, z = (lambda z: getattr(hs, name)(0.7, z)), axis * SIZES
    direction = 1 if axis in (1, -1) else 1j
    expected = f(jnp.asarray(z, complex)) * {1: -0.5, 2: 0.75}[times] / (z / direction) ** times
    np.testing.assert_allclose(along(f, z, direction, times), expected, rtol=2 / SIZES[0], atol=0)
    np.testing.assert_allclose(along(f, z, direction, times)[1:], expected[1:], rtol=2 / SIZES[1], atol=0)


def test_airye_on_the_positive_axis_has_the_derivatives_of_the_real_function():
    x = np.array([0.3, 3.0, 1e3, 1e5])
    real = jax.vmap(jax.jacfwd(lambda x: jnp.stack(hs.airye(x))))(x)
    complex_ = along(lambda z: jnp.stack(hs.airye(z)), x, 1)
    np.testing.assert_allclose(complex_.T, real, rtol=1e-12)


@pytest.mark.parametrize("name", ["ive", "jve", "yve"])
def test_next_to_the_axis_of_the_kink_it_is_the_mean_of_both_sides(name):
    """On the axis where the scale has a kink, the derivative across is that of the function without a scale."""
    z = 2.0j if name == "ive" else 2.0 + 0j
    plain = {"ive": hs.iv, "jve": hs.jv, "yve": hs.yv}[name]
    across = 1 if name == "ive" else 1j
    got, expected = (along(lambda z, f=f: f(0.7, z), z, across) for f in (getattr(hs, name), plain))
    np.testing.assert_allclose(got, expected, rtol=1e-13)
