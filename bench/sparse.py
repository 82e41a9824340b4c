"""A sparse solve with 10^5 unknowns: what a gradient costs beside the solve, and what an optimisation keeps."""

import itertools

import jax
import jax.numpy as jnp

from bench.poisson import Assembly
from bench.timing import duration, in_turn, resident, table
from hostwrap._recipes.factors import factor
from hostwrap.sparse.linalg import spsolve

CELLS = 317  # 316² unknowns: 99 856
STEPS = 200


def report(seconds: float = 20.0, cells: int = CELLS, steps: int = STEPS) -> str:
    fem = Assembly(cells)
    return _times(fem, seconds) + "\n" + _memory(Assembly(max(cells // 3, 2)), steps)


def problem(fem):
    """(compliance as a function of the matrix and the load, a stream of matrices that are all different)."""
    b = jnp.full(fem.size, 1.0 / fem.size)
    base = fem.values(jnp.ones(fem.triangles))
    values = (base * (1 + 1e-3 * k) for k in itertools.count())

    def loss(data, b):
        return jnp.sum(spsolve(data, fem.indices, fem.indptr, b) ** 2)

    return loss, values, b


def _times(fem, seconds):
    loss, values, b = problem(fem)
    solve = jax.jit(lambda data, b: spsolve(data, fem.indices, fem.indptr, b))
    gradient = jax.jit(jax.value_and_grad(loss, (0, 1)))
    ways = {"solve": lambda: solve(next(values), b), "value and gradient": lambda: gradient(next(values), b)}
    t = in_turn(ways, seconds)
    rows = [
        [name, duration(t[name]), f"{t[name] / t['solve']:.2f}", _factorisations(f)]
        for name, f in ways.items()
    ]
    title = f"Sparse solve, {fem.size} unknowns, {len(fem.indices)} entries, a new matrix each time"
    return table(title, ["", "time", "of the solve", "factorisations"], rows)


def _factorisations(call):
    factor.cache_clear()
    jax.block_until_ready(call())
    return str(factor.cache_info().misses)


def _memory(fem, steps):
    """Steps of an optimisation of the coefficient of each triangle."""
    b = jnp.full(fem.size, 1.0 / fem.size)

    @jax.jit
    def step(a):
        slope = jax.grad(lambda a: b @ spsolve(fem.values(a), fem.indices, fem.indptr, b))(a)
        return jnp.clip(a * (1 - 0.1 * slope / jnp.max(jnp.abs(slope))), 0.1, 10.0)

    a, used = jnp.ones(fem.triangles), []
    for k in range(steps):
        a = jax.block_until_ready(step(a))
        if k in (steps // 4, steps // 2, 3 * steps // 4, steps - 1):
            used.append([str(k + 1), f"{resident() / 2**20:.0f} MiB"])
    return table(f"Memory over an optimisation, {fem.size} unknowns", ["step", "resident"], used)
