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
    ("fdtri", (3.5, 2832.0, 6e-256), [(0, 1), (1, 1), (1, 2)]),
    ("fdtri", (2.1, 0.0049, 5e-164), [(0, 1), (1, 1), (1, 2)]),
    ("chndtrix", (9e-135, 1.12, 3.7), [(0, 0), (0, 1), (0, 2)]),
    ("chndtrix", (9e-150, 1.9, 10.0), [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]),
    ("gammaincinv", (0.914, 1.79e-286), [(0, 1), (1, 1)]),
    ("gammaincinv", (0.5944, 5.4e-187), [(0, 1), (1, 1)]),
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


@pytest.mark.parametrize(
    "name, j, at", [("gammaincinv", 1, lambda y: (2.0, y)), ("betaincinv", 2, lambda y: (2.0, 1.0, y))]
)
def test_third_derivatives_are_powers(name, j, at):
    """(2 y)^(1/2), and y^(1/2) to all digits: the third one is 3/8 y^(-5/2), where y^3 is no double."""
    function, y = getattr(special, name), 1e-115
    factor = np.sqrt(2.0) if name == "gammaincinv" else 1.0
    third = jax.grad(jax.grad(jax.grad(function, j), j), j)(*at(y))
    np.testing.assert_allclose(third / (factor * 0.375e287), np.sqrt(10.0), rtol=1e-12)


def test_the_upper_quantile_is_the_lower_one_next_to_zero():
    lower = jax.hessian(special.gammaincinv, (0, 1))(0.0034, 0.125)
    upper = jax.hessian(special.gammainccinv, (0, 1))(0.0034, 0.875)
    for i, j in [(0, 0), (0, 1), (1, 1)]:
        np.testing.assert_allclose(upper[i][j], (-1) ** (i + j) * lower[i][j], rtol=1e-12)


def slope(function, point, j):
    """The five-point rule in argument j."""
    h = STEP * point[j]
    at = lambda k: float(function(*(x + k * h * (m == j) for m, x in enumerate(point))))
    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)
