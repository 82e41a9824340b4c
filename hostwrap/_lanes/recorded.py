"""Record a host function as a program of C loops, which XLA or Python calls.

If only some results can be recorded (the derivatives, say, but not the value), Python calls the program for these. On a
GPU XLA cannot call C, so Python calls the program for all results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._errors import NoLoop
from hostwrap._host.function import Host
from hostwrap._host.layout import Active, Bound, DTypes, Layout, Shape, Shapes
from hostwrap._native.program import Assembled, assemble
from hostwrap._native.tape import Tape, uncollected

# a program, and whether its last result is a mask of the elements that it leaves to Python
Recording = tuple[Assembled, bool]


def bind(host: Host, shapes: Shapes, dtypes: DTypes, layout: Layout, active: Active = None) -> Bound:
    """`host.bind`, with the results that can be recorded by a program, and the others by NumPy."""
    wanted, batch = layout.wanted(active), layout.batch(shapes)
    ours = tuple(i for i in wanted if not host.needs_python(i))
    left = [i for i in wanted if i not in ours]
    plain = lambda shapes, some: host.bind(shapes, dtypes, layout, some)
    program = program_of(host, dtypes, layout, ours) if ours and 0 not in batch else None
    if program is None:
        return plain(shapes, wanted)
    others = plain(shapes, left) if left else lambda arrays: []
    order = [(*left, *ours).index(i) for i in wanted]

    def run(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        results = [*others(arrays), *_run(program, lambda s: plain(s, ours), arrays, batch)]
        return [results[i] for i in order]

    return run


def program_of(
    host: Host, dtypes: Sequence[np.dtype], layout: Layout, active: Sequence[int]
) -> Recording | None:
    """The program of these results, recorded once for these dtypes; None if it would need more than C loops."""
    key = tuple(dtypes), layout, tuple(active)
    if key not in host.programs:
        host.programs[key] = _recording(host, dtypes, layout, active)
    return host.programs[key]


@uncollected()
def _recording(
    host: Host, dtypes: Sequence[np.dtype], layout: Layout, active: Sequence[int]
) -> Recording | None:
    tape = Tape(dtypes, may_hand_back=True)
    try:
        outputs = host.record(tape.inputs, layout, active, tape.perform)
        types = [layout.outs[i].dtype for i in active]
        if tape.back is not None:
            outputs, types = [*outputs, tape.back], [*types, np.dtype(bool)]
        return assemble(tape, outputs, types), tape.back is not None
    except NoLoop:
        return None
    finally:
        tape.release()


def _run(
    recording: Recording, plain: Callable[[Shapes], Bound], arrays: Sequence[np.ndarray], batch: Shape
) -> list[np.ndarray]:
    """Run the program. Python computes the elements that it hands back, or all elements if it fails."""
    assembled, hands_back = recording
    results = assembled.run(arrays, batch)
    if results is None:
        return plain([a.shape for a in arrays])(arrays)
    if hands_back and (back := results.pop()).any():
        write_rest(back, arrays, results, lambda shape: lambda *rest: plain([shape] * len(rest))(rest))
    return results


def write_rest(
    back: np.ndarray, arrays: Sequence[np.ndarray], results: Sequence[np.ndarray], bind: Callable[[Shape], Any],
) -> None:  # fmt: skip
    """Compute the elements where `back` is true by `bind(shape)`, and write them to the results."""
    here = np.flatnonzero(back)
    chosen = [np.broadcast_to(a, back.shape).ravel()[here] for a in arrays]
    for result, value in zip(results, bind(here.shape)(*chosen), strict=True):
        result.reshape(-1)[here] = value
