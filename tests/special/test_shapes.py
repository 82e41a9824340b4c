"""Shapes and quantiles of gamma distributions where the probability is tiny, or the shape is known to its rounding."""

import jax
import numpy as np
import pytest
import scipy.stats

from hostwrap import special


def test_the_slope_of_a_shape_is_no_product_of_what_over_and_underflows():
    """-d^2 b / da dp = 8.7e229 is of the order of 1/p, while its factors are as 1/p^2."""
    for order in ((0, 1), (1, 0)):
        mixed = jax.jit(jax.grad(jax.grad(special.gdtrib, order[0]), order[1]))
        np.testing.assert_allclose(mixed(0.7, 8e-232, 5.0), -8.65769513889312e229, rtol=1e-10)


@pytest.mark.parametrize("size", [1e18, 1e23, 1e40, 1e80])
def test_shapes_so_large_that_their_rounding_is_many_widths_of_the_distribution(size):
    """There the shape is a x, but for a multiple of its root."""
    np.testing.assert_allclose(jax.jit(jax.grad(special.gdtrib))(size, 0.3, 7.0), 7.0, rtol=1e-7)
    np.testing.assert_allclose(jax.jit(jax.grad(special.gdtrib, 2))(7.0, 0.3, size), 7.0, rtol=1e-7)
    if size < 1e30:  # beyond, SciPy has no quantile
        np.testing.assert_allclose(jax.jit(jax.grad(special.gammaincinv))(size, 0.3), 1.0, rtol=1e-7)
    # the distribution is a normal one with the variance a x
    density = scipy.stats.norm.pdf(scipy.stats.norm.ppf(0.3)) / np.sqrt(7.0 * size)
    np.testing.assert_allclose(jax.jit(jax.grad(special.gdtrib, 1))(size, 0.3, 7.0), -1 / density, rtol=1e-7)
