"""Derivatives of mean, var, entropy and moments in the shapes: by differences of SciPy's values, and by mpmath."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats
from mpmath import mp

import hostwrap as hw
from hostwrap import stats
from tests._kit.toys import same
from tests.stats import exact
from tests.stats.cases import SHAPES
from tests.stats.test_everywhere import NAMES, SLOW_IN_SCIPY

# SciPy integrates for seconds
SLOW = {
    *SLOW_IN_SCIPY,
    "argus",
    "dpareto_lognorm",
    "genexpon",
    "recipinvgauss",
    "exponweib",
    "gausshyper",
    "geninvgauss",
    "kappa4",
    "ncf",
    "nct",
}


def live(name):
    family = getattr(stats, name)
    known = family.law.logpdf if family.continuous else family.law.logpmf
    return [i for i, shape in enumerate(family.shapes) if known and shape not in family.law.integers]


@pytest.mark.rotating
@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore:.*quad")
@pytest.mark.parametrize("name", [name for name in NAMES if live(name) and name not in SLOW])
def test_in_the_shapes(name):
    family, scipys, shapes = getattr(stats, name), getattr(scipy.stats, name), SHAPES[name][0]
    args = (*map(float, shapes), *((0.3, 1.7) if family.continuous else (0.0,)))
    for kind in ("mean", "var", "entropy"):
        ours, theirs = getattr(family, kind), getattr(scipys, kind)
        slopes = np.asarray(jax.grad(ours, live(name))(*args))
        if not np.isfinite(theirs(*args)):
            assert np.isnan(slopes).all(), kind
            continue
        for i, got in zip(live(name), slopes, strict=True):

            def moved(h, i=i, theirs=theirs):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    return float(theirs(*args[:i], args[i] * (1 + h) if args[i] else h, *args[i + 1 :]))

            # two central differences, extrapolated
            near, far = ((moved(h) - moved(-h)) / (2 * h) for h in (0.004, 0.008))
            numerical = (4 * near - far) / 3 / (args[i] or 1.0)
            assert abs(got - numerical) <= 1e-5 * abs(numerical) + 1e-7, (kind, i, got, numerical)


@pytest.mark.parametrize(
    ("name", "shapes", "ends"),
    [
        ("genextreme", (0.3,), (-mp.inf, -20, 0, 2, 1 / mp.mpf(0.3))),  # the end moves with c
        ("weibull_min", (0.7,), (0, 1e-3, 1, 40, mp.inf)),
        ("crystalball", (0.9, 6.5), (-mp.inf, -50, -mp.mpf(0.9), 3, mp.inf)),
    ],
)
@pytest.mark.rotating
def test_by_integrals_at_many_digits(name, shapes, ends):
    family = getattr(stats, name)
    density = exact.standard(family.law, "logpdf")
    values = list(map(mp.mpf, shapes))
    with mp.workdps(20):

        def expected(g, *s):
            def term(x):
                log_f = mp.re(density(x, *s))
                return g(x, log_f) * mp.exp(log_f)

            places = [1 / s[0] if name == "genextreme" and i == 4 else e for i, e in enumerate(ends)]
            return mp.quad(term, places)

        mean = expected(lambda x, _: x, *values)
        forms = {
            "mean": lambda x, _: x,
            "var": lambda x, _: (x - mean) ** 2,
            "entropy": lambda x, log_f: -log_f,
        }
        for kind, g in forms.items():
            h = mp.mpf("1e-7")
            up, down = (expected(g, values[0] + s * h, *values[1:]) for s in (1, -1))
            got = jax.grad(getattr(family, kind))(*shapes)
            assert abs(float(got) / ((up - down) / (2 * h)) - 1) < 1e-10, kind


def test_second_derivatives():
    """Of the mean Gamma(1 + 1/c) and the variance of Weibull's, forward over reverse."""
    gamma = lambda n, c: jnp.exp(jax.lax.lgamma(1 + n / c))
    same(jax.hessian(stats.weibull_min.mean)(1.7), jax.hessian(lambda c: gamma(1, c))(1.7), 1e-11)
    var = lambda c: gamma(2, c) - gamma(1, c) ** 2
    same(jax.hessian(stats.weibull_min.var)(1.7), jax.hessian(var)(1.7), 1e-10)
    third = lambda a, s: s**3 * a * (a + 1) * (a + 2)
    ours = lambda a, s: stats.gamma.moment(3, a, 0.0, s)
    same(jax.hessian(ours, (0, 1))(2.5, 1.5), jax.hessian(third, (0, 1))(2.5, 1.5), 1e-10)


def test_under_jit_and_vmap():
    c = np.array([0.8, 1.7, 3.0])
    expected = [jax.grad(stats.weibull_min.entropy)(x) for x in c]
    np.testing.assert_array_equal(jax.jit(jax.vmap(jax.grad(stats.weibull_min.entropy)))(c), expected)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_has_no_derivative():
    assert np.isnan(jax.grad(stats.burr12.mean)(1.2, 0.7))  # there is no mean
    assert np.isnan(jax.grad(stats.yulesimon.entropy)(1.3))  # the sum has a million terms
    assert jax.grad(stats.levy_stable.mean)(1.8, 0.1) == 0
    with pytest.raises(hw.MissingDerivative, match=r"levy_stable.var: .*`alpha`: the density is an integral"):
        jax.grad(stats.levy_stable.var)(1.8, 0.1)
    with pytest.raises(hw.MissingDerivative, match=r"triang.moment: .*`c`: the density has a kink"):
        jax.grad(lambda c: stats.triang.moment(3, c))(0.5)
    with pytest.raises(hw.MissingDerivative, match=r"binom.mean: .*`n`"):
        jax.grad(stats.binom.mean)(9.0, 0.3)


@pytest.mark.parametrize("kappa", [0.05, 3.0])
@pytest.mark.rotating
def test_moments_of_a_circle_are_those_of_one_turn(kappa):
    f, line = stats.vonmises, stats.vonmises_line
    first, second = (float(scipy.special.ive(n, kappa) / scipy.special.i0e(kappa)) for n in (1, 2))
    entropy = -kappa * (
        (1 + second) / 2 - first**2
    )  # of -kappa A + log(2 pi I0), where A = I1 / I0 and A0 = log(I0)'
    np.testing.assert_allclose(jax.grad(f.entropy)(kappa), entropy, rtol=1e-9)
    np.testing.assert_allclose(jax.grad(f.var)(kappa), jax.grad(line.var)(kappa), rtol=1e-9)
    np.testing.assert_allclose(jax.grad(f.mean)(kappa), 0, atol=1e-12)
