"""Derivatives far smaller than their parts, or that come of numbers that SciPy rounds to 0, are numbers too."""

import math

import jax
import mpmath
import numpy as np
import pytest
import scipy.special as sc

import hostwrap.special as hs
from hostwrap.special.hypergeometric import hyp2f1


def kv_mixed(v, z):
    """By DLMF 10.27.4 with the first terms of 10.25.2, which have all digits here."""
    with mpmath.workdps(60):
        half = mpmath.mpf(z) / 2
        slope = lambda a: a * (mpmath.gamma(-a) * half**a - mpmath.gamma(a) * half**-a) / (2 * mpmath.mpf(z))
        return float(mpmath.diff(slope, mpmath.mpf(v)))


def gamma_quantile(a, p, in_shape):
    """a + z sqrt(a) differentiated in p, and once more in a; what comes after is smaller by z / sqrt(a)."""
    rate = math.sqrt(2 * math.pi) * math.exp(sc.ndtri(p) ** 2 / 2)
    return rate / math.sqrt(a) / 2 if in_shape else rate * math.sqrt(a)


def of_many_turns(phi, m):
    """F is 2 phi / pi times K, which is log(4 sqrt(-m)) / sqrt(-m) for large negative m (DLMF 19.12.1)."""
    size = -m
    return 2 * phi / math.pi * (0.75 * math.log(4 * math.sqrt(size)) - 1) / size / size / math.sqrt(size)


def beside_many(dfn, dfd, nc, f):
    """Of the noncentral F distribution: G(x) + x^2 G''(x) / dfd with the noncentral chi-square G, x = dfn f."""
    with mpmath.workdps(40):
        half, mean, x = mpmath.mpf(dfn) / 2, mpmath.mpf(nc) / 2, mpmath.mpf(dfn) * mpmath.mpf(f)
        term = lambda j, y: mean**j / mpmath.factorial(j) * y ** (half + j - 1) / mpmath.gamma(half + j)
        density = lambda t: mpmath.exp(-mean - t / 2) / 2 * mpmath.fsum(term(j, t / 2) for j in range(60))
        return float(-(x**2) * mpmath.diff(density, x) / mpmath.mpf(dfd) ** 2)


def with_many(dfn, dfd, nc, f):
    """H(1) + (H''(1) + nc H'(1)) / dfn with H(s) = Q(dfd / 2, s dfd / (2 f)), differentiated in dfn."""
    with mpmath.workdps(60):
        half, dfn = mpmath.mpf(dfd) / 2, mpmath.mpf(dfn)
        tail = lambda s: -mpmath.gammainc(half, 0, s * half / f, regularized=True)
        return float(-(mpmath.diff(tail, 1, 2) + nc * mpmath.diff(tail, 1)) / dfn**2)


def next_to_zero(df, t):
    """Of Student's distribution, t times its density at 0, differentiated in df."""
    with mpmath.workdps(40):
        height = lambda v: mpmath.gamma((v + 1) / 2) / mpmath.sqrt(v * mpmath.pi) / mpmath.gamma(v / 2)
        return float(mpmath.diff(height, mpmath.mpf(df)) * mpmath.mpf(t))


def of_many(dfn, dfd, f):
    """Of the F distribution: -x^2 g'(x) / dfd^2 with the chi-square density g at x = dfn f, differentiated in dfn."""
    with mpmath.workdps(40):
        density = lambda n, x: (x / 2) ** (n / 2) * mpmath.exp(-x / 2) / mpmath.gamma(n / 2)
        part = lambda n: density(n, n * f) * (n * f / 2 - n / 2 + 1)
        return float(mpmath.diff(part, mpmath.mpf(dfn)) / mpmath.mpf(dfd) ** 2)


def far_student(df, t):
    """The density of Student's distribution, differentiated in df."""
    with mpmath.workdps(40):
        height = lambda v: mpmath.gamma((v + 1) / 2) / mpmath.sqrt(v * mpmath.pi) / mpmath.gamma(v / 2)
        return float(mpmath.diff(lambda v: height(v) * (1 + mpmath.mpf(t) ** 2 / v) ** (-(v + 1) / 2), df))


