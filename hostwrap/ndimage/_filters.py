"""Filters: correlations with weights, and filters that consist of correlations."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.ndimage

from hostwrap._errors import SignatureError
from hostwrap._host.memory import empty
from hostwrap._recipes.cores import inexact
from hostwrap._recipes.hosted import hosted, shaped
from hostwrap._recipes.scipys import as_scipys
from hostwrap._recipes.stencils import checked, correlated, flipped, one_by_one
from hostwrap._types import ArrayLike

Modes = str | tuple[str, ...]


def _as_input(input: Any, *others: Any, **_: Any) -> jax.ShapeDtypeStruct:
    return shaped(input, None, *others)


def _many(value: Any, count: int) -> list:
    return list(value) if isinstance(value, tuple | list) else [value] * count


def _weighted(turned: bool, name: str) -> Callable:
    """Correlation, or convolution, which reverses the weights."""

    def twin(input: Any, weights: Any, mode: Modes, cval: float, origin: Any, axes: Any = None) -> Any:
        ndim = input.ndim
        places = list(range(ndim)) if axes is None else [a % ndim for a in _many(axes, 1)]
        modes, origins = ["constant"] * ndim, [0] * ndim
        for a, m, o in zip(places, checked(name, mode, len(places)), _many(origin, len(places)), strict=True):
            modes[a], origins[a] = m, o
        order = np.argsort(places).tolist()
        wide = jnp.transpose(weights, order).reshape(
            [weights.shape[places.index(a)] if a in places else 1 for a in range(ndim)]
        )
        if not turned:
            wide = wide.conj()
        else:
            wide, origins = flipped(wide, origins)
            origins = [o if a in places else 0 for a, o in enumerate(origins)]
        return correlated(input, wide, modes, cval, origins)

    return twin


def _weighted1d(name: str) -> Callable:
    def twin(input: Any, weights: Any, axis: int, mode: Modes, cval: float, origin: int) -> Any:
        return _weighted(name == "convolve1d", name)(input, weights, mode, cval, origin, (axis,))

    return twin


@as_scipys("scipy.ndimage")
@hosted("input weights", _as_input, _weighted(False, "correlate"))
def correlate(
    input: ArrayLike,
    weights: ArrayLike,
    mode: Modes = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> jax.Array:
    """`scipy.ndimage.correlate`, differentiable in the image and in the weights, to any order.

    Args:
        input: an image with any number of axes, real or complex. Use vmap for more images.
        weights: an array with as many axes as the image, or as many as `axes` names.
        mode, cval, origin, axes: as in SciPy. (`axes` needs SciPy 1.16.)

    Returns:
        an image of the shape of the input.

    >>> import jax, numpy as np
    >>> image, weights = np.eye(3), np.ones((1, 3))
    >>> print(jax.grad(lambda w: correlate(image, w)[0].sum())(weights))
    [[2. 1. 0.]]
    """
    given = {} if axes is None else {"axes": axes}
    return scipy.ndimage.correlate(input, weights, mode=mode, cval=cval, origin=origin, **given)


@as_scipys("scipy.ndimage")
@hosted("input weights", _as_input, _weighted(True, "convolve"))
def convolve(
    input: ArrayLike,
    weights: ArrayLike,
    mode: Modes = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> jax.Array:
    """`scipy.ndimage.convolve`, differentiable in the image and in the weights, to any order; see `correlate`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda w: convolve(np.arange(4.0), w)[2])(np.ones(3)))
    [3. 2. 1.]
    """
    given = {} if axes is None else {"axes": axes}
    return scipy.ndimage.convolve(input, weights, mode=mode, cval=cval, origin=origin, **given)


@as_scipys("scipy.ndimage")
@hosted("input weights", _as_input, _weighted1d("correlate1d"))
def correlate1d(
    input: ArrayLike,
    weights: ArrayLike,
    axis: int = -1,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> jax.Array:
    """`scipy.ndimage.correlate1d`, differentiable in the image and in the weights [k], to any order.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda w: correlate1d(np.arange(4.0), w)[2])(np.ones(3)))
    [1. 2. 3.]
    """
    return scipy.ndimage.correlate1d(input, weights, axis, mode=mode, cval=cval, origin=origin)


@as_scipys("scipy.ndimage")
@hosted("input weights", _as_input, _weighted1d("convolve1d"))
def convolve1d(
    input: ArrayLike,
    weights: ArrayLike,
    axis: int = -1,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> jax.Array:
    """`scipy.ndimage.convolve1d`, differentiable in the image and in the weights [k], to any order.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda w: convolve1d(np.arange(4.0), w)[2])(np.ones(3)))
    [3. 2. 1.]
    """
    return scipy.ndimage.convolve1d(input, weights, axis, mode=mode, cval=cval, origin=origin)


# ---- filters with weights of their own


def _axes(axes: Any, ndim: int) -> list[int]:
    return list(range(ndim)) if axes is None else [a % ndim for a in _many(axes, 1)]


def _uniform(input: Any, size: Any, mode: Modes, cval: float, origin: Any, axes: Any = None) -> Any:
    places = _axes(axes, input.ndim)
    count = len(places)
    rows = zip(
        places, _many(size, count), checked("uniform_filter", mode, count), _many(origin, count), strict=True
    )
    kept = [row for row in rows if row[1] > 1]
    weights = [np.full(size, 1 / size) for _, size, *_ in kept]
    axes, modes, origins = [r[0] for r in kept], [r[2] for r in kept], [r[3] for r in kept]
    return one_by_one(input, weights, axes, modes, cval, origins)


@as_scipys("scipy.ndimage")
@hosted("input", _as_input, _uniform)
def uniform_filter(
    input: ArrayLike,
    size: Any = 3,
    mode: Modes = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: int | Sequence[int] | None = None,
) -> jax.Array:
    """`scipy.ndimage.uniform_filter`: the mean over a box, linear in the image.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: uniform_filter(x)[0])(np.zeros(4)))
    [0.66666667 0.33333333 0.         0.        ]
    """
    return scipy.ndimage.uniform_filter(input, size, mode=mode, cval=cval, origin=origin, axes=axes)


@as_scipys("scipy.ndimage")
@hosted(
    "input",
    _as_input,
    lambda x, size, axis, mode, cval, origin: _uniform(x, size, mode, cval, origin, (axis,)),
)
def uniform_filter1d(
    input: ArrayLike, size: int, axis: int = -1, mode: str = "reflect", cval: float = 0.0, origin: int = 0
) -> jax.Array:
    """`scipy.ndimage.uniform_filter1d`: the mean of `size` neighbours, linear in the image.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: uniform_filter1d(x, 3)[0])(np.zeros(4)))
    [0.66666667 0.33333333 0.         0.        ]
    """
    return scipy.ndimage.uniform_filter1d(input, size, axis, mode=mode, cval=cval, origin=origin)


def _edge(smooth: Sequence[float]) -> Callable:
    """A difference along one axis, and weights along all others."""

    def twin(input: Any, axis: int, mode: Modes, cval: float) -> Any:
        others = [k for k in range(input.ndim) if k != axis % input.ndim]
        modes = checked("sobel", mode, input.ndim)
        weights = [[-1, 0, 1], *[smooth] * len(others)]
        order = [axis % input.ndim, *others]
        modes = [modes[k] for k in order]
        return one_by_one(input, list(map(np.array, weights)), order, modes, cval, [0] * len(order))

    return twin


@as_scipys("scipy.ndimage")
@hosted("input", _as_input, _edge([1, 2, 1]))
def sobel(input: ArrayLike, axis: int = -1, mode: Modes = "reflect", cval: float = 0.0) -> jax.Array:
    """`scipy.ndimage.sobel`, linear in the image.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: sobel(x)[1])(np.zeros(3)))
    [-1.  0.  1.]
    """
    return scipy.ndimage.sobel(input, axis, mode=mode, cval=cval)


@as_scipys("scipy.ndimage")
@hosted("input", _as_input, _edge([1, 1, 1]))
def prewitt(input: ArrayLike, axis: int = -1, mode: Modes = "reflect", cval: float = 0.0) -> jax.Array:
    """`scipy.ndimage.prewitt`, linear in the image.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: prewitt(x)[1])(np.zeros(3)))
    [-1.  0.  1.]
    """
    return scipy.ndimage.prewitt(input, axis, mode=mode, cval=cval)


def _laplace(input: Any, mode: Modes, cval: float, axes: Any) -> Any:
    places = _axes(axes, input.ndim)
    second = np.array([1, -2, 1])
    modes = checked("laplace", mode, len(places))
    return sum(one_by_one(input, [second], [a], [m], cval, [0]) for a, m in zip(places, modes, strict=True))


@as_scipys("scipy.ndimage")
@hosted("input", _as_input, _laplace)
def laplace(
    input: ArrayLike, mode: Modes = "reflect", cval: float = 0.0, *, axes: int | Sequence[int] | None = None
) -> jax.Array:
    """`scipy.ndimage.laplace`: the sum of second differences, linear in the image.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: laplace(x)[1])(np.zeros(3)))
    [ 1. -2.  1.]
    """
    given = {} if axes is None else {"axes": axes}
    return scipy.ndimage.laplace(input, mode=mode, cval=cval, **given)


# ---- Gaussians: smooth in their width too, as long as they reach over the same pixels


def _gaussian(sigma: Any, order: int, radius: int) -> Any:
    """exp(-x^2 / 2 sigma^2), with sum 1, times a polynomial; a derivative turns q into q' - q x / sigma^2."""
    x = np.arange(-radius, radius + 1)
    weights = jnp.exp(-0.5 / sigma**2 * x**2)
    weights = weights / weights.sum()
    q = [jnp.ones_like(sigma)] + [jnp.zeros_like(sigma)] * order
    for _ in range(order):
        slope = [k * q[k] for k in range(1, order + 1)] + [jnp.zeros_like(sigma)]
        q = [s - (q[k - 1] / sigma**2 if k else 0) for k, s in enumerate(slope)]
    return jnp.flip(weights * sum(c * x**k for k, c in enumerate(q)))


