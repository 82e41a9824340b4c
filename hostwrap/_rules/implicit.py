"""Rules of functions that solve an equation `residual(answer, *args) = 0`, by the implicit function theorem.

The derivative of the equation is `F_y dy = -F_x dx`: one linear system with the derivative of the residual in the
answer. The answer inside of the rule is the differentiable function itself, so the rule has derivatives of any order.

A Newton step from the answer checks that it is a root: there the step is short. The step has the units of the answer,
whatever the units of the residual. It is compared with the answer and, because an answer may be 0, with the
contributions of the arguments to it, `F_y^-1 F_x x`.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import ResultError, RuleError
from hostwrap._host.function import HostFunction, HostOptions
from hostwrap._host.layout import Layout, Result
from hostwrap._lanes import taylor
from hostwrap._lanes.primitive import host_call
from hostwrap._rules.rule import Function, Rule, by_argument
from hostwrap._table.partials import in_jax

Leaves = list[Any]
Solver = Callable[[Leaves], Leaves]


@dataclasses.dataclass(eq=False)
class Implicit(Rule):
    """`solve(matvec, b)` and `transpose_solve(vecmat, b)` are those of `jax.lax.custom_linear_solve`."""

    function: str
    residual: Callable
    solve: Callable | None
    transpose_solve: Callable | None
    symmetric: bool
    rtol: float
    atol: float
    on_error: str

    def __post_init__(self) -> None:
        for name, given in (("solve", self.solve), ("transpose_solve", self.transpose_solve)):
            if given is not None and not callable(given):
                came = type(given).__name__
                raise RuleError(f"{self.function}: {name}= must be a function of (matvec, b), got {came}.")
        if self.solve is None and (self.transpose_solve is not None or self.symmetric):
            raise RuleError(
                f"{self.function}: transpose_solve= and symmetric= go with solve=, which is not given."
            )
        for name, number in (("rtol", self.rtol), ("atol", self.atol)):
            if not isinstance(number, float | int) or not number >= 0:
                raise RuleError(f"{self.function}: {name}={number!r} must be a number >= 0.")
        names = ("residual", "step", "answer", "allowed")
        options = HostOptions(on_error=self.on_error)
        self._host = HostFunction(self._check_root, name=self.function, argnames=names, options=options)

    def jvp(self, f: Function, primals: tuple, tangents: Sequence[Any]) -> tuple[Any, Any]:
        answer = f(*primals)
        equation = Equation(f, self.residual, answer, primals)
        if not equation.unknowns:
            return answer, answer  # integers have no tangent
        moving = {i: t for i, t in enumerate(by_argument(primals, tangents)) if t is not None}
        free: Any = self.solve, self.transpose_solve, self.symmetric
        solve = dense(equation) if self.solve is None else matrix_free(equation, *free)
        moved = equation.moved(moving)
        checked = math.isfinite(self.rtol)
        if checked:
            one = self._is_root(equation, solve, moving)
            moved = [r * one.astype(r.dtype) for r in moved]
        found = solve([-r for r in moved])
        if checked:  # also where the equation does not move at all, and nobody asks for `one`
            still = sum(jnp.sum(jnp.real(t)) for t in jax.tree.leaves(moving) if t.dtype != jax.dtypes.float0)
            found = [y + ((one - 1) * still).astype(y.dtype) for y in found]
        return answer, equation.merged(found)

    # ---- check that the answer is a root

    def _is_root(self, equation: Equation, solve: Solver, tangents: Mapping[int, Any]) -> Any:
        """The number 1 if the answer is a root, else an error. A product with it cannot be had without the check."""
        residual = equation(equation.unknowns, equation.args)
        answer = scale = _size(equation.unknowns)
        if self.solve is None:  # a solver of the user may be slow, and solves for the step only
            for i, t in tangents.items():
                effect = _size(solve(equation.moved({i: equation.itself(i, t)})))
                scale = scale + jnp.where(jnp.isfinite(effect), effect, 0.0)
        rtol = max(self.rtol, *(10 * float(jnp.finfo(y.dtype).eps) for y in equation.unknowns))
        measures = (_size(residual), _size(solve(residual)), answer, self.atol + rtol * scale)
        layout = Layout((0,) * len(measures), (Result((), np.dtype(measures[1].dtype)),))
        return host_call(self._host, layout, *map(jax.lax.stop_gradient, measures))[0]

    def _check_root(self, residual: Any, step: Any, answer: Any, allowed: Any) -> tuple:
        """On the host: 1 for a root, else an error."""
        undefined = np.isfinite(answer) & ~np.isfinite(residual)
        far = np.isfinite(answer) & np.isfinite(step) & (step > allowed)
        flat = np.isfinite(answer) & ~np.isfinite(step) & (residual > 0)
        if np.any(undefined):
            raise ResultError(
                f"{self.function}: the residual is {residual[undefined].flat[0]} at the answer that the host function "
                "returned, so there is no derivative by the implicit function theorem."
            )
        if np.any(flat):
            raise ResultError(
                f"{self.function}: the residual is {residual[flat].flat[0]:.3g} at the answer, and its derivative in "
                "the answer is singular, so there is no derivative. Either the residual jumps there and has no root, "
                "or other answers are as good."
            )
        if np.any(far):
            worst = np.argmax(np.where(far, step / allowed, 0))
            residual, step, answer = (x.flat[worst] for x in (residual, step, answer))
            raise ResultError(
                f"{self.function}: the host's answer is no root of the residual. The residual is {residual:.3g} there, "
                f"and a Newton step would move the answer, of size {answer:.3g}, by {step:.3g}: more than "
                f"rtol={self.rtol:g}, atol={self.atol:g} allow. Either the solver stops too early: tighten its "
                "tolerance, or accept the error with a larger rtol= in defimplicit. Or the residual is another "
                "equation than the one that is solved, or singular."
            )
        return (np.ones(np.shape(step)),)


def _size(leaves: Leaves) -> Any:
    return jnp.max(jnp.abs(packed(leaves)), initial=0.0)


class Equation:
    """`residual(answer, *args, **statics) = 0` near a root.

    An answer may be a pytree, and may hold integers (a count of iterations): they have no derivative, and the residual
    has None in their place. Its floating-point leaves are the unknowns.
    """

    def __init__(self, f: Function, residual: Callable, answer: Any, args: Sequence[Any]) -> None:
        self.f, self.residual, self.args = f, residual, args
        self.leaves, self.tree = jax.tree.flatten(answer)
        self.inexact = [jnp.issubdtype(y.dtype, jnp.inexact) for y in self.leaves]
        self.unknowns = [y for y, inexact in zip(self.leaves, self.inexact, strict=True) if inexact]

    def __call__(self, unknowns: Leaves, args: Sequence[Any]) -> Leaves:
        """The residual, with the shapes and dtypes of the unknowns."""
        answer = self.merged(unknowns, self.leaves)
        given = in_jax(self.f.name, "the residual", self.residual, answer, *args, **self.f.keywords)
        pairs = zip(self.in_order(given, "residual"), self.unknowns, strict=True)
        return [self._checked(*pair) for pair in pairs]

    def along(self, t: Leaves) -> Leaves:
        """The derivative of the residual in the answer, times t."""
        return jax.jvp(lambda *ys: self(list(ys), self.args), self.unknowns, t)[1]

    def moved(self, tangents: Mapping[int, Any]) -> Leaves:
        """The derivative of the residual in these arguments, times tangents, at the answer held fixed."""

        def residual(*values: Any) -> Leaves:
            given = dict(zip(tangents, values, strict=True))
            return self(self.unknowns, [given.get(i, x) for i, x in enumerate(self.args)])

        return jax.jvp(residual, [self.args[i] for i in tangents], [*tangents.values()])[1]

    def itself(self, i: int, tangent: Any) -> Any:
        """The argument itself as a tangent; integers keep the given one."""
        inexact = lambda x, t: x if jnp.issubdtype(x.dtype, jnp.inexact) else t
        return jax.tree.map(inexact, self.args[i], tangent)

    def merged(self, unknowns: Leaves, others: Sequence[Any] | None = None) -> Any:
        """An answer with these unknowns; integers are None, or come from `others`."""
        values, others = iter(unknowns), others or [None] * len(self.leaves)
        leaves = [next(values) if inexact else x for x, inexact in zip(others, self.inexact, strict=True)]
        return jax.tree.unflatten(self.tree, leaves)

    def in_order(self, given: Any, what: str) -> Leaves:
        """The unknowns in a pytree that the user returned."""
        expected: Any = jax.tree.structure(self.merged(self.unknowns))
        found: Any = jax.tree.structure(given)
        if found != expected:
            raise RuleError(
                f"{self.f.name}: the {what} must have the structure of the answer (with None for integers), "
                f"{expected}; it is {found}."
            )
        return jax.tree.leaves(given)

    def _checked(self, r: Any, y: Any) -> Any:
        kinds = ["complex" if jnp.iscomplexobj(x) else "real" for x in (r, y)]
        if jnp.shape(r) != y.shape or kinds[0] != kinds[1]:
            raise RuleError(
                f"{self.f.name}: the residual must be like the answer, {kinds[1]} of shape {y.shape} (as many "
                f"equations as unknowns); it is {kinds[0]} of shape {jnp.shape(r)}."
            )
        return jnp.asarray(r, y.dtype)


def dense(equation: Equation) -> Solver:
    """Solve for all unknowns by LU; for one unknown by a division."""
    vector = packed(equation.unknowns)

    def residual(v: Any) -> Any:
        return packed(equation(unpacked(v, equation.unknowns), equation.args))

    matrix = jax.jacfwd(residual)(vector)

    def solve(b: Leaves) -> Leaves:
        right = packed(b)
        solved = linear_system if taylor.is_jet((matrix, right)) else jnp.linalg.solve
        x = right / matrix[0] if vector.size == 1 else solved(matrix, right)
        return unpacked(x, equation.unknowns)

    return solve


def linear_system(matrix: Any, right: Any) -> Any:
    """`jnp.linalg.solve` with a rule for `jax.experimental.jet`, which has none for JAX's own."""
    layout = Layout((2, 1), (Result(right.shape, np.dtype(right.dtype)),))

    def call(*args: Any) -> tuple:
        return tuple(host_call(_SYSTEM, layout, *args, forward=rule))

    def rule(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[tuple, tuple]:
        x, moved = call(*primals)[0], jnp.zeros_like(primals[1])
        if tangents[0] is not None:
            moved = moved - tangents[0] @ x
        if tangents[1] is not None:
            moved = moved + tangents[1]
        return (x,), call(primals[0], moved)

    return call(matrix, right)[0]


def _system(matrix: np.ndarray, right: np.ndarray) -> tuple:
    try:
        return (np.linalg.solve(matrix, right[..., None])[..., 0],)
    except np.linalg.LinAlgError:
        return (np.full(right.shape, np.nan, right.dtype),)


_SYSTEM = HostFunction(_system, name="a linear system", argnames=("matrix", "right side"))


def matrix_free(
    equation: Equation, solve: Callable, transpose_solve: Callable | None, symmetric: bool
) -> Solver:
    """Solve by the user's functions, on the user's pytrees."""

    def matvec(t: Any) -> Any:
        return equation.merged(equation.along(jax.tree.leaves(t)))

    def checked(user: Callable, what: str) -> Callable:
        return lambda matvec, b: equation.merged(equation.in_order(user(matvec, b), what))

    back = transpose_solve and checked(transpose_solve, "result of transpose_solve")
    forth, run = checked(solve, "result of solve"), jax.lax.custom_linear_solve
    return lambda b: jax.tree.leaves(run(matvec, equation.merged(b), forth, back, symmetric=symmetric))


def packed(leaves: Leaves) -> Any:
    """All numbers as one real vector: the equations of complex unknowns are linear over the reals only."""
    dtype = jnp.finfo(jnp.result_type(*leaves, jnp.float32)).dtype
    parts = [part for y in leaves for part in ((y.real, y.imag) if jnp.iscomplexobj(y) else (y,))]
    return jnp.concatenate([part.ravel().astype(dtype) for part in parts])


def unpacked(vector: Any, like: Leaves) -> Leaves:
    """The inverse of `packed`."""
    sizes = [y.size * (1 + jnp.iscomplexobj(y)) for y in like]
    parts = jnp.split(vector, np.cumsum(sizes)[:-1])
    numbers = lambda part, y: jax.lax.complex(*jnp.split(part, 2)) if jnp.iscomplexobj(y) else part
    return [numbers(p, y).astype(y.dtype).reshape(y.shape) for p, y in zip(parts, like, strict=True)]
