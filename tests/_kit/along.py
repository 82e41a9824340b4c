"""A derivative along a direction: by differences of SciPy's values, and of ours in forward and in reverse mode."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

# compiled in less time, to be run once
quickly = functools.partial(jax.jit, compiler_options={"xla_backend_optimization_level": 0})


def flat(x):
    """All numbers of a result."""
    return jnp.concatenate([jnp.ravel(jnp.asarray(part)) for part in jax.tree.leaves(x)])


def change(f, at, along, h):
    """Of a function in NumPy, by a central difference of fourth order."""
    moved = lambda h: np.asarray(f(*(x + h * d for x, d in zip(at, along, strict=True))))
    return (8 * (moved(h) - moved(-h)) - moved(2 * h) + moved(-2 * h)) / (12 * h)


def both_ways(f, at, along, weights):
    """The value, the tangent, and what the weights of the results pull at the tangents of the arguments."""

    @quickly
    def compiled(at):
        value, forth = jax.linearize(f, *at)
        tangent = forth(*along)
        back = jax.linear_transpose(forth, *at)(weights.astype(tangent.dtype))
        return value, tangent, sum(jnp.sum(c * d) for c, d in zip(back, along, strict=True))

    return compiled([jnp.asarray(x) for x in at])
