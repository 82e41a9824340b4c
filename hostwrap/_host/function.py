"""Calling a host function: NumPy arrays in, checked NumPy arrays out. No JAX here.

An array is `batch axes + core axes`; all batch shapes broadcast together. What the function gets to see of the
batch axes is its `vmap_method`, with JAX's words. What it computes in is double precision: float32 and narrower
arguments are widened, and results rounded once, because a loop in the wide type is the accurate one.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from hostwrap._errors import ResultError
from hostwrap._host.layout import Layout, Result, Shape, elements
from hostwrap._host.origins import Origin
from hostwrap._host.parts import LARGE_PIECE, PIECE, Pace
from hostwrap._host.progress import Bar, no_bar
from hostwrap._host.recording import Unsafe, record
from hostwrap._host.results import checked

VMAP_METHODS = ("broadcast_all", "expand_dims", "sequential", "sequential_unrolled", "legacy_vectorized")
LOOPED = ("sequential", "sequential_unrolled")
_CURE = "declare it with dtype= or out=, or convert it in the function"
_RULE_CURE = "convert it in the rule (what stands for real numbers is real: take the real part)"
# Integers too: NumPy computes functions of 8-bit integers in half precision.
WIDE = {
    "f": np.dtype(np.float64),
    "c": np.dtype(np.complex128),
    "i": np.dtype(np.int64),
    "u": np.dtype(np.uint64),
}


@dataclasses.dataclass(eq=False)
class HostFunction:
    """A long-lived host function, compared by identity: a new one per call would recompile and leak.

    `function(*arrays)` returns a tuple with one array per declared result. A function gets arrays of its own,
    which it may write to, and is called by one thread at a time, the one that has the `lock` (if there is one).
    A `trusted` one (SciPy's ufuncs, our kernels) needs none of that: it never writes, calls JAX or warns. Its `loops`,
    a ufunc or a function made of ufuncs alone, do the same and may be recorded, to be run without Python; but not where
    `unsafe` is true of the arguments, where they may crash: there the result is NaN. A `thread_safe` one may be called
    by several threads at once, and on parts of a batch. Its `origin` says where it comes from, and its `table` has its
    derivatives. `results` are the words for each result in an error, if it is a derivative rule.
    """

    function: Callable[..., tuple]
    name: str
    argnames: tuple[str, ...]
    vmap_method: str = "broadcast_all"
    widen: bool = True
    trusted: bool = False
    lock: Any = dataclasses.field(default_factory=contextlib.nullcontext)
    allow_jax: bool = False
    on_error: str = "raise"
    loops: Callable[..., Any] | None = None
    unsafe: Unsafe | None = None
    origin: Origin | None = None
    table: Any = None
    thread_safe: bool = False
    pace: Pace = dataclasses.field(default_factory=Pace)
    bar: Bar = no_bar
    results: tuple[str, ...] = ()

    def __call__(self, *arrays: Any) -> tuple:
        """The function itself. (JAX's caches hold what is callable weakly, so it dies with its last user.)"""
        return self.function(*arrays)

    @property
    def piece(self) -> int:
        """Of a large batch, how many numbers a thread takes at a time, if the function is trusted."""
        return LARGE_PIECE if self.loops is None else PIECE

    def bind(
        self,
        shapes: Sequence[Shape],
        dtypes: Sequence[np.dtype],
        layout: Layout,
        active: Sequence[int] | None = None,
    ) -> Callable[[Sequence[np.ndarray]], list[np.ndarray]]:
        """All that is known before the call, decided once; `active` are the numbers of the results wanted."""
        batch = layout.batch(shapes)
        picked = range(len(layout.outs)) if active is None else active
        steps = [self._preparation(*x, batch) for x in zip(shapes, dtypes, layout.in_core, strict=True)]
        steps = steps if any(step is not None for step in steps) else []
        looped = bool(batch) and self.vmap_method in LOOPED

        declared = [(i, Result(batch + layout.outs[i].shape, layout.outs[i].dtype)) for i in picked]

        def run(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
            results: Any
            if steps:
                arrays = [a if step is None else step(a) for a, step in zip(arrays, steps, strict=True)]
            if self.trusted:
                results = self.function(*arrays)
                return [self._checked(i, results[i], expected) for i, expected in declared]
            with self.lock, self._hint(looped, batch):
                results = self._loop(arrays, layout, batch) if looped else self.function(*arrays)
                self._check_count(results, layout)
                # copies: the function may keep its result and write to it in the next call
                return [np.array(self._checked(i, results[i], expected, batch)) for i, expected in declared]

        return run

    def inline(self, layout: Layout) -> Callable[..., Any]:
        """The function inside a program, where arrays are wide already and broadcast as they are."""
        if self.trusted:
            return self.function

        def run(*arrays: Any) -> list[np.ndarray]:
            # copies: the function may write to them, while others go on reading
            arrays = tuple(np.array(a, order="C") for a in arrays)
            return self.bind([a.shape for a in arrays], [a.dtype for a in arrays], layout)(arrays)

        return run

    def record(self, arrays: Sequence[Any], layout: Layout, active: Sequence[int], perform: Callable) -> list:
        """The same on a tape (see `_native`), by loops alone; raises NoLoop if the function is not made of them."""
        wide = [a.astype(self._host_dtype(a.dtype)) for a in arrays]
        results = record(self.name, self.loops, self.unsafe, wide)
        return [results[i].astype(layout.outs[i].dtype) for i in active]

    def _preparation(
        self, shape: Shape, dtype: np.dtype, core: int, batch: Shape
    ) -> Callable[[np.ndarray], np.ndarray] | None:
        """Widen, spread over the batch, and make the memory private; None if nothing is to be done."""
        target = self._host_dtype(dtype)
        full = batch + shape[len(shape) - core :]
        spread = full != shape and self.vmap_method == "broadcast_all"
        if self.trusted and dtype == target and not spread:
            return None

        def prepare(array: np.ndarray) -> np.ndarray:
            array = array.astype(target, copy=False)
            if spread:
                array = np.broadcast_to(array, full)
            flags = array.flags
            if self.trusted or (flags.writeable and flags.owndata and flags.c_contiguous):
                return array
            return np.array(array, order="C")

        return prepare

    def _host_dtype(self, dtype: np.dtype) -> np.dtype:
        if dtype.kind not in "biufc":  # bfloat16, float8, int4: SciPy knows none of them
            dtype = _native(dtype)
        if dtype == np.float16 and not self.widen:
            return np.dtype(np.float32)
        return WIDE.get(dtype.kind, dtype) if self.widen else dtype

    def _loop(self, arrays: Sequence[np.ndarray], layout: Layout, batch: Shape) -> list[np.ndarray]:
        """One call per batch element, stacked: right for every function, however it treats extra axes."""
        stacks = [np.empty(batch + out.shape, out.dtype) for out in layout.outs]
        parts = [elements(a, core, batch) for a, core in zip(arrays, layout.in_core, strict=True)]
        with self.bar(itertools.product(*map(range, batch)), math.prod(batch)) as indices:
            for index in indices:
                results = self.function(*(part(index) for part in parts))
                self._check_count(results, layout)
                for i, (stack, out) in enumerate(zip(stacks, layout.outs, strict=True)):
                    stack[index] = self._checked(i, results[i], out)
        return stacks

    def _check_count(self, results: Sequence[Any], layout: Layout) -> None:
        if len(results) != len(layout.outs):
            raise ResultError(
                f"{self.name}: {len(layout.outs)} results are declared, the host function returned {len(results)}."
            )

    def _checked(self, i: int, value: Any, declared: Result, batch: Shape = ()) -> np.ndarray:
        hint = f" (batch axes {batch}: see vmap_method={self.vmap_method!r})" if batch else ""
        what = self.results[i] if self.results else f"result {i}"
        cure = _RULE_CURE if self.results else _CURE
        return checked(f"{self.name}: {what}", value, declared, hint, cure)

    @contextlib.contextmanager
    def _hint(self, looped: bool, batch: Shape) -> Iterator[None]:
        """To the function's own exception, what it may not have expected: arrays in place of numbers."""
        try:
            yield
        except Exception as error:
            if batch and not looped and not isinstance(error, ResultError):
                error.add_note(
                    f"{self.name} was called with whole arrays, of shape {batch} and vmap_method={self.vmap_method!r}; "
                    "if it takes one element at a time, wrap it with vmap_method='sequential'."
                )
            raise


def _native(dtype: np.dtype) -> np.dtype:
    """NumPy's own type for the numbers of one that it only knows by extension."""
    return next(t for t in map(np.dtype, (np.uint8, np.int8, np.float32)) if np.can_cast(dtype, t))
