"""Rules for `jax.experimental.jet`: truncated Taylor series through the primitives of host calls.

A series is the list of its coefficients of order 1, 2, ..; the primal is the coefficient of order 0. A call that is not
linear has one of two rules. A rule with all partials gives the series at once (`Forward.series`). Any other rule gives
it order by order: y'(t) is the jvp along x'(t), a JAX function, whose own series is one term shorter.
"""

from __future__ import annotations

import contextvars
import functools
import itertools
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from hostwrap._errors import HostwrapError, MissingDerivative
from hostwrap._lanes import compiler

Terms = Sequence[Any]
# (primals, series, which of them are not constant, **params) -> (answers, their series)
Rule = Callable[..., tuple[list, list]]

_moving: contextvars.ContextVar[tuple[bool, ...]] = contextvars.ContextVar("hostwrap_moving")


class Primitive(compiler.Primitive):
    """A primitive with a rule for jet, which learns which operands are constant: jet itself writes zeros for them."""

    series: Rule
    name_of: Callable[[dict], str]

    def bind_with_trace(self, trace: Any, args: Sequence[Any], *rest: Any) -> Any:
        args = tuple(x if hasattr(x, "shape") else _array(x) for x in args)
        if type(trace).__name__ != "JetTrace":
            return super().bind_with_trace(trace, args, *rest)
        jet = sys.modules[type(trace).__module__]
        jet.jet_rules.setdefault(self, functools.partial(_rule, self))
        token = _moving.set(tuple(_moves(jet, trace, x) for x in args))
        try:
            return super().bind_with_trace(trace, args, *rest)
        finally:
            _moving.reset(token)


def _array(number: Any) -> jax.Array:
    """A number in a traced program may be a Python number, which has no shape. (During `bind`, JAX 0.12 has no trace in
    which jax.numpy could convert it.)"""
    with jax.core.eval_context():
        return jnp.asarray(number)


def _moves(jet: Any, trace: Any, x: Any) -> bool:
    primal, terms = trace.to_primal_terms_pair(x)
    still = terms is jet.zero_series or all(t is jet.zero_term for t in terms)
    return not still and jnp.issubdtype(jnp.result_type(primal), jnp.inexact)


def _rule(primitive: Primitive, primals: Sequence[Any], series: Sequence[Terms], **params: Any) -> tuple:
    try:
        answers, found = primitive.series(primals, series, _moving.get(), **params)
    except HostwrapError:
        raise
    except Exception as error:
        raise no_jet(primitive.name_of(params), error) from error
    order = len(series[0])
    zeros = (terms or [jnp.zeros_like(y)] * order for y, terms in zip(answers, found, strict=True))
    like = lambda y, t: jnp.broadcast_to(t, y.shape).astype(y.dtype)
    return list(answers), [[like(y, t) for t in terms] for y, terms in zip(answers, zeros, strict=True)]


def is_jet(arguments: Any) -> bool:
    """Whether jet traces a function of these arguments."""
    return any(type(x).__name__ == "JetTracer" for x in jax.tree.leaves(arguments))


def no_jet(function: str, error: Exception) -> MissingDerivative:
    """The error for a derivative that `jax.experimental.jet` cannot compute."""
    in_reverse = isinstance(error, TypeError) and "process_custom_vjp_call" in str(error)  # before JAX 0.9
    if in_reverse or isinstance(error, jax.errors.UnexpectedTracerError) or _at_custom_vjp(error):
        why = "does not lead through the custom_vjp of a rule for reverse mode, nor through custom_jvp in a rule"
    elif isinstance(error, KeyError) and error.args:
        why = f"has no rule for `{error.args[0]}`, which its derivative uses"
    else:
        why = f"does not lead through its derivative ({type(error).__name__}: {str(error)[:200]})"
    return MissingDerivative(
        f"{function}: jax.experimental.jet {why}; nested jax.jvp gives the same numbers where it has them."
    )


def _at_custom_vjp(error: Exception) -> bool:
    """Whether jet failed at a custom_vjp: JAX 0.12 evaluates it without a trace, and fails."""
    names = (frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__))
    return "process_custom_vjp_call" in names


def order_by_order(
    forward: Callable, primals: Sequence[Any], series: Sequence[Terms], moving: Sequence[bool]
) -> tuple[list, list]:
    """The series from the jvp `forward(primals, tangents)`; the tangent of a constant is None."""
    live, order = [i for i, m in enumerate(moving) if m], len(series[0])

    def slope(*values: Any) -> tuple:
        points, speeds = list(primals), [None] * len(primals)
        for i, x, t in zip(live, values[: len(live)], values[len(live) :], strict=True):
            points[i], speeds[i] = x, t
        answers, found = forward(points, speeds)
        rows = zip(answers, found, strict=True)
        moved = [t for y, t in rows if jnp.issubdtype(y.dtype, jnp.inexact) and t is not None]
        return list(answers), moved

    speeds = [[(k + 1) * t for k, t in enumerate(series[i])] for i in live]
    starts = [*(primals[i] for i in live), *(v[0] for v in speeds)]
    if order == 1:
        answers, tangents = slope(*starts)
        rates = [[t] for t in tangents]
    else:
        from jax.experimental.jet import jet  # the caller has imported it

        shorter = [*(list(series[i][:-1]) for i in live), *(v[1:] for v in speeds)]
        (answers, first), (_, following) = jet(slope, starts, shorter, factorial_scaled=False)
        rates = [[t, *rest] for t, rest in zip(first, following, strict=True)]
    found = iter([[t / (k + 1) for k, t in enumerate(terms)] for terms in rates])
    return answers, [next(found) if jnp.issubdtype(y.dtype, jnp.inexact) else None for y in answers]


def leibniz(bind: Callable[[Sequence[Any]], list], slots: Sequence[Sequence[Terms]], order: int) -> list:
    """The coefficients of order 1, 2, .. of a multilinear function, by Leibniz's rule.

    Each slot holds the terms 0, 1, .. of its operands. `bind` takes the operands of all slots, slot by slot.
    """
    sums = []
    for k in range(1, order + 1):
        parts = [
            bind([x[o] for slot, o in zip(slots, orders, strict=True) for x in slot])
            for orders in itertools.product(range(k + 1), repeat=len(slots))
            if sum(orders) == k
        ]
        sums.append([functools.reduce(jnp.add, column) for column in zip(*parts, strict=True)])
    return sums


# ---- the algebra


def composed(partial: Callable[[tuple[int, ...]], Any], steps: Sequence[Terms], order: int) -> list:
    """The coefficients 0 .. order of f(x(t)) from the partial derivatives of f, by Horner's rule in each argument.

    The step of an argument is its series without the primal. A product of k steps begins with t^k, so its factor is
    needed to order - k only.
    """
    if not steps:
        return [partial(())]
    total: list = []
    for k in range(order, -1, -1):
        inner = composed(lambda rest, k=k: partial((k, *rest)), steps[1:], order - k)  # type: ignore[misc]
        raised = [0, *_product(steps[0], total)]  # one power of t more
        total = _sum(inner, [t / (k + 1) if i else t for i, t in enumerate(raised)])
    return total


def _product(step: Terms, total: Terms) -> list:
    """The product of the series, without the factor t of the step."""
    terms = ([step[i] * total[k - i] for i in range(k + 1)] for k in range(len(total)))
    return [functools.reduce(jnp.add, row) for row in terms]


def _sum(first: Terms, second: Terms) -> list:
    rows = itertools.zip_longest(first, second, fillvalue=0)
    return [functools.reduce(jnp.add, [x for x in row if not isinstance(x, int)]) for row in rows]
