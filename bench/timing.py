"""Times that can be compared: measured in turn, in one run, as medians; and the tables they are shown in."""

import functools
import importlib.metadata
import os
import pathlib
import platform
import resource
import statistics
import time
from collections.abc import Callable, Sequence

import jax
import numpy as np
from tabulate import tabulate

_BURST = 2e-3  # seconds; calls that are faster are timed together


def in_turn(functions: dict[str, Callable], seconds: float = 1.0) -> dict[str, float]:
    """Median seconds of a call of each function: a burst of each in turn, again and again, until time is up."""
    bursts = {name: _burst(f) for name, f in functions.items()}
    times: dict[str, list[float]] = {name: [] for name in functions}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[next(iter(times))]) < 3:
        for name, burst in bursts.items():
            times[name].append(burst())
    return {name: statistics.median(t) for name, t in times.items()}


def _burst(f: Callable) -> Callable[[], float]:
    """A function that returns the mean time of a call, each waited for."""
    result = f()
    jax.block_until_ready(result)
    if isinstance(result, jax.Array):
        wait = type(result).block_until_ready  # without a tree to flatten: that is 2 µs
    else:
        wait = jax.block_until_ready if not isinstance(result, np.ndarray | np.generic) else id

    def run(count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            wait(f())
        return (time.perf_counter() - start) / count

    once = run(1)
    return functools.partial(run, 1 if once > _BURST else max(1, int(_BURST / min(once, run(1)))))


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table that reads well as text and as markdown."""
    sides = ["left", *["right"] * (len(head) - 1)]
    body = tabulate(rows, head, "pipe", colalign=sides, disable_numparse=True)
    return f"## {title}\n\n{body}\n"


def duration(seconds: float) -> str:
    """Three digits and a unit: `12.3 µs`."""
    if seconds >= 1:
        return f"{seconds:.3g} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


def resident() -> int:
    """Bytes of memory in use; on systems that do not tell, the most there ever were."""
    try:
        pages = pathlib.Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (
            1 if platform.system() == "Darwin" else 1024
        )


def machine() -> str:
    """Where and with what this was measured."""
    versions = ", ".join(f"{p} {importlib.metadata.version(p)}" for p in ("jax", "jaxlib", "numpy", "scipy"))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{system}, {cores} cores{load}; {versions}"
