"""What a host function does that an integrand calls, as a JAX function whose branches can be read.

The answer of a solver takes the branches of its equation, at the answer. Code of the user takes its own: it is traced,
or else recorded, whatever rule its derivative has.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax

from hostwrap._rules.automatic import Automatic, whole_arrays
from hostwrap._rules.implicit import Equation, Implicit
from hostwrap._rules.rule import Derivation, Function, NoRule


def written(eqn: Any) -> Callable[[Sequence[Any], Sequence[Any]], Any] | None:
    """For an equation that is a host call: a function of its core operands and results; None if nothing is known."""
    forward, call = eqn.params["forward"], eqn.params["call"]
    if hasattr(forward, "table"):
        if forward.table.made_of is None:
            return None
        spec, statics, tree = forward.table.made_of
        f, out_tree = Function(Derivation(spec, NoRule()), statics), None
    elif hasattr(forward, "declared"):
        f, tree, out_tree = forward.f, forward.declared.tree, forward.declared.out_tree
    else:
        return None
    rule, whole = f.derivation.rule, len(call.active) == len(call.layout.outs)
    if isinstance(rule, Implicit):

        def equation(operands: Sequence[Any], results: Sequence[Any]) -> Any:
            primals = jax.tree.unflatten(tree, operands)
            answer = jax.tree.unflatten(out_tree, results) if whole else f(*primals)
            found = Equation(f, rule.residual, answer, primals)
            return found(found.unknowns, primals)

        return equation
    if f.spec.kind or str(getattr(f.spec.function, "__module__", "hostwrap")).startswith("hostwrap"):
        return None
    code = (rule if isinstance(rule, Automatic) else _automatic(f.spec)).code
    return lambda operands, results: code.written(f, jax.tree.unflatten(tree, operands))


@functools.lru_cache(maxsize=64)
def _automatic(spec: Any) -> Automatic:
    return Automatic(spec.function, {}, whole_arrays(spec), check=False)
