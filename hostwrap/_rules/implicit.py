"""Rules of functions that solve an equation: `residual(answer, *args) = 0`, by the implicit function theorem.

Differentiating the equation, `F_y dy = -F_x dx`: one linear system with the derivative of the residual in the
answer. The answer inside of the rule is the differentiable function itself, so the rule can be differentiated again,
to any order.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from hostwrap._errors import RuleError
from hostwrap._host.function import HostFunction
from hostwrap._rules.base import Rule, differentiable
from hostwrap._rules.equation import Equation, Leaves, Solver, dense, matrix_free
from hostwrap._rules.root import root_check, verified
from hostwrap._rules.tangents import by_argument


@dataclasses.dataclass(eq=False)
class Implicit(Rule):
    """`solve(matvec, b)` and `transpose_solve(vecmat, b)` are those of `jax.lax.custom_linear_solve`."""

    residual: Callable
    solve: Callable | None
    transpose_solve: Callable | None
    symmetric: bool
    rtol: float
    atol: float
    on_error: str
    core_only = True

    def check_options(self, function: str) -> None:
        for name in ("solve", "transpose_solve"):
            given = getattr(self, name)
            if given is not None and not callable(given):
                raise RuleError(
                    f"{function}: {name}= must be a function of (matvec, b), got {type(given).__name__}."
                )
        if self.solve is None and (self.transpose_solve is not None or self.symmetric):
            raise RuleError(
                f"{function}: transpose_solve= and symmetric= go with solve=, which is not given."
            )
        for name in ("rtol", "atol"):
            given = getattr(self, name)
            if not isinstance(given, float | int) or not given >= 0:
                raise RuleError(f"{function}: {name}={given!r} must be a number >= 0.")

    def attach(
        self, function: str, call: Callable, names: Sequence[str], statics: Mapping[str, Any]
    ) -> Callable:
        check = root_check(function, self.rtol, self.atol, self.on_error)

        def rule(primals: Sequence[Any], tangents: Any) -> Any:
            answer = custom(*primals)
            equation = Equation(function, self.residual, answer, primals, statics)
            if not equation.unknowns:
                return answer, answer  # integers have no tangent
            solve = self._solver(equation)
            moved = _moved(equation, dict(enumerate(by_argument(tangents))))
            if math.isfinite(self.rtol):
                one = self._verified(check, equation, solve, by_argument(tangents))
                moved = [r * one.astype(r.dtype) for r in moved]
            return answer, equation.tangent(solve([-r for r in moved]))

        custom = differentiable(call, rule)
        return custom

    def _solver(self, equation: Equation) -> Solver:
        if self.solve is None:
            return dense(equation)
        return matrix_free(equation, self.solve, self.transpose_solve, self.symmetric)

    def _verified(
        self, check: HostFunction, equation: Equation, solve: Solver, tangents: Sequence[Any]
    ) -> Any:
        """With a solver of the user's, which may be slow, only the step is solved for."""
        terms = _contributions(equation, tangents) if self.solve is None else ()
        return verified(check, (self.rtol, self.atol), equation, solve, tuple(terms))


def _moved(equation: Equation, tangents: Mapping[int, Any]) -> Leaves:
    """The derivative of the residual in the arguments, at the answer held fixed; None is for no tangent."""
    live = [i for i, t in tangents.items() if t is not None]

    def residual(*values: Any) -> Leaves:
        args = list(equation.args)
        for i, value in zip(live, values, strict=True):
            args[i] = value
        return equation(equation.unknowns, args)

    return jax.jvp(residual, [equation.args[i] for i in live], [tangents[i] for i in live])[1]


def _contributions(equation: Equation, tangents: Sequence[Any]) -> Iterator[Leaves]:
    """For each argument that is differentiated: the derivative of the residual in it, times the argument."""
    for i, t in enumerate(tangents):
        if t is not None:
            itself = jax.tree.map(
                lambda x, t: x if jnp.issubdtype(x.dtype, jnp.inexact) else t, equation.args[i], t
            )
            yield _moved(equation, {i: itself})
