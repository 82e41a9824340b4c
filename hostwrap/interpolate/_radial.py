"""Radial basis functions: their weights solve a symmetric, dense system, in JAX.

With `neighbors` each place has a system of its own, of the sites nearest to it, whose choice is held.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hostwrap._errors import SignatureError
from hostwrap._recipes.cores import arrays, as_one, inexact
from hostwrap._recipes.neighbours import nearest
from hostwrap._table import words
from hostwrap._types import ArrayLike


@jax.custom_jvp
def _log(x: Any) -> Any:
    """XLA's own takes one number after the other, which is most of the time of a spline with many sites."""
    return words.log(x) if x.dtype == jnp.float64 else jnp.log(x)


_log.defjvps(lambda t, _, x: t / x)  # type: ignore[no-untyped-call]

# functions of the squared distance, where it is not 0
KERNELS = {
    "linear": lambda s: -jnp.sqrt(s),
    "thin_plate_spline": lambda s: s * _log(s) / 2,
    "cubic": lambda s: s * jnp.sqrt(s),
    "quintic": lambda s: -(s**2) * jnp.sqrt(s),
    "multiquadric": lambda s: -jnp.sqrt(s + 1),
    "inverse_multiquadric": lambda s: 1 / jnp.sqrt(s + 1),
    "inverse_quadratic": lambda s: 1 / (s + 1),
    "gaussian": lambda s: jnp.exp(-s),
}
WITHOUT_SCALE = ("linear", "thin_plate_spline", "cubic", "quintic")  # and 0 at 0
DEGREES = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}


@dataclasses.dataclass(frozen=True, eq=False)
class RBFInterpolator:
    """`scipy.interpolate.RBFInterpolator(y, d)(x)`, differentiable in the sites, data, places, smoothing and epsilon.

    Args:
        y: the sites [n, k]. d: the data [n, ...], real or complex. x: places [m, k].
        neighbors: how many of the nearest sites count at a place; all by default. Where others become the nearest, the
            value jumps.
        smoothing: a number or [n]. epsilon: needed but for linear, thin_plate_spline, cubic and quintic.
        kernel, degree: as in SciPy.

    It is a pytree. The weights are computed where it is called; a gradient takes one more solution with that matrix.
    Derivatives are of any order, but where a place is a site: there those that the kernel does not have (of linear the
    first, of thin_plate_spline the second, of cubic the third, of quintic the fifth) leave out this site.

    Raises:
        SignatureError: shapes that do not fit, an unknown kernel, too few sites, no epsilon.

    >>> import jax, numpy as np
    >>> y = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> print(jax.grad(lambda d: RBFInterpolator(y, d)(np.array([[0.5, 0.5]]))[0])(np.ones(4)).round(6))
    [0.25 0.25 0.25 0.25]
    """

    y: ArrayLike
    d: ArrayLike
    neighbors: int | None = None
    smoothing: ArrayLike = 0.0
    kernel: str = "thin_plate_spline"
    epsilon: ArrayLike | None = None
    degree: int | None = None

    def __call__(self, x: ArrayLike) -> jax.Array:
        y, d, x, smoothing = arrays("RBFInterpolator", y=self.y, d=self.d, x=x, smoothing=self.smoothing)
        degree = _degree(self.kernel, self.degree, self.epsilon)
        real = inexact(x, y, d.real)
        _check(y, d, x, len(_powers(y.shape[-1], degree)), self.neighbors)
        epsilon = jnp.asarray(1.0 if self.epsilon is None else self.epsilon, real)
        how: Any = {"kernel": self.kernel, "degree": degree}
        if self.neighbors is None or self.neighbors >= len(y):
            return _value(y, d, x, smoothing, epsilon, **how)
        return _of_nearest(y, d, x, smoothing, epsilon, count=self.neighbors, **how)


