"""Derivatives by the tape, in JAX: the recording of a run on the host is a rule in NumPy, as `defhost` takes it.

A host call of the derivative runs the user's code once on arrays that record. Forward and reverse mode, batches and
second derivatives come from the forms (see `hostwrap._rules.form`).
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from hostwrap import _lanes
from hostwrap._copies.retarget import Untraceable
from hostwrap._errors import ADD_ONE, MissingDerivative, ResultError, missing_derivative
from hostwrap._host.function import LOOPED
from hostwrap._host.layout import Layout
from hostwrap._rules import form
from hostwrap._rules.form import ANSWER, COTANGENT, LIVE, PRIMAL, TANGENT, Place
from hostwrap._rules.onhost import Arguments, Leaves, NumpyRule, cores_of
from hostwrap._rules.products import First, Primal, Products, Slots
from hostwrap._rules.rule import Function
from hostwrap._tracing.programs import Programs, key_of
from hostwrap._tracing.tape import Recorded, logged, record, recordable, second
from hostwrap._tracing.tape.again import Again
from hostwrap._tracing.tape.array import concrete
from hostwrap._tracing.tape.slopes import differences, flat, one_sided

_KEPT = 100_000  # the most numbers on a tape that is kept for the next cotangent
_EXTRAS = ("ans", "needed", "live")
_STILL = "a result that does not move"
_SLOPE = 0.01  # differences show whether a term is missing; they need few digits
# relative to the largest magnitude, by the type of the results
_RTOL = ((np.complex64, 1e-3), (np.complex128, 1e-8))


class Taped(Products):
    """The rules of one function; `why` is the reason why its code cannot be traced."""

    def __init__(self, f: Function, function: Callable, why: str) -> None:
        kinds: dict[str, Callable] = {"jvp": self._jvp, "vjp": self._vjp, "hvp": self._hvp}
        rules = {
            kind: NumpyRule(
                f"the tape's {kind}", functools.partial(_live, kind, rule, f.spec.elementwise), _EXTRAS
            )
            for kind, rule in kinds.items()
        }
        looped = f.spec.options.vmap_method in LOOPED
        super().__init__(rules, "sequential" if looped else "broadcast_all")
        self.f, self.why, self.plain, self.function = f, why, function, recordable(function)
        self.last = f"its code is recorded as it runs, up to second derivatives; it is not traced: {why}"
        self._last, self._programs = threading.local(), Programs()
        self._form = functools.lru_cache(maxsize=64)(self._made)

    def along(
        self, primals: tuple, answers: Sequence[Any], tangents: Sequence[Any], moving: Sequence[int]
    ) -> list:
        """The tangents of the answers, for tangents of the leaves with these numbers; None for an integer."""
        leaves = jax.tree.leaves(primals)
        declared = self.f.spec.declare(primals, self.f.statics)
        layout = declared.layout
        cores = cores_of(leaves, layout.in_core)
        made = self._form(declared.host, declared.tree, cores, declared.out_tree, layout.outs)
        params: dict[str, Any] = {
            "form": made,
            "ins": (*(Place(PRIMAL, i) for i in range(len(leaves))), Place(LIVE, 0)),
            "outs": tuple(Place(COTANGENT, j) for j in range(len(layout.outs))),
            "layout": Layout((*layout.in_core, len(layout.outs[0].shape)), layout.outs),
            "lane": _lanes.current(),
        }
        found = form.in_primals([*leaves, form.alive(answers[0])], tangents, moving, answers, **params)
        return [found.get(k) for k in range(len(answers))]

    def _made(self, host: Any, tree: Any, ins: Any, out_tree: Any, outs: Any) -> Primal:
        about = self, self.f, Arguments(self.f.name, self.f.names, tree, ins), Leaves(out_tree, outs)
        made = Primal(host, *about)
        made.first = _First(*about)
        return made

    # ---- on the host

    def known(self, sweep: str, args: Arguments, outs: Leaves, slots: Slots) -> list | None:
        """At a single place with a program: the tangents of all results, or the cotangents of all leaves; else None."""
        primals, answers = slots[PRIMAL], slots[ANSWER]
        whole = len(primals) == len(args.results) and len(answers) == len(outs.results)
        if not (whole and self._programs) or np.shape(slots[LIVE][0]) or not slots[LIVE][0]:
            return None
        leaves = [primals[i] for i in range(len(primals))]
        if any(np.shape(x) != one.shape for x, one in zip(leaves, args.results, strict=True)):
            return None
        found = self._ran_again(leaves, args.tree, [answers[k] for k in range(len(answers))])
        if found is None:
            return None
        if sweep == "jvp":
            return found.jvp([slots[TANGENT].get(i) for i in range(len(leaves))])
        return found.vjp(outs.filled(slots[COTANGENT]))

    def _jvp(self, primals: tuple, tangents: tuple, /, ans: Any, needed: Sequence[bool]) -> Any:
        found = self._swept("jvp", primals, ans, needed, _flat(primals, tangents))
        return jax.tree.unflatten(jax.tree.structure(ans), found)

    def _vjp(self, primals: tuple, cotangent: Any, /, ans: Any, needed: Sequence[bool]) -> tuple:
        found = self._swept("vjp", primals, ans, needed, _tree(ans).flatten_up_to(cotangent))
        moves = _flags(primals, needed)
        return _by_argument(primals, [c if m else None for c, m in zip(found, moves, strict=True)])

    def _swept(self, sweep: str, primals: tuple, ans: Any, needed: Sequence[bool], given: list) -> list:
        """A sweep through the recording, or through a new one if a program meets an infinite derivative: only a
        recording knows which branches are not taken."""
        recorded = self._recorded(primals, ans, needed)
        with self._refusing(needed):
            found = getattr(recorded, sweep)(given)
            if found is None:
                found = getattr(self._anew(primals, ans, needed, again=False), sweep)(given)
        return found

    def _hvp(
        self, primals: tuple, tangents: tuple, cotangent: Any, /, ans: Any, needed: Sequence[bool]
    ) -> tuple:
        tree = _tree(primals)
        wanted = [a or t is not None for a, t in zip(needed, tangents, strict=True)]
        cotangents = _tree(ans).flatten_up_to(cotangent)
        function, moves = self._flat_function(tree), _flags(primals, wanted)
        along = _flat(primals, tangents)
        check = lambda recorded: self._check(recorded, jax.tree.leaves(ans))
        twice = lambda given: second(function, given, moves, along, cotangents, check)
        _, products = self._right(twice, primals, moves, ans, needed)
        return _by_argument(primals, products)

    def _recorded(self, primals: tuple, ans: Any, needed: Sequence[bool]) -> Recorded | Again:
        """The recording at this place: the last one if it was here, too, as in a loop over cotangents."""
        leaves, tree = jax.tree.flatten(primals)
        # with the answer, because variables outside of the function may have changed
        numbers = map(np.asarray, (*leaves, *jax.tree.leaves(ans)))
        key = tree, tuple(needed), [(x.shape, x.dtype, x.tobytes()) for x in numbers]
        known = getattr(self._last, "known", None)
        if known is None or known[0] != key:
            answers = jax.tree.leaves(ans)
            recorded = self._ran_again(leaves, tree, answers) or self._anew(primals, ans, needed)
            known = key, recorded
            self._last.known = known if recorded.size <= _KEPT else None
        return known[1]

    def _anew(self, primals: tuple, ans: Any, needed: Sequence[bool], again: bool = True) -> Recorded:
        leaves, tree = jax.tree.flatten(primals)
        function, moves, way = self._flat_function(tree), _flags(primals, needed), key_of(tree, leaves)
        if again and way is not None and self._programs.wanted:
            program = None
            try:
                recorded, program = self._right(
                    lambda given: logged(function, given, moves), primals, moves, ans, needed
                )
                return recorded
            except (MissingDerivative, ResultError):  # in a program arguments without a tangent move, too
                pass
            finally:
                self._programs.keep(way, program)
        once = lambda given: (record(function, given, moves),)
        (recorded,) = self._right(once, primals, moves, ans, needed)
        self._programs.recorded(recorded.size)
        return recorded

    def _ran_again(self, leaves: list, tree: Any, answers: list) -> Again | None:
        """The result of a program that knows this way through the code, if it has the function's value; else None."""
        if (way := key_of(tree, leaves)) is None or (found := self._programs.at(way, leaves)) is None:
            return None
        try:
            self._check(found, answers)
        except ResultError:
            return None
        return found

    def _right(
        self, run: Callable, primals: tuple, moves: list[bool], ans: Any, needed: Sequence[bool]
    ) -> tuple:
        """`run(leaves)`, whose first item is the recording. If its value is not the function's, run it again with
        numbers in place of arrays without axes, as the host calls it (`HostFunction._once`)."""
        leaves, tree = jax.tree.flatten(primals)
        try:
            return self._run(run, leaves, tree, moves, ans, needed)
        except (MissingDerivative, ResultError):
            if all(map(np.ndim, leaves)):
                raise
        numbers = [x[()] if isinstance(x, np.ndarray) else x for x in leaves]
        return self._run(run, numbers, tree, moves, ans, needed)

    def _run(
        self, run: Callable, leaves: list, tree: Any, moves: list[bool], ans: Any, needed: Sequence[bool]
    ) -> tuple:
        with self._refusing(needed):
            found = run(leaves)
            self._check(found[0], jax.tree.leaves(ans))
            self._check_slope(found[0], tree, leaves, moves)
        return found

    def _flat_function(self, tree: Any, function: Callable | None = None) -> Callable:
        call = self.f.spec.parameters.caller(function or self.function, self.f.statics)
        return lambda *leaves: call(jax.tree.unflatten(tree, leaves))

    @contextlib.contextmanager
    def _refusing(self, needed: Sequence[bool]) -> Iterator[None]:
        try:
            yield
        except Untraceable as error:
            argument = next(name for name, wanted in zip(self.f.names, needed, strict=True) if wanted)
            recorded = error.reason if error.line in self.why else error.short  # name each line once
            why = f"it has no derivative rule, and its code cannot be traced: {self.why}; nor recorded: {recorded}"
            raise missing_derivative(self.f.name, argument, f"{why}; {ADD_ONE}") from error

    def _check(self, recorded: Recorded | Again, answers: list) -> None:
        """Raise unless the recorded value is the function's, up to rounding: sums may depend on where an array lies in
        memory."""
        if len(answers) != len(recorded.value):
            came = f"{len(answers)} results are declared, {len(recorded.value)} were recorded"
            raise ResultError(f"{self.f.name}: {came}.")
        for value, answer in zip(recorded.value, answers, strict=True):
            if not _near(value, answer):
                self._check_one(value, answer)

    @np.errstate(all="ignore")
    def _check_one(self, value: Any, answer: Any) -> None:
        value = concrete(value)
        if np.shape(value) != np.shape(answer):  # such as float(x) of an array of one number
            shapes = f"the shape {np.shape(answer)} is declared, {np.shape(value)} was recorded"
            raise ResultError(f"{self.f.name}: {shapes}.")
        value, answer = np.broadcast_arrays(value, answer)
        if not np.all(_close(value, answer)):
            at = np.unravel_index(np.argmax(np.nan_to_num(np.abs(value - answer), nan=np.inf)), value.shape)
            raise ResultError(
                f"{self.f.name}: its derivative would be wrong. The function returned {answer[at]!r}, and "
                f"{value[at]!r} when it ran again on arrays that record. Does it depend on something else than its "
                "arguments, such as a global variable, a random number, or uninitialized memory? Then pass it as "
                "an argument. Else give a rule (defjvp, defpartials, defhost), or numerical=True."
            )

    @np.errstate(all="ignore")
    def _check_slope(self, recorded: Recorded, tree: Any, leaves: list, moves: list[bool]) -> None:
        """Compare the recorded slope with differences of values, where the function may have returned a stored result.

        A function that finds a result by its arguments does not compute it again, and the recording lacks a part of the
        derivative. So if the code looked up a key, or a result is constant, the slope must agree with differences. At a
        kink, such as that of `x if x > 0 else 0.1 * x`, these lie between the two slopes.
        """
        if not recorded.keys and not recorded.still:
            return
        plain = self._flat_function(tree, self.plain)
        found = differences(plain, leaves, moves)
        if found is None:
            return
        tangents, slopes, errors = found
        got = _slopes(recorded, tangents)
        gap, size = np.abs(got - slopes), np.maximum(np.abs(got), np.abs(slopes))
        rounding = np.finfo(float).eps * np.max(size, initial=0)  # of slopes that cancel, as sin(pi) does
        wrong = gap > _SLOPE * size + errors + rounding
        if np.any(wrong) and not _at_a_kink(recorded, plain, leaves, moves, np.where(wrong, gap, np.inf)):
            at = np.argmax(wrong)
            raise ResultError(
                f"{self.f.name}: its derivative would be wrong. Along a random direction the recorded code has the "
                f"slope {got[at]:.6g}, its values by differences {slopes[at]:.6g}. "
                f"It met {', '.join(dict.fromkeys(recorded.keys)) or _STILL}: does it keep results of earlier calls, "
                "or count in small steps? Then take that out, or give a rule (defjvp, defpartials, defhost), or "
                "numerical=True."
            )


