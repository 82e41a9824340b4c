"""`python -m docs.generate.missing` writes what docs/special.md says of orders that are missing."""

from __future__ import annotations

import jax

from docs.generate import DOCS, with_part
from tests.reference import orders

PAGE = DOCS / "special.md"
BEGIN, END = "<!-- orders: written by docs.generate.missing -->\n", "<!-- end of orders -->\n"
MOST = 4


def found() -> dict[tuple[str, str], int]:
    """The highest order, where it is below `MOST`, of each function and argument."""
    known = {
        (name, f.args[i]): orders.highest(f, i, MOST)
        for name, f in orders.functions().items()
        for i in orders.arguments(f)
    }
    return {which: order for which, order in known.items() if order < MOST}


def text(known: dict[tuple[str, str], int]) -> str:
    said = [
        f"`{name}` in {argument} (up to order {order})" for (name, argument), order in sorted(known.items())
    ]
    return (
        f"Every function has derivatives up to order {MOST} and more in each of its continuous arguments"
        + (f", but for {', '.join(said)}. There `MissingDerivative` is raised.\n" if said else ".\n")
    )


def page(before: str, known: dict[tuple[str, str], int]) -> str:
    return with_part(before, BEGIN, text(known), END)


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), found()), encoding="utf-8")