def of_unequal(a, b):
    """d^2/da^2 of pi/2 a / log(4 a / b), which agm is for b far below a (DLMF 19.8.5 and 19.12.1)."""
    log = math.log(4 * a / b)
    return math.pi / 2 * (2 / log - 1) / log / log / a


def carlson_d(x, y, z):
    """By differences relative to x."""
    with mpmath.workdps(60):
        function = lambda share: mpmath.elliprd(mpmath.mpf(x) * share, y, z)
        return float(mpmath.diff(function, 1, 2) / mpmath.mpf(x) ** 2)


def far_tricomi(a, b, x):
    """d/da of x^-a (1 - a (a - b + 1) / x), DLMF 13.7.3."""
    return -math.log(x) * x**-a


def near_tricomi(a, b, x):
    """d/db of Gamma(b - 1) x^(1 - b) / Gamma(a), DLMF 13.2.16."""
    return sc.gamma(b - 1) * sc.rgamma(a) * x ** (1 - b) * (sc.psi(b - 1) - math.log(x))


def shifted_tricomi(a, gap):
    """Of (x - b)^-a in a."""
    return -math.log(gap) * gap**-a


def upper_beta(b, x):
    """What I_x(a, b) lacks of 1 for small a, over a: the integral of (1 - t)^(b - 1) / t from x on."""
    with mpmath.workdps(30):
        return float((1 - mpmath.mpf(x)) ** b / b * mpmath.hyp2f1(b, 1, b + 1, 1 - mpmath.mpf(x)))


def far_f(dfd, moved, f):
    """For small dfn the density is dfn / 2 (1 + u / dfd)^(-dfd / 2) / f with u = dfn f."""
    share = 1 + moved / dfd
    return (0.5 - 0.25 * moved / share) * share ** (-dfd / 2) / f


def quantile_of_small_shape(p, a, rate):
    """d^2/dp^2 of (p Gamma(a + 1))^(1 / a) / rate."""
    with mpmath.workdps(30):
        p, a = mpmath.mpf(p), mpmath.mpf(a)
        return float((p * mpmath.gamma(a + 1)) ** (1 / a) / a * (1 / a - 1) / p**2 / rate)