def _slopes(recorded: Recorded, tangents: list) -> np.ndarray:
    return flat([concrete(t) for t in recorded.jvp(tangents)])


def _at_a_kink(recorded: Recorded, plain: Callable, leaves: list, moves: list[bool], gap: np.ndarray) -> bool:
    """Whether kinks explain the gap: along each axis the recorded slope is that of one side, or lies between both.

    A smooth function has one slope. Where a result comes from an earlier call, the recording has another one.
    """
    axes = list(one_sided(plain, leaves, moves))
    explained = (
        np.abs(_slopes(recorded, along) - middle) <= width + error for along, middle, width, error in axes
    )
    return (
        bool(axes)
        and all(map(np.all, explained))
        and bool(np.all(sum(error for *_, error in axes) < gap / 2))
    )


class _First(First):
    """The first derivatives, without the user's code where a program has the numbers."""

    rule: Taped

    def _jvp(self, slots: Slots, wanted: Sequence[int]) -> list:
        found = self.rule.known("jvp", self.args, self.outs, slots)
        return super()._jvp(slots, wanted) if found is None else [found[k] for k in wanted]

    def _vjp(self, slots: Slots, wanted: Sequence[int]) -> list:
        found = self.rule.known("vjp", self.args, self.outs, slots)
        return super()._vjp(slots, wanted) if found is None else [found[i] for i in wanted]


