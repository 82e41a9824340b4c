"""What derivatives cost: value and all first derivatives together, over the value alone, for one number and for many.

Targets are those of a sampler's step, a fit, a right-hand side: one element at 50 µs, and on large arrays 30 times the
value at most.
"""

import csv
import functools
import pathlib
import statistics
import time
from collections.abc import Callable, Iterable

import jax
import jax.numpy as jnp
import numpy as np

from bench.timing import duration, in_turn, table
from hostwrap._table.partials import Unknown
from hostwrap.special._entry import CATALOGUE, integer
from hostwrap.special._notation import REQUIRED

SIZES = (1, 100, 100_000)
LONG = 1.0  # seconds; a call that takes more is not repeated
SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "docs" / "support.csv"  # says what is a kernel

Times = dict[str, float]


def report(seconds: float = 0.1) -> str:
    found = {name: f for name, f in sorted(CATALOGUE.items()) if f.public and _moving(f)}
    kinds = _kinds()
    measured = {name: _times(f, seconds) for name, f in found.items()}
    rows = [[name, ", ".join(_moving(found[name])), kinds[name], *_row(t)] for name, t in measured.items()]
    rows.append(["median", "", "", *_row(_medians(measured.values()))])
    head = ["jitted", "derivatives in", "by", "1: value", "with derivatives", "second", "100: value"]
    head += ["with derivatives", "100,000: value", "with derivatives", "ratio"]
    return table("Special functions", head, rows) + "\n" + targets(measured)


def _row(t: Times) -> list[str]:
    keys = ["value 1", "both 1", "second 1", "value 100", "both 100", "value 100000", "both 100000"]
    return [*(duration(t[key]) for key in keys), f"{t['ratio']:.1f}"]


def _medians(measured: Iterable[Times]) -> Times:
    columns = list(measured)
    return {key: statistics.median(t[key] for t in columns) for key in columns[0]}


def targets(measured: dict[str, Times]) -> str:
    """What is to be reached, and what is."""

    def over(key: str, limit: float) -> str:
        highest = sorted(((t[key], name) for name, t in measured.items()), reverse=True)
        named = ", ".join(f"{name} {_shown(key, x)}" for x, name in highest[:5])
        return f"{sum(x > limit for x, _ in highest)}: {named}"

    middle = _medians(measured.values())
    cheap = sum(t["gradient 1"] <= 50e-6 for t in measured.values())
    rows = [
        ["one element, all first derivatives: median", duration(middle["gradient 1"]), "15 µs"],
        ["functions at most 50 µs", f"{cheap} of {len(measured)}", "200"],
        ["functions above 500 µs", over("gradient 1", 500e-6), "none"],
        ["one element, second derivatives: functions above 2 ms", over("second 1", 2e-3), "none"],
        ["100,000 points, with derivatives over the value: median", f"{middle['ratio']:.1f}", "4"],
        ["functions above 30 times the value", over("ratio", 30), "none"],
        ["first call of a derivative (trace, compile, run): above 1.5 s", over("first", 1.5), "none"],
    ]
    return table("Targets", ["", "measured", "to reach"], rows)


def _shown(key: str, x: float) -> str:
    return f"{x:.3g}" if key == "ratio" else duration(x)


def _kinds() -> dict[str, str]:
    """`kernel` where a derivative in any argument is one."""
    kinds: dict[str, str] = {}
    with SUPPORT.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["kind"] == "kernel" or row["function"] not in kinds:
                kinds[row["function"]] = "kernel" if row["kind"] == "kernel" else "closed form"
    return kinds


def _times(f, seconds: float) -> Times:
    """Seconds of values, of first and second derivatives, alone and with the value; of a first call; and the ratio."""
    random = np.random.default_rng(0)
    statics = {s: 1 if d is REQUIRED else d for s, d in f.statics.items()}
    value = functools.partial(f, **statics)
    moving = tuple(f.args.index(a) for a in _moving(f))
    # the gradient of the sum over points is the derivative at each point
    total = lambda *xs: sum(jnp.sum(y.real) for y in jax.tree.leaves(value(*xs)))
    gradient, both = jax.grad(total, moving), jax.value_and_grad(total, moving)
    found: Times = {}
    for count in SIZES:
        args = [jnp.asarray(_draw(random, f.boxes[a], () if count == 1 else (count,))) for a in f.args]
        functions = {"gradient 1": gradient, "second 1": jax.hessian(total, moving)} if count == 1 else {}
        functions |= {f"value {count}": value, f"both {count}": both}
        calls = {}
        for key, g in functions.items():
            start = time.perf_counter()
            calls[key] = functools.partial(jax.jit(g).lower(*args).compile(), *args)
            once = _seconds(calls[key])
            if key == "gradient 1":
                found["first"] = time.perf_counter() - start
            if once > LONG:
                found[key] = once
        short = {key: call for key, call in calls.items() if key not in found}
        found |= in_turn(short, seconds) if short else {}
    found["ratio"] = found["both 100000"] / found["value 100000"]
    return found


def _seconds(call: Callable) -> float:
    start = time.perf_counter()
    jax.block_until_ready(call())
    return time.perf_counter() - start


def _moving(f) -> list[str]:
    return [a for a in f.args if not isinstance(f.rules[a], Unknown)]


def _draw(random: np.random.Generator, box, shape: tuple[int, ...]) -> np.ndarray:
    if isinstance(box, integer):
        return random.integers(box.low, box.high + 1, shape)
    return random.uniform(box.low, box.high, shape)
