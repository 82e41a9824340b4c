"""A jitted call, small and large: hostwrap beside SciPy, a `pure_callback` written by hand, and JAX's own function."""

import functools

import jax
import jax.scipy.special
import numpy as np
import scipy.special

from bench.baselines import by_hand
from bench.timing import duration, in_turn, table
from hostwrap import special

SIZES = (1, 100, 10_000, 1_000_000)
# the leading arguments, held fixed, and where the last one lies
FUNCTIONS = {
    "jv": ((2.5,), (0.5, 20.0)),
    "gammainc": ((2.5,), (0.5, 20.0)),
    "betainc": ((2.5, 1.5), (0.01, 0.99)),
    "gamma": ((), (0.5, 20.0)),
    "ndtr": ((), (-5.0, 5.0)),
    "expit": ((), (-5.0, 5.0)),
}
HEAD = [
    "jitted call", "n", "hostwrap", "pure_callback", "SciPy", "jit(identity)", "jax.scipy",
    "of pure_callback", "of SciPy", "of SciPy + identity",
]  # fmt: skip


def report(seconds: float = 1.0) -> str:
    rows = [_row(name, n, seconds) for name in FUNCTIONS for n in SIZES]
    return table("Jitted calls", HEAD, rows)


def compared(name: str, n: int) -> dict:
    """Calls that compute the same, by what computes it; and one that computes nothing."""
    fixed, (low, high) = FUNCTIONS[name]
    z = np.linspace(low, high, n) if n > 1 else np.float64((low + high) / 3)
    on_device = jax.device_put(z)
    ours, host = getattr(special, name), getattr(scipy.special, name)
    functions = {
        "ours": functools.partial(jax.jit(functools.partial(ours, *fixed)), on_device),
        "by hand": functools.partial(jax.jit(functools.partial(by_hand(host), *fixed)), on_device),
        "scipy": functools.partial(host, *fixed, z),
        "identity": functools.partial(jax.jit(lambda x: x), on_device),
    }
    jaxs = getattr(jax.scipy.special, name, None)
    if jaxs:
        functions["jax"] = functools.partial(jax.jit(functools.partial(jaxs, *fixed)), on_device)
    return functions


def _row(name: str, n: int, seconds: float) -> list[str]:
    t = in_turn(compared(name, n), seconds)
    times = [duration(t[k]) if k in t else "" for k in ("ours", "by hand", "scipy", "identity", "jax")]
    bases = (t["by hand"], t["scipy"], t["scipy"] + t["identity"])
    return [name, f"{n:,}", *times, *(f"{t['ours'] / base:.2f}" for base in bases)]