CASES = [
    ("log_iv", (2, 0), (1e160, 1.0), -1e-160),
    ("log_kve", (2, 0), (1e155, 1e100), 1e-155),
    ("gammaincinv", (0, 1), (1e150, 0.999), gamma_quantile(1e150, 0.999, False)),
    ("gammainccinv", (1, 1), (1e60, 0.25), -gamma_quantile(1e60, 0.25, True)),
    ("gdtrc", (2, 0, 0), (0.0996, 0.0011, 3e-193), 0.0678881943712093),
    ("gdtrc", (0, 0, 2), (1.49e-237, 0.1, 49065.78), 2.4029288883058693e-34),
    ("besselpoly", (1, 0, 0), (3.9776056313394467e-265, -0.0067, 0.0), -2.657672556268631e-265),
    ("iv", (0, 1), (0.0, 1e-200), 5e-201),
    ("iv", (1, 0), (0.2, 1e-280), -6.116702299012347e-54),
    ("kv", (1, 1), (0.0049, 4.5e-129), kv_mixed(0.0049, 4.5e-129)),
    ("eval_chebyt", (0, 2), (3.0, 1e-20), 2.4e-19),
    ("hyp2f1", (0, 0, 0, 1), (0.5, 1.0, 1.5, -1e180), math.pi / 4 * 1e-270),  # arctan(x) / x
    ("ellipkinc", (0, 2), (1e161, -1e161), of_many_turns(1e161, -1e161)),
    ("nrdtrimn", (2, 0, 0), (1e-160, 1e-40, 0.0), 3.6951144021009547e278),
    ("nrdtrisd", (0, 2, 0), (0.0, 1e-160, 1e-40), 5.0590196258265703e275),
    ("bdtr", (0, 0, 1), (1.0, 55, 1e-166), -55 * 54 * 1e-166),
    ("betainc", (0, 0, 2), (3.0, 3.0, 1e-200), 60e-200),  # of 30 x^2 (1 - x)^2
    ("fdtrc", (0, 0, 1), (8.0, 2.0, 1e-90), -4 * 4.0**4 * 1e-270),  # of (4 x)^4 / (1 + 4 x)^4
    ("besselpoly", (0, 1, 0), (1.6, 1e130, 3.1), -sc.jv(3.1, 3.2) * 1e-260),
    ("hyperu", (1, 0, 0), (0.38, 0.32, 1e140), far_tricomi(0.38, 0.32, 1e140)),
    ("hyperu", (1, 0, 0), (0.0013, 4.7, 1e163), far_tricomi(0.0013, 4.7, 1e163)),
    ("hyperu", (0, 1, 0), (0.0013, 4.7, 1e-70), near_tricomi(0.0013, 4.7, 1e-70)),
    ("betainc", (0, 0, 2), (0.6, 1.0, 1e-184), 0.6 * -0.4 * 1e-184**-1.4),  # of x^0.6
    ("fdtr", (1, 1, 0), (0.4, 1e30, 1.0), of_many(0.4, 1e30, 1.0)),
    ("stdtr", (1, 1), (0.1, 1e157), far_student(0.1, 1e157)),
    ("agm", (2, 0), (1e163, 3.0), of_unequal(1e163, 3.0)),
    ("elliprd", (2, 0, 0), (1e95, 72.0, 63.0), carlson_d(1e95, 72.0, 63.0)),
    ("voigt_profile", (0, 2, 0), (0.0, 1e67, 0.0), 2e-201 / math.sqrt(2 * math.pi)),
    ("stdtr", (1, 0), (98.0, -1e-160), next_to_zero(98.0, -1e-160)),
    ("ncfdtr", (0, 1, 0, 0), (3.0, 1e15, 2.0, 1.5), beside_many(3.0, 1e15, 2.0, 1.5)),
    ("ncfdtr", (0, 1, 0, 0), (20.0, 1e60, 0.1, 1.7), beside_many(20.0, 1e60, 0.1, 1.7)),
    ("ncfdtr", (0, 1, 0, 0), (1e-7, 1e22, 1.0, 1e7), beside_many(1e-7, 1e22, 1.0, 1e7)),
    ("ncfdtr", (1, 0, 0, 0), (1e20, 4.3, 3.0, 0.5), with_many(1e20, 4.3, 3.0, 0.5)),
    ("hyperu", (1, 0, 0), (-0.8881230852104339, -2.784174183033882, 1e-85), -2.2281662952964889),
    ("hyperu", (0, 0, 1), (-0.8881230852104339, -2.784174183033882, 1e-115), 0.80688135772966996),
    ("hyperu", (1, 0, 0), (4e-5, 1e163, 1.5e163), shifted_tricomi(4e-5, 0.5e163)),
    ("eval_chebyu", (1, 0), (1.1362578868865967, 1.0937e145), 4.6584381704796171e167),
    ("pbdv.0", (0, 1), (1e-163, -1.3e-163), 1e-163 * math.sqrt(math.pi / 2) + 1.3e-163 / 2),
    ("elliprg", (1, 0, 0), (1e301, 1e-301, 0.017), 1 / (4 * math.sqrt(1e301))),
    ("betainc", (1, 0, 0), (1e-259, 106.5, 0.76), -upper_beta(106.5, 0.76)),
    ("betainc", (0, 0, 1), (1e-295, 5.0, 1e-294), 0.1),
    ("betainc", (0, 1, 0), (1e-300, 3.0, 0.3), 1.5924673475064829e-301),
    ("betaincc", (0, 1, 0), (0.87, 1e-175, 1e-175), -(1e-175**0.87) / 0.87),
    ("gdtrib", (1, 0, 0), (1.0937e121, 0.8553957343101501, 0.33498263359069824), 0.33498263359069824),
    ("besselpoly", (2, 0, 0), (1.0937e-283, 0.0, 0.0), -2 / 3),
    ("struve", (0, 2), (1e-20, 1.3e-20), 0.48970751720583178),
    ("modstruve", (0, 2), (1e-20, 1.3e-20), 0.48970751720583178),
    ("voigt_profile", (0, 2, 0), (0.0, 1e-79, 1.0), -2 / math.pi),
    ("owens_t", (0, 2), (1.3361e-79, -1.0937e79), 1.7296152040149526e-238),
    ("zeta", (2, 0), (1.5, 1.09e217), 1.5250829412672602e-103),
    ("zeta", (1, 1), (1.5, 1e133), 9.6842798222816949e-198),
    ("gammaincc", (0, 2), (2.9, 1e-169), -1.9 * 1e-169**0.9 / math.gamma(2.9)),
    ("gdtrc", (2, 0, 0), (1.0937e-157, 3.0, 1.3e-6), -(1.3e-6**3) * 1.0937e-157),
    ("fdtr", (1, 0, 1), (1e-163, 3.6, 1e163), far_f(3.6, 1.0, 1e163)),
    ("chndtr", (1, 0, 0), (1e-303, 1e-303, 100.0), 25.5 * math.exp(-50)),
    ("chndtr", (2, 0, 0), (1e-31, 1e-31, 100.0), -math.exp(-50) / 2 * 1e31),
    ("pro_rad1.1", (0, 0, 0, 1), (2, 2, 1.3361e-85, 1.0937e85), 5.0607452723404576e-172),
    (
        "pro_rad2_cv.0",
        (0, 0, 0, 0, 2),
        (2, 3, 3.114504806017005e-125, 12.0, 3.522597781485399e83),
        -0.16687331357977397,
    ),
    (
        "obl_rad2_cv.1",
        (0, 0, 2, 0, 0),
        (2, 4, 2.70440548421047e-28, 20.0, 3264619829.858565),
        1.2296519893497613e140,
    ),
    ("nctdtr", (0, 0, 1), (1e-200, 1.0, 0.0), math.exp(-0.5) / 2 * 1e-100),
    ("nctdtr", (1, 0, 1), (1e-20, 1.0, 0.0), math.exp(-0.5) / 4 * 1e10),
    ("nctdtr", (0, 1, 0), (1e-200, 1.0, 0.0), -math.exp(-0.5) / math.sqrt(2 * math.pi)),
    ("ncfdtr", (0, 0, 0, 1), (2.0, 1e200, 0.0, 3.0), math.exp(-3.0)),
    ("ncfdtr", (0, 0, 0, 1), (2.0, 1e-200, 0.0, 4.0), 1e-200 / 2 / 4.0),
    ("stdtr", (0, 2), (1.0937e-217, 1.3361e-217), -2.0200395024096938e-109),
    ("spherical_jn", (0, 1), (0, 1e-205), -1e-205 / 3),
    ("log_wright_bessel", (2, 0, 0), (0.5, 1.3, 1e10), 972502766.0385119),
    ("log_wright_bessel", (1, 1, 0), (0.5, 1.3, 1e10), 8.592311897638693),
    ("log_wright_bessel", (1, 0, 1), (0.5, 1.3, 1e10), -0.006194422054467632),
    ("log_wright_bessel", (0, 2, 0), (0.5, 1.3, 1e10), -2.2799679159066054e-07),
    ("log_wright_bessel", (0, 1, 1), (0.5, 1.3, 1e10), -6.666665830678352e-11),
    ("log_wright_bessel", (0, 0, 2), (0.5, 1.3, 1e10), -1.9493446254752638e-14),
    ("log_wright_bessel", (1, 1, 1), (0.5, 1.3, 1e10), 4.444449752878016e-11),
    ("log_wright_bessel", (2, 0, 0), (0.0043, 0.3, 1e217), 2.9148046895173813e221),
    ("log_wright_bessel", (0, 0, 2), (0.0043, 0.3, 1e217), -5.159797521409865e-221),
    ("spherical_in", (0, 2), (0, 1e-250), 1 / 3),
    ("ive", (0, 2), (1e-160, 1e-160), -1e160),
    ("ive", (1, 1), (2.0, 1e-200), -1.1540823752861688e-198),
    ("yve", (1, 1), (1e-160, 1e-160), 86459.8002815976),
    ("yve", (0, 2), (0.5, 1e-100), -5.98413420602149e249),
    ("powm1", (2, 0), (1e-160, 1e-160), -1e160),
    ("powm1", (3, 0), (1e-155, 1e-160), 2e305),
    (
        "gdtria",
        (2, 0, 0),
        (1.0937e-31, 0.1, 1.3361e-31),
        quantile_of_small_shape(1.0937e-31, 0.1, 1.3361e-31),
    ),
    ("eval_gegenbauer", (1, 0, 1), (1.3e-163, 2.1e-163, 0.3), 5.574396583949249e-163),
    ("eval_gegenbauer", (0, 1, 1), (1.3e-163, 2.1e-163, 0.3), 3.4508169329209634e-163),
    ("eval_gegenbauer", (1, 0, 2), (1.3e-163, 2.1e-163, 0.3), -2.777671455840907e-163),
    ("hyp2f1", (0, 0, 0, 1), (1.3e-170, 1.6e-170, 1.7e-170, 0.3), 1.3e-170 * 1.6 / 1.7 / 0.7),
    ("hyp2f1", (0, 0, 1, 1), (1.3e-170, 2.1e-170, 1.7e-170, 0.3), -1.3494809688581315),
    # of (a x)^b / Gamma(b + 1)
    ("gdtr", (1, 0, 0), (1.06e-245, 3.9e-219, 4e-69), 3.9e-219 / 1.06e-245),
    ("gdtr", (1, 0, 0), (1e-200, 1e-3, 1e-150), 1e197 * 10**-0.35 / math.gamma(1.001)),
    ("gdtr", (1, 1, 0), (1.06e-245, 3.9e-219, 4e-69), 1 / 1.06e-245),
    ("gdtrib", (0, 0, 2), (0.5, 0.3, 1e-155), -9.3926905566437669e304),
    ("gdtrib", (0, 0, 2), (1e-160, 0.3, 1.0), -8.849729986159034e-06),
    ("chdtriv", (0, 2), (0.3, 1e-140), -2.3010854053161256e275),
    ("pdtrik", (0, 2), (0.3, 5.0), 0.01151672602567255),
    ("fdtr", (2, 0, 0), (1e-160, 3.0, 1.0), 5e159),
    ("stdtr", (2, 0), (1e-200, 1.0), -2.5e199),
    ("elliprc", (0, 1), (0.0, 1e-206), -math.inf),
    ("elliprf", (1, 0, 0), (1e-250, 1e-250, 1e-250), -math.inf),
]

