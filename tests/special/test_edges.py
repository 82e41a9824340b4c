"""Derivatives at the ends of domains, at zeros of powers and in single points: where batches and boxes do not look."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

from hostwrap import special

inf = float("inf")


def partial(function, orders):
    for i, order in enumerate(orders):
        for _ in range(order):
            function = jax.jacfwd(function, argnums=i)
    return function


# (function, order of differentiation in each argument, point, true value to 12 digits)
CASES = [
    # a single point whose power series lacks its first term
    ("besselpoly", (1, 0, 0), (0.5, 1.0, 0.0), -0.229806969863801),
    ("besselpoly", (2, 0, 0), (0.5, 0.5, 1.0), -0.302335951502507),
    ("struve", (0, 2), (0.0, 1.0), -0.370199290846344),
    ("modstruve", (0, 2), (0.0, 1.0), 0.483478804882082),
    # a third derivative whose rule has a term of an order below the first
    ("zeta", (1, 2), (2.7, 1.3), 1.02442708486266),
    # next to the end of a parameter's domain, where parts as large as its reciprocal cancel
    (
        "ncfdtr",
        (1, 0, 0, 0),
        (1e-22, 10.02843902921379, 30.484638827509762, 4.254116200680329),
        1.970365413509566e-06,
    ),
    ("ncfdtr", (1, 0, 0, 0), (1e-10, 1.3, 5.0, 40.0), 3.3083345115120006),
    # a constant, where the series of the rule overflows
    ("eval_laguerre", (0, 1), (0.0, 1e6), 0.0),
    # next to a slope that underflows
    ("elliprj", (0, 0, 0, 1), (1e300, 2.0, 3.0, -1e30), -1.0075712322207012e-208),
    # far tails, where differences with a step of common size have no reference
    ("nbdtri", (0, 0, 1), (2, 3, 1.0114517696173595e-114), 1.535495776555858e75),
    ("nbdtri", (0, 0, 1), (27, 25, 2.2671851294644023e-296), 6.817602709306428e281),
    (
        "nbdtrik",
        (1, 0, 0),
        (0.7562264004673424, 8.553315957374979, 1.2071074630278047e-40),
        8.80582229181108e40,
    ),
    (
        "nbdtrik",
        (0, 1, 0),
        (0.7562264004673424, 8.553315957374979, 1.2071074630278047e-40),
        9.286802272192277e39,
    ),
    (
        "nbdtrik",
        (0, 0, 1),
        (0.7562264004673424, 8.553315957374979, 1.2071074630278047e-40),
        -7.116514005996046e80,
    ),
    # next to order 0, where the recurrence in the order cancels
    ("yv", (1, 1), (1e-12, 1e-4), 7.907260002274075e-05),
    ("yv", (1, 1), (-0.0006070812400911753, 0.0011987444672970247), -14.023030343172316),
    ("yv", (1, 2), (9.914700873834904e-05, 8.46122015462374e-07), -19721253428.777134),
    # products in range of factors that are not
    ("binom", (1, 0), (1e181, 0.3), 6.66961826112243e-128),
    ("binom", (1, 0), (1e190, 2.5), 7.52252778063675e284),  # the value is infinite
    ("binom", (0, 1), (1e200, 1e200), -461.094234263711),  # k + 1 and n - 2k have nothing left of n - k + 1
    ("poch", (1, 0), (1e-165, 1e-165), 2.5e164),  # m / (z + m)^2
    ("poch", (0, 1), (1e-200, 1e-250), -1e200),
    ("poch", (1, 0), (1e-200, 1e-250), 1e150),
    ("poch", (2, 0), (1e-100, -0.7e-100), -2 * 0.7 / 0.3**3 * -1e200),
    ("gammainc", (0, 1), (8.5e233, 2e-230), 0.0),
    ("gammainc", (0, 1), (1e5, 1e-320), 0.0),
    ("ellipkinc", (0, 1), (-8.438615282827227e248, -1.2027768491568319e275), -2.0418232113945028e-162),
    ("ellipkinc", (0, 1), (5.842095619788953e195, -1.453965794103632e276), 3.3764888911311305e-217),
    # logarithms of factorials of 1e28, of which the difference counts
    ("log_wright_bessel", (1, 0, 0), (3.4764e-26, 5.1853e-26, 6.1466e28), -4.712495284374093e29),
    ("log_wright_bessel", (0, 1, 0), (3.4764e-26, 5.1853e-26, 6.1466e28), -7.666832532414819),
    ("log_wright_bessel", (0, 0, 1), (3.4764e-26, 5.1853e-26, 6.1466e28), 1.0),
    ("log_wright_bessel", (1, 0, 0), (1.0, 2.0, 1e20), -230258509283.1353),
    (
        "log_wright_bessel",
        (1, 0, 0),
        (0.0031768881058840195, 4.7197249048340855e-127, 2.4231501547009806e92),
        -2.5957193588827466e94,
    ),
    (
        "log_wright_bessel",
        (0, 0, 1),
        (3.4217342547725063e-265, 0.0918021265539337, 2.0361134946883494e126),
        1.0,
    ),
    # y = v / (v + t^2) underflows, and no power of it does
    ("stdtr", (1, 0), (2.246977092331844e-07, 2.1579726402230052e151), 178.139177427217),
    ("stdtr", (1, 0), (0.01, -1e152), -5.16550241035781),
    ("stdtr", (2, 0), (1e-3, 1e151), -43588.7399735928),
    # the density underflows, and its derivative in the degrees of freedom does not; those of its logarithm cancel
    ("stdtr", (1, 1), (4.5e-258, 1.2e155), 4.1666666666666666e-156),
    ("stdtr", (1, 1), (1e-300, -1e290), 5e-291),
    ("stdtr", (2, 1), (4.5e-258, 1.2e155), -5.444229970410622e-153),
    ("stdtr", (2, 1), (1.574306379287406e-15, 4.452294374485906e31), -2.018266939810794e-30),
    ("stdtr", (1, 2), (1e-200, 1e120), -5.0000000000000005e-241),
    # so many degrees of freedom that the distribution is normal: like 1 / v
    ("stdtr", (1, 0), (1e30, -1.3), -1.4981899159779558e-61),
    ("stdtr", (1, 1), (1e30, 3.0), -6.8693650385039104e-62),
    # the same of a quantile, like 1 / dfd^2
    (
        "fdtri",
        (1, 1, 0),
        (0.3186314158087018, 1.1997224768242626e26, 2.6971342503698807e-09),
        -1.4633980205897348e-103,
    ),
    # powers of 0
    ("powm1", (0, 1), (0.0, 2.0), 0.0),
    ("boxcox", (2, 0), (0.0, 1.0), 0.0),
    ("boxcox", (1, 1), (0.0, 1.0), -inf),
    ("boxcox", (0, 1), (0.0, -1.0), inf),
    ("boxcox1p", (1, 0), (-1.0, 1.0), 1.0),
    ("inv_boxcox", (1, 0), (1.0, -1.0), inf),
    ("inv_boxcox", (0, 1), (-1.0, 1.0), -1.0),
    ("inv_boxcox", (2, 0), (-2.0, 0.5), 0.5),
    # where 1 + the function is lost
    ("inv_boxcox1p", (0, 1), (-50.0, 0.01), -2.42064192913101e-27),
    # products in range of factors that are not
    ("inv_boxcox", (0, 1), (800603.140065625, 0.013497039317840045), -3.2795322384039e303),
    ("inv_boxcox", (0, 1), (2.0565822453221643e90, 0.5719477594442147), -1.90670024834086e160),
    ("inv_boxcox1p", (0, 1), (-1.0334145155808103e291, -2.5585452759448397e35), -1.14665046938864e-68),
    ("gdtr", (0, 0, 2), (1e-40, 5e-28, 5e-158), -2e287),
    ("gdtr", (2, 0, 0), (5e-158, 5e-28, 1e-40), -2e287),
    ("gdtrc", (0, 1, 1), (1e50, 3.0, 1e-160), 1.2710357228222175e-168),
    ("nrdtrisd", (0, 1, 0), (5.964888595479831e143, 5.247890900591525e-167, 1.0), 5.447074564840009e305),
    ("agm", (1, 0), (9.892221391401172e-70, 1.2094992452914481e242), 3.72869007433519e305),
    ("voigt_profile", (1, 0, 0), (1e-130, 2e-250, 1e-250), -6.36619772367581e139),
    ("voigt_profile", (0, 1, 0), (1e-130, 2e-250, 1e-250), 3.81971863420549e20),
    ("voigt_profile", (1, 0, 0), (3e98, 2e97, 1e98), -1.94725508426089e-198),
    # quotients with small and vanishing denominators
    ("kl_div", (0, 1), (0.0, 0.0), 1.0),
    ("kl_div", (0, 2), (1e-300, 1e-300), 1e300),
    ("rel_entr", (1, 1), (1.0, 1e-300), -1e300),
    ("xlogy", (0, 2), (0.0, 1e-300), 0.0),
    # orders beyond 20 000, where mpmath has no series; truth by quadrature along the steepest path
    ("kve", (1, 0), (22000.0, 3e6), 5.724296554675713e29),
    ("hankel1", (1, 0), (3e4, 4e4), -0.00176321633139691987 - 0.00307566426926858915j),
    ("hankel1e", (1, 0), (3e4, 4e4), -0.0034800297035999512 + 0.000676783414854658683j),
    ("hankel2e", (1, 0), (3e4, 4e4), -0.0034800297035999512 - 0.000676783414854658683j),
    # at the kink both orders of differentiation agree
    ("huber", (1, 1), (1.0, 1.0), 0.0),
    ("huber", (2, 0), (1.0, 1.0), 0.0),
    ("pseudo_huber", (2, 1), (0.1, 1e6), -2.99999999999993e-13),
    ("pseudo_huber", (0, 1), (1.0, inf), 1.0),
    # roots far below the ends of the searches for parameters
    (
        "ncfdtri",
        (1, 0, 0, 0),
        (2.4999999925299354, 48.99999944480898, 0.9994386893504935, 8.482884981113423e-265),
        1.409198241047159e-209,
    ),
    (
        "ncfdtri",
        (0, 1, 0, 0),
        (2.4999999925299354, 48.99999944480898, 0.9994386893504935, 8.482884981113423e-265),
        7.403627712372645e-216,
    ),
    (
        "ncfdtri",
        (0, 0, 1, 0),
        (2.4999999925299354, 48.99999944480898, 0.9994386893504935, 8.482884981113423e-265),
        2.90265889123272e-212,
    ),
    ("ncfdtri", (1, 0, 0, 0), (0.00388, 39.168, 0.000495, 0.49971), 1.5559006744257177e-148),
    ("ncfdtri", (0, 1, 0, 0), (0.00388, 39.168, 0.000495, 0.49971), -1.1204353833535992e-156),
    ("ncfdtri", (0, 0, 1, 0), (0.00388, 39.168, 0.000495, 0.49971), 4.364801621054901e-151),
    ("ncfdtri", (0, 0, 0, 1), (0.00388, 39.168, 0.000495, 0.49971), 1.746933870066599e-150),
]


@pytest.mark.parametrize(("name", "orders", "point", "value"), CASES)
@pytest.mark.rotating
def test_derivative(name, orders, point, value):
    got = partial(getattr(special, name), orders)(*point)
    np.testing.assert_allclose(got, value, rtol=1e-11, atol=0)


OUTSIDE = [
    ("log1p", (-2.0,)),
    ("logit", (2.0,)),
    ("boxcox", (-1.0, 1.0)),
    ("entr", (-1.0,)),
    ("kl_div", (-1.0, 1.0)),
    ("rel_entr", (0.0, -1.0)),
    ("huber", (-1.0, 1.0)),
    ("voigt_profile", (1.8, 5.8e-12, -0.04)),
    # 1 - x or x of the beta distribution is below all doubles, and its power is not
    ("fdtr", (189.72797708968318, 1.7362137920374982e-278, 2.3218190030335856e29)),
    ("fdtrc", (1e-50, 3.0, 1e-280)),
    # the rounding of the root is seen
    ("betaincinv", (1e18, 1e18, 0.3)),
    ("betainccinv", (1e20, 1e20, 0.3)),
    ("btdtria", (0.3, 1e20, 0.7)),
    ("btdtrib", (1e25, 0.3, 0.2)),
    ("fdtri", (1e18, 1e18, 0.3)),
    ("bdtrik", (0.7, 1e25, 0.1)),
    ("bdtrin", (1e20, 0.3, 0.4)),
    ("nbdtrik", (0.3, 1e20, 0.4)),
    ("nbdtrin", (1e20, 0.3, 0.4)),
    # more terms than can be counted
    ("besselpoly", (0.5, 1.0, -1e8)),
    ("besselpoly", (20.0, -2e261, 3.0)),
    # SciPy's numbers are no roots
    ("stdtrit", (0.03840821643768573, 2.992743166481453e-08)),
    ("stdtrit", (0.03952736320984387, 0.9999997033411525)),
    ("stdtrit", (2.170704004375628, 4.83532066372679e-166)),
    ("stdtrit", (5.609893182332787e-30, 0.49999990683182133)),
    ("stdtrit", (5.134240874483788e-24, 0.4999173992519023)),
    ("chndtridf", (2.427001636986757, 6.878202248449932e-156, 321.33555188989453)),
    ("chndtrix", (3.533062686556679e-258, 2449.3106293373153, 168879.15897351727)),
    ("nctdtridf", (0.9999999999999998, 1.2111905485939043, 231.22470493118337)),
    ("nctdtrinc", (59.99999999989271, 8.080938318433438e-139, 5.999999801795789)),
    ("voigt_profile", (1.8, -2.0, 0.04)),
    ("pseudo_huber", (-1.0, 1.0)),
]


def test_an_integral_of_bi_before_it_leaves_the_doubles():
    np.testing.assert_allclose(
        jax.jacfwd(special.itairy)(103.85815650782352).bpt, 4.93587884534588e305, rtol=1e-11
    )
    np.testing.assert_allclose(
        jax.jacfwd(special.itairy)(-103.85759213482172).bnt, 4.90757797838435e305, rtol=1e-11
    )


def test_elliptic_functions_of_no_phase_have_bounds():
    """At u = 1e74 all digits of the phase are lost; dn, the slope of the amplitude, is between (1 - m)^(1/2) and 1."""
    slopes = jax.jacfwd(special.ellipj)(-2.1807515502706026e74, 0.9994554525129824)
    assert 0 <= slopes.ph <= 1 and abs(slopes.sn) <= 1 and abs(slopes.cn) <= 1


def test_a_polynomial_whose_coefficients_leave_the_doubles_has_no_derivative():
    slopes = jax.grad(special.ellip_harm, (0, 1, 4))(
        1.3519563617748122e-9, 6.8e221, 5, 3, -0.36216703160992453, 1, 1
    )
    assert np.isnan(slopes).all()


def test_a_quantile_at_which_the_density_underflows():
    for i in range(2):
        assert np.isnan(
            jax.grad(special.nctdtrit, i)(2.7171711900731212, -2.9990671117293415, 4.26899921175636e-292)
        )


@pytest.mark.parametrize(("name", "point"), OUTSIDE)
@pytest.mark.rotating
def test_no_derivative_outside_of_the_domain(name, point):
    function = getattr(special, name)
    for i in range(len(point)):
        assert np.isnan(jax.jacfwd(function, argnums=i)(*point))
        assert np.isnan(jax.jacfwd(jax.jacfwd(function, argnums=i), argnums=i)(*point))


def test_lambertw_below_its_cut():
    z = complex(-0.36787944117144233, -0.0)
    slope = jax.jvp(lambda z: special.lambertw(z, 1), (jnp.asarray(z),), (jnp.asarray(1 + 0j),))[1]
    np.testing.assert_allclose(slope.imag, -330688013.104393, rtol=1e-8)


def test_logsumexp_in_zero_weights():
    a, b = jnp.array([1.0, -inf, 2.0]), jnp.array([1.0, 2.0, 0.0])
    np.testing.assert_allclose(jax.grad(lambda b: special.logsumexp(a, b=b))(b), [1, 0, np.e])
    np.testing.assert_allclose(jax.hessian(lambda b: special.logsumexp(a, b=b))(b)[2, 2], -(np.e**2))


def test_comb_with_repetition_of_nothing():
    slope = jax.grad(lambda k: special.comb(5.0, k, repetition=True))(0.0)
    np.testing.assert_allclose(slope, 25 / 12, rtol=1e-12)
    assert special.comb(0.0, 0.0, repetition=True) == 1


def test_second_derivative_of_the_slope_of_spheroidal_functions_next_to_the_end():
    """(1 - x^2)^(m/2) and its derivatives; truth by mpmath."""
    slope = lambda x: special.obl_ang1(2, 6, 4.0, x)[1]
    np.testing.assert_allclose(
        jax.jacfwd(jax.jacfwd(slope))(-0.9999999999998769), 68404.36936941564, rtol=1e-11, atol=0
    )


def test_second_derivatives_of_modified_mathieu_functions_in_a_small_q():
    """The leading powers of q are 1 and q: their second derivatives are 0, and what counts is the power after them."""
    for f, m, want in [
        (special.mathieu_modcem1, 0, 2.0817645520577954),
        (special.mathieu_modcem1, 2, -1.012843034801273),
        (special.mathieu_modsem1, 2, -1.13707987),
    ]:
        second = jax.jit(jax.vmap(jax.hessian(lambda q, f=f, m=m: f(m, q, 1.0)[0])))
        got = second(np.array([1e-8, 1e-10, 1e-50, 1e-100, 1e-150]))
        np.testing.assert_allclose(got, want, rtol=1e-6)
        np.testing.assert_allclose(got[2:], got[2], rtol=1e-12)


@pytest.mark.parametrize("power", [-250, -90, 90, 250])
@pytest.mark.parametrize(("name", "degree"), [("ellip_harm", 4), ("ellip_harm_2", -5), ("ellip_normal", 4)])
def test_ellipsoidal_harmonics_are_homogeneous(name, degree, power):
    """Right or NaN; where a matrix overflowed there was an error for all points."""
    f, (number, width) = getattr(special, name), (1, 2) if name == "ellip_normal" else (4, 3)
    point, powers = np.array([2.0, 5.0, 3.0])[:width], np.array([2, 2, 1])[:width]
    slopes = jax.jit(jax.grad(lambda h2, k2, *s: f(h2, k2, number, 2, *s), tuple(range(width))))
    far = np.ldexp(point, power * powers)
    with np.errstate(all="ignore"):
        want = np.ldexp(slopes(*point), power * (degree - powers))
    got = np.array(slopes(*far))
    there = np.isfinite(got) & (np.abs(want) > 1e-300)
    np.testing.assert_allclose(got[there], want[there], rtol=1e-12)
    assert there.any() or (name != "ellip_harm" and power in (-250, 250))


def test_the_noncentral_f_distribution_keeps_its_digits_where_rounding_takes_those_of_a_power():
    """By terms of the sum over Poisson weights, with mpmath's Gauss series for I_y(dfd/2, dfn/2)."""
    slope = jax.jit(jax.grad(special.ncfdtr, 1))
    by_mpmath = {
        (
            561085580548.546,
            0.028377902264403336,
            1.2757197774408236e-11,
            0.5255049665995178,
        ): 1.0100572307128735,
        (2.5e34, 7.9e-05, 7.9e-05, 0.0016): 1.086477806863039,
        (1e9, 0.03, 1e-11, 0.5): 0.9620520177326775,
    }
    for given, expected in by_mpmath.items():
        np.testing.assert_allclose(slope(*given), expected, rtol=1e-13)


