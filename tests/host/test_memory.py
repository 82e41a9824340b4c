"""Results that a host function writes into memory of XLA."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap._host.memory import empty, lend


def test_memory_is_lent_once_and_for_the_call_only():
    own = np.zeros(3)

    def run(x):
        assert empty((3,), np.float32) is not own
        assert empty((3,), float) is own
        assert empty((3,), float) is not own
        return x

    assert lend(own, run, [7]) == 7
    assert empty((3,), float) is not own


@pytest.mark.parametrize("lane", list(hw.lanes()))
@pytest.mark.parametrize("turned", [False, True])
def test_what_is_written_there_is_the_result(lane, turned):
    def double(x):
        y = np.add(x, x, out=empty(x.shape, x.dtype))
        return y[::-1] if turned else y

    function, x = hw.wrap("(n)->(n)", copy=False)(double), np.arange(6.0).reshape(2, 3)
    expected = 2 * (x[:, ::-1] if turned else x)
    with hw.lane(lane):
        np.testing.assert_array_equal(jax.jit(function)(x[1]), expected[1])
        np.testing.assert_array_equal(jax.jit(jax.vmap(function))(x), expected)
        np.testing.assert_array_equal(jax.jit(function)(x[1].astype(np.float32)), expected[1])
    np.testing.assert_array_equal(function(x[1]), expected[1])


def test_several_results_may_come_in_any_order():
    @hw.wrap(out=lambda x: (x, x), copy=False)
    def two(x):
        first = empty(x.shape, x.dtype)
        first[:] = x
        return 2 * x, first

    y = jax.jit(two)(jnp.arange(3.0))
    assert [part.tolist() for part in y] == [[0, 2, 4], [0, 1, 2]]
