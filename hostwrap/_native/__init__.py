"""The native lane: XLA itself calls the C loop of a NumPy ufunc, without Python on the way.

Optional: it needs the library, which is compiled when hostwrap is installed. A compiled program holds a key made of
the loop's name and types, never an address; `_loops` registers what the key means before the program runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from hostwrap import _lanes
from hostwrap._native import _library, _loops, _threads

_problem = _library.problem()
if _problem:
    _lanes.close("native", _problem)


def call(ufunc: np.ufunc, operands: Sequence[Any], results: Sequence[jax.ShapeDtypeStruct]) -> list | None:
    """The ufunc's results, traced; None where no loop of it can be called on these types as they are.

    Operands have one rank, and broadcast where their size is 1.
    """
    key = _loops.find(ufunc, [x.dtype for x in operands], [r.dtype for r in results])
    if key is None:
        return None
    grain = _threads.grain(ufunc, [x.dtype for x in operands], math.prod(results[0].shape))
    numbers = {"key": key, "threads": _threads.count(), "grain": grain}
    attributes = {name: np.int64(value) for name, value in numbers.items()}
    return list(
        jax.ffi.ffi_call(_library.TARGET, tuple(results), vmap_method="expand_dims")(*operands, **attributes)
    )
