"""`python -m bench`: every table. `--write` saves them as docs/benchmark.md, `--only calls scan` picks some."""

import argparse
import datetime
import pathlib

import jax

from bench import calls, costs, derivatives, devices, scan, sizes, sparse, starting, wrappers
from bench.timing import machine

TABLES = {
    "calls": calls,
    "sizes": sizes,
    "scan": scan,
    "derivatives": derivatives,
    "wrappers": wrappers,
    "starting": starting,
    "sparse": sparse,
    "costs": costs,
    "devices": devices,
}
PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "benchmark.md"
INTRODUCTION = """# Benchmark

`make bench` prints these tables. Within a row everything is measured in turn, in one run; times are medians. Only the
ratios mean something on another machine.
"""


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    options.add_argument("--write", action="store_true", help=f"save the tables as {PAGE.name}")
    options.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES), help="tables to make")
    chosen = options.parse_args()
    jax.config.update("jax_enable_x64", True)
    page = [INTRODUCTION, f"Measured {datetime.date.today():%Y-%m-%d} on {machine()}.\n"]
    print(page[-1], flush=True)
    for name in chosen.only:
        page.append(TABLES[name].report())
        print(page[-1], flush=True)
    if chosen.write and "sizes" in chosen.only:
        sizes.draw()
        page[-1] += f"\n![cost against size]({sizes.PICTURE.name})\n"
    if chosen.write:
        PAGE.write_text("\n".join(page), encoding="utf-8")


if __name__ == "__main__":
    main()
