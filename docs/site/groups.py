"""Which page an entry stands on, and where on it."""

from __future__ import annotations

import functools
import itertools

from hostwrap.special._function import Special
from tests.reference.entries import catalogue


def family(function: Special) -> str:
    """The module that an entry stands in, which is its page."""
    return function.ref.__module__.rpartition(".")[2]


@functools.cache
def families() -> dict[str, list[Special]]:
    """The entries of each page, by name."""
    ordered = sorted(catalogue().values(), key=lambda f: (family(f), f.name))
    return {name: list(members) for name, members in itertools.groupby(ordered, family)}


def anchor(function: Special) -> str:
    """What the heading of an entry is called in links."""
    return function.name.lower()
