"""What NumPy tells of a ufunc, so that you need not declare it: argument names, dtypes, core axes."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._call.dtypes import Kept, canonical, check_number, precision, x64_enabled
from hostwrap._errors import SignatureError
from hostwrap._host.numpy_ops import ufunc_of

_owners: list[Any] = []


def on_objects(ufunc: np.ufunc) -> bool:
    """Whether the ufunc calls Python for each element, like those of numpy.frompyfunc."""
    return bool(ufunc.types) and all("O" in types for types in ufunc.types)


def parameters(function: Any) -> inspect.Signature:
    """The parameters of a ufunc, with the names of its documentation, or else x1, x2, ..."""
    ufunc: Any = ufunc_of(function)
    own = getattr(function, "__wrapped__", None)  # the Python function that numba compiles
    documented = [list(inspect.signature(own).parameters)] if own is not None else _documented(ufunc)
    plain = [f"x{i + 1}" for i in range(ufunc.nin)]
    names = next((n for n in documented if len(n) == ufunc.nin and n != plain), plain)
    return inspect.Signature([inspect.Parameter(n, inspect.Parameter.POSITIONAL_ONLY) for n in names])


def _documented(ufunc: np.ufunc) -> list[list[str]]:
    """The argument names in each line of the documentation such as `jv(v, z, out=None)`."""
    heads = re.findall(rf"^\s*{re.escape(ufunc.__name__)}\(([^)=]*)", ufunc.__doc__ or "", re.MULTILINE)
    names = [re.findall(r"[A-Za-z_]\w*", head)[: ufunc.nin] for head in heads]
    return [n for n in names if len(set(n)) == len(n)]


def notation_of(function: Any) -> str | None:
    """The signature of a ufunc or numpy.vectorize object, for `wrap`; optional axes become required."""
    if isinstance(function, np.vectorize):
        return function.signature
    ufunc = ufunc_of(function)
    if ufunc is None:
        return None
    plain = f"{','.join(['()'] * ufunc.nin)}->{','.join(['()'] * ufunc.nout)}"
    return re.sub(r"\?|\|1", "", ufunc.signature) if ufunc.signature else plain


class Loops(Kept):
    """The loops of a ufunc in JAX's dtypes, and how to call them.

    NumPy chooses the loop. An integer that NumPy would convert to a floating-point number follows JAX's rule instead:
    it takes the precision of the other arguments, or else JAX's default.
    """

    def __init__(self, name: str, called: Any, declared: Any, elementwise: bool) -> None:
        super().__init__(name, declared, elementwise)
        self.called = called
        self.ufunc: Any = ufunc_of(called)
        self.names = tuple(parameters(called).parameters)
        self._types = functools.lru_cache(maxsize=256)(self._types_of)

    def __call__(self, *arrays: np.ndarray) -> Any:
        """Call the ufunc without warnings: NumPy's errstate belongs to a thread, and any thread may run a program."""
        with np.errstate(all="ignore"):
            return self.called(*arrays)

    def convert(self, names: Sequence[str], values: Sequence[Any], now: bool) -> list:
        leaves = super().convert(names, values, now)
        if len(leaves) != len(self.names):
            raise SignatureError(
                f"{self.function}: takes {len(self.names)} arrays ({', '.join(self.names)}), got {len(leaves)}; of a "
                "list make an array first, with numpy.array(..)."
            )
        own = [np.dtype(check_number(self.function, n, x)) for n, x in zip(self.names, leaves, strict=True)]
        targets, _ = self._types(tuple(_shared(own, list(map(_is_weak, values)))), x64_enabled())
        values = [v if type(v) is int else x for v, x in zip(values, leaves, strict=True)]
        return [_cast(self.function, x, t) for x, t in zip(values, targets, strict=True)]

    def kept(self) -> np.ufunc:
        """The ufunc. Keeps the owner of its loops alive, because a compiled program may outlive the function."""
        if self.called is not self.ufunc:
            _owners.append(self.called)
        return self.ufunc

    def results(self, dtypes: Sequence[Any], count: int) -> list[np.dtype]:
        if self.declared is not None:
            return super().results(dtypes, count)
        return self._types(tuple(map(np.dtype, dtypes)), x64_enabled())[1]

    def _types_of(self, dtypes: tuple[np.dtype, ...], x64: bool) -> tuple[list, list]:
        """The dtypes (of arguments, of results). `x64` is part of the cache key: JAX's precision depends on it."""
        inexact = [d for d in dtypes if jnp.issubdtype(d, jnp.inexact)]
        try:
            real = precision(inexact)
        except ValueError as error:
            raise self.no_common_type(error) from None
        narrow = np.dtype(np.float32) if real.itemsize < 4 else real
        given = [np.dtype(np.float32) if d in inexact and d.itemsize < 4 else d for d in dtypes]
        chosen = list(self._resolve(given))
        pairs = list(zip(given, chosen, strict=False))
        if any(d.kind in "biu" and c.kind in "fc" for d, c in pairs):
            given = [narrow if d.kind in "biu" and c.kind in "fc" else d for d, c in pairs]
            chosen = list(self._resolve(given))
        chosen = [real if narrow != real and c.kind == "f" else c for c in chosen]
        targets = [d if canonical(c) != c else c for d, c in zip(dtypes, chosen, strict=False)]
        return targets, list(map(canonical, chosen[len(dtypes) :]))

    def _resolve(self, dtypes: Sequence[np.dtype]) -> tuple[np.dtype, ...]:
        wanted = (*dtypes, *[None] * self.ufunc.nout)
        try:
            return self.ufunc.resolve_dtypes(wanted)
        except TypeError:
            if self.called is self.ufunc:
                raise self._no_loop(dtypes) from None
        try:  # a call on empty arrays makes numba compile the loop for these dtypes
            self.called(*(np.empty(0, d) for d in dtypes))
            return self.ufunc.resolve_dtypes(wanted)
        except Exception as error:
            raise self._no_loop(dtypes) from error

    def _no_loop(self, dtypes: Sequence[np.dtype]) -> SignatureError:
        given = ", ".join(map(str, dtypes))
        return SignatureError(
            f"{self.function}: there is no loop for {given}; the ufunc has {', '.join(self.ufunc.types) or 'none'}."
        )


