"""Arguments of a call: by position, by keyword, static, and their batch axes."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._call.signature import Signature
from hostwrap._call.ufunc import parameters, ufunc_of
from hostwrap._errors import SignatureError
from hostwrap._host.function import VMAP_METHODS


@dataclasses.dataclass(frozen=True)
class Static:
    """A static argument as a cache key: 1, 1.0 and True are equal for Python, but not for a function."""

    name: str
    value: Hashable
    types: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "types", _types(self.value))


def _types(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_types, value))
    return (type(value), repr(value)) if isinstance(value, float | complex) else type(value)  # -0.0 == 0.0


Statics = tuple[Static, ...]


def as_dict(statics: Statics) -> dict[str, Any]:
    """The statics as keyword arguments."""
    return {s.name: s.value for s in statics}


def bind(
    function: str, signature: inspect.Signature, static: Sequence[str], args: tuple, kwargs: Mapping[str, Any]
) -> tuple[tuple, Statics]:
    """(array arguments in order, statics)."""
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise SignatureError(f"{function}{signature}: {error}.") from None
    bound.apply_defaults()
    statics = tuple(Static(s, bound.arguments[s]) for s in static)
    check_hashable(function, statics)
    return tuple(value for name, value in bound.arguments.items() if name not in static), statics


def refuse_unknown(options: Mapping[str, Any], constructor: Callable) -> None:
    """An option that is not there is an error that lists those that are."""
    known = [p for p in inspect.signature(constructor).parameters if p not in ("self", "function")]
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise SignatureError(
            f"wrap: there is no option {', '.join(unknown)}; the options are {', '.join(known)}."
        )


def check_hashable(function: str, statics: Statics) -> None:
    for s in statics:
        try:
            hash(s.value)
        except TypeError:
            if isinstance(s.value, jax.core.Tracer):
                raise SignatureError(
                    f"{function}: static argument `{s.name}` is traced; make it static for jax.jit too "
                    "(static_argnames), or close over its value."
                ) from None
            raise SignatureError(
                f"{function}: static argument `{s.name}` must be hashable, got {type(s.value).__name__}; "
                "pass a tuple instead of a list or an array."
            ) from None


def check_options(
    name: str,
    signature: inspect.Signature,
    static: Sequence[str],
    out: Any,
    parsed: Signature | None,
    dtype: Any,
    vmap_method: str | None,
    on_error: str,
) -> None:
    """Refuse options that contradict the function or each other, when it is wrapped."""
    for argument in static:
        if argument not in signature.parameters:
            raise SignatureError(f"{name}: static={argument!r} is no argument of {name}{signature}.")
    if out is not None and (parsed is not None or dtype is not None):
        raise SignatureError(f"{name}: out= declares shapes and dtypes; give no signature or dtype with it.")
    if vmap_method is not None and vmap_method not in VMAP_METHODS:
        raise SignatureError(f"{name}: vmap_method={vmap_method!r} must be one of {', '.join(VMAP_METHODS)}.")
    if on_error not in ("raise", "nan"):
        raise SignatureError(f"{name}: on_error={on_error!r} must be one of raise, nan.")
    arrays = [p for p in signature.parameters if p not in static]
    variadic = any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values())
    if parsed is not None and not variadic and len(parsed.ins) != len(arrays):
        raise SignatureError(
            f"{name}: signature {parsed.text!r} has {len(parsed.ins)} inputs, but {name}{signature} "
            f"takes {len(arrays)} arrays ({', '.join(arrays)})."
        )


def mapped(function: Callable, values: tuple, cores: Sequence[int], batch: Sequence[int]) -> Any:
    """vmap over the leading axes, one after the other; size-1 axes broadcast."""
    if not batch:
        return function(*values)
    axes, parts = [], []
    for x, core in zip(values, cores, strict=True):
        leading = x.ndim - core == len(batch)
        full = leading and x.shape[0] == batch[0]
        axes.append(0 if full else None)
        parts.append(x[0] if leading and not full else x)
    inner = functools.partial(mapped, function, cores=cores, batch=batch[1:])
    return jax.vmap(lambda *xs: inner(xs), in_axes=tuple(axes), axis_size=batch[0])(*parts)


def signature_of(function: Callable) -> inspect.Signature:
    """Python's signature of the function; of a ufunc, its arguments as they are documented."""
    if ufunc_of(function) is not None:
        return parameters(function)
    try:
        return inspect.signature(function.pyfunc if isinstance(function, np.vectorize) else function)
    except (TypeError, ValueError):
        raise SignatureError(
            f"wrap: {function!r} has no Python signature; wrap a small Python function that calls it."
        ) from None