# x^(a - 1) (1 + c x + ..) differentiated a times: nothing is left of the power, and c decides
WHOLE_POWERS = [
    ("gammainc", (0, 3), (2.0, 1e-10), -2 + 3e-10),
    ("gammainc", (0, 4), (3.0, 1e-6), -2.999994000005),
    ("gammainc", (0, 3), (2.00000001, 1e-10), 97.99997738289308),
    ("gdtr", (0, 0, 3), (1.0, 2.0, 1e-20), -2.0),
    ("gdtr", (3, 0, 0), (1e-20, 2.0, 1.0), -2.0),
    ("chdtr", (0, 3), (4.0, 1e-20), -0.25),
    ("pdtr", (0, 3), (1, 1e-20), 2.0),
    ("betainc", (0, 0, 3), (2.0, 3.0, 1e-20), -48.0),
    ("betainc", (0, 0, 3), (2.0, 3.0, 1e-200), -48.0),
    ("betainc", (0, 0, 4), (2.0, 3.0, 1e-6), 72.0),
    ("betainc", (0, 0, 3), (4.5, 3.0, 1e-200), 7.03828125e-298),
    ("betaincc", (0, 1, 3), (2.0, 3.0, 1e-20), 52.0),  # of 2 b (b^2 - 1)
    ("betainc", (0, 0, 4), (3.0, 2.0, 0.0), -72.0),
    ("betainc", (0, 1, 3), (2.0, 3.0, 0.0), -52.0),
    ("betainc", (0, 0, 3), (3.0, 2.0, 1.0), -48.0),
    ("gammaincinv", (0, 2), (1.0, 1e-20), 1.0),
    ("nbdtr", (0, 0, 3), (2, 2, 1e-20), -48.0),
    ("fdtr", (0, 0, 2), (2.0, 6.0, 1e-20), -4 / 3),
    ("fdtr", (0, 0, 3), (4.0, 6.0, 1e-10), -35.55555553422222),
    ("fdtrc", (0, 0, 3), (4.0, 6.0, 0.0), 320 / 9),
    ("chndtr", (2, 0, 0), (1e-10, 2.0, 1.0), -0.07581633246313148),
    ("chndtr", (3, 0, 0), (1e-20, 4.0, 1.0), -0.11372449869611877),
    ("ncfdtr", (0, 0, 0, 3), (4.0, 6.0, 1.0, 1e-10), -16.174150918661425),
    ("ncfdtr", (0, 0, 0, 3), (4.0, 6.0, 1.0, 0.0), -16.174150925670226),
]


