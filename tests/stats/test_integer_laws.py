"""Laws of sums and of urns, whose shapes are integers, and Landau's: derivatives beside other formulas."""

import jax
import numpy as np
import pytest
import scipy.stats
from mpmath import mp

from hostwrap import stats
from tests.stats.exact import chances


def spread(function, x, step="1e-15"):
    step = abs(x) * mp.mpf(step)
    return (function(x + step) - function(x - step)) / (2 * step)


def close(got, right, rtol=1e-12):
    assert abs(mp.mpf(float(got)) - right) <= rtol * abs(right)


# ---- the sum of n uniform numbers


def alternating(n, x, power):
    """The sum over k of (-1)^k binom(n, k) (x - k)^power, for which it takes digits."""
    return mp.fsum((-1) ** k * mp.binomial(n, k) * (x - k) ** power for k in range(int(mp.floor(x)) + 1))


@pytest.mark.parametrize("n", [2, 3, 10, 40])
def test_irwin_hall(n):
    f = stats.irwinhall
    with mp.workdps(200):
        for x in (1e-3 * n, 0.1 * n + 0.01, 0.43 * n, 0.9 * n + 0.003):
            density = alternating(n, mp.mpf(x), n - 1) / mp.factorial(n - 1)
            slope = alternating(n, mp.mpf(x), n - 2) / mp.factorial(n - 2)
            below = alternating(n, mp.mpf(x), n) / mp.factorial(n)
            close(jax.grad(f.pdf)(x, n), slope)
            close(jax.grad(f.logpdf)(x, n), slope / density)
            close(jax.grad(jax.grad(f.cdf))(x, n), slope)
            close(jax.grad(f.logcdf)(x, n), density / below)
            close(jax.grad(f.logsf)(x, n), -density / (1 - below))
    np.testing.assert_allclose(jax.grad(f.pdf)(3.0, 5, 1.0, 2.0), jax.grad(f.pdf)(1.0, 5) / 4, rtol=1e-15)


# ---- Wallenius' urn


@pytest.mark.parametrize(
    "case",
    [
        (3, 20, 8, 7, 0.5), (0, 20, 8, 7, 3.0), (5, 20, 8, 15, 0.02), (30, 140, 80, 60, 0.5), (2, 30, 10, 5, 1e4),
        (2, 30, 10, 5, 1e-5),
    ],
)  # fmt: skip
def test_wallenius(case):
    k, *urn, odds = case
    f, at = stats.nchypergeom_wallenius, tuple(map(float, case))
    with mp.workdps(50):
        chance = chances(*urn, mp.mpf(odds))
        step = odds * mp.mpf("1e-15")
        up, down = chances(*urn, odds + step), chances(*urn, odds - step)
        slope = [(a - b) / (2 * step) for a, b in zip(up, down, strict=True)]
        below, above = mp.fsum(slope[: k + 1]), mp.fsum(slope[k + 1 :])
        close(jax.grad(f.pmf, 4)(*at), slope[k])
        close(jax.grad(f.logpmf, 4)(*at), slope[k] / chance[k])
        close(jax.grad(f.cdf, 4)(*at), below)
        close(jax.grad(f.sf, 4)(*at), above)
        close(jax.grad(f.logcdf, 4)(*at), below / mp.fsum(chance[: k + 1]))
        close(jax.grad(f.logsf, 4)(*at), above / mp.fsum(chance[k + 1 :]))


def test_all_taken_out_of_an_urn():
    f = stats.nchypergeom_wallenius
    assert jax.grad(f.logpmf, 4)(5.0, 8.0, 5.0, 8.0, 2.0) == 0
    assert jax.grad(f.logpmf, 4)(3.0, 10.0, 10.0, 3.0, 2.0) == 0


# ---- Landau's law


def landau(x):
    """By its integral in log t, with steps of another size."""
    x, step = mp.pi / 2 * x + mp.log(mp.pi / 2), mp.mpf(1) / 30

    def term(v):
        t = mp.exp(v)
        return t * mp.exp(-t * (v + x)) * mp.sin(mp.pi * t)

    return mp.fsum(term(step * j) for j in range(-1200, 150)) * step / 2


@pytest.mark.parametrize("x", [-1.7, -1.0, -0.9, 0.3, 4.0, 1e4])
def test_landau(x):
    f = stats.landau
    with mp.workdps(40):
        value, slope = landau(mp.mpf(x)), spread(landau, mp.mpf(x))
        assert abs(value / mp.mpf(float(scipy.stats.landau.pdf(x))) - 1) < 1e-13
        close(jax.grad(f.pdf)(x), slope)
        close(jax.grad(f.logpdf, 2)(x, 0.0, 1.0), -x * slope / value - 1)
        close(jax.grad(jax.grad(f.cdf))(x), slope)


def test_landau_far_below():
    # there f is about sqrt(s) exp(-s), s = exp(-1 - pi / 2 x - log(pi / 2)), and the slope of its log pi / 2 (s - 1/2)
    s = np.exp(-1 + np.pi / 2 * 3.8 - np.log(np.pi / 2))
    np.testing.assert_allclose(jax.grad(stats.landau.logpdf)(-3.8), np.pi / 2 * (s - 0.5), rtol=1e-4)
