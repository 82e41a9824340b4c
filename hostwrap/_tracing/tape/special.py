"""Derivatives of the ufuncs of scipy.special on the host: programs made by the tables of `hostwrap.special`."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np

from hostwrap._host.layout import Layout, Result
from hostwrap._tracing.tape.array import LATER, Array, concrete, elementwise, raw, refused
from hostwrap._tracing.tape.dispatch import level_of


@functools.cache
def _entries() -> dict[Any, Any]:
    """For each ufunc of SciPy its entry in the catalogue."""
    importlib.import_module("hostwrap.special")
    catalogue = importlib.import_module("hostwrap.special._entry").CATALOGUE
    return {e.host: e for e in catalogue.values() if isinstance(e.host, np.ufunc)}


def of_special(ufunc: Any) -> Any:
    """The partials of a ufunc of SciPy, for each result."""
    entry = _entries().get(ufunc)
    if entry is None:
        return None
    count = len(entry.args)
    rows = tuple(
        tuple(
            functools.partial(_partial, entry, k, tuple(int(i == j) for j in range(count)))
            for i in range(count)
        )
        for k in range(ufunc.nout)
    )
    return rows if ufunc.nout > 1 else rows[0]


LATER.append(of_special)


def _partial(entry: Any, result: int, index: tuple[int, ...], y: Any, *args: Any) -> Any:
    """The derivative with this multi-index; it is a function of the arguments like others."""
    if not any(isinstance(x, Array) for x in args):
        return _values(entry, result, index, args)
    value = _partial(entry, result, index, None, *map(raw, args))
    above = [
        functools.partial(_partial, entry, result, tuple(n + (i == j) for j, n in enumerate(index)))
        for i in range(len(args))
    ]
    return elementwise(entry, above, args, value, level_of(args))


_WIDE = {"f": np.dtype(np.float64), "c": np.dtype(np.complex128)}


def _values(entry: Any, result: int, index: tuple[int, ...], args: Any) -> Any:
    arrays = [np.asarray(concrete(x)) for x in args]
    kinds = "".join("c" if a.dtype.kind == "c" else "i" if a.dtype.kind in "biu" else "f" for a in arrays)
    arrays = [
        a.astype({"c": complex, "f": float, "i": np.int64}[k]) for a, k in zip(arrays, kinds, strict=True)
    ]
    if "c" in kinds and entry.conjugates:
        raise refused(f"scipy.special.{entry.name}", "the tape has no derivative for complex arguments")
    program = entry.table(()).program((index,), kinds)
    outs = max(1, len(entry.outs))
    results = entry._spec.dtypes.kinds(kinds, outs)
    layout = Layout((0,) * len(arrays), tuple(Result((), _WIDE[k]) for k in results))
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    found = program.inline(layout)(*arrays)[result]
    return np.broadcast_to(found, shape)[()]
