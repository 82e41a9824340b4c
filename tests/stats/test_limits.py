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
        step = (abs(x) or 1) * mp.mpf(10) ** -20
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


def of_beta(x, a, b):
    return (a - 1) * mp.log(x) + (b - 1) * mp.log(1 - x) - mp.log(mp.beta(a, b))


def of_gamma(x, a):
    return (a - 1) * mp.log(x) - x - mp.loggamma(a)


# of a density next to its largest value: a formula whose terms are 1e7 times as large, and more
PEAKS = {
    "gamma": (of_gamma, (1e8 + 3e3, 1e8)),
    "chi": (lambda x, df: of_gamma(x * x / 2, df / 2) + mp.log(x), (3e4 + 0.3, 9e8)),
    "nakagami": (lambda x, nu: of_gamma(nu * x * x, nu) + mp.log(2 * nu * x), (1 + 3e-5, 2e8)),
    "invgamma": (lambda x, a: of_gamma(1 / x, a) - 2 * mp.log(x), (1.0001e-8, 1e8)),
    "gengamma": (lambda x, a, c: of_gamma(x**c, a) + mp.log(c * x ** (c - 1)), (1e4 + 0.1, 1e8, 2.0)),
    "loggamma": (lambda x, c: of_gamma(mp.exp(x), c) + x, (18.4206, 1e8)),
    "dgamma": (lambda x, a: of_gamma(abs(x), a) - mp.log(2), (-1e8 - 3e3, 1e8)),
    "beta": (of_beta, (0.25001, 1e8, 3e8)),
    "betaprime": (lambda x, a, b: of_beta(x / (1 + x), a, b) - 2 * mp.log(1 + x), (0.33334, 1e8, 3e8)),
    "jf_skew_t": (
        lambda x, a, b: of_beta((1 + x / mp.sqrt(a + b + x * x)) / 2, a, b)
        + mp.log((a + b) / 2) - 1.5 * mp.log(a + b + x * x),
        (-2312.7, 8.0, 2.7e7),
    ),
    "foldnorm": (lambda x, c: mp.log(mp.npdf(x - c) + mp.npdf(x + c)), (1e7 + 0.5, 1e7)),
}  # fmt: skip


@pytest.mark.parametrize("name", PEAKS)
def test_a_density_next_to_its_peak(name):
    formula, at = PEAKS[name]
    with mp.workdps(60):
        density = float(mp.exp(formula(*map(mp.mpf, at))))
    np.testing.assert_allclose(jax.grad(getattr(stats, name).cdf)(*at), density, rtol=1e-11)


MASSES = {
    "poisson": (lambda k, mu: k * mp.log(mu) - mu - mp.loggamma(k + 1), (1e8 + 2e3, 1e8), 1),
    "binom": (lambda k, n, p: mp.log(mp.binomial(n, k) * p**k * (1 - p) ** (n - k)), (1.0001e8, 4e8, 0.25), 2),
    "nbinom": (lambda k, n, p: mp.log(mp.binomial(n + k - 1, k) * p**n * (1 - p) ** k), (3.0003e8, 1e8, 0.25), 2),
    "betabinom": (
        lambda k, n, a, b: mp.log(mp.beta(k + a, n - k + b) / mp.beta(a, b)), (0.0, 5.0, 1.3e-5, 1.6e5), 2
    ),
    "betanbinom": (lambda k, n, a, b: mp.log(mp.beta(n + a, k + b) / mp.beta(a, b)), (5.0, 5.0, 2e8, 3.0), 2),
}  # fmt: skip


@pytest.mark.parametrize("name", MASSES)
def test_a_mass_next_to_its_peak(name):
    formula, at, i = MASSES[name]
    with mp.workdps(60):
        right = slopes(formula, at)[i]
        size = float(mp.exp(formula(*map(mp.mpf, at))))
    np.testing.assert_allclose(jax.grad(getattr(stats, name).logpmf, i)(*at), right, rtol=1e-10)
    if name in ("poisson", "binom", "nbinom"):
        np.testing.assert_allclose(jax.grad(getattr(stats, name).pmf, i)(*at), right * size, rtol=1e-10)


