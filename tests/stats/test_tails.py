"""Far out and with shapes of other sizes: first derivatives by mpmath; and second ones, some each day."""

import functools

import jax
import numpy as np
import pytest
import scipy.stats
from mpmath import mp

import hostwrap as hw
from hostwrap import stats
from hostwrap._table.partials import Unknown
from tests.reference.bindings import Unbound
from tests.stats import exact, far
from tests.stats.cases import SHAPES, places
from tests.stats.test_everywhere import NAMES, SLOW_IN_MPMATH

# places at which a formula underflows or cancels that looks right: (method, x, shapes)
FAR = [
    ("fisk.logpdf", 1e-176, (0.57,)),  # of c / x JAX makes c x^-2
    ("mielke.logpdf", 1e-170, (0.9, 0.7)),
    ("powerlognorm.logpdf", 1e-160, (0.7, 60.0)),
    ("loggamma.cdf", -2884.0, (0.08,)),  # exp(x) is 0, its power is not
    ("loggamma.sf", -866.0, (0.08,)),
    ("loggamma.logcdf", -2884.0, (0.08,)),
    ("loglaplace.logsf", 7e226, (0.44,)),  # the density is 0, the probability is not
    ("levy.logsf", 1e220, ()),
    ("fisk.cdf", 8.883822868449513e239, (0.4175351288815274,)),  # and so is y times the density
    ("burr.logcdf", 3.3e268, (0.365, 0.049)),
    ("cauchy.logsf", 1e170, ()),  # x^2 is infinite
    ("cauchy.logpdf", -1e170, ()),
    ("skewcauchy.logpdf", -1e170, (0.3,)),
    ("foldcauchy.logsf", 1e170, (0.3,)),
    ("foldcauchy.logpdf", 1e170, (0.3,)),
    ("halfcauchy.logsf", 1e170, ()),
    ("t.logpdf", -1e170, (0.3,)),
    ("betaprime.logsf", 1e-20, (0.05, 2.0)),  # 1 / (1 + x) holds no digits of x
    ("jf_skew_t.logsf", -3e6, (0.3, 48.0)),
    ("jf_skew_t.logsf", 1e157, (0.57, 33.5)),  # the square of x is infinite
    ("jf_skew_t.cdf", -2e155, (0.8, 0.45)),
    *(
        (f"jf_skew_t.{kind}", 0.0, (0.3, 1e-3)) for kind in ("logpdf", "cdf", "logcdf", "logsf")
    ),  # |x| has a kink
    ("johnsonsu.logcdf", -4.6e162, (0.67, 0.0194)),
    ("johnsonsu.logsf", 3.2e154, (0.67, 0.0194)),
    ("johnsonsu.logpdf", 3.2e154, (0.67, 0.0194)),
    ("gennorm.cdf", -6.4e-24, (15.5,)),  # the power of x underflows
    ("truncpareto.logsf", 1.28, (12.0, 135.0)),  # JAX's derivative of expm1 is expm1 + 1
    ("truncexpon.logcdf", 3.0, (60.0,)),
    ("truncweibull_min.logsf", 0.7, (2.5, 0.25, 9.0)),
    ("argus.logcdf", 0.98, (37.0,)),  # 1 - sf
    ("argus.logcdf", 0.1, (37.0,)),
    ("invgauss.logpdf", 2.9e108, (0.03,)),  # the cube of x is infinite
    ("recipinvgauss.logpdf", 1e-120, (0.03,)),
    ("invgauss.logsf", 171.7, (0.24,)),  # the probability underflows, SciPy's logarithm does not
    ("invgauss.logcdf", 1e-5, (0.24,)),
    ("genexpon.logpdf", 1e120, (1.2, 0.4, 12.7)),  # hyp1f1 far out
    ("truncpareto.logpdf", 1.9, (-1.4, 5.8)),  # a negative power
    ("ncx2.logpdf", 1430.0, (1525.0, 0.0973)),  # the Bessel function underflows
    ("ncx2.logpdf", 3.0, (1.7, 0.0)),  # it is 0, over 0
    ("ncx2.logpdf", 46.8, (1.7, 0.0687)),  # its order is below 0
    ("f.logpdf", 0.308, (4.8, 1364.4)),  # powers that cancel
    ("t.logpdf", 1.69, (2038.6,)),
    ("ncf.logpdf", 300.0, (5.0, 80.0, 3000.0)),  # the sum overflows
    ("dpareto_lognorm.logcdf", 1.17e-55, (23.5, 3.39, 13.4, 20.8)),  # the probability underflows
    ("dpareto_lognorm.logsf", 8.5e54, (-23.5, 3.39, 20.8, 13.4)),
    ("recipinvgauss.cdf", 5e-15, (1359512.34,)),  # the difference of two close tails
    ("invgauss.logsf", 2e14, (1.36e6,)),
    ("skewnorm.logcdf", 2.2e-5, (1.47e8,)),  # almost a step, far from the end of the integral
]
# the same on integers: (method, k, shapes)
COUNTS = [
    ("dlaplace.logpmf", 0, (22.0,)),  # JAX's derivative of tanh is 1 - tanh^2
    ("skellam.logpmf", -200, (3.5e-3, 1.7)),  # the Bessel function underflows
    ("skellam.logcdf", 280, (406.0, 0.09316)),  # 1 - sf
    ("skellam.logsf", -229, (3.784, 346.4)),
    ("betanbinom.logsf", 20, (2, 29.21, 0.1701)),
    ("betanbinom.sf", 79, (2, 398.1, 3.655)),
    ("nchypergeom_fisher.logpmf", 39, (9577, 39, 1481, 11.88)),  # the sum overflows
    ("nchypergeom_fisher.cdf", 28, (9577, 39, 1481, 11.88)),
    ("nchypergeom_fisher.logcdf", 28, (40, 30, 38, 1e-3)),
    ("yulesimon.logcdf", 390, (5.4e-6,)),  # 1 - sf
]
LEFT_OUT = {
    "kstwobign",
    "ksone",
    "levy_stable",
    "studentized_range",
    "nct",
    "ncf",
    "ncx2",
    "rice",
    *SLOW_IN_MPMATH,
}


