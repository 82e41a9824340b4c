"""The native lane: XLA itself calls the C loops of NumPy's ufuncs, without Python on the way.

Optional: it needs the library, which is compiled when hostwrap is installed. A function, or a rule with all its
derivatives, is recorded as a list of loops (`_tape`, `_loops`) and registered as a program (`_assembly`); what XLA
compiles holds the program's key, never an address.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap import _lanes
from hostwrap._errors import NoLoop
from hostwrap._native import _assembly, _library, _threads
from hostwrap._native._tape import Tape

_problem = _library.problem()
if _problem:
    _lanes.close("native", _problem)


def call(
    record: Callable[[Tape], Sequence[Any]], operands: Sequence[Any], results: Sequence[Any]
) -> list | None:
    """What is recorded, computed by XLA; None where not every step of it is a loop.

    Operands have one rank, and broadcast where their size is 1.
    """
    tape = Tape([x.dtype for x in operands])
    try:
        program = _assembly.assemble(tape, record(tape), [np.dtype(r.dtype) for r in results])
    except NoLoop:
        return None
    total = math.prod(results[0].shape)
    shared = total >= 2 * _threads.FEW and _threads.count() > 1
    grain = _threads.grain(program.cost()) if shared else max(total, 1)
    numbers = {"key": program.key, "threads": _threads.count(), "grain": grain}
    attributes = {name: np.int64(value) for name, value in numbers.items()}
    return list(
        jax.ffi.ffi_call(_library.TARGET, tuple(results), vmap_method="expand_dims")(*operands, **attributes)
    )
