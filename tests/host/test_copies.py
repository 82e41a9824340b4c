"""Whose memory a host function gets, and what becomes of what it returns."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw

X = np.arange(5.0)


def test_by_default_a_function_may_write_to_its_arguments_and_keep_its_results():
    kept = np.zeros(5)

    @hw.wrap("(n)->(n)")
    def careless(x):
        x *= 2
        kept[:] = x
        return kept

    x = jnp.asarray(X)
    first, second = jax.jit(lambda x: (careless(x), careless(x + 1)))(x)
    assert np.array_equal(x, X)
    assert np.array_equal(first, 2 * X)
    assert np.array_equal(second, 2 * X + 2)


@pytest.mark.parametrize("lane", list(hw.lanes()))
def test_without_copies_results_are_the_same(lane):
    turned = hw.wrap("(n)->(n)", copy=False)(lambda x: x[::-1])  # a part of its argument
    with hw.lane(lane):
        got = jax.jit(lambda x: (turned(x), jax.vmap(turned)(jnp.stack([x, x + 1]))))(X)
    assert np.array_equal(got[0], X[::-1])
    assert np.array_equal(got[1], [X[::-1], X[::-1] + 1])
    assert np.array_equal(turned(X), X[::-1])


@pytest.mark.native
def test_without_copies_a_program_hands_over_its_own_memory():
    owned = {}
    for copy in (True, False):
        f = hw.wrap("(n)->(n)", copy=copy)(
            lambda x, copy=copy: (owned.setdefault(copy, x.flags.owndata), x)[1]
        )
        with hw.lane("native"):
            jax.block_until_ready(jax.jit(f)(X))
    assert owned == {True: True, False: False}
