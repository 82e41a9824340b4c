"""Threads: how many a call may use, how they share a batch, and how calls avoid to wait for each other.

No call waits for a thread that has not started: the caller works through the jobs itself, together with the threads
that are free. So a busy pool, a pool inside a pool, or no pool at all costs speed, but never hangs.

A function with batch axes gives the same result for each element, wherever the batch is cut. Programs and ufuncs are
cut into pieces whose size does not depend on the number of threads. So the values do not depend on it either, and
temporary arrays stay small. For a function of the user, the measured time of its calls decides whether threads pay.
"""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import contextvars
import functools
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from hostwrap._host import fenv
from hostwrap._host.layout import Active, Bound, Layout, Shape, Shapes

PIECE = 2**14  # numbers: enough to hide the overhead that Python adds to one ufunc
LARGE_PIECE = 2**16  # the same for a kernel, which makes thousands of short operations
WORTHWHILE = 1e-3  # seconds of work that outweigh the start of a thread
VARIABLES = ("HOSTWRAP_NUM_THREADS", "OMP_NUM_THREADS")
_chosen: contextvars.ContextVar[int | None] = contextvars.ContextVar("hostwrap_threads", default=None)

# ---- how many threads


@contextlib.contextmanager
def threads(count: int) -> Iterator[None]:
    """Use at most `count` threads per host call in what JAX *traces* inside: `with hostwrap.threads(1): jax.jit(f)(x)`.

    A function that jit has already compiled keeps its number. The default is the environment variable
    HOSTWRAP_NUM_THREADS, or OMP_NUM_THREADS, or the number of processors that this process may use. Raises ValueError
    for a number below one.

    >>> import hostwrap as hw, jax, numpy as np
    >>> with hw.threads(1):
    ...     print(jax.jit(hw.special.ndtr)(np.zeros(3)))
    [0.5 0.5 0.5]
    """
    if not isinstance(count, int) or count < 1:
        raise ValueError(f"hostwrap.threads: count must be a positive integer, got {count!r}.")
    token = _chosen.set(count)
    try:
        yield
    finally:
        _chosen.reset(token)


def chosen_threads() -> int | None:
    """The number that `threads` sets at this point, or None."""
    return _chosen.get()


def thread_count() -> int:
    """The number of threads for what JAX traces now."""
    return _chosen.get() or default_threads()


def default_threads() -> int:
    for variable in VARIABLES:
        value = os.environ.get(variable, "")
        if value.isdigit() and int(value) > 0:
            return int(value)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# ---- jobs


def share(jobs: Iterable[Callable[[], None]], threads: int) -> None:
    """Do all jobs on at most `threads` threads. Raises the first exception of a job when all threads are done."""
    queue = collections.deque(jobs)
    tasks = _start(functools.partial(_work, queue), min(threads, len(queue)) - 1, threads)
    try:
        _work(queue)
    finally:
        started = [task for task in tasks if not task.cancel()]
        concurrent.futures.wait(started)
    for task in started:
        task.result()


def _work(queue: collections.deque) -> None:
    try:
        while True:
            try:
                job = queue.popleft()
            except IndexError:
                return
            job()
    except BaseException:
        queue.clear()  # the caller gets the exception, and needs no more results
        raise


def _start(work: Callable[[], None], count: int, threads: int) -> list[concurrent.futures.Future]:
    """Start `count` tasks, each in a copy of this context (with NumPy's errstate) and C's float environment."""
    tasks: list[concurrent.futures.Future] = []
    with contextlib.suppress(RuntimeError):  # the interpreter exits, or the system has no more threads
        for _ in range(count):
            tasks.append(_pool(threads).submit(contextvars.copy_context().run, fenv.call, work))
    return tasks


@functools.lru_cache(maxsize=1)
def _pool(threads: int) -> concurrent.futures.ThreadPoolExecutor:
    return concurrent.futures.ThreadPoolExecutor(threads, "hostwrap")


if hasattr(os, "register_at_fork"):  # the child has none of the threads
    os.register_at_fork(after_in_child=_pool.cache_clear)


# ---- a call in parts


class Costs:
    """The measured cost of one function: seconds per element, by one thread and by several."""

    def __init__(self) -> None:
        self.alone, self.together, self.tries = math.inf, math.inf, 0

    def pays(self, elements: int) -> bool:
        """Whether several threads pay: not before the first call, nor if they were no faster (they share the GIL)."""
        if not WORTHWHILE <= self.alone * elements < math.inf:
            return False
        return self.tries < 3 or self.together < 0.9 * self.alone

    def run(
        self, whole: Bound, parts: Bound, elements: int, arrays: Sequence[np.ndarray]
    ) -> list[np.ndarray]:
        """Call by one thread or by several, whichever pays, and measure the time."""
        several = self.pays(elements)
        start = time.perf_counter()
        results = (parts if several else whole)(arrays)
        cost = (time.perf_counter() - start) / elements
        if several:
            self.together, self.tries = min(cost, self.together), self.tries + 1
        else:
            self.alone = min(cost, self.alone)
        return results


