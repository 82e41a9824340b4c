"""The programs behind the table of docs/flavours.md: what each flavour of a wrapped function does in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec

import hostwrap as hw

DEVICES = 4
FLAVOURS: dict[str, dict[str, Any]] = {
    "pure": {},
    "io": {"effect": "io"},
    "ordered io": {"effect": "io", "ordered": True},
    "debug": {"effect": "debug"},
}
X = np.arange(1.0, 4.0)


def _same(x: Any) -> Any:
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


class Trial:
    """`f` doubles, with a call of a host function of one flavour, and a record of these calls."""

    def __init__(self, flavour: str, rule: bool = False) -> None:
        self.seen: list = []
        self.debug = flavour == "debug"
        options = FLAVOURS[flavour] if self.debug else {**FLAVOURS[flavour], "out": _same}
        self.wrapped = hw.wrap(self._host, **options)
        if rule and not self.debug:
            self.wrapped.defpartials(x=lambda ans, x: 2.0)

    def _host(self, x: Any) -> Any:
        self.seen.append(x)
        return 2 * x

    def f(self, x: Any) -> Any:
        result = self.wrapped(x)
        return 2 * x if self.debug else result


def calls(program: Callable, x: Any, expected: Any, rule: bool = False) -> Callable[[str], str]:
    """`program(f)(x)` is run; the cell says how many calls there were, or which error."""

    def cell(flavour: str) -> str:
        trial = Trial(flavour, rule)
        try:
            result = jax.block_until_ready(program(trial.f)(x() if callable(x) else x))
            jax.effects_barrier()
        except Exception as error:
            return f"`{type(error).__name__}`"
        np.testing.assert_allclose(result, expected, err_msg=flavour)
        return "1 call" if len(trial.seen) == 1 else f"{len(trial.seen)} calls"

    return cell


def returned(flavour: str) -> str:
    return "no" if Trial(flavour).wrapped(1.0) is None else "yes"


def unused(f: Callable) -> Callable:
    return jax.jit(lambda x: (f(x), x)[1])


def loop(step: Callable) -> Callable:
    return lambda x: lax.scan(lambda c, y: (step(c, y), None), 1.0, x)[0]


def in_custom_vjp(f: Callable) -> Callable:
    custom = jax.custom_vjp(f)
    custom.defvjp(lambda x: (f(x), None), lambda _, ct: (2 * ct,))
    return jax.jit(jax.grad(custom))


def mesh() -> Any:
    return jax.make_mesh((DEVICES,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))


def spread() -> Any:
    return jax.device_put(jnp.arange(8.0), NamedSharding(mesh(), PartitionSpec("d")))


def on_each_device(f: Callable) -> Callable:
    part = PartitionSpec("d")
    return jax.jit(jax.shard_map(f, mesh=mesh(), in_specs=part, out_specs=part))


ROWS: dict[str, Callable[[str], str]] = {
    "return value": returned,
    "eager": calls(lambda f: f, 1.0, 2.0),
    "`jit`": calls(jax.jit, 1.0, 2.0),
    "`vmap` of 3": calls(lambda f: jax.jit(jax.vmap(f)), X, 2 * X),
    "`grad`, with a rule": calls(lambda f: jax.jit(jax.grad(f)), 1.0, 2.0, rule=True),
    "`grad`, without one": calls(lambda f: jax.jit(jax.grad(f)), 1.0, 2.0),
    "`jvp`, with a rule": calls(lambda f: lambda x: jax.jvp(f, (x,), (1.0,))[1], 1.0, 2.0, rule=True),
    "`scan` of 3": calls(lambda f: jax.jit(loop(lambda c, y: c + f(y))), X, 13.0),
    "`while_loop` of 3 rounds": calls(lambda f: jax.jit(lambda x: lax.while_loop(lambda c: c < 7, f, x)), 1.0, 8.0),
    "guaranteed: the result is not used": calls(unused, 1.0, 1.0),
    "the same call twice": calls(lambda f: jax.jit(lambda x: f(x) + f(x)), 1.0, 4.0),
    "branch of `cond` not taken": calls(lambda f: jax.jit(lambda x: lax.cond(x > 0, f, abs, x)), -1.0, 1.0),
    "`vmap` of `cond`, taken by 1 of 3": calls(
        lambda f: jax.jit(jax.vmap(lambda x: lax.cond(x > 2, f, abs, x))), X, [1.0, 2.0, 6.0]
    ),
    "`grad` of `scan` of 3": calls(
        lambda f: jax.jit(jax.grad(loop(lambda c, y: c * f(y)))), X, 48 / X, rule=True
    ),
    "... not used": calls(
        lambda f: jax.jit(jax.grad(loop(lambda c, y: (f(lax.stop_gradient(y)), c * y)[1]))), X, 6 / X
    ),
    "... not used, the same in each step": calls(
        lambda f: jax.jit(jax.grad(loop(lambda c, y: (f(1.0), c * y)[1]))), X, 6 / X
    ),
    "`grad` of `checkpoint`": calls(
        lambda f: jax.jit(jax.grad(jax.checkpoint(lambda x: jnp.sin(f(x))))), 1.0, 2 * np.cos(2.0), rule=True
    ),
    "inside `jax.custom_vjp`": calls(in_custom_vjp, 1.0, 2.0),
    f"spread over {DEVICES} devices by the compiler": calls(jax.jit, spread, 2 * np.arange(8.0)),
    f"`shard_map` over {DEVICES} devices": calls(on_each_device, spread, 2 * np.arange(8.0)),
}  # fmt: skip