def _arguments(method, x, shapes):
    count = len(method.__signature__.parameters) - 1 - len(shapes)
    return (x, *shapes, *(0.0, 1.0)[:count])


def _located(function, density, x, *p):
    return function((x - p[-2]) / p[-1], *p[:-2]) - (mp.log(p[-1]) if density else 0)


@pytest.mark.rotating
@pytest.mark.parametrize(
    "name",
    [
        "burr",
        "cauchy",
        "dpareto_lognorm",
        "gamma",
        "genpareto",
        "lognorm",
        "norm",
        "poisson",
        "skewnorm",
        "yulesimon",
    ],
)
def test_drawn_points(name):
    """Shapes over decades, and probabilities from 1e-101 on, as in the table of the page."""
    rows = far.measure(name, count=2)
    assert rows and all(row.points and not row.wrong for row in rows)


@pytest.mark.rotating
@pytest.mark.parametrize(("method", "x", "shapes"), FAR)
def test_far_out(method, x, shapes):
    name, kind = method.split(".")
    family = getattr(stats, name)
    if not np.all(family.scipys._argcheck(*shapes)):
        pytest.skip("an older SciPy does not allow these shapes")
    args = _arguments(getattr(family, kind), x, shapes)
    slopes = jax.grad(getattr(family, kind), tuple(range(len(args))))(*args)
    for i, got in enumerate(slopes):
        with mp.workdps(50 if name in ("argus", "betaprime") else 90 if name == "jf_skew_t" else 400):
            located = functools.partial(_located, exact.standard(family.law, kind), kind == "logpdf")
            values = list(map(mp.mpf, args))
            truth = exact._derivative(located, values, i, tuple(map(float, family.scipys.support(*shapes))))
            apart = abs(mp.mpf(float(got)) - mp.re(truth))
            assert apart <= mp.mpf("1e-11") * abs(truth) + mp.mpf("1e-300"), (i, got)


