"""Derivatives in XLA's words: what XLA would write in another way, the words keep."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw

TINY, SMALL, LARGE = 1e-300, 1e-200, 1e200
RULES = {
    "a quotient over a number": (lambda x, y: x / y / y, [(TINY, SMALL), (0.0, SMALL), (LARGE, LARGE)]),
    "a number over a quotient": (lambda x, y: x / (x / y), [(LARGE, LARGE), (SMALL, SMALL), (3.0, 7.0)]),
    "a power": (lambda x, y: x * y**-2, [(1.0, LARGE), (TINY, 3e-150)]),
    "a logarithm": (
        lambda x, y: jnp.log(x) + jnp.log(y),
        [(5e-324, 1e-310), (0.0, 1.0), (-0.0, 1.0), (-1.0, 1.0)],
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
