"""`numpy.nditer` and `numpy.frompyfunc` for stand-ins, in Python."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from hostwrap._copies.retarget import Untraceable
from hostwrap._tracing.values import Twin

_NO_MATTER = {
    "multi_index", "c_index", "refs_ok", "buffered", "growinner", "grow_inner", "zerosize_ok", "delay_bufalloc",
    "copy_if_overlap", "readonly", "readwrite", "writeonly", "allocate", "copy", "nbo", "aligned", "contig",
    "updateifcopy", "no_broadcast",
}  # fmt: skip


class ByElements:
    """An `nditer` over elements, in the order of the axes; each element is an array without axes, as in NumPy."""

    def __init__(
        self,
        make: Callable,
        op: Any,
        flags: Sequence[str] = (),
        op_flags: Any = None,
        op_dtypes: Any = None,
        order: str = "K",
        *more: Any,
        **options: Any,
    ) -> None:
        given = list(op) if isinstance(op, list | tuple) else [op]
        asked = {*flags, *itertools.chain(*([f] if isinstance(f, str) else f for f in op_flags or ()))}
        if asked - _NO_MATTER or op_dtypes is not None or order not in "KCA" or more or options:
            raise Untraceable(
                f"numpy.nditer with other options than {sorted(_NO_MATTER)}", "Use numpy.ndindex"
            )
        arrays = [x for x in given if x is not None]
        self.shape = np.broadcast_shapes(*map(np.shape, arrays))
        kind = np.result_type(*(x.dtype for x in arrays))
        self.operands = tuple(make(self.shape, kind) if x is None else x for x in given)
        self.ndim, self.itersize, self.nop = len(self.shape), int(np.prod(self.shape, dtype=int)), len(given)
        self.reset()

    def reset(self) -> None:
        self._at: Any = None
        self._begun = False
        self._rest = list(np.ndindex(self.shape))[::-1]
        self.iternext()

    def iternext(self) -> bool:
        self._at = self._rest.pop() if self._rest else None
        return self._at is not None

    finished = property(lambda self: self._at is None)
    multi_index = property(lambda self: self._at)
    iterindex = index = property(lambda self: self.itersize - len(self._rest) - 1)
    value = property(lambda self: self._elements() if len(self.operands) > 1 else self._elements()[0])

    def _elements(self) -> tuple:
        return tuple(x[(*self._place(np.shape(x)), ...)] for x in self.operands)

    def _place(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        at = self._at[self.ndim - len(shape) :]
        return tuple(0 if n == 1 else i for i, n in zip(at, shape, strict=True))

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        """As in NumPy, the first call gives the place where the iterator is, and others go on to the next one."""
        if self._begun:
            self.iternext()
        self._begun = True
        if self.finished:
            raise StopIteration
        return self.value

    def __getitem__(self, i: Any) -> Any:
        return self._elements()[i]

    def __setitem__(self, i: int, x: Any) -> None:
        self._elements()[i][...] = x

    def __len__(self) -> int:
        return self.nop

    def __enter__(self) -> ByElements:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def close(self) -> None:
        self._rest, self._at = [], None


class FromPython(Twin):
    """A ufunc from a Python function: `vectorized` calls it for each element."""

    def __init__(self, function: Callable, vectorized: Callable, nin: int, nout: int) -> None:
        ufunc = np.frompyfunc(function, nin, nout)
        super().__init__(ufunc, lambda _, args, kwargs: vectorized(*args, **kwargs))
        self.function, self.vectorized = function, vectorized

    def accumulate(self, a: Any, axis: int = 0) -> Any:
        rows = np.moveaxis(a, axis, 0)
        return np.moveaxis(np.stack(list(itertools.accumulate(rows, self.vectorized))), 0, axis)

    def reduce(self, a: Any, axis: int | None = 0, *, initial: Any = None) -> Any:
        rows = np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)
        given = [] if initial is None else [initial]
        return list(itertools.accumulate([*given, *rows], self.vectorized))[-1]

    def outer(self, a: Any, b: Any) -> Any:
        return self.vectorized(np.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b)

    def at(self, a: Any, indices: Any, *b: Any) -> None:
        places = np.asarray(indices)
        values = [np.broadcast_to(x, places.shape) for x in b]
        for k in np.ndindex(places.shape):
            place = operator.index(places[k])
            a[place] = self.function(a[place], *(x[k] for x in values))
