"""`python -m hostwrap`: versions, lanes, devices and a self-check, for reports of bugs.

The exit status is 1 if a check fails, or does not end within five minutes.
"""

from __future__ import annotations

import faulthandler
import itertools
import os
import platform
import sys

import jax
import jaxlib
import numpy
import scipy

from hostwrap import _lanes
from hostwrap._version import __version__
from hostwrap.testing import _selfcheck

SECONDS = 300
SETTINGS = ("HOSTWRAP_", "JAX_", "XLA_", "OMP_NUM_THREADS")


def main() -> int:
    faulthandler.dump_traceback_later(SECONDS, exit=True, file=sys.__stderr__ or sys.stderr)
    _print("hostwrap", {"version": __version__, "from": os.path.dirname(__file__)})
    _print("here", _here())
    _print("lanes", _lanes.lanes())
    _print("devices", {str(d): d.device_kind for d in jax.devices()})
    settings = {k: v for k, v in sorted(os.environ.items()) if k.startswith(SETTINGS)}
    if settings:
        _print("settings", settings)
    failed = self_check()
    faulthandler.cancel_dump_traceback_later()
    return int(failed)


def self_check() -> bool:
    """Print one line for each function in each lane; return True if something is wrong."""
    print("self-check", flush=True)
    failed = False
    found = itertools.groupby(_selfcheck.findings(), key=lambda f: (f.lane, f.case))
    for (lane, case), findings in found:
        problems, checks = [], []
        for finding in findings:
            checks.append(finding.check)
            problems += [f"    {finding.check}: {finding.problem}"] if finding.problem else []
        failed |= bool(problems)
        result = "FAILED" if problems else f"right: {', '.join(checks)}"
        print("\n".join([f"  {lane:<14} {case:<22} {result}", *problems]), flush=True)
    return failed


def _here() -> dict[str, str]:
    modules = {m.__name__: m.__version__ for m in (jax, jaxlib, numpy, scipy)}
    python = f"{platform.python_version()} ({platform.python_implementation()})"
    return {"python": python, **modules, "platform": platform.platform(), "processors": _processors()}


def _processors() -> str:
    """The number of processors, and how many this process may use."""
    count = os.cpu_count()
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else count
    return f"{count}" if usable == count else f"{usable} of {count}"


def _print(title: str, lines: dict[str, str]) -> None:
    print(title)
    for name, text in lines.items():
        print(f"  {name:<14} {text}")


if __name__ == "__main__":
    sys.exit(main())
