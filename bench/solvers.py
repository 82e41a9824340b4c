"""What SciPy's solvers cost under `jit`, and what their gradients cost, beside SciPy's own call.

The processor's time is compared, of all threads together: what else runs on the machine has less part in it. Targets
are a host function within 1.1 of SciPy's time, and a gradient within 1.5 of it.
"""

from __future__ import annotations

import importlib
import itertools
import os
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.signal
import scipy.sparse

import hostwrap as hw
from bench import memory
from bench.timing import duration, table

NOTES = """
The value and its gradient come from one program, for a given cotangent. An *empty call* is a program with the same
arguments and the same result, whose host function returns at once what it has already. So it takes the time in which
JAX starts a program, and the result is copied to its place. What is left of a value is the host function, SciPy's own
function in most rows. The first three calls are not counted, for in them memory comes from the system.

What a gradient is made of, where it is more than one and a half solutions:

- `solve_ivp` and `odeint` solve once more, with the variational equations: in reverse mode too, so that many
  parameters make a large system. An adjoint solution would start anew at each time that is asked for. Tolerances are
  those of the call, and at most 1e-7 and 1e-9.
- `quad`: one more integral for each number that the integrand reads.
- `expm`: with a gradient the value comes from Padé's approximation, whose parts the gradient uses again. The value
  takes 6 products of matrices, a factorisation (a third of a product), a solution (one) and s squarings. The derivative
  takes two products for each of these products and squarings, a product and a solution: 14 + 2 s (Al-Mohy and Higham,
  SIAM J. Matrix Anal. Appl. 30, 1639 (2009)). So value and gradient are 2.9 values, for every s. Above 512 rows
  nothing is kept, and the gradient takes the 7.3 + s products of the value again.
- `expm_multiply`: the adjoint needs the vectors of a Taylor series, their counterparts from behind, and for each pair
  of them a number for each entry of the matrix.
- `lstsq`: one QR decomposition, passed on to three or four products with it. `sqrtm`: one Schur form, of the root.
  `solve_banded` solves with the factor of the value, which is passed on in arrays of 1.4 times the band.
- `dct`: the transpose is the transform of type 3, for which SciPy takes 1.1 times the time of type 2.
- `cdist` and `map_coordinates`: the sums of the transpose are in C, and take about as long as SciPy's loop. `cdist`
  adds up differences, for a product of matrices in their place would lose digits of points that are close.
  `map_coordinates` finds the coefficients of the spline once for value and slopes, and its transpose once more.
- `CloughTocher2DInterpolator`: SciPy finds the slopes at the points by iterations, to 1e-6; here their sparse system is
  solved exactly, and the gradient has its factor.
- `nnls`: a QR decomposition of the columns that are not held. `linprog`: the multipliers, which are found with each
  value, and a system of all unknowns and multipliers. Of a problem that is solved at sight, 200 bounds written as
  constraints, the value is 1.5 times SciPy's time, and 3.4 times with the gradient.
"""
ROUNDS = 15  # of each way in turn
BEFORE = 3  # calls that are not measured: in the first ones memory comes from the system
FRESH = 6  # sets of arguments, more than there are factorisations kept


class Problem(NamedTuple):
    """`call(module, *arrays)`, of SciPy's module and ours; `pick` is what is differentiated of the result."""

    name: str
    call: Callable
    arrays: tuple
    pick: Callable = lambda x: x


def report(seconds: float = 0.0) -> str:
    rows = [_row(p) for p in problems()]
    head = [
        "compiled",
        "SciPy",
        *(f"{way} over SciPy" for way in ("value", "empty call", "value and gradient")),
    ]
    alone = ", libraries in one thread" if os.environ.get("OMP_NUM_THREADS") == "1" else ""
    measured = table(f"Solvers and their gradients: the processor's time{alone}", head, rows)
    return measured + NOTES + "\n" + memory.report()


def _row(p: Problem) -> list[str]:
    t = times(p)
    ratios = (f"{t[way] / t['scipy']:.2f}" for way in ("value", "empty", "gradient"))
    return [p.name, duration(t["scipy"]), *ratios]


def times(p: Problem) -> dict[str, float]:
    """Seconds of SciPy's call; of ours; of a call that gets the same and returns a result which is there already; and
    of ours with the gradient in all arrays, for a given cotangent."""
    home = p.name.rpartition(".")[0]
    ours, theirs = (importlib.import_module(f"{place}.{home}") for place in ("hostwrap", "scipy"))
    value = lambda *xs: p.pick(p.call(ours, *xs))
    out = jax.eval_shape(value, *p.arrays)
    weights = np.random.default_rng(1).normal(size=out.shape)
    empty = hw.wrap(lambda *xs: weights, out=out, copy=False)

    def both(*xs: jax.Array) -> tuple:
        y, back = jax.vjp(value, *xs)
        return y, back(weights)

    # no factorisation is of use to two of them
    count = itertools.count()
    fresh = lambda: [tuple(x * (1 + 1e-6 * next(count)) for x in p.arrays) for _ in range(FRESH)]
    compiled = {"value": value, "empty": empty, "gradient": both}
    ways: dict[str, tuple] = {
        "scipy": (lambda *xs: p.call(theirs, *xs), itertools.cycle(fresh())),
        **{
            name: (jax.jit(f), itertools.cycle([tuple(map(jnp.asarray, xs)) for xs in fresh()]))
            for name, f in compiled.items()
        },
    }
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(BEFORE + ROUNDS):
        for name, (f, given) in ways.items():
            start = time.process_time()
            jax.block_until_ready(f(*next(given)))
            found[name].append(time.process_time() - start)
    return {name: statistics.median(t[BEFORE:]) for name, t in found.items()}


