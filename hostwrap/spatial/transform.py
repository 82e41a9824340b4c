"""`scipy.spatial.transform`: rotations are JAX's, `jax.scipy.spatial.transform.Rotation`, smooth at no rotation, too.

Rotations of single precision numbers are single precision. Other names follow SciPy's own code if hostwrap can
differentiate it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax.scipy.spatial.transform import Rotation as _Rotation

from hostwrap._recipes.cores import arrays, inexact
from hostwrap._recipes.elsewhere import elsewhere
from hostwrap._types import ArrayLike

__all__ = ["Rotation"]


def __dir__() -> list[str]:
    """What completion shows."""
    return sorted(__all__)


_LOCK = 1e-7  # how near to 0 or pi the middle angle is to be taken for it, as in SciPy


def _power_series(x: Any, first: int, count: int) -> Any:
    """The sum of (-x)^k / (2 k + first)!: cos(sqrt(x)) for first = 0, and sin(sqrt(x)) / sqrt(x) for first = 1."""
    return sum((-x) ** k / math.factorial(2 * k + first) for k in range(count))


class Rotation(_Rotation):
    """`scipy.spatial.transform.Rotation`: one rotation, or an array of them. It is a pytree.

    All is as in `jax.scipy.spatial.transform.Rotation`. Its derivatives in a rotation vector, and of one, are NaN where
    there is no rotation; here they are what they should be, to any order.

    Make it by `from_quat` [..., 4], `from_rotvec` [..., 3], `from_matrix` [..., 3, 3], `from_euler` or `from_mrp`. It
    has `apply`, `inv`, `magnitude`, `mean`, products, and `as_quat` and its kind.

    >>> import jax, numpy as np
    >>> turned = lambda v: Rotation.from_rotvec(v).apply(np.array([1.0, 0.0, 0.0]))
    >>> print(jax.jacfwd(turned)(np.zeros(3)) + 0.0)
    [[ 0.  0.  0.]
     [ 0.  0.  1.]
     [ 0. -1.  0.]]
    """

    __slots__ = ()

    @classmethod
    def from_rotvec(cls, rotvec: ArrayLike, degrees: bool = False) -> Rotation:
        """From axes times angles, [..., 3]."""
        (v,) = arrays("Rotation.from_rotvec", rotvec=rotvec)
        v = v.astype(inexact(v))
        v = jnp.deg2rad(v) if degrees else v
        square = jnp.sum(v**2, -1, keepdims=True) / 4  # of half the angle
        small = square < 0.025
        half = jnp.sqrt(jnp.where(small, 1.0, square))
        sine = jnp.where(small, _power_series(square, 1, 7), jnp.sin(half) / half)
        cosine = jnp.where(small, _power_series(square, 0, 8), jnp.cos(half))
        return cls(jnp.concatenate([sine * v / 2, cosine], -1))

    def as_rotvec(self, degrees: bool = False) -> jax.Array:
        """Axes times angles, [..., 3], of angles from 0 to pi."""
        quat = self.as_quat(canonical=True)
        v, w = quat[..., :3], quat[..., 3:]
        square = jnp.sum(v**2, -1, keepdims=True)
        small = square < 1e-3 * w**2
        y = jnp.where(small, square, 0.0) / jnp.where(small, w, 1.0) ** 2
        near = sum((-y) ** k / (2 * k + 1) for k in range(8)) / jnp.where(small, w, 1.0)
        sine = jnp.sqrt(jnp.where(small, 1.0, square))
        found = 2 * v * jnp.where(small, near, jnp.arctan2(sine, w) / sine)
        return jnp.rad2deg(found) if degrees else found

    def as_euler(self, seq: str, degrees: bool = False) -> jax.Array:
        """Three angles, [..., 3], about the axes of `seq`, in which capital letters turn with the body.

        The method is SciPy's (E. Bernardes and S. Viollet, PLoS ONE 17, e0276302 (2022)). Under jit the gradients of
        JAX's own angles are wrong.
        """
        names = seq.lower()
        if len(seq) != 3 or names[0] == names[1] or names[1] == names[2] or set(names) - set("xyz"):
            return super().as_euler(seq, degrees)  # raises
        fixed = names == seq
        i, j, k = map("xyz".index, names if fixed else names[::-1])
        symmetric = i == k
        k = 3 - i - j
        sign = (i - j) * (j - k) * (k - i) // 2
        quat = self.as_quat()
        w, x, y, z = quat[..., 3], quat[..., i], quat[..., j], sign * quat[..., k]
        a, b, c, d = (w, x, y, z) if symmetric else (w - y, x + z, y + w, z - x)
        middle = 2 * jnp.arctan2(jnp.hypot(c, d), jnp.hypot(a, b))
        total, difference = jnp.arctan2(b, a), jnp.arctan2(d, c)
        low, high = jnp.abs(middle) <= _LOCK, jnp.abs(middle - jnp.pi) <= _LOCK
        # where the first and the last axis are one, only a sum of the angles is known, and SciPy takes the last for 0
        alone = jnp.where(low, 2 * total, (-2 if fixed else 2) * difference)
        ends = total - difference, total + difference
        first, last = ends if fixed else ends[::-1]
        first, last = jnp.where(low | high, alone, first), jnp.where(low | high, 0.0, last)
        if not symmetric:
            first, last = (first, sign * last) if fixed else (sign * first, last)
            middle = middle - jnp.pi / 2
        angles = jnp.stack([first, middle, last], -1)
        angles = (angles + jnp.pi) % (2 * jnp.pi) - jnp.pi
        return jnp.rad2deg(angles) if degrees else angles

    def inv(self) -> Rotation:
        """The rotation back."""
        return type(self)(*super().inv())

    def __mul__(self, other: Any) -> Rotation:  # type: ignore[override]
        return type(self)(*super().__mul__(other))

    def __getitem__(self, indexer: Any) -> Rotation:  # type: ignore[override]
        return type(self)(*super().__getitem__(indexer))


if not TYPE_CHECKING:  # to checkers such a name is an error
    __getattr__ = elsewhere(__name__, __all__)
