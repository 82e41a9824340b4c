"""Derivatives of `jv` beside the example of JAX's documentation: host calls and time."""

import functools
import re

import jax
import jax.numpy as jnp

from bench import baselines
from bench.timing import duration, in_turn, table
from hostwrap import special

TRANSFORMS = {
    "value": lambda f: f,
    "grad": jax.grad,
    "value_and_grad": jax.value_and_grad,
    "hessian": jax.hessian,
    "vmap(grad), 1000": lambda f: jax.vmap(jax.grad(f)),
}


def report(seconds: float = 1.0) -> str:
    head = ["`jv` in z, under jit", "host calls", "example's", "time", "example's", "ratio"]
    rows = [_row(name, transform, seconds) for name, transform in TRANSFORMS.items()]
    return table("Derivatives, compared with the example of JAX's documentation", head, rows)


def _row(name, transform, seconds) -> list[str]:
    z = jnp.linspace(0.5, 20.0, 1000) if "vmap" in name else jnp.float64(2.0)
    functions = {
        "ours": functools.partial(jax.jit(transform(functools.partial(special.jv, 1))), z),
        "example": functools.partial(jax.jit(transform(functools.partial(baselines.documented_jv, 1))), z),
    }
    t = in_turn(functions, seconds)
    counts = [str(_host_calls(transform, z)), str(_example_calls(functions["example"]))]
    return [name, *counts, duration(t["ours"]), duration(t["example"]), f"{t['ours'] / t['example']:.2f}"]


def _example_calls(f) -> int:
    before = baselines.calls
    jax.block_until_ready(f())
    return baselines.calls - before


def _host_calls(transform, z) -> int:
    """Calls of Python, or of a loop of SciPy, in the compiled program."""
    lines = jax.jit(transform(functools.partial(special.jv, 1))).lower(z).compile().as_text().splitlines()
    return sum("custom-call(" in line and re.search("callback|hostwrap", line) is not None for line in lines)
