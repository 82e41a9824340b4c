"""`hostwrap.stats`: values by SciPy, derivatives by differences of SciPy's values and by mpmath."""

import subprocess
import sys

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import scipy.stats

import hostwrap as hw
from hostwrap import stats
from hostwrap._rules.differences import slope
from tests._kit.toys import same

# parameters, and two places in the support
CONTINUOUS = {
    "norm": ((), (-1.3, 0.4)),
    "lognorm": ((0.7,), (0.4, 1.7)),
    "t": ((3.3,), (-1.2, 2.6)),
    "nct": ((4.2, 0.8), (-0.6, 2.9)),
    "gamma": ((2.3,), (0.7, 4.1)),
    "invgamma": ((3.1,), (0.2, 0.9)),
    "chi2": ((4.4,), (1.3, 7.9)),
    "beta": ((2.1, 3.4), (0.2, 0.75)),
    "f": ((3.3, 5.5), (0.4, 2.2)),
}
DISCRETE = {"poisson": (3.4,), "binom": (9.0, 0.3), "nbinom": (3.5, 0.4)}
DENSITIES, TAILS, QUANTILES = ("pdf", "logpdf"), ("cdf", "sf", "logcdf", "logsf"), ("ppf", "isf")
LOC, SCALE = 0.2, 1.7


def everything(family, x, q, *parameters):
    """All functions of a distribution, side by side."""
    kinds = [(kind, q if kind in QUANTILES else x) for kind in (*DENSITIES, *TAILS, *QUANTILES)]
    return [getattr(family, kind)(at, *parameters) for kind, at in kinds]


def refined(family, x, q, *parameters):
    """SciPy's, with a quantile improved by Newton steps, so that differences have digits."""
    *values, ppf, isf = everything(family, x, q, *parameters)
    for _ in range(2):
        ppf = ppf - (family.cdf(ppf, *parameters) - q) / family.pdf(ppf, *parameters)
        isf = isf + (family.sf(isf, *parameters) - q) / family.pdf(isf, *parameters)
    return np.stack([*values, ppf, isf])


@pytest.mark.rotating
@pytest.mark.parametrize("name", CONTINUOUS)
def test_derivatives_in_everything(name):
    """jacfwd and jacrev, under vmap and jit, against differences of SciPy's values."""
    shapes, places = CONTINUOUS[name]
    x, q = np.array(places) * SCALE + LOC, np.array([0.17, 0.92])
    args = (x, q, *(np.full(2, p) for p in (*shapes, LOC, SCALE)))
    every = tuple(range(len(args)))

    def ours(*args):
        return jnp.stack(everything(getattr(stats, name), *args))

    forward = jax.jit(jax.vmap(jax.jacfwd(ours, every)))(*args)
    backward = jax.jit(jax.vmap(jax.jacrev(ours, every)))(*args)
    same(backward, forward, 1e-12)
    for i in every:

        def moved(h, i=i):
            return refined(getattr(scipy.stats, name), *args[:i], args[i] + h, *args[i + 1 :])

        exact, error = slope(moved, 0.05)
        assert error.max() < 1e-7
        np.testing.assert_allclose(forward[i].T, exact, rtol=2e-8, atol=2e-8)


@pytest.mark.parametrize("name", DISCRETE)
@pytest.mark.rotating
def test_derivatives_of_discrete_distributions(name):
    p = DISCRETE[name]
    held, free = (p[:1], p[1:]) if name == "binom" else ((), p)
    every, k = tuple(range(len(free))), np.array([0, 2, 6])

    def of(family, *free):
        return [getattr(family, kind)(k + 1, *held, *free, 1) for kind in ("pmf", "logpmf", *TAILS)]

    forward = jax.jit(jax.jacfwd(lambda *p: jnp.stack(of(getattr(stats, name), *p)), every))(*free)
    backward = jax.jit(jax.jacrev(lambda *p: jnp.stack(of(getattr(stats, name), *p)), every))(*free)
    same(backward, forward, 1e-12)
    for i in every:

        def moved(h, i=i):
            return np.stack(of(getattr(scipy.stats, name), *free[:i], free[i] + h, *free[i + 1 :]))

        np.testing.assert_allclose(forward[i], slope(moved, 0.05)[0], rtol=1e-8, atol=1e-8)


HESSIANS = [("gamma", "cdf"), ("t", "logpdf"), ("norm", "logsf")]
ALL_HESSIANS = [(n, k) for n in CONTINUOUS for k in ("logpdf", "cdf", "ppf") if (n, k) not in HESSIANS]


