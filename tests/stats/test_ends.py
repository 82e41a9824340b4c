"""What new eyes found at ends, at poles and far out: each was NaN, or wrong."""

import jax
import numpy as np
import pytest
from mpmath import mp

from hostwrap import stats
from tests._kit.versions import SCIPY


def test_far_from_the_mode_of_pearson3():
    # there log f is -2 y / skew + (4 / skew^2 - 1) log y and constants
    for y, skew in [(6.9e184, 2.796), (-4.6e98, -1.0935), (1e120, 0.7)]:
        in_x, in_skew, in_loc, in_scale = jax.grad(stats.pearson3.logpdf, (0, 1, 2, 3))(y, skew, 0.0, 1.0)
        np.testing.assert_allclose(in_x, -2 / skew, rtol=1e-14)
        np.testing.assert_allclose([in_loc, in_scale], [-in_x, -y * in_x], rtol=1e-14)
        np.testing.assert_allclose(in_skew, 2 * y / skew**2, rtol=1e-14)


@pytest.mark.parametrize("k, p", [(416.0, 0.9995898363796532), (1e5, 0.99999), (3.0, 0.5), (1000.0, 0.3)])
def test_logser_has_no_gap(k, p):
    with mp.workdps(50):
        at, log = mp.mpf(p), -mp.log1p(-mp.mpf(p))
        above = at ** (k + 1) / (k + 1) * mp.hyp2f1(1, k + 1, k + 2, at)
        slope = at**k / (1 - at) / log - above / log**2 / (1 - at)
        np.testing.assert_allclose(jax.grad(stats.logser.sf, 1)(k, p), float(slope), rtol=1e-12)
        np.testing.assert_allclose(jax.grad(stats.logser.cdf, 1)(k, p), -float(slope), rtol=1e-12)
        if above > mp.mpf("1e-300"):
            np.testing.assert_allclose(
                jax.grad(stats.logser.logsf, 1)(k, p), float(slope * log / above), rtol=1e-12
            )


def test_yulesimon_where_its_tail_underflows():
    k, alpha = 473, 1203.16793550533
    right = float(mp.digamma(alpha + 1) - mp.digamma(alpha + 1 + k))
    np.testing.assert_allclose(jax.grad(stats.yulesimon.logsf, 1)(k, alpha), right, rtol=1e-12)


@pytest.mark.parametrize("kind", ["cdf", "sf", "logcdf", "logsf"])
def test_scale_at_a_pole_of_the_density(kind):
    by_scale = jax.grad(getattr(stats.dweibull, kind), 3)
    assert by_scale(0.0, 0.5, 0.0, 2.0) == 0  # y f(y) is 0 there
    mixed = (-0.125 if kind.endswith("cdf") else 0.125) * (2 if kind.startswith("log") else 1)
    np.testing.assert_allclose(jax.grad(by_scale)(0.0, 1.0, 0.0, 2.0), mixed)
    assert np.isnan(jax.grad(by_scale)(0.0, 0.5, 0.0, 2.0))


def test_a_density_that_is_0_at_an_end_stays_0():
    assert jax.grad(stats.burr.pdf, (1, 2, 4))(0.0, 1.2, 0.9, 0.0, 1.0) == (0, 0, 0)
    assert jax.grad(stats.alpha.pdf, (1, 3))(0.0, 1.2, 0.0, 1.0) == (0, 0)


@pytest.mark.skipif(SCIPY < (1, 17), reason="SciPy takes positive shapes only")
def test_truncpareto_with_a_negative_shape():
    b, c, x = -50.16, 2900.7, 700.0  # c^-b is 1e173
    f, log = stats.truncpareto, np.log
    np.testing.assert_allclose(jax.grad(f.logpdf, (1, 2))(x, b, c), [1 / b - log(x / c), b / c], rtol=1e-13)
    np.testing.assert_allclose(
        jax.grad(f.logcdf, (0, 1, 2))(x, b, c), [-b / x, -log(x / c), b / c], rtol=1e-13
    )
    small = (x / c) ** -b
    np.testing.assert_allclose(
        jax.grad(f.sf, (1, 2))(x, b, c), [small * log(x / c), -small * b / c], rtol=1e-12
    )


@pytest.mark.parametrize("x", [-3e-9, 5e-58, 0.2499, 0.2501, -0.9])
@pytest.mark.parametrize("c", [0.4, 7.0])
def test_next_to_the_centre_of_rdist(x, c):
    def below(c):
        return mp.sign(x) * mp.betainc(0.5, c / 2, 0, mp.mpf(x) ** 2, regularized=True) / 2

    with mp.workdps(40):
        right = float(mp.diff(below, mp.mpf(c), h=mp.mpf("1e-12")))
    np.testing.assert_allclose(jax.grad(stats.rdist.cdf, 1)(x, c), right, rtol=1e-11)
    np.testing.assert_allclose(jax.grad(stats.rdist.sf, 1)(x, c), -right, rtol=1e-11)