def test_a_power_that_is_almost_an_exponential():
    def below(x, beta, m):
        tail = mp.exp(-(beta**2) / 2) * m / beta / (m - 1)
        core = mp.sqrt(2 * mp.pi) * (mp.ncdf(x) - mp.ncdf(-beta))
        return mp.log((tail + core) / (tail + mp.sqrt(2 * mp.pi) * mp.ncdf(beta)))

    at = (-1.506, 2.0, 2e8)
    with mp.workdps(60):
        right = slopes(below, at)
    np.testing.assert_allclose(jax.grad(stats.crystalball.logcdf, (0, 1, 2))(*at), right, rtol=1e-11)


@pytest.mark.parametrize(("x", "K"), [(14347.5, 12650.0), (1e-9, 1e8), (-3.0, 1e8), (0.3, 0.7)])
def test_a_normal_and_a_long_exponential_variable(x, K):
    with mp.workdps(60):
        below = lambda x, K: mp.log(mp.ncdf(x) - mp.exp(1 / (2 * K * K) - x / K) * mp.ncdf(x - 1 / K))
        right = slopes(below, (x, K))
    np.testing.assert_allclose(jax.grad(stats.exponnorm.logcdf, (0, 1))(x, K), right, rtol=1e-11)


@pytest.mark.parametrize("h", [-0.7, 0.0, 1e-9, 0.3])
def test_next_to_the_peak_of_kappa4(h):
    def logpdf(x, h, k):
        u = mp.log(1 - k * x) / k if k else -x
        return (1 - k) * u + ((1 - h) / h * mp.log(1 - h * mp.exp(u)) if h else -mp.exp(u))

    at = (3e-9, h, 0.0)
    with mp.workdps(60):
        right = slopes(logpdf, at)
    np.testing.assert_allclose(jax.grad(stats.kappa4.logpdf, (0, 1, 2))(*at), right, rtol=1e-9)


def test_a_logarithm_whose_slope_overflows_in_x_alone():
    # log F is -1 / (2 y) and less, y = x / scale
    assert jax.grad(stats.wald.logcdf, 2)(1.0, 0.0, 1e160) == -0.5
    assert jax.grad(stats.invgauss.logcdf, 3)(1e-200, 2.0, 0.0, 1.0) == -5e199


@pytest.mark.parametrize("kind", ["logcdf", "logsf"])
def test_a_normal_and_two_exponential_variables(kind):
    """Of dpareto_lognorm, where the side that falls like a power of x is not the larger part."""

    def logarithm(x, u, s, a, b):
        z = (mp.log(x) - u) / s
        right = b * mp.npdf(z) * mp.ncdf(z - a * s) / mp.npdf(a * s - z)
        left = a * mp.npdf(z) * mp.ncdf(-b * s - z) / mp.npdf(b * s + z)
        part = (right - left) / (a + b)
        return mp.log(mp.ncdf(z) - part if kind == "logcdf" else mp.ncdf(-z) + part)

    for at in [
        (0.3, -0.97, 1.2, 2.6e5, 2.1),
        (7e-15, 2.5e-6, 0.6, 0.93, 4.4e-4),
        (2e205, 3.0, 1.2, 9.7e-4, 2.0),
    ]:
        with mp.workdps(60):
            right = slopes(logarithm, at)
        got = jax.grad(getattr(stats.dpareto_lognorm, kind), range(5))(*at)
        np.testing.assert_allclose(got, right, rtol=1e-9)


