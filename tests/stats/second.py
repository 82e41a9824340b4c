"""Second derivatives of densities and probabilities, ours and by differences of the first ones."""

import dataclasses
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import scipy.stats

from hostwrap import stats
from hostwrap._rules.differences import slope
from hostwrap._table.partials import Unknown
from tests.stats.cases import SHAPES

LEVELS = (0.1, 0.6, 0.95)
# integrals that take minutes for a difference of differences; they have tests of their own
SLOW = {"genhyperbolic", "levy_stable", "studentized_range", "vonmises", "vonmises_line"}


@dataclasses.dataclass
class Pair:
    """d/da of the derivatives in all arguments, [points, arguments], for one argument a."""

    argument: str
    ours: np.ndarray
    by_differences: np.ndarray
    error: np.ndarray  # of the differences, estimated
    size: np.ndarray  # of the largest second derivative at a point


def kinds(name: str) -> tuple[str, str]:
    """The logarithm of the density, and the distribution function."""
    return ("logpdf" if getattr(stats, name).continuous else "logpmf"), "cdf"


def points(name: str) -> np.ndarray:
    """(x, *shapes, loc, scale), or (k, *shapes, loc), in columns."""
    family, scipys = getattr(stats, name), getattr(scipy.stats, name)
    after = (0.25, 1.75) if family.continuous else (2.0,)
    found = []
    for shapes in SHAPES[name]:
        with np.errstate(all="ignore"):
            places = np.unique(scipys.ppf(LEVELS, *shapes, *after))
        found += [(x, *map(float, shapes), *after) for x in places]
    return np.array(found).T.copy()


def pairs(name: str, kind: str) -> Iterator[Pair]:
    """One for each argument with a derivative."""
    method = getattr(getattr(stats, name), kind)
    parameters = list(method.__signature__.parameters)
    moving = tuple(i for i, n in enumerate(parameters) if not isinstance(method.rules[n], Unknown))
    if not moving:
        return
    at = points(name)
    slopes = lambda *a: jnp.stack(jax.grad(method, moving)(*a))
    first = jax.jit(jax.vmap(slopes))
    second = jax.jit(jax.vmap(lambda *a: jnp.stack(jax.jacfwd(slopes, moving)(*a))))
    found = np.asarray(second(*at))  # [points, of the slope in, the slope in]
    largest = np.max(np.abs(found), axis=(1, 2))[:, None]
    for row, i in enumerate(moving):
        # a step in x or loc is a part of the scale, but does not leave the support
        step = np.where(at[i] == 0, 1.0, np.abs(at[i]))
        by_row, error = slope(
            lambda t, i=i, step=step: np.asarray(first(*at[:i], at[i] + t * step, *at[i + 1 :])), 0.02
        )
        ours = found[:, row]
        yield Pair(
            parameters[i], ours, by_row / step[:, None], error / step[:, None], largest * np.ones_like(ours)
        )


def largest_errors(name: str, kind: str) -> dict[str, float]:
    """The largest relative error for each argument, where the differences have 8 digits."""
    found = {}
    for pair in pairs(name, kind) if name not in SLOW else ():
        truth = np.abs(pair.by_differences)
        good = (pair.error < 1e-8 * truth) & (truth > 1e-8 * pair.size)
        apart = np.abs(pair.ours - pair.by_differences)[good] / truth[good]
        if apart.size:
            found[pair.argument] = float(np.max(np.where(np.isnan(apart), np.inf, apart)))
    return found
