"""Filters forwards and backwards over a signal that is continued by reflection, and the splines made by them.

Before its first sample the signal is x[0], x[1], ... again. So the first state is a sum over the signal, weighted by
the impulse response of the filter. SciPy ends this sum where its terms get small, and the derivatives use the same
terms: only then are the splines of images linear.
"""

from __future__ import annotations

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.signal

from hostwrap._recipes.hosted import hosted, shaped
from hostwrap._recipes.stencils import along, correlated, flipped
from hostwrap._types import ArrayLike
from hostwrap.signal import _recursions as recursions


def _precision(x: Any, precision: float) -> float:
    """The default precision of SciPy's C code."""
    single = jnp.finfo(x.dtype).bits == 32
    return precision if 0 < precision < 1 else 1e-6 if single else 1e-11


def _ended(terms: Any, small: float) -> Any:
    """0 after the first small term."""
    before = jnp.cumulative_prod(jnp.abs(jax.lax.stop_gradient(terms)) > small)
    return jnp.where(jnp.concatenate([jnp.ones(1, bool), before[:-1] > 0]), terms, 0.0)


def _first_order(signal: Any, c0: Any, z1: Any, precision: float) -> Any:
    """y[n] = z1 y[n - 1] + x[n], then backwards y[n] = z1 y[n + 1] + c0 x[n]."""
    x, k = signal, np.arange(signal.shape[-1])
    first = x[..., 0] + x @ _ended(z1 ** (k + 1), _precision(x, precision))
    taps = jnp.stack([jnp.ones_like(z1), -z1])
    forth = recursions.recursion(taps, x.at[..., 0].set(first))
    back = (c0 * forth[..., ::-1]).at[..., 0].divide(1 - z1)
    return recursions.recursion(taps, back)[..., ::-1]


@hosted("signal c0 z1", lambda signal, c0, z1, **_: shaped(signal), _first_order)
def symiirorder1(signal: ArrayLike, c0: ArrayLike, z1: ArrayLike, precision: float = -1.0) -> jax.Array:
    """`scipy.signal.symiirorder1`: a filter of first order forwards and backwards, differentiable in all, to any order.

    Args:
        signal: [n] or [m, n]. More by vmap.
        c0, z1: numbers, abs(z1) < 1.
        precision: where SciPy ends a sum; see SciPy.

    Raises:
        ValueError: abs(z1) >= 1, or a signal too short for its first state; HostCallError inside a compiled program.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda c: symiirorder1(np.ones(40), c, 0.5)[0])(1.0).round(6))
    4.0
    """
    return scipy.signal.symiirorder1(signal, c0, z1.item(), precision)


def _second_order(input: Any, r: Any, omega: Any, precision: float) -> Any:
    """cs = 1 - 2 r cos w + r^2 times the input, through poles at r exp(+- i w), both ways."""
    x, n = input, input.shape[-1]
    k = np.arange(n)
    cs, squared = 1 - 2 * r * jnp.cos(omega) + r**2, r**2
    taps = jnp.stack([jnp.ones_like(r), -2 * r * jnp.cos(omega), squared])

    def pulse(k: Any) -> Any:
        return cs * r**k * jnp.sin(omega * (k + 1)) / jnp.sin(omega)

    def both(k: Any) -> Any:
        k = abs(k)
        scale = cs**2 * (1 + squared) / (1 - squared) / (1 - 2 * squared * jnp.cos(2 * omega) + squared**2)
        slant = (1 - squared) / (1 + squared) / jnp.tan(omega)
        return scale * r**k * (jnp.cos(omega * k) + slant * jnp.sin(omega * k))

    def run(x: Any, first: Any, second: Any) -> Any:
        """The recursion from two known results."""
        start = jnp.stack([first, second + taps[1] * first], -1)
        return recursions.recursion(taps, jnp.concatenate([start, cs * x[..., 2:]], -1))

    small = _precision(x, precision)
    state = [x @ _ended(pulse(k + j), small) for j in (1, 2)]
    forth = run(x, pulse(0) * x[..., 0] + state[0], pulse(0) * x[..., 1] + pulse(1) * x[..., 0] + state[1])
    # SciPy compares their squares with the precision
    pairs = (both(k) + both(k + 1), both(k - 1) + both(k + 2))
    state = [x[..., ::-1] @ _ended(pair, math.sqrt(small)) for pair in pairs]
    return run(forth[..., ::-1], *state)[..., ::-1]


@hosted("input r omega", lambda input, r, omega, **_: shaped(input), _second_order)
def symiirorder2(input: ArrayLike, r: ArrayLike, omega: ArrayLike, precision: float = -1.0) -> jax.Array:
    """`scipy.signal.symiirorder2`: a filter of second order forwards and backwards, differentiable to any order.

    SciPy truncates the sums for its first states, and so do the derivatives.

    Args:
        input: [n] or [m, n], real. More by vmap.
        r, omega: numbers, 0 < r < 1. Where omega is a multiple of pi, derivatives are NaN.
        precision: see SciPy.

    Raises:
        ValueError: r >= 1, or a signal too short for its first state; HostCallError inside a compiled program.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: symiirorder2(x, 0.3, 0.8)[20])(np.zeros(40))[20].round(6))
    0.533741
    """
    return scipy.signal.symiirorder2(input, r.item(), omega.item(), precision)


