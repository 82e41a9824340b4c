"""A jitted call, small and large: hostwrap beside SciPy itself, and a `pure_callback` written by hand."""

import functools

import jax
import numpy as np
import scipy.special

from bench.baselines import by_hand
from bench.timing import duration, in_turn, table
from hostwrap import special

SIZES = (1, 100, 10_000, 1_000_000)
FUNCTIONS = {"jv": (1.5,), "ndtr": (), "gamma": ()}  # the leading arguments, held fixed


def report(seconds: float = 1.0) -> str:
    rows = [
        row
        for name, fixed in FUNCTIONS.items()
        if hasattr(special, name)
        for row in _rows(name, fixed, seconds)
    ]
    head = [
        "jitted call",
        "n",
        "hostwrap",
        "pure_callback",
        "SciPy",
        "jit(identity)",
        "of pure_callback",
        "of SciPy",
    ]
    return table("Jitted calls", head, rows)


def _rows(name: str, fixed: tuple, seconds: float) -> list[list[str]]:
    ours, host = getattr(special, name), getattr(scipy.special, name)
    return [_row(name, n, fixed, ours, host, seconds) for n in SIZES]


def _row(name, n, fixed, ours, host, seconds) -> list[str]:
    z = np.linspace(0.5, 20.0, n) if n > 1 else np.float64(2.0)
    on_device = jax.device_put(z)
    functions = {
        "ours": functools.partial(jax.jit(functools.partial(ours, *fixed)), on_device),
        "by hand": functools.partial(jax.jit(functools.partial(by_hand(host), *fixed)), on_device),
        "scipy": functools.partial(host, *fixed, z),
        "identity": functools.partial(jax.jit(lambda x: x), on_device),
    }
    t = in_turn(functions, seconds)
    ratios = [f"{t['ours'] / t['by hand']:.2f}", f"{t['ours'] / t['scipy']:.2f}"]
    return [name, f"{n:,}", *(duration(t[k]) for k in functions), *ratios]
