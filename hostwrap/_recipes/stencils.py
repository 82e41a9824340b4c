"""Correlation with weights where they lie whole inside, and an array beyond its edges: what filters are made of.

y[i] = sum of w[j] x[i + j] is linear in x and in w. Its transpose in x is the full convolution of the cotangent with w,
that in w a correlation of x with the cotangent. What is beyond the edges is a matter of JAX, which knows the transpose
of its own padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.ndimage

from hostwrap._errors import SignatureError
from hostwrap._recipes.hosted import shaped
from hostwrap._wrap import linear

# what SciPy calls an edge, and what NumPy does
EDGES = {
    "reflect": "symmetric", "grid-mirror": "symmetric", "constant": "constant", "grid-constant": "constant",
    "nearest": "edge", "mirror": "reflect", "wrap": "wrap", "grid-wrap": "wrap",
}  # fmt: skip


def _inside(x: Any, w: Any) -> jax.ShapeDtypeStruct:
    return shaped(x, [n - k + 1 for n, k in zip(x.shape, w.shape, strict=True)], w)


def _full(cotangent: np.ndarray, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    return _correlated(np.pad(cotangent, [(k - 1, k - 1) for k in w.shape]), np.flip(w))


def _of_weights(cotangent: np.ndarray, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    found = np.empty(w.shape, np.result_type(cotangent, x))
    for j in np.ndindex(w.shape):
        found[j] = np.sum(
            cotangent * x[tuple(slice(a, a + n) for a, n in zip(j, cotangent.shape, strict=True))]
        )
    return found


def _correlated(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    if np.iscomplexobj(w):  # SciPy would conjugate them
        return _correlated(x, w.real) + 1j * _correlated(x, w.imag)
    long = [axis for axis, k in enumerate(w.shape) if k > 1]
    if len(long) == 1:
        whole = scipy.ndimage.correlate1d(x, w.ravel(), long[0], mode="constant")
    else:
        whole = scipy.ndimage.correlate(x, w, mode="constant")
    return whole[tuple(slice(k // 2, k // 2 + n - k + 1) for n, k in zip(x.shape, w.shape, strict=True))]


@linear(out=_inside, transpose={"x": _full, "w": _of_weights})
def inside(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The correlation of x with w, as many axes, of the size at which w lies inside of x."""
    return _correlated(x, w)


def extended(x: Any, ends: Sequence[tuple[int, int]], mode: str, cval: float = 0.0) -> Any:
    """x with so many values before and after each axis."""
    for axis, (before, after) in enumerate(ends):
        widths = [(before, after) if k == axis else (0, 0) for k in range(x.ndim)]
        # of a single value all that NumPy repeats is that value, but for JAX's "reflect"
        kind = "edge" if x.shape[axis] == 1 and EDGES[mode] == "reflect" else EDGES[mode]
        x = jnp.pad(x, widths, kind, **({"constant_values": cval} if kind == "constant" else {}))
    return x


def correlated(x: Any, w: Any, modes: Sequence[str], cval: float, origins: Sequence[int]) -> Any:
    """As `scipy.ndimage.correlate`, with a mode and an origin for each axis."""
    for axis, (size, mode, origin) in enumerate(zip(w.shape, modes, origins, strict=True)):
        before = size // 2 + origin
        ends = [(before, size - 1 - before) if k == axis else (0, 0) for k in range(x.ndim)]
        x = extended(x, ends, mode, cval)
    return inside(x, w)


def flipped(w: Any, origins: Sequence[int]) -> tuple[Any, list[int]]:
    """Weights and origins of the correlation that is the convolution with these."""
    return jnp.flip(w), [-origin - (size % 2 == 0) for origin, size in zip(origins, w.shape, strict=True)]


def along(w: Any, axis: int, ndim: int) -> Any:
    """Weights in one dimension, as an array with so many."""
    return w.reshape([-1 if k == axis % ndim else 1 for k in range(ndim)])


def checked(function: str, mode: str | Sequence[str], ndim: int) -> list[str]:
    """A mode for each axis."""
    modes = [mode] * ndim if isinstance(mode, str) else list(mode)
    if len(modes) != ndim or not set(modes) <= set(EDGES):
        raise SignatureError(
            f"{function}: mode={mode!r} must be one of {', '.join(EDGES)}, or one for each of {ndim} axes."
        )
    return modes