def bind_in_parts(
    host: Any, bind: Callable[[Shapes], Bound], piece: int, shapes: Shapes, layout: Layout, active: Active,
    guard: Callable[[Bound], Bound],
) -> Bound:  # fmt: skip
    """The host function, bound to shapes, in parts for several threads where that pays.

    `piece` is the size of a part of a trusted function. `guard` wraps the function in each thread.
    """
    whole, batch = bind(shapes), layout.batch(shapes)
    most = min(_most_parts(host, shapes, layout, piece), max(batch, default=0))
    threads = thread_count() if most > 1 and not _scipy_reports() else 1
    if threads == 1:
        return whole
    make = lambda shapes: guard(bind(shapes))
    outs = [(out.shape, out.dtype) for out in layout.results(batch, active)]
    in_parts = functools.partial(_in_parts, make, shapes, layout.in_core, outs, batch, threads)
    if host.trusted:
        return in_parts(most)
    return functools.partial(host.costs.run, whole, in_parts(min(threads, most)), math.prod(batch))


def _scipy_reports() -> bool:
    """Whether scipy.special.errstate warns or raises in this thread; it would not in other threads."""
    special: Any = sys.modules.get("scipy.special")
    return special is not None and any(v != "ignore" for k, v in special.geterr().items() if k != "memory")


def _most_parts(host: Any, shapes: Shapes, layout: Layout, piece: int) -> int:
    elements = math.prod(layout.batch(shapes))
    if not elements or host.options.vmap_method == "legacy_vectorized" or host.options.allow_jax:
        return 1
    if not host.trusted:
        return elements if host.options.thread_safe else 1
    # the size of the largest operand or result of one batch element
    cores = [s[len(s) - n :] for s, n in zip(shapes, layout.in_core, strict=True)]
    core = max(1, *map(math.prod, [*cores, *(out.shape for out in layout.outs)]))
    return pieces(elements * core, piece)


def pieces(numbers: int, piece: int) -> int:
    """The number of pieces: a power of two, so that two, four or eight threads get equal shares."""
    return 2 ** max(0, math.ceil(math.log2(numbers / piece)))


def _in_parts(
    make: Callable[[Shapes], Bound], shapes: Shapes, in_core: Sequence[int], outs: list,
    batch: Shape, threads: int, count: int,
) -> Bound:  # fmt: skip
    """A call in `count` parts along the longest batch axis."""
    axis = int(np.argmax(batch))
    size = batch[axis]
    # the axis along which each operand is cut: batch axes line up at their last one
    axes = [axis - len(batch) + len(s) - core for s, core in zip(shapes, in_core, strict=True)]
    cut = [k if k >= 0 and s[k] == size else None for k, s in zip(axes, shapes, strict=True)]
    step = -(-size // min(count, size))
    slices = [slice(i, min(i + step, size)) for i in range(0, size, step)]
    bound = {
        n: make([s if k is None else (*s[:k], n, *s[k + 1 :]) for s, k in zip(shapes, cut, strict=True)])
        for n in {s.stop - s.start for s in slices}
    }

    def part(arrays: Sequence[np.ndarray], results: list[np.ndarray], where: slice) -> None:
        values = [a if k is None else a[_at(k, where)] for a, k in zip(arrays, cut, strict=True)]
        for result, value in zip(results, bound[where.stop - where.start](values), strict=True):
            result[_at(axis, where)] = value

    def run(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        results = [np.empty(shape, dtype) for shape, dtype in outs]
        share((functools.partial(part, arrays, results, s) for s in slices), threads)
        return results

    return run


def _at(axis: int, where: slice) -> tuple:
    return (*[slice(None)] * axis, where)


# ---- host functions that call each other, without deadlock


# `locks`: of the functions that this thread is in, the innermost last. The thread may have released some of them.
_held = threading.local()


@contextlib.contextmanager
def turn(lock: Any) -> Iterator[None]:
    """A context around `with lock:`, where `lock` is a `threading.RLock`.

    The lock of a function lets one thread call it at a time. If f calls g in one thread, and g calls f in another,
    both threads would hold one lock and wait for the other one. So a thread that goes from f to g releases the lock
    of f until it is back: a thread waits for a lock only while it holds none.
    """
    locks: list[Any] = vars(_held).setdefault("locks", [])
    depth = len(locks)
    outer = locks[-1] if locks and locks[-1] is not lock else None
    count = 0  # how often this thread held the outer lock
    try:
        with contextlib.suppress(RuntimeError):  # this thread does not hold it, or no longer
            while outer is not None:
                outer.release()
                count += 1
        locks.append(lock)
        yield
    finally:
        del locks[depth:]
        for _ in range(count):
            outer.acquire()  # type: ignore[union-attr]
