"""Which page an entry stands on, and where on it."""

from __future__ import annotations

import functools
import inspect
import itertools
import re
import sys
from collections.abc import Callable

import hostwrap.special
from hostwrap.special import _families
from hostwrap.special._families import page
from hostwrap.special._function import Special
from tests.reference.composed import Composed
from tests.reference.entries import catalogue

LONGEST = 60  # of a title
ENDS = r"[.;] |, (?:and|of|with|as|prolate|their) "


def family(function: Special) -> str:
    """The page of a function: that of the module which it stands in."""
    owner = function.function if isinstance(function, Composed) else function.ref
    return page(owner.__module__)


@functools.cache
def families() -> dict[str, list[Special]]:
    """The entries of each page, by name; none on a page of functions that are made of others."""
    ordered = sorted(catalogue().values(), key=lambda f: (family(f), f.name))
    found = {name: list(members) for name, members in itertools.groupby(ordered, family)}
    return {name: found.get(name, []) for name in sorted({*found, *made_of_others()})}


@functools.cache
def made_of_others() -> dict[str, dict[str, Callable]]:
    """The public functions of each page that are no entries, such as `jvp`, which is made of `jv`."""
    found: dict[str, dict[str, Callable]] = {}
    for name in sorted(set(hostwrap.special.__all__) - set(catalogue())):
        function = getattr(hostwrap.special, name)
        found.setdefault(page(function.__module__), {})[name] = function
    return found


@functools.cache
def members() -> dict[str, list[str]]:
    """The names of all public functions, by family."""
    made = made_of_others()
    return {
        name: sorted([*(f.name for f in entries if f.public), *made.get(name, {})], key=str.lower)
        for name, entries in families().items()
    }


@functools.cache
def title(name: str) -> str:
    """The first line of the family's module, or as much of it as makes a title."""
    line = _said(name).splitlines()[0].rstrip(".")
    short = line.partition(": ")[0]
    return short if len(short) <= LONGEST else re.split(ENDS, short)[0]


def about(name: str) -> str:
    """What the family's module says beyond its title."""
    first, *rest = _said(name).splitlines()
    return "\n".join(rest if first.rstrip(".") == title(name) else [first, *rest]).strip()


def _said(name: str) -> str:
    module = next(module for module in _families.modules() if page(module) == name)
    return inspect.getdoc(sys.modules[module]) or name


def anchor(name: str) -> str:
    """What the heading of a function is called in links."""
    return name.lower()
