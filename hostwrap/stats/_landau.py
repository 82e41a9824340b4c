"""The density of Landau's law, and its derivatives in x:

    f(x) = 1/pi int_0^inf exp(-t log t - x t) sin(pi t) dt = 1/(2 pi i) int exp(s log s + x s) ds,

the second along a line from c - i inf to c + i inf (L. Landau, Journal of Physics USSR 8, 201 (1944)). To the right of
-1 the first has no cancellation to speak of: where f falls like a power, sin(pi t) is positive. To the left of it the
second goes through the saddle at s = exp(-1 - x), where all is real and f is small. Each derivative is one more factor
-t, or s; both are sums by the trapezoid rule. SciPy's variable x has the density pi/2 f(pi/2 x + log(pi/2)).
"""

from __future__ import annotations

from typing import Any

import numpy as np

_V = np.arange(-40.0, 8.0, 1 / 16)  # log t, and log x less where x is large: exp(-x t) ends it
_U = np.arange(-40.0, 40.0 + 1 / 32, 1 / 16)  # along the line, in widths of the saddle
_CHUNK = 256
_HALF = np.pi / 2


def landau(x: Any, *, dd: int) -> Any:
    """SciPy's density, differentiated dd times."""
    x = _HALF * np.asarray(x, float) + np.log(_HALF)
    flat, result = np.ravel(x), np.full(x.size, np.nan)
    with np.errstate(all="ignore"):
        for here, rule in ((flat < -1, _by_saddle), (flat >= -1, _by_sine)):
            places = np.flatnonzero(here)
            for start in range(0, places.size, _CHUNK):
                part = places[start : start + _CHUNK]
                result[part] = rule(flat[part, None], dd)
    return (result * _HALF ** (1 + dd)).reshape(x.shape)[()]


def _by_sine(x: np.ndarray, dd: int) -> np.ndarray:
    v = _V - np.log1p(np.maximum(x, 0.0))
    t = np.exp(v)
    terms = t * (-t) ** dd * np.exp(-t * (v + x)) * np.sin(np.pi * t)
    return np.sum(terms, axis=-1) / (16 * np.pi)


def _by_saddle(x: np.ndarray, dd: int) -> np.ndarray:
    """s log s + x s = s0 (1 + z) (log(1 + z) - 1) at s = s0 (1 + z)"""
    saddle = np.exp(-1 - x)
    z = 1j * _U / np.sqrt(saddle)
    log1p = np.log1p(z)
    exponent = -saddle + saddle * ((1 + z) * log1p - z)
    terms = np.exp(exponent + dd * log1p) * np.sqrt(saddle) ** (1 + 2 * dd)
    return np.where(saddle[:, 0] < 800, np.sum(terms.real, axis=-1) / (32 * np.pi), 0.0)
