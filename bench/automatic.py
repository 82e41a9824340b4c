"""What derivatives without a rule cost: traced code beside the same code in jax.numpy, recorded code beside its value.

The processor's time is compared, of all threads together: what else runs on the machine has less part in it. Threads of
BLAS that wait for work use it, too: for linear algebra set OPENBLAS_NUM_THREADS=1. Targets
are a traced gradient within 1.3 of the gradient in jax.numpy and the host's value together, and a recorded one
within 5 of the value in NumPy's numbers, which are slower than Python's own.
"""

from __future__ import annotations

import itertools
import math
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np
import scipy.special

import hostwrap as hw
from bench.timing import duration, table

NUMBERS = np.linspace(0.1, 2.0, 1000)
FRESH = 512  # places in turn: no recording is of use to two of them
BURST = 10
WARM = 4  # calls, after which a program of recorded code is there


class Traced(NamedTuple):
    """`f(xp, special, x, a)` in NumPy, or in jax.numpy."""

    name: str
    f: Callable


def _sersic(xp: Any, special: Any, x: Any, n: Any) -> Any:
    return xp.sum(xp.exp(-(2 * n - 1 / 3) * (x ** (1 / n) - 1)))


def _scholes(xp: Any, special: Any, x: Any, v: Any) -> Any:
    d = (xp.log(x / 1.1) + 0.5 * v * v) / v
    cdf = lambda z: 0.5 * (1 + special.erf(z / 2**0.5))
    return xp.sum(x * cdf(d) - 1.1 * cdf(d - v))


def _mixture(xp: Any, special: Any, x: Any, s: Any) -> Any:
    rows = -0.5 * ((x[:, None] - xp.arange(4.0)) / s) ** 2 - xp.log(s)
    high = xp.max(rows, axis=1)
    return xp.sum(high + xp.log(xp.sum(xp.exp(rows - high[:, None]), axis=1)))


def _poisson(xp: Any, special: Any, x: Any, a: Any) -> Any:
    rate = xp.exp(a * xp.sin(x))
    return xp.sum(x * xp.log(rate) - rate - special.gammaln(x + 1))


def _negative_binomial(xp: Any, special: Any, x: Any, r: Any) -> Any:
    return xp.sum(special.gammaln(x + r) - special.gammaln(r) + r * xp.log(r / (r + 1)) - x * xp.log(r + 1))


def _spectrum(xp: Any, special: Any, x: Any, a: Any) -> Any:
    return xp.sum(xp.abs(xp.fft.rfft(xp.sin(a * x) * x)) ** 2)


def _kernel(xp: Any, special: Any, x: Any, a: Any) -> Any:
    y = x[::20]
    k = xp.exp(-0.5 * ((y[:, None] - y) / a) ** 2) + 0.1 * xp.eye(50)
    low = xp.linalg.cholesky(k)
    return y @ xp.linalg.solve(k, y) + 2 * xp.sum(xp.log(xp.diagonal(low)))


def _network(xp: Any, special: Any, x: Any, a: Any) -> Any:
    h = xp.tanh(x.reshape(50, 20) @ xp.cos(a * xp.arange(400.0)).reshape(20, 20))
    return xp.sum(xp.tanh(h @ h.T) ** 2)


def _colour(xp: Any, special: Any, x: Any, a: Any) -> Any:
    linear = xp.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** a)
    return xp.sum(xp.where(linear > 0.008856, xp.cbrt(linear), 7.787 * linear + 16 / 116))


def _chain(xp: Any, special: Any, x: Any, a: Any) -> Any:
    for _ in range(20):
        x = x + 0.05 * (a * xp.sin(x) - x)
    return xp.sum(x)


TRACED = [
    Traced("Sérsic profile", _sersic), Traced("Black and Scholes", _scholes), Traced("mixture of normals", _mixture),
    Traced("Poisson likelihood", _poisson), Traced("negative binomial", _negative_binomial),
    Traced("power spectrum", _spectrum), Traced("Gaussian process, 50 points", _kernel),
    Traced("network of two layers", _network), Traced("sRGB to L", _colour), Traced("20 steps of Euler", _chain),
]  # fmt: skip


# ---- recorded


def _kepler(M: Any, e: Any) -> Any:
    total = 0.0
    for k in range(50):
        E = m = M + 0.1 * k
        while True:
            step = (E - e * math.sin(E) - m) / (1 - e * math.cos(E))
            E = E - step
            if abs(step) < 1e-9:
                break
        total += E
    return total


def _pendulum(y: Any, k: Any) -> Any:
    f = lambda s: [s[1], -k * math.sin(s[0])]
    moved = lambda s, d, h: [a + h * b for a, b in zip(s, d, strict=True)]
    s, h = [y, 0.0], 0.05
    for _ in range(100):
        k1 = f(s)
        k2 = f(moved(s, k1, h / 2))
        k3 = f(moved(s, k2, h / 2))
        k4 = f(moved(s, k3, h))
        s = [a + h / 6 * (p + 2 * q + 2 * r + t) for a, p, q, r, t in zip(s, k1, k2, k3, k4, strict=True)]
    return s[0]


