"""Jobs shared between the thread that has them and a pool of others.

Nobody waits for a thread that has not started: the caller works through the jobs itself, together with the threads
that have come to it. So a busy pool, a pool inside a pool, or none at all costs speed and never hangs.
"""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import contextvars
import functools
import os
from collections.abc import Callable, Iterable

from hostwrap._host import fenv


def share(jobs: Iterable[Callable[[], None]], threads: int) -> None:
    """Do all jobs, on at most so many threads. The first exception of a job is raised when all threads are done."""
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
        for job in iter(functools.partial(_next, queue), None):
            job()
    except BaseException:
        queue.clear()  # nobody needs the rest
        raise


def _next(queue: collections.deque) -> Callable[[], None] | None:
    try:
        return queue.popleft()
    except IndexError:
        return None


def _start(work: Callable[[], None], count: int, threads: int) -> list[concurrent.futures.Future]:
    """So many tasks, each in a copy of this context (NumPy's errstate is part of it) and in C's floating-point one."""
    tasks: list[concurrent.futures.Future] = []
    with contextlib.suppress(RuntimeError):  # the interpreter is about to exit, or may have no more threads
        for _ in range(count):
            tasks.append(_pool(threads).submit(contextvars.copy_context().run, fenv.call, work))
    return tasks


@functools.lru_cache(maxsize=1)
def _pool(threads: int) -> concurrent.futures.ThreadPoolExecutor:
    return concurrent.futures.ThreadPoolExecutor(threads, "hostwrap")


if hasattr(os, "register_at_fork"):  # the child has none of the threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
