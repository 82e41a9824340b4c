"""How much work of a loop a thread is worth."""

from __future__ import annotations

import functools
import time

import numpy as np

from hostwrap._host.threads import count as count

WORTHWHILE = 20e-6  # seconds of work that outweigh waking a thread
FEW = 64  # elements: never shared, whatever the loop costs


def grain(cost: float) -> int:
    """The least number of elements for a thread, where one costs this many seconds."""
    return max(FEW, int(WORTHWHILE / cost))


@functools.lru_cache(maxsize=4096)
def cost(ufunc: np.ufunc, operands: tuple) -> float:
    """Seconds per element, measured once at ordinary arguments: loops differ a thousandfold."""
    few = _time(ufunc, operands, 64)
    return (_time(ufunc, operands, 4096) / 4096) if few < WORTHWHILE else few / 64


def _time(ufunc: np.ufunc, operands: tuple, size: int) -> float:
    points = np.linspace(0.55, 2.45, size)
    args = [points.astype(dtype) for dtype in operands]
    durations = []
    with np.errstate(all="ignore"):
        for _ in range(2):
            start = time.perf_counter()
            ufunc(*args)
            durations.append(time.perf_counter() - start)
    return min(durations)
