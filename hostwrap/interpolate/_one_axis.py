"""`interp1d`: SciPy's older interpolation along one axis, in all of its kinds."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, inexact
from hostwrap._recipes.polynomials import placed
from hostwrap._types import ArrayLike
from hostwrap.interpolate._bsplines import make_interp_spline

_DEGREES = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}
_KINDS = ("linear", "nearest", "nearest-up", "previous", "next", *_DEGREES)


def _linear(x: Any, y: Any, z: Any) -> Any:
    i = jnp.clip(jnp.searchsorted(x, z), 1, x.shape[0] - 1)
    share = ((z - x[i - 1]) / (x[i] - x[i - 1])).reshape(*z.shape, *[1] * (y.ndim - 1))
    return y[i - 1] + share * (y[i] - y[i - 1])


def _step(kind: str, x: Any, y: Any, z: Any) -> Any:
    """The value of one of the sites; at z itself it does not move."""
    last = x.shape[0] - 1
    if kind.startswith("nearest"):
        side = "left" if kind == "nearest" else "right"
        at = jnp.searchsorted(x[1:] / 2 + x[:-1] / 2, z, side=side)
    elif kind == "previous":
        at = jnp.searchsorted(x, z, side="right") - 1
    else:
        at = jnp.searchsorted(x, z, side="left")
    return y[jnp.clip(at, 0, last)]


@dataclasses.dataclass(frozen=True, eq=False)
class interp1d:
    """`scipy.interpolate.interp1d(x, y)(z)`: interpolation along one axis; differentiable in x, y and z.

    Args:
        x: [n], in any order (with assume_sorted=True increasing). y: n values along axis, real or complex.
        kind: linear, nearest, nearest-up, previous, next, zero, slinear, quadratic, cubic, or the degree of a spline.
        copy: without effect.
        bounds_error: with None or True a place outside of the sites is a ValueError where the places are known; in a
            compiled program its value is NaN.
        fill_value: with bounds_error=False the value outside: a number, two numbers (below, above), or "extrapolate".

    It is a pytree. Values are shaped as y with the axes of z in place of axis. Which sites are next to a place is held.

    Raises:
        SignatureError: shapes that do not fit, an unknown kind, a fill_value that is no number. ValueError: see above.

    >>> f = interp1d(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 4.0]))
    >>> print(jax.grad(f)(1.5))
    3.0
    """

    x: ArrayLike
    y: ArrayLike
    kind: str | int = "linear"
    axis: int = -1
    copy: bool = True
    bounds_error: bool | None = None
    fill_value: Any = math.nan
    assume_sorted: bool = False

    def __call__(self, x: ArrayLike) -> jax.Array:
        name = "interp1d"
        sites, y, z = arrays(name, x=self.x, y=self.y, x_new=x)
        kind = _DEGREES.get(self.kind, self.kind) if isinstance(self.kind, str) else self.kind
        if self.kind not in _KINDS and not (isinstance(kind, int) and kind >= 0):
            raise SignatureError(
                f"{name}: kind={self.kind!r} must be a degree, or one of {', '.join(_KINDS)}."
            )
        axis = self.axis + y.ndim * (self.axis < 0)
        least = kind + 1 if isinstance(kind, int) else 1
        if sites.ndim != 1 or not 0 <= axis < y.ndim or y.shape[axis] != sites.size or sites.size < least:
            raise SignatureError(
                f"{name}: wants x (n,) and y with n values along axis {self.axis}, n >= {least}; got {sites.shape} and "
                f"{y.shape}."
            )
        real = inexact(sites, y.real, z)
        sites, z, y = sites.astype(real), z.astype(real), jnp.moveaxis(y.astype(inexact(y)), axis, 0)
        if not self.assume_sorted:
            order = jnp.argsort(jax.lax.stop_gradient(sites), stable=True)
            sites, y = sites[order], y[order]
        if isinstance(kind, int):
            found = make_interp_spline(sites, y, kind)(z)
        else:
            found = _linear(sites, y, z) if kind == "linear" and sites.size > 1 else _step(kind, sites, y, z)
        for outside, value in zip((z < sites[0], z > sites[-1]), self._outside(), strict=True):
            self._refused(outside, z)
            if value is not None:
                found = jnp.where(outside.reshape(*z.shape, *[1] * (y.ndim - 1)), value, found)
        return placed(found, z.ndim, axis)

    def _outside(self) -> tuple[Any, Any]:
        """The values below and above; None where the pieces at the ends go on."""
        fill = self.fill_value
        if isinstance(fill, str):
            if fill != "extrapolate" or self.bounds_error:
                raise SignatureError(
                    f"interp1d: fill_value={fill!r} must be numbers, or 'extrapolate' without bounds_error."
                )
            return {"previous": (math.nan, None), "next": (None, math.nan)}.get(str(self.kind), (None, None))
        both = fill if isinstance(fill, tuple) and len(fill) == 2 else (fill, fill)
        if any(np.ndim(value) for value in both):
            raise SignatureError(
                f"interp1d: fill_value={fill!r:.60} must be a number, or one below and one above."
            )
        return (math.nan, math.nan) if self.bounds_error is not False else both

    def _refused(self, outside: Any, z: Any) -> None:
        silent = self.bounds_error is False or isinstance(self.fill_value, str)
        if not silent and not isinstance(outside, jax.core.Tracer) and outside.any():
            raise ValueError(
                f"interp1d: {np.asarray(z)[np.asarray(outside)][0]} is outside of the sites. Give bounds_error=False "
                "to allow it."
            )


jax.tree_util.register_dataclass(
    interp1d,
    data_fields=["x", "y"],
    meta_fields=["kind", "axis", "copy", "bounds_error", "fill_value", "assume_sorted"],
)
