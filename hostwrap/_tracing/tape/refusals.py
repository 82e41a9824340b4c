"""Errors for operations that cannot be recorded."""

from __future__ import annotations

from hostwrap._copies.retarget import Untraceable


def refused(what: str, why: str) -> Untraceable:
    """The error for an operation that cannot be recorded."""
    return Untraceable(f"{what}: {why}", WAY_OUT)


_OWN = "write `x = np.array(x)` before you write to an array x that NumPy made in C"
ASKED = (
    "C code asks for the numbers of an array that is being differentiated, and would lose the derivative; "
    + _OWN
)
NOT_SEEN = "the result would go into an array of NumPy that the tape did not see being made: " + _OWN
HELD_NOT = "objects of this kind cannot hold what is being differentiated"
WAY_OUT = (
    "Write it with functions that have a derivative, or attach a rule, with defpartials, defjvp or defhost"
)