ALL = [*CASES, *WHOLE_POWERS]


@pytest.mark.parametrize("name, index, point, want", ALL, ids=[f"{c[0]}-{c[1]}" for c in ALL])
def test_a_small_derivative_is_a_number(name, index, point, want):
    name, _, output = name.partition(".")
    function = getattr(hs, name)
    derivative = (lambda *args: function(*args)[int(output)]) if output else function
    for argument, order in enumerate(index):
        for _ in range(order):
            derivative = jax.grad(derivative, argument)
    np.testing.assert_allclose(derivative(*point), want, rtol=1e-11)


def test_the_third_derivative_of_a_root_next_to_zero():
    """e^zeta Ai(z) has the part 2/3 z^(3/2) Ai(0)."""
    third = jax.grad(jax.grad(jax.grad(lambda z: hs.airye(z)[0])))
    np.testing.assert_allclose(third(1e-160), -sc.airy(0)[0] / 4 * 1e240, rtol=1e-14)


@pytest.mark.parametrize("z", [1e10j, -10 - 1.1e10j, 3 + 30j])
def test_a_polynomial_whose_waves_overflow(z):
    """S_n is the quotient of sines of n + 1 and 1 times an angle t with cos t = z / 2."""
    with mpmath.workdps(60):
        t = mpmath.acos(mpmath.mpc(z) / 2)
        want = complex(t * mpmath.cos(31 * t) / mpmath.sin(t))
    slope = jax.jvp(lambda n: hs.eval_chebys(n, z), (30.0,), (1.0,))[1]
    np.testing.assert_allclose(slope, want, rtol=1e-12)


