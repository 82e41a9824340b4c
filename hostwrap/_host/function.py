"""Call a host function: NumPy arrays in, checked NumPy arrays out. No JAX here.

An array has batch axes, then core axes; all batch shapes broadcast together. `vmap_method`, with JAX's names, says how
the function gets the batch axes. The function computes in double precision: this module widens float32 and narrower
arguments and rounds the results once, because SciPy's double-precision loops are the accurate ones.
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

VMAP_METHODS = ("broadcast_all", "expand_dims", "sequential", "sequential_unrolled", "legacy_vectorized")
LOOPED = ("sequential", "sequential_unrolled")
_CURE = "declare it with dtype= or out=, or convert it in the function"
_WHOLE = (
    "; if the function takes whole arrays, declare their axes in a signature such as '(n)->({core})'; if it takes one "
    "number, use vmap_method='sequential'"
)
# `bar(elements, total)`, a context in which to run through the elements, shows how far a loop is
Bar = Callable[[Iterable, int], contextlib.AbstractContextManager[Iterable]]
# a note on the exception of a function that may have expected numbers, not arrays
_WHOLE_ARRAYS = (
    "{} was called with whole arrays, of shape {} and vmap_method={!r}; if it takes one element at a time, wrap it "
    "with vmap_method='sequential'."
)
_RULE_CURE = "convert it in the rule (what stands for real numbers is real: take the real part)"
# Integers, too: NumPy computes functions of 8-bit integers in half precision.
_64 = (np.float64, np.complex128, np.int64, np.uint64)
WIDE: dict[str, np.dtype] = {np.dtype(t).kind: np.dtype(t) for t in _64}


@dataclasses.dataclass(frozen=True)
class HostOptions:
    """The options of `wrap` that act on the host; `wrap` explains each."""

    vmap_method: str = "broadcast_all"
    widen: bool = True
    thread_safe: bool = False
    copy: bool = True
    allow_jax: bool = False
    on_error: str = "raise"
    effect: str | None = None


@dataclasses.dataclass(eq=False, kw_only=True)
class Host:
    """A host function as the lanes call it. It lives long and compares by identity: a new one per call would recompile.

    A `trusted` one (SciPy's ufuncs, kernels of hostwrap, programs of these) never writes to its arguments, calls JAX or
    warns. `origin` says where the function comes from; `maker` makes an equal one from the same origin. `table` holds
    its derivatives. `twin` is the same function in operations of JAX (see `_table/written`). `programs` are programs of
    C loops for some of its results (see `_lanes/recorded`).
    """

    name: str
    argnames: tuple[str, ...]
    options: HostOptions = HostOptions()
    trusted: bool = False
    origin: Origin | None = None
    maker: Any = None
    table: Any = None
    programs: dict = dataclasses.field(default_factory=dict, init=False)
    twin: Callable[..., Any] | None = None
    costs: Costs = dataclasses.field(default_factory=Costs)
    piece: int = LARGE_PIECE  # numbers that a thread takes at a time from a large batch, if trusted

    def __call__(self, *arrays: Any) -> Any:
        """Callable, because JAX's caches hold callables weakly; so a host function is freed with its last user."""
        raise TypeError(f"{self.name}: a host function is bound to shapes before it is called.")

    def bind(self, shapes: Shapes, dtypes: DTypes, layout: Layout, active: Active = None) -> Bound:
        """Decide once all that is known before the call; return a function of the arrays."""
        raise NotImplementedError

    def inline(self, layout: Layout) -> Callable[..., Any]:
        """The function as a step of a program, whose arrays are in double precision already and broadcast."""

        def run(*arrays: Any) -> list[np.ndarray]:
            arrays = tuple(map(np.asarray, arrays))
            return self.bind([a.shape for a in arrays], [a.dtype for a in arrays], layout)(arrays)

        return run

    def record(self, arrays: Sequence[Any], layout: Layout, active: Sequence[int], perform: Callable) -> list:
        """Record the function on a tape; `perform(operation, inputs)` records an operation that is no host call.

        Raises NoLoop if the function is not made of C loops.
        """
        raise NotImplementedError

    def written(self, dtypes: DTypes, layout: Layout, active: Sequence[int]) -> Any:
        """These results as operations of XLA (see `_lanes/lowering`); None if the host computes them."""
        return None

    def needs_python(self, result: int) -> bool:
        """Whether this result comes from a function that cannot be recorded, if that is known in advance."""
        return False


@dataclasses.dataclass(frozen=True)
class HostCall:
    """A host function with the layout of one call; `active` are the numbers of the results wanted.

    `kind` is the kind of side effect, if there is one: see `Options`. A call `by_loops` runs a program of C loops in
    place of the function, as far as there is one (see `_lanes/recorded`).
    """

    host: Host
    layout: Layout
    active: tuple[int, ...]
    kind: str | None = None
    by_loops: bool = False

    def __repr__(self) -> str:
        return self.host.name

    def __call__(self, *arrays: Any) -> Any:
        """Callable, because JAX's caches hold callables weakly: see `Host`."""
        return self.host(*arrays)

    def results(self, shapes: Iterable[Shape]) -> list[Result]:
        """Shapes and dtypes of the results, for operands of these shapes."""
        return self.layout.results(self.layout.batch(shapes), self.active)


@dataclasses.dataclass(eq=False)
class HostFunction(Host):
    """A function of arrays: `function(*arrays)` returns a tuple with one array per declared result.

    A function that is not trusted gets arrays that it may write to (unless `copy=False`), and one thread calls it at
    a time, under the `lock`. If the function may take one number `alone` and fails on the whole array, it is called
    for each element. `loops`, a ufunc or a function of ufuncs, computes the same and can be recorded. `results` names
    each result of a rule in an error.
    """

    function: Callable[..., tuple]
    lock: Any = dataclasses.field(default_factory=contextlib.nullcontext, kw_only=True)
    loops: Callable[..., Any] | None = dataclasses.field(default=None, kw_only=True)
    bar: Bar = dataclasses.field(default=lambda elements, _: contextlib.nullcontext(elements), kw_only=True)
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
        keep = np.array if self.options.copy else np.asarray  # the function may write to its results later

        def run_alone(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
            with lock:
                results = called(arrays)
                self._check_count(results, layout)
                return [keep(self._checked(i, results[i], expected, batch)) for i, expected in declared]

        def run_in_turn(arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
            with turn(lock):
                return run_alone(arrays)

        # a function that uses JAX may call other host functions
        return run_in_turn if self.options.allow_jax else run_alone

    def _called(
        self, prepared: Callable[[Sequence], list], shapes: Shapes, layout: Layout, batch: Shape
    ) -> Callable[[Sequence[np.ndarray]], Any]:
        """The function of unprepared arrays, called once, or for each element."""
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
            found = self.loops(*arrays)
        else:
            # with plain numbers a function records fewer steps; but it may fail, because it is written for arrays
            slots = lambda: [tape.slot(a, a.dtype) for a in arrays]
            found = tape.either(lambda: self.loops(*arrays), lambda: self.loops(*slots()))
        results = found if isinstance(found, tuple | list) else [found]
        return [results[i].astype(layout.outs[i].dtype) for i in active]

    def needs_python(self, result: int) -> bool:
        return self.loops is None

    def _preparation(
        self, shape: Shape, dtype: np.dtype, core: int, batch: Shape
    ) -> Callable[[np.ndarray], np.ndarray] | None:
        """A function that widens an array, broadcasts it, and makes its memory private; None if nothing is to do."""
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
        if dtype.kind not in "biufc":  # bfloat16, float8, int4: SciPy does not know them
            dtype = next(t for t in map(np.dtype, "Bbf") if np.can_cast(dtype, t))
        if dtype == np.float16 and not self.options.widen:
            return np.dtype(np.float32)
        return WIDE.get(dtype.kind, dtype) if self.options.widen else dtype

    def _whole(
        self, once: Callable, given: Sequence[np.ndarray], prepared: Callable[[Sequence], list], layout: Layout,
        batch: Shape,
    ) -> Any:  # fmt: skip
        """Call the function on the whole batch; if it takes only numbers, as with `if x > 0`, call it for each element.

        If the function fails for an element, too, raise the error of the whole array, unless that error only asks for a
        number. The function may have written to the arrays before it failed, so the elements come from fresh copies.
        """
        try:
            return once(given)
        except Exception as error:
            if not isinstance(error, ResultError):
                error.add_note(_WHOLE_ARRAYS.format(self.name, batch, self.options.vmap_method))
            if not self.alone or self.options.effect or not refuses_arrays(error):
                raise
            refusal = error
        try:
            return self._loop(prepared(given), layout, batch)
        except Exception as error:
            of_element = error
        raise of_element if wants_a_number(refusal) else refusal

    def _once(
        self, numbers: Sequence[int], prepared: Callable[[Sequence], list], arrays: Sequence[np.ndarray]
    ) -> Any:
        """Pass arrays without axes as numbers: they are faster, and the function cannot change them (`E = M; E -= 1`).

        If the function refuses a number, it gets an array, which it can write to.
        """
        given = prepared(arrays)
        for i in numbers:
            given[i] = given[i][()]
        with contextlib.suppress(TypeError, ValueError, AttributeError, IndexError):  # such as x[x < 0] = 0
            return self.function(*given)
        return self.function(*prepared(arrays))  # outside of the `with`, so that its error has no context

    def _loop(self, arrays: Sequence[np.ndarray], layout: Layout, batch: Shape) -> list[np.ndarray]:
        """One call per batch element, stacked: right for every function, whatever it does with extra axes."""
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
    """The advice if the tuple was meant as several results, not as one array."""
    if not isinstance(value, list | tuple) or len(value) < 2:
        return ""
    arrows = ",".join(["()"] * min(len(value), 3))
    return (
        f" (a {type(value).__name__} of {len(value)}; if these are several results, declare each: in a signature such "
        f"as '()->{arrows}', or with out=)"
    )


class HostStep:
    """A host function as one step of a program: a derivative rule calls it."""

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
        """Call it on arrays of one element. A function of the user gets numbers without axes.

        Functions of hostwrap take any shape, and NumPy rounds products of complex numbers without axes in another way.
        """
        if self.host.trusted:
            return self(*arrays)
        results = self(*(array.reshape(()) for array in arrays))
        return [np.reshape(y, 1) for y in results] if len(self.layout.outs) > 1 else np.reshape(results, 1)

    def record(self, arrays: Sequence[Any], perform: Callable) -> Any:
        count = len(self.layout.outs)
        results = self.host.record(arrays, self.layout, range(count), perform)
        return results if count > 1 else results[0]
