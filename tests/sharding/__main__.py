"""Run cases, each of which may fail on its own; `python -m tests.sharding out.json [every n-th]`."""

import json
import os
import sys
import time
import traceback

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax

jax.config.update("jax_enable_x64", True)

from tests.sharding import cases


def main(path: str, *words: str) -> None:
    found = {}
    for number, case in enumerate(cases.cases()):
        if not all(w in str(case) for w in words):
            continue
        start = time.perf_counter()
        try:
            wrong = cases.run(case)
        except Exception as error:
            wrong = [traceback.format_exc() if words else repr(error)[:300]]
        found[str(case)] = wrong
        if wrong:
            print(f"{case}: {wrong}", round(time.perf_counter() - start, 2), flush=True)
        if number % 50 == 49:
            jax.clear_caches()
    print(len(found))
    with open(path, "w", encoding="utf-8") as file:
        json.dump(found, file, indent=1)


main(*sys.argv[1:])
