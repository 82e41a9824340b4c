"""A loop of scalar steps inside a compiled program: what a call costs where nothing else does."""

import functools

import jax
import scipy.special

from bench.baselines import by_hand
from bench.timing import duration, in_turn, table
from hostwrap import special

STEPS = 1000


def report(seconds: float = 2.0) -> str:
    functions = {
        "hostwrap": _steps(special.jv),
        "pure_callback": _steps(by_hand(scipy.special.jv)),
        "no call": _steps(lambda v, z: z * v),
    }
    t = in_turn(functions, seconds)
    rows = [
        [name, duration(t[name]), duration(t[name] / STEPS), f"{t[name] / t['pure_callback']:.3f}"]
        for name in functions
    ]
    return table(
        f"`scan` of {STEPS} steps `z = z + 1e-3 jv(1.5, z)`", ["", "time", "a step", "of pure_callback"], rows
    )


def _steps(jv):
    def step(z, _):
        return z + 1e-3 * jv(1.5, z), None

    return functools.partial(jax.jit(lambda z: jax.lax.scan(step, z, None, length=STEPS)[0]), 2.0)
