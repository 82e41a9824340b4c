"""The traced program computes what the host computes: where a derivative is taken, both values are compared.

XLA compares them: they are both there. Only where they differ by more than rounding, the host is called with the two
values, and raises an error. The tangent is multiplied by what that call returns: so nobody has the derivative without
the comparison. Under `vmap` both branches of a `lax.cond` are computed, and the host compares once more.

Rounding is `RTOL` of the largest magnitude in the result, and `ATOL` of 1, for a result in which large numbers cancel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._call.spec import Spec
from hostwrap._errors import ResultError
from hostwrap._host.function import HostFunction, HostOptions
from hostwrap._host.layout import Layout, Result
from hostwrap._lanes.primitive import host_call

RTOL = {8: 1e-8, 4: 1e-3, 2: 1e-1}
ATOL = {8: 1e-13, 4: 1e-5, 2: 1e-2}


def checked(
    spec: Spec, answers: Sequence[Any], values: Sequence[Any], tangents: Sequence[Any], rough: float = 0.0
) -> list:
    """The tangents, which cannot be had where the traced `values` are not the host's `answers`.

    They may be apart by `rough`, relative to the largest, if that is more than rounding: where the code has solvers.
    """
    moving = [i for i, t in enumerate(tangents) if t.dtype != jax.dtypes.float0]
    if not moving:
        return list(tangents)
    values = [jnp.broadcast_to(v, y.shape) for y, v in zip(answers, values, strict=True)]
    found: list[list] = jax.lax.stop_gradient([list(answers), values])
    excess = _excess(*found, rough)
    if not isinstance(excess, jax.core.Tracer):  # outside of a program
        if not excess <= 1:
            _refusal(spec.name)(np.asarray(excess), *map(np.asarray, _worst(*found, rough)))
        return list(tangents)
    fail = HostFunction(
        _refusal(spec.name),
        name=spec.name,
        argnames=("excess", "host", "traced"),
        options=HostOptions(on_error=spec.options.on_error),
    )
    layout = Layout((0, 0, 0), (Result((), np.dtype(excess.dtype)),))
    one = jax.lax.cond(
        excess <= 1,
        lambda: jnp.ones_like(excess),
        lambda: host_call(fail, layout, excess, *_worst(*found, rough))[0],
    )
    one = jax.lax.stop_gradient(one)
    return [t * one.astype(t.dtype) if i in moving else t for i, t in enumerate(tangents)]


def _apart(host: Any, traced: Any, rough: float) -> tuple[Any, Any]:
    """(how far they are apart, how far rounding may bring them)."""
    width = jnp.finfo(host.dtype).dtype.itemsize if jnp.issubdtype(host.dtype, jnp.inexact) else 8
    if host.dtype.kind in "biu":
        host, traced = (x.astype(jnp.result_type(float)) for x in (host, traced))
    size = jnp.abs(host)
    same = (host == traced) | ((host != host) & (traced != traced))
    scale = jnp.max(jnp.where(size < jnp.inf, size, 0), initial=0)
    return jnp.where(same, 0, jnp.abs(host - traced)), jnp.maximum(RTOL[width], rough) * scale + ATOL[width]


@jax.jit
def _excess(answers: list, values: list, rough: float) -> Any:
    """By how much more than rounding allows they differ: not more than 1, or too much, or NaN."""
    pairs = [_apart(y, v, rough) for y, v in zip(answers, values, strict=True)]
    worst = jnp.stack([jnp.max(apart, initial=0) / allowed for apart, allowed in pairs])
    return jnp.max(worst).astype(jnp.result_type(float))


@jax.jit
def _worst(answers: list, values: list, rough: float) -> list:
    """The two numbers that differ most."""
    rows = []
    for y, v in zip(answers, values, strict=True):
        if y.size:
            apart, allowed = _apart(jnp.ravel(y), jnp.ravel(v), rough)
            apart = jnp.where(jnp.isnan(apart), jnp.inf, apart) / allowed
            at = jnp.argmax(apart)
            numbers = (apart[at], jnp.real(jnp.ravel(y)[at]), jnp.real(jnp.ravel(v)[at]))
            rows.append([x.astype(jnp.result_type(float)) for x in numbers])
    excess, host, traced = (jnp.stack(column) for column in zip(*rows, strict=True))
    return [host[jnp.argmax(excess)], traced[jnp.argmax(excess)]]


def _refusal(name: str) -> Any:
    def refuse(excess: np.ndarray, host: np.ndarray, traced: np.ndarray) -> tuple:
        if not np.all(excess <= 1):
            at = np.argmax(np.nan_to_num(excess, nan=np.inf))
            found, traced_one = (float(np.ravel(x)[at]) for x in (host, traced))
            raise ResultError(
                f"{name}: its derivative would be wrong. The function returned {found!r}, the program that was traced "
                f"from its code {traced_one!r}. Does it depend on something else than its arguments, such as a global "
                "variable, a random number, or memory that nobody wrote to? Then pass that as an argument. Else give a "
                'rule, or numerical=True. (derivatives="unchecked" leaves out the comparison.)'
            )
        return (np.ones(np.shape(excess)),)

    return refuse
