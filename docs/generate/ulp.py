"""`python -m docs.generate.ulp` writes docs/ulp.npz: errors beside condition numbers, point by point (slow).

The points and the exact numbers are those of tests/reference: values and first derivatives of real arguments, of our
functions under jit in both precisions, and of JAX's own where it has the function.
"""

from __future__ import annotations

import functools
import importlib
import json
from collections.abc import Iterator
from typing import NamedTuple

import jax
import numpy as np

from docs.generate import DOCS, peers
from hostwrap.special._function import Special
from tests.reference import accuracy, tables
from tests.reference.entries import catalogue, columns, label

PATH = DOCS / "ulp.npz"
EPS = {"float64": 2.0**-52, "float32": 2.0**-23, "jax": 2.0**-52}
OTHER = "jax.scipy.special"
LEAST, MOST = -3.0, 18.0  # decimal logarithms beyond them are put at the edge


class Points(NamedTuple):
    """Decimal logarithms at each point: of the condition number, and of the error in units of 2^-52 (2^-23)."""

    condition: np.ndarray
    error: np.ndarray


Key = tuple[str, str, str]  # function, `value` or an argument, whose


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    found: dict[Key, Points] = {}
    for function in public():
        found |= ours(function)
    save(found | of_twins(public()))


def update(functions: list[Special]) -> None:
    """The points of these functions anew, and none of functions that have gone."""
    kept = {f.name for f in public()} - {f.name for f in functions}
    found = {key: rows for key, rows in load().items() if key[0] in kept}
    for function in functions:
        found |= ours(function)
    save(found | of_twins(functions))


def of_twins(functions: list[Special]) -> dict[Key, Points]:
    """Those of JAX's functions with the same names."""
    there, found = importlib.import_module(OTHER), {}
    twins = [f for f in functions if isinstance(f.host, np.ufunc) and hasattr(there, f.name)]
    for rows in peers.in_time(theirs, [(f.name,) for f in twins]) if twins else []:
        found |= rows or {}
    return found


def public() -> list[Special]:
    return [f for f in catalogue().values() if f.public]


def ours(function: Special) -> dict[Key, Points]:
    """With the defaults of its statics."""
    found: dict[Key, Points] = {}
    for (_, what, dtype), errors in accuracy.measure(function, most=1):
        if dtype in EPS:
            found.setdefault((function.name, what, dtype), points(errors, dtype))
    return found


def theirs(name: str) -> dict[Key, Points]:
    """The same of JAX's own function of this name."""
    function, of = catalogue()[name], getattr(importlib.import_module(OTHER), name)
    group = next(g for g in tables.load(name)[1] if not g.is_complex)
    arrays, everywhere = columns(function, group.points), np.full(len(group.points), True)
    value = peers.row(function.on_host(*arrays))
    found = {}
    for number, index in enumerate(group.indices):
        if sum(index) <= 1:
            along = functools.partial(peers.slope, of, index.index(1)) if sum(index) else of
            try:
                got = peers.row(jax.jit(along)(*arrays))
            except (NotImplementedError, TypeError, ValueError):
                continue
            errors = accuracy.compared(function, group, number, everywhere, got, value, "float64")
            found[name, label(function, index, False), "jax"] = points(errors, "jax")
    return found


def points(errors: accuracy.Errors, dtype: str) -> Points:
    with np.errstate(all="ignore"):
        logarithms = np.log10([errors.condition, errors.relative / EPS[dtype]])
    return Points(*np.clip(np.nan_to_num(logarithms, nan=MOST), LEAST, MOST).astype(np.float16))


def save(found: dict[Key, Points]) -> None:
    about = [[*key, len(rows.error)] for key, rows in found.items()]
    numbers = np.concatenate([np.stack(rows) for rows in found.values()], axis=1)
    np.savez_compressed(PATH, about=np.array(json.dumps(about)), numbers=numbers)


@functools.cache
def load() -> dict[Key, Points]:
    return dict(_load())


def _load() -> Iterator[tuple[Key, Points]]:
    with np.load(PATH) as file:
        numbers, start = file["numbers"], 0
        for *key, count in json.loads(str(file["about"])):
            yield tuple(key), Points(*numbers[:, start : start + count].astype(float))
            start += count


if __name__ == "__main__":
    main()