def _hessian(name, kind):
    shapes, places = CONTINUOUS[name]
    args = (0.3 if kind == "ppf" else places[0] * SCALE + LOC, *shapes, LOC, SCALE)
    every = tuple(range(len(args)))
    f = getattr(getattr(stats, name), kind)
    got = jax.jit(jax.hessian(f, every))(*args)
    gradient = jax.jit(jax.grad(f, every))
    for i in every:
        exact, _ = slope(
            lambda h, i=i: np.stack(gradient(*args[:i], args[i] + h, *args[i + 1 :])), 0.02, steps=8
        )
        np.testing.assert_allclose(np.stack(got[i]), exact, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(("name", "kind"), HESSIANS)
@pytest.mark.rotating
def test_second_derivatives_against_differences_of_the_first(name, kind):
    _hessian(name, kind)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "kind"), ALL_HESSIANS)
def test_more_second_derivatives(name, kind):
    _hessian(name, kind)


def test_tails_against_mpmath():
    """Far out, where 1 - cdf has no digits left; the derivatives too."""
    with mpmath.workdps(40):
        upper = mpmath.gammainc(2.3, 90, regularized=True)
        by_shape = mpmath.diff(lambda a: mpmath.log(mpmath.gammainc(a, 90, regularized=True)), 2.3)
        lower = mpmath.diff(
            lambda x: mpmath.log(mpmath.gammainc(2.3, 0, x, regularized=True)), mpmath.mpf(90)
        )
    value, slopes = jax.jit(jax.value_and_grad(stats.gamma.logsf, 1))(90.0, 2.3)
    same((value, slopes), (float(mpmath.log(upper)), float(by_shape)), 1e-12)
    same(stats.gamma.isf(float(upper), 2.3), jnp.array(90.0), 1e-13)
    np.testing.assert_allclose(jax.grad(stats.gamma.logcdf)(90.0, 2.3), float(lower), rtol=1e-12)


def test_outside_of_the_support_derivatives_are_zero():
    for kind in ("pdf", "cdf", "sf"):
        slopes = jax.grad(getattr(stats.gamma, kind), (0, 1, 2, 3))(-1.0, 2.3, 0.1, 1.2)
        same(slopes, (0.0,) * 4)


def test_parameters_that_are_not_allowed_give_nan_with_nan_derivatives():
    for call in (
        lambda a: stats.gamma.cdf(1.0, a),
        lambda s: stats.norm.logpdf(1.0, 0.0, s),
        lambda p: stats.binom.pmf(1, 3, 1 - p),
    ):
        assert all(np.isnan(jax.value_and_grad(call)(-1.0)))


