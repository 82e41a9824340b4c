"""A call in parts: large batches are cut into pieces, which several threads work on at once.

An elementwise function, or one with batch axes, gives the same for each element wherever the batch is cut. Our own
programs and ufuncs are cut into pieces of a size that does not depend on the threads, so neither do the values, and
what they need in between stays small. For a function of the user, the time of its calls says whether it is worth it.
"""

from __future__ import annotations

import functools
import math
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._host import pool
from hostwrap._host import threads as _threads
from hostwrap._host.layout import Layout, Shape

Run = Callable[[Sequence[np.ndarray]], list[np.ndarray]]
PIECE = 2**14  # numbers: large enough that what Python does for a ufunc does not count
LARGE_PIECE = 2**16  # the same for a kernel, which is thousands of short operations
WORTHWHILE = 1e-3  # seconds of work that outweigh waking a thread


class Pace:
    """What the calls of one function have cost: seconds for an element, by one thread and by several."""

    def __init__(self) -> None:
        self.alone, self.together, self.tries = math.inf, math.inf, 0

    def pays(self, elements: int) -> bool:
        """Never before the first call; not where several threads were no faster, as they wait for the GIL."""
        if not WORTHWHILE <= self.alone * elements < math.inf:
            return False
        return self.tries < 3 or self.together < 0.9 * self.alone

    def timed(self, run: Run, arrays: Sequence[np.ndarray], elements: int, several: bool) -> list[np.ndarray]:
        start = time.perf_counter()
        results = run(arrays)
        cost = (time.perf_counter() - start) / elements
        if several:
            self.together, self.tries = min(cost, self.together), self.tries + 1
        else:
            self.alone = min(cost, self.alone)
        return results


def bind(
    host: Any, shapes: Sequence[Shape], dtypes: Sequence[np.dtype], layout: Layout,
    active: Sequence[int] | None, guard: Callable[[Run], Run],
) -> Run:  # fmt: skip
    """`host.bind`, in parts where that may be; `guard` is put around the function in each thread."""
    whole, batch = host.bind(shapes, dtypes, layout, active), layout.batch(shapes)
    most = min(_most_parts(host, shapes, layout, batch), max(batch, default=0))
    threads = _threads.count() if most > 1 and not _scipy_reports() else 1
    if threads == 1:
        return whole
    make = functools.partial(host.bind, dtypes=dtypes, layout=layout, active=active)
    picked = range(len(layout.outs)) if active is None else active
    outs = [(batch + layout.outs[i].shape, layout.outs[i].dtype) for i in picked]
    parts = functools.partial(_Parts, make, shapes, layout.in_core, outs, batch, guard, threads)
    if host.trusted:
        return parts(most)
    return functools.partial(_paced, host.pace, whole, parts(min(threads, most)), math.prod(batch))


def _scipy_reports() -> bool:
    """Whether scipy.special.errstate is to warn or raise here: other threads would not, it is each thread's own."""
    special: Any = sys.modules.get("scipy.special")
    return special is not None and any(v != "ignore" for k, v in special.geterr().items() if k != "memory")


def _most_parts(host: Any, shapes: Sequence[Shape], layout: Layout, batch: Shape) -> int:
    elements = math.prod(batch)
    if not elements or host.vmap_method == "legacy_vectorized" or host.allow_jax:
        return 1
    if host.trusted:
        return pieces(elements * _core_size(shapes, layout), host.piece)
    return elements if getattr(host, "thread_safe", False) else 1


def _paced(
    pace: Pace, whole: Run, parts: Run, elements: int, arrays: Sequence[np.ndarray]
) -> list[np.ndarray]:
    several = pace.pays(elements)
    return pace.timed(parts if several else whole, arrays, elements, several)


def pieces(numbers: int, piece: int) -> int:
    """A power of two, which two, four and eight threads share evenly."""
    return 2 ** max(0, math.ceil(math.log2(numbers / piece)))


def _core_size(shapes: Sequence[Shape], layout: Layout) -> int:
    """Numbers in the largest operand or result of one element of the batch."""
    cores = [s[len(s) - n :] for s, n in zip(shapes, layout.in_core, strict=True)]
    return max(1, *(math.prod(core) for core in [*cores, *(out.shape for out in layout.outs)]))


class _Parts:
    """A call in `count` parts along the longest batch axis."""

    def __init__(
        self, make: Callable, shapes: Sequence[Shape], in_core: Sequence[int], outs: list, batch: Shape,
        guard: Callable, threads: int, count: int,
    ) -> None:  # fmt: skip
        self.outs, self.threads, self.axis = outs, threads, int(np.argmax(batch))
        size = batch[self.axis]
        # the axis of each operand that is cut: batch axes line up at their ends
        axes = [self.axis - len(batch) + len(s) - core for s, core in zip(shapes, in_core, strict=True)]
        self.cut = [k if k >= 0 and s[k] == size else None for k, s in zip(axes, shapes, strict=True)]
        step = -(-size // min(count, size))
        self.slices = [slice(i, min(i + step, size)) for i in range(0, size, step)]
        self.bound = {
            n: guard(make([_shortened(s, k, n) for s, k in zip(shapes, self.cut, strict=True)]))
            for n in {s.stop - s.start for s in self.slices}
        }

    def __call__(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        results = [np.empty(shape, dtype) for shape, dtype in self.outs]
        pool.share((functools.partial(self._part, arrays, results, s) for s in self.slices), self.threads)
        return results

    def _part(self, arrays: Sequence[np.ndarray], results: list[np.ndarray], where: slice) -> None:
        values = [a if k is None else a[_at(k, where)] for a, k in zip(arrays, self.cut, strict=True)]
        for result, value in zip(results, self.bound[where.stop - where.start](values), strict=True):
            result[_at(self.axis, where)] = value


def _at(axis: int, where: slice) -> tuple:
    return (*[slice(None)] * axis, where)


def _shortened(shape: Shape, axis: int | None, length: int) -> Shape:
    return shape if axis is None else (*shape[:axis], length, *shape[axis + 1 :])
