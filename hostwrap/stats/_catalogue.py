"""The distributions by name: those of SciPy, and those for which the tables of laws have formulas."""

from __future__ import annotations

import difflib
import functools
import importlib
import inspect
from typing import Any

from hostwrap._host.origins import finder
from hostwrap._recipes.elsewhere import elsewhere

JOINT = ("_vectors", "_directions", "_counts", "_matrices")
FUNCTIONS = {
    "boxcox_llf": "_powers", "boxcox_normmax": "_powers", "dunnett": "_dunnett", "fit": "_fit", "ppcc_max": "_powers",
    "wasserstein_distance_nd": "_transport", "yeojohnson_normmax": "_powers",
}  # fmt: skip
OTHERS = {"gaussian_kde": "_kde", "as_numpyro": "_numpyro"} | FUNCTIONS
TABLES = ("_line", "_positive", "_bounded", "_unclosed", "_discrete")


@functools.cache
def _laws(tables: tuple[str, ...] = TABLES) -> dict[str, Any]:
    """All tables of laws, as one mapping from names."""
    laws: dict[str, Any] = {}
    for table in tables:
        laws |= importlib.import_module(f"hostwrap.stats.{table}").LAWS
    import scipy.stats

    return {name: laws[name] for name in sorted(laws) if hasattr(scipy.stats, name)}


def names() -> list[str]:
    """The names of the univariate distributions that both hostwrap and the installed SciPy have."""
    return list(_laws())


def joint_names() -> list[str]:
    """The names of the distributions of vectors and matrices."""
    return list(_laws(JOINT))


def public(name: str) -> Any:
    """What `hostwrap.stats` has under this name: ours, or a function of SciPy's that ours lacks, as it is followed."""
    import scipy.stats

    if name not in OTHERS and inspect.isfunction(getattr(scipy.stats, name, None)):
        return elsewhere("hostwrap.stats", ())(name)
    return named(name)


@functools.cache
def named(name: str) -> Any:
    """The distribution of this name, or a function of ours."""
    import scipy.stats

    if name in OTHERS:
        return getattr(importlib.import_module(f"hostwrap.stats.{OTHERS[name]}"), name)

    if name in _laws():
        from hostwrap.stats._distribution import Distribution

        return Distribution(name, getattr(scipy.stats, name), _laws()[name])
    if name in _laws(JOINT):
        return _laws(JOINT)[name](name)
    there = [*names(), *joint_names(), *OTHERS]
    near = difflib.get_close_matches(name, there, 3)
    meant = f"Did you mean {' or '.join(near)}?" if near else f"It has {', '.join(there)}."
    raise AttributeError(f"hostwrap.stats has no {name} ({_why(getattr(scipy.stats, name, None))}). {meant}")


def _why(scipys: Any) -> str:
    """Why hostwrap lacks a name; `scipys` is what SciPy has under it, or None."""
    if scipys is None:
        return "nor has SciPy's"
    if hasattr(scipys, "rvs") and not isinstance(scipys, type):
        return "SciPy's has random numbers alone, which no parameter moves smoothly; see jax.random"
    return "`hostwrap.wrap` a function that uses SciPy's: its code is followed where it can be"


@finder("stats")
def _host(name: str, *key: Any) -> Any:
    """The host function of a method, which also brings that of its derivatives."""
    return named(name).host(*key) if name in names() else None