@pytest.mark.rotating
@pytest.mark.parametrize(("method", "k", "shapes"), COUNTS)
def test_counts_far_out(method, k, shapes):
    name, kind = method.split(".")
    family = getattr(stats, name)
    args = _arguments(getattr(family, kind), float(k), tuple(map(float, shapes)))
    live = [i for i, n in enumerate(family.shapes, start=1) if n not in family.law.integers]
    slopes = jax.grad(getattr(family, kind), live)(*args)
    for i, got in zip(live, slopes, strict=True):
        _, truth = exact.of_method(family.law, kind, args, i, family.scipys.support(*shapes))
        assert abs(float(got) - mp.re(truth)) <= 1e-9 * abs(truth), (i, got)


@pytest.mark.parametrize("x", [30647.0, 1e7])
def test_a_narrow_density_far_from_the_ends_is_found_by_quadrature(x):
    """For z^2 = rho^2 + i rho, 1 / (x^2 - z^2) has the imaginary part rho / ((x^2 - rho^2)^2 + rho^2)."""
    rho = 116.467
    slope = jax.jit(jax.grad(stats.rel_breitwigner.sf, 1))(x, rho)
    with mp.workdps(90):
        logpdf = exact.bound(stats.rel_breitwigner.law.logpdf)

        def sf(r):
            constant = mp.exp(logpdf(mp.mpf(1), r)) * (1 + ((1 - r * r) / r) ** 2)
            z = mp.sqrt(r * r + 1j * r)
            return constant * r * mp.im(mp.log((x + z) / (x - z)) / (2 * z))

        assert abs(float(slope) / mp.diff(sf, mp.mpf(rho)) - 1) < 1e-11


@pytest.mark.parametrize("args", [(0.99998, 6.1, 0.32, 0.65, 0.23), (0.99, 2.0, 0.02, 0.7, 3.0)])
def test_a_density_with_a_pole_at_the_upper_end(args):
    """By v = (1 - x)^b the integral has no pole; in c and z, whose derivative the norm does not make harder."""
    slope = jax.jit(jax.grad(stats.gausshyper.sf, (3, 4)))(*args)
    with mp.workdps(30):

        def sf(x, a, b, c, z):
            smooth = lambda v: (1 - v ** (1 / b)) ** (a - 1) * (1 + z * (1 - v ** (1 / b))) ** -c / b
            return mp.quad(smooth, [0, (1 - x) ** b]) / (mp.beta(a, b) * mp.hyp2f1(c, a, a + b, -z))

        for i, got in zip((3, 4), slope, strict=True):
            at = list(map(mp.mpf, args))
            truth = mp.diff(lambda t: sf(*at[:i], t, *at[i + 1 :]), at[i], h=mp.mpf(10) ** -9)  # noqa: B023
            assert abs(float(got) / truth - 1) < 1e-11


def test_a_heavy_tail_where_t_squared_overflows():
    """Of t / sqrt(chi^2 / df) < t the probability above t goes with t^-df; so does its derivative in nc."""
    df, nc = 0.06, 0.09
    near, far = (np.array(jax.grad(stats.nct.cdf, (1, 2))(t, df, nc)) for t in (1e150, 1e155))
    assert np.isclose(far[1], near[1] * 10 ** (-5 * df), rtol=1e-11)
    lower = [float(jax.grad(stats.nct.cdf)(-t, df, nc)) * t for t in (1e150, 1e155)]
    np.testing.assert_allclose(lower[1], lower[0] * 10 ** (-5 * df), rtol=1e-11)


def test_a_tail_that_the_nodes_do_not_reach_is_reached_by_wider_ones():
    """Far out the probability is that of a power: its slope in dfd is a difference of two distributions of it."""
    x, args = 1e30, (3.0, 0.5, 1e-300)
    by_nc = jax.jit(jax.grad(stats.ncf.sf, 3))(x, *args)
    central = scipy.stats.f.sf(x, args[0], args[1])
    more = scipy.stats.f.sf(x * args[0] / (args[0] + 2), args[0] + 2, args[1])
    np.testing.assert_allclose(by_nc, (more - central) / 2, rtol=1e-9)