@pytest.mark.parametrize("dfd", [7.9e-5, 0.5, 3.0, 40.0])
@pytest.mark.parametrize("dfn", [1.7e14, 2.5e34, 1e150])
def test_the_noncentral_f_distribution_of_many_degrees_of_freedom(dfn, dfd):
    """Then a chi-square of dfn over dfn is 1: F = Q(dfd/2, dfd/(2 f)). The power y^a lost its digits next to y = 1."""
    limit = lambda d, f: mpmath.gammainc(d / 2, d / f / 2, regularized=True)
    by_dfd, by_nc, by_f = jax.jit(jax.grad(special.ncfdtr, (1, 2, 3)))(dfn, dfd, 3.0, 1.3)
    with mpmath.workdps(40):
        slope = mpmath.diff(limit, (dfd, 1.3), (0, 1))
        np.testing.assert_allclose(by_f, float(slope), rtol=1e-12)
        np.testing.assert_allclose(by_nc, float(-slope * mpmath.mpf(1.3) / dfn), rtol=1e-12)
        np.testing.assert_allclose(by_dfd, float(mpmath.diff(limit, (dfd, 1.3), (1, 0))), rtol=1e-11)


def test_quantiles_in_parameters_that_are_both_next_to_0_are_not_silently_0():
    """I = b / (a + b) there, but for terms of the order of a and b; the slope in x is below all doubles."""
    p, b = 0.0507, 9.8e-200
    slopes = jax.jit(jax.grad(special.btdtria, (0, 1, 2)))(p, b, 4.5e-8)
    np.testing.assert_allclose(slopes, (-b / p**2, (1 - p) / p, 0.0), rtol=1e-9)
    a, p = 9.8e-200, 0.3
    slopes = jax.jit(jax.grad(special.btdtrib, (0, 1, 2)))(a, p, 0.4)
    np.testing.assert_allclose(slopes, (p / (1 - p), a / (1 - p) ** 2, 0.0), rtol=1e-9)
    b = 9.8e-100
    a = special.btdtria(0.0507, b, 4.5e-8)  # where I = b / (a + b), but for terms of the order of a and b
    np.testing.assert_allclose(jax.grad(special.btdtria)(0.0507, b, 4.5e-8), -((a + b) ** 2) / b, rtol=1e-9)


@pytest.mark.parametrize("a", [-3.0000000000004143, -4.000000080145174])
def test_hyperu_beside_its_polynomials_has_all_digits_or_none(a):
    """x^(1 - b) / Gamma(a) adds to the polynomial what the start of the recurrence may not know."""
    x, b = 0.01702245128778364, 17.33139223806186
    slope = jax.jit(jax.grad(special.hyperu, 1))(a, b, x)
    true = mpmath.diff(lambda b: mpmath.hyperu(a, b, x), b)
    assert np.isnan(slope) or abs(slope - true) <= 1e-9 * abs(true)