MIXED = {
    "betabinom": (
        lambda k, n, a, b: mp.log(mp.beta(k + a, n - k + b) / mp.beta(a, b) / mp.beta(k + 1, n - k + 1) / (n + 1)),
        [
            (2116193.0, 3095607442.0, 0.0156, 30.9), (0.0, 3099028.0, 0.5, 2.665e7), (0.0, 23.0, 7690.4, 8.5e8),
            (2.0001e8, 4e8, 3e8, 3e8),
        ],
    ),
    "betanbinom": (
        lambda k, n, a, b: mp.log(mp.beta(n + a, k + b) / mp.beta(a, b) / mp.beta(n, k + 1) / (n + k)),
        [(0.0, 72803801.0, 3.807e7, 0.0393), (692389.0, 1.0, 20.9, 9.5e6), (2.0001e8, 2e8, 3e8, 3e8)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MIXED)
def test_counts_and_shapes_that_are_large(name):
    formula, places = MIXED[name]
    for at in places:
        with mp.workdps(60):
            right, size = np.array(slopes(formula, at)[2:]), float(mp.exp(formula(*map(mp.mpf, at))))
        slope = jax.grad(getattr(stats, name).logpmf, (2, 3))(*at)
        np.testing.assert_allclose(slope, right, rtol=2e-9)
        slope = np.array(jax.grad(getattr(stats, name).pmf, (2, 3))(*at))
        np.testing.assert_allclose(slope, size * right, rtol=2e-9)


APART = {
    "f": (lambda x, m, n: of_f(x, m, n), (1.0515341817120245e162, 5.05, 0.124), "logpdf"),
    "foldcauchy": (lambda x, c: mp.log(1 / (1 + (x - c) ** 2) + 1 / (1 + (x + c) ** 2)), (1.28, 2e5), "logpdf"),
    "foldnorm": (lambda x, c: mp.ncdf(x - c) - mp.ncdf(-x - c), (9216061.3, 9216067.83), "cdf"),
    "laplace_asymmetric": (lambda x, k: mp.exp(x / k) / (1 + 1 / k**2), (-0.3, 2e5), "cdf"),
    "truncweibull_min": (  # b^c overflows
        lambda x, c, a, b: mp.log(c) + (c - 1) * mp.log(x) - x**c + a**c - mp.log(1 - mp.exp(a**c - b**c)),
        (0.9942488, 632.439, 0.25, 3.726), "logpdf",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", APART)
def test_a_place_and_a_shape_far_apart(name):
    formula, at, kind = APART[name]
    with mp.workdps(400 if name == "f" else 60):
        right = slopes(formula, at)
    np.testing.assert_allclose(
        jax.grad(getattr(getattr(stats, name), kind), range(len(at)))(*at), right, rtol=1e-8
    )


def test_vectors_of_many_counts():
    x, p, alpha = (1801234, 4500321, 2698445), (0.2, 0.5, 0.3), (2e6, 5.1e6, 3e6)
    n = sum(x)
    with mp.workdps(40):
        ways = mp.loggamma(n + 1) - mp.fsum(mp.loggamma(k + 1) for k in x)
        size = mp.exp(ways + mp.fsum(k * mp.log(mp.mpf(q)) for k, q in zip(x, p, strict=True)))
        right = [float(size * k / q) for k, q in zip(x, p, strict=True)]

        def mixed(*alpha):
            total = mp.fsum(alpha)
            rising = mp.fsum(mp.loggamma(a + k) - mp.loggamma(a) for a, k in zip(alpha, x, strict=True))
            return mp.exp(ways + mp.loggamma(total) - mp.loggamma(total + n) + rising)

        right_mixed = slopes(mixed, alpha)
    np.testing.assert_allclose(jax.grad(stats.multinomial.pmf, 2)(x, n, np.array(p)), right, rtol=1e-9)
    slope = jax.grad(stats.dirichlet_multinomial.pmf, 1)(x, np.array(alpha), n)
    np.testing.assert_allclose(slope, right_mixed, rtol=1e-8)
