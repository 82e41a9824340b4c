"""What derivatives cost on large arrays: value and all first derivatives together, over the value alone."""

import functools
import statistics

import jax
import jax.numpy as jnp
import numpy as np

from bench.timing import duration, in_turn, table
from hostwrap._elementwise.partials import Unknown
from hostwrap.special._entry import CATALOGUE, integer
from hostwrap.special._notation import REQUIRED

POINTS = 100_000


def report(seconds: float = 0.3) -> str:
    found = {name: f for name, f in sorted(CATALOGUE.items()) if f.public}
    measured = {name: _times(f, seconds) for name, f in found.items()}
    rows = [
        [name, ", ".join(_moving(found[name])), duration(a), duration(b), f"{b / a:.1f}"]
        for name, (a, b) in measured.items()
    ]
    middle = statistics.median(b / a for a, b in measured.values())
    rows.append(["median", "", "", "", f"{middle:.1f}"])
    head = [f"{POINTS:,} points, jitted", "derivatives in", "value", "with derivatives", "ratio"]
    return table("What derivatives cost", head, rows) + _worst(measured)


def _worst(measured: dict[str, tuple[float, float]]) -> str:
    ratios = sorted(((b / a, name) for name, (a, b) in measured.items()), reverse=True)[:10]
    return "\nThe ten highest: " + ", ".join(f"{name} {ratio:.0f}" for ratio, name in ratios) + ".\n"


def _times(f, seconds: float) -> tuple[float, float]:
    random = np.random.default_rng(0)
    args = [jnp.asarray(_draw(random, f.boxes[a])) for a in f.args]
    statics = {s: 1 if d is REQUIRED else d for s, d in f.statics.items()}
    value = functools.partial(f, **statics)
    moving = tuple(f.args.index(a) for a in _moving(f))
    # the gradient of the sum over points is the derivative at each point
    both = jax.value_and_grad(lambda *xs: sum(jnp.sum(y.real) for y in jax.tree.leaves(value(*xs))), moving)
    functions = {"value": value, "both": both} if moving else {"value": value, "both": value}
    t = in_turn({k: functools.partial(jax.jit(g), *args) for k, g in functions.items()}, seconds)
    return t["value"], t["both"]


def _moving(f) -> list[str]:
    return [a for a in f.args if not isinstance(f.rules[a], Unknown)]


def _draw(random: np.random.Generator, box) -> np.ndarray:
    if isinstance(box, integer):
        return random.integers(box.low, box.high + 1, POINTS)
    return random.uniform(box.low, box.high, POINTS)