def test_ends_of_parameters_and_supports():
    same(stats.t.logpdf(0.3, np.inf), stats.norm.logpdf(0.3))
    same(stats.poisson.pmf(np.arange(2), 0), jnp.array([1.0, 0.0]))
    same(stats.gamma.pdf(0.0, np.array([1.0, 2.0])), jnp.array([1.0, 0.0]))
    same(stats.binom.pmf(np.array([0, 3]), 3, np.array([0.0, 1.0])), jnp.ones(2))
    assert stats.gamma.cdf(np.float32(1.0), np.float32(2.0)).dtype == np.float32


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: stats.gamma.cdf(1.0), hw.SignatureError, r"gamma.cdf\(x, a, loc=0.0.*missing .* 'a'"),
        (lambda: stats.norm.cdf("text"), hw.SignatureError, "norm.cdf: `x` must be a number or an array"),
        (lambda: stats.poisson.pdf(0.5, 2.0), AttributeError, "stats.poisson has no pdf; it has pmf, logpmf"),
        (
            lambda: stats.gama,
            AttributeError,
            r"hostwrap.stats has no gama \(nor has SciPy's\). Did you mean gamma.*\?$",
        ),
        (
            lambda: stats.xyzzy,
            AttributeError,
            r"hostwrap.stats has no xyzzy \(nor has SciPy's\). It has alpha, ",
        ),
        (lambda: stats.norm.cdf(1j), hw.SignatureError, "norm.cdf: the arguments must be real"),
        (
            lambda: stats.gamma(b=2.0),
            hw.SignatureError,
            r"gamma\(a, loc=0.0, scale=1.0\): missing.*no argument `b`",
        ),
        (
            lambda: stats.norm.cdf([0.5]),
            hw.SignatureError,
            r"norm.cdf: `x` is a list: pass numpy.array\(..\).$",
        ),
        (
            lambda: stats.norm.sample(0, size=3),
            hw.SignatureError,
            "norm.sample: SciPy's `size` is `shape` here",
        ),
        (lambda: stats.gamma.moment(1.5, 2.0), hw.SignatureError, "gamma.moment: `order` must be a positive"),
        (lambda: jax.grad(stats.poisson.ppf, 1)(0.3, 2.0), hw.MissingDerivative, "poisson.ppf: .*`mu`.*jump"),
        (lambda: jax.grad(stats.poisson.pmf)(3.0, 2.0), hw.MissingDerivative, "poisson.pmf: .*`k`.*integer"),
        (lambda: jax.grad(stats.binom.cdf, 1)(3, 9.0, 0.2), hw.MissingDerivative, "binom.cdf: .*`n`"),
        (lambda: jax.jit(jax.grad(stats.nbinom.sf, 3))(3, 9.0, 0.2, 0.0), hw.MissingDerivative, "`loc`"),
    ],
)
def test_what_is_not_there_is_refused(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


@pytest.mark.parametrize(
    ("density", "x", "shapes"),
    [("gamma", 0.0, (2.0,)), ("beta", 1.0, (0.7, 1.5)), ("weibull_min", 0.0, (1.5,))],
)
def test_a_density_that_is_zero_at_an_end_stays_zero(density, x, shapes):
    family = getattr(stats, density)
    count = len(shapes)
    slopes = jax.grad(family.pdf, range(3 + count))(x, *shapes, 0.0, 1.0)
    assert not any(slopes[1 : 1 + count])
    assert (slopes[-1] == 0) == (x == 0)  # an end other than 0 moves with the scale


def test_frozen_distributions_are_pytrees_of_what_was_given():
    several = stats.gamma(jnp.arange(1.0, 4.0), scale=jnp.ones(3))
    same(jax.vmap(lambda d: d.logpdf(1.5))(several), stats.gamma.logpdf(1.5, jnp.arange(1.0, 4.0)))
    slope = jax.grad(lambda d: d.logpdf(1.5))(stats.gamma(2.0))
    assert jax.tree.leaves(slope) == [jax.grad(stats.gamma.logpdf, 1)(1.5, 2.0)]
    assert repr(stats.gamma(2.0)) == "<hostwrap.stats.gamma(a=2.0)>"
    moved = jax.tree.map(lambda x: 2 * x, stats.gamma(a=2.0, loc=1.0))
    assert moved.values == (4.0, 2.0, 1.0)


def test_numbers_of_samples_and_orders_of_moments_may_be_those_of_numpy():
    assert stats.norm.sample(jax.random.key(0), shape=3).shape == (3,)
    assert stats.dirichlet.sample(jax.random.key(0), jnp.ones(2), shape=3).shape == (3, 2)
    assert stats.gamma.moment(np.int64(2), 2.0) == stats.gamma.moment(2, 2.0)


def test_likelihood_of_a_sample():
    """The gradient is 0 at the maximum that SciPy finds."""
    sample = np.random.default_rng(4).gamma(2.5, 1.3, 200)
    a, _, scale = scipy.stats.gamma.fit(sample, floc=0)
    gradient = jax.jit(jax.grad(lambda p: stats.gamma.logpdf(sample, p[0], 0, p[1]).mean()))
    same(gradient(jnp.array([a, scale])), jnp.zeros(2), 1e-8)
    theta = (2.5, 0.1, 1.3)
    same(stats.gamma.nnlf(theta, sample), scipy.stats.gamma.nnlf(theta, sample), 1e-13)
    same(stats.gamma.nnlf((2.5, 0.1, -1.3), sample), np.inf, 0)


def test_frozen_methods_take_names():
    frozen = stats.gamma(2.0, scale=3.0)
    assert frozen.cdf(x=1.0) == frozen.cdf(1.0) and frozen.isf(q=0.3) == frozen.isf(0.3)
    assert frozen.moment(order=2) == frozen.moment(2) and frozen.interval(confidence=0.9) == frozen.interval(
        0.9
    )


@pytest.mark.parametrize(
    ("home", "name", "words"),
    [
        (stats.gamma, "rvs", r"gamma has no rvs \(JAX draws .*`sample\(key"),
        (stats.gamma, "fit", "minimises `nnlf"),
        (stats.gamma(2.0), "nnlf", "use -logpdf"),
        (stats, "ortho_group", "random numbers alone"),
        (stats, "rv_histogram", "`hostwrap.wrap` a function"),
    ],
)
def test_a_name_of_scipys_that_is_not_here_says_what_to_do(home, name, words):
    with pytest.raises(AttributeError, match=words):
        getattr(home, name)


def test_importing_is_cheap_until_a_name_is_asked_for():
    code = """
import sys
import hostwrap.stats
early = [m for m in sys.modules if m.startswith(("hostwrap.special", "scipy.stats"))]
assert not early, early
assert "gamma" in dir(hostwrap.stats) and hostwrap.stats.gamma.shapes == ("a",)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
