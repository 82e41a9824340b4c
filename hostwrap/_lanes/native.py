"""The native lane in a compiled program: a custom call of C loops, or of a Python function by its key."""

from __future__ import annotations

import collections
import itertools
import math
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import NoLoop
from hostwrap._host import origins
from hostwrap._host.layout import MAX_RANK, Layout, Result
from hostwrap._lanes.custom_call import emit, has_devices, keep
from hostwrap._lanes.primitive import Host, bind
from hostwrap._lanes.runner import runner
from hostwrap._native import _assembly, _calls, _library, _threads
from hostwrap._native._keeper import Keeper
from hostwrap._native._tape import Tape


def lower(ctx: Any, operands: Sequence[Any], host: Host, layout: Layout, active: tuple[int, ...]) -> Any:
    """The results of the custom call; None where the library cannot carry these types, or so many axes."""
    _library.library()
    if any(a.ndim > MAX_RANK for a in (*ctx.avals_in, *ctx.avals_out)):
        return None
    results = _loops(ctx, operands, host, layout, active)
    if results is None and all(a.dtype.name in _library.TYPES for a in (*ctx.avals_in, *ctx.avals_out)):
        call = _call(host, layout, active, [a.dtype for a in ctx.avals_in], has_devices(ctx))
        if not call.stable:
            keep(ctx, Keeper(call))
        results = emit(ctx, _library.HOST, operands, layout.in_core, {"key": call.key})
    return results


# ---- without Python


def _loops(ctx: Any, operands: Sequence[Any], host: Host, layout: Layout, active: tuple[int, ...]) -> Any:
    tape = Tape([a.dtype for a in ctx.avals_in])
    try:
        outputs = host.record(tape.inputs, layout, active, tape.perform)
        program = _assembly.assemble(tape, outputs, [a.dtype for a in ctx.avals_out])
    except NoLoop:
        return None
    numbers = {
        "key": program.key,
        "threads": _threads.count(),
        "grain": _grain(program, ctx.avals_out[0].shape),
    }
    attributes = {name: np.int64(value) for name, value in numbers.items()}
    return emit(ctx, _library.LOOPS, operands, layout.in_core, {**attributes, "program": program.text})


def _grain(program: _assembly.Assembled, shape: Sequence[Any]) -> int:
    static = all(isinstance(size, int) for size in shape)
    if (static and math.prod(shape) < 2 * _threads.FEW) or _threads.count() == 1:
        return 2**62
    return _threads.grain(program.cost())


# ---- Python by key

_serials: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
_counts: dict[str, Iterator[int]] = collections.defaultdict(itertools.count)
_stable: dict[str, Any] = {}  # what can be found by its origin is kept


class _HostCall(_calls.Call):
    """A host function with the layout of one call, in programs for one device or for several."""

    def __init__(
        self,
        key: str,
        host: Host,
        layout: Layout,
        active: tuple[int, ...],
        dtypes: Sequence[Any],
        several: bool,
    ) -> None:
        self.host, self.layout, self.active, self.several, self.stable = host, layout, active, several, False
        super().__init__(key, dtypes, [layout.outs[i].dtype for i in active], self._bind)

    def _bind(self, shapes: list[tuple], results: list[tuple]) -> Callable[..., Sequence[np.ndarray]]:
        """Shapes are known when the program runs: it may hold a shard, or have been exported for any."""
        cores = [len(self.layout.outs[i].shape) for i in self.active]
        batch = len(results[0]) - cores[0]
        shapes = [
            s[: batch + n] for s, n in zip(shapes, self.layout.in_core, strict=True)
        ]  # see `custom_call`
        outs = list(self.layout.outs)
        for i, shape in zip(self.active, results, strict=True):
            outs[i] = Result(shape[batch:], outs[i].dtype)
        layout = Layout(self.layout.in_core, tuple(outs))
        operands = [jax.ShapeDtypeStruct(s, d) for s, d in zip(shapes, self.dtypes, strict=False)]
        bound = bind(self.host, operands, layout, self.active)
        expected = [Result(shape, outs[i].dtype) for i, shape in zip(self.active, results, strict=True)]
        run = runner(self.host, bound, expected, self.several)
        return lambda *arrays: run(*(a.reshape(s) for a, s in zip(arrays, shapes, strict=True)))


def _call(
    host: Host, layout: Layout, active: tuple[int, ...], dtypes: Sequence[Any], several: bool
) -> _HostCall:
    """The call with its key: where the function comes from, if it can be found there; else its number here."""
    how = (*_description(layout, active, dtypes), several)
    origin = getattr(host, "origin", None)
    if origin is not None and origins.is_literal((origin, how)) and origins.find(origin) is host:
        key = repr((origin, how))
        if key not in _stable:
            _stable[key] = _HostCall(key, host, layout, active, dtypes, several)
            _stable[key].stable = True
        if _stable[key].host is host:
            return _stable[key]
    key = f"{host.name}, function {_serial(host)} of this name in its process, {how}"
    known = _calls.known(key)
    return known if isinstance(known, _HostCall) else _HostCall(key, host, layout, active, dtypes, several)


def _serial(host: Host) -> int:
    """For each name by itself: processes of one program then give their common functions the same numbers."""
    if host not in _serials:
        _serials[host] = next(_counts[host.name])
    return _serials[host]


def _description(layout: Layout, active: tuple[int, ...], dtypes: Sequence[Any]) -> tuple:
    """With None for the sizes that an exported program leaves open."""
    shapes = [tuple(n if isinstance(n, int) else None for n in out.shape) for out in layout.outs]
    outs = tuple((shape, out.dtype.name) for shape, out in zip(shapes, layout.outs, strict=True))
    return layout.in_core, outs, active, tuple(d.name for d in dtypes)


def _found(key: str) -> _HostCall | None:
    """The call that a program from a file means, if its function has been imported."""
    value = origins.read(key)
    if value is None:
        return None
    origin, (in_core, outs, active, dtypes, several) = value
    host = origins.find(origin)
    if host is None:
        return None
    layout = Layout(in_core, tuple(Result(shape, jnp.dtype(name)) for shape, name in outs))
    return _call(host, layout, active, [jnp.dtype(name) for name in dtypes], several)


_calls.find_elsewhere.append(_found)
