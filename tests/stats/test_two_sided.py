"""The two-sided Kolmogorov and Smirnov law, beside a determinant, and for many numbers by two ways."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats
from mpmath import mp

from hostwrap import stats
from hostwrap.stats._two_sided import _by_matrix, _from_smaller, above, two_sided
from tests.stats.exact import between_lines

PLACES = [
    (1, 0.7), (2, 0.3), (2, 0.6), (3, 0.2), (3, 0.31), (3, 0.9), (7, 0.1), (7, 0.2), (7, 0.4), (12, 0.05), (12, 0.3),
    (12, 0.49), (12, 0.7), (12, 0.99), (25, 0.11), (25, 0.49),
]  # fmt: skip


def close(found, truth, rtol, size=0):
    assert abs(mp.mpf(float(found)) - truth) <= rtol * abs(truth) + 1e-15 * size, (found, mp.nstr(truth, 17))


@pytest.mark.parametrize(("n", "x"), PLACES)
@pytest.mark.rotating
def test_by_a_determinant(n, x):
    with mp.workdps(80):
        h = mp.mpf("1e-14")
        p = [between_lines(n, mp.mpf(x) + j * h) for j in (-2, -1, 0, 1, 2)]
        slopes = [
            (8 * (p[3] - p[1]) - (p[4] - p[0])) / (12 * h),
            (-p[4] + 16 * p[3] - 30 * p[2] + 16 * p[1] - p[0]) / (12 * h * h),
            (p[4] - 2 * p[3] + 2 * p[1] - p[0]) / (2 * h**3),
        ]
        close(two_sided(n, x, dd=-1), p[2], 1e-14)
        close(above(n, x, dd=0), 1 - p[2], 1e-11)
        at_a_knot = abs(n * x - round(n * x)) < 1e-9  # of few pieces: from there on derivatives jump
        for order, slope in enumerate(slopes[: 1 if at_a_knot else 3]):
            close(two_sided(n, x, dd=order), slope, 1e-13, 2 * n**order * slopes[0])
        if not at_a_knot and slopes[0] > 1e-20:
            f = stats.kstwo
            close(jax.jit(jax.grad(f.cdf))(x, n), slopes[0], 1e-13)
            close(jax.jit(jax.grad(f.logsf))(x, n), -slopes[0] / (1 - p[2]), 1e-11)
            close(jax.jit(jax.grad(f.pdf))(x, n), slopes[1], 1e-13)
            if slopes[1]:
                close(jax.jit(jax.grad(f.logpdf))(x, n), slopes[1] / slopes[0], 1e-13)


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize(("n", "z"), [(1e4, 1.3), (4e4, 0.7), (1e5, 0.4)])
@pytest.mark.rotating
def test_by_fewer_numbers(n, z, order):
    x = z / np.sqrt(n)
    np.testing.assert_allclose(_from_smaller(n, x, order), _by_matrix(n, x, order), rtol=3e-16 * n + 5e-12)


@pytest.mark.rotating
def test_of_many_numbers_is_the_limit():
    n, z = 1e12, 0.9
    slope = jax.grad(stats.kstwobign.logpdf)(z)
    np.testing.assert_allclose(jax.grad(stats.kstwo.logpdf)(z / 1e6, n) / 1e6, slope, rtol=1e-5)
    assert (
        np.isnan(two_sided(1e9, 0.01 / np.sqrt(1e9), dd=0)) or two_sided(1e9, 0.01 / np.sqrt(1e9), dd=0) == 0
    )


def test_ends_and_what_is_none():
    assert [float(two_sided(5, x, dd=dd)) for x in (0.05, 1.0) for dd in (-1, 0, 1)] == [0, 0, 0, 1, 0, 0]
    assert np.isnan(two_sided(np.array([2.5, -1.0, np.nan]), 0.4, dd=0)).all()
    assert np.isnan(jax.grad(stats.kstwo.pdf)(0.4, 2.5))


def test_hessian_and_vmap():
    x = jnp.array([0.15, 0.27, 0.45])
    total = lambda loc, scale: jnp.sum(stats.kstwo.logpdf(loc + scale * x, 12, loc, scale))
    hessian = np.array(jax.jit(jax.hessian(total, (0, 1)))(0.3, 1.7))
    np.testing.assert_allclose(hessian, [[0, 0], [0, 3 / 1.7**2]], atol=1e-10)
    curvature = jax.vmap(jax.hessian(stats.kstwo.logpdf), (0, None))(x, 12)
    by_slopes = [
        (jax.grad(stats.kstwo.logpdf)(y + 1e-5, 12) - jax.grad(stats.kstwo.logpdf)(y - 1e-5, 12)) / 2e-5
        for y in map(float, x)
    ]
    np.testing.assert_allclose(curvature, by_slopes, rtol=1e-6)
    values = scipy.stats.kstwo.pdf(np.array(x), 12)
    np.testing.assert_array_equal(jax.jit(stats.kstwo.pdf)(x, 12), values)
