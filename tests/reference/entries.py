"""The entries of the catalogue, and how their arguments are numbered and typed."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

import hostwrap.special  # noqa: F401  fills the catalogue
from hostwrap.special._entry import CATALOGUE, integer
from hostwrap.special._function import Special
from hostwrap.special._notation import REQUIRED

Index = tuple[int, ...]  # how often to differentiate in each slot


@functools.cache
def catalogue() -> dict[str, Special]:
    """Every entry, public functions and kernels, by name."""
    return dict(sorted(CATALOGUE.items()))


def is_integer(function: Special, argument: str) -> bool:
    return isinstance(function.boxes[argument], integer)


def has_complex(function: Special) -> bool:
    return any(getattr(box, "im", None) for box in function.boxes.values())


def slots(function: Special, is_complex: bool) -> list[tuple[int, bool]]:
    """(argument, in its imaginary part?) of everything that can be differentiated in, as in a table."""
    imaginary = [(function.args.index(a), True) for a in function.imaginary] if is_complex else []
    return [(i, False) for i in range(len(function.args))] + imaginary


def indices(function: Special, is_complex: bool) -> list[Index]:
    """Value, first and second derivatives of a function; value and first derivatives of a kernel."""
    places = slots(function, is_complex)
    smooth = [s for s, (i, _) in enumerate(places) if not is_integer(function, function.args[i])]
    found = []
    for order in range(3 if function.public else 2):
        for chosen in itertools.combinations_with_replacement(smooth, order):
            found.append(tuple(chosen.count(s) for s in range(len(places))))
    return found


def label(function: Special, index: Index, is_complex: bool) -> str:
    """`v z` for the mixed derivative, `z.imag` for the one in the imaginary part, `value`."""
    names = [function.args[i] + ".imag" * part for i, part in slots(function, is_complex)]
    return " ".join(name for name, order in zip(names, index, strict=True) for _ in range(order)) or "value"


def required_statics(function: Special) -> list[str]:
    """Those without a default: orders."""
    return [name for name, default in function.statics.items() if default is REQUIRED]


def statics(function: Special) -> list[dict[str, Any]]:
    """The static arguments to test with: the defaults, both truth values; 1 for those without, 2 too for one alone."""
    required = required_statics(function)
    switches = [name for name, default in function.statics.items() if isinstance(default, bool)]
    defaults = {name: default for name, default in function.statics.items() if name not in required}
    choices = [dict.fromkeys(required, n) for n in {0: (0,), 1: (1, 2)}.get(len(required), (1,))]
    turned = [
        dict(zip(switches, on, strict=True)) for on in itertools.product((False, True), repeat=len(switches))
    ]
    return [{**defaults, **choice, **turn} for choice in choices for turn in turned]


def columns(function: Special, points: np.ndarray, real: Any = np.float64) -> list[np.ndarray]:
    """A table of points as one array for each argument: integers, and complex where its box has an imaginary part."""
    arrays = []
    for a, column in zip(function.args, points.T, strict=True):
        if is_integer(function, a):
            arrays.append(column.real.astype(np.int64))
        elif np.iscomplexobj(points) and function.boxes[a].im:
            arrays.append(column.astype(np.result_type(real, np.complex64)))
        else:
            arrays.append(column.real.astype(real))
    return arrays
