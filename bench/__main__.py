"""`python -m bench`: every table. `--write` saves them in docs/, `--only calls scan` picks some."""

import argparse
import datetime
import functools
import pathlib
from collections.abc import Callable

import jax

from bench import (
    automatic,
    calls,
    costs,
    derivatives,
    devices,
    peers,
    scan,
    sizes,
    solvers,
    sparse,
    starting,
    wrappers,
)
from bench.timing import machine

TABLES = {
    "calls": calls,
    "sizes": sizes,
    "scan": scan,
    "derivatives": derivatives,
    "wrappers": wrappers,
    "peers": peers,
    "starting": starting,
    "sparse": sparse,
    "solvers": solvers,
    "costs": costs,
    "automatic": automatic,
    "devices": devices,
}
DOCS = pathlib.Path(__file__).resolve().parents[1] / "docs"
INTRODUCTION = """# {title}

`make bench` prints this. Within a row everything is measured in turn, in one run; times are medians. Only the
ratios mean something on another machine.

Measured {date:%Y-%m-%d} on {machine}.

"""


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    options.add_argument(
        "--write",
        action="store_true",
        help="save the tables: docs/benchmark.md, docs/costs.md, docs/solvers.md",
    )
    options.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES), help="tables to make")
    chosen = options.parse_args()
    jax.config.update("jax_enable_x64", True)
    heading = functools.partial(INTRODUCTION.format, date=datetime.date.today(), machine=machine())
    print(heading(title="Benchmark"), flush=True)
    texts = {}
    for name in chosen.only:
        texts[name] = TABLES[name].report()
        print(texts[name], flush=True)
    if chosen.write:
        _save(texts, heading)


def _save(texts: dict[str, str], heading: Callable[..., str]) -> None:
    if "sizes" in texts:
        sizes.draw()
        texts["sizes"] += f"\n![cost against size]({sizes.PICTURE.name})\n"
    if costs := texts.pop("costs", ""):
        (DOCS / "costs.md").write_text(heading(title="What derivatives cost") + costs, encoding="utf-8")
    if measured := texts.pop("solvers", ""):
        page = heading(title="What solvers and their gradients cost") + measured
        (DOCS / "solvers.md").write_text(page, encoding="utf-8")
    if texts:
        page = heading(title="Benchmark") + "\n".join(texts.values())
        (DOCS / "benchmark.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
