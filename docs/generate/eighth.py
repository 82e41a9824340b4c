"""`python -m docs.generate.eighth [NAME ...]` measures what the eighth derivative takes to trace and to compile.

docs/eighth.csv has the processor time of eight nested `jax.grad` in each argument, for the first time in a process.
docs/validation.md has the counts. It takes half an hour; with names it measures these, and keeps the other rows.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from docs.generate import DOCS, read_rows, with_part, write_rows
from hostwrap import MissingDerivative
from tests._kit.clock import ending
from tests.reference import orders

TABLE, PAGE = DOCS / "eighth.csv", DOCS / "validation.md"
BEGIN, END = "<!-- eighth: written by docs.generate.eighth -->\n", "<!-- end of eighth -->\n"
ORDER, PLACE = 8, 0.41  # of the boxes
GOAL, LONGEST = 1.0, 20.0  # seconds
NAMED = 3  # functions that take longest, on the page
Times = dict[str, dict[str, float]]  # by function and argument


def taken(name: str, i: int) -> float:
    """Seconds of one processor for the derivative in argument i; infinite beyond `LONGEST`, or where it is missing."""
    function = orders.functions()[name]
    point: Any = orders.point_of(function, PLACE)
    along = lambda t: jnp.real(jax.tree.leaves(function(*point[:i], t, *point[i + 1 :]))[0])
    slope: Callable = functools.reduce(lambda f, _: jax.grad(f), range(ORDER), along)
    start = time.process_time()
    try:
        with ending(LONGEST, clock="PROF"):
            jax.jit(slope).lower(point[i]).compile()
    except (MissingDerivative, TimeoutError):
        return float("inf")
    return time.process_time() - start


def committed() -> Times:
    found: Times = {}
    for row in read_rows(TABLE):
        found.setdefault(row["function"], {})[row["argument"]] = float(row["seconds"])
    return found


def write(times: Times) -> None:
    rows = [(name, a, f"{t:.2f}") for name, found in sorted(times.items()) for a, t in found.items()]
    fields = ["function", "argument", "seconds"]
    write_rows(TABLE, fields, [dict(zip(fields, row, strict=True)) for row in rows])
    page = with_part(PAGE.read_text(encoding="utf-8"), BEGIN, text(times), END)
    PAGE.write_text(page, encoding="utf-8")


def text(times: Times) -> str:
    """The counts, and what takes longest."""
    whole, part = (
        sum(enough(t <= GOAL for t in found.values()) for found in times.values()) for enough in (all, any)
    )
    slowest = {name: max(found.values()) for name, found in times.items()}
    named = [
        f"`{name}` ({slowest[name]:.1f})" for name in sorted(slowest, key=slowest.get)[: -NAMED - 1 : -1]
    ]  # type: ignore[arg-type]
    return (
        f"To trace and compile {ORDER} nested `jax.grad` takes at most {GOAL:.0f} second of one processor "
        f"in each argument for {whole} of\n{len(times)} functions, and in one argument at least for {part}. "
        f"Most seconds take {', '.join(named)}.\n"
    )


def main(names: list[str]) -> None:
    jax.config.update("jax_enable_x64", True)
    jax.jit(jax.grad(lambda x: jnp.sin(x) * x)).lower(1.0).compile()  # JAX itself
    times = committed() if names else {}
    for name in names or orders.functions():
        function = orders.functions()[name]
        if found := {function.args[i]: taken(name, i) for i in orders.arguments(function)}:
            times[name] = found
            print(name, found, flush=True)
            write(times)
    print(text(times))


if __name__ == "__main__":
    main(sys.argv[1:])