@as_one("kernel", "degree")
def _value(y: Any, d: Any, x: Any, smoothing: Any, epsilon: Any, kernel: str, degree: int) -> jax.Array:
    real, powers = epsilon.dtype, _powers(y.shape[-1], degree)
    y, x, columns = y.astype(real), x.astype(real), d.reshape(len(d), -1)
    # scale the polynomials to a box of size 1: the values do not depend on the scale
    low, high = jax.lax.stop_gradient((y.min(0), y.max(0)))
    middle, size = (low + high) / 2, jnp.where(high > low, (high - low) / 2, 1.0)
    terms = lambda x: jnp.prod(((x - middle) / size)[:, None] ** powers, -1)
    matrix = _kernel(kernel, y, y, epsilon) + jnp.diag(jnp.broadcast_to(smoothing, len(y)))
    beside = terms(y)
    corner = jnp.zeros((len(powers), len(powers)), real)
    whole = jnp.block([[matrix, beside], [beside.T, corner]])
    right = jnp.pad(columns, ((0, len(powers)), (0, 0))).astype(jnp.result_type(columns, real))
    weights = jnp.linalg.solve(whole.astype(right.dtype), right)
    rows = jnp.concatenate([_kernel(kernel, x, y, epsilon), terms(x)], 1)
    return (rows.astype(right.dtype) @ weights).reshape(x.shape[0], *d.shape[1:])


@as_one("count", "kernel", "degree")
def _of_nearest(y: Any, d: Any, x: Any, smoothing: Any, epsilon: Any, count: int, **how: Any) -> jax.Array:
    real = epsilon.dtype
    which = nearest(*jax.lax.stop_gradient((y.astype(real), x.astype(real))), count=count)
    smoothing = jnp.broadcast_to(smoothing, len(y))
    at = lambda i, x: _value(y[i], d[i], x[None], smoothing[i], epsilon, **how)[0]
    return jax.vmap(at)(which, x)


jax.tree_util.register_dataclass(
    RBFInterpolator,
    data_fields=["y", "d", "smoothing", "epsilon"],
    meta_fields=["neighbors", "kernel", "degree"],
)


def _kernel(kernel: str, x: Any, y: Any, epsilon: Any) -> Any:
    apart = jnp.sum(((x[:, None] - y) * epsilon) ** 2, -1)
    if kernel not in WITHOUT_SCALE:
        return KERNELS[kernel](apart)
    return jnp.where(apart > 0, KERNELS[kernel](jnp.where(apart > 0, apart, 1.0)), 0.0)


def _degree(kernel: str, degree: int | None, epsilon: Any) -> int:
    if kernel not in KERNELS:
        raise SignatureError(f"RBFInterpolator: kernel={kernel!r} must be one of {', '.join(KERNELS)}.")
    if epsilon is None and kernel not in WITHOUT_SCALE:
        raise SignatureError(f"RBFInterpolator: kernel={kernel!r} needs epsilon=.")
    least = DEGREES.get(kernel, -1)
    if degree is not None and (not isinstance(degree, int) or degree < -1):
        raise SignatureError(f"RBFInterpolator: degree={degree!r} must be an integer >= -1.")
    return max(least, 0) if degree is None else degree


def _powers(k: int, degree: int) -> np.ndarray:
    """The exponents of all monomials in k variables up to this degree."""
    found = [p for p in itertools.product(range(degree + 1), repeat=k) if sum(p) <= degree]
    return np.array(found, int).reshape(-1, k)


def _check(y: jax.Array, d: jax.Array, x: jax.Array, terms: int, neighbors: Any) -> None:
    if neighbors is not None and (not isinstance(neighbors, int) or neighbors < 1):
        raise SignatureError(f"RBFInterpolator: neighbors={neighbors!r} must be an integer >= 1, or None.")
    if y.ndim != 2 or d.ndim < 1 or d.shape[0] != y.shape[0] or x.ndim != 2 or x.shape[1] != y.shape[1]:
        raise SignatureError(
            "RBFInterpolator: wants sites of shape (n, k), data of shape (n, ...) and places of shape (m, k), got "
            f"{y.shape}, {d.shape}, {x.shape}."
        )
    count = min(y.shape[0], neighbors or y.shape[0])
    if terms > count:
        raise SignatureError(
            f"RBFInterpolator: a polynomial with {terms} terms needs as many sites, got {count}."
        )
