"""What it takes to begin: imports, in new processes, and the compilation of a first call."""

import functools
import os
import statistics
import subprocess
import sys
import time

import jax
import jax.numpy as jnp

from bench.timing import duration, table
from hostwrap import special

IMPORTS = {
    "hostwrap": ("import jax", "import hostwrap"),
    "hostwrap.special": ("import jax, scipy.special", "import hostwrap.special"),
}
FEWEST = 15  # processes behind a median
# an installed package has its bytecode; a setting of the one who works on it is not to keep it from being written
INSTALLED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
COMPILED = {
    "jnp.sin": jnp.sin,
    "ndtr": special.ndtr,
    "jv": functools.partial(special.jv, 2.5),
    "kv": functools.partial(special.kv, 2.5),
}


def report(seconds: float = 20.0) -> str:
    rows = [[name, *_imported(*code, seconds / 2)] for name, code in IMPORTS.items()]
    first = table("Imports", ["in a new process", "what is there before", "the import beyond it"], rows)
    return first + "\n" + _compiled(seconds / 4)


def _imported(before: str, code: str, seconds: float) -> list[str]:
    """Medians of (before, code after it), in turn; the first processes write the bytecode."""
    programs = [_timed("", before), _timed(before, code)]
    for program in programs:
        _process(program)
    times: list[list[float]] = []
    end = time.perf_counter() + seconds
    while len(times) < FEWEST or time.perf_counter() < end:
        times.append([_process(p) for p in programs])
    return [duration(statistics.median(found)) for found in zip(*times, strict=True)]


def _timed(before: str, code: str) -> str:
    return f"import time; {before or 'pass'}; t = time.perf_counter(); {code}; print(time.perf_counter() - t)"


def _process(program: str) -> float:
    return float(subprocess.check_output([sys.executable, "-c", program], env=INSTALLED))


def _compiled(seconds: float) -> str:
    times: dict = {(name, n): [] for n in (1, 1000) for name in COMPILED}
    end = time.perf_counter() + seconds
    while len(times["jnp.sin", 1]) < 3 or time.perf_counter() < end:
        for name, n in times:
            times[name, n].append(_first_call(COMPILED[name], n))
    middle = {
        key: statistics.median(found[1:]) for key, found in times.items()
    }  # the first one pays for tables
    rows = [
        [name, f"{n:,}", duration(t), f"{t / middle['jnp.sin', n]:.2f}"] for (name, n), t in middle.items()
    ]
    return table("First calls of a jitted function", ["trace, compile, run", "n", "time", "of jnp.sin"], rows)


def _first_call(function, n: int) -> float:
    x = jnp.linspace(0.5, 2.0, n) if n > 1 else jnp.float64(2.0)
    new = jax.jit(lambda x: function(x))
    start = time.perf_counter()
    jax.block_until_ready(new(x))
    return time.perf_counter() - start
