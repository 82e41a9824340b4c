"""What solvers return besides the answer, as in SciPy; and the types of solvers for which a flag decides that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, Protocol, overload

import jax
import scipy.optimize

from hostwrap._types import ArrayLike


class Later:
    """An entry of a result that is computed when somebody looks at it: perhaps it has no derivative."""

    def __init__(self, made: Callable[[], Any]) -> None:
        self.made = made


class Result(scipy.optimize.OptimizeResult):
    """SciPy's result, some entries of which may be `Later`; nobody sees that."""

    def __getitem__(self, name: str) -> Any:
        found = super().__getitem__(name)
        if isinstance(found, Later):
            found = self[name] = found.made()
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())  # `dict(result)` of a dictionary without this would not ask for the entries

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default  # noqa: SIM401 (this is `get`)

    def values(self) -> Any:
        return [self[name] for name in self]

    def items(self) -> Any:
        return [(name, self[name]) for name in self]


@jax.tree_util.register_pytree_with_keys_class
class Solution(Result):
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
