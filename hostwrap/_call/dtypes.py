"""The dtypes of arguments and results: policies, each a subclass of `Dtypes`.

* `Kept`, for `wrap`: an array keeps its dtype, an integer stays an integer, and a Python number takes the precision of
  the arrays. A result has its declared dtype; else it is real or complex, in the common precision of the arguments.
* `Loops`, for `wrap` of a ufunc: NumPy chooses the loop, which gives the dtypes of arguments and results. An integer
  that NumPy would make a real number gets the precision of the other arguments.

`special` has one of its own (`special/_dtypes.py`). All policies use 64 bits only with `jax_enable_x64`. If no argument
is floating-point, the precision is JAX's default.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import RuleError, SignatureError, more_than_numbers

_NO_NUMBERS = (str, bytes, type, list, tuple, jax.ShapeDtypeStruct)  # jnp.result_type takes "f4" for a dtype
_NUMBERS = (np.ndarray, np.generic, jax.Array, int, float, complex)
_PROTOCOLS = ("__array__", "__array_interface__", "__jax_array__")  # which sparse arrays do not have
_KINDS: dict[Any, str] = {float: "f", complex: "c", int: "i", bool: "b"}


class Dtypes:
    """A policy: how the arguments of a call are converted, and which dtypes its results have."""

    def __init__(self, function: str) -> None:
        self.function = function

    def convert(self, names: Sequence[str], values: Sequence[Any], now: bool) -> list:
        """The arguments in their dtypes; for a call `now`, outside of a trace, they may be NumPy arrays."""
        raise NotImplementedError

    def results(self, dtypes: Sequence[Any], count: int) -> list[np.dtype]:
        """The dtypes of the results, for arguments of these dtypes."""
        raise NotImplementedError

    def no_common_type(self, error: ValueError) -> SignatureError:
        """The error for jax.dtypes.TypePromotionError: JAX promotes no float8, for example."""
        return SignatureError(f"{self.function}: the arguments have no common type. {error}")


class Kept(Dtypes):
    """JAX's dtypes, with Python numbers in the precision of the others; `declared` is the option `dtype`."""

    def __init__(self, function: str, declared: Any, elementwise: bool) -> None:
        super().__init__(function)
        self.declared, self.elementwise = declared, elementwise

    def convert(self, names: Sequence[str], values: Sequence[Any], now: bool) -> list:
        if all(map(_is_kept, values)):
            return list(values)
        leaves = [self._leaf(n, x) for n, x in zip(names, values, strict=True)]
        weak = [type(x) in (float, complex) or getattr(x, "weak_type", False) for x in leaves]
        if not any(weak):
            return leaves
        inexact = [type(x) in (float, complex) or _is_inexact(x) for x in leaves]
        rows = zip(names, leaves, inexact, strict=True)
        try:
            real = precision([sample(type_of(self.function, n, x)) for n, x, i in rows if i])
        except ValueError as error:
            raise self.no_common_type(error) from None
        return [_with_precision(x, real) if w else x for x, w in zip(leaves, weak, strict=True)]

    def _leaf(self, name: str, value: Any) -> Any:
        """The value; NumPy arrays and Python integers get the dtype that JAX gives them (32 bits if x64 is off)."""
        if is_key(value):
            return self._key(name, value)
        if not isinstance(value, np.ndarray | np.generic | int) or more_than_numbers(value):
            return value  # `check_number` refuses it later if it is no number
        wide = np.asarray(value)
        if type(value) is int and wide.dtype.kind == "O":
            raise does_not_fit(self.function, name, value, canonical(np.int64))
        if wide.dtype.kind not in "iufc":
            return value
        dtype = canonical(wide.dtype)
        if wide.dtype == dtype:
            return value if isinstance(value, np.ndarray) else wide
        with np.errstate(over="ignore"):
            array = wide.astype(dtype)
        if dtype.kind in "iu" and not np.array_equal(array, wide):
            raise does_not_fit(self.function, name, value, dtype)
        return array

    def _key(self, name: str, key: Any) -> Any:
        """The data of a random key, with an axis of their own at the end, as in jax.pure_callback."""
        if self.elementwise:
            raise SignatureError(
                f"{self.function}: `{name}` must be a number or an array of numbers, got {type(key).__name__}; a "
                "random key is an array of uint32 on the host, of shape (2,) for most kinds of keys, and an "
                "elementwise function has no place for that axis. Declare it with a signature, such as '(k),()->()', "
                "or give the results with out=."
            )
        return jax.random.key_data(key)

    def results(self, dtypes: Sequence[Any], count: int) -> list[np.dtype]:
        given = self.declared if isinstance(self.declared, tuple | list) else [self.declared] * count
        if len(given) != count:
            raise SignatureError(f"{self.function}: dtype= has {len(given)} entries for {count} results.")
        try:
            return [declared_dtype(self.function, d, dtypes) for d in given]
        except ValueError as error:
            raise self.no_common_type(error) from None


