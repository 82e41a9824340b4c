"""Calling a host function: NumPy arrays in, checked NumPy arrays out. No JAX here.

An array is `batch axes + core axes`; all batch shapes broadcast together. What the function gets to see of the
batch axes is its `vmap_method`, with JAX's words. What it computes in is double precision: float32 and narrower
arguments are widened, and results rounded once, because a loop in the wide type is the accurate one.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from hostwrap._errors import NoLoop, ResultError
from hostwrap._host.arrays import checked, refuses_arrays, truths, wants_a_number
from hostwrap._host.layout import Active, Bound, DTypes, Layout, Result, Shape, Shapes, elements
from hostwrap._host.origins import Origin
from hostwrap._host.parallel import LARGE_PIECE, PIECE, Costs, turn
from hostwrap._host.progress import Bar, no_bar

VMAP_METHODS = ("broadcast_all", "expand_dims", "sequential", "sequential_unrolled", "legacy_vectorized")
LOOPED = ("sequential", "sequential_unrolled")
_CURE = "declare it with dtype= or out=, or convert it in the function"
_WHOLE = (
    "; if the function takes whole arrays, declare their axes in a signature such as '(n)->({core})'; if it takes one "
    "number, use vmap_method='sequential'"
)
# to the function's own exception, what it may not have expected: arrays in place of numbers
_WHOLE_ARRAYS = (
    "{} was called with whole arrays, of shape {} and vmap_method={!r}; if it takes one element at a time, wrap it "
    "with vmap_method='sequential'."
)
_RULE_CURE = "convert it in the rule (what stands for real numbers is real: take the real part)"
# Integers too: NumPy computes functions of 8-bit integers in half precision.
WIDE: dict[str, np.dtype] = {
    np.dtype(t).kind: np.dtype(t) for t in (np.float64, np.complex128, np.int64, np.uint64)
}


@dataclasses.dataclass(frozen=True)
class Unsafe:
    """Arguments that a loop must not be given: `bad(*arrays)` is true of them. `instead` it takes these numbers."""

    bad: Callable[..., Any]
    instead: tuple[float, ...]


@dataclasses.dataclass(frozen=True)
class HostOptions:
    """How a function is called on the host: the options of `wrap` that act there, which says what each means."""

    vmap_method: str = "broadcast_all"
    widen: bool = True
    thread_safe: bool = False
    copy: bool = True
    allow_jax: bool = False
    on_error: str = "raise"
    effect: str | None = None


@dataclasses.dataclass(eq=False, kw_only=True)
class Host:
    """What a lane calls. Long-lived, and compared by identity: a new one per call would recompile and leak.

    A `trusted` one (SciPy's ufuncs, our kernels, programs of them) never writes to its arguments, calls JAX or warns.
    Its `origin` says where it comes from, its `maker` made it and makes an equal one of the same origin, and its
    `table` has its derivatives. Its `twin` is the same in operations of JAX (see `_table/written`), `recorded` as a
    program of C loops, and `programs` are those that have been recorded (see `_lanes/recorded`).
    """

    name: str
    argnames: tuple[str, ...]
    options: HostOptions = HostOptions()
    trusted: bool = False
    origin: Origin | None = None
    maker: Any = None
    table: Any = None
    recorded: Any = None
    programs: dict = dataclasses.field(default_factory=dict, init=False)
    twin: Callable[..., Any] | None = None
    costs: Costs = dataclasses.field(default_factory=Costs)
    piece: int = LARGE_PIECE  # of a large batch, how many numbers a thread takes at a time, if it is trusted

    def __call__(self, *arrays: Any) -> Any:
        """JAX's caches hold what is callable weakly, so that a host dies with its last user."""
        raise TypeError(f"{self.name}: a host function is bound to shapes before it is called.")

    def bind(self, shapes: Shapes, dtypes: DTypes, layout: Layout, active: Active = None) -> Bound:
        """All that is known before the call, decided once."""
        raise NotImplementedError

    def inline(self, layout: Layout) -> Callable[..., Any]:
        """The function inside a program, where arrays are wide already and broadcast as they are."""

        def run(*arrays: Any) -> list[np.ndarray]:
            arrays = tuple(map(np.asarray, arrays))
            return self.bind([a.shape for a in arrays], [a.dtype for a in arrays], layout)(arrays)

        return run

    def record(self, arrays: Sequence[Any], layout: Layout, active: Sequence[int], perform: Callable) -> list:
        """The same on a tape (see `_native`), by loops alone; raises NoLoop if the function is not made of them.

        `perform(operation, inputs)` does what is no call of a host.
        """
        raise NotImplementedError

    def written(self, dtypes: DTypes, layout: Layout, active: Sequence[int]) -> Any:
        """These results as operations of XLA (see `_lanes/inlined`); None where the host computes them."""
        return None

    def needs_python(self, result: int) -> bool:
        """Whether this result is made by a function that cannot be recorded, as far as that is known beforehand."""
        return False

    def piece_of(self, wanted: Sequence[int]) -> int:
        """`piece`, for these results."""
        return self.piece


@dataclasses.dataclass(frozen=True)
class HostCall:
    """A host function with the layout of one call; `active` are the numbers of the results wanted."""

    host: Host
    layout: Layout
    active: tuple[int, ...]

    def __repr__(self) -> str:
        return self.host.name

    def __call__(self, *arrays: Any) -> Any:
        """JAX's caches hold what is callable weakly: see `Host`."""
        return self.host(*arrays)

    def results(self, shapes: Iterable[Shape]) -> list[Result]:
        """What comes back for operands of these shapes."""
        return self.layout.results(self.layout.batch(shapes), self.active)


@dataclasses.dataclass(eq=False)
class HostFunction(Host):
    """A function of arrays: `function(*arrays)` returns a tuple with one array per declared result.

    If it is not trusted it gets arrays that it may write to (not with `copy=False`), and is called by one thread at a
    time, which has the `lock`. What may want a number `alone` is called for each element, if it fails with the whole
    array. Its `loops`, a ufunc or a function of ufuncs, do the same and may be recorded; arguments that are `unsafe`
    may crash them: there the result is NaN. `results` are the words for each result in an error, if it is a rule.
    """

    function: Callable[..., tuple]
    lock: Any = dataclasses.field(default_factory=contextlib.nullcontext, kw_only=True)
    loops: Callable[..., Any] | None = dataclasses.field(default=None, kw_only=True)
    unsafe: Unsafe | None = dataclasses.field(default=None, kw_only=True)
    bar: Bar = dataclasses.field(default=no_bar, kw_only=True)
    alone: bool = dataclasses.field(default=False, kw_only=True)
    results: tuple[str, ...] = dataclasses.field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        self.piece = LARGE_PIECE if self.loops is None else PIECE

    def __call__(self, *arrays: Any) -> tuple:
        return self.function(*arrays)

    def bind(self, shapes: Shapes, dtypes: DTypes, layout: Layout, active: Active = None) -> Bound:
        batch = layout.batch(shapes)
        wanted = layout.wanted(active)
        declared = list(zip(wanted, layout.results(batch, wanted), strict=True))
        steps = [self._preparation(*x, batch) for x in zip(shapes, dtypes, layout.in_core, strict=True)]

        def prepared(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
            return [a if step is None else step(a) for a, step in zip(arrays, steps, strict=True)]

        if self.trusted:
            plain = all(step is None for step in steps)

            def run(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
                results = self.function(*(arrays if plain else prepared(arrays)))
                return [self._checked(i, results[i], expected) for i, expected in declared]

            return run
        called, lock = self._called(prepared, shapes, layout, batch), self.lock

        def run_alone(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
            with lock:
                results = called(arrays)
                self._check_count(results, layout)
                keep = np.array if self.options.copy else np.asarray  # it may write to them later
                return [keep(self._checked(i, results[i], expected, batch)) for i, expected in declared]

        def run_in_turn(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
            with turn(lock):
                return run_alone(arrays)

        # one that may use JAX may come to other functions from here
        return run_in_turn if self.options.allow_jax else run_alone

    def _called(
        self, prepared: Callable[[Sequence], list], shapes: Shapes, layout: Layout, batch: Shape
    ) -> Callable[[Sequence[np.ndarray]], Any]:
        """The function of arrays as they come; what is added to its exceptions."""
        spread = self.options.vmap_method == "broadcast_all"
        operands = enumerate(zip(shapes, layout.in_core, strict=True))
        numbers = [i for i, (shape, core) in operands if not ((batch or core) if spread else shape)]
        once: Callable = lambda arrays: self.function(*prepared(arrays))
        if numbers and not self.options.effect:
            once = functools.partial(self._once, numbers, prepared)
        if not batch:
            return once
        if self.options.vmap_method in LOOPED:
            return lambda arrays: self._loop(prepared(arrays), layout, batch)
        return lambda arrays: self._whole(once, arrays, prepared, layout, batch)

    def inline(self, layout: Layout) -> Callable[..., Any]:
        return self.function if self.trusted else super().inline(layout)

    def record(self, arrays: Sequence[Any], layout: Layout, active: Sequence[int], perform: Callable) -> list:
        if self.loops is None:
            raise NoLoop(self.name)
        arrays = [a.astype(self._host_dtype(a.dtype)) for a in arrays]
        tape = next((a.tape for a in arrays if hasattr(a, "tape")), None)
        if tape is None or isinstance(self.loops, np.ufunc) or all(hasattr(a, "tape") for a in arrays):
            results = self._recorded(arrays)
        else:
            # with numbers among its arguments a function may record less; or fail, for it is written for arrays
            slots = lambda: self._recorded([tape.slot(a, a.dtype) for a in arrays])
            results = tape.either(lambda: self._recorded(arrays), slots)
        return [results[i].astype(layout.outs[i].dtype) for i in active]

    def _recorded(self, arrays: Sequence[Any]) -> list:
        loops: Any = self.loops
        if self.unsafe is None:
            return _as_list(loops(*arrays))
        # the loops do not get to see these arguments
        bad = self.unsafe.bad(*arrays)
        safe = [np.where(bad, a.dtype.type(x), a) for a, x in zip(arrays, self.unsafe.instead, strict=True)]
        return [np.where(bad, not_a_number(y.dtype), y) for y in _as_list(loops(*safe))]

    def needs_python(self, result: int) -> bool:
        return self.loops is None

    def _preparation(
        self, shape: Shape, dtype: np.dtype, core: int, batch: Shape
    ) -> Callable[[np.ndarray], np.ndarray] | None:
        """Widen, spread over the batch, and make the memory private; None if nothing is to be done."""
        target = self._host_dtype(dtype)
        full = batch + shape[len(shape) - core :]
        spread = full != shape and self.options.vmap_method == "broadcast_all"
        if self.trusted:
            if dtype == target and not spread:
                return None
            wide = lambda array: array.astype(target, copy=False)
            return (lambda array: np.broadcast_to(wide(array), full)) if spread else wide
        whole = (lambda array: np.broadcast_to(array, full)) if spread else (lambda array: array)
        own = lambda array: whole(array).astype(target, order="C")
        if not self.options.copy:
            lent = lambda array: whole(array.astype(target, copy=False))
            own = lambda array: np.require(lent(array), requirements=["C", "W"])
        return (lambda array: truths(own(array))) if self.options.widen and target == np.bool_ else own

    def _host_dtype(self, dtype: np.dtype) -> np.dtype:
        if dtype.kind not in "biufc":  # bfloat16, float8, int4: SciPy knows none of them
            dtype = next(t for t in map(np.dtype, "Bbf") if np.can_cast(dtype, t))
        if dtype == np.float16 and not self.options.widen:
            return np.dtype(np.float32)
        return WIDE.get(dtype.kind, dtype) if self.options.widen else dtype

    def _whole(
        self, once: Callable, given: Sequence[np.ndarray], prepared: Callable[[Sequence], list], layout: Layout,
        batch: Shape,
    ) -> Any:  # fmt: skip
        """An elementwise function that looks at its number, as in `if x > 0`, takes no array: then one call for each
        element. If it refuses these too, the error is that of the array, unless that only says that a number is wanted.
        It may have written to the array before it failed: each element is that of what was given."""
        try:
            return once(given)
        except Exception as error:
            if not isinstance(error, ResultError):
                error.add_note(_WHOLE_ARRAYS.format(self.name, batch, self.options.vmap_method))
            if not self.alone or self.options.effect or not refuses_arrays(error):
                raise
            refusal = error  # with its own causes
        try:
            return self._loop(prepared(given), layout, batch)
        except Exception as error:
            of_element = error
        raise of_element if wants_a_number(refusal) else refusal

    def _once(
        self, numbers: Sequence[int], prepared: Callable[[Sequence], list], arrays: Sequence[np.ndarray]
    ) -> Any:
        """What has no axes comes as a number, as an element of a batch does: that is faster, and no function can change
        it, as in `E = M; E -= 1`. Where it was refused it comes again as an array, to which code can write."""
        given = prepared(arrays)
        for i in numbers:
            given[i] = given[i][()]
        with contextlib.suppress(TypeError, ValueError, AttributeError, IndexError):  # such as x[x < 0] = 0
            return self.function(*given)
        return self.function(*prepared(arrays))  # outside, so that its error comes alone

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
        if type(value) is np.ndarray and value.dtype == declared.dtype and value.shape == declared.shape:
            return value
        if isinstance(value, np.generic) and value.dtype == declared.dtype and declared.shape == ():
            return np.asarray(value)
        hint = f" (batch axes {batch}: see vmap_method={self.options.vmap_method!r})" if batch else ""
        what = self.results[i] if self.results else f"result {i}"
        cure = _RULE_CURE if self.results else _CURE
        meant = "" if self.results else _several(value)
        if not meant and batch and declared.shape == batch:
            meant = _WHOLE.format(core=",".join(map(str, getattr(value, "shape", ()))))
        return checked(f"{self.name}: {what}", value, declared, hint, cure, meant)


def _several(value: Any) -> str:
    """What to do if a tuple was meant as several results, and not as one array."""
    if not isinstance(value, list | tuple) or len(value) < 2:
        return ""
    arrows = ",".join(["()"] * min(len(value), 3))
    return (
        f" (a {type(value).__name__} of {len(value)}; if these are several results, declare each: in a signature such "
        f"as '()->{arrows}', or with out=)"
    )


def not_a_number(dtype: np.dtype) -> Any:
    """Of complex numbers in both parts, as SciPy's own."""
    return dtype.type(complex(np.nan, np.nan) if dtype.kind == "c" else np.nan)


def _as_list(results: Any) -> list:
    return list(results) if isinstance(results, tuple) else [results]


class HostStep:
    """A host function as one step of a program: called by the derivative rule of another one, or its own."""

    def __init__(self, host: Any, layout: Layout, caller: str) -> None:
        self.host, self.layout, self.caller = host, layout, caller
        self.function = host.inline(layout)

    def __call__(self, *arrays: Any) -> Any:
        try:
            results = self.function(*arrays)
        except Exception as error:
            if self.host.name != self.caller:
                error.add_note(f"raised by {self.host.name}, which a derivative rule of {self.caller} calls")
            raise
        return results if len(self.layout.outs) > 1 else results[0]

    def on_one(self, *arrays: Any) -> Any:
        """On arrays of one: a function of the user gets the number without axes.

        Ours take any shape, and NumPy multiplies complex numbers without axes with other roundings than arrays.
        """
        if self.host.trusted:
            return self(*arrays)
        results = self(*(array.reshape(()) for array in arrays))
        if len(self.layout.outs) > 1:
            return [np.reshape(result, 1) for result in results]
        return np.reshape(results, 1)

    def record(self, arrays: Sequence[Any], perform: Callable) -> Any:
        count = len(self.layout.outs)
        results = self.host.record(arrays, self.layout, range(count), perform)
        return results if count > 1 else results[0]
