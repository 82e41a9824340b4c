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
    assert hw.explain(g, x).way == ("traced" if SCIPY >= (1, 16) else "recorded")
    want = [(f(x + h) - f(x - h)) / 2e-6 for h in np.eye(4) * 1e-6]
    np.testing.assert_allclose(jax.grad(g)(x), want, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(
    "name, shapes, end",
    [("gamma", (2.3,), 0.0), ("weibull_min", (1.7,), 0.0), ("beta", (2.5, 4.0), 1.0), ("invgamma", (2.5,), 0.0),
     ("truncexpon", (1.5,), 0.0)],
)  # fmt: skip
def test_a_density_at_an_end_of_its_support(name, shapes, end):
    """Where it vanishes, it does so for other shapes and scales, too."""

    def values(shapes, scale, x):
        return getattr(scipy.stats, name).pdf(x, *shapes, 0.0, scale)

    given = np.array(shapes), 1.0, np.array([end, 0.4])
    f = hw.wrap("(p),(),(n)->(n)")(values)
    assert hw.explain(f, *given).way == "traced"
    which = (0, 1)[: 1 + (end == 0)]  # at another end than 0 the scale moves the end past the place
    want = [[difference(lambda h, e=e: values(shapes + h * e, *given[1:]), 0.0) for e in np.eye(len(shapes))],
            [difference(lambda h: values(given[0], 1 + h, given[2]), 0.0)]]  # fmt: skip
    for jacobian in (jax.jacrev, jax.jacfwd):
        for i, found in zip(which, jax.jit(jacobian(f, which))(*given), strict=True):
            same(np.reshape(found, (2, -1)), np.stack(want[i], axis=-1), 1e-7)
    for second in jax.tree.leaves(jax.jit(jax.jacfwd(jax.jacrev(f, which), which))(*given)):
        assert np.isfinite(second).all()
        assert name == "truncexpon" or not np.any(second[0])


@pytest.mark.parametrize("b", [1.5, 1.8])
def test_an_end_that_the_scale_moves_past_the_place(b):
    """beta.pdf(1, 2, b) is 0, and grows without bound in the scale: that is no 0."""
    f = hw.wrap(lambda scale: scipy.stats.beta.pdf(1.0, 2.0, b, scale=scale))
    assert not np.isfinite(jax.grad(f)(1.0))


def test_a_density_at_an_end_in_its_place():
    """There the formula of the density says it: a number, or NaN. Zero where SciPy leaves the end out."""
    grad = lambda law, *shapes: float(jax.grad(hw.wrap(lambda x: law.pdf(x, *shapes, scale=1.3)))(0.0))
    assert grad(scipy.stats.lognorm, 0.8) == 0 == grad(scipy.stats.maxwell)
    assert np.isnan(grad(scipy.stats.gamma, 2.0))  # 0 on the left, 1 on the right
    assert grad(scipy.stats.expon) == pytest.approx(-1 / 1.3**2)


@pytest.mark.parametrize(
    "value, want, second",
    [
        (lambda s: scipy.stats.norm(0.3, s).expect(lambda t: t**2), 2.4, 2.0),
        (lambda s: scipy.stats.gamma(1.3, scale=s).expect(lambda t: t**2), 7.176, 5.98),
        (lambda s: scipy.stats.gamma(s, scale=s).expect(), 2.4, 2.0),
    ],
)
def test_an_expectation_over_a_support_whose_ends_no_scale_moves(value, want, second):
    """SciPy integrates from loc + a * scale, also where a is 0 or infinite."""
    f = hw.wrap(value)
    np.testing.assert_allclose(jax.grad(f)(1.2), want, rtol=1e-9)
    np.testing.assert_allclose(jax.grad(jax.grad(f))(1.2), second, rtol=1e-8)