def test_tukeylambda_where_its_probability_underflows():
    lam = 1e-4
    x = -(1 - 1e-7) / lam
    # log F = log(1 + lam x) / lam, for the other tail is nothing beside it
    right = [1 / (1 + lam * x), x / (1 + lam * x) / lam - np.log(1 + lam * x) / lam**2]
    got = jax.grad(stats.tukeylambda.logcdf, (0, 1))(x, lam)
    np.testing.assert_allclose(got, right, rtol=1e-8)


def test_scale_at_a_cusp_of_the_density():
    f = stats.gennorm
    assert jax.grad(f.logpdf, 3)(1.0, 0.15, 1.0, 2.0) == -0.5
    np.testing.assert_allclose(
        jax.grad(f.pdf, 3)(1.0, 0.15, 1.0, 2.0), -f.pdf(1.0, 0.15, 1.0, 2.0) / 2, rtol=1e-15
    )


def test_quantiles_at_an_end_that_stays():
    """Of loc + scale the place in the support has lost its last digits."""
    at = (-0.9999999849049641, 2.0, -0.009533580970282217, 1.0512282402846549e-06)
    for method, q in ((stats.johnsonsb.ppf, 1.0), (stats.johnsonsb.isf, 0.0)):
        assert jax.grad(method, (1, 2))(q, *at) == (0.0, 0.0)


@pytest.mark.parametrize("h, k", [(1.2, -8.0), (1.0133697828147066, -4075.127904538136)])
def test_quantiles_next_to_an_end_that_moves(h, k):
    """They move with it. Where a power has no digits left, that is not told from an end that stays: it is NaN."""
    found = jax.grad(stats.kappa4.ppf, (1, 2))(1e-30, h, k)
    end = jax.grad(lambda h, k: stats.kappa4.support(h, k)[0], (0, 1))(h, k)
    for slope, moves in zip(found, end, strict=True):
        assert abs(slope - moves) < 1e-11 * abs(moves) or (k < -1e3 and np.isnan(slope))


@pytest.mark.parametrize("i, truth", [(1, 0.00240382874349), (2, 1.93235804244), (3, -0.00607736571764)])
def test_ncf_where_the_quadrature_of_its_tail_does_not_end(i, truth):
    """The tail is that of x^-0.07. The truth is of the series, in 60 digits."""
    at = (208629257430.51825, 0.598021074427034, 0.1396786211012908, 2.6094986352788734)
    np.testing.assert_allclose(jax.grad(stats.ncf.cdf, i)(*at), truth, rtol=1e-10)
    np.testing.assert_allclose(jax.grad(stats.ncf.logsf, i)(*at), -truth / stats.ncf.sf(*at), rtol=1e-10)


@pytest.mark.parametrize("x", [1e-200, -3e-9, 0.3, -0.6])
def test_next_to_a_mode_at_0(x):
    rtol = {"rtol": 3e-15}
    np.testing.assert_allclose(jax.grad(stats.moyal.logpdf)(x), np.expm1(-x) / 2, **rtol)
    np.testing.assert_allclose(jax.grad(stats.gumbel_r.logpdf)(x), np.expm1(-x), **rtol)
    np.testing.assert_allclose(jax.grad(stats.gumbel_l.logpdf)(x), -np.expm1(x), **rtol)
    np.testing.assert_allclose(jax.grad(stats.genextreme.logpdf)(x, 0.0), np.expm1(-x), **rtol)


@pytest.mark.parametrize("x", [6.8e110, -1e108])
def test_nct_where_its_density_underflows(x):
    """The probability behind x is a multiple of |x|^-df."""
    df, method = 2.7, stats.nct.logsf if x > 0 else stats.nct.logcdf
    slopes = jax.grad(method, (0, 1, 2))(x, df, -0.4)
    np.testing.assert_allclose(slopes[0], -df / x, rtol=1e-14)
    nearer = x / abs(x) * 1e40
    near = jax.grad(method, (0, 1, 2))(nearer, df, -0.4)
    np.testing.assert_allclose(slopes[1:], [near[1] - np.log(x / nearer), near[2]], rtol=1e-12)


def test_ncx2_far_above_all_quantiles():
    y, df, nc = 5e118, 0.9999999981467256, 2.17790642448278
    np.testing.assert_allclose(jax.grad(stats.ncx2.logpdf)(y, df, nc), -0.5, rtol=1e-14)
    assert jax.grad(stats.ncx2.logcdf, (0, 1, 2, 3, 4))(y, df, nc, 0.0, 1.0) == (0, 0, 0, 0, 0)
