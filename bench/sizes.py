"""Cost against the number of elements, from one to ten millions, as a picture; and what memory a large call takes."""

import functools
import gc
import pathlib

import jax

from bench.calls import compared
from bench.timing import duration, in_turn, table

SIZES = tuple(10**k for k in range(8))
NAMES = ("ndtr", "gammainc")
LABELS = {
    "ours": "hostwrap",
    "by hand": "pure_callback",
    "scipy": "SciPy",
    "jax": "jax.scipy",
    "identity": "jit(identity)",
}
PICTURE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "sizes.png"


def report(seconds: float = 0.3) -> str:
    times = _measured(seconds)
    rows = [
        [name, f"{n:,}", *(duration(times[name, n][k]) if k in times[name, n] else "" for k in LABELS)]
        for name in NAMES
        for n in SIZES
    ]
    head = ["cost of a call", "n", *LABELS.values()]
    return table("Cost against size", head, rows) + _memory(max(SIZES))


@functools.cache
def _measured(seconds: float) -> dict:
    return {(name, n): in_turn(compared(name, n), seconds) for name in NAMES for n in SIZES}


def draw(seconds: float = 0.3) -> None:
    """The same as a log-log plot."""
    import matplotlib.pyplot as plt

    times = _measured(seconds)
    figure, axes = plt.subplots(1, len(NAMES), figsize=(11, 4.5), sharey=True, layout="constrained")
    for name, ax in zip(NAMES, axes, strict=True):
        for key, label in LABELS.items():
            found = [(n, times[name, n][key]) for n in SIZES if key in times[name, n]]
            if found:
                ax.loglog(*zip(*found, strict=True), "o-", markersize=3, label=label)
        ax.set(title=name, xlabel="elements", ylabel="seconds a call" if ax is axes[0] else "")
        ax.grid(alpha=0.3)
    axes[0].legend()
    figure.savefig(PICTURE, dpi=110)
    plt.close(figure)


def _memory(n: int) -> str:
    """The most memory in use during a call, beyond what was in use before it, over that of the result."""
    if not pathlib.Path("/proc/self/clear_refs").exists():
        return ""
    found = {name: peak(compared(name, n)["ours"]) / (8 * n) for name in NAMES}
    each = ", ".join(f"{name} {ratio:.2f}" for name, ratio in found.items())
    return f"\nMost memory during a call with {n:,} elements, over that of its result: {each}.\n"


def peak(call) -> int:
    """Bytes that a call needs beside its arguments, as the operating system counts them."""
    first = jax.block_until_ready(call())  # held: its memory may not be used again
    gc.collect()
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # from now on, count the maximum anew
    before = _status("VmRSS")
    jax.block_until_ready(call())
    del first
    return _status("VmHWM") - before


def _status(field: str) -> int:
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{field}:"))
