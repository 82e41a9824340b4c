"""Derivatives in XLA's words: what XLA would write in another way, the words keep."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap._table import words
from hostwrap.special.gamma_beta.entries import psi_n

TINY, SMALL, LARGE = 1e-300, 1e-200, 1e200
RULES = {
    "a quotient over a number": (lambda x, y: x / y / y, [(TINY, SMALL), (0.0, SMALL), (LARGE, LARGE)]),
    "a number over a quotient": (lambda x, y: x / (x / y), [(LARGE, LARGE), (SMALL, SMALL), (3.0, 7.0)]),
    "a power": (lambda x, y: x * y**-2, [(1.0, LARGE), (TINY, 3e-150)]),
    "a logarithm": (
        lambda x, y: jnp.log(x) + jnp.log(y),
        [(5e-324, 1e-310), (0.0, 1.0), (-0.0, 1.0), (-1.0, 1.0), (-5e-324, 1.0)],
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_words_do_what_is_written(name):
    rule, points = RULES[name]
    f = hw.wrap(np.hypot)
    f.defpartials(lambda ans, x, y: rule(x, y), lambda ans, x, y: 0.0 * x)
    slope = jax.vmap(jax.grad(f))
    x, y = np.array(points).T
    compiled = jax.jit(slope).lower(x, y)
    assert "custom_call" not in compiled.as_text()  # no host call
    np.testing.assert_allclose(compiled.compile()(x, y), slope(x, y), rtol=4e-16)


def test_a_value_that_xla_takes_for_0_is_not_multiplied_by_xla():
    f = hw.wrap(lambda x: np.full_like(x, 1e-310))
    f.defpartials(lambda ans, x: ans * psi_n(0, x))
    assert jax.jit(jax.grad(f))(1e-100) == pytest.approx(-1e-210, rel=1e-12)


@pytest.mark.parametrize("x", [1e-45, -1e-45, 1e-40, -1.1e-38, 0.0, -0.0, 1.2e-38, 3.4e38, np.inf, np.nan])
def test_xla_gets_the_subnormal_numbers_of_float32(x):
    f, x = hw.wrap(np.exp), np.float32(x)
    f.defpartials(lambda ans, x: jnp.where(jnp.abs(x) < 1e-30, x * 1e40, x))
    compiled = jax.jit(jax.grad(f)).lower(x)
    assert "custom_call" not in compiled.as_text()
    want = np.float32(float(x) * 1e40) if abs(x) < 1e-30 else x
    np.testing.assert_array_equal(compiled.compile()(x), want)
    assert np.signbit(compiled.compile()(x)) == np.signbit(want)


def test_the_exponential_is_as_accurate_as_numpys():
    x = np.concatenate(
        [np.random.default_rng(0).uniform(-708, 709.78, 2000), [0.0, -0.0, 1e-320, 709.782712893384]]
    )
    np.testing.assert_allclose(jax.jit(words.exp)(x), np.exp(x), rtol=4.5e-16)
    ends = np.array([709.8, 711.0, 1e300, np.inf, -709.0, -746.0, -1e300, -np.inf, np.nan])
    np.testing.assert_array_equal(jax.jit(words.exp)(ends), [np.inf] * 4 + [0.0] * 4 + [np.nan])


def test_the_logarithms_are_as_accurate_as_numpys():
    draw = np.random.default_rng(0)
    x = np.concatenate(
        [
            draw.uniform(0.0, 3.0, 2000),
            1 + draw.choice([-1, 1], 2000) * 10 ** draw.uniform(-16, -1, 2000),
            np.ldexp(math.sqrt(2) + draw.uniform(-1e-3, 1e-3, 2000), draw.integers(-1020, 1020, 2000)),
            draw.integers(1, 2**52, 2000).view(np.float64),  # subnormal
            [5e-324, np.nextafter(2.0**-1022, 0), 2.0**-1022, 1.0, np.finfo(float).max],
        ]
    )
    np.testing.assert_allclose(jax.jit(words.log)(x), np.log(x), rtol=3e-16)
    np.testing.assert_allclose(jax.jit(words.log1p)(x[:6000]), np.log1p(x[:6000]), rtol=4e-16)
    ends = np.array([0.0, -0.0, -5e-324, -1e-310, -2.0, -np.inf, np.inf, np.nan, -np.nan])
    np.testing.assert_array_equal(
        jax.jit(words.log)(ends), [-np.inf] * 2 + [np.nan] * 4 + [np.inf] + [np.nan] * 2
    )
    ends = np.array([-1.0, -1.5, -np.inf, np.inf, np.nan])
    np.testing.assert_array_equal(jax.jit(words.log1p)(ends), [-np.inf, np.nan, np.nan, np.inf, np.nan])


@pytest.mark.parametrize("count", [1, 300])
def test_xla_gets_no_more_than_it_compiles_in_a_moment(count):
    f = hw.wrap(np.sinh)
    f.defpartials(lambda ans, x: sum(jnp.sqrt(k + x * x) for k in range(count)))
    lowered = jax.jit(jax.grad(f)).lower(2.0)
    on_the_host = count > 1 and jax.default_backend() == "cpu"  # an accelerator gets all of it
    assert ("custom_call" in lowered.as_text()) == on_the_host
    assert lowered.compile()(2.0) == pytest.approx(np.sqrt(np.arange(count) + 4.0).sum(), rel=1e-13)
