"""Arrays are the caller's: a host function may write into what it is given and keep what it returns."""

import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap._native import calls as _keeper
from tests._kit.toys import assert_dead, each_lane, recording, same  # noqa: F401

X = np.linspace(0.3, 2.0, 4)
lanes = pytest.mark.usefixtures("each_lane")


def everywhere(f):
    """The function as it runs eagerly, compiled, and compiled on tracers of a vmap and of a jvp."""
    return (f, jax.jit(f))


def scalar(dtype=np.float64, shape=()):
    return jax.ShapeDtypeStruct(shape, dtype)


def in_place(x, y):
    assert x.flags.writeable and y.flags.writeable and x.flags.c_contiguous
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


@lanes
@pytest.mark.parametrize("count", [3, 200, 700])
def test_any_number_of_arrays_in_one_call(count):
    f = hw.wrap(out=lambda tree: jax.ShapeDtypeStruct((), np.float64))(
        lambda tree: sum(x.sum() for x in tree)
    )
    f.defjvp(lambda primals, tangents: (f(*primals), sum(t.sum() for t in tangents[0])))
    tree = [jnp.full((2,), float(k)) for k in range(count)]
    same(jax.jit(f)(tree), float(count * (count - 1)))
    many = hw.wrap(out=lambda tree: tree)(lambda tree: [2 * x for x in tree])
    same(jax.jit(many)(tree), [2 * x for x in tree])


class Held:
    """Something a host function keeps alive."""


CALLS = {
    "eager": lambda f: f(1.0),
    "vmap": lambda f: jax.vmap(f)(np.ones(3)),
    "jit": lambda f: jax.jit(f)(1.0),
    "grad": lambda f: jax.grad(f)(1.0),
    "hessian under jit": lambda f: jax.jit(jax.hessian(f))(1.0),
}


KINDS = {
    "no rule": lambda f: hw.wrap(f),
    "a signature": lambda f: hw.wrap("(n)->(n)")(f),
    "out=": lambda f: hw.wrap(out=lambda x: x)(f),
    "debug": lambda f: hw.wrap("()->", effect="debug")(f),
    "numerical": lambda f: hw.wrap(numerical=True)(f),
    "defpartials": lambda f: hw.wrap(f).defpartials(x=lambda ans, x: jnp.cos(x)),
}


def with_rule(method, *rules):
    def make(f):
        wrapped = hw.wrap(f)
        getattr(wrapped, method)(*rules)
        return wrapped

    return make


KINDS["defjvp"] = with_rule("defjvp", lambda primals, tangents: (primals[0], tangents[0]))
KINDS["defvjp"] = with_rule("defvjp", lambda x: (x, None), lambda residuals, cotangent: (cotangent,))
KINDS["defimplicit"] = with_rule("defimplicit", lambda ans, x: ans - x)


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_a_function_that_is_itself_jitted_dies_with_its_last_user(make):
    """JAX keeps what it has traced for as long as the function lives, so that must not hold the function."""

    def used():
        held = Held()
        f = make(lambda x: (held, np.sin(x))[1])
        jax.block_until_ready(jax.jit(f)(jnp.ones(3)))
        return weakref.ref(held)

    assert_dead([used() for _ in range(3)])


@pytest.mark.native
def test_what_a_program_calls_is_kept_for_its_run_and_no_array_with_it():
    class Later:
        """An array that is not there yet."""

        ready = False
        is_deleted = lambda self: False
        is_ready = lambda self: self.ready

    called = type("Call", (), {"several": False})
    first, second, value = Later(), Later(), called()
    arrays, seen = [first, second], weakref.ref(first)
    kept = weakref.ref(value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jax, "live_arrays", lambda: list(arrays))
        patch.setattr(_keeper, "_leaving", [])
        _keeper.Keeper(value)  # a program that is gone at once
        del value
        _keeper.release()
        _keeper.release()
        assert kept() is not None
        del first
        arrays.pop(0)
        assert seen() is None  # nobody else held it
        _keeper.release()
        assert kept() is not None  # the second array may come from the first one
        second.ready = True
        _keeper.release()
        assert kept() is None


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_function_dies_with_its_last_user(call):
    def used():
        held = Held()
        f = hw.wrap(lambda x: (held, np.sin(x))[1]).defpartials(x=lambda ans, x: jnp.cos(x))
        jax.block_until_ready(call(f))
        return weakref.ref(held)

    assert_dead([used() for _ in range(5)])
