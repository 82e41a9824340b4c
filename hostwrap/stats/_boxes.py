"""The probability that a normal or Student's t vector lies in a box: SciPy's value, with derivatives by smaller boxes.

The derivative in an end of the box is the density of one component there, times the conditional probability of the
others (Plackett, 1954). The derivative in an entry of the matrix is the density of two components at the corners, times
the conditional probability of the others (Genz, 2004, for t). The derivative in the diagonal follows, because nothing
changes if a component and its ends are scaled together. The normal distribution is the t distribution with df = inf.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.stats

from hostwrap._errors import missing_derivative
from hostwrap._recipes.hosted import hosted
from hostwrap.special import ndtr, poch, stdtr
from hostwrap.stats._joint import each, symmetric

_CORES = (1, 1, 2, 0)


def _out(low: Any, high: Any, matrix: Any, df: Any, **_: Any) -> Any:
    batch = jnp.broadcast_shapes(low.shape[:-1], high.shape[:-1], matrix.shape[:-2], df.shape)
    return jax.ShapeDtypeStruct(batch, low.dtype)


def _box(
    low: Any, high: Any, matrix: Any, df: Any, normal: bool, singular: bool, maxpts: int | None,
    abseps: float, releps: float, seed: int,
) -> Any:  # fmt: skip
    """The probability that low < x < high, for x with mean 0; with a minus for each pair of ends in the wrong order."""

    def one(limits: Any, matrix: Any, df: float) -> Any:
        low, high = np.split(limits, 2, axis=-1)
        random = np.random.default_rng(seed)
        if not normal and np.isfinite(df):
            options: dict[str, Any] = {"maxpts": maxpts, "lower_limit": low, "random_state": random}
            return scipy.stats.multivariate_t.cdf(high, None, matrix, df, True, **options)
        options = {"lower_limit": low, **({"rng": random} if _takes_rng() else {})}
        return scipy.stats.multivariate_normal.cdf(
            high, None, matrix, singular, maxpts, abseps, releps, **options
        )

    ends = np.concatenate(np.broadcast_arrays(low, high), axis=-1)
    return each(one, _CORES[1:], [ends, matrix, df])


_box = hosted("low high matrix df", out=_out, vmap_method="expand_dims", thread_safe=True)(_box)


@functools.cache
def _takes_rng() -> bool:
    """Whether SciPy's function takes `rng`, as from SciPy 1.17 on."""
    return "rng" in inspect.signature(scipy.stats.multivariate_normal.cdf).parameters


def normal(
    low: Any, high: Any, cov: Any, singular: bool, maxpts: Any, abseps: float, releps: float, seed: int
) -> Any:
    """The probability for a normal vector with mean 0. low, high `[..., d]`, cov `[..., d, d]`."""
    return _box(low, high, cov, jnp.asarray(jnp.inf, low.dtype), True, singular, maxpts, abseps, releps, seed)


def student(low: Any, high: Any, shape: Any, df: Any, maxpts: Any, seed: int) -> Any:
    """The probability for a vector of Student's t distribution with df `[...]`."""
    return _box(low, high, shape, df, False, True, maxpts, 1e-5, 1e-5, seed)


# ---- derivatives, of one box


def _rule(primals: tuple, tangents: tuple, **options: Any) -> tuple:
    if tangents[3] is not None:
        raise missing_derivative("multivariate_t.cdf", "df", "no formula of it is known here")
    answer = _box(*primals, **options)
    given = [x if t is None else t for x, t in zip(primals[:3], tangents[:3], strict=True)]
    moving = tuple(t is not None for t in tangents[:3])
    one = functools.partial(_moved, moving, options)
    return answer, jnp.vectorize(one, signature="(d),(d),(d,d),(),(d),(d),(d,d)->()")(*primals, *given)


_box.hosted.defjvp(_rule)  # type: ignore[attr-defined]


def _moved(moving: tuple, options: dict, low: Any, high: Any, matrix: Any, df: Any, *tangents: Any) -> Any:
    matrix, total = symmetric(matrix), jnp.zeros((), low.dtype)
    ends = jnp.stack([low, high])
    own = functools.partial(_in_ends, low=low, high=high, matrix=matrix, df=df, options=options)
    slopes = jnp.stack([-own(low), own(high)])
    for i in (0, 1):
        if moving[i]:
            total += slopes[i] @ tangents[i]
    if moving[2]:
        pairs = _in_pairs(ends, matrix, df, options)
        stretched = jnp.sum(jnp.where(jnp.isinf(ends), 0.0, ends) * slopes, 0)
        diagonal = -(stretched + jnp.sum(matrix * pairs, 1)) / (2 * jnp.diagonal(matrix))
        moved = symmetric(tangents[2])
        total += jnp.sum(pairs * moved) / 2 + diagonal @ jnp.diagonal(moved)
    return total


