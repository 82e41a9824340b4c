"""Derivatives at the ends of domains, at zeros of powers and in single points: where batches and boxes do not look."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hostwrap import special

inf = float("inf")


def partial(function, orders):
    for i, order in enumerate(orders):
        for _ in range(order):
            function = jax.jacfwd(function, argnums=i)
    return function


# (function, order of differentiation in each argument, point, true value to 12 digits)
CASES = [
    # a single point whose power series lacks its first term
    ("besselpoly", (1, 0, 0), (0.5, 1.0, 0.0), -0.229806969863801),
    ("besselpoly", (2, 0, 0), (0.5, 0.5, 1.0), -0.302335951502507),
    ("struve", (0, 2), (0.0, 1.0), -0.370199290846344),
    ("modstruve", (0, 2), (0.0, 1.0), 0.483478804882082),
    # powers of 0
    ("powm1", (0, 1), (0.0, 2.0), 0.0),
    ("boxcox", (2, 0), (0.0, 1.0), 0.0),
    ("boxcox", (1, 1), (0.0, 1.0), -inf),
    ("boxcox", (0, 1), (0.0, -1.0), inf),
    ("boxcox1p", (1, 0), (-1.0, 1.0), 1.0),
    ("inv_boxcox", (1, 0), (1.0, -1.0), inf),
    ("inv_boxcox", (0, 1), (-1.0, 1.0), -1.0),
    ("inv_boxcox", (2, 0), (-2.0, 0.5), 0.5),
    # where 1 + the function is lost
    ("inv_boxcox1p", (0, 1), (-50.0, 0.01), -2.42064192913101e-27),
    # quotients with small and vanishing denominators
    ("kl_div", (0, 1), (0.0, 0.0), 1.0),
    ("kl_div", (0, 2), (1e-300, 1e-300), 1e300),
    ("rel_entr", (1, 1), (1.0, 1e-300), -1e300),
    ("xlogy", (0, 2), (0.0, 1e-300), 0.0),
    # at the kink both orders of differentiation agree
    ("huber", (1, 1), (1.0, 1.0), 0.0),
    ("huber", (2, 0), (1.0, 1.0), 0.0),
    ("pseudo_huber", (2, 1), (0.1, 1e6), -2.99999999999993e-13),
    ("pseudo_huber", (0, 1), (1.0, inf), 1.0),
]


@pytest.mark.parametrize(("name", "orders", "point", "value"), CASES)
def test_derivative(name, orders, point, value):
    got = partial(getattr(special, name), orders)(*point)
    np.testing.assert_allclose(got, value, rtol=1e-11, atol=0)


OUTSIDE = [
    ("log1p", (-2.0,)),
    ("logit", (2.0,)),
    ("boxcox", (-1.0, 1.0)),
    ("entr", (-1.0,)),
    ("kl_div", (-1.0, 1.0)),
    ("rel_entr", (0.0, -1.0)),
    ("huber", (-1.0, 1.0)),
    ("pseudo_huber", (-1.0, 1.0)),
]


@pytest.mark.parametrize(("name", "point"), OUTSIDE)
def test_no_derivative_outside_of_the_domain(name, point):
    function = getattr(special, name)
    for i in range(len(point)):
        assert np.isnan(jax.jacfwd(function, argnums=i)(*point))
        assert np.isnan(jax.jacfwd(jax.jacfwd(function, argnums=i), argnums=i)(*point))


def test_lambertw_below_its_cut():
    z = complex(-0.36787944117144233, -0.0)
    slope = jax.jvp(lambda z: special.lambertw(z, 1), (jnp.asarray(z),), (jnp.asarray(1 + 0j),))[1]
    np.testing.assert_allclose(slope.imag, -330688013.104393, rtol=1e-8)


def test_logsumexp_in_zero_weights():
    a, b = jnp.array([1.0, -inf, 2.0]), jnp.array([1.0, 2.0, 0.0])
    np.testing.assert_allclose(jax.grad(lambda b: special.logsumexp(a, b=b))(b), [1, 0, np.e])
    np.testing.assert_allclose(jax.hessian(lambda b: special.logsumexp(a, b=b))(b)[2, 2], -(np.e**2))


def test_comb_with_repetition_of_nothing():
    slope = jax.grad(lambda k: special.comb(5.0, k, repetition=True))(0.0)
    np.testing.assert_allclose(slope, 25 / 12, rtol=1e-12)
    assert special.comb(0.0, 0.0, repetition=True) == 1
