"""Filters of a Fourier transform: they multiply it with functions of the frequencies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.ndimage

from hostwrap._recipes.hosted import hosted, shaped
from hostwrap._recipes.scipys import as_scipys
from hostwrap._types import ArrayLike
from hostwrap.special import j1


def _frequencies(input: Any, n: int, axis: int) -> list[np.ndarray]:
    """Frequencies along each axis, in cycles per pixel; a real transform of n numbers has no negative ones."""
    found = []
    for k, size in enumerate(input.shape):
        real = n >= 0 and k == axis % input.ndim
        f = np.arange(size) / n if real else np.fft.fftfreq(size)
        found.append(f.reshape(-1, *[1] * (input.ndim - k - 1)))
    return found


def _turns(input: Any, widths: Any, n: int, axis: int) -> list[Any]:
    """The product of width and frequency, along each axis."""
    widths = jnp.broadcast_to(widths, (input.ndim,))
    return [w * f for w, f in zip(widths, _frequencies(input, n, axis), strict=True)]


def _filter(response: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    return lambda input, widths, n, axis: input * response(_turns(input, widths, n, axis))


def _gaussian(turns: list[Any]) -> Any:
    return jnp.exp(-2 * jnp.pi**2 * sum(t**2 for t in turns))


def _box(turns: list[Any]) -> Any:
    found: Any = 1.0
    for t in turns:
        found = found * jnp.sinc(t)
    return found


def _ball(turns: list[Any]) -> Any:
    """The transform of an interval, a disc (2 J1(r) / r), a ball (3 (sin r - r cos r) / r^3), whose mean is 1."""
    if len(turns) == 1:
        return _box(turns)
    square = sum(t**2 for t in turns)
    moves = square > 0
    r = jnp.pi * jnp.sqrt(jnp.where(moves, square, 1.0))
    found = 2 * j1(r) / r if len(turns) == 2 else 3 * (jnp.sin(r) - r * jnp.cos(r)) / r**3
    return jnp.where(moves, found, 1.0)


def _moved(turns: list[Any]) -> Any:
    return jnp.exp(-2j * jnp.pi * sum(turns))


@as_scipys("scipy.ndimage")
@hosted("input sigma", lambda input, sigma, **_: shaped(input), _filter(_gaussian))
def fourier_gaussian(input: ArrayLike, sigma: ArrayLike, n: int = -1, axis: int = -1) -> jax.Array:
    """`scipy.ndimage.fourier_gaussian`, differentiable in the transform and in sigma, to any order.

    Args:
        input: a Fourier transform with any number of axes, real or complex.
        sigma: a number, or one for each axis.
        n: for a real transform, the length of its axis before the transform; negative for a complex transform.
        axis: the axis of the real transform.

    Returns:
        an array of the shape of the input.

    >>> import jax, numpy as np
    >>> print(f"{jax.grad(lambda s: fourier_gaussian(np.ones(4), s).sum())(0.3):.4f}")
    -3.2239
    """
    return scipy.ndimage.fourier_gaussian(input, _plain(sigma), n, axis)  # type: ignore[arg-type]


@as_scipys("scipy.ndimage")
@hosted("input size", lambda input, size, **_: shaped(input), _filter(_box))
def fourier_uniform(input: ArrayLike, size: Any, n: int = -1, axis: int = -1) -> jax.Array:
    """`scipy.ndimage.fourier_uniform`, differentiable in the transform and in the size; see `fourier_gaussian`.

    >>> import jax, numpy as np
    >>> print(f"{jax.grad(lambda s: fourier_uniform(np.ones(4), s).sum())(2.0):.4f}")
    -1.1366
    """
    return scipy.ndimage.fourier_uniform(input, _plain(size), n, axis)


@as_scipys("scipy.ndimage")
@hosted("input size", lambda input, size, **_: shaped(input), _filter(_ball))
def fourier_ellipsoid(input: ArrayLike, size: Any, n: int = -1, axis: int = -1) -> jax.Array:
    """`scipy.ndimage.fourier_ellipsoid` along one to three axes, differentiable in the transform and in the size.

    See `fourier_gaussian`.

    >>> import jax, numpy as np
    >>> print(f"{jax.grad(lambda s: fourier_ellipsoid(np.ones((2, 2)), s).sum())(1.0):.4f}")
    -1.7973
    """
    return scipy.ndimage.fourier_ellipsoid(input, _plain(size), n, axis)


@as_scipys("scipy.ndimage")
@hosted("input shift", lambda input, shift, **_: shaped(input, None, jnp.complex64), _filter(_moved))
def fourier_shift(input: ArrayLike, shift: ArrayLike, n: int = -1, axis: int = -1) -> jax.Array:
    """`scipy.ndimage.fourier_shift`, differentiable in the transform and in the shift; the result is complex.

    See `fourier_gaussian`.

    >>> import jax, numpy as np
    >>> print(f"{jax.grad(lambda s: fourier_shift(np.ones(4), s).sum().real)(0.5):.4f}")
    -5.3630
    """
    return scipy.ndimage.fourier_shift(input, _plain(shift), n, axis)  # type: ignore[arg-type]


def _plain(widths: np.ndarray) -> Any:
    """A Python number, if it is one: SciPy refuses an array without axes."""
    return widths.item() if np.ndim(widths) == 0 else widths
