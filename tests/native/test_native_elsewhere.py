"""On a GPU or TPU, Python gets the numbers and calls the C loops: the same programs as on the CPU, without XLA."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap import special
from hostwrap._lanes import callback
from hostwrap._lanes.running import bound_to

pytestmark = pytest.mark.native
X = np.linspace(0.3, 9.0, 300_000)  # enough for several threads


class _Seen(Exception):
    """The call in a program for a GPU, of which there is none here to lower it for."""


@pytest.fixture
def call_of(monkeypatch):
    def seen(ctx, operands, call):
        raise _Seen(call)

    monkeypatch.setattr(callback, "lower", seen)

    def find(f, *args):
        with pytest.raises(_Seen) as found:
            jax.jit(f).trace(*args).lower(lowering_platforms=("cuda",))
        return found.value.args[0]

    return find


@pytest.mark.rotating
def test_derivatives_have_the_same_bits_and_take_no_numpy(call_of, monkeypatch):
    gradient = jax.grad(lambda v, x: special.jv(v, x).sum(), (0, 1))
    call = call_of(gradient, 1.5, jnp.asarray(X))
    assert call.by_loops
    monkeypatch.setattr(type(call.host), "bind", None)
    operands = [np.full((1,), 1.5), X]
    along_x, along_v = bound_to(call, operands)(operands)
    want = jax.jit(gradient)(1.5, X)
    np.testing.assert_array_equal(along_x, want[1])
    np.testing.assert_allclose(along_v.sum(), want[0], 1e-12)


def test_a_function_of_python_is_called_as_it_is(call_of):
    call = call_of(hw.wrap(lambda x: x + 1), jnp.arange(3.0))
    operands = [np.arange(3.0)]
    np.testing.assert_array_equal(bound_to(call, operands)(operands), [[1, 2, 3]])
