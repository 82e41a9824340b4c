"""Accuracy and bits do not depend on the lane, the number of threads, the batch, or what stands beside a point.

(On several devices: tests/sharding/others.py; between processes: tests/system/test_processes.py.)
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hostwrap as hw
from hostwrap._host import parallel
from hostwrap._native import program
from tests._kit.days import EXHAUSTIVE
from tests.reference import ours
from tests.reference.entries import catalogue, columns, has_complex, statics
from tests.reference.points import points

FEW = (
    "airy",
    "betainc",
    "ellipkinc",
    "erfcx",
    "gammainc",
    "hyp2f1",
    "jv",
    "kv",
    "loggamma",
    "ndtri",
    "pbdv",
    "wofz",
)
NAMES = sorted(n for n, f in catalogue().items() if f.public and (EXHAUSTIVE or n in FEW))
MOST = 40  # points
PARTS = {"half of the batch": slice(0, None, 2), "one point": 3, "another order": slice(None, None, -1)}
# NumPy adds a row of numbers in an order, and takes an exponential by instructions, that depend on how the array lies
# in memory. So derivatives by quadrature and series may differ in the last digits with the batch, not the values.
SUMS = 256 * np.finfo(float).eps


def columns_of(function, is_complex):
    rows = points(function, is_complex)
    rows = rows[:: max(1, len(rows) // MOST)]
    return [np.asarray(a) for a in columns(function, rows)]


def results(name, is_complex, *arrays):
    """Value and its slope along all arguments that have a derivative, by a program that is compiled anew."""
    function, chosen = catalogue()[name], statics(catalogue()[name])[0]
    live = [i for i, a in enumerate(function.args) if not ours.is_missing(function, a)]
    live = [i for i in live if jnp.issubdtype(arrays[i].dtype, jnp.inexact)]

    def everything(*arrays):
        if not live:
            return function(*arrays, **chosen), ()
        xs = tuple(arrays[i] for i in live)
        f = lambda *xs: function(*ours.placed(arrays, live, xs), **chosen)
        return jax.jvp(f, xs, tuple(map(jnp.ones_like, xs)))

    return [list(map(np.asarray, jax.tree.leaves(y))) for y in jax.jit(everything)(*arrays)]


def same(got, want, what, rtol=0.0):
    """Values have the same bits; slopes too, where no tolerance is given."""
    for kind, gs, ws in zip(("value", "slope"), got, want, strict=True):
        for g, w in zip(gs, ws, strict=True):
            if kind == "slope" and rtol:
                np.testing.assert_allclose(g, w, rtol=rtol, atol=0, err_msg=f"{what}: {kind}")
            else:
                np.testing.assert_array_equal(g, w, err_msg=f"{what}: {kind}")


@pytest.mark.rotating
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("is_complex", [False, True], ids=["real", "complex"])
def test_the_same_bits(name, is_complex, monkeypatch):
    if is_complex and not has_complex(catalogue()[name]):
        return
    arrays = columns_of(catalogue()[name], is_complex)
    want = results(name, is_complex, *arrays)
    for lane in (lane for lane, status in hw.lanes().items() if status == "available"):
        with hw.lane(lane):
            same(results(name, is_complex, *arrays), want, lane)
    for what, part in PARTS.items():
        got = results(name, is_complex, *(a[part] for a in arrays))
        same(got, [[y[part] for y in ys] for ys in want], what, SUMS)
    many = [np.tile(a, 9) for a in arrays]
    monkeypatch.setattr(parallel, "thread_count", lambda: 1)
    alone = results(name, is_complex, *many)
    monkeypatch.setattr(parallel, "thread_count", lambda: 3)
    monkeypatch.setattr(program, "grain", lambda *_: 5)
    same(results(name, is_complex, *many), alone, "three threads")


@pytest.mark.parametrize("size", [1, 7, 64, 4097])
def test_the_same_bits_for_a_function_of_ones_own(size):
    f = hw.wrap(lambda x: np.exp(np.sin(x)) / (1 + x * x))
    f.defpartials(x=lambda ans, x: ans * (jnp.cos(x) - 2 * x / (1 + x * x)))
    x = np.random.default_rng(size).normal(size=size)
    g = lambda x: jax.vmap(jax.value_and_grad(f))(x)
    want = [np.asarray(y) for y in jax.jit(g)(x)]
    for lane in (lane for lane, status in hw.lanes().items() if status == "available"):
        with hw.lane(lane):
            same([np.asarray(y) for y in jax.jit(lambda x: g(x))(x)], want, lane)
    alone = [np.asarray(jax.jit(lambda x: g(x))(x[i : i + 1])) for i in range(min(size, 5))]
    for i, (value, slope) in enumerate(alone):
        assert value[0] == want[0][i] and slope[0] == want[1][i]
