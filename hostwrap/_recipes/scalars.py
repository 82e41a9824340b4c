"""A function of scalars that JAX can trace, as a NumPy function that the host can call without JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap._errors import RuleError
from hostwrap._host.layout import Layout, Result
from hostwrap._table.program import Program
from hostwrap._table.shared import NotElementwise

WAY_OUT = (
    "it must be a function of numbers, made of arithmetic, jax.numpy and hostwrap.special, element by element; "
    "what it needs beside them is to be passed as an argument"
)


class OfArrays:
    """The function of a list of arrays that broadcast: a list of arrays."""

    def __init__(self, program: Program, layout: Layout) -> None:
        self.program, self.layout = program, layout
        self._dtypes = [np.dtype(np.float64)] * len(layout.in_core)
        self._of_numbers = program.bind([()] * len(layout.in_core), self._dtypes, layout)

    def __call__(self, arrays: Sequence[Any]) -> list[np.ndarray]:
        arrays = list(map(np.asarray, arrays))
        shapes = [a.shape for a in arrays]
        return (self.program.bind(shapes, self._dtypes, self.layout) if any(shapes) else self._of_numbers)(
            arrays
        )

    def record(self, arrays: Sequence[Any], perform: Callable) -> list:
        """The same of stand-ins for arrays, see `Host.record`."""
        return self.program.record(arrays, self.layout, range(len(self.layout.outs)), perform)


def numpy_of(name: str, function: Callable, count: int) -> OfArrays:
    """`function(x1, ..., x_count)`, which returns a list of numbers, in NumPy."""
    real = np.dtype(np.float64)
    try:
        with jax.enable_x64(True):
            closed = jax.make_jaxpr(function)(*[jax.ShapeDtypeStruct((), real)] * count)
        _check(name, closed.out_avals)
        program = Program(name, [f"x{i}" for i in range(count)], [closed])
    except NotElementwise as why:
        what = str(why).replace("the rule", "it")
        raise RuleError(f"{name}: {what}, but {WAY_OUT}.") from None
    except jax.errors.JAXTypeError as error:
        raise RuleError(f"{name}: JAX cannot trace it, but {WAY_OUT}.") from error
    return OfArrays(program, Layout((0,) * count, (Result((), real),) * len(closed.out_avals)))


def _check(name: str, results: Sequence[Any]) -> None:
    for result in results:
        if result.shape or result.dtype.kind not in "fiub":
            came = f"{result.dtype}[{','.join(map(str, result.shape))}]"
            raise RuleError(f"{name}: it must return real numbers, not {came}.")