def test_a_slope_without_a_phase_is_nan_on_either_side():
    assert np.isnan(jax.grad(hs.jv, 1)(3.0, -1e17)) and np.isnan(jax.grad(hs.jv, 1)(3.0, 1e17))


@pytest.mark.parametrize("x", [1e5, 1e19, 1e67])
def test_the_slopes_of_a_tail_below_the_doubles_are_zero(x):
    assert [jax.grad(hs.chndtr, i)(x, 4.0, 1.0) for i in range(3)] == [0.0, 0.0, 0.0]


def test_the_end_of_a_search_is_no_root():
    """The root is half of dfn, and SciPy's number 1e-100."""
    slopes = [jax.grad(hs.fdtridfd, i)(1e-52, 1 / 3, 2.7) for i in range(3)]
    assert np.isnan(slopes).all()


@pytest.mark.parametrize("z", [1e-250 + 1e-250j, -3e-230 + 4e-230j, 1e-230j])
def test_the_scale_of_airye_next_to_0(z):
    """exp(-|Re zeta|) has the slope sign(Re zeta) sqrt(z) / 2, also where zeta = 2/3 z^(3/2) underflows."""
    slopes = [jax.jvp(lambda t: hs.airye(t)[3], (z,), (direction,))[1] for direction in (1 + 0j, 1j)]
    bip, zeta_slope = sc.airye(z)[3], np.sqrt(z)
    sign = np.sign(np.cos(1.5 * np.angle(z)))
    # the change of |Re zeta| along 1 and i
    np.testing.assert_allclose(slopes, -sign * bip * np.real(zeta_slope * np.array([1, 1j])), rtol=1e-13)