def _arrays(y: Any, k: Any) -> Any:
    f = lambda s: np.array([s[1], -k * np.sin(s[0])])
    s, h = np.array([y, 0.0]), 0.05
    for _ in range(60):
        k1 = f(s)
        k2 = f(s + h / 2 * k1)
        k3 = f(s + h / 2 * k2)
        s = s + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(s + h * k3))
    return s[0]


def _elimination(d: Any, r: Any) -> Any:
    n = 200
    b, x = np.full(n, d), np.linspace(0, 1, n) * r
    for i in range(1, n):
        w = -1 / b[i - 1]
        b[i] += w
        x[i] -= w * x[i - 1]
    x[-1] /= b[-1]
    for i in range(n - 2, -1, -1):
        x[i] = (x[i] + x[i + 1]) / b[i]
    return x.sum()


def _filter(q: Any, r: Any) -> Any:
    x = p = total = 0.0 * q
    for k in range(100):
        p = p + q
        s = p + r
        off = math.sin(0.3 * k) - x
        x, p = x + p / s * off, p * (1 - p / s)
        total += math.log(s) + off * off / s
    return total if total > 0 else -total


RECORDED = {
    "Kepler's equation, 50 times": (_kepler, 2.5, 0.3), "Runge and Kutta, 100 steps, lists": (_pendulum, 1.0, 2.0),
    "Runge and Kutta, 60 steps, arrays": (_arrays, 1.0, 2.0), "elimination, 200 unknowns": (_elimination, 2.5, 1.0),
    "Kalman's filter, 100 steps": (_filter, 0.3, 0.5),
}  # fmt: skip


def report(seconds: float = 1.0) -> str:
    traced = [_traced(row, seconds) for row in TRACED]
    recorded = [_recorded(name, *row, seconds) for name, row in RECORDED.items()]
    head = [
        "traced: a gradient",
        "host's value",
        "gradient in jax.numpy",
        "ours",
        "ours over both",
    ]
    other = [
        "recorded: a gradient",
        "value in Python's numbers",
        "in NumPy's",
        "host's value",
        "ours",
        "over Python's",
        "over NumPy's",
        "over the host's",
    ]
    return "\n".join((table("Code without a rule", head, traced), table("Recorded code", other, recorded)))


def _times(functions: dict[str, Callable], seconds: float) -> dict[str, float]:
    """Median seconds of the processor for a call of each, in turn."""
    found: dict[str, list[float]] = {name: [] for name in functions}
    end = time.monotonic() + seconds
    while time.monotonic() < end or not all(found.values()):
        for name, f in functions.items():
            start = time.process_time()
            for _ in range(BURST):
                jax.block_until_ready(f())
            found[name].append((time.process_time() - start) / BURST)
    return {name: statistics.median(times) for name, times in found.items()}


def _traced(row: Traced, seconds: float) -> list[str]:
    wrapped = hw.wrap(out=jax.ShapeDtypeStruct((), float))(lambda x, a: row.f(np, scipy.special, x, a))
    theirs = lambda x, a: row.f(jnp, jax.scipy.special, x, a)
    given = jnp.asarray(NUMBERS), jnp.asarray(1.3)

    def called(f: Callable) -> Callable:
        compiled = jax.jit(f)
        jax.block_until_ready(compiled(*given))
        return lambda: compiled(*given)

    t = _times({
        "value": called(wrapped), "theirs": called(jax.grad(theirs, (0, 1))),
        "ours": called(jax.grad(wrapped, (0, 1))),
    }, seconds)  # fmt: skip
    ratio = t["ours"] / (t["value"] + t["theirs"])
    return [row.name, *map(duration, (t["value"], t["theirs"], t["ours"])), f"{ratio:.2f}"]


def _recorded(name: str, f: Callable, x: float, y: float, seconds: float) -> list[str]:
    wrapped = hw.wrap(out=jax.ShapeDtypeStruct((), float))(f)
    compiled, value = jax.jit(jax.grad(wrapped, (0, 1))), jax.jit(wrapped)
    places = itertools.cycle([x * (1 + 1e-9 * k) for k in range(FRESH)])
    ours = lambda: compiled(next(places), y)
    for _ in range(WARM):
        jax.block_until_ready((ours(), value(x, y)))
    plain, numpys = lambda: np.float64(f(x, y)), lambda: f(np.float64(x), np.float64(y))
    t = _times({
        "plain": plain, "numpys": numpys, "value": lambda: value(next(places), y), "ours": ours,
    }, seconds)  # fmt: skip
    ratios = (f"{t['ours'] / t[way]:.1f}" for way in ("plain", "numpys", "value"))
    return [name, *map(duration, t.values()), *ratios]
