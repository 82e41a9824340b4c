"""`explain`, which says where the derivatives of a function come from, and `to_jax`, its traced code alone."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp

from hostwrap._call.dtypes import counts, operands
from hostwrap._call.spec import Call
from hostwrap._errors import MissingDerivative, RuleError
from hostwrap._rules.automatic import Automatic, whole_arrays
from hostwrap._rules.ladder import Numerical
from hostwrap._rules.rule import Function, NoRule
from hostwrap._tracing.code import Code, Program, refusal_of
from hostwrap._wrap import Wrapped

HOST = ("host_call", "host_form", "pure_callback", "io_callback")


@dataclasses.dataclass(frozen=True)
class Explanation:
    """Where derivatives come from; `print` it.

    Attributes:
        way: "rule" (one that was attached), "numerical", "traced" (the code, traced into JAX), "recorded" (the code,
            recorded on the host while it runs), or "none".
        replaced: of traced code: what was called, and what stands in its place.
        why: why the code is not traced, or has no derivative.

    >>> import hostwrap as hw, numpy as np
    >>> found = hw.explain(hw.wrap(lambda x: np.sin(x) / x), 1.0)
    >>> print(found.way, found.replaced["numpy.sin"])
    traced jax.numpy.sin
    """

    name: str
    way: str
    replaced: Mapping[str, str] = dataclasses.field(default_factory=dict)
    why: str = ""

    def __str__(self) -> str:
        words = {
            "rule": "by the rule that is attached",
            "numerical": "by differences (numerical=)",
            "traced": "by its own code, traced into JAX",
            "recorded": "by its own code, recorded on the host while it runs: first and second derivatives",
            "none": "there are none",
        }
        lines = [f"{self.name}: derivatives {words[self.way]}"]
        lines += [f"  {self.why}"] if self.why else []
        width = max(map(len, self.replaced), default=0)
        return "\n".join([*lines, *(f"  {a:{width}}  ->  {b}" for a, b in sorted(self.replaced.items()))])


def explain(f: Any, /, *args: Any, **kwargs: Any) -> Explanation:
    """Say where the derivatives of a wrapped function come from, at these arguments, and what was replaced by what.

    `print(hostwrap.explain(f, *args))`. Only shapes and types of the arguments count while the code can be
    traced; where it looks at numbers, it is run.

    Raises:
        RuleError: f is no wrapped function.

    >>> import hostwrap as hw, numpy as np
    >>> print(hw.explain(hw.wrap(lambda x: np.sin(x) / x), 1.0))
    <lambda>: derivatives by its own code, traced into JAX
      numpy.divide  ->  jax.numpy.true_divide
      numpy.sin     ->  jax.numpy.sin
    """
    rule = _wrapped("explain", f)._derivation.rule
    if isinstance(rule, Numerical):
        return Explanation(f.__name__, "numerical")
    if not isinstance(rule, NoRule):
        return Explanation(f.__name__, "rule")
    if not isinstance(rule, Automatic) or f._spec.kind:
        why = "it has side effects" if f._spec.kind else 'derivatives="rules", and there is no rule'
        return Explanation(f.__name__, "none", why=why)
    program, leaves, call = _program(f, rule.code, args, kwargs)
    try:
        jax.eval_shape(program.jitted, *program.placed(leaves))
        return Explanation(f.__name__, "traced", dict(program.trace.met))
    except Exception as error:
        why = refusal_of(error)
    moving = [i for i, x in enumerate(leaves) if jnp.issubdtype(x.dtype, jnp.inexact)]
    try:
        along = [leaves[i] for i in moving], [jnp.ones_like(leaves[i]) for i in moving]
        jax.jvp(lambda *xs: _called(call, leaves, dict(zip(moving, xs, strict=True)), program.f), *along)
    except MissingDerivative as error:
        return Explanation(f.__name__, "none", why=str(error))
    return Explanation(f.__name__, "recorded", why=f"it is not traced: {why}")


def to_jax(f: Any, /, *, host: bool = False) -> Callable:
    """The code of a wrapped function as a JAX function: it stays on the device, and never calls the function itself.

    Nobody compares its values with those of the function, and attached rules have no part in it.

    Args:
        host: True permits twins that call the host themselves, such as functions of `hostwrap.special`.

    Returns:
        A function of the same arguments, for jit, vmap, grad, .... Batch axes are for `jax.vmap`, but those of an
        elementwise function.

    Raises:
        RuleError: f is no wrapped function, its code cannot be traced, or calls the host.

    >>> import hostwrap as hw, jax, numpy as np
    >>> damped = hw.to_jax(hw.wrap(lambda t: np.exp(-t) * np.cos(t)))
    >>> print(f"{jax.grad(damped)(1.0):.6f}")
    -0.508326
    """
    wrapped = _wrapped("to_jax", f)
    code = Code(Automatic(wrapped._function, {}, whole_arrays(wrapped._spec), check=False), longest=None)

    @functools.wraps(wrapped._function)
    def traced(*args: Any, **kwargs: Any) -> Any:
        program, leaves, call = _program(wrapped, code, args, kwargs)
        placed = program.placed(leaves)
        try:
            found = sorted(_host_calls(jax.make_jaxpr(program.jitted)(*placed).jaxpr))
        except Exception as error:
            raise RuleError(f"to_jax: {f.__name__} cannot be traced: {refusal_of(error)}.") from error
        if found and not host:
            twins = sorted(twin for twin in program.trace.met.values() if twin.startswith("hostwrap"))
            by = ", ".join(twins or found)
            raise RuleError(f"to_jax: {f.__name__} calls the host, by {by}; to_jax(f, host=True) permits it.")
        values = program.jitted(*placed)
        outs = [jnp.asarray(v, out.dtype) for v, out in zip(values, call.layout.outs, strict=True)]
        return jax.tree.unflatten(call.out_tree, outs)

    return traced


def _wrapped(who: str, f: Any) -> Wrapped:
    if not isinstance(f, Wrapped):
        came = f"{type(f).__name__}: {f!r:.80}"
        raise RuleError(f"{who}: expected a function made by hostwrap.wrap, got {came}.")
    return f


def _program(f: Wrapped, code: Code, args: tuple, kwargs: dict) -> tuple[Program, list, Call]:
    spec = f._spec
    values, statics = spec.parameters.bound(args, kwargs)
    given, tree = spec.flatten(values)
    leaves = operands(spec.convert(given, tree, now=False))
    call = spec.call(leaves, tree, statics)
    program = code.program(Function(f._derivation, statics), call.tree, call.out_tree, counts(leaves))
    return program, leaves, call


def _called(call: Call, leaves: list, moved: dict, function: Function) -> Any:
    return function(*jax.tree.unflatten(call.tree, [moved.get(i, x) for i, x in enumerate(leaves)]))


def _host_calls(jaxpr: Any) -> set[str]:
    found = {equation.primitive.name for equation in jaxpr.eqns}.intersection(HOST)
    has_steps = lambda x: hasattr(x, "eqns")
    inside = jax.tree.leaves([list(e.params.values()) for e in jaxpr.eqns], is_leaf=has_steps)
    return found.union(*map(_host_calls, filter(has_steps, inside)))
