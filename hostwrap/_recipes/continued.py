"""Signals beyond their ends, as `scipy.signal.upfirdn` continues them."""

from __future__ import annotations

from typing import Any

import numpy as np

# in the order of SciPy's numbers for them
MODES = (
    "constant", "symmetric", "edge", "smooth", "wrap", "reflect", "antisymmetric", "antireflect", "line",
)  # fmt: skip


def continued(xp: Any, x: Any, n: int, mode: str, value: Any = 0.0) -> Any:
    """x with n more numbers at both ends of the last axis; `xp` is NumPy or `jax.numpy`. It is linear in x."""
    width, size = [(0, 0)] * (len(np.shape(x)) - 1) + [(n, n)], np.shape(x)[-1]
    at = np.arange(-n, size + n)
    first, last = x[..., :1], x[..., -1:]
    if mode == "constant":
        return xp.pad(x, width, constant_values=value)
    if mode == "smooth" and size > 1:
        before, after = x[..., 1:2] - first, last - x[..., -2:-1]
        sides = first + at[:n] * before, x, last + (at[n + size :] - size + 1) * after
        return xp.concatenate(sides, -1)
    if mode == "line" and size > 1:
        line = first + at * ((last - first) / (size - 1))
        return xp.concatenate([line[..., :n], x, line[..., n + size :]], -1)
    if mode == "antisymmetric":
        return xp.pad(x, width, mode="symmetric") * np.where(at // size % 2, -1, 1)
    if mode == "antireflect":
        return xp.pad(x, width, mode="reflect", reflect_type="odd")
    return xp.pad(x, width, mode="edge" if mode in ("smooth", "line") else mode)
