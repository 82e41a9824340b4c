"""What `testing.check` looks at: a function of a flat list of arrays, a point, and random directions there."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import MissingDerivative

COPIES = 3  # size of the axis that vmap and broadcasting add


@dataclasses.dataclass(frozen=True)
class Probe:
    name: str
    call: Callable[..., Any]
    names: tuple[str, ...]
    leaves: tuple[np.ndarray, ...]
    random: np.random.Generator

    def __str__(self) -> str:
        numbers = (np.array2string(x, precision=8, threshold=6) for x in self.leaves)
        return ", ".join(f"{n} = {' '.join(x.split())}" for n, x in zip(self.names, numbers, strict=True))

    def value(self) -> Any:
        return self.call(*self.leaves)

    def moving(self) -> list[int]:
        """The arguments that can be differentiated in."""
        return [i for i, x in enumerate(self.leaves) if x.dtype.kind in "fc"]

    def of(self, where: Sequence[int], leaves: Sequence[Any] | None = None) -> Callable[..., Any]:
        """The function of some of its arguments, the others held."""
        return lambda *values: self.call(*replaced(leaves or self.leaves, where, values))

    # ---- random directions

    def steps(self, i: int) -> list[tuple[str, np.ndarray]]:
        """Directions in argument i, as large as the numbers they move; complex ones in both parts."""
        x = self.leaves[i]
        typical = np.max(np.abs(x), initial=0.0) or 1.0
        step = np.where(x == 0, typical, np.abs(x)) * self._signed(x.shape)
        return (
            [("", step)]
            if x.dtype.kind == "f"
            else [("real part: ", step + 0j), ("imaginary part: ", step * 1j)]
        )

    def weights(self, value: Any, lead: tuple[int, ...] = ()) -> Any:
        """A cotangent of `value`, with more axes in front."""

        def leaf(y: Any) -> np.ndarray:
            shape = (*lead, *y.shape)
            if not jnp.issubdtype(y.dtype, jnp.inexact):
                return np.zeros(shape, jax.dtypes.float0)
            is_complex = jnp.issubdtype(y.dtype, jnp.complexfloating)
            return self._signed(shape) + 1j * self._signed(shape) if is_complex else self._signed(shape)

        return jax.tree.map(leaf, value)

    def stack(self, i: int) -> np.ndarray:
        """Copies of argument i along a new first axis, all different if it is no integer."""
        x = self.leaves[i]
        copies = np.stack([x] * COPIES)
        if x.dtype.kind not in "fc":
            return copies
        return copies + 0.02 * np.arange(COPIES).reshape(-1, *[1] * x.ndim) * self.steps(i)[0][1]

    def _signed(self, shape: tuple[int, ...]) -> np.ndarray:
        return self.random.choice([-1.0, 1.0], shape) * self.random.uniform(0.5, 1.0, shape)

    # ---- derivatives

    def slope_in(self, i: int, step: np.ndarray) -> Callable[..., Any]:
        """The derivative in argument i as a function of all: forward mode, or reverse where there is no forward."""

        def forward(*leaves: Any) -> Any:
            return jax.jvp(self.of([i], leaves), (jnp.asarray(leaves[i]),), (step,))[1]

        def backward(*leaves: Any) -> Any:
            return jnp.sum(reverse(self.of([i], leaves), leaves[i], weights) * step).real

        if self.forward(i, step) is not None:
            return forward
        weights = self.weights(self.value())
        return backward

    def forward(self, i: int, step: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Value and tangent in forward mode, flat; None of a function with a reverse rule only."""
        x = jnp.asarray(self.leaves[i])
        try:
            value, tangent = jax.jit(lambda x: jax.jvp(self.of([i]), (x,), (step,)))(x)
            return flat(value), flat(tangent)
        except TypeError as error:
            if "custom_vjp" in str(error):
                return None
            raise
        except MissingDerivative:
            reverse(self.of([i]), x, self.weights(self.value()))  # if that is missing too, it says so
            return None

    def with_gradient(self, where: Sequence[int], weights: Any) -> Callable[..., tuple[Any, tuple]]:
        """(value, cotangents of the arguments `where`), a function of all arguments."""

        def both(*leaves: Any) -> tuple[Any, tuple]:
            value, pull = jax.vjp(self.of(where, leaves), *[jnp.asarray(leaves[i]) for i in where])
            return value, pull(weights)

        return both


def reverse(f: Callable[..., Any], x: Any, weights: Any) -> Any:
    return jax.vjp(f, jnp.asarray(x))[1](weights)[0]


def flat(tree: Any) -> np.ndarray:
    """The floating-point numbers of a result, in a row."""
    leaves = [np.asarray(x) for x in jax.tree.leaves(tree)]
    return np.concatenate([np.zeros(0), *(x.ravel() for x in leaves if jnp.issubdtype(x.dtype, jnp.inexact))])


def narrow(x: np.ndarray) -> np.ndarray:
    return x.astype({"f": np.float32, "c": np.complex64}.get(x.dtype.kind, x.dtype))


def replaced(values: Sequence[Any], where: Sequence[int], new: Sequence[Any]) -> list:
    result = list(values)
    for i, value in zip(where, new, strict=True):
        result[i] = value
    return result


def parameters(f: Callable, statics: dict[str, Any]) -> list[str]:
    """Names of the positional arguments, as far as they are known."""
    try:
        known = inspect.signature(f).parameters
    except (TypeError, ValueError):
        return []
    positional = [n for n, p in known.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [n for n in positional if n not in statics]