def _near(value: Any, answer: Any) -> bool:
    """A quick test for single numbers, in Python's own arithmetic, which does not warn."""
    if not (type(value) is np.float64 and np.shape(answer) == () and answer.dtype.kind == "f"):
        return False
    x, y = float(value), float(answer)
    return abs(x - y) <= _RTOL[-1][1] * abs(y)


def _live(
    kind: str,
    rule: Callable,
    elementwise: bool,
    /,
    *given: Any,
    ans: Any,
    needed: Sequence[bool],
    live: Any,
    **_: Any,
) -> Any:
    """The rule for operands of the call, and zeros for those that JAX replaced, because it discards the result
    (`form.alive`)."""
    live = np.asarray(live)  # a plain array, and no `Truths`
    if not np.any(live):
        like = (
            ans if kind == "jvp" else tuple(x if n else None for x, n in zip(given[0], needed, strict=True))
        )
        return jax.tree.map(np.zeros_like, like)
    shape = np.broadcast_shapes(*map(np.shape, jax.tree.leaves((given, ans)))) if elementwise else ()
    if np.all(live) or not elementwise:
        try:
            return rule(*given, ans=ans, needed=needed)
        except (MissingDerivative, ResultError):
            if not (elementwise and shape):
                raise
    # elementwise code may look at its number, or write to it. Then it runs once for each of several cotangents, which
    # `jax.jacrev` brings
    at = lambda place: jax.tree.map(lambda x: np.broadcast_to(x, shape)[place], (given, ans, live))
    rows = [
        _live(kind, rule, False, *one, ans=y, needed=needed, live=flag)
        for one, y, flag in map(at, np.ndindex(shape))
    ]
    return jax.tree.map(lambda *column: np.reshape(np.stack(column), shape), *rows)


