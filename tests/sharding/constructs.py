"""The ways to run a function on several devices: each gives a compiled function and its arguments in place."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any

import jax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from tests.sharding.kinds import Kind

Build = Callable[
    [list[bool], int], Callable
]  # the transformed function, of arguments with so many batch axes


@dataclasses.dataclass
class Ready:
    function: Any  # jitted
    args: tuple[Any, ...]


@functools.cache
def mesh(kind: AxisType, *sizes: int) -> Any:
    return jax.make_mesh(sizes, ("x", "y")[: len(sizes)], axis_types=(kind,) * len(sizes))


def _spec(kind: Kind, i: int, *batch: Any) -> P:
    """Of argument i: the batch axes over these mesh axes, and what the kind says of the core axes."""
    if kind.is_shared(i):
        return P()
    return P(*batch, *(("y",) if kind.core_sharded else ()))


def _placed(kind: Kind, where: Any, *batch: Any) -> tuple:
    return tuple(
        jax.device_put(a, NamedSharding(where, _spec(kind, i, *batch))) for i, a in enumerate(kind.args)
    )


def _over(kind: Kind, axis_type: AxisType) -> tuple[Any, tuple]:
    """The mesh, and which of its axes the batch axes lie over."""
    if kind.core_sharded:
        return mesh(axis_type, 4, 2), ("x", None)
    return mesh(axis_type, 8), ("x",)


def automatic(kind: Kind, build: Build) -> Iterator[Ready]:
    where, batch = _over(kind, AxisType.Auto)
    yield Ready(jax.jit(build(kind.shared, 2)), _placed(kind, where, *batch))


def two_axes(kind: Kind, build: Build) -> Iterator[Ready]:
    yield Ready(jax.jit(build(kind.shared, 2)), _placed(kind, mesh(AxisType.Auto, 4, 2), "x", "y"))


def explicit(kind: Kind, build: Build) -> Iterator[Ready]:
    where, batch = _over(kind, AxisType.Explicit)
    with jax.set_mesh(where):
        yield Ready(jax.jit(build(kind.shared, 2)), _placed(kind, where, *batch))


def manual(kind: Kind, build: Build) -> Iterator[Ready]:
    where = mesh(AxisType.Auto, 8)
    specs = tuple(_spec(kind, i, "x") for i in range(len(kind.args)))
    f = jax.shard_map(build(kind.shared, 2), mesh=where, in_specs=specs, out_specs=P("x"))
    yield Ready(jax.jit(f), _placed(kind, where, "x"))


def partly_manual(kind: Kind, build: Build) -> Iterator[Ready]:
    """The first mesh axis is manual; the second one is automatic, over the other batch axis or the core axis."""
    where = mesh(AxisType.Auto, 4, 2)
    specs = tuple(P() if kind.is_shared(i) else P("x") for i in range(len(kind.args)))
    f = jax.shard_map(build(kind.shared, 2), mesh=where, in_specs=specs, out_specs=P("x"), axis_names={"x"})
    yield Ready(jax.jit(f), _placed(kind, where, "x", None if kind.core_sharded else "y"))


def pmap(kind: Kind, build: Build) -> Iterator[Ready]:
    args = tuple(a[0] if s else a for a, s in zip(kind.args, kind.shared, strict=True))
    yield Ready(jax.pmap(build(kind.shared, 1), in_axes=tuple(None if s else 0 for s in kind.shared)), args)


def in_vmap(kind: Kind, build: Build) -> Iterator[Ready]:
    where, batch = _over(kind, AxisType.Auto)
    args = tuple(a[0] if s else a for a, s in zip(_placed(kind, where, *batch), kind.shared, strict=True))
    f = jax.vmap(build(kind.shared, 1), [None if s else 0 for s in kind.shared])
    yield Ready(jax.jit(f), args)


def in_scan(kind: Kind, build: Build, alone: bool = False) -> Iterator[Ready]:
    """The results of the steps are stacked."""
    where, batch = _over(kind, AxisType.Auto)
    f, i = build(kind.shared, 2), kind.shared.index(False)

    def scanned(*args: Any) -> Any:
        def step(x: Any, _: None) -> tuple:
            return x * 1.25, f(*args[:i], x, *args[i + 1 :])

        return jax.lax.scan(step, args[i], None, length=3)[1]

    yield Ready(jax.jit(scanned), kind.args if alone else _placed(kind, where, *batch))


CONSTRUCTS = {
    "jit": automatic,
    "jit, two mesh axes": two_axes,
    "explicit axes": explicit,
    "shard_map": manual,
    "shard_map, partly": partly_manual,
    "pmap": pmap,
    "jit of vmap": in_vmap,
    "scan in jit": in_scan,
}
