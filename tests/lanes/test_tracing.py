"""While JAX traces a program the host is not called, not even for constants: nobody knows whether the call will run."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import hostwrap as hw
from hostwrap import special
from tests._kit.toys import each_lane, same  # noqa: F401

lanes = pytest.mark.usefixtures("each_lane")


class Asked(Exception):
    """The host function was called."""


def picky(x):
    if np.any(x < 0):
        raise Asked
    return np.sqrt(x)


def nothing():
    raise Asked


FUNCTIONS = {
    "elementwise": (hw.wrap(picky), -1.0),
    "with partials": (hw.wrap(picky).defpartials(x=lambda ans, x: 0.5 / ans), -1.0),
    "core axes": (hw.wrap("(n)->(n)")(picky), -np.ones(3)),
    "rules on the host": (hw.wrap("(n)->(n)")(picky).defhost(jvp=lambda p, t: t[0]), -np.ones(3)),
    "linear": (hw.linear(picky, transpose=picky), -1.0),
    "numerical": (hw.wrap(picky, numerical=True), -1.0),
    "no arguments": (hw.wrap(out=jax.ShapeDtypeStruct((), np.float64))(nothing), None),
}


def call(name, constant=np.asarray):
    function, x = FUNCTIONS[name]
    return lambda: (function() if x is None else function(constant(x))).sum()


every = pytest.mark.parametrize("name", FUNCTIONS)


@lanes
@every
def test_a_branch_that_is_not_taken_makes_no_call(name):
    program = jax.jit(lambda p, x: lax.cond(p, call(name), lambda: x))
    same(program(False, 2.0), 2.0)
    chosen = jax.jit(lambda k, x: lax.switch(k, [lambda: x, call(name)]))
    same(chosen(0, 2.0), 2.0)


@lanes
@every
def test_tracing_and_lowering_make_no_call(name):
    def program(x):
        return x + call(name)()

    assert jax.eval_shape(program, 1.0).dtype == np.float64
    jax.make_jaxpr(program)(1.0)
    jax.jit(program).lower(1.0).compile()
    jax.jit(program).trace(1.0)
    jax.eval_shape(jax.checkpoint(program), 1.0)
    jax.eval_shape(jax.grad(program), 1.0)
    jax.eval_shape(jax.vmap(program), np.ones(3))
    with pytest.raises(Exception, match="Asked"):
        jax.block_until_ready(jax.jit(program)(1.0))


@lanes
def test_an_array_from_outside_is_a_constant_too():
    x = jnp.float64(-1.0)
    jax.jit(lambda y: FUNCTIONS["elementwise"][0](x) + y).lower(1.0)
    with pytest.raises(Asked):
        FUNCTIONS["elementwise"][0](x)


@lanes
@pytest.mark.parametrize("convert", [float, np.float64, jnp.float64], ids=["python", "numpy", "jax"])
def test_special_functions_of_constants_are_part_of_the_program(convert):
    x = convert(2.5)
    program = jax.jit(lambda y: special.kv(1.5, x) * y)
    assert "kv" in str(program.trace(1.0).jaxpr)
    same(program(1.0), special.kv(1.5, 2.5))


def test_without_a_program_constants_are_computed_at_once_also_inside_of_grad_and_vmap():
    """They are no part of a program there, as jnp's functions of constants are none."""
    function = FUNCTIONS["elementwise"][0]
    for transformed in (jax.grad, jax.vmap):
        x = np.ones(3) if transformed is jax.vmap else 1.0
        with pytest.raises(Asked):
            transformed(lambda x: x * function(-1.0))(x)