def _in_ends(end: Any, low: Any, high: Any, matrix: Any, df: Any, options: dict) -> Any:
    """For each component, its density at this end times the conditional probability of the others."""
    size, finite = len(end), jnp.isfinite(end)
    x, variance = jnp.where(finite, end, 0.0), jnp.diagonal(matrix)
    distance = x * x / variance
    density = jnp.exp(_log_kernel(distance, df, 1)) / jnp.sqrt(2 * jnp.pi * variance)
    density = density * _t_ratio(df)
    if size == 1:
        return jnp.where(finite, density, 0.0)
    rest = _others(size, 1)
    own = np.arange(size)[:, None]
    toward = matrix[rest, own] / variance[:, None]
    shift = toward * x[:, None]
    conditional = (
        matrix[rest[:, :, None], rest[:, None, :]] - toward[:, :, None] * matrix[own, rest][:, None, :]
    )
    # t given a component: one degree of freedom more, and a wider one far out
    finite_df = jnp.where(jnp.isinf(df), 1.0, df)
    wider = jnp.where(jnp.isinf(df), 1.0, (finite_df + distance) / (finite_df + 1))
    probability = _smaller(
        low[rest] - shift, high[rest] - shift, conditional * wider[:, None, None], df + 1, options
    )
    return jnp.where(finite, density * probability, 0.0)


def _in_pairs(ends: Any, matrix: Any, df: Any, options: dict) -> Any:
    """The matrix of the derivatives in two symmetric entries together, with a diagonal of zeros."""
    size = matrix.shape[0]
    result = jnp.zeros_like(matrix)
    if size == 1:
        return result
    first, second = np.triu_indices(size, 1)
    pair, rest = np.stack([first, second], 1), _others(size, 2)
    block = matrix[pair[:, :, None], pair[:, None, :]]
    cross = matrix[rest[:, :, None], pair[:, None, :]]
    toward = jnp.swapaxes(jnp.linalg.solve(block, jnp.swapaxes(cross, 1, 2)), 1, 2)
    conditional = matrix[rest[:, :, None], rest[:, None, :]] - toward @ jnp.swapaxes(cross, 1, 2)
    scale = 2 * jnp.pi * jnp.sqrt(jnp.linalg.det(block))
    total = jnp.zeros(len(pair), matrix.dtype)
    for i, j in np.ndindex(2, 2):
        corner = jnp.stack([ends[i][first], ends[j][second]], 1)
        finite = jnp.all(jnp.isfinite(corner), 1)
        x = jnp.where(finite[:, None], corner, 0.0)
        distance = jnp.sum(x * jnp.linalg.solve(block, x[..., None])[..., 0], 1)
        term = jnp.exp(_log_kernel(distance, df, 0)) / scale
        if size > 2:
            shift = jnp.einsum("pij,pj->pi", toward, x)
            wider = jnp.where(jnp.isinf(df), 1.0, 1 + distance / jnp.where(jnp.isinf(df), 1.0, df))
            low, high = ends[0][rest] - shift, ends[1][rest] - shift
            term = term * _smaller(low, high, conditional * wider[:, None, None], df, options)
        total += jnp.where(finite, (1 if i == j else -1) * term, 0.0)
    return result.at[first, second].set(total).at[second, first].set(total)


def _others(size: int, count: int) -> np.ndarray:
    """For each component, or pair of components, the indices of the others."""
    chosen = np.arange(size)[:, None] if count == 1 else np.stack(np.triu_indices(size, 1), 1)
    return np.array([[k for k in range(size) if k not in row] for row in chosen], int).reshape(
        len(chosen), -1
    )


def _log_kernel(distance: Any, df: Any, more: int) -> Any:
    """-distance / 2, or the logarithm of (1 + distance / df)^(-(df + more) / 2)."""
    finite = jnp.where(jnp.isinf(df), 1.0, df)
    return jnp.where(jnp.isinf(df), -distance / 2, -(finite + more) / 2 * jnp.log1p(distance / finite))


def _t_ratio(df: Any) -> Any:
    """The ratio of the densities at 0 of t and of the normal distribution."""
    finite = jnp.where(jnp.isinf(df), 1.0, df)
    ratio = poch(finite / 2, 0.5) * jnp.sqrt(2 / finite)
    return jnp.where(jnp.isinf(df), 1.0, ratio)


def _smaller(low: Any, high: Any, matrix: Any, df: Any, options: dict) -> Any:
    """The probability for a box in fewer dimensions."""
    if low.shape[-1] > 1:
        return _box(low, high, matrix, jnp.broadcast_to(df, low.shape[:-1]), **options)
    root = jnp.sqrt(matrix[..., 0, 0])
    a, b = _over(low[..., 0], root), _over(high[..., 0], root)
    cdf = ndtr if options["normal"] else functools.partial(_of_t, df)
    # in the tail that is small
    upper = a > 0
    one, other = jnp.where(upper, -b, a), jnp.where(upper, -a, b)
    return cdf(other) - cdf(one)


def _over(end: Any, root: Any) -> Any:
    """The end divided by the root; an infinite end stays infinite."""
    finite = jnp.isfinite(end)
    return jnp.where(finite, jnp.where(finite, end, 0.0) / root, end)


def _of_t(df: Any, x: Any) -> Any:
    finite = jnp.where(jnp.isinf(df), 1.0, df)
    return jnp.where(jnp.isinf(df), ndtr(x), stdtr(finite, x))