def _is_weak(value: Any) -> bool:
    return type(value) is int or getattr(value, "weak_type", False)


def _shared(dtypes: list[np.dtype], weak: list[bool]) -> list[np.dtype]:
    """Python integers take the dtype of the integer arrays in the call."""
    strong = [d for d, w in zip(dtypes, weak, strict=True) if d.kind in "iu" and not w]
    shared = np.dtype(jnp.result_type(*strong)) if strong else None
    return [shared if shared and w and d.kind in "iu" else d for d, w in zip(dtypes, weak, strict=True)]


def _cast(name: str, value: Any, dtype: np.dtype) -> Any:
    if isinstance(value, jax.Array):
        return value if value.dtype == dtype else value.astype(dtype)
    try:
        return np.asarray(value, dtype)
    except OverflowError:
        raise SignatureError(f"{name}: {value} does not fit {dtype}, the type of the other arrays.") from None


def from_objects(function: Callable) -> Callable:
    """Make a function of numpy.frompyfunc, which returns arrays of objects, return arrays of numbers."""

    @functools.wraps(function)
    def call(*arrays: Any) -> Any:
        results = function(*arrays)
        return tuple(map(_numbers, results)) if isinstance(results, tuple) else _numbers(results)

    return call


def _numbers(objects: Any) -> np.ndarray:
    if not np.size(objects):
        return np.empty(np.shape(objects), bool)  # bool casts to every other dtype
    return np.array(objects.tolist()) if isinstance(objects, np.ndarray) else np.asarray(objects)
