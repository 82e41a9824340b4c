"""Arrays are the caller's: a host function may write into what it is given and keep what it returns."""

import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from tests._toys import assert_dead, each_lane, recording, same  # noqa: F401

X = np.linspace(0.3, 2.0, 4)
lanes = pytest.mark.usefixtures("each_lane")


def everywhere(f):
    """The function as it runs eagerly, compiled, and compiled on tracers of a vmap and of a jvp."""
    return (f, jax.jit(f))


def scalar(dtype=np.float64, shape=()):
    return jax.ShapeDtypeStruct(shape, dtype)


def in_place(x, y):
    x *= 2
    x += y
    y[...] = np.nan
    return x


@lanes
@pytest.mark.parametrize("signature", ["(),()->()", "(n),(n)->(n)"])
def test_a_host_function_that_writes_into_its_arguments_changes_nothing(signature):
    f = hw.wrap(signature)(in_place)
    expected = 2 * X + 1
    for make in (np.array, jnp.array):
        x, y = make(X), make(np.ones(4))
        for call in (f, jax.jit(lambda x, y: f(x, y))):
            same(call(x, y), expected)
            same((x, y), (X, np.ones(4)))
        same(jax.jit(lambda x, y: (f(x, y), x, y, f(x, y)))(x, y), (expected, X, np.ones(4), expected))
        same(jax.vmap(f, (0, None))(make(np.stack([X, X])), y), np.stack([expected] * 2))
        same((x, y), (X, np.ones(4)))


@lanes
@pytest.mark.parametrize("size", [1, 1000, 1_000_000])
def test_a_host_function_that_returns_the_same_buffer_each_time(size):
    buffer = np.zeros(size + 8)
    aligned = buffer[(-buffer.ctypes.data % 64) // 8 :][:size]  # JAX shares memory that is aligned
    f = hw.wrap(lambda x: np.sin(x, out=aligned))
    for call in (f, jax.jit(f)):
        first = call(np.full(size, 0.5))
        call(np.zeros(size))
        same(np.asarray(first), np.full(size, np.sin(0.5)))


@lanes
def test_a_host_function_that_returns_its_argument_or_a_view():
    x = jnp.array(X)
    for f in (hw.wrap(lambda x: x), hw.wrap("(n)->(n)")(lambda x: x[::-1]), hw.wrap(lambda x: x.view())):
        for call in (f, jax.jit(f)):
            same(np.sort(call(x)), X)


def test_a_list_of_results_is_as_good_as_a_tuple():
    f = hw.wrap(out=(scalar(), scalar(np.float64, (2,))))(lambda x: [3, np.array([1, 2])])
    for call in everywhere(f):
        same(call(1.0), (3.0, np.array([1.0, 2.0])))


class Held:
    """Something a host function keeps alive."""


CALLS = {
    "eager": lambda f: f(1.0),
    "vmap": lambda f: jax.vmap(f)(np.ones(3)),
    "jit": lambda f: jax.jit(f)(1.0),
    "grad": lambda f: jax.grad(f)(1.0),
    "hessian under jit": lambda f: jax.jit(jax.hessian(f))(1.0),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_function_dies_with_its_last_user(call):
    def used():
        held = Held()
        f = hw.wrap(lambda x: (held, np.sin(x))[1]).defpartials(x=lambda ans, x: jnp.cos(x))
        jax.block_until_ready(call(f))
        return weakref.ref(held)

    assert_dead([used() for _ in range(5)])
