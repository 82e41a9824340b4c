"""Compiled statistics of SciPy: Shapiro and Wilk's, and slopes by medians."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hostwrap._tracing.compiled.python import of_scipy_special
from hostwrap._tracing.compiled.table import computes

# polynomials of algorithm AS R94 (Royston, Applied Statistics 44, 1995), the lowest power first
_FIRST = (0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056)
_SECOND = (0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633)
_FEW = ((0.544, -0.39978, 0.025054, -6.714e-4), (1.3822, -0.77857, 0.062767, -0.0020322))
_MANY = ((-1.5861, -0.31082, -0.083751, 0.0038915), (-0.4803, -0.082676, 0.0030302))


def _polynomial(coefficients: tuple[float, ...], x: float) -> float:
    return sum(c * x**k for k, c in enumerate(coefficients))


def _weights(n: int) -> np.ndarray:
    """The weights of the differences between the largest number and the smallest one, the next two, and so on."""
    if n == 3:
        return np.array([math.sqrt(0.5)])
    half = n // 2
    m = of_scipy_special("ndtri")((np.arange(1, half + 1) - 0.375) / (n + 0.25))
    total, root = 2 * float(m @ m), 1 / math.sqrt(n)
    own = [_polynomial(_FIRST, root) - m[0] / math.sqrt(total)]
    if n > 5:
        own.append(_polynomial(_SECOND, root) - m[1] / math.sqrt(total))
    k = len(own)
    scale = math.sqrt((total - 2 * float(m[:k] @ m[:k])) / (1 - 2 * sum(a * a for a in own)))
    return np.concatenate([own, -m[k:] / scale])


@computes("stats._ansari_swilk_statistics.swilk")
def swilk(y: Any, a: Any, init: bool = False, n1: int = -1) -> tuple:
    n = len(y)
    weights = _weights(n)
    whole = np.concatenate([-weights, np.zeros(n % 2), weights[::-1]])
    y = y - np.mean(y)
    w = np.sum(whole * y) ** 2 / (np.sum(y * y) * float(whole @ whole))
    if n == 3:
        p = 6 / math.pi * (np.arcsin(np.sqrt(w)) - math.asin(math.sqrt(0.75)))
        return w, np.maximum(p, 0.0), 0
    gap, size = np.log1p(-w), math.log(n)
    if n <= 11:
        middle, spread = (_polynomial(c, n) for c in _FEW)
        gap = -np.log(0.459 * n - 2.273 - gap)
    else:
        middle, spread = (_polynomial(c, size) for c in _MANY)
    return w, of_scipy_special("ndtr")((middle - gap) / math.exp(spread)), 0


@computes("stats._stats_pythran.siegelslopes")
def siegelslopes(y: Any, x: Any, method: str) -> tuple:
    """The median over all points of the median slope from this point (Siegel 1982)."""
    across, up = x[None, :] - x[:, None], y[None, :] - y[:, None]
    n = len(np.shape(x)) and np.shape(x)[0]
    others = ~np.eye(n, dtype=bool) & (across != 0)
    slopes, bases = [], []
    for j in range(n):
        kept = np.nonzero(others[j])[0]
        run = np.take(across[j], kept)
        slopes.append(np.median(np.take(up[j], kept) / run))
        bases.append(np.median((y[j] * np.take(x, kept) - np.take(y, kept) * x[j]) / run))
    slope = np.median(np.stack(slopes))
    base = np.median(y - slope * x) if method == "hierarchical" else np.median(np.stack(bases))
    return slope, base
