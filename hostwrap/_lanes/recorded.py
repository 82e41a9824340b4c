"""A function of several results, of which some are made of C loops and others need Python, as a value and its
derivatives may: what is made of loops runs as a program, which Python calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._errors import NoLoop
from hostwrap._host.function import Host
from hostwrap._host.layout import Active, Bound, DTypes, Layout, Shape, Shapes
from hostwrap._native import program
from hostwrap._native.tape import Tape, uncollected


def recorded(host: Host) -> Host:
    """The same function, for a call of which there is no program."""
    if host.recorded is None:
        host.recorded = Recorded(host)
    return host.recorded


class Recorded(Host):
    """Some results by a program, for each choice of types and results, the others by NumPy."""

    def __init__(self, host: Host) -> None:
        super().__init__(
            name=host.name,
            argnames=host.argnames,
            options=host.options,
            trusted=host.trusted,
            costs=host.costs,
            piece=host.piece,
        )
        self.host = host
        self._programs: dict[Any, program.Assembled | None] = {}

    def bind(self, shapes: Shapes, dtypes: DTypes, layout: Layout, active: Active = None) -> Bound:
        wanted, batch = list(range(len(layout.outs)) if active is None else active), layout.batch(shapes)
        ours = tuple(i for i in wanted if not self.host.needs_python(i))
        left = [i for i in wanted if i not in ours]
        plain = lambda shapes, some: self.host.bind(shapes, dtypes, layout, some)
        assembled = self._program(tuple(dtypes), layout, ours) if ours and left and 0 not in batch else None
        if assembled is None:
            return plain(shapes, wanted)
        others, order = plain(shapes, left), [(*left, *ours).index(i) for i in wanted]

        def run(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
            results = [*others(arrays), *_run(assembled, lambda s: plain(s, ours), arrays, batch)]
            return [results[i] for i in order]

        return run

    def _program(self, dtypes: tuple, layout: Layout, picked: tuple[int, ...]) -> program.Assembled | None:
        key = dtypes, tuple(layout.outs[i].dtype for i in picked), picked
        if key not in self._programs:
            try:
                self._programs[key] = self._assembled(dtypes, layout, picked)
            except NoLoop:
                self._programs[key] = None
        return self._programs[key]

    @uncollected()
    def _assembled(self, dtypes: tuple, layout: Layout, picked: tuple[int, ...]) -> program.Assembled:
        tape = Tape(dtypes, may_hand_back=True)
        outputs = self.host.record(tape.inputs, layout, picked, tape.perform)
        back = tape.slot(False if tape.back is None else tape.back, np.dtype(bool))
        types = [*(layout.outs[i].dtype for i in picked), back.dtype]
        assembled = program.assemble(tape, [*outputs, back], types)
        if any(loop.may_raise for loop in assembled.loops):
            raise NoLoop("a loop that may raise")
        return assembled


def _run(
    assembled: program.Assembled, plain: Callable[[Shapes], Bound], arrays: Sequence[np.ndarray], batch: Shape
) -> list[np.ndarray]:
    """The program's results; those of the elements that it hands back, and all where it fails, from Python."""
    found = assembled.run(arrays, batch)
    if found is None:
        return plain([a.shape for a in arrays])(arrays)
    *results, back = found
    if back.any():
        write_rest(back, arrays, results, lambda shape: lambda *rest: plain([shape] * len(rest))(rest))
    return results


def write_rest(
    back: np.ndarray,
    arrays: Sequence[np.ndarray],
    results: Sequence[np.ndarray],
    bind: Callable[[Shape], Any],
) -> None:
    """The results of the elements that a program hands back: of `bind(shape)`, elementwise, on these alone."""
    here = np.flatnonzero(back)
    chosen = [np.broadcast_to(a, back.shape).ravel()[here] for a in arrays]
    for result, value in zip(results, bind(here.shape)(*chosen), strict=True):
        result.reshape(-1)[here] = value
