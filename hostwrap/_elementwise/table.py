"""The derivative table: an elementwise function and its partial derivatives of any order, in one host call.

`Table.level(indices)` is a JAX function that returns the derivatives with these multi-indices together; its own
derivative is the level with one more order. So value, gradient and Hessian each cost one call, and what nobody
asks for is not computed.
"""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.custom_derivatives import SymbolicZero

from hostwrap._call.dtypes import kind_of
from hostwrap._elementwise.beside import Beside
from hostwrap._elementwise.partials import Elementwise, Index, combine, custom_jvp, replaced
from hostwrap._elementwise.program import NotElementwise, Program
from hostwrap._host.function import WIDE
from hostwrap._host.origins import of_program
from hostwrap._lanes.primitive import call_now, host_call

_plain: contextvars.ContextVar[bool] = contextvars.ContextVar("hostwrap_plain", default=False)


class Table:
    """All derivatives of one elementwise function."""

    def __init__(self, function: Elementwise) -> None:
        self.f = function
        function.host.table = self
        self.level = functools.lru_cache(maxsize=None)(self._level)
        self.program = functools.lru_cache(maxsize=None)(self._program)
        self.beside = functools.lru_cache(maxsize=None)(Beside)

    def __call__(self, *args: Any) -> tuple:
        """The function itself: a flat tuple of outputs."""
        return self.f.plain(*args) if _plain.get() else self.level((self.f.zero,))(*args)

    def now(self, args: Sequence[np.ndarray], like: Sequence[Any]) -> tuple:
        """On concrete arrays, outside every transformation: the host function itself; on the device of `like`."""
        return tuple(call_now(self.f.host, self.f.layout(args), args, like=like))

    def _level(self, indices: tuple[Index, ...]) -> Callable[..., tuple]:
        """(arguments) -> the derivatives with these multi-indices, flat: all outputs of the first, ..."""

        def values(*args: Any) -> tuple:
            if indices == (self.f.zero,):
                return self.f.call(*args)
            program = self.program(indices, self.f.kinds(args))
            if program is None:
                return sum((self.f.derivative(index)(*args) for index in indices), ())
            layout = self.f.layout(args, len(indices))
            if indices[0] == self.f.zero and self._has_own_loops(args):
                count = len(self.f.layout(args).outs)
                return tuple(host_call(self.beside(self.f.host, count, program), layout, *args))
            return tuple(host_call(program, layout, *args))

        return custom_jvp(values, functools.partial(self._level_rule, indices))

    def _has_own_loops(self, args: Sequence[Any]) -> bool:
        """For single precision, in which the value alone is what SciPy's loop says."""
        return not self.f.host.widen and any(a.dtype != WIDE.get(kind_of(a.dtype)) for a in args)

    def _level_rule(
        self, indices: tuple[Index, ...], primals: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[tuple, tuple]:
        live = self.f.perturbed(primals, tangents)
        above = {(index, slot): plus(index, slot) for index in indices for slot, _ in live}
        wanted = tuple(sorted({*indices, *above.values()}, key=lambda index: (sum(index), index)))
        if self.program(wanted, self.f.kinds(primals)) is None:
            return self._in_pieces(indices, primals, tangents)
        flat = self.level(wanted)(*primals)
        count = len(flat) // len(wanted)
        value = {index: flat[k * count : (k + 1) * count] for k, index in enumerate(wanted)}
        answer = sum((value[index] for index in indices), ())
        terms = [(self.f.what(s), sum((value[above[index, s]] for index in indices), ()), t) for s, t in live]
        return answer, combine(answer, terms)

    def _in_pieces(
        self, indices: tuple[Index, ...], primals: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[tuple, tuple]:
        """Without a program: every derivative in the graph, with a host call for each function in the rules."""
        live = [i for i, t in enumerate(tangents) if not isinstance(t, SymbolicZero)]

        def values(*moving: Any) -> tuple:
            args = replaced(primals, live, moving)
            return sum((self.f.derivative(index)(*args) for index in indices), ())

        return jax.jvp(values, tuple(primals[i] for i in live), tuple(tangents[i] for i in live))

    def _program(self, indices: tuple[Index, ...], kinds: str) -> Program | None:
        """The derivatives as one NumPy program, traced on scalars in double precision."""

        def values(*args: Any) -> tuple:
            return sum((self.f.derivative(index)(*args) for index in indices), ())

        token = _plain.set(True)
        try:
            with jax.enable_x64(True):
                scalars = [jax.ShapeDtypeStruct((), WIDE.get(k, np.bool_)) for k in kinds]
                closed = jax.make_jaxpr(values)(*scalars)
            origin = of_program(self.f.host.origin, indices, kinds)
            return Program(self.f.host.name, self.f.host.argnames, closed, origin)
        except NotElementwise:
            return None
        finally:
            _plain.reset(token)


def plus(index: Index, slot: int) -> Index:
    return tuple(order + (k == slot) for k, order in enumerate(index))