def problems(seed: int = 11) -> Iterator[Problem]:
    draw = np.random.default_rng(seed)
    yield from _matrices(draw)
    yield from _sparse(draw)
    yield from _solvers(draw)
    yield from _signals(draw)
    yield from _places(draw)


def _matrices(draw: np.random.Generator) -> Iterator[Problem]:
    normal = lambda *shape: draw.normal(size=shape)
    band = normal(5, 60_000) + np.array([[0.0], [0.0], [9.0], [0.0], [0.0]])
    half = 0.1 * np.abs(normal(3, 60_000)) + np.array([[9.0], [0.5], [0.2]])
    column = 0.5 ** np.arange(1200) * (1 + 0.01 * normal(1200))
    a, q = normal(2, 120, 120) + 20 * np.eye(120), normal(120, 120)
    first = lambda x: x[0]
    yield Problem(
        "linalg.solve_banded", lambda m, ab, b: m.solve_banded((2, 2), ab, b), (band, normal(60_000))
    )
    yield Problem(
        "linalg.solveh_banded", lambda m, ab, b: m.solveh_banded(ab, b, lower=True), (half, normal(60_000))
    )
    yield Problem(
        "linalg.solve_toeplitz", lambda m, c, b: m.solve_toeplitz((c, c), b), (column, normal(1200))
    )
    yield Problem("linalg.lstsq", lambda m, a, b: m.lstsq(a, b), (normal(400, 100), normal(400)), first)
    yield Problem("linalg.expm", lambda m, a: m.expm(a), (normal(200, 200) / 15,))
    yield Problem("linalg.sqrtm", lambda m, a: m.sqrtm(a), (a[0],))
    yield Problem("linalg.solve_sylvester", lambda m, a, b, q: m.solve_sylvester(a, b, q), (*a, q))
    yield Problem(
        "linalg.eigh_tridiagonal", lambda m, d, e: m.eigh_tridiagonal(d, e), (normal(600), normal(599)), first
    )


def _sparse(draw: np.random.Generator, side: int = 60) -> Iterator[Problem]:
    from jax.experimental.sparse import CSC

    line = scipy.sparse.diags_array([-1.0, 2.1, -1.0], offsets=[-1, 0, 1], shape=(side, side))
    plane = scipy.sparse.csc_array(scipy.sparse.kronsum(line, line))
    right = draw.normal(size=side**2)
    pattern = plane.indices, plane.indptr

    def matrix(m: Any, data: Any) -> Any:
        if m.__name__.startswith("scipy"):
            return scipy.sparse.csc_array((data, *pattern), shape=plane.shape)
        return CSC((data, *map(jnp.asarray, pattern)), shape=plane.shape)

    yield Problem("sparse.linalg.spsolve", lambda m, x, b: m.spsolve(matrix(m, x), b), (plane.data, right))
    for name in ("cg", "gmres", "bicgstab", "minres"):
        run = lambda m, x, b, name=name: getattr(m, name)(matrix(m, x), b, rtol=1e-9)[0]
        yield Problem(f"sparse.linalg.{name}", run, (plane.data, right))
    act = lambda m, x, b: m.expm_multiply(matrix(m, -x), b)
    yield Problem("sparse.linalg.expm_multiply", act, (plane.data, right))
    yield Problem("sparse.linalg.eigsh", lambda m, x: m.eigsh(matrix(m, x), 4)[0], (plane.data,))
    yield Problem("sparse.linalg.svds", lambda m, x: m.svds(matrix(m, x), 4)[1], (plane.data,))


