"""Binary operators: a fast path, which runs at each operation of a loop over single numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hostwrap._tracing.tape.array import Array, wrapped
from hostwrap._tracing.tape.factors import Scaled
from hostwrap._tracing.tape.log import noted
from hostwrap._tracing.tape.nodes import kept


def pair(
    perform: Callable, partials: Sequence[Any], single: Sequence[Any], a: Any, b: Any, level: int
) -> Any:
    """The result of an operator on two operands on one tape; `single` holds the partials if one of them is constant."""
    x = y = None
    operands = a, b
    if type(a) is Array:
        x = a._node if a._base is None else a.node
        a = a.value
    if type(b) is Array:
        y = b._node if b._base is None else b.node
        b = b.value
    value = perform(a, b)
    edges: tuple = ()
    if x is None:
        if y is not None and single[1] is not None:
            if type(operands[0]) is np.ndarray and type(single[1]) is not int:
                a = kept(a)
            edges = (Scaled(y, single[1], value, (a, b)),)
    elif y is None:
        if single[0] is not None:
            if type(operands[1]) is np.ndarray and type(single[0]) is not int:
                b = kept(b)
            edges = (Scaled(x, single[0], value, (a, b)),)
    elif partials[0] is not None:
        both = a, b
        edges = Scaled(x, partials[0], value, both), Scaled(y, partials[1], value, both)
    return noted(perform, operands, wrapped(value, edges, level))
