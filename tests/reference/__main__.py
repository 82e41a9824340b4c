"""`python -m tests.reference [names...]`: the tables anew, where the definition or the points have changed.

--force       all of them, changed or not
--ratchet     measure our accuracy and write accuracy.csv where it is better than before
--accept      with --ratchet: write what is worse too
--estimate N  only the processor time that all of it would take, from N points of each table
--jobs N      processes (2)
"""

from __future__ import annotations

import argparse

import jax

from tests.reference import generate, ledger, tables
from tests.reference.composed import measured


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.reference", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--ratchet", action="store_true")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--estimate", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    functions = [f for name, f in measured().items() if not options.names or name in options.names]
    if options.ratchet:
        jax.config.update("jax_enable_x64", True)
        ledger.update(functions, accept=options.accept)
        return
    if options.estimate:
        generate.estimate(functions, options.estimate)
        return
    generate.make([f for f in functions if options.force or generate.stale(f)], options.jobs)
    if not options.names:
        _report_leftovers()


def _report_leftovers() -> None:
    known = set(measured())
    for path in sorted(tables.FOLDER.glob("*.npz")):
        if path.stem not in known:
            print(f"{path.name} belongs to no entry")


if __name__ == "__main__":
    main()