@pytest.mark.parametrize(
    "args",
    [(-3e39, -0.3897), (-1e100, -0.4), (-2.34e6, -0.0148), (-40.0, 0.01), (-0.318775896, 3.137), (2.0, 0.3)],
)
@pytest.mark.parametrize("kind", ["logpdf", "logcdf"])
@pytest.mark.rotating
def test_tukeys_law_beyond_the_decimals_of_scipys_function(kind, args):
    """x is a function of p = cdf, so that derivatives in x and lam follow from it."""
    got = jax.jit(jax.grad(getattr(stats.tukeylambda, kind), (0, 1)))(*args)
    with mp.workdps(100):
        x, lam = map(mp.mpf, args)
        low, high = mp.mpf("1e-2000"), mp.mpf(1)
        for _ in range(4000):
            p = mp.sqrt(low * high)
            low, high = (p, high) if (p**lam - (1 - p) ** lam) / lam < x else (low, p)
        q, density = 1 - p, 1 / (p ** (lam - 1) + (1 - p) ** (lam - 1))
        in_lam = density * ((p**lam - q**lam) / lam**2 - (p**lam * mp.log(p) - q**lam * mp.log(q)) / lam)
        truth = [density / p, in_lam / p]
        if kind == "logpdf":
            slope = -density * (lam - 1) * (p ** (lam - 2) - q ** (lam - 2))  # of logpdf in p
            own = -density * (p ** (lam - 1) * mp.log(p) + q ** (lam - 1) * mp.log(q))
            truth = [slope * density, slope * in_lam + own]
        for one, other in zip(got, truth, strict=True):
            assert abs(float(one) / other - 1) < (
                1e-8 if lam > 1 else 1e-11
            )  # next to the end x has few digits


@pytest.mark.parametrize(
    ("method", "args"),
    [("pearson3.logcdf", (344.0, -0.0058)), ("norminvgauss.logcdf", (114.8, 2.35, 0.395))],
)
def test_almost_all_of_a_narrow_density(method, args):
    """The quadrature from the far end does not find it; what is left over is the other side."""
    name, kind = method.split(".")
    slope = jax.grad(getattr(getattr(stats, name), kind))(*args)
    np.testing.assert_allclose(slope, getattr(scipy.stats, name).pdf(*args), rtol=1e-9)


@pytest.mark.parametrize("method", ["gennorm", "weibull_min", "nakagami", "exponpow"])
def test_beyond_the_last_probability_nothing_moves(method):
    """The sf is 0, and its derivative is not inf times 0."""
    family = getattr(stats, method)
    assert jax.grad(family.cdf, 1)(1e290, 5.5) == 0 and jax.grad(family.logcdf, 1)(1e290, 5.5) == 0
    assert jax.grad(family.cdf)(1e290, 5.5) == 0


def test_landaus_density_whose_slope_underflows():
    np.testing.assert_allclose(jax.grad(stats.landau.logpdf)(1e150), -2e-150)
    np.testing.assert_allclose(jax.grad(stats.landau.logpdf)(1.001e20), -2 / 1.001e20, rtol=1e-12)
    np.testing.assert_allclose(jax.grad(stats.landau.logpdf)(0.999e20), -2 / 0.999e20, rtol=1e-12)


def test_next_to_the_middle_a_power_of_x_underflows():
    """And 1 / beta is still where it is: 1 / 2 - cdf goes with the density at 0."""
    x, beta, step = -1e-30, 14.0, 1e-4
    density = lambda beta: scipy.stats.gennorm.pdf(0.0, beta)
    slope = (density(beta + step) - density(beta - step)) / (2 * step)
    np.testing.assert_allclose(jax.grad(stats.gennorm.cdf, 1)(x, beta), x * slope, rtol=1e-6)
    assert jax.grad(stats.gennorm.cdf, 1)(0.0, beta) == 0


def test_a_shape_of_0_whose_cdf_underflows():
    assert np.all(np.array(jax.grad(stats.kappa4.sf, (0, 1, 2))(-1500.0, 0.0, 0.0)) == 0)


