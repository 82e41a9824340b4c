"""`jax.export` for programs that call the host: compiled programs in files."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from jax import export as jax_export

from hostwrap import _lanes
from hostwrap._errors import HostCallError, SignatureError
from hostwrap._lanes import native
from hostwrap._lanes.running import nameless_functions
from hostwrap._native import library


def export(function: Callable, **options: Any) -> Callable[..., Any]:
    """`jax.export.export` for a jitted function that calls host functions: `hw.export(jax.jit(f))(x).serialize()`.

    The program names SciPy's ufuncs and host functions by keys that mean the same in every process. It does not contain
    their code, so the process that reads the program must find them. It always finds the functions of
    `hostwrap.special`. It finds a decorated function if the function has a name in an imported module. A function
    that is defined inside another function has no such name, and cannot be exported. Sizes may be symbolic, and
    derivatives can be exported, too (`serialize(vjp_order=1)`). Export needs the native lane. The program is one for
    the CPU, also where JAX has a GPU: there, call it with arrays that you put on the CPU.

    Args:
        function: what `jax.export.export` takes.
        options: the other arguments of `jax.export.export`.

    Raises:
        HostCallError: the native lane is not available, or another process could not find a function. The error says
            why.
        SignatureError: `platforms` names another one than the CPU.

    >>> import hostwrap as hw, jax
    >>> exported = hw.export(jax.jit(jax.grad(hw.special.ndtr)))(1.0)
    >>> print(f"{exported.call(2.0):.6f}")
    0.053991
    """
    _need_library("hostwrap.export")
    allowed = [jax_export.DisabledSafetyCheck.custom_call(t) for t in (library.LOOPS, library.HOST)]
    checks = [*options.pop("disabled_checks", ()), *allowed]
    platforms = tuple(options.pop("platforms", None) or ("cpu",))
    if platforms != ("cpu",):
        raise SignatureError(
            f"hostwrap.export: wants platforms=('cpu',), got {platforms!r}: only on the CPU does a program find "
            f"the functions of another process. Leave platforms out."
        )
    jitted: Any = function
    exported = jax_export.export(jitted, platforms=platforms, disabled_checks=checks, **options)

    @functools.wraps(exported)
    def call(*args: Any, **kwargs: Any) -> Any:
        token = nameless_functions.set([])
        try:
            return exported(*args, **kwargs)
        except NotImplementedError as error:
            if "host_callbacks" not in str(error):
                raise
            names = ", ".join(nameless_functions.get() or ["functions"])
            raise HostCallError(_WHY_NOT.format(names)) from error
        finally:
            nameless_functions.reset(token)

    return call


_WHY_NOT = (
    "hostwrap.export: the program calls {}, which another process could not find. A function that is exported is pure, "
    "has a name at the top of a module that can be imported (a lambda and a function inside another one have none), "
    "takes only literals as static arguments, and was not defined again after it had been compiled: after a reload, "
    "export from a new process."
)


def deserialize(data: bytes | bytearray) -> Any:
    """`jax.export.deserialize` for what `export` wrote. Import the modules of its host functions before you call it.

    >>> import hostwrap as hw, jax
    >>> data = hw.export(jax.jit(hw.special.ndtr))(1.0).serialize()
    >>> print(hw.deserialize(data).call(0.0))
    0.5
    """
    _need_library("hostwrap.deserialize")
    try:
        return jax_export.deserialize(bytearray(data))
    except Exception as error:  # flatbuffers, struct and JAX raise errors that do not mention the data
        raise HostCallError(
            f"hostwrap.deserialize: these {len(data)} bytes are no program that this version of JAX can read "
            f"({type(error).__name__}: {error}); give it what hw.export(..)(..).serialize() returned."
        ) from error


def _need_library(what: str) -> None:
    reason = _lanes.lanes()["native"]
    if reason != "available":
        raise HostCallError(f"{what} needs the native lane, which is not there: {reason}.")
    native.connect()