@pytest.mark.parametrize("b, c", [(1.9e-9, 5.8e-7), (3e-11, 2e-9), (4e-7, 4.1e-7), (2e-4, 1.5e-4)])
@pytest.mark.parametrize("z", [-882.0, -9.5, -1e12])
def test_tiny_parameters_of_hyp2f1_are_not_rounded_to_1(b, c, z):
    """d/dz F is a b / c F(a + 1, b + 1; c + 1; z), which hangs on c - b."""
    a = 15.1
    slope, mixed = jax.grad(hs.hyp2f1, 3)(a, b, c, z), jax.grad(jax.grad(hs.hyp2f1, 3), 2)(a, b, c, z)
    with mpmath.workdps(60):
        orders = ((0, 0, 0, 1), (0, 0, 1, 1))
        exact = [float(mpmath.diff(mpmath.hyp2f1, (a, b, c, z), order, relative=True)) for order in orders]
    np.testing.assert_allclose([slope, mixed], exact, rtol=1e-11)


def test_a_parameter_of_hyp2f1_next_to_c_is_not_rounded_in_whole_numbers():
    """The slope in z hangs on c - a, a millionth of both, and double precision loses its digits on the way."""
    a, b, c, z = 8.737016189020953e-08, 9.569821212468696, 8.737027538954754e-08, -375.63793828509716
    with mpmath.workdps(60):
        up = [mpmath.mpf(x) + 1 for x in (a, b, c)]
        exact = float(mpmath.mpf(a) * b / c * mpmath.hyp2f1(*up, z))
    np.testing.assert_allclose(hyp2f1.hyp2f1_n(*np.array([[a], [b], [c], [z]]), nz=1), exact, rtol=1e-9)


def test_tiny_parameters_of_hyp2f1_that_are_no_neighbours():
    """Pfaff's transformation by the larger parameter would leave a sum far smaller than its terms."""
    a, b, c, z = np.full(2, 4.2), np.array([2.8e-5, -3e-7]), np.array([3e-6, 2e-8]), np.full(2, -8.3)
    with mpmath.workdps(60):
        exact = [
            float(mpmath.diff(mpmath.hyp2f1, point, (1, 0, 0, 0))) for point in zip(a, b, c, z, strict=True)
        ]
    np.testing.assert_allclose(hyp2f1.hyp2f1_n(a, b, c, z, na=1), exact, rtol=1e-13)


def test_carlsons_integrals_of_arguments_whose_ratio_is_no_double():
    """R_C(x, y) is R_F(x, y, y); for y << x it is log(4 x / y) / (2 sqrt(x)), DLMF 19.6.16 and 19.27.4."""
    x, y = 1.2440916389042686e191, 5.8021478531573845e-233
    log = math.log(4) + math.log(x) - math.log(y)
    slopes = jax.grad(hs.elliprc, (0, 1))(x, y)
    np.testing.assert_allclose(slopes[0] * x, (1 - log / 2) / (2 * math.sqrt(x)), rtol=1e-12)
    np.testing.assert_allclose(slopes[1] * y, -1 / (2 * math.sqrt(x)), rtol=1e-12)
    apart = jax.grad(hs.elliprf, (0, 1, 2))(4.82e-172, 3.28e-229, 4.88e174)
    with mpmath.workdps(30):
        exact = [
            -mpmath.elliprd(3.28e-229, 4.88e174, 4.82e-172),
            -mpmath.elliprd(4.82e-172, 4.88e174, 3.28e-229),
        ]
        exact.append(-mpmath.elliprd(4.82e-172, 3.28e-229, 4.88e174))
    np.testing.assert_allclose(apart, [float(d / 6) for d in exact], rtol=1e-12)


