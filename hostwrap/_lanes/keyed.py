"""Calls of Python functions from compiled programs: a key names the function, and how to call it.

The key contains the origin of the function, if every process finds the function there; else a number in this process.
The library finds a call by its key as long as the compiled program (see `calls.Keeper`) or `_kept` holds the call.
"""

from __future__ import annotations

import collections
import ctypes
import itertools
import math
import struct
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import HostCallError
from hostwrap._host import memory, origins
from hostwrap._host.function import Host, HostCall
from hostwrap._host.layout import Layout, Result, Shape
from hostwrap._lanes import faults
from hostwrap._lanes.compiler import has_devices
from hostwrap._lanes.recorded import write_rest
from hostwrap._lanes.running import nameless, runner
from hostwrap._native import calls, library

_MOST_SHAPES = 256  # bound shapes that one call keeps
_serials: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
_counts: dict[str, Iterator[int]] = collections.defaultdict(itertools.count)
# the last calls with an origin; `found` makes dropped ones again
_kept: collections.deque[Any] = collections.deque(maxlen=256)
_making = threading.RLock()

Run = Callable[..., Sequence[np.ndarray]]
# (shapes of operands, shapes of results) -> (shapes that the function takes, function to run)
RunFor = Callable[[list[Shape], list[Shape]], tuple[list[Shape], Run]]


class KeyedCall:
    """A call in programs for one device or for several. It is `stable` if every process finds it by its key."""

    prefix = ""  # the start of the key
    by_loops = True  # run recorded results by a program, the others in Python
    more: tuple[np.dtype, ...] = ()  # dtypes of further results, which the function does not return

    def __init__(self, key: str, call: HostCall, dtypes: Sequence[np.dtype], several: bool) -> None:
        self.key, self.host, self.layout, self.active = key, call.host, call.layout, call.active
        self.several, self.stable, self.inputs = several, False, len(dtypes)
        self.dtypes = [*dtypes, *(call.layout.outs[i].dtype for i in call.active), *self.more]
        self.bound: dict[bytes, Callable[[tuple], None]] = {}
        self.unpacked = struct.Struct(f"{len(self.dtypes)}N").unpack
        calls.by_key[key.encode()] = self

    def __call__(self, numbers: bytes, addresses: bytes) -> None:
        """Run the call on the library's buffers; `numbers` encodes dtypes and shapes."""
        bound = self.bound.get(numbers)
        if bound is None:
            if len(self.bound) >= _MOST_SHAPES:
                self.bound.clear()
            bound = self.bound[numbers] = self._bound(numbers, self._run_for)
        bound(self.unpacked(addresses))

    def after(self, error: BaseException, numbers: bytes, addresses: bytes) -> None:
        """Write results after an error if the program is to go on; else raise the error to report."""
        go_on = lambda operands, results: (operands, lambda *arrays: self._go_on(error, results))
        self._bound(numbers, go_on)(self.unpacked(addresses))

    def _go_on(self, error: BaseException, results: list[Shape]) -> list[np.ndarray]:
        """After an exception that did not come from `runner`."""
        if faults.is_ours(error):
            raise error
        outs = [Result(s, self.layout.outs[i].dtype) for s, i in zip(results, self.active, strict=True)]
        return faults.go_on(self.host, error, (), outs, self.several)

    def _run_for(self, shapes: list[Shape], results: list[Shape]) -> tuple[list[Shape], Run]:
        """Bind the call to shapes, known only now: the operands may be shards, or the program exported for any size."""
        outs = list(self.layout.outs)
        batch = len(results[0]) - len(outs[self.active[0]].shape)
        # without the extra last axis of a scalar, see `_spread` in native.py
        given, shapes = shapes, [s[: batch + n] for s, n in zip(shapes, self.layout.in_core, strict=True)]
        if list(map(math.prod, given)) != list(map(math.prod, shapes)):
            raise HostCallError(f"{self.key}: called with operands {given} for results {results}.")
        for i, shape in zip(self.active, results, strict=True):
            outs[i] = Result(shape[batch:], outs[i].dtype)
        layout = Layout(self.layout.in_core, tuple(outs))
        operands = [jax.ShapeDtypeStruct(s, d) for s, d in zip(shapes, self.dtypes, strict=False)]
        expected = [Result(shape, outs[i].dtype) for i, shape in zip(self.active, results, strict=True)]
        call = HostCall(self.host, layout, self.active, by_loops=self.by_loops)
        return shapes, runner(call, operands, expected, self.several)

    # ---- from buffers to arrays

    def _bound(self, numbers: bytes, run_for: RunFor) -> Callable[[tuple], None]:
        shapes, inputs = self._shapes(numbers), self.inputs
        taken, run = run_for(shapes[:inputs], shapes[inputs:])
        buffers = self._buffers([*taken, *shapes[inputs:]])
        # one with several results could return the memory in the place of another one; one that may use JAX could call
        # a function of hostwrap, which would take the memory
        how = self.host.options
        lends = len(shapes) == inputs + 1 and not (how.copy or how.allow_jax)

        def call(addresses: tuple) -> None:
            arrays = [np.ndarray(s, d, at(a)) for (s, d, at), a in zip(buffers, addresses, strict=True)]
            operands, results = arrays[:inputs], arrays[inputs:]
            found = memory.lend(results[0], run, operands) if lends else run(*operands)
            for array, result in zip(results, found, strict=True):
                if result is not array:
                    array[...] = result

        return call

    def _shapes(self, written: bytes) -> list[Shape]:
        """Decode what `describe` in host.c wrote; raise unless the dtypes are the function's."""
        numbers = struct.unpack(f"{len(written) // 8}q", written)
        if tuple(numbers[:2]) != (self.inputs, len(self.dtypes) - self.inputs):
            raise HostCallError(f"{self.key}: called with {numbers[0]} operands and {numbers[1]} results.")
        shapes, at = [], 2
        for code in (library.TYPES[d.name] for d in self.dtypes):
            if numbers[at] != code:
                raise HostCallError(f"{self.key}: called with type {numbers[at]} of XLA in place of {code}.")
            rank = numbers[at + 1]
            shapes.append(tuple(numbers[at + 2 : at + 2 + rank]))
            at += 2 + rank
        return shapes

    def _buffers(self, shapes: list[Shape]) -> list[tuple[Shape, np.dtype, Callable[[int], Any]]]:
        return [(s, d, _memory(s, d)) for s, d in zip(shapes, self.dtypes, strict=True)]


