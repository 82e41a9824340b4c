"""The families of functions: each has a folder in this package, with all that belongs to it.

    bessel/
        entries.py, entries_airy.py, ...    entries of the catalogue: signatures, rules, boxes; `__all__` is public
        mp.py, mp_kelvin.py, ...            definitions of the functions in mpmath, for the reference tables
        hankel.py, _debye.py, ...           numerical kernels: NumPy, without JAX

Numerical tools that families share are in `_numerics`.
"""

from __future__ import annotations

import ast
import functools
import importlib
import pathlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

FOLDER = pathlib.Path(__file__).parent
PACKAGE = __name__.rpartition(".")[0]
LISTED = re.compile(r"^__all__[^=\n]*= (\[.*?\])", re.MULTILINE | re.DOTALL)


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
def homes() -> dict[str, str]:
    """The module of each public name, read from the files: to import them all takes a fifth of a second."""
    return {public: name for name in modules() for public in _listed(name)}


def _listed(module: str) -> list[str]:
    """`__all__` of a module of entries."""
    family, _, name = module.removeprefix(f"{PACKAGE}.").partition(".")
    file = FOLDER / family / f"{name}.py"
    stated = LISTED.search(file.read_text(encoding="utf-8")) if file.exists() else None
    return ast.literal_eval(stated[1]) if stated else importlib.import_module(module).__all__


def found(name: str) -> Any:
    """The public function of this name."""
    return getattr(importlib.import_module(homes()[name]), name)


@functools.cache
def public() -> dict[str, Any]:
    """Every function of the package, by name."""
    for module in modules():  # also those without public names, whose kernels are found by name
        importlib.import_module(module)
    return {name: found(name) for name in homes()}
