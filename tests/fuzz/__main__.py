"""`python -m tests.fuzz SECONDS [--only NAME ...] [--record]`: new cases until the time is over, in each lane.

Cases run in a process of their own, so that one which crashes or hangs is counted, and shown, and the others go on.
`--record` writes the counts into the table of docs/stress.md.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import hostwrap as hw
from tests._kit.runs import record

ROUND = 40  # cases of a property, between two reports
LANES = ("native", "callback")
HANG = "Timeout ("  # what faulthandler says


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("seconds", type=float, nargs="?", default=600.0)
    parser.add_argument("--only", nargs="+", default=[], help="only these properties")
    parser.add_argument("--seed", type=int, help="of the first round; each round prints its own")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--worker", type=pathlib.Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    seed = random.randrange(2**32) if chosen.seed is None else chosen.seed
    if chosen.worker:
        work(chosen.worker, chosen.seconds, seed, chosen.only)
        return
    lanes = [lane for lane in LANES if hw.lanes()[lane] == "available"]
    found = {lane: fuzz(lane, chosen.seconds / len(lanes), seed, chosen.only) for lane in lanes}
    for lane, count in found.items():
        print(f"{lane}: {', '.join(f'{name} {n:.0f}' for name, n in count.items())}")
        if chosen.record:
            record("fuzz", lane, **count)
    sys.exit(any(count["wrong"] + count["hangs"] + count["crashes"] for count in found.values()))


def fuzz(lane: str, seconds: float, seed: int, only: list[str]) -> collections.Counter:
    """Counts of cases, of clear errors, and of what must not be, in one lane."""
    begin = time.monotonic()
    total = collections.Counter(cases=0, errors=0, wrong=0, hangs=0, crashes=0)
    while (left := begin + seconds - time.monotonic()) > 0:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "counts")
            command = [
                sys.executable,
                "-m",
                "tests.fuzz",
                str(left),
                "--seed",
                str(seed),
                "--worker",
                str(file),
            ]
            command += ["--only", *only] if only else []
            environment = {**os.environ, "HOSTWRAP_LANE": lane}
            done = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True)
            for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
                total.update(json.loads(line))
            if done.returncode:
                print(_last(done.stderr), flush=True)
                total["hangs" if HANG in done.stderr else "crashes"] += 1
        seed += 1_000_000
    total["seconds"] = time.monotonic() - begin
    return total


def _last(said: str) -> str:
    """The property that was tried last, with its seed, and the head of what came of it."""
    return said[said.rfind("\n", 0, max(0, said.rfind("--seed"))) + 1 :][:4000]


def work(file: pathlib.Path, seconds: float, seed: int, only: list[str]) -> None:
    """Rounds of all properties; a line with the counts of each round."""
    import jax

    from tests.fuzz.outcomes import counts
    from tests.fuzz.running import PROPERTIES, attempt

    jax.config.update("jax_enable_x64", True)
    end = time.monotonic() + seconds
    while True:
        for name in only or PROPERTIES:
            if time.monotonic() > end:
                return
            print(f"{name}, --seed {seed}", file=sys.stderr, flush=True)  # shown if it crashes or hangs
            counts.clear()
            wrong = 0
            try:
                attempt(name, ROUND, seed, watch=True)
            except Exception as error:
                wrong = 1
                notes = "\n".join(getattr(error, "__notes__", ()))
                print(f"{name}, --seed {seed}: {error!r:.2000}\n{notes}", flush=True)
            with file.open("a", encoding="utf-8") as lines:
                print(
                    json.dumps(
                        {"cases": counts["cases"], "errors": counts["errors of ours"], "wrong": wrong}
                    ),
                    file=lines,
                )
        jax.clear_caches()
        seed += 1


if __name__ == "__main__":
    main()
