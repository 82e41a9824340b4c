"""Convolutions and correlations of two arrays: linear in each of the two."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.signal

from hostwrap._errors import SignatureError
from hostwrap._recipes.hosted import hosted, shaped
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike


def _sizes(in1: Any, in2: Any, mode: str) -> list[int]:
    pairs = list(zip(in1.shape, in2.shape, strict=True))
    return {
        "full": [m + n - 1 for m, n in pairs],
        "same": [m for m, _ in pairs],
        "valid": [max(m, n) - min(m, n) + 1 for m, n in pairs],
    }[mode]


def _convolved(in1: Any, in2: Any, mode: str, **_: Any) -> Any:
    if in1.ndim != in2.ndim or mode not in ("full", "same", "valid"):
        raise SignatureError(
            f"convolve: wants two arrays with as many axes, and mode full, same or valid; got {in1.shape}, "
            f"{in2.shape}, mode={mode!r}."
        )
    return shaped(in1, _sizes(in1, in2, mode), in2)


def _whole(c: np.ndarray, in1: np.ndarray, in2: np.ndarray, mode: str) -> np.ndarray:
    """The cotangent of the full convolution: 0 for what was cut off."""
    starts = {
        "full": lambda m, n: 0,
        "same": lambda m, n: (n - 1) // 2,
        "valid": lambda m, n: min(m, n) - 1,
    }[mode]
    pairs = list(zip(in1.shape, in2.shape, strict=True))
    before = [starts(m, n) for m, n in pairs]
    return np.pad(c, [(b, m + n - 1 - b - k) for b, (m, n), k in zip(before, pairs, c.shape, strict=True)])


def _to_first(c: np.ndarray, in1: np.ndarray, in2: np.ndarray, mode: str, **_: Any) -> np.ndarray:
    return scipy.signal.convolve(_whole(c, in1, in2, mode), np.flip(in2), "valid")


def _to_second(c: np.ndarray, in1: np.ndarray, in2: np.ndarray, mode: str, **_: Any) -> np.ndarray:
    return scipy.signal.convolve(_whole(c, in1, in2, mode), np.flip(in1), "valid")


@hosted("in1 in2", _convolved, transpose={"in1": _to_first, "in2": _to_second})
def convolve(in1: ArrayLike, in2: ArrayLike, mode: str = "full", method: str = "auto") -> jax.Array:
    """`scipy.signal.convolve`, differentiable in both arrays, to any order. They have as many axes.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda h: convolve(np.arange(4.0), h)[2])(np.ones(3)))
    [2. 1. 0.]
    """
    return scipy.signal.convolve(in1, in2, mode, method)


@as_scipys("scipy.signal")
@hosted("in1 in2", _convolved, transpose={"in1": _to_first, "in2": _to_second})
def fftconvolve(in1: ArrayLike, in2: ArrayLike, mode: str = "full") -> jax.Array:
    """`scipy.signal.fftconvolve` over all axes, differentiable in both arrays, to any order.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda h: fftconvolve(np.arange(4.0), h)[2])(np.ones(3)))
    [2. 1. 0.]
    """
    return scipy.signal.fftconvolve(in1, in2, mode)


@as_scipys("scipy.signal")
@hosted("in1 in2", _convolved, transpose={"in1": _to_first, "in2": _to_second})
def oaconvolve(in1: ArrayLike, in2: ArrayLike, mode: str = "full") -> jax.Array:
    """`scipy.signal.oaconvolve` over all axes, differentiable in both arrays, to any order.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda h: oaconvolve(np.arange(4.0), h)[2])(np.ones(3)))
    [2. 1. 0.]
    """
    return scipy.signal.oaconvolve(in1, in2, mode)


@hosted(
    "in1 turned",
    lambda in1, turned, **_: _convolved(in1, turned, **_),
    transpose={
        "in1": lambda c, in1, turned, mode, method: _to_first(c, in1, np.flip(turned), mode),
        "turned": lambda c, in1, turned, mode, method: np.flip(_to_second(c, in1, turned, mode)),
    },
)
def _correlate(in1: Any, turned: Any, mode: str, method: str) -> Any:
    return scipy.signal.correlate(in1, np.conj(turned), mode, method)


def correlate(in1: ArrayLike, in2: ArrayLike, mode: str = "full", method: str = "auto") -> jax.Array:
    """`scipy.signal.correlate`, differentiable in both arrays, to any order. They have as many axes.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda h: correlate(np.arange(4.0), h)[3])(np.ones(3)))
    [1. 2. 3.]
    """
    return _correlate(in1, jnp.conj(jnp.asarray(in2)), mode, method)
