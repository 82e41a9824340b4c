"""Laws of gamma variables of large shapes, below the mean, where SciPy's gammainc ends its series early."""

import jax
import numpy as np
import pytest

from hostwrap import stats


def slope(a, x):
    """Of log(P(a, x)): P is the density times x / a times the sum of x^k / ((a + 1) ... (a + k)), DLMF 8.7.1."""
    terms = np.cumprod(x / (a + np.arange(1, int(60 * np.sqrt(a)))))
    return a / (x * (1 + np.sum(terms)))


# the method in a number x at which the gamma variable is z(x)
LAWS = {
    "gamma": (lambda x, a: stats.gamma.logcdf(x, a), lambda x, a: x),
    "erlang": (lambda x, a: stats.erlang.logcdf(x, a), lambda x, a: x),
    "chi2": (lambda x, a: stats.chi2.logcdf(x, 2 * a), lambda x, a: x / 2),
    "chi": (lambda x, a: stats.chi.logcdf(x, 2 * a), lambda x, a: x * x / 2),
    "nakagami": (lambda x, a: stats.nakagami.logcdf(x, a), lambda x, a: a * x * x),
    "gengamma": (lambda x, a: stats.gengamma.logcdf(x, a, 2.0), lambda x, a: x * x),
    "invgamma": (lambda x, a: stats.invgamma.logsf(x, a), lambda x, a: 1 / x),
    "loggamma": (lambda x, a: stats.loggamma.logcdf(x, a), lambda x, a: jax.numpy.exp(x)),
    "poisson": (lambda x, a: stats.poisson.logsf(a - 1, x), lambda x, a: x),
}
INVERSE = {
    "chi2": lambda z, a: 2 * z,
    "chi": lambda z, a: np.sqrt(2 * z),
    "nakagami": lambda z, a: np.sqrt(z / a),
    "gengamma": lambda z, a: np.sqrt(z),
    "invgamma": lambda z, a: 1 / z,
    "loggamma": lambda z, a: np.log(z),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.rotating
def test_the_logarithm_of_a_small_probability(name):
    method, to_gamma = LAWS[name]
    for a, deviations in ((3e5, 8.0), (2607514.0, 6.545), (4e8, 20.0)):
        x = INVERSE.get(name, lambda z, a: z)(a - deviations * np.sqrt(a), a)
        z, dz = jax.value_and_grad(to_gamma)(x, a)
        # a change of x in the last place moves z by so many standard deviations
        digits = 4e-16 * float(abs(x * dz)) / np.sqrt(a) * deviations + 1e-13
        assert abs(float(jax.grad(method)(x, a)) / (slope(a, float(z)) * float(dz)) - 1) < 20 * digits