class RestCall(KeyedCall):
    """The elementwise call for the elements that a program of loops leaves to Python: where its last result is true."""

    prefix, more, by_loops = "the rest: ", (np.dtype(bool),), False

    def _bound(self, numbers: bytes, run_for: RunFor) -> Callable[[tuple], None]:
        buffers, inputs = self._buffers(self._shapes(numbers)), self.inputs

        def call(addresses: tuple) -> None:
            *arrays, back = [
                np.ndarray(s, d, at(a)) for (s, d, at), a in zip(buffers, addresses, strict=True)
            ]
            # operands broadcast, and may have an extra axis of size 1
            operands, results = [a.reshape(a.shape[: back.ndim]) for a in arrays[:inputs]], arrays[inputs:]
            bind = lambda shape: run_for([shape] * inputs, [shape] * len(results))[1]
            # a program from a file may write any byte to a boolean
            write_rest(back.view(np.uint8), operands, results, bind)

        return call


def _memory(shape: Shape, dtype: np.dtype) -> Callable[[int], Any]:
    """The memory at an address, for `np.ndarray`; None for an array without elements."""
    memory: Any = ctypes.c_char * (int(np.prod(shape)) * dtype.itemsize)
    return memory.from_address if 0 not in shape else lambda address: None


# ---- keys


def held(ctx: Any, call: HostCall, kind: type[KeyedCall]) -> str:
    """The key of the call. The call lives as long as the program that JAX compiles now."""
    keyed = _keyed(call, [a.dtype for a in ctx.avals_in], has_devices(ctx), kind)
    if not keyed.stable:
        nameless(call.host.name)
        ctx.module_context.add_keepalive(calls.Keeper(keyed))
    return keyed.key


def _keyed(call: HostCall, dtypes: Sequence[Any], several: bool, kind: type[KeyedCall]) -> KeyedCall:
    host, layout = call.host, call.layout
    # None for the symbolic sizes of an exported program
    shapes = [tuple(n if isinstance(n, int) else None for n in out.shape) for out in layout.outs]
    outs = tuple((shape, out.dtype.name) for shape, out in zip(shapes, layout.outs, strict=True))
    how = (layout.in_core, outs, call.active, tuple(d.name for d in dtypes), several)
    by_origin = _is_found(host, how)
    where = repr((host.origin, how)) if by_origin else ""
    # threads that compile the same call share one: the key would end with one of two, and its program with the other
    with _making:
        where = where or f"{host.name}, function {_serial(host)} of this name in its process, {how}"
        key = kind.prefix + where
        known = calls.by_key.get(key.encode())
        keyed = known if isinstance(known, kind) else kind(key, call, dtypes, several)
        keyed.stable = by_origin
        if by_origin and keyed not in _kept:
            _kept.append(keyed)
        return keyed


def _is_found(host: Host, how: tuple) -> bool:
    """Whether the origin leads to this function, or to an equal one of the same maker."""
    if host.origin is None or not origins.is_literal((host.origin, how)):
        return False
    found = origins.find(host.origin)
    return found is host or (found is not None and host.maker is not None and found.maker is host.maker)


def _serial(host: Host) -> int:
    """A number per name, so that several processes of one program give their common functions the same numbers."""
    if host not in _serials:
        _serials[host] = next(_counts[host.name])
    return _serials[host]


def found(key: str) -> KeyedCall | None:
    """The call of a key from a file, if this process has imported its function; else None."""
    kind = RestCall if key.startswith(RestCall.prefix) else KeyedCall
    value = origins.read(key.removeprefix(kind.prefix))
    if value is None:
        return None
    origin, (in_core, outs, active, dtypes, several) = value
    host = origins.find(origin)
    if host is None:
        return None
    layout = Layout(in_core, tuple(Result(shape, jnp.dtype(name)) for shape, name in outs))
    return _keyed(HostCall(host, layout, active), [jnp.dtype(name) for name in dtypes], several, kind)