def _separable(input: Any, hrow: Any, hcol: Any) -> Any:
    for axis, w in ((1, hrow), (0, hcol)):
        w, origins = flipped(along(w, axis, 2), (0, 0))
        input = correlated(input, w, ("reflect", "reflect"), 0.0, origins)
    return input


@hosted("input hrow hcol", lambda input, hrow, hcol: shaped(input), _separable)
def sepfir2d(input: ArrayLike, hrow: ArrayLike, hcol: ArrayLike) -> jax.Array:
    """`scipy.signal.sepfir2d`: an image convolved with a filter along its rows and one along its columns.

    Differentiable in all three, to any order.

    Args:
        input: [m, n]. hrow, hcol: [k], [l], both odd.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda h: sepfir2d(np.eye(3), h, np.ones(1))[1, 1])(np.ones(3)))
    [0. 1. 0.]
    """
    return scipy.signal.sepfir2d(input, hrow, hcol)


def _of_image(filter: Any, image: Any, *numbers: Any) -> Any:
    """Filter along the rows, then along the columns."""
    numbers = tuple(jnp.asarray(v, image.real.dtype) for v in numbers[:-1]) + numbers[-1:]
    return filter(filter(image, *numbers).T, *numbers).T


def _of_precision(image: Any, precision: float) -> float:
    single = jnp.finfo(image.dtype).bits == 32
    return precision if 0 <= precision < 1 else 1e-3 if single else 1e-6


def _cubic(signal: Any, lamb: float, precision: float) -> Any:
    """The poles of a smoothing spline with this lamb (Unser, Aldroubi and Eden, B-spline signal processing: part II,
    1993, section II.C)."""
    precision = _of_precision(signal, precision)
    if lamb <= 1 / 144:
        r = math.sqrt(3) - 2
        return _of_image(_first_order, signal, -6 * r, r, precision)
    root = math.sqrt(3 + 144 * lamb)
    xi = 1 - 96 * lamb + 24 * lamb * root
    omega = math.atan(math.sqrt((144 * lamb - 1) / xi))
    r = (24 * lamb - 1 - math.sqrt(xi)) / (24 * lamb) * math.sqrt((48 * lamb + 24 * lamb * root) / xi)
    return _of_image(_second_order, signal, r, omega, precision)


@hosted("signal", lambda signal, **_: shaped(signal), _cubic)
def cspline2d(signal: ArrayLike, lamb: float = 0.0, precision: float = -1.0) -> jax.Array:
    """`scipy.signal.cspline2d`: the coefficients of cubic B-splines of an image, linear in it.

    Args:
        signal: [m, n], real. lamb, precision: Python numbers, as in SciPy.

    Raises:
        ValueError: an image too small for its first states; HostCallError inside a compiled program.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: cspline2d(x)[10, 10])(np.zeros((20, 20)))[10, 10].round(4))
    3.0
    """
    return scipy.signal.cspline2d(signal, lamb, precision)


def _quadratic(signal: Any, lamb: float, precision: float) -> Any:
    r = 2 * math.sqrt(2) - 3
    return _of_image(_first_order, signal, -8 * r, r, _of_precision(signal, precision))


@hosted("signal", lambda signal, **_: shaped(signal), _quadratic)
def qspline2d(signal: ArrayLike, lamb: float = 0.0, precision: float = -1.0) -> jax.Array:
    """`scipy.signal.qspline2d`: the coefficients of quadratic B-splines of an image, linear in it; see `cspline2d`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: qspline2d(x)[10, 10])(np.zeros((20, 20)))[10, 10].round(4))
    2.0
    """
    return scipy.signal.qspline2d(signal, lamb, precision)


SIXTHS = np.array([1.0, 4.0, 1.0], np.float32) / 6


def _smooth(Iin: Any, lmbda: float) -> Any:
    sixths = jnp.asarray(SIXTHS, Iin.dtype)
    return _separable(_cubic(Iin, lmbda, -1.0), sixths, sixths)


@hosted("Iin", lambda Iin, **_: shaped(Iin), _smooth)
def spline_filter(Iin: ArrayLike, lmbda: float = 5.0) -> jax.Array:
    """`scipy.signal.spline_filter`: an image smoothed by cubic splines, linear in it; see `cspline2d`.

    Args:
        Iin: [m, n], real. lmbda: how much it is smoothed, a Python number.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: spline_filter(x, 0.1)[10, 10])(np.zeros((30, 30)))[10, 10].round(6))
    0.373566
    """
    return scipy.signal.spline_filter(Iin, lmbda)
