"""What solvers return besides the answer, as in SciPy; and the types of solvers for which a flag decides that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, overload

import jax
import scipy.optimize

from hostwrap._types import ArrayLike


@jax.tree_util.register_pytree_with_keys_class
class Solution(scipy.optimize.OptimizeResult):
    """SciPy's result, as far as it is a function of the arguments; JAX knows its arrays."""

    def tree_flatten_with_keys(self) -> tuple:
        moving = sorted(k for k, x in self.items() if not isinstance(x, str | bool | int | type(None)))
        fixed = tuple(sorted((k, x) for k, x in self.items() if k not in moving))
        return [(jax.tree_util.DictKey(k), self[k]) for k in moving], (tuple(moving), fixed)

    @classmethod
    def tree_unflatten(cls, known: tuple, children: Sequence[Any]) -> Solution:
        return cls(dict(zip(known[0], children, strict=True)) | dict(known[1]))


class Bracketed(Protocol):
    """The type of a solver between two ends: `full_output` decides what it returns."""

    __name__: str

    @overload
    def __call__(
        self, f: Callable, a: ArrayLike, b: ArrayLike, args: Any = (), xtol: float = ..., rtol: float = ...,
        maxiter: int = ..., full_output: Literal[False] = False, disp: bool = ...,
    ) -> jax.Array: ...  # fmt: skip
    @overload
    def __call__(
        self, f: Callable, a: ArrayLike, b: ArrayLike, args: Any = (), xtol: float = ..., rtol: float = ...,
        maxiter: int = ..., *, full_output: Literal[True], disp: bool = ...,
    ) -> tuple[jax.Array, Solution]: ...  # fmt: skip
