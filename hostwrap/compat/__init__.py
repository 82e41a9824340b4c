"""The calls of `jax.experimental.host_callback`, which JAX has removed, and `pure_callback` as it was.

For code that is to run again as it is; new code is shorter, and faster, with `hostwrap.wrap`. The host function gets
NumPy arrays in the types that JAX has, and what it must not do is the same as in `wrap`: use JAX.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._call.options import VmapMethod
from hostwrap._errors import SignatureError
from hostwrap._wrap import Wrapped
from hostwrap.compat import _device
from hostwrap.compat._tap import Printer, Tap, name_of

__all__ = ["barrier_wait", "call", "id_print", "id_tap", "pure_callback"]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


def call(
    callback_func: Callable,
    arg: Any,
    *,
    result_shape: Any = None,
    call_with_device: bool = False,
    ordered: bool = False,
) -> Any:
    """`callback_func(arg)` on the host, with its result: `host_callback.call`.

    Args:
        callback_func: takes one pytree of NumPy arrays; returns what `result_shape` says.
        arg: a pytree of arrays.
        result_shape: a pytree of numbers, arrays, or anything with shape and dtype; None or () for no result.
        call_with_device: call `callback_func(arg, device=...)` with the `jax.Device` that the call comes from.
        ordered: keep the order of the program, as in `wrap`.

    Returns:
        Arrays in the structure of `result_shape`. The call is made exactly once; under vmap once for each element.

    Raises:
        SignatureError: `result_shape` says no shapes.
        MissingDerivative: the result was differentiated.

    >>> import jax, numpy as np
    >>> twice = lambda x: call(lambda a: 2 * a, x, result_shape=x)
    >>> print(jax.jit(twice)(np.arange(3.0)))
    [0. 2. 4.]
    """
    shapes = _shapes("call", "result_shape", result_shape)
    function = _io(callback_func, shapes, call_with_device, "io", ordered)
    return function(arg, _device.current(jax.tree.leaves(arg)) if call_with_device else ())


def id_tap(
    tap_func: Callable,
    arg: Any,
    *,
    result: Any = None,
    tap_with_device: bool = False,
    effect: str = "io",
    ordered: bool = False,
) -> Any:
    """`tap_func(arg, transforms)` on the host, whose result is ignored; returns `arg`, or `result` if given.

    As `host_callback.id_tap`: under jvp and grad it sees the primal value, once. But `transforms` is always (), and
    under vmap there is a call for each element. Inside `jax.checkpoint` and JAX's custom derivatives only
    `effect="debug"` is possible, which may be dropped or repeated.

    >>> import jax
    >>> seen = []
    >>> _ = jax.jit(lambda x: id_tap(lambda a, transforms: seen.append(float(a)), x))(1.5)
    >>> barrier_wait()
    >>> print(seen)
    [1.5]
    """
    tap = Tap(tap_func, tap_with_device)
    function = _io(tap, _NOTHING, tap_with_device, effect, ordered)
    function(arg, _device.current(jax.tree.leaves(arg)) if tap_with_device else ())
    return arg if result is None else result


def id_print(
    arg: Any,
    *,
    result: Any = None,
    tap_with_device: bool = False,
    output_stream: Any = None,
    threshold: int = 1024,
    effect: str = "io",
    ordered: bool = False,
    **kwargs: Any,
) -> Any:
    """`id_tap` with a function that prints: the keyword arguments, sorted, then the values on a line of their own.

    `output_stream.write` gets the text in place of `print`; `threshold` is that of `numpy.array2string`.

    >>> import jax
    >>> _ = jax.jit(lambda x: id_print(x, what="x"))(1.5)
    what: x
    1.5
    >>> barrier_wait()
    """
    words = tuple(f"{key}: {value}" for key, value in sorted(kwargs.items()))
    printer = Printer(words, output_stream, threshold)
    return id_tap(
        printer, arg, result=result, tap_with_device=tap_with_device, effect=effect, ordered=ordered
    )


def barrier_wait() -> None:
    """Wait until all calls that running programs have to make were made.

    >>> import jax
    >>> _ = jax.jit(lambda x: id_print(x, what="x"))(1.5)
    what: x
    1.5
    >>> barrier_wait()
    """
    jax.effects_barrier()


def pure_callback(
    callback: Callable, result_shape_dtypes: Any, *args: Any, vectorized: bool = False, **kwargs: Any
) -> Any:
    """`jax.pure_callback` with the option that JAX has removed.

    Under vmap, `vectorized=True` hands the callback whole batches: leading axes on the arguments that are mapped, and
    none on the others (`vmap_method="legacy_vectorized"`). Otherwise it is called for each element.

    >>> import jax, numpy as np
    >>> x = np.arange(3.0)
    >>> print(jax.vmap(lambda a: pure_callback(np.sin, a, a, vectorized=True))(x).round(6))
    [0.       0.841471 0.909297]
    """
    shapes = _shapes("pure_callback", "result_shape_dtypes", result_shape_dtypes)
    return _pure(callback, shapes, vectorized)(args, kwargs)


# ---- one wrapped function for each host function, and not one for each call, which would be compiled again


@dataclasses.dataclass(frozen=True)
class _Shapes:
    """Declared results as a key."""

    leaves: tuple[tuple[tuple[int, ...], np.dtype], ...]
    tree: Any

    def out(self, *_: Any) -> Any:
        return jax.tree.unflatten(self.tree, [jax.ShapeDtypeStruct(*leaf) for leaf in self.leaves])


_NOTHING = _Shapes((), jax.tree.structure(None))


def _shapes(function: str, option: str, declared: Any) -> _Shapes:
    leaves, tree = jax.tree.flatten(declared)
    for leaf in leaves:
        if not isinstance(leaf, bool | int | float | complex) and not (
            hasattr(leaf, "shape") and hasattr(leaf, "dtype")
        ):
            raise SignatureError(
                f"{function}: {option}= must be a pytree of numbers, or of what has a shape and a dtype; got "
                f"{type(leaf).__name__}: {leaf!r:.80}."
            )
    # pure_callback refuses 64 bits where JAX has none; the others make 32 of them
    given = function == "pure_callback"
    dtypes = [np.dtype(x.dtype if given and hasattr(x, "dtype") else jnp.result_type(x)) for x in leaves]
    return _Shapes(tuple(zip(map(tuple, map(jnp.shape, leaves)), dtypes, strict=True)), tree)


@functools.lru_cache(maxsize=256)
def _io(function: Callable, shapes: _Shapes, with_device: bool, effect: Any, ordered: bool) -> Wrapped:
    def host(arg: Any, device: Any) -> Any:
        return function(arg, device=_device.device_of(device)) if with_device else function(arg)

    out = None if effect == "debug" else shapes.out
    host.__name__ = name_of(function)
    options: dict[str, Any] = {"effect": effect, "ordered": ordered, "vmap_method": "sequential"}
    return Wrapped(host, **options, out=out, widen=False, derivatives="rules")


@functools.lru_cache(maxsize=256)
def _pure(function: Callable, shapes: _Shapes, vectorized: bool) -> Wrapped:
    def host(args: Any, kwargs: Any) -> Any:
        return function(*args, **kwargs)

    method: VmapMethod = "legacy_vectorized" if vectorized else "sequential"
    host.__name__ = name_of(function)
    return Wrapped(host, out=shapes.out, widen=False, vmap_method=method, derivatives="rules")