_PLAIN = frozenset(map(np.dtype, "?bhilBHILfdFD"))  # those that JAX has, too, in native byte order


def _is_kept(value: Any) -> bool:
    """A quick test for values that need no conversion: arrays of a dtype that JAX has."""
    if type(value) is np.ndarray:
        return value.dtype in _PLAIN and canonical(value.dtype) == value.dtype
    return isinstance(value, jax.Array) and isinstance(value.dtype, np.dtype) and not value.weak_type


def is_key(value: Any) -> bool:
    """Whether the value is a key of jax.random.key, or an array of keys."""
    return isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key)


def does_not_fit(function: str, name: str, value: Any, dtype: np.dtype) -> SignatureError:
    came, way_out = f"{value!r:.60}" if type(value) is not int else f"{value.bit_length()} bits", ""
    if dtype.kind in "iu":
        small = type(value) is not int or value.bit_length() < 64
        way_out = "; enable x64 in JAX" if small and not x64_enabled() else "; pass a floating-point number"
    return SignatureError(f"{function}: an integer in `{name}` does not fit {dtype} ({came}){way_out}.")


def _is_inexact(value: Any) -> bool:
    dtype = getattr(value, "dtype", None)
    return isinstance(dtype, np.dtype) and jnp.issubdtype(dtype, jnp.inexact) and not more_than_numbers(value)


def _with_precision(value: Any, real: np.dtype) -> Any:
    if not jnp.issubdtype(jnp.result_type(value), jnp.inexact):
        return value
    dtype = result_dtype("c" if jnp.iscomplexobj(value) else "f", real)
    return jnp.asarray(value, dtype) if isinstance(value, jax.Array) else np.asarray(value, dtype)


def sample(kind: Any) -> Any:
    """A value of this type for `jnp.result_type`; Python numbers stand for weak types."""
    if isinstance(kind, type):
        return kind(0)
    dtype, weak = kind
    return {"f": 0.0, "c": 0j, "i": 0, "b": False}[dtype.kind] if weak else dtype


def type_of(function: str, name: str, value: Any) -> Any:
    """All that promotion depends on: the type of a Python number, or (dtype, weak type) of an array."""
    if type(value) in _KINDS:
        return type(value)
    return check_number(function, name, value), getattr(value, "weak_type", False)


def x64_enabled() -> bool:
    return bool(jax.config.jax_enable_x64)  # type: ignore[attr-defined]


def precision(inexact: Sequence[Any]) -> np.dtype:
    """The common real dtype of these; the default float if there are none.

    A real order beside a complex argument is no mixture of dtypes: JAX's strict promotion lets it pass.
    """
    reals = [0.0 if isinstance(x, (float, complex)) else jnp.finfo(jnp.result_type(x)).dtype for x in inexact]
    return np.dtype(jnp.result_type(*reals) if reals else jnp.finfo(jnp.result_type(float)).dtype)


