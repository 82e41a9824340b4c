"""Second derivatives of densities and probabilities of all distributions, beside differences of the first ones."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

from hostwrap import stats
from hostwrap._rules.differences import slope
from hostwrap._table.partials import Unknown
from hostwrap.stats import _catalogue
from tests._kit.days import LONG_TURN
from tests.stats.cases import SHAPES

LEVELS = (0.1, 0.6, 0.95)
# integrals that take minutes for a difference of differences; they have tests of their own
SLOW = {"genhyperbolic", "levy_stable", "studentized_range", "vonmises", "vonmises_line"}


def points(name):
    """(x, *shapes, loc, scale), or (k, *shapes, loc), in columns."""
    family, scipys = getattr(stats, name), getattr(scipy.stats, name)
    after = (0.25, 1.75) if family.continuous else (2.0,)
    found = []
    for shapes in SHAPES[name]:
        with np.errstate(all="ignore"):
            places = np.unique(scipys.ppf(LEVELS, *shapes, *after))
        found += [(x, *map(float, shapes), *after) for x in places]
    return np.array(found).T.copy()


@pytest.mark.rotating(turn=LONG_TURN)
@pytest.mark.parametrize("kind", ["density", "cdf"])
@pytest.mark.parametrize("name", [name for name in _catalogue.names() if name not in SLOW])
def test_second_derivatives(name, kind):
    family = getattr(stats, name)
    kind = ("logpdf" if family.continuous else "logpmf") if kind == "density" else kind
    method = getattr(family, kind)
    moving = tuple(
        i for i, n in enumerate(method.__signature__.parameters) if not isinstance(method.rules[n], Unknown)
    )
    if not moving:
        return
    at = points(name)
    first = jax.vmap(lambda *a: jnp.stack(jax.grad(method, moving)(*a)))
    second = jax.vmap(
        lambda *a: jnp.stack(jax.jacfwd(lambda *b: jnp.stack(jax.grad(method, moving)(*b)), moving)(*a))
    )
    found = np.asarray(jax.jit(second)(*at))  # [points, of the slope in, the slope in]
    first = jax.jit(first)
    for row, i in enumerate(moving):
        # a step in x or loc is a part of the scale, but does not leave the support
        size = np.where(at[i] == 0, 1.0, np.abs(at[i]))
        by_row, error = slope(
            lambda t, i=i, size=size: np.asarray(first(*at[:i], at[i] + t * size, *at[i + 1 :])), 0.02
        )
        by_row, error = by_row / size[:, None], error / size[:, None]
        good = error < 1e-5 * np.abs(by_row)
        size = np.max(np.abs(found), axis=(1, 2))[:, None]
        apart = np.abs(found[:, row] - by_row)
        assert np.isfinite(found[:, row][good]).all(), (name, kind, i)
        assert np.all(
            apart[good]
            <= 1e-6 * np.abs(by_row[good]) + 20 * error[good] + 1e-12 * (size * np.ones_like(apart))[good]
        )