def test_logarithms_of_counts_that_do_not_underflow():
    assert np.isclose(jax.grad(stats.geom.logsf, 1)(5000, 0.7), -5000 / 0.3, rtol=1e-13)
    assert np.isclose(jax.grad(stats.planck.logsf, 1)(5000, 0.7), -5001, rtol=1e-13)


def test_the_short_tail_of_a_skew_normal_law():
    """For a x far below 0 the probability is that of a normal variable with the variance 1 / (1 + a^2), about."""
    x, a = -3.0, 2.0
    with mp.workdps(40):
        density = lambda t: 2 * mp.npdf(t) * mp.ncdf(a * t)
        truth = density(mp.mpf(x)) / mp.quad(density, [-30, -12, -8, -6, -5, -4, -3.5, -3.2, x])
    np.testing.assert_allclose(jax.grad(stats.skewnorm.logcdf)(x, a), float(truth), rtol=1e-12)
    assert np.isfinite(jax.grad(stats.skewnorm.logcdf)(-19.8, 1.378))


def test_quantiles_where_the_density_is_0():
    """Of x = (2 q)^(-1 / c), dx / dc = -x log(x) / c."""
    x = scipy.stats.loglaplace.isf(1e-100, 0.44)
    got = jax.grad(stats.loglaplace.isf, 1)(1e-100, 0.44)
    np.testing.assert_allclose(got, -x * np.log(x) / 0.44, rtol=1e-11)


def test_where_a_difference_has_lost_its_digits_the_derivative_is_nan():
    short = jax.jit(jax.grad(stats.nct.logcdf, (0, 1, 2)))(-2.3, 86.8, 7.3)
    assert np.isnan(short).all()
    assert np.isnan(jax.grad(stats.nct.logsf)(2.3, 86.8, -7.3))
    assert np.isfinite(jax.grad(stats.nct.logcdf)(2.3, 86.8, 7.3))


@pytest.mark.rotating
@pytest.mark.parametrize("name", [name for name in NAMES if name not in LEFT_OUT])
def test_second_derivatives(name):
    """Of the density and the cdf, in x and the first shape that is a real number, by mpmath."""
    family, shapes = getattr(stats, name), SHAPES[name][0]
    kind = "logpdf" if family.continuous else "logpmf"
    at = places(name, shapes)
    x = float(at[len(at) // 2])
    for method in (getattr(family, kind), family.cdf):
        args = _arguments(method, x, tuple(map(float, shapes)))
        names = [*method.__signature__.parameters][: 1 + len(shapes)]
        live = [i for i, n in enumerate(names) if not isinstance(method.rules[n], Unknown)][:2]
        try:
            function = exact.standard(family.law, "cdf" if method is family.cdf else kind)
        except (Unbound, hw.MissingDerivative):
            continue
        if not live or function is None or exact.needs_quadrature(family.law, method.__name__.split(".")[1]):
            continue
        got = np.asarray(jax.jit(jax.hessian(method, tuple(live)))(*args))
        for j, one in enumerate(live):
            for k, other in enumerate(live):
                orders = [(one == i) + (other == i) for i in range(1 + len(shapes))]
                with mp.workdps(60):
                    step = mp.mpf(10) ** -12 * max(abs(x), 1e-3)
                    values = list(map(mp.mpf, args[: 1 + len(shapes)]))
                    truth = _difference(lambda *p: mp.re(function(*p)), values, orders, step)  # noqa: B023
                    size = max(abs(truth), mp.mpf("1e-6"))
                assert abs(got[j][k] - float(truth)) < 1e-8 * float(size), (
                    method,
                    one,
                    other,
                    got[j][k],
                    truth,
                )


def _difference(function, values, orders, step):
    """A central difference of second order."""
    i, j = (i for i, n in enumerate(orders) for _ in range(n))

    def moved(a, b):
        at = list(values)
        at[i] += a * step
        at[j] += b * step
        return function(*at)

    return (moved(1, 1) - moved(1, -1) - moved(-1, 1) + moved(-1, -1)) / (4 * step * step)
