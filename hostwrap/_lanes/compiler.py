"""The semi-private names of JAX that hostwrap uses: here and nowhere else, each with a way to do without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from jax.interpreters.batching import primitive_batchers
from jax.interpreters.mlir import lower_fun, register_lowering

from hostwrap import _lanes

Primitive: Any
try:  # `jax.extend` has the class under its name, and imports Pallas with it: half of the time that our import takes
    Primitive = type(jax.lax.add_p)
except AttributeError:
    from jax.extend.core import Primitive

emit_python_callback: Any
try:
    from jax.interpreters.mlir import emit_python_callback
except ImportError:  # a later jax moved it: the public lane goes on working
    emit_python_callback = None
    _lanes.close("callback", "jax.interpreters.mlir has no emit_python_callback in this version of jax")

TokenSet: Any
try:
    from jax.interpreters.mlir import TokenSet
except ImportError:  # ordered effects then go by the public callback
    TokenSet = None

dce_rules: Any
try:
    from jax.interpreters.partial_eval import dce_rules
except ImportError:  # results that nobody uses are then computed all the same
    dce_rules = {}

Zero: Any
is_undefined_primal: Any
primitive_jvps: Any
primitive_transposes: Any
try:
    from jax.interpreters.ad import Zero, is_undefined_primal, primitive_jvps, primitive_transposes
except (
    ImportError
):  # then JAX refuses derivatives by rules on the host, of side effects, and of what has no transpose
    Zero, is_undefined_primal, primitive_jvps, primitive_transposes = None, None, {}, {}


def is_zero(tangent: Any) -> bool:
    """Whether a tangent or cotangent inside a rule of a primitive is a symbolic zero."""
    return type(tangent) is Zero


def zero_tangent(value: Any) -> Any:
    """The symbolic zero that is the tangent of a value which does not move."""
    return Zero(jax.typeof(value).to_tangent_aval())


def instantiate(tangent: Any) -> Any:
    """A symbolic zero written out, varying over the mesh axes that its type says."""
    if not is_zero(tangent):
        return tangent
    zeros = jax.numpy.zeros(tangent.aval.shape, tangent.aval.dtype)
    axes = tuple(varying_axes(tangent.aval))
    return _cast(zeros, axes) if axes else zeros


def devices_of(context: Any) -> tuple[int, str]:
    """On how many devices a program runs that is being lowered, and over which mesh axes each has its own part.

    All of them (inside shard_map), some, or none: there the compiler spreads arrays and operations.
    """
    axes = context.module_context.axis_context
    if not hasattr(axes, "manual_axes"):
        return getattr(axes, "num_devices", 1), "none"
    return axes.mesh.size, "all" if set(axes.manual_axes) == set(axes.mesh.axis_names) else "some"


def mesh_of(context: Any) -> tuple[tuple[str, ...], Any]:
    """Mesh axes (inside shard_map) and devices of a program that is being lowered."""
    axes = context.module_context.axis_context
    if hasattr(axes, "manual_axes"):
        return tuple(axes.mesh.axis_names), axes.mesh.devices
    return (), axes.device_assignment


def varying_axes(value: Any) -> frozenset:
    """The manual mesh axes (of shard_map) over which a value or its type varies."""
    aval = value if isinstance(value, jax.core.ShapedArray) else jax.typeof(value)
    axes = aval.mat.varying if hasattr(aval, "mat") else getattr(aval, "vma", ())
    return frozenset(axes)


def vary(values: Sequence[Any]) -> tuple:
    """All values varying over the same manual axes, as shard_map wants the operands of one operation."""
    axes = frozenset().union(*map(varying_axes, values))
    return tuple(_cast(x, tuple(axes - varying_axes(x))) if axes - varying_axes(x) else x for x in values)


def _cast(value: Any, axes: tuple) -> Any:
    lax: Any = jax.lax
    return lax.pcast(value, axes, to="varying") if hasattr(lax, "pcast") else lax.pvary(value, axes)


def array_type(shape: tuple[int, ...], dtype: Any, like: Sequence[Any], batch: int = 0) -> Any:
    """The abstract type of a result that has the first `batch` axes in common with the operands.

    It varies over the manual mesh axes of the operands, and under an explicit mesh it is sharded as they are.
    """
    axes = frozenset().union(*map(varying_axes, like))
    spec = _shared_spec(shape, like, batch)
    if not axes and not any(spec):
        return jax.core.ShapedArray(shape, dtype)
    operand = next(a for a in like if varying_axes(a) == axes and not a.sharding.mesh.empty)
    sharding = operand.sharding.update(spec=jax.sharding.PartitionSpec(*spec))
    return operand.update(shape=shape, dtype=dtype, weak_type=False, sharding=sharding)


def _shared_spec(shape: tuple[int, ...], like: Sequence[Any], batch: int) -> list:
    """Mesh axes of each axis of the result: those of the operand that has the axis in full size."""
    spec: list[Any] = [None] * len(shape)
    for aval in like:
        given = tuple(getattr(aval.sharding, "spec", ()))[:batch]
        for i, mesh_axes in enumerate(given):
            if mesh_axes is not None and aval.shape[i] == shape[i]:
                spec[i] = mesh_axes
    return spec


__all__ = [
    "Primitive",
    "TokenSet",
    "Zero",
    "array_type",
    "dce_rules",
    "devices_of",
    "emit_python_callback",
    "instantiate",
    "is_undefined_primal",
    "is_zero",
    "lower_fun",
    "mesh_of",
    "primitive_batchers",
    "primitive_jvps",
    "primitive_transposes",
    "register_lowering",
    "vary",
    "varying_axes",
    "zero_tangent",
]
