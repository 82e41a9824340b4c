"""Errors for operations that cannot be recorded."""

from __future__ import annotations

from hostwrap._copies.retarget import Untraceable


def refused(what: str, why: str) -> Untraceable:
    """The error for an operation that cannot be recorded."""
    return Untraceable(f"{what}: {why}", WAY_OUT)


HELD_NOT = "objects of this kind cannot hold what is being differentiated"
WAY_OUT = (
    "Write it with functions that have a derivative, or attach a rule, with defpartials, defjvp or defhost"
)
