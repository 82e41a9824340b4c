"""The memory of sparse and banded problems and their gradients: at most, beside what was there before."""

import gc
import pathlib
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse
from jax.experimental.sparse import CSR

from bench.timing import table
from hostwrap import linalg
from hostwrap.sparse import linalg as sparse

SIDE = 100  # of a square of points: the matrix has SIDE^2 rows
MEGABYTE = 2**20


def report() -> str:
    """Empty where the system does not tell."""
    if not pathlib.Path("/proc/self/clear_refs").exists():
        return ""
    rows = [
        [name, _megabytes(given), _megabytes(_most(f, args)), _megabytes(8 * SIDE**4)]
        for name, f, args in problems()
        for given in [sum(x.nbytes for x in args)]
    ]
    head = ["compiled", "arguments", "value and gradient, at most", "a dense matrix"]
    return table(f"Memory of problems with {SIDE**2:,} unknowns", head, rows)


def _megabytes(count: float) -> str:
    return f"{count / MEGABYTE:,.1f} MB"


def _most(f: Callable, args: tuple) -> float:
    """Bytes of the process while it computes, beside those before."""

    def both(*xs: jax.Array) -> tuple:
        y, back = jax.vjp(f, *xs)
        return y, back(jnp.ones_like(y))

    given = tuple(map(jnp.asarray, args))
    program = jax.jit(both).lower(*given).compile()
    gc.collect()
    pathlib.Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is that from now on
    before = _status("VmRSS")
    jax.block_until_ready(program(*given))
    return max(0, _status("VmHWM") - before)


def _status(name: str) -> int:
    lines = pathlib.Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name))


def problems(seed: int = 11) -> Iterator[tuple[str, Callable, tuple]]:
    draw, n = np.random.default_rng(seed), SIDE**2
    line = scipy.sparse.diags_array([-1.0, 2.1, -1.0], offsets=[-1, 0, 1], shape=(SIDE, SIDE))
    plane, b = scipy.sparse.csr_array(scipy.sparse.kronsum(line, line)), draw.normal(size=n)
    pattern = jnp.asarray(plane.indices), jnp.asarray(plane.indptr)
    matrix = lambda x: CSR((x, *pattern), shape=plane.shape)
    band = draw.normal(size=(5, n)) + np.array([[0.0], [0.0], [9.0], [0.0], [0.0]])
    half = 0.1 * np.abs(draw.normal(size=(3, n))) + np.array([[9.0], [0.5], [0.2]])
    yield "linalg.solve_banded", lambda ab, b: linalg.solve_banded((2, 2), ab, b), (band, b)
    yield "linalg.solveh_banded", lambda ab, b: linalg.solveh_banded(ab, b, lower=True), (half, b)
    yield "sparse.linalg.spsolve", lambda x, b: sparse.spsolve(matrix(x), b), (plane.data, b)
    for name in ("cg", "gmres", "bicgstab", "minres"):
        solve = lambda x, b, name=name: getattr(sparse, name)(matrix(x), b, rtol=1e-8)[0]
        yield f"sparse.linalg.{name}", solve, (plane.data, b)
    yield (
        "sparse.linalg.lsqr",
        lambda x, b: sparse.lsqr(matrix(x), b, atol=1e-8, btol=1e-8)[0],
        (plane.data, b),
    )
    yield "sparse.linalg.expm_multiply", lambda x, b: sparse.expm_multiply(matrix(-x), b), (plane.data, b)
    yield "sparse.linalg.eigsh", lambda x: sparse.eigsh(matrix(x), 3)[0], (plane.data,)
