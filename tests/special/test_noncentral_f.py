"""Derivatives of the noncentral F distribution where its degrees of freedom are far apart, beside mpmath's."""

import itertools

import jax
import mpmath
import numpy as np
import pytest

from hostwrap import special
from hostwrap.special.noncentral import mp as definitions

APART = [
    (3.04e-4, 1.598e-11, 2.308e-6, 2.842e-4),
    (3.1e-5, 0.7, 0.4, 1e-3),
    (60.0, 3e-9, 1e-3, 40.0),
]
SECOND = list(itertools.combinations_with_replacement(range(4), 2))


def truth(along, point):
    """The central difference of F in each of the arguments, at a precision that has its digits."""
    with mpmath.workdps(60):
        step = mpmath.mpf(10) ** -12
        if len(along) == 2 and along[0] == along[1]:
            moves = [({along[0]: sign}, weight) for sign, weight in ((1, 1), (0, -2), (-1, 1))]
            scale = (step * point[along[0]]) ** 2
        else:
            signs = list(itertools.product((1, -1), repeat=len(along)))
            moves = [(dict(zip(along, s, strict=True)), int(np.prod(s))) for s in signs]
            scale = mpmath.fprod(2 * step * point[i] for i in along)
        place = lambda move: [mpmath.mpf(x) * (1 + step * move.get(i, 0)) for i, x in enumerate(point)]
        return float(mpmath.fsum(w * definitions.f_cdf(mpmath.mp, *place(m)) for m, w in moves) / scale)


@pytest.mark.parametrize("along", [*((i,) for i in range(4)), *SECOND], ids=str)
def test_derivatives_have_all_digits_where_one_degree_of_freedom_is_far_below_the_other(along):
    f = special.ncfdtr
    for i in along:
        f = jax.grad(f, i)
    given = jax.jit(jax.vmap(f))(*np.transpose(APART))
    np.testing.assert_allclose(given, [truth(along, point) for point in APART], rtol=1e-9)


@pytest.mark.parametrize("along", SECOND, ids=str)
@pytest.mark.parametrize("dfn, dfd", [(4.0, 1e5), (4.0, 1e8), (4.0, 1e12), (4.0, 1e19), (2.5e-12, 96.0)])
def test_second_derivatives_are_right_or_nan_where_dfd_is_large(along, dfn, dfd):
    point = dfn, dfd, 3.0, 1.2
    given = jax.jit(jax.grad(jax.grad(special.ncfdtr, along[0]), along[1]))(*point)
    if 1 not in along or dfd == 1e5:
        np.testing.assert_allclose(given, truth(along, point), rtol=1e-8)
    else:
        assert np.isnan(given) or np.isclose(given, truth(along, point), rtol=1e-8, atol=0)
