"""The dtypes of `special`: all arguments get one precision, and results are those of SciPy's loops, in that precision.

Integers become real numbers, unless SciPy has a loop for them or they are orders.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from hostwrap._call.dtypes import (
    Dtypes,
    does_not_fit,
    kind_of,
    precision,
    result_dtype,
    sample,
    type_of,
    x64_enabled,
)
from hostwrap._errors import SignatureError


class Promoted(Dtypes):
    """All in one precision; integers and booleans are real numbers, unless they are `integral`."""

    def __init__(self, function: str, integral: Sequence[bool]) -> None:
        super().__init__(function)
        self.integral = tuple(integral)

    def convert(self, names: Sequence[str], values: Sequence[Any], now: bool) -> list:
        types = tuple(type_of(self.function, name, value) for name, value in zip(names, values, strict=True))
        try:
            targets = _targets(types, self.integral, x64_enabled())
        except ValueError as error:
            raise self.no_common_type(error) from None
        array, converted = np.asarray if now else jnp.asarray, []
        with np.errstate(over="ignore"):
            for name, value, target in zip(names, values, targets, strict=True):
                try:
                    converted.append(array(value, dtype=target))
                except OverflowError:  # a Python integer
                    raise does_not_fit(self.function, name, value, target) from None
        return converted


@functools.lru_cache(maxsize=4096)
def _targets(types: tuple, discrete: tuple[bool, ...], x64: bool) -> tuple[np.dtype, ...]:
    """The dtype of each argument. `x64` is part of the cache key, because JAX's promotion depends on it."""
    samples = list(map(sample, types))
    dtypes = [np.dtype(jnp.result_type(s)) for s in samples]
    inexact = [s for s, d in zip(samples, dtypes, strict=True) if jnp.issubdtype(d, jnp.inexact)]
    real = precision(inexact)
    return tuple(
        result_dtype("i", real)  # not its own dtype, in which n - 1 may overflow
        if integer and not jnp.issubdtype(d, jnp.inexact)
        else result_dtype("c" if jnp.issubdtype(d, jnp.complexfloating) else "f", real)
        for d, integer in zip(dtypes, discrete, strict=True)
    )


class SciPys(Promoted):
    """The dtype policy: all arguments in one precision; results are real or complex like those of SciPy's loops."""

    def __init__(self, entry: Any) -> None:
        super().__init__(entry.name, entry.integral)
        self.entry = entry

    def results(self, dtypes: Sequence[Any], count: int) -> list[np.dtype]:
        real = precision([d for d in dtypes if jnp.issubdtype(d, jnp.inexact)])
        return [result_dtype(k, real) for k in self.kinds("".join(map(kind_of, dtypes)), count)]

    def kinds(self, kinds: str, count: int) -> str:
        """The kinds of the results, for arguments of these kinds."""
        entry = self.entry
        if not isinstance(entry.host, np.ufunc):
            if entry.public:  # rules pass valid arguments to kernels of hostwrap
                self._refuse_complex(kinds)
            return ("c" if entry.complex_result or "c" in kinds else "f") * count
        dtypes = [np.dtype({"c": "D", "f": "d", "b": "d"}.get(k, "l")) for k in kinds]
        try:
            resolved = entry.host.resolve_dtypes((*dtypes, *[None] * count))
        except TypeError:
            given = ", ".join(f"{a}: {d}" for a, d in zip(entry.args, dtypes, strict=True))
            there = (", ".join(str(np.dtype(c)) for c in loop.split("->")[0]) for loop in entry.host.types)
            raise SignatureError(
                f"{entry.name}: SciPy's function does not take {given}; it takes ({'), ('.join(dict.fromkeys(there))})."
            ) from None
        return "".join("c" if d.kind == "c" else "f" for d in resolved[len(kinds) :])

    def _refuse_complex(self, kinds: str) -> None:
        for name, kind in zip(self.entry.args, kinds, strict=True):
            if kind == "c" and getattr(self.entry.boxes[name], "im", None) is None:
                raise SignatureError(f"{self.function}: `{name}` must be real, got complex numbers.")