def _close(value: np.ndarray, answer: np.ndarray) -> np.ndarray:
    """Whether values agree. A result that has only digits of single precision is compared in that precision."""
    rtol = next(r for kind, r in _RTOL if np.array_equal(answer.astype(kind), answer, equal_nan=True))
    size = np.abs(answer)
    scale = np.max(size, initial=0, where=np.isfinite(size))
    same = (value == answer) | (np.isnan(value) & np.isnan(answer))
    return same | (np.abs(value - answer) <= rtol * scale)


def _flat(primals: tuple, tangents: tuple) -> list:
    """One tangent for each leaf; None for a constant."""
    leaves: list = []
    for x, t in zip(primals, tangents, strict=True):
        tree: Any = jax.tree.structure(x)
        leaves += [None] * tree.num_leaves if t is None else tree.flatten_up_to(t)
    return leaves


def _tree(x: Any) -> Any:
    return jax.tree.structure(x)


def _flags(primals: tuple, needed: Sequence[bool]) -> list[bool]:
    return [wanted for x, wanted in zip(primals, needed, strict=True) for _ in jax.tree.leaves(x)]


def _by_argument(primals: tuple, leaves: Sequence[Any]) -> tuple:
    """One cotangent for each argument; None if none of its leaves has one."""
    rest = iter(leaves)
    rows = [(jax.tree.structure(x), [next(rest) for _ in jax.tree.leaves(x)]) for x in primals]
    return tuple(None if all(c is None for c in row) else jax.tree.unflatten(tree, row) for tree, row in rows)
