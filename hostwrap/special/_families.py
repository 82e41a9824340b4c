"""The families of functions: each has a folder in this package, with all that belongs to it.

    bessel/
        entries.py, entries_airy.py, ...    entries of the catalogue: signatures, rules, boxes; `__all__` is public
        mp.py, mp_kelvin.py, ...            definitions of the functions in mpmath, for the reference tables
        hankel.py, _debye.py, ...           numerical kernels: NumPy, without JAX

Numerical tools that families share are in `_numerics`.
"""

from __future__ import annotations

import functools
import importlib
import pathlib
import pkgutil
from collections.abc import Iterator
from typing import Any

FOLDER = pathlib.Path(__file__).parent
PACKAGE = __name__.rpartition(".")[0]


def modules() -> Iterator[str]:
    """The names of all modules of entries."""
    for family in pkgutil.iter_modules([str(FOLDER)]):
        if family.ispkg and not family.name.startswith("_"):
            for module in pkgutil.iter_modules([str(FOLDER / family.name)]):
                if module.name.split("_")[0] == "entries":
                    yield f"{PACKAGE}.{family.name}.{module.name}"


def page(module: str) -> str:
    """The name of a module of entries on pages: `bessel_hankel` for `hostwrap.special.bessel.entries_hankel`."""
    family, _, name = module.removeprefix(f"{PACKAGE}.").partition(".")
    return family + name.removeprefix("entries")


@functools.cache
def public() -> dict[str, Any]:
    """Every function of the package, by name."""
    found: dict[str, Any] = {}
    for name in modules():
        module = importlib.import_module(name)
        found |= {public: getattr(module, public) for public in module.__all__}
    return found
