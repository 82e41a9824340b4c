"""The public methods of SciPy's distributions are traced, in the place and in all parameters."""

import jax
import numpy as np
import pytest
import scipy.stats

import hostwrap as hw
from tests._kit.toys import same
from tests._kit.versions import SCIPY

DISTRIBUTIONS = {"norm": (), "gamma": (2.2,), "beta": (2.0, 3.0), "weibull_min": (1.7,), "gumbel_r": ()}
X = np.array([0.3, 0.7, -0.5])  # of most of them the last one is outside


def difference(f, x, h=1e-4):
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)


@pytest.mark.parametrize("method", ["logpdf", "pdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf"])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.rotating
def test_public_methods_are_traced(name, method):
    shapes, distribution = DISTRIBUTIONS[name], getattr(scipy.stats, name)
    x = np.abs(X) if method in ("ppf", "isf") else X

    def value(scale):
        return getattr(distribution, method)(x, *shapes, 0.05, scale)

    f = hw.wrap(value, out=jax.ShapeDtypeStruct((3,), np.float64))
    assert hw.explain(f, 1.2).way == "traced"
    with np.errstate(invalid="ignore"):
        wanted = np.nan_to_num(difference(value, 1.2))  # -inf stays -inf
    same(jax.jit(jax.jacfwd(f))(1.2), wanted, 1e-7)
    frozen = hw.wrap("(n)->(n)")(lambda y: getattr(distribution(*shapes), method)(y))
    inside = np.array([0.3, 0.7])
    slope = difference(lambda y: getattr(distribution, method)(y, *shapes), inside)
    same(np.diag(jax.jacrev(frozen)(inside)), slope, 1e-7)


def test_statistics_of_an_array_are_followed():
    x, f = np.array([0.3, 1.1, 2.5, 2.7]), lambda x: scipy.stats.kstat(x)
    g = hw.wrap("(n)->()")(f)
    traced = (1, 16) <= SCIPY < (1, 18)  # SciPy 1.18 looks at the numbers again
    assert hw.explain(g, x).way == ("traced" if traced else "recorded")
    want = [(f(x + h) - f(x - h)) / 2e-6 for h in np.eye(4) * 1e-6]
    np.testing.assert_allclose(jax.grad(g)(x), want, rtol=1e-7, atol=1e-9)
