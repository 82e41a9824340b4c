"""`python -m tests.sharding FILE [--every N [--first K]] [--only WORD ...]`: run cases, tell what is wrong."""

import argparse
import itertools
import json
import os
import pathlib
import traceback

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax

from tests.sharding.cases import cases, run
from tests.sharding.others import OTHERS

CACHED = 50  # cases: programs are kept for so long


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.sharding", description=__doc__)
    options.add_argument("file", type=pathlib.Path)
    options.add_argument("--every", type=int, default=1, help="only every n-th case of the matrix")
    options.add_argument("--first", type=int, default=0, help="of them, the number of the first one")
    options.add_argument("--only", nargs="+", default=[], help="only cases with these words in their names")
    chosen = options.parse_args()
    jax.config.update("jax_enable_x64", True)
    found = {}
    for number, (name, case) in enumerate(
        itertools.chain(_matrix(chosen.first, chosen.every), OTHERS.items()), 1
    ):
        if all(word in name for word in chosen.only):
            found[name] = _wrong(case)
            print(name, *found[name], sep="\n  ", flush=True)
        if number % CACHED == 0:
            jax.clear_caches()
    chosen.file.write_text(json.dumps(found, indent=1), encoding="utf-8")


def _matrix(first: int, every: int):
    chosen = itertools.islice(cases(), first, None, every)
    return ((str(case), lambda case=case: run(case)) for case in chosen)


def _wrong(case) -> list[str]:
    try:
        return list(case())
    except Exception:
        return [traceback.format_exc()]


main()
