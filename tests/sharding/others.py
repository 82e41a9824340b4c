"""Cases beside the matrix, in which something travels, or the parts are not alike; each returns what is wrong."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.special
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import hostwrap as hw
from hostwrap import special
from tests.sharding.constructs import mesh
from tests.sharding.kinds import recorded, seen

X = np.linspace(0.1, 9, 64)
OTHERS: dict[str, Callable[[], Iterator[str]]] = {}


def other(name: str) -> Callable:
    return functools.partial(OTHERS.__setitem__, name)


def on(*spec: Any, sizes: tuple[int, ...] = (8,)) -> NamedSharding:
    return NamedSharding(mesh(AxisType.Auto, *sizes), P(*spec))


def compare(f: Callable, args: tuple, want: Any, collectives: tuple[str, ...] = ()) -> Iterator[str]:
    """The values, on every device, and that nothing else travels than what is said."""
    from tests.sharding.cases import COLLECTIVE

    compiled = jax.jit(f)
    found = {name for _, name in COLLECTIVE.findall(compiled.lower(*args).compile().as_text())}
    if found - set(collectives):
        yield f"{found}"
    del seen[:]
    for got, expected in zip(jax.tree.leaves(compiled(*args)), jax.tree.leaves(want), strict=True):
        for shard in got.addressable_shards:
            if not np.allclose(shard.data, expected[shard.index], rtol=1e-13, atol=1e-13):
                yield f"wrong on {shard.device}"


def jv(x: Any) -> Any:
    return special.jv(2.5, x)


VALUE, SLOPE = scipy.special.jv(2.5, X), scipy.special.jvp(2.5, X)


@other("value and gradient of a sum over all devices")
def _():
    f = jax.value_and_grad(lambda x: jv(x).sum())
    yield from compare(f, (jax.device_put(X, on("x")),), (np.array(VALUE.sum()), SLOPE), ("all-reduce",))


@other("gradient in a parameter that all devices share")
def _():
    f = jax.grad(lambda s, x: jv(s * x).sum())
    want = np.array((X * SLOPE).sum())
    yield from compare(f, (1.0, jax.device_put(X, on("x"))), want, ("all-reduce",))


@other("gradient of shard_map with a psum")
def _():
    def loss(x):
        local = lambda x: jax.lax.psum(jv(x).sum(), "x")
        return jax.shard_map(local, mesh=mesh(AxisType.Auto, 8), in_specs=P("x"), out_specs=P())(x)

    yield from compare(jax.grad(loss), (jax.device_put(X, on("x")),), SLOPE, ("all-reduce",))


@other("a row and a column, over two mesh axes")
def _():
    v = np.arange(8.0) + 0.5
    args = jax.device_put(v, on("x", sizes=(4, 2))), jax.device_put(X, on("y", sizes=(4, 2)))
    f = lambda v, x: special.jv(v[:, None], x[None, :])
    yield from compare(f, args, scipy.special.jv(v[:, None], X))
    compiled = jax.jit(f)(*args)
    if compiled.addressable_shards[0].data.shape != (2, 32):
        yield f"parts of {compiled.addressable_shards[0].data.shape}"


@other("a replicated argument, and a constraint that splits the work")
def _():
    f = hw.wrap(recorded(lambda x: np.sin(x)), vmap_method="broadcast_all")
    constrained = lambda x: f(jax.lax.with_sharding_constraint(x, on("x")))
    yield from compare(constrained, (jax.device_put(X, on()),), np.sin(X))
    if seen != [(8,)] * 8:
        yield f"the host saw {seen}"


@other("parts of unequal size")
def _():
    """60 elements on 8 devices: the last one computes with padding, which is in no result."""
    f = hw.wrap(recorded(lambda x: np.sin(x)), vmap_method="broadcast_all")
    g = lambda x: jax.lax.with_sharding_constraint(x.reshape(-1)[:60], on("x"))
    x = jax.device_put(X.reshape(8, 8), on("x"))
    travels = ("all-gather", "all-to-all", "collective-permute", "all-reduce")
    yield from compare(lambda x: f(g(x)), (x,), np.sin(X[:60]), travels)
    yield from compare(lambda x: jv(g(x)), (x,), VALUE[:60], travels)
    yield from compare(lambda x: f(g(x)).sum(), (x,), np.array(np.sin(X[:60]).sum()), travels)


@other("more devices than elements")
def _():
    x = jax.device_put(X[:3], on())
    yield from compare(jv, (x,), VALUE[:3])
    yield from compare(
        lambda x: jv(jax.lax.with_sharding_constraint(x, on("x"))),
        (x,),
        VALUE[:3],
        ("all-gather", "all-reduce"),
    )


@other("an array without elements")
def _():
    yield from compare(jv, (jax.device_put(np.zeros((8, 0)), on("x")),), np.zeros((8, 0)))


@other("called as it is, without jit")
def _():
    f = hw.wrap(recorded(lambda x: np.sin(x)), vmap_method="broadcast_all")
    del seen[:]
    y = jax.block_until_ready(f(jax.device_put(X, on("x"))))
    if seen != [(8,)] * 8 or not y.sharding.is_equivalent_to(on("x"), 1):
        yield f"the host saw {seen}, the result is {y.sharding}"
    if not np.array_equal(y + 1, np.sin(X) + 1):
        yield "wrong"


@other("cond, while and checkpoint")
def _():
    x = jax.device_put(X, on("x"))
    twice = 1 + scipy.special.jv(2.5, 1 + VALUE)
    loop = lambda x: jax.lax.while_loop(lambda c: c[0] < 2, lambda c: (c[0] + 1, 1 + jv(c[1])), (0, x))[1]
    yield from compare(loop, (x,), twice)
    branch = lambda x: jax.lax.cond(x.shape[0] > 0 * x.sum(), jv, lambda x: x, x)
    yield from compare(branch, (x,), VALUE, ("all-reduce",))
    yield from compare(jax.grad(lambda x: jax.checkpoint(jv)(x).sum()), (x,), SLOPE)


@other("a number as the only argument")
def _():
    yield from compare(
        lambda x, y: (jv(x), y + 1), (2.0, jax.device_put(X, on("x"))), (scipy.special.jv(2.5, 2.0), X + 1)
    )


@other("the same bits as on one device")
def _():
    x = jax.device_put(X, on("x"))
    for name, f in BITS.items():
        if not np.array_equal(jax.jit(lambda x: f(x))(x), jax.jit(lambda x: f(x))(X), equal_nan=True):  # noqa: B023
            yield name


BITS = {
    "jv": jv,
    "gamma": special.gamma,
    "slope of jv": lambda x: jax.jvp(jv, (x,), (jnp.ones_like(x),))[1],
    "slope of kv in its order": lambda x: jax.jvp(lambda v: special.kv(v, 1.5), (x,), (jnp.ones_like(x),))[1],
    "hessian of gammainc": lambda x: jax.vmap(jax.hessian(lambda x: special.gammainc(2.5, x)))(x),
}
