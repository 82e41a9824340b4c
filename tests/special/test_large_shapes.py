"""Quantiles of gamma distributions of large shapes: SciPy's have lost digits in the lower tail."""

import jax
import numpy as np
import pytest

from hostwrap import special
from hostwrap.special.gamma_incomplete import inverse

# a, y, and the derivatives of gammainccinv in a, in a twice, in y and in y twice, by differences of Arb's root
LARGE = [
    (282377685.31630164, 0.9999999999996254),
    (5e6, 1 - 2.0**-30),
]
SLOPES = [
    (0.9997866548316222, 3.7776562668958806e-13, -6139554607022557.0, -1.608820863772598e28),
    (0.998656267910198, 1.343731654529437e-10, -388587893975.4582, -4.0651658620698984e20),
]


@pytest.mark.parametrize("point, want", list(zip(LARGE, SLOPES, strict=True)))
def test_derivatives_are_those_of_the_true_root(point, want):
    found = []
    for i in (0, 1):
        first = jax.grad(special.gammainccinv, i)
        found += [first(*point), jax.grad(first, i)(*point)]
    np.testing.assert_allclose(found, want, rtol=1e-12)


@pytest.mark.parametrize("i, j", [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (0, 3)])
def test_the_expansion_goes_on_where_the_root_is_good(monkeypatch, i, j):
    """In the upper tail and in the middle SciPy's root has its digits, and derivatives at it are the same."""
    a = np.repeat([1.01 * inverse.NORMAL, 1e7, 1e9], 4)
    q = np.tile([0.9, 0.4, 1e-4, 1e-40], 3)
    found = inverse.gamma_quantile_ij(a, q, i=i, j=j, upper=True)
    monkeypatch.setattr(inverse, "NORMAL", np.inf)
    np.testing.assert_allclose(found, inverse.gamma_quantile_ij(a, q, i=i, j=j, upper=True), rtol=2e-10)
