"""Which dtype an argument gets: JAX's promotion, in which integers stand for real numbers of the default precision."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import RuleError, SignatureError
from hostwrap._host.layout import broadcast_shapes

_NO_NUMBERS = (
    str,
    bytes,
    type,
    list,
    tuple,
    np.ma.MaskedArray,
    jax.ShapeDtypeStruct,
)  # to jnp.result_type "f4" is a type
_KINDS: dict[Any, str] = {float: "f", complex: "c", int: "i", bool: "b"}


def promote(
    function: str, names: Sequence[str], values: Sequence[Any], discrete: Sequence[bool], convert: Callable
) -> list:
    """The values as arrays: integers and booleans become floats (unless `discrete`), all in one precision."""
    types = tuple(_type(function, name, value) for name, value in zip(names, values, strict=True))
    try:
        targets = _targets(types, tuple(discrete), x64_enabled())
    except ValueError as error:  # jax.dtypes.TypePromotionError, where it has this name
        raise no_common_type(function, error) from None
    with np.errstate(over="ignore"):
        arrays = [convert(value, dtype=target) for value, target in zip(values, targets, strict=True)]
    _check_shapes(function, names, arrays)
    return arrays


def settle(function: str, leaves: Sequence[Any]) -> list:
    """What eager and compiled calls both see: JAX's dtypes, and Python's numbers in the precision of the others."""
    leaves = [x if isinstance(x, jax.Array) else _canonical_array(function, x) for x in leaves]
    weak = [type(x) in (float, complex) or getattr(x, "weak_type", False) for x in leaves]
    if not any(weak):
        return list(leaves)
    numbers = [x for x in leaves if type(x) in (float, complex) or _is_inexact(getattr(x, "dtype", None))]
    try:
        real = precision([_sample(_type("", "", x)) for x in numbers])
    except ValueError as error:  # jax.dtypes.TypePromotionError, where it has this name
        raise no_common_type(function, error) from None
    return [_settled(x, real) if w else x for x, w in zip(leaves, weak, strict=True)]


def _canonical_array(function: str, value: Any) -> Any:
    """NumPy's arrays and Python's integers in the dtype that JAX gives them (32 bits, if x64 is off)."""
    if not isinstance(value, np.ndarray | np.generic | int) or np.asarray(value).dtype.kind not in "iufc":
        return value
    wide, dtype = np.asarray(value), canonical(np.asarray(value).dtype)
    if wide.dtype == dtype:
        return value if isinstance(value, np.ndarray) else wide
    with np.errstate(over="ignore"):
        array = wide.astype(dtype)
    if dtype.kind in "iu" and not np.array_equal(array, wide):
        raise SignatureError(
            f"{function}: an integer in {value!r:.60} does not fit {dtype}; enable x64 in JAX."
        )
    return array


def _is_inexact(dtype: Any) -> bool:
    return dtype is not None and jnp.issubdtype(dtype, jnp.inexact)


def _settled(value: Any, real: np.dtype) -> Any:
    if not jnp.issubdtype(jnp.result_type(value), jnp.inexact):
        return value
    dtype = result_dtype("c" if jnp.iscomplexobj(value) else "f", real)
    return jnp.asarray(value, dtype) if isinstance(value, jax.Array) else np.asarray(value, dtype)


def _sample(kind: Any) -> Any:
    """Something of this type for `jnp.result_type`; Python's numbers stand for weak types."""
    if isinstance(kind, type):
        return kind(0)
    dtype, weak = kind
    return {"f": 0.0, "c": 0j, "i": 0, "b": False}[dtype.kind] if weak else dtype


def _type(function: str, name: str, value: Any) -> Any:
    """A number's Python type, or (dtype, weak type) of an array: all that promotion depends on."""
    if type(value) in _KINDS:
        return type(value)
    return check_number(function, name, value), getattr(value, "weak_type", False)


@functools.lru_cache(maxsize=4096)
def _targets(types: tuple, discrete: tuple[bool, ...], x64: bool) -> tuple[np.dtype, ...]:
    """`x64` is in the key because JAX's promotion depends on it."""
    samples = list(map(_sample, types))
    dtypes = [np.dtype(jnp.result_type(s)) for s in samples]
    inexact = [s for s, d in zip(samples, dtypes, strict=True) if jnp.issubdtype(d, jnp.inexact)]
    real = precision(inexact)
    return tuple(
        result_dtype("i", real)  # not its own type, in which n - 1 may wrap
        if integer and not jnp.issubdtype(d, jnp.inexact)
        else result_dtype("c" if jnp.issubdtype(d, jnp.complexfloating) else "f", real)
        for d, integer in zip(dtypes, discrete, strict=True)
    )


