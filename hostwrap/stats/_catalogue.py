"""The distributions by their names: what SciPy has, and what the tables of laws have formulas for."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from hostwrap._host.origins import finder
from hostwrap.stats._distribution import Distribution

TABLES = ("_line", "_positive", "_bounded", "_unclosed", "_discrete")


@functools.cache
def _laws() -> dict[str, Any]:
    """All tables: a law by its name."""
    laws: dict[str, Any] = {}
    for table in TABLES:
        laws |= importlib.import_module(f"hostwrap.stats.{table}").LAWS
    return laws


@functools.cache
def names() -> list[str]:
    """Of the distributions that there are, here and in the SciPy that is installed."""
    import scipy.stats

    return sorted(name for name in _laws() if hasattr(scipy.stats, name))


@functools.cache
def named(name: str) -> Distribution:
    """The distribution of this name."""
    import scipy.stats

    if name not in names():
        known = hasattr(scipy.stats, name)
        why = "SciPy has it, but it has no differentiable form here yet" if known else "nor has SciPy's"
        raise AttributeError(f"hostwrap.stats has no {name} ({why}); it has {', '.join(names())}.")
    return Distribution(name, getattr(scipy.stats, name), _laws()[name])


@finder("stats")
def _host(name: str, *key: Any) -> Any:
    """The host function of a method, and with it that of its derivatives."""
    return named(name).host(*key) if name in names() else None
