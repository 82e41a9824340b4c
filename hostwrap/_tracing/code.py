"""The code of a function without a rule, traced into JAX and differentiated.

The host computes the value. JAX differentiates the traced program at the same arguments, to any order and in both
modes. The code is traced once for each set of shapes, dtypes and statics.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._call.dtypes import Counts, counts
from hostwrap._call.spec import as_tuple
from hostwrap._copies.handlers import caught
from hostwrap._copies.retarget import Untraceable
from hostwrap._errors import WAYS, HostCallError, MissingDerivative, missing_derivative
from hostwrap._host.origins import finder
from hostwrap._lanes.faults import last_error
from hostwrap._rules.automatic import Automatic, whole_arrays
from hostwrap._rules.rule import Function, perturbed, zeros_of
from hostwrap._tracing import samples as samples  # this import registers its replacements
from hostwrap._tracing import stats as stats  # and this one, too
from hostwrap._tracing.check import Comparison
from hostwrap._tracing.functions import follow
from hostwrap._tracing.standin import Stand
from hostwrap._tracing.traces import Trace, tracing
from hostwrap._tracing.twins import OUTSIDE, RANDOM
from hostwrap._tracing.untaken import untaken_held
from hostwrap._tracing.values import LOOKED, raw
from hostwrap._wrap import wrap

LONGEST = 1000
"""Operations of a traced program. XLA compiles the gradient of so many in a few seconds; the tape runs longer ones."""


@dataclasses.dataclass(frozen=True)
class Refusal:
    """Why the code cannot be traced, with and without advice; `final` if recording it would be wrong, too."""

    why: str
    short: str
    final: bool

    @classmethod
    def of(cls, error: Exception) -> Refusal:
        why = refusal_of(error)
        if isinstance(error, Untraceable):
            return cls(why, error.short, error.reason in (RANDOM[0], OUTSIDE[0]))
        return cls(why, why, False)


class Program:
    """The traced function: `program(leaves)` returns the leaves of its results. `longest` limits its operations."""

    def __init__(
        self, f: Function, function: Callable, tree: Any, out_tree: Any, counts: Counts, longest: int | None
    ) -> None:
        self.f, self.tree, self.out_tree = f, tree, out_tree
        self.counts, self.longest = counts, longest
        self.refusals: dict[Any, Refusal] = {}  # by shapes, types, and which leaves have a tangent
        self.function = function
        self.call = f.spec.parameters.caller(follow(function), f.statics)
        self.trace, self.whole = Trace(), whole_arrays(f.spec)
        self.comparison = Comparison(f.spec, self.whole, self._rounding)
        self.jitted = jax.jit(untaken_held(self._run, longest), inline=True)

    def placed(self, leaves: Sequence[Any]) -> list:
        """The arguments as the function gets them: those of an elementwise function are broadcast to one shape."""
        return list(jnp.broadcast_arrays(*leaves)) if self.whole else list(leaves)

    def _run(self, *leaves: Any) -> list:
        wide = self.f.spec.options.widen and jax.config.jax_enable_x64  # type: ignore[attr-defined]
        stands = [
            self.counts[i].item()
            if i in self.counts
            else Stand(_wide(x) if wide else x, scalar=not x.ndim and not self.whole, given=not x.ndim)
            for i, x in enumerate(map(jnp.asarray, leaves))
        ]
        refusals: list[Untraceable] = []
        token = caught.set(refusals)
        try:
            with tracing(self.longest) as self.trace:
                result = self.call(jax.tree.unflatten(self.tree, stands))
        finally:
            caught.reset(token)
        if refusals:
            raise refusals[0]
        result = as_tuple(result, self.out_tree)
        values, found = jax.tree.flatten(result, is_leaf=lambda x: isinstance(x, Stand))
        if found != self.out_tree:
            raise Untraceable(f"the traced code returns {found}, not {self.out_tree}")
        return [jnp.asarray(raw(v)) for v in values]

    def _rounding(self, leaves: Sequence[Any]) -> Any:
        from hostwrap._tracing import tape  # which loads SciPy

        call = self.f.spec.parameters.caller(tape.recordable(self.function), self.f.statics)
        given = [x if self.whole or x.ndim else x[()] for x in leaves]
        return tape.rounding(lambda *xs: call(jax.tree.unflatten(self.tree, xs)), given)


def _wide(x: Any) -> Any:
    kinds = {"f": jnp.float64, "c": jnp.complex128}
    return x.astype(kinds[x.dtype.kind]) if x.dtype.kind in kinds else x


class Code:
    """The rule that differentiates code: traced, or else recorded. `longest` limits the traced operations."""

    def __init__(self, rule: Automatic, longest: int | None = LONGEST) -> None:
        self.rule = rule
        self.program = functools.lru_cache(maxsize=256)(functools.partial(_program, rule.function, longest))
        self.tape = functools.lru_cache(maxsize=256)(functools.partial(_taped, rule.function))

    def jvp(self, f: Function, primals: tuple, tangents: Sequence[Any]) -> tuple[Any, Any]:
        leaves, tree = jax.tree.flatten(primals)
        owners = [name for name, x in zip(f.names, primals, strict=True) for _ in jax.tree.leaves(x)]
        moving = perturbed(tangents)
        for i in moving:
            self.rule.refuse(f.name, owners[i])
        answer = f(*primals)
        answers, out_tree = jax.tree.flatten(answer)
        program = self.program(f, tree, out_tree, counts(leaves))

        def moved(*xs: Any) -> list:
            every = {**dict(enumerate(leaves)), **dict(zip(moving, xs, strict=True))}
            values = program.jitted(*program.placed([every[i] for i in range(len(leaves))]))
            return [_fit(f, v, y) for v, y in zip(values, answers, strict=True)]

        refusal = program.refusals.get(place := (*map(jax.typeof, leaves), *moving))
        if refusal is None:
            try:
                values, results = jax.jvp(moved, [leaves[i] for i in moving], [tangents[i] for i in moving])
            except MissingDerivative as error:
                why = f"in its code, {str(error).rstrip('.')}"
                raise missing_derivative(f.name, owners[moving[0]], why) from error
            except Exception as error:
                if isinstance(error, jax.errors.JaxRuntimeError) and "hostwrap: " in str(error):
                    # the code was traced, and a twin failed on these numbers
                    raise (last_error() or error) from error
                refusal = Refusal.of(error)
                if not isinstance(error, HostCallError | jax.errors.JaxRuntimeError):
                    program.refusals[place] = refusal
        if refusal is None:
            if self.rule.check_values:
                results = program.comparison.checked(leaves, answers, values, results, program.trace.rough)
        elif refusal.final:
            why = f"it has no derivative rule, and its code cannot be traced: {refusal.why}; or add a rule with {WAYS}"
            raise missing_derivative(f.name, owners[moving[0]], why)
        else:
            results = self.tape(f, refusal.short).along(primals, answers, tangents, moving)
        still = [t is None or t.dtype == jax.dtypes.float0 for t in results]
        results = [zeros_of(y) if no else t for no, t, y in zip(still, results, answers, strict=True)]
        return answer, jax.tree.unflatten(out_tree, results)

    def written(self, f: Function, primals: tuple) -> Any:
        """Results in JAX, by the branches of the code. Of code that is recorded a number that changes with these."""
        leaves, tree = jax.tree.flatten(primals)
        program = self.program(f, tree, jax.tree.structure(jax.eval_shape(f, *primals)), counts(leaves))
        try:
            return program.jitted(*program.placed(leaves))
        except Exception:
            return _branches(self.rule.function, f, tree)(*leaves)


@functools.lru_cache(maxsize=64)
def _branches(function: Callable, f: Function, tree: Any) -> Any:
    """A number for the comparisons that the code makes, as a function of its leaves."""
    from hostwrap._tracing import tape  # which loads SciPy

    call, whole = f.spec.parameters.caller(tape.recordable(function), f.statics), whole_arrays(f.spec)

    def branches(*leaves: Any) -> Any:
        given = [x if whole or np.ndim(x) else x[()] for x in leaves]
        return tape.branches(lambda *xs: call(jax.tree.unflatten(tree, xs)), given)

    names = inspect.Signature(
        [inspect.Parameter(f"x{i}", inspect.Parameter.POSITIONAL_OR_KEYWORD) for i in range(tree.num_leaves)]
    )
    branches.__name__, branches.__signature__ = f.name, names  # type: ignore[attr-defined]
    branches.of_branches = True  # type: ignore[attr-defined]
    still = [lambda ans, *given, i=i: jnp.zeros(given[i].shape) for i in range(tree.num_leaves)]
    out = lambda *given: jax.ShapeDtypeStruct((), jnp.result_type(float))
    return wrap(branches, out=out, vmap_method="sequential").defpartials(*still)


@finder("code")
def _code(rule: Any) -> Code | None:
    return Code(rule) if isinstance(rule, Automatic) else None


def _taped(function: Callable, f: Function, why: str) -> Any:
    from hostwrap._tracing.taped import Taped  # which loads SciPy

    return Taped(f, function, why)


def _program(
    function: Callable, longest: int | None, f: Function, tree: Any, out_tree: Any, counts: Counts
) -> Program:
    return Program(f, function, tree, out_tree, counts, longest)


def _fit(f: Function, value: Any, answer: Any) -> Any:
    """The value in the shape and dtype of the host's result."""
    if value.shape != answer.shape:
        if not f.spec.elementwise or value.size != 1:
            raise Untraceable(
                f"the traced code returns an array of shape {value.shape}, the function {answer.shape}"
            )
        value = jnp.broadcast_to(value, answer.shape)
    if value.dtype.kind == "c" and answer.dtype.kind != "c":
        raise Untraceable("the traced code returns complex numbers, the function real ones")
    return value.astype(answer.dtype)


def refusal_of(error: Exception) -> str:
    """The reason why the code cannot be traced, and the line."""
    if isinstance(error, Untraceable):
        return str(error)
    text = str(error).splitlines()[0] if str(error) else ""
    if "Untraceable: " in text:  # ctypes makes a text of what float() raised, which names the line
        return text.partition("Untraceable: ")[2].partition(f". {LOOKED}")[0]
    frames = traceback.extract_tb(error.__traceback__)
    inside = ("/hostwrap/", "/jax/", "/numpy/", "/scipy/")
    own = [x for x in frames if not any(part in x.filename for part in inside)]
    place = f" at {own[-1].filename}:{own[-1].lineno}: {own[-1].line}" if own else ""
    return f"{type(error).__name__}: {text}{place}"
