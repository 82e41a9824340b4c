"""All semi-private names of JAX that hostwrap uses. No other module uses one."""

from __future__ import annotations

import contextlib
import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

import jax

from hostwrap import _lanes

NEEDED = object()


def find(module: str, name: str, instead: Any = None, lanes: Sequence[str] = ()) -> Any:
    """Look up a name of JAX. If this JAX lacks it, close these lanes and return `instead`."""
    with contextlib.suppress(ImportError, AttributeError):
        return getattr(importlib.import_module(module), name)
    with contextlib.suppress(ImportError):
        return importlib.import_module(f"{module}.{name}")
    if instead is NEEDED:
        raise ImportError(
            f"hostwrap needs {module}.{name}, which this version of jax ({jax.__version__}) does not have; install a "
            "newer hostwrap, or an older jax."
        )
    _lanes.lost(f"{module}.{name}", lanes)
    return instead


# The type of an instance: `jax.extend` names the class, but imports Pallas, which would double our import time.
Primitive: Any = type(jax.lax.add_p)
primitive_batchers: Any = find("jax.interpreters.batching", "primitive_batchers", NEEDED)
lower_fun: Any = find("jax.interpreters.mlir", "lower_fun", NEEDED)
register_lowering: Any = find("jax.interpreters.mlir", "register_lowering", NEEDED)

emit_python_callback: Any = find("jax.interpreters.mlir", "emit_python_callback", lanes=("callback",))
# Without these, ordered effects use the public callback, and unused results are computed.
TokenSet: Any = find("jax.interpreters.mlir", "TokenSet")
dce_rules: Any = find("jax.interpreters.partial_eval", "dce_rules", {})

# Without these, JAX has no derivatives by rules on the host or of side effects, and no error for a missing transpose.
Zero: Any = find("jax.interpreters.ad", "Zero")
is_undefined_primal: Any = find("jax.interpreters.ad", "is_undefined_primal")
primitive_jvps: Any = find("jax.interpreters.ad", "primitive_jvps", {})
primitive_transposes: Any = find("jax.interpreters.ad", "primitive_transposes", {})

sdy: Any = find("jaxlib.mlir.dialects", "sdy", lanes=("native",))
stablehlo: Any = find("jaxlib.mlir.dialects", "stablehlo", lanes=("native",))
ir: Any = find("jax.interpreters.mlir", "ir", lanes=("native",))
dense_int_array: Any = find("jax.interpreters.mlir", "dense_int_array", lanes=("native",))

# ---- tangents


def is_zero(tangent: Any) -> bool:
    """Whether a tangent or cotangent inside a rule of a primitive is a symbolic zero."""
    return type(tangent) is Zero


def zero_tangent(value: Any) -> Any:
    """The symbolic zero: the tangent of a constant."""
    return Zero(jax.typeof(value).to_tangent_aval())


def instantiate(tangent: Any) -> Any:
    """The tangent as an array; that of a symbolic zero varies over the mesh axes of its type."""
    if not is_zero(tangent):
        return tangent
    zeros = jax.numpy.zeros(tangent.aval.shape, tangent.aval.dtype)
    axes = tuple(varying_axes(tangent.aval))
    return jax.lax.pcast(zeros, axes, to="varying") if axes else zeros


# ---- devices and meshes


def devices_of(context: Any) -> tuple[int, str]:
    """The number of devices of a program, and for how many mesh axes shard_map splits it: "all", "some" or "none"."""
    axes = getattr(context.module_context, "axis_context", None)
    if axes is None:  # a later jax may keep it elsewhere
        return jax.device_count(), "none"
    if not hasattr(axes, "manual_axes"):
        return getattr(axes, "num_devices", 1), "none"
    return axes.mesh.size, "all" if set(axes.manual_axes) == set(axes.mesh.axis_names) else "some"


def has_devices(context: Any) -> bool:
    """Whether a program during lowering runs on several devices."""
    return devices_of(context)[0] not in (None, 1)


def mesh_of(context: Any) -> tuple[tuple[str, ...], Any]:
    """The mesh axes (inside shard_map) and the devices of a program during lowering."""
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
    """Make all values vary over the same manual axes: shard_map requires this of the operands of one operation."""
    axes = frozenset().union(*map(varying_axes, values))
    missing = [tuple(axes - varying_axes(x)) for x in values]
    return tuple(jax.lax.pcast(x, m, to="varying") if m else x for x, m in zip(values, missing, strict=True))


def map_alike(values: Sequence[Any]) -> list:
    """Shard the first axis of all operands alike, as vmap requires of the axis that it maps under an explicit mesh."""
    shardings = [getattr(jax.typeof(x), "sharding", None) for x in values]
    specs = [next(iter(getattr(sharding, "spec", ())), None) for sharding in shardings]
    wanted = next((spec for spec in specs if spec is not None), None)
    if wanted is None:
        return list(values)
    return [_spread(x, wanted) if spec is None else x for x, spec in zip(values, specs, strict=True)]


def _spread(value: Any, axes: Any) -> Any:
    sharding, used = jax.typeof(value).sharding, axes if isinstance(axes, tuple) else (axes,)
    rest = [None if set(used) & set(k if isinstance(k, tuple) else (k,)) else k for k in sharding.spec[1:]]
    return jax.sharding.reshard(value, sharding.update(spec=jax.sharding.PartitionSpec(axes, *rest)))


def mapped(function: Callable, values: tuple, cores: Sequence[int], batch: Sequence[int]) -> Any:
    """`vmap` over the batch axes, one after the other; axes of size 1 broadcast."""
    if not batch:
        return function(*values)
    axes, parts = [], []
    for x, core in zip(values, cores, strict=True):
        leading = x.ndim - core == len(batch)
        full = leading and x.shape[0] == batch[0]
        axes.append(0 if full else None)
        parts.append(x[0] if leading and not full else x)
    spread = iter(map_alike([x for x, axis in zip(parts, axes, strict=True) if axis == 0]))
    parts = [x if axis is None else next(spread) for x, axis in zip(parts, axes, strict=True)]
    inner = functools.partial(mapped, function, cores=cores, batch=batch[1:])
    return jax.vmap(lambda *xs: inner(xs), in_axes=tuple(axes), axis_size=batch[0])(*parts)


def array_type(shape: tuple[int, ...], dtype: Any, like: Sequence[Any], batch: int = 0) -> Any:
    """The type of a result that shares its first `batch` axes with operands, and varies and is sharded as they are."""
    axes = frozenset().union(*map(varying_axes, like))
    spec = _shared_spec(shape, like, batch)
    if not axes and not any(spec):
        return jax.core.ShapedArray(shape, dtype)
    operand = next(a for a in like if varying_axes(a) == axes and not a.sharding.mesh.empty)
    sharding = operand.sharding.update(spec=jax.sharding.PartitionSpec(*spec))
    return operand.update(shape=shape, dtype=dtype, weak_type=False, sharding=sharding)


def _shared_spec(shape: tuple[int, ...], like: Sequence[Any], batch: int) -> list:
    """The mesh axes of each axis of the result: those of an operand that has the axis in full size."""
    spec: list[Any] = [None] * len(shape)
    for aval in like:
        given = tuple(getattr(aval.sharding, "spec", ()))[:batch]
        for i, mesh_axes in enumerate(given):
            if mesh_axes is not None and aval.shape[i] == shape[i]:
                spec[i] = mesh_axes
    return spec
