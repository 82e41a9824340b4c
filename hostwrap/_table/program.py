"""Scalar JAX functions as one NumPy program: many host calls, and the arithmetic between them, in one host call.

JAX traces and differentiates the function on scalars in double precision. The result is a list of elementwise
operations, which NumPy runs over whole arrays, without JAX. Equal operations appear once, so the value and the
derivatives of a Bessel function share their `jv(v - 1, z)`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._host.function import WIDE, Host, HostCall, HostFunction, HostOptions, HostStep
from hostwrap._host.layout import Active, Bound, DTypes, Layout, Shapes
from hostwrap._host.numpy_ops import OPERATIONS
from hostwrap._host.origins import Origin
from hostwrap._host.parallel import PIECE
from hostwrap._lanes.lowering import Written
from hostwrap._lanes.primitive import host_call_p
from hostwrap._table.shared import NotElementwise, body_of, interpreted
from hostwrap._table.words import Word, word_of
from hostwrap._table.written import twin_of, write


class Program(Host):
    """Functions of the same scalars as one host function, for whole arrays that broadcast.

    `words` maps the first output of each step to its operation in XLA. `value` is the function whose derivatives the
    program computes. The first `own` results are its values: a function with loops of its own for single precision
    computes these itself.
    """

    def __init__(
        self, name: str, argnames: Sequence[str], bodies: Sequence[Any], origin: Origin | None = None,
        maker: Any = None, value: HostFunction | None = None, own: int = 0,
    ) -> None:  # fmt: skip
        # trusted until it gets a host function that is not
        more: dict[str, Any] = {"options": HostOptions("expand_dims"), "trusted": True, "piece": PIECE}
        super().__init__(name=name, argnames=tuple(argnames), origin=origin, maker=maker, **more)
        # operation, inputs, first output, number of outputs
        self._steps: list[tuple[Callable, tuple[int, ...], int, int]] = []
        self.words: dict[int, Word] = {}
        self.value: Any = value
        self.own = own
        self.constants: dict[int, Any] = {}
        self._known: dict[Any, list[int]] = {}
        self._written: dict[Any, Written | None] = {}
        self._size = count = len(bodies[0].invars)
        self.outputs = [slot for body in bodies for slot in self._inline(body, list(range(count)))]

    def bind(self, shapes: Shapes, dtypes: DTypes, layout: Layout, active: Active = None) -> Bound:
        own, early, picked = self._split(dtypes, layout, active)
        value = self.value.bind(shapes, dtypes, own, early) if early else lambda arrays: []
        plan, batch = self.needed(picked), layout.batch(shapes)
        if not batch:
            plan = [(op.on_one if isinstance(op, HostStep) else op, *rest) for op, *rest in plan]
        slots: list[Any] = [self.constants.get(i) for i in range(self._size)]
        ends = [(self.outputs[i], layout.outs[i].dtype) for i in picked]

        def run(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
            values = [*map(_with_axes, map(_wide, arrays)), *slots[len(arrays) :]]
            with np.errstate(all="ignore"):
                for operation, inputs, first, count, last_used in plan:
                    results = operation(*[values[i] for i in inputs])
                    if count == 1:
                        values[first] = results
                    else:
                        values[first : first + count] = results
                    for i in last_used:
                        values[i] = None
                return value(arrays) + [_spread(values[slot], batch, dtype) for slot, dtype in ends]

        return run

    def _split(
        self, dtypes: DTypes, layout: Layout, active: Active
    ) -> tuple[Layout, tuple[int, ...], tuple[int, ...]]:
        """The layout of the values; the wanted results that the function computes itself, and the others."""
        own_loops = self.value is not None and not self.value.options.widen
        count = self.own if own_loops and any(d != WIDE.get(d.kind) for d in dtypes) else 0
        wanted = layout.wanted(active)
        early, rest = (tuple(i for i in wanted if (i < count) == own) for own in (True, False))
        return Layout(layout.in_core, layout.outs[:count]), early, rest

    def record(self, arrays: Sequence[Any], layout: Layout, active: Sequence[int], perform: Callable) -> list:
        own, early, rest = self._split([a.dtype for a in arrays], layout, active)
        value = self.value.record(arrays, own, early, perform) if early else []
        values: dict[int, Any] = {**self.constants, **dict(enumerate(map(_wide, arrays)))}
        with np.errstate(all="ignore"):
            for operation, inputs, first, count, _ in self.needed(rest):
                operands = [values[i] for i in inputs]
                if isinstance(operation, HostStep):
                    results = operation.record(operands, perform)
                else:
                    results = perform(operation, operands)
                outputs = results if count > 1 else [results]
                values.update(zip(range(first, first + count), outputs, strict=True))
        return value + [values[self.outputs[i]] for i in rest]

    def written(self, dtypes: DTypes, layout: Layout, active: Sequence[int]) -> Written | None:
        key = tuple(dtypes), layout, tuple(active)
        if key not in self._written:
            self._written[key] = self._write(*key)
        return self._written[key]

    def _write(self, dtypes: DTypes, layout: Layout, active: Sequence[int]) -> Written | None:
        own, early, rest = self._split(dtypes, layout, active)
        written = write(self, dtypes, layout, rest) if rest else None
        if written is None or not early:
            return written
        function = lambda *arrays: written.function(*arrays[: len(dtypes)])
        order = (*range(len(early)), *(len(early) + k for k in written.order))
        return Written(HostCall(self.value, own, early), function, order, written.operations)

    def is_value(self, operation: Callable, inputs: tuple[int, ...]) -> bool:
        """Whether this step calls the function `value` on the arguments of the program."""
        is_call = isinstance(operation, HostStep) and operation.host is self.value
        return is_call and inputs == tuple(range(len(inputs)))

    def needs_python(self, result: int) -> bool:
        calls = [operation for operation, *_ in self.needed([result]) if isinstance(operation, HostStep)]
        return any(step.host.needs_python(i) for step in calls for i in range(len(step.layout.outs)))

    def needed(self, picked: Sequence[int]) -> list[tuple]:
        """The steps that the picked outputs need, each with the slots that no later step reads."""
        live, steps = {self.outputs[i] for i in picked}, []
        for operation, inputs, first, count in reversed(self._steps):
            if live.intersection(range(first, first + count)):
                steps.append((operation, inputs, first, count, tuple(set(inputs) - live)))
                live.update(inputs)
        return steps[::-1]

    # ---- building

    def _inline(self, body: Any, arguments: list[int]) -> list[int]:
        """Append the new steps of a jaxpr, closed or not; return the slots of its outputs."""
        return interpreted(body, arguments, self._equation, self._constant)

    def _equation(self, eqn: Any, inputs: list[int]) -> list[int]:
        name = eqn.primitive.name
        if any(v.aval.shape for v in eqn.outvars):
            raise NotElementwise(f"the rule makes an array with {name}")
        if eqn.primitive is host_call_p:
            return self._host_step(inputs, eqn.params["call"])
        if name == "convert_element_type" and eqn.invars[0].aval.dtype == eqn.params["new_dtype"]:
            return inputs
        if name in OPERATIONS:
            operation, key = OPERATIONS[name](eqn.params)
            word = word_of(eqn.primitive, eqn.params)
            return self._step(operation, (name, key), inputs, len(eqn.outvars), word)
        if (body := body_of(eqn)) is None:
            raise NotElementwise(f"the rule uses {name}")
        return self._inline(body, inputs)

    def _host_step(self, inputs: list[int], call: HostCall) -> list[int]:
        host, layout = call.host, call.layout
        if any(layout.in_core) or any(o.shape for o in layout.outs) or call.kind:
            raise NotElementwise(f"the rule calls {host.name}, which is not elementwise, or has side effects")
        if not host.options.widen and not host.trusted:
            raise NotElementwise(f"{host.name} computes in the precision of its arguments")
        count = len(layout.outs)
        self.trusted, self.piece = self.trusted and host.trusted, max(self.piece, host.piece)
        self.options = dataclasses.replace(
            self.options,
            allow_jax=self.options.allow_jax or host.options.allow_jax,
            on_error="nan" if host.options.on_error == "nan" else self.options.on_error,
        )
        step, word = HostStep(host, layout, self.name), twin_of(host.twin)
        outputs = self._step(step, (host, layout), inputs, count, word)
        return [outputs[i] for i in call.active]

    def _step(self, operation: Callable, key: Any, inputs: list[int], count: int, word: Word) -> list[int]:
        key = (key, tuple(inputs))
        if key not in self._known and count == 1 and all(i in self.constants for i in inputs) and inputs:
            with np.errstate(all="ignore"):
                self._known[key] = [self._constant(operation(*(self.constants[i] for i in inputs)))]
        if key not in self._known:
            first, self._size = self._size, self._size + count
            self._steps.append((operation, tuple(inputs), first, count))
            self.words[first] = word
            self._known[key] = list(range(first, first + count))
        return self._known[key]

    def _constant(self, value: Any) -> int:
        if isinstance(value, jax.core.Tracer) or np.ndim(value):
            raise NotElementwise("the rule closes over an array")
        value = np.asarray(value)
        key = ("constant", value.dtype.str, value.tobytes())
        if key not in self._known:
            self.constants[self._size] = value
            self._known[key], self._size = [self._size], self._size + 1
        return self._known[key][0]


def _spread(value: Any, batch: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    value = np.asarray(value).astype(dtype, copy=False)
    if not batch:
        return value.reshape(())
    return value if value.shape == batch else np.array(np.broadcast_to(value, batch))


def _with_axes(array: np.ndarray) -> np.ndarray:
    """A number as an array of one element: NumPy rounds products of complex numbers without axes in another way."""
    return array if array.ndim else array.reshape(1)


def _wide(array: np.ndarray) -> np.ndarray:
    """The array in 64 bits, in which the program was traced."""
    if array.dtype == np.float64 or array.dtype.kind == "b":
        return array
    return array.astype(WIDE.get(array.dtype.kind, WIDE["f"]), copy=False)