def check_number(function: str, name: str, value: Any, hint: str = "") -> Any:
    """The dtype that JAX gives the value; raises an error that names the argument if it is no number."""
    if isinstance(value, jax.Array) and isinstance(value.dtype, np.dtype) and value.dtype.kind in "biufc":
        return value.dtype  # canonical already
    if type(value) is np.ndarray and value.dtype in _PLAIN:
        return canonical(value.dtype)
    try:
        dtype = jnp.result_type(value)
        numeric = jnp.issubdtype(dtype, jnp.number) or dtype == np.bool_
        numeric = numeric and getattr(getattr(value, "dtype", dtype), "isnative", True)
        numeric = numeric and (isinstance(value, _NUMBERS) or any(hasattr(value, p) for p in _PROTOCOLS))
    except (TypeError, ValueError):
        numeric = False
    if not numeric or value is None or isinstance(value, _NO_NUMBERS) or more_than_numbers(value):
        came = f"{type(value).__name__}: {value!r:.80}"
        way_out = _way_out(value) or hint.format(name)
        raise SignatureError(
            f"{function}: `{name}` must be a number or an array of numbers, got {came}{way_out}."
        )
    return dtype


def _way_out(value: Any) -> str:
    """The advice for a value that is no array of numbers in JAX."""
    if more := more_than_numbers(value):
        return f"; {more}"
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "iufc":
        return f" of dtype {value.dtype}, which JAX does not have; convert it with x.astype(float)"
    if is_key(value):
        return "; a random key is none: take its data, jax.random.key_data(..)"
    if isinstance(value, list | tuple):
        return "; make an array of it, with jax.numpy.array(..)"
    if hasattr(value, "todense"):
        method = "toarray" if hasattr(value, "toarray") else "todense"
        return f"; a sparse array has to be made dense first, with x.{method}()"
    return ""


def check_real(what: str, value: Any, result: Any) -> None:
    """Raise if the derivative of a real result is complex: a cast would silently drop the imaginary part."""
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
    """`f`, `c`, or NumPy's letter for integers and bool; bfloat16 is a float, too."""
    return "f" if jnp.issubdtype(dtype, jnp.floating) else np.dtype(dtype).kind


def declared_dtype(function: str, declared: Any, dtypes: Sequence[Any]) -> np.dtype:
    """The dtype of a result: the declared one; or its kind, else the kind of the arguments, in their precision."""
    if declared is not None and declared not in _KINDS:
        return as_declared(function, declared)
    inexact = [d for d in dtypes if jnp.issubdtype(d, jnp.inexact)]
    default = "c" if any(jnp.issubdtype(d, jnp.complexfloating) for d in dtypes) else "f"
    return result_dtype(_KINDS.get(declared, default), precision(inexact))


def as_declared(function: str, declared: Any) -> np.dtype:
    """The declared dtype of a result; raises rather than silently turn 64 bits into 32."""
    dtype = canonical(declared)
    if dtype != np.dtype(declared):
        raise SignatureError(
            f"{function}: a result is declared {np.dtype(declared)}, but without jax_enable_x64 JAX has {dtype} in its "
            f"place; declare {dtype}, or call jax.config.update('jax_enable_x64', True) before."
        )
    return dtype


def canonical(dtype: Any) -> np.dtype:
    """The dtype that JAX uses in place of this one."""
    return _canonical(dtype, x64_enabled())


@functools.lru_cache(maxsize=256)
def _canonical(dtype: Any, x64: bool) -> np.dtype:
    return np.dtype(jax.dtypes.canonicalize_dtype(dtype))


# ---- integers that are known during a trace: an axis, a degree, an option


class Counts(dict[int, np.ndarray]):
    """Known integers by their index among the leaves of a call; compared and hashed by value and dtype."""

    @property
    def key(self) -> tuple:
        return tuple((i, x.item(), x.dtype) for i, x in self.items())

    def among(self, leaves: Sequence[Any]) -> list:
        """The leaves, with these integers in their places."""
        return [self.get(i, x) for i, x in enumerate(leaves)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Counts) and self.key == other.key

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self.key)


def operands(leaves: Sequence[Any]) -> list:
    """The leaves as JAX arrays; Python and NumPy integers without axes stay NumPy's."""
    known = [x if isinstance(x, jax.Array) else np.asarray(x) for x in leaves]
    return [x if _is_count(x) else jnp.asarray(x) for x in known]


def counts(leaves: Sequence[Any]) -> Counts:
    return Counts((i, x) for i, x in enumerate(leaves) if _is_count(x))


def _is_count(x: Any) -> bool:
    return isinstance(x, np.ndarray) and not x.ndim and x.dtype.kind in "biu"