def _gaussians(
    input: Any, sigma: Any, order: Any, mode: Modes, cval: float, truncate: float, radius: Any, axes: Any
) -> Any:
    places = _axes(axes, input.ndim)
    count = len(places)
    sigmas = jnp.broadcast_to(sigma, (count,))
    modes = checked("gaussian_filter", mode, count)
    rows = zip(range(count), _many(order, count), _many(radius, count), strict=True)
    kept = [(i, o, r) for i, o, r in rows if r >= 0]
    weights = [_gaussian(sigmas[i], o, r) for i, o, r in kept]
    axes, modes = [places[i] for i, *_ in kept], [modes[i] for i, *_ in kept]
    return one_by_one(input, weights, axes, modes, cval, [0] * len(axes))


@hosted("input sigma", _as_input, _gaussians)
def _gaussian_filter(
    input: Any, sigma: Any, order: Any, mode: Any, cval: Any, truncate: Any, radius: Any, axes: Any
) -> Any:
    given = _many(sigma.tolist() if sigma.ndim else sigma.item(), len(_axes(axes, input.ndim)))
    return scipy.ndimage.gaussian_filter(
        input,
        given,
        order,
        empty(input.shape, input.dtype),
        mode,
        cval,
        truncate,
        radius=tuple(radius),
        axes=axes,
    )


