"""What the tests of the engine share: host functions that keep a record, exact toys, and both lanes."""

import functools
import gc
import re
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap._host.layout import Layout, Result
from hostwrap._native import calls as _keeper
from hostwrap._table.program import Program
from tests._kit.days import by_turns

LANES = tuple(hw.lanes())


def assert_dead(references):
    """Nobody holds what these weak references are to; the runtime lets go of a program a little later."""
    for _ in range(50):
        gc.collect()
        _keeper.release()  # as the next program does
        if not any(r() for r in references):
            return
        time.sleep(0.1)
    pytest.fail(f"{sum(r() is not None for r in references)} of {len(references)} functions are still alive")


def recording(function):
    """The function with a record: `f.seen` holds the shapes of the arguments of each call."""

    @functools.wraps(function)
    def recorded(*args, **kwargs):
        recorded.seen.append(tuple(np.shape(a) for a in args))
        return function(*args, **kwargs)

    recorded.seen = []
    return recorded


@pytest.fixture(params=LANES)
def each_lane(request):
    """The test runs once per lane; a function must be new in each, for jit keeps the lane it was traced in."""
    with hw.lane(request.param):
        yield request.param


@pytest.fixture(params=by_turns(*LANES))
def fresh_lane(request):
    """The same, for functions that are compiled inside: what was traced in another lane is forgotten."""
    jax.clear_caches()
    with hw.lane(request.param):
        yield request.param


def callbacks(function, *args):
    """How many calls to the host the compiled program holds."""
    return callbacks_in(jax.jit(function).lower(*args).compile())


def callbacks_in(program):
    return len(re.findall(r'custom_call_target="\w*(?:callback|hostwrap)\w*"', program.as_text()))


def sine_and_cosine():
    """sin and cos as host functions, each the other's derivative: any order can be had."""
    sine, cosine = hw.wrap(recording(lambda x: np.sin(x))), hw.wrap(recording(lambda x: np.cos(x)))
    sine.defpartials(x=lambda ans, x: cosine(x))
    cosine.defpartials(x=lambda ans, x: -sine(x))
    return sine, cosine


def product():
    """x^3 y^2 on the host, with partials in `jax.numpy`."""
    f = hw.wrap(recording(lambda x, y: x**3 * y**2))
    return f.defpartials(x=lambda ans, x, y: 3 * x**2 * y**2, y=lambda ans, x, y: 2 * x**3 * y)


def same(got, expected, tolerance=1e-13):
    """Equal shapes and values, whatever the tree."""
    assert jax.tree.structure(got) == jax.tree.structure(expected)
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=tolerance, atol=tolerance)


def as_program(function, *dtypes):
    """The function of scalars as a program, and its layout."""
    closed = jax.make_jaxpr(function)(*(jax.ShapeDtypeStruct((), d) for d in dtypes))
    layout = Layout((0,) * len(dtypes), tuple(Result((), v.aval.dtype) for v in closed.jaxpr.outvars))
    return Program("toy", "xyz"[: len(dtypes)], [closed]), layout


def run_program(function, *arrays):
    """What the program makes of whole arrays: a list with one array per result."""
    program, layout = as_program(function, *(a.dtype for a in arrays))
    return program.bind([a.shape for a in arrays], [a.dtype for a in arrays], layout)(arrays)


def solve():
    """A x = b. The Jacobian with respect to A has the axes (result, row, column)."""
    f = hw.wrap("(n,n),(n)->(n)")(recording(lambda A, b: np.linalg.solve(A, b)))
    f.defpartials(
        A=lambda x, A, b: -jnp.linalg.inv(A)[:, :, None] * x,
        b=lambda x, A, b: jnp.linalg.inv(A),
    )
    return f


def system(*batch):
    draw = np.random.default_rng(3)
    return np.eye(3) * 4 + draw.normal(size=(*batch, 3, 3)), draw.normal(size=(*batch, 3))


def everywhere(f):
    """The function as it runs eagerly, compiled, and compiled on tracers of a vmap and of a jvp."""
    return (f, jax.jit(f))


def scalar(dtype=np.float64, shape=()):
    return jax.ShapeDtypeStruct(shape, dtype)
