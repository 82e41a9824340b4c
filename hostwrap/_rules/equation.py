"""The equation that an implicit function solves, at its answer: what moves, and linear solves with its derivative.

An answer may be a pytree, and may hold integers (a count of iterations): they have no derivative, and the residual
has None in their place. Its floating-point leaves are the unknowns.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import RuleError

Leaves = list[Any]
Solver = Callable[[Leaves], Leaves]


class Equation:
    """`residual(answer, *args, **statics) = 0` near a root."""

    def __init__(
        self, function: str, residual: Callable, answer: Any, args: Sequence[Any], statics: Mapping[str, Any]
    ) -> None:
        self.function, self.residual, self.args, self.statics = function, residual, args, statics
        self.leaves, self.tree = jax.tree.flatten(answer)
        self.moving = [jnp.issubdtype(y.dtype, jnp.inexact) for y in self.leaves]
        self.unknowns = [y for y, moves in zip(self.leaves, self.moving, strict=True) if moves]

    def __call__(self, unknowns: Leaves, args: Sequence[Any]) -> Leaves:
        """The residual, with the shapes and dtypes of the unknowns."""
        given = self.residual(self._among(unknowns, self.leaves), *args, **self.statics)
        return [
            self._checked(*pair) for pair in zip(self.in_order(given, "residual"), self.unknowns, strict=True)
        ]

    def along(self, t: Leaves) -> Leaves:
        """The derivative of the residual in the answer, times t."""
        return jax.jvp(lambda *ys: self(list(ys), self.args), self.unknowns, t)[1]

    def tree_of(self, unknowns: Leaves) -> Any:
        """Unknowns as the user sees them: an answer with None for integers."""
        return self._among(unknowns, [None] * len(self.leaves))

    def tangent(self, unknowns: Leaves) -> Any:
        """The tangent of the answer."""
        return self._among(unknowns, [np.zeros(y.shape, jax.dtypes.float0) for y in self.leaves])

    def in_order(self, given: Any, what: str) -> Leaves:
        """The unknowns of a tree that the user returned."""
        expected: Any = jax.tree.structure(self.tree_of(self.unknowns))
        found: Any = jax.tree.structure(given)
        if found != expected:
            raise RuleError(
                f"{self.function}: the {what} must have the structure of the answer (with None for integers), "
                f"{expected}; it is {found}."
            )
        return jax.tree.leaves(given)

    def _among(self, unknowns: Leaves, others: Leaves) -> Any:
        values = iter(unknowns)
        merged = [next(values) if moves else x for x, moves in zip(others, self.moving, strict=True)]
        return jax.tree.unflatten(self.tree, merged)

    def _checked(self, r: Any, y: Any) -> Any:
        kinds = ["complex" if jnp.iscomplexobj(x) else "real" for x in (r, y)]
        if jnp.shape(r) != y.shape or kinds[0] != kinds[1]:
            raise RuleError(
                f"{self.function}: the residual must be like the answer, {kinds[1]} of shape {y.shape} (as many "
                f"equations as unknowns); it is {kinds[0]} of shape {jnp.shape(r)}."
            )
        return jnp.asarray(r, y.dtype)


def dense(equation: Equation) -> Solver:
    """Solves by LU, all unknowns together; one unknown alone is divided."""
    vector = packed(equation.unknowns)

    def residual(v: Any) -> Any:
        return packed(equation(unpacked(v, equation.unknowns), equation.args))

    matrix = jax.jacfwd(residual)(vector)

    def solve(b: Leaves) -> Leaves:
        x = packed(b) / matrix[0] if vector.size == 1 else jnp.linalg.solve(matrix, packed(b))
        return unpacked(x, equation.unknowns)

    return solve


def matrix_free(
    equation: Equation, solve: Callable, transpose_solve: Callable | None, symmetric: bool
) -> Solver:
    """Solves by the user's functions, with trees as he knows them."""

    def matvec(t: Any) -> Any:
        return equation.tree_of(equation.along(jax.tree.leaves(t)))

    def checked(user: Callable, what: str) -> Callable:
        return lambda matvec, b: equation.tree_of(equation.in_order(user(matvec, b), what))

    back = transpose_solve and checked(transpose_solve, "result of transpose_solve")
    run = functools.partial(
        jax.lax.custom_linear_solve,
        matvec,
        solve=checked(solve, "result of solve"),
        transpose_solve=back,
        symmetric=symmetric,
    )
    return lambda b: jax.tree.leaves(run(equation.tree_of(b)))


def packed(leaves: Leaves) -> Any:
    """All numbers in a real vector: the equations of complex unknowns are linear over the reals only."""
    dtype = jnp.finfo(jnp.result_type(*leaves, jnp.float32)).dtype
    parts = [part for y in leaves for part in ((y.real, y.imag) if jnp.iscomplexobj(y) else (y,))]
    return jnp.concatenate([part.ravel().astype(dtype) for part in parts])


def unpacked(vector: Any, like: Leaves) -> Leaves:
    """The inverse of `packed`."""
    sizes = [y.size * (1 + jnp.iscomplexobj(y)) for y in like]
    parts = jnp.split(vector, np.cumsum(sizes)[:-1])
    return [_shaped(part, y) for part, y in zip(parts, like, strict=True)]


def _shaped(part: Any, y: Any) -> Any:
    if jnp.iscomplexobj(y):
        part = jax.lax.complex(*jnp.split(part, 2))
    return part.astype(y.dtype).reshape(y.shape)