@as_scipys("scipy.ndimage")
def gaussian_filter(
    input: ArrayLike, sigma: ArrayLike, order: int | Sequence[int] = 0, mode: Modes = "reflect", cval: float = 0.0,
    truncate: float = 4.0, *, radius: int | Sequence[int] | None = None, axes: int | Sequence[int] | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.ndimage.gaussian_filter`, differentiable in the image and in sigma, to any order.

    Args:
        input: an image with any number of axes, real or complex. Use vmap for more images.
        sigma: a number > 0, or one for each axis.
        order, mode, cval, truncate, radius, axes: as in SciPy. The radius is an integer. When you
            differentiate in sigma, it stays constant. Give it if sigma is traced.

    Returns:
        an image of the shape of the input.

    Raises:
        SignatureError: sigma is traced and the radius is not given, or the mode does not exist.

    >>> import jax, numpy as np
    >>> step = np.repeat([0.0, 1.0], 5)
    >>> print(f"{jax.grad(lambda s: gaussian_filter(step, s, radius=4)[6])(1.0):.6f}")
    -0.199440
    """
    count = len(_axes(axes, np.ndim(input)))  # type: ignore[arg-type]
    if radius is None:
        radius = _radius(sigma, truncate, count)
    if isinstance(sigma, list | tuple) and not any(hasattr(s, "dtype") for s in sigma):
        precision = jnp.finfo(inexact(jnp.asarray(input))).dtype
        sigma = jnp.asarray(sigma, precision)  # Python's numbers have none of their own
    found = _gaussian_filter(input, sigma, order, mode, cval, truncate, tuple(_many(radius, count)), axes)
    return found


def _radius(sigma: Any, truncate: float, count: int) -> list[int]:
    """How many pixels SciPy uses on each side."""
    if isinstance(sigma, jax.core.Tracer):
        raise SignatureError(
            "gaussian_filter: sigma is traced, so how many pixels it reaches over is not known; give radius=, "
            "as int(truncate * sigma + 0.5) of a typical sigma."
        )
    return [int(truncate * float(s) + 0.5) for s in np.broadcast_to(np.asarray(sigma, float), (count,))]


@as_scipys("scipy.ndimage")
def gaussian_filter1d(
    input: ArrayLike, sigma: ArrayLike, axis: int = -1, order: int = 0, mode: str = "reflect", cval: float = 0.0,
    truncate: float = 4.0, *, radius: int | None = None,
) -> jax.Array:  # fmt: skip
    """`scipy.ndimage.gaussian_filter1d`, differentiable in the image and in sigma; see `gaussian_filter`.

    >>> import jax, numpy as np
    >>> print(jax.grad(lambda x: gaussian_filter1d(x, 0.5)[1])(np.zeros(3)).round(6))
    [0.106715 0.786571 0.106715]
    """
    return gaussian_filter(
        input, sigma, order, mode=mode, cval=cval, truncate=truncate, radius=radius, axes=(axis,)
    )


@as_scipys("scipy.ndimage")
def gaussian_laplace(
    input: ArrayLike,
    sigma: ArrayLike,
    mode: Modes = "reflect",
    cval: float = 0.0,
    *,
    axes: int | Sequence[int] | None = None,
    **kwargs: Any,
) -> jax.Array:
    """`scipy.ndimage.gaussian_laplace`, differentiable in the image and in sigma; see `gaussian_filter`.

    >>> import jax, numpy as np
    >>> print(f"{jax.grad(lambda s: gaussian_laplace(np.eye(5)[2], s, radius=4)[2])(1.0):.6f}")
    1.196802
    """
    count = len(_axes(axes, np.ndim(input)))  # type: ignore[arg-type]
    orders = [[2 if k == i else 0 for k in range(count)] for i in range(count)]
    filtered: Any = functools.partial(gaussian_filter, mode=mode, cval=cval, axes=axes, **kwargs)
    return sum(filtered(input, sigma, tuple(order)) for order in orders)
