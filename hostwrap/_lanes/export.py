"""Compiled programs in files: `jax.export` for programs that call the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax import export as jax_export

from hostwrap import _lanes
from hostwrap._errors import HostCallError
from hostwrap._native import _library


def export(function: Callable, **options: Any) -> Callable[..., Any]:
    """`jax.export.export` for a jitted function that calls host functions: `hw.export(jax.jit(f))(x).serialize()`.

    The program names SciPy's ufuncs and host functions by keys that mean the same in every process; their code does
    not travel with it. So functions that it calls must be found by the process that reads it: functions of
    `hostwrap.special` always are, a decorated function is if it has a name in a module that is imported there. One
    that is defined inside another function has none, and JAX refuses to export it. Sizes may be symbolic, derivatives
    can be exported with it (`serialize(vjp_order=1)`); only for the CPU, and where the native lane is.

    Args:
        function: what `jax.export.export` takes.
        options: the other arguments of `jax.export.export`.

    Raises:
        HostCallError: there is no native lane here; the error says why.
    """
    _need_library("hostwrap.export")
    allowed = [jax_export.DisabledSafetyCheck.custom_call(t) for t in (_library.LOOPS, _library.HOST)]
    checks = [*options.pop("disabled_checks", ()), *allowed]
    jitted: Any = function
    return jax_export.export(jitted, disabled_checks=checks, **options)


def deserialize(data: bytes | bytearray) -> Any:
    """`jax.export.deserialize` for what `export` wrote; import the modules of its host functions before a call."""
    _need_library("hostwrap.deserialize")
    return jax_export.deserialize(bytearray(data))


def _need_library(what: str) -> None:
    reason = _lanes.lanes()["native"]
    if reason != "available":
        raise HostCallError(f"{what} needs the native lane, which is not there: {reason}.")
    _library.library()
