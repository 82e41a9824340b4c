"""`python -m tests.tracing.corpus [--only TEXT ...] [--open] [--part 1/4] [--seed N] [--accept]`: what comes of rows.

`--accept` writes it into outcomes.csv; rows that were not asked for keep what they had.
"""

import argparse
import collections
import os
import time

os.environ["XLA_FLAGS"] = (
    f"{os.environ.get('XLA_FLAGS', '')} --xla_backend_optimization_level=0"  # half of the time
)

import jax

from tests.tracing.corpus.ledger import read, write
from tests.tracing.corpus.runner import WORKS, attempt, rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.tracing.corpus", description=__doc__)
    parser.add_argument("--only", nargs="+", default=[""], help="rows whose id has one of these texts in it")
    parser.add_argument(
        "--open", action="store_true", help="rows that do not work by outcomes.csv, or are new"
    )
    parser.add_argument("--part", default="1/1", help="such as 2/5: every fifth row, from the second on")
    parser.add_argument("--seed", type=int, default=0, help="of the numbers")
    parser.add_argument("--accept", action="store_true")
    chosen = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    part, parts = map(int, chosen.part.split("/"))
    known = {row: outcome.way for row, outcome in read().items()} if chosen.open else {}
    asked = [row for row in rows() if any(text in row.id for text in chosen.only)]
    asked = [row for row in asked if known.get(row.id) not in WORKS][part - 1 :: parts]
    found = {}
    for number, row in enumerate(asked, 1):
        begin = time.monotonic()
        found[row.id] = outcome = attempt(row, chosen.seed)
        line = f"{row.id} | {outcome.way} {outcome.second} | {time.monotonic() - begin:.1f} s | {outcome.why}"
        print(line, flush=True)
        if number % 50 == 0:
            jax.clear_caches()
            if chosen.accept:
                write({**read(), **found})
    counts = collections.Counter(outcome.way for outcome in found.values())
    works = sum(counts[way] for way in WORKS)
    print(f"{len(found)} rows, {works / max(1, len(found)):.0%} work:", dict(counts))
    if chosen.accept:
        write({**read(), **found})


if __name__ == "__main__":
    main()
