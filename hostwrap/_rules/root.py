"""Whether an answer solves its equation: a Newton step from a root is short.

The step has the units of the answer, whatever those of the residual are. It is compared with the answer and, since
an answer may be 0, with what the arguments contribute to it, `F_y^-1 F_x x`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import ResultError
from hostwrap._host.function import HostFunction
from hostwrap._host.layout import Layout, Result
from hostwrap._lanes.primitive import host_call
from hostwrap._rules.equation import Equation, Leaves, Solver, packed


def root_check(function: str, rtol: float, atol: float, on_error: str) -> HostFunction:
    """The host's part: 1 for a root, else an error. It is made once for each function."""

    def check(residual: np.ndarray, step: np.ndarray, answer: np.ndarray, allowed: np.ndarray) -> tuple:
        undefined = np.isfinite(answer) & ~np.isfinite(residual)
        far = np.isfinite(answer) & np.isfinite(step) & (step > allowed)
        if np.any(undefined):
            raise ResultError(
                f"{function}: the residual is {residual[undefined].flat[0]} at the answer that the host function "
                "returned, so there is no derivative by the implicit function theorem."
            )
        if np.any(far):
            worst = np.argmax(np.where(far, step / allowed, 0))
            raise ResultError(
                _no_root(function, rtol, atol, *(x.flat[worst] for x in (residual, step, answer)))
            )
        return (np.ones(np.shape(step)),)

    return HostFunction(check, function, ("residual", "step", "answer", "allowed"), on_error=on_error)


def _no_root(function: str, rtol: float, atol: float, residual: float, step: float, answer: float) -> str:
    return (
        f"{function}: the host's answer is no root of the residual. The residual is {residual:.3g} there, and a "
        f"Newton step would move the answer, of size {answer:.3g}, by {step:.3g}: more than rtol={rtol:g}, "
        f"atol={atol:g} allow. Either the solver stops too early: tighten its tolerance, or accept the error with a "
        "larger rtol= in defimplicit. Or the residual is another equation than the one that is solved, or singular."
    )


def verified(
    check: HostFunction,
    tolerances: tuple[float, float],
    equation: Equation,
    solve: Solver,
    terms: Sequence[Leaves],
) -> Any:
    """The number 1, if the answer is a root. Whatever is multiplied by it cannot be had without the check.

    `terms` are derivatives of the residual that say what the arguments contribute to the answer.
    """
    rtol, atol = tolerances
    residual = equation(equation.unknowns, equation.args)
    answer = _size(equation.unknowns)
    scale = answer + sum(_finite(_size(solve(term))) for term in terms)
    eps = max(jnp.finfo(y.dtype).eps for y in equation.unknowns)
    measures = (_size(residual), _size(solve(residual)), answer, atol + max(rtol, 10 * float(eps)) * scale)
    layout = Layout((0,) * len(measures), (Result((), np.dtype(measures[1].dtype)),))
    return host_call(check, layout, *map(jax.lax.stop_gradient, measures))[0]


def _size(leaves: Leaves) -> Any:
    return jnp.max(jnp.abs(packed(leaves)), initial=0.0)


def _finite(x: Any) -> Any:
    return jnp.where(jnp.isfinite(x), x, 0.0)
