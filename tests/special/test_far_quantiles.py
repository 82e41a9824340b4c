"""Quantiles so far out that the square of the density leaves the doubles, where second derivatives do not.

A second derivative is beside the slope of the first one, in units in which that is of order one.
"""

import jax
import numpy as np
import pytest

from hostwrap import special

STEP = 1e-4  # relative; the five-point rule is off by about its fourth power

# name, arguments, and pairs of arguments whose second derivative is a double
POINTS = [
    ("btdtria", (1e-240, 20.4, 0.325), [(0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]),
    ("btdtria", (1e-180, 0.22, 0.5), [(0, 1), (0, 2), (1, 2)]),
    ("btdtrib", (43.7, 1e-240, 0.325), [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)]),
    ("btdtrib", (70.0, 3e-290, 0.8), [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)]),
    ("btdtrib", (90.0, 1e-240, 0.02), [(0, 1), (1, 2)]),
]


@pytest.mark.parametrize("name, point, pairs", POINTS)
def test_second_derivatives_are_slopes_of_first_ones(name, point, pairs):
    function = getattr(special, name)
    for i, j in pairs:
        first = jax.jit(jax.grad(function, i))
        second = jax.grad(jax.grad(function, i), j)(*point)
        np.testing.assert_allclose(
            second, slope(first, point, j), rtol=1e-6, err_msg=f"in arguments {i}, {j}"
        )


def slope(function, point, j):
    """The five-point rule in argument j."""
    h = STEP * point[j]
    at = lambda k: float(function(*(x + k * h * (m == j) for m, x in enumerate(point))))
    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)
