"""What derivatives cost on large arrays: value and all first derivatives together, over the value alone.

A derivative in closed form, made of other functions, is to cost at most 6 times the value; one that a numerical
kernel computes, 150 times.
"""

import csv
import functools
import pathlib
import statistics
import time

import jax
import jax.numpy as jnp
import numpy as np

from bench.timing import duration, in_turn, table
from hostwrap._table.partials import Unknown
from hostwrap.special._entry import CATALOGUE, integer
from hostwrap.special._notation import REQUIRED

POINTS = 100_000
LONG = 1.0  # seconds; a call that takes more is not repeated
LIMITS = {"closed form": 6, "kernel": 150}
SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "docs" / "support.csv"  # says which is which


def report(seconds: float = 0.3) -> str:
    found = {name: f for name, f in sorted(CATALOGUE.items()) if f.public and _moving(f)}
    kinds = _kinds()
    measured = {name: _times(f, seconds) for name, f in found.items()}
    rows = [
        [name, ", ".join(_moving(found[name])), kinds[name], duration(a), duration(b), f"{b / a:.1f}"]
        for name, (a, b) in measured.items()
    ]
    middle = statistics.median(b / a for a, b in measured.values())
    rows.append(["median", "", "", "", "", f"{middle:.1f}"])
    head = [f"{POINTS:,} points, jitted", "derivatives in", "by", "value", "with derivatives", "ratio"]
    return table("What derivatives cost", head, rows) + "".join(
        _worst(kind, {name: t for name, t in measured.items() if kinds[name] == kind}) for kind in LIMITS
    )


def _worst(kind: str, measured: dict[str, tuple[float, float]]) -> str:
    ratios = sorted(((b / a, name) for name, (a, b) in measured.items()), reverse=True)
    over = sum(ratio > LIMITS[kind] for ratio, _ in ratios)
    worst = ", ".join(f"{name} {ratio:.3g}" for ratio, name in ratios[:10])
    return f"\n{kind.capitalize()}, over the limit of {LIMITS[kind]}: {over} of {len(ratios)}. The highest: {worst}.\n"


def _kinds() -> dict[str, str]:
    """`kernel` where a derivative in any argument is one."""
    kinds: dict[str, str] = {}
    with SUPPORT.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["kind"] == "kernel" or row["function"] not in kinds:
                kinds[row["function"]] = "kernel" if row["kind"] == "kernel" else "closed form"
    return kinds


def _times(f, seconds: float) -> tuple[float, float]:
    random = np.random.default_rng(0)
    args = [jnp.asarray(_draw(random, f.boxes[a])) for a in f.args]
    statics = {s: 1 if d is REQUIRED else d for s, d in f.statics.items()}
    value = functools.partial(f, **statics)
    moving = tuple(f.args.index(a) for a in _moving(f))
    # the gradient of the sum over points is the derivative at each point
    both = jax.value_and_grad(lambda *xs: sum(jnp.sum(y.real) for y in jax.tree.leaves(value(*xs))), moving)
    functions = {"value": value, "both": both}
    calls = {k: functools.partial(jax.jit(g).lower(*args).compile(), *args) for k, g in functions.items()}
    first = _seconds(calls["both"])
    if first > LONG:
        return statistics.median(_seconds(calls["value"]) for _ in range(3)), first
    t = in_turn(calls, seconds)
    return t["value"], t["both"]


def _seconds(call) -> float:
    start = time.perf_counter()
    jax.block_until_ready(call())
    return time.perf_counter() - start


def _moving(f) -> list[str]:
    return [a for a in f.args if not isinstance(f.rules[a], Unknown)]


def _draw(random: np.random.Generator, box) -> np.ndarray:
    if isinstance(box, integer):
        return random.integers(box.low, box.high + 1, POINTS)
    return random.uniform(box.low, box.high, POINTS)
