"""A parameter so large that the law is near its limit: the slope in it is small, and made of terms that are not."""

import jax
import numpy as np
import pytest
from mpmath import mp

from hostwrap import stats


def slopes(formula, at):
    """Of a formula at many digits, in each argument."""
    at, found = list(map(mp.mpf, at)), []
    for i, x in enumerate(at):
        step = abs(x) * mp.mpf(10) ** -20
        up, down = (formula(*at[:i], x + s * step, *at[i + 1 :]) for s in (1, -1))
        found.append((up - down) / (2 * step))
    return [float(slope) for slope in found]


def of_f(x, m, n):
    constant = mp.loggamma((m + n) / 2) - mp.loggamma(m / 2) - mp.loggamma(n / 2)
    return constant + m / 2 * mp.log(m / n) + (m / 2 - 1) * mp.log(x) - (m + n) / 2 * mp.log(1 + m * x / n)


def of_t(x, df, size=1):
    """Of vectors too: x is their length."""
    constant = mp.loggamma((df + size) / 2) - mp.loggamma(df / 2) - size * mp.log(df * mp.pi) / 2
    return constant - (df + size) / 2 * mp.log(1 + x * x / df)


@pytest.mark.parametrize("dfn", [0.3, 3.0, 1e4, 1e7])
@pytest.mark.parametrize("dfd", [0.7, 300.0, 7e3, 1e9])
@pytest.mark.parametrize("x", [1e-5, 1.3, 1e5])
@pytest.mark.rotating
def test_f(x, dfn, dfd):
    with mp.workdps(60):
        right = slopes(of_f, (x, dfn, dfd))
    np.testing.assert_allclose(jax.grad(stats.f.logpdf, (0, 1, 2))(x, dfn, dfd), right, rtol=2e-10)


@pytest.mark.parametrize("df", [0.3, 29.0, 31.0, 3e3, 1e7, 1e12])
@pytest.mark.parametrize("x", [1e-5, 1.3, 1e5])
def test_t(x, df):
    with mp.workdps(60):
        right = slopes(of_t, (x, df))
    np.testing.assert_allclose(jax.grad(stats.t.logpdf, (0, 1))(x, df), right, rtol=1e-12)


@pytest.mark.parametrize("df", [0.3, 300.0, 1e4, 1e9])
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.rotating
def test_t_of_vectors(size, df):
    x = np.zeros(size)
    x[0] = 1.7
    with mp.workdps(60):
        right = slopes(lambda x, df: of_t(x, df, size), (1.7, df))
    slope = jax.grad(stats.multivariate_t.logpdf, (0, 3))(x, np.zeros(size), np.eye(size), df)
    np.testing.assert_allclose([slope[0][0], slope[1]], right, rtol=1e-12)
