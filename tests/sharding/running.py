"""The cases in a process of their own, which has eight devices."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence

ROOT = pathlib.Path(__file__).resolve().parents[2]

Found = Mapping[str, Sequence[str]]  # of each case that was run, what is wrong with it


def found(every: int = 1, first: int = 0, lane: str = "native") -> Found:
    """Run the cases, or every n-th one from the first on, in a process with eight devices."""
    environment = {**os.environ, "HOSTWRAP_LANE": lane}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "found.json")
        command = [
            sys.executable,
            "-m",
            "tests.sharding",
            str(file),
            "--every",
            str(every),
            "--first",
            str(first),
        ]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{done.stdout}\n{done.stderr}")
        return json.loads(file.read_text(encoding="utf-8"))
