"""Zeros of Bessel functions of real order: none is left out, and they move as mpmath's do."""

import doctest

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import scipy.special as sc

from hostwrap import SignatureError, special
from hostwrap.special.bessel import entries_zeros, zeros

slope = lambda f: lambda v, x: v / x * f(v, x) - f(v + 1, x)
FUNCTIONS = {"jn_zeros": sc.jv, "yn_zeros": sc.yv, "jnp_zeros": slope(sc.jv), "ynp_zeros": slope(sc.yv)}
EXACT = {
    "jn_zeros": mpmath.besseljzero,
    "yn_zeros": mpmath.besselyzero,
    "jnp_zeros": lambda v, k: mpmath.besseljzero(v, k, 1),
    "ynp_zeros": lambda v, k: mpmath.besselyzero(v, k, 1),
}
each = pytest.mark.parametrize("name", FUNCTIONS)
ORDERS = [1e-7, 1e-3, 0.3, 0.5, 7.7, 80.93601413, 455.13807755, 5000.5]


def left_out(name):
    """Orders for which a fine grid has another number of changes of sign below a bound than there are zeros."""
    for v in ORDERS:
        found = getattr(zeros, name)(v, 12)
        end = (found[-1] + found[-2]) / 2
        grid = np.linspace(max(v, 1e-9), end, 3000)
        signs = np.sign(FUNCTIONS[name](v, grid))
        if np.sum(signs[1:] != signs[:-1]) != 11 or not np.all(np.diff(found) > 0):
            yield v


@each
def test_no_zero_is_left_out(name):
    assert not list(left_out(name))


@each
def test_a_wrong_phase_is_found(name, monkeypatch):
    """It would count the zeros from the second one on."""
    monkeypatch.setattr(zeros, "FIRST_OF_J", zeros.FIRST_OF_J - np.pi)
    monkeypatch.setattr(zeros, "FIRST_OF_Y", zeros.FIRST_OF_Y - np.pi)
    assert len(list(left_out(name))) == len(ORDERS)


@each
def test_all_are_found_at_any_order(name):
    v = 10 ** np.random.default_rng(3).uniform(-9, 6, 60)
    found = getattr(zeros, name)(v, 8)
    assert np.all(np.diff(found) > 0) and np.all(found > v[:, None])


@each
def test_integer_orders_are_scipys_to_the_bit(name):
    for n in (0, 3, 40):
        want = getattr(sc, name)(n, 5)
        for given in (n, float(n), np.int32(n)):
            np.testing.assert_array_equal(getattr(special, name)(given, 5), want)
        np.testing.assert_allclose(
            want,
            getattr(zeros, name)(n + 1e-9, 6)[-5:]
            if name == "jnp_zeros" and n == 0
            else getattr(zeros, name)(n + 1e-9, 5),
            rtol=1e-8,
        )


@each
@pytest.mark.parametrize("v", [1e-3, 17.3])
@pytest.mark.rotating
def test_values_and_two_derivatives_are_those_of_mpmath(name, v):
    f = lambda v: getattr(special, name)(v, 3)
    got = [f(v), jax.jacobian(f)(v), jax.jacfwd(jax.jacrev(f))(v)]
    with mpmath.workdps(40):
        h = mpmath.mpf(10) ** -10
        below, here, above = ([EXACT[name](mpmath.mpf(v) + d, k) for k in (1, 3)] for d in (-h, 0, h))
        slopes = [float((c - a) / (2 * h)) for a, c in zip(below, above, strict=True)]
        curves = [float((c - 2 * b + a) / h**2) for a, b, c in zip(below, here, above, strict=True)]
    for row, want, rtol in zip(
        got, ([float(x) for x in here], slopes, curves), (4e-15, 1e-12, 1e-9), strict=True
    ):
        np.testing.assert_allclose(np.asarray(row)[[0, 2]], want, rtol=rtol)


def test_a_wrong_rule_is_found(monkeypatch):
    wrong = lambda n, x: jnp.ones_like(x)
    monkeypatch.setitem(entries_zeros.ALONG, "jn_zeros", wrong)
    entries_zeros._of.cache_clear()
    try:
        with pytest.raises(AssertionError):
            test_values_and_two_derivatives_are_those_of_mpmath("jn_zeros", 2.5)
    finally:
        entries_zeros._of.cache_clear()


def test_arrays_of_orders_under_transformations():
    v = jnp.array([0.5, 2.0, 3.25])
    together = jax.jit(lambda v: special.jn_zeros(v, 4))(v)
    assert together.shape == (3, 4)
    np.testing.assert_array_equal(together, jax.vmap(lambda v: special.jn_zeros(v, 4))(v))
    np.testing.assert_allclose(together[0], np.pi * np.arange(1, 5), rtol=1e-15)
    assert np.isnan(special.jn_zeros(-0.5, 2)).all() and np.isnan(special.jn_zeros(np.nan, 2)).all()
    for nt in (0, 1201, 2.5):
        with pytest.raises(SignatureError, match="`nt` must be an integer from 1 to 1200"):
            special.jn_zeros(1.0, nt)


def test_examples():
    for name in FUNCTIONS:
        function = getattr(special, name)
        for example in doctest.DocTestFinder(recurse=False).find(function, name, globs={}):
            assert example.examples and not doctest.DocTestRunner().run(example).failed
