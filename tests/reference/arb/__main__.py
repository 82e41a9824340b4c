"""`python -m tests.reference.arb [names]`: the committed tables beside Arb, number by number; writes oracles.csv."""

from __future__ import annotations

import argparse
import time

from tests.reference import proofs
from tests.reference.arb import agreement, oracle
from tests.reference.composed import measured


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.reference.arb", description=__doc__.splitlines()[0]
    )
    parser.add_argument("names", nargs="*", help="those that are not in oracles.csv if there are none")
    options = parser.parse_args()
    for name, function in measured().items():
        known = proofs.is_current(function, proofs.load())
        if known if not options.names else name not in options.names:
            continue
        start = time.monotonic()
        rows, wrong = agreement.compared(function)
        proofs.enter(name, rows)
        if oracle.expression(function) is not None:
            numbers, proven = (sum(getattr(r, k) for r in rows.values()) for k in ("numbers", "proven"))
            print(f"{name:20} {time.monotonic() - start:6.1f} s, {proven} of {numbers} proven", flush=True)
        for contradiction in wrong:
            print(contradiction, flush=True)


if __name__ == "__main__":
    main()