@pytest.mark.parametrize("v, z", [(-185.33842869473645, 3.175453622675543), (49.0, 2.8590115909876365e-05)])
def test_kv_whose_next_order_is_beyond_scipys_largest_number(v, z):
    """SciPy's kv ends at 4e303."""
    assert np.isinf(sc.kv(abs(v) + 1, z))
    with mpmath.workdps(30):
        exact = float(mpmath.diff(lambda z: mpmath.besselk(v, z), z, relative=True))
    np.testing.assert_allclose(jax.grad(hs.kv, 1)(v, z), exact, rtol=1e-13)


@pytest.mark.parametrize("name, x", [("boxcox1p", 0.008289074400163578), ("boxcox", 1.0082890744001636)])
def test_the_slope_of_a_box_cox_transformation_next_to_the_largest_double(name, x):
    """x^lmbda is beyond it, and x^lmbda / lmbda is not."""
    lmbda = 86868.52350411749
    log = math.log1p(x) if name == "boxcox1p" else math.log(x)
    value = getattr(sc, name)(x, lmbda)
    slope = jax.grad(getattr(hs, name), 1)
    np.testing.assert_allclose(slope(x, lmbda), value * (log - 1 / lmbda), rtol=1e-12)
    np.testing.assert_allclose(
        jax.grad(slope, 1)(x, lmbda), value * (log**2 - 2 * (log - 1 / lmbda) / lmbda), rtol=1e-12
    )


def test_quantiles_of_a_gamma_distribution_that_only_their_scale_makes_numbers():
    """gdtrix(a, b, p) is (p Gamma(b + 1))^(1/b) / a there, DLMF 8.7.1."""
    a, b, p = 6.956e-114, 0.0008943232744385463, 0.5298289839860953
    x = sc.gdtrix(a, b, p)
    in_shape = (sc.psi(b + 1) - (math.log(p) + sc.gammaln(b + 1)) / b) / b
    np.testing.assert_allclose(jax.grad(hs.gdtrix, (1, 2))(a, b, p), [x * in_shape, x / (b * p)], rtol=1e-11)
    np.testing.assert_allclose(jax.grad(hs.gdtria, (1, 0))(p, b, a), [x * in_shape, x / (b * p)], rtol=1e-11)


@pytest.mark.parametrize(
    "a, b, x",
    [(6e-56, 3.6e-4, 6.9e-254), (1.8e-82, 1.4e-4, 9e-228), (1e-15, 0.2, 1e-298), (1e-299, 0.5, 1e-12)],
)
@pytest.mark.parametrize("name, sign", [("gdtr", 1), ("gdtrc", -1)])
def test_the_slope_of_gamma_distributions_in_the_shape_next_to_zero(name, sign, a, b, x):
    """P = (a x)^b / Gamma(b + 1) there, of which the slope in a x leaves the doubles, and those in a and x do not."""
    p, log = hs.gdtr(a, b, x), np.log(a) + np.log(x)
    growth = log - sc.psi(b + 1)
    wanted = [p / a * (b * growth + 1), p * (growth**2 - sc.polygamma(1, b + 1)), p / x * (b * growth + 1)]
    first = jax.grad(getattr(hs, name), 1)
    np.testing.assert_allclose(first(a, b, x), sign * p * growth, rtol=1e-11)
    for i, want in enumerate(wanted):
        np.testing.assert_allclose(jax.grad(first, i)(a, b, x), sign * want, rtol=1e-11)
