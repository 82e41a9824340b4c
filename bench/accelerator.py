"""The same programs on a GPU or TPU and on the CPU of one machine. Run by hand: `python -m bench.accelerator`."""

import functools

import jax
import numpy as np
import scipy.special

import hostwrap as hw
from bench.baselines import by_hand
from bench.timing import duration, in_turn, machine, table
from hostwrap import special

SIZES = (1, 100_000, 1_000_000)


def sersic(r, n):
    b = scipy.special.gammaincinv(2 * n, 0.5)
    return np.exp(-b * ((r / 1.1) ** (1 / n) - 1))


def damped(t, w):
    return np.exp(-0.3 * t) * np.cos(w * t) / np.sqrt(1 + t)


def programs() -> dict[str, tuple]:
    """For each row: a function of an array and a number, and the number."""
    jv = by_hand(scipy.special.jv)
    traced = hw.to_jax(hw.wrap(damped))
    gradient = lambda f: jax.grad(lambda x, a: f(x, a).sum(), (0, 1))
    order = lambda f: lambda x, v: f(v, x)
    return {
        "jv, by pure_callback": (order(jv), 1.5),
        "jv": (order(special.jv), 1.5),
        "gradient of jv": (gradient(order(special.jv)), 1.5),
        "gradient of gammainc": (gradient(order(special.gammainc)), 2.5),
        "gradient of erf": (gradient(lambda x, a: special.erf(a * x)), 0.5),
        "wrapped, with gammaincinv": (hw.wrap(sersic), 2.5),
        "gradient, with gammaincinv": (gradient(hw.wrap(sersic)), 2.5),
        "wrapped, NumPy alone": (hw.wrap(damped), 1.5),
        "gradient, NumPy alone": (gradient(hw.wrap(damped)), 1.5),
        "to_jax, NumPy alone": (traced, 1.5),
        "gradient of to_jax": (gradient(traced), 1.5),
    }


def report(seconds: float = 0.5) -> str:
    places = {"cpu": jax.devices("cpu")[0], "here": jax.devices()[0]}
    rows = []
    for size in SIZES:
        points = np.random.default_rng(0).uniform(0.5, 9, size)
        for name, (f, number) in programs().items():
            calls = {}
            for place, device in places.items():
                args = jax.device_put(points, device), jax.device_put(np.float64(number), device)
                calls[place] = functools.partial(jax.jit(f), *args)
            t = in_turn(calls, seconds)
            rows.append([name, f"{size:,}", *map(duration, t.values()), f"{t['here'] / t['cpu']:.2f}"])
    title = f"On {places['here'].device_kind} and on the CPU"
    return table(title, ["compiled", "n", "on the CPU", "here", "over the CPU"], rows)


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    print(machine(), report(), sep="\n\n")