def x64_enabled() -> bool:
    return bool(jax.config.jax_enable_x64)  # type: ignore[attr-defined]


def precision(inexact: Sequence[Any]) -> np.dtype:
    """The real dtype of these together; the default float if there are none."""
    return np.dtype(jnp.finfo(jnp.result_type(*inexact) if inexact else jnp.result_type(float)).dtype)


def no_common_type(function: str, error: Exception) -> SignatureError:
    """JAX promotes no float8, for one, to what stands beside it."""
    return SignatureError(f"{function}: the arguments have no common type. {error}")


def _check_shapes(function: str, names: Sequence[str], arrays: Sequence[Any]) -> None:
    shapes = [a.shape for a in arrays]
    if len({s for s in shapes if s}) > 1:
        try:
            broadcast_shapes(*shapes)
        except ValueError:
            given = ", ".join(f"{n}: {s}" for n, s in zip(names, shapes, strict=True))
            raise SignatureError(f"{function}: the arguments do not broadcast together: {given}.") from None


def check_number(function: str, name: str, value: Any, hint: str = "") -> Any:
    """The dtype JAX gives the value; an error that names the argument if it is no number."""
    if isinstance(value, jax.Array) and isinstance(value.dtype, np.dtype) and value.dtype.kind in "biufc":
        return value.dtype  # canonical already
    try:
        dtype = jnp.result_type(value)
        numeric = jnp.issubdtype(dtype, jnp.number) or dtype == np.bool_
        numeric = numeric and getattr(getattr(value, "dtype", dtype), "isnative", True)
    except (TypeError, ValueError):
        numeric = False
    if not numeric or value is None or isinstance(value, _NO_NUMBERS):
        came = f"{type(value).__name__}: {value!r:.80}"
        hint = _way_out(value) or hint
        raise SignatureError(
            f"{function}: `{name}` must be a number or an array of numbers, got {came}{hint}."
        )
    return dtype


def _way_out(value: Any) -> str:
    """What to do with an array of NumPy that is none of JAX."""
    if isinstance(value, np.ma.MaskedArray):
        return "; a masked array has to be filled first, with x.filled(..)"
    if isinstance(value, np.ndarray) and value.dtype.kind in "iufc":
        return f" of dtype {value.dtype}, which JAX has not; convert it with x.astype(..)"
    return ""


def check_real(what: str, value: Any, result: Any) -> None:
    """A complex derivative of a real result: casting it would drop the imaginary part without a word."""
    if jnp.iscomplexobj(value) and not jnp.iscomplexobj(result):
        raise RuleError(
            f"{what} must be real, as the result is. (A real function of complex arguments is not holomorphic: "
            "give its rule with defjvp.)"
        )


def result_dtype(kind: str, real: Any) -> np.dtype:
    """The dtype of a result: kind `f`, `c`, `i` or `b`, in the precision of `real`."""
    if kind == "f":
        return np.dtype(real)
    if kind == "c":
        return np.dtype(np.complex128 if np.dtype(real).itemsize == 8 else np.complex64)
    return np.dtype(bool) if kind == "b" else np.dtype(jnp.result_type(int))


def kind_of(dtype: Any) -> str:
    """`f`, `c`, or NumPy's letter for integers and bool; bfloat16 is a float too."""
    return "f" if jnp.issubdtype(dtype, jnp.floating) else np.dtype(dtype).kind


def declared_dtype(declared: Any, dtypes: Sequence[Any]) -> np.dtype:
    """The dtype of a result: as declared, or of that kind in the precision of the arguments, or theirs."""
    if declared is not None and declared not in _KINDS:
        return canonical(declared)
    inexact = [d for d in dtypes if jnp.issubdtype(d, jnp.inexact)]
    default = "c" if any(jnp.issubdtype(d, jnp.complexfloating) for d in dtypes) else "f"
    return result_dtype(_KINDS.get(declared, default), precision(inexact))


def canonical(dtype: Any) -> np.dtype:
    return np.dtype(jax.dtypes.canonicalize_dtype(dtype))