def _solvers(draw: np.random.Generator, n: int = 60, many: int = 150) -> Iterator[Problem]:
    """Their functions are in NumPy, and serve SciPy and hostwrap."""
    goal, zeros = draw.uniform(0.5, 1.5, n), np.zeros(n)
    coupled = lambda x, c: x + 0.3 * np.sin(np.roll(x, 1)) - c
    bowl = lambda x, c: np.sum(np.cosh(x - c))
    table = np.abs(draw.normal(size=(600, 200))), np.abs(draw.normal(size=600))
    limits, costs = np.abs(draw.normal(size=(many, many))), draw.uniform(0.5, 1.5, many)
    largest = lambda m, c, A, b: m.linprog(-c, A_ub=A, b_ub=b).x
    yield Problem("optimize.root", lambda m, c: m.root(lambda x: coupled(x, c), zeros).x, (goal,))
    yield Problem(
        "optimize.least_squares", lambda m, c: m.least_squares(lambda x: coupled(x, c), zeros).x, (goal,)
    )
    yield Problem("optimize.minimize", lambda m, c: m.minimize(lambda x: bowl(x, c), zeros).x, (goal,))
    yield Problem("optimize.linprog", largest, (costs, limits, draw.uniform(1, 2, many)))
    yield Problem("optimize.nnls", lambda m, a, b: m.nnls(a, b)[0], table)
    times = np.linspace(0.0, 10.0, 50)
    swing = lambda y, p: np.array([y[1], -p * np.sin(y[0])])
    wave = lambda m, p: m.quad(lambda x: np.exp(-p * x) * np.cos(40 * x), 0.0, 9.0)[0]
    yield Problem("integrate.quad", wave, (np.array(0.7),))
    yield Problem(
        "integrate.solve_ivp",
        lambda m, p: (
            m.solve_ivp(
                lambda t, y: swing(y, p), (0.0, 10.0), [1.0, 0.0], t_eval=times, rtol=1e-7, atol=1e-9
            ).y
        ),
        (np.array(1.3),),
    )
    yield Problem(
        "integrate.odeint",
        lambda m, p: m.odeint(lambda y, t: swing(y, p), [1.0, 0.0], 10 * times, rtol=1e-7, atol=1e-9),
        (np.array(1.3),),
    )


def _signals(draw: np.random.Generator) -> Iterator[Problem]:
    signal, image = draw.normal(size=200_000), draw.normal(size=(500, 500))
    b, a = scipy.signal.butter(4, 0.2)
    sections, at = scipy.signal.butter(4, 0.2, output="sos"), draw.uniform(5, 490, (2, 80_000))
    yield Problem("signal.lfilter", lambda m, x: m.lfilter(b, a, x), (signal,))
    yield Problem("signal.sosfilt", lambda m, x: m.sosfilt(sections, x), (signal,))
    yield Problem("signal.filtfilt", lambda m, x: m.filtfilt(b, a, x), (signal,))
    yield Problem("signal.savgol_filter", lambda m, x: m.savgol_filter(x, 11, 3), (signal,))
    yield Problem("signal.resample_poly", lambda m, x: m.resample_poly(x, 3, 2), (signal,))
    yield Problem("fft.dct", lambda m, x: m.dct(x), (signal,))
    yield Problem("ndimage.gaussian_filter", lambda m, x: m.gaussian_filter(x, 2.0), (image,))
    yield Problem("ndimage.median_filter", lambda m, x: m.median_filter(x, 3), (image,))
    yield Problem("ndimage.zoom", lambda m, x: m.zoom(x, 1.5), (image,))
    yield Problem("ndimage.rotate", lambda m, x: m.rotate(x, 20.0, reshape=False), (image,))
    yield Problem("ndimage.map_coordinates", lambda m, x, at: m.map_coordinates(x, at), (image, at))


def _places(draw: np.random.Generator) -> Iterator[Problem]:
    sites, data = np.sort(draw.uniform(0, 9, 5000)), draw.normal(size=5000)
    points, more = draw.normal(size=(2, 600, 3))
    cloud = tuple(draw.normal(size=(2, 4000, 3)))
    image, line = draw.normal(size=(300, 300)), np.arange(300.0)
    spots, plane = draw.uniform(1, 298, (50_000, 2)), draw.normal(size=(1000, 2))
    graph = np.where(draw.uniform(size=(500, 500)) < 0.05, draw.uniform(1, 2, (500, 500)), 0.0)
    finite = lambda x: jnp.where(jnp.isfinite(x), x, 0.0)
    through = lambda m, y, z: m.CubicSpline(sites, y)(z)
    grid = lambda m, v, z: m.RegularGridInterpolator((line, line), v)(z)
    yield Problem("interpolate.CubicSpline", through, (data, draw.uniform(1, 8, 50_000)))
    yield Problem("interpolate.RegularGridInterpolator", grid, (image, spots))
    yield Problem(
        "interpolate.RBFInterpolator", lambda m, y: m.RBFInterpolator(points[:300], y)(more), (data[:300],)
    )
    yield Problem(
        "interpolate.CloughTocher2DInterpolator",
        lambda m, v: m.CloughTocher2DInterpolator(plane, v)(plane[:500] * 0.5),
        (data[:1000],),
        finite,
    )
    yield Problem("spatial.distance.cdist", lambda m, x, y: m.cdist(x, y), (points, more))
    yield Problem("spatial.KDTree", lambda m, x, y: m.KDTree(x).query(y)[0], cloud)
    yield Problem(
        "sparse.csgraph.dijkstra", lambda m, g: m.dijkstra(g, indices=np.arange(10)), (graph,), finite
    )
