"""From which device a call comes: known only when a program is lowered, so it travels as a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._lanes.compiler import Primitive, array_type, lower_fun, mesh_of, register_lowering, vary

_met: list[jax.Device] = []  # a device is its place in this list


def number_of(device: jax.Device) -> int:
    """The number that a device travels as."""
    if device not in _met:
        _met.append(device)
    return _met.index(device)


def device_of(number: Any) -> jax.Device:
    """The device of a number."""
    return _met[int(number)]


def current(leaves: Sequence[Any]) -> Any:
    """The number of the device that the call runs on: of the arrays here and now, or of the program to be."""
    if not any(isinstance(x, jax.core.Tracer) for x in leaves):
        return np.int32(number_of(_device_of_arrays(leaves)))
    axes = jax.sharding.get_abstract_mesh().manual_axes
    if axes:
        places = vary([jax.lax.axis_index(name) for name in axes])
        return device_p.bind(*places, axes=tuple(axes))
    return device_p.bind(_needs_devices(), axes=())


def _device_of_arrays(leaves: Sequence[Any]) -> jax.Device:
    placed = [device for x in leaves if isinstance(x, jax.Array) for device in x.devices()]
    return placed[0] if placed else next(iter(jnp.zeros(()).devices()))


def _needs_devices() -> Any:
    """JAX tells the devices only to programs that might call back; XLA drops this callback, which nobody needs."""
    return jax.pure_callback(
        lambda: np.int32(0), jax.ShapeDtypeStruct((), np.int32), vmap_method="sequential"
    )


device_p = Primitive("device_of_call")
device_p.def_abstract_eval(lambda *avals, axes: array_type((), np.dtype(np.int32), avals))
device_p.def_impl(lambda *_, axes: jnp.int32(number_of(_device_of_arrays([]))))


def _lower(ctx: Any, *operands: Any, axes: tuple[str, ...]) -> Any:
    names, devices = mesh_of(ctx)
    if devices is None:
        raise SignatureError("the device of a call is not known where a program is lowered for no device.")
    table = np.vectorize(number_of, otypes=[np.int32])(np.array(devices, object))

    def look_up(*places: Any) -> Any:
        if not axes:
            return jnp.int32(table.ravel()[0])
        return jnp.asarray(table)[tuple(places[axes.index(name)] if name in axes else 0 for name in names)]

    return lower_fun(look_up, multiple_results=False)(ctx, *operands)


register_lowering(device_p, _lower, cacheable=False)
