"""First derivatives where an argument is next to the ends of the doubles, beside their leading terms there."""

import jax
import mpmath
import numpy as np
import pytest
import scipy.special as sc

from hostwrap import special


def first(name, i, *point):
    return float(jax.jit(jax.grad(getattr(special, name), i))(*point))


@pytest.mark.parametrize("v, x", [(5.3, 1e57), (2.3, 1e140), (2.3, 1e200), (1.7, 1e250), (1.9, 1e300)])
def test_struve_where_x_to_the_v_leaves_the_doubles(v, x):
    value = sc.struve(v, x)  # DLMF 11.6.1: (x/2)^(v - 1) / (sqrt(pi) Gamma(v + 1/2))
    np.testing.assert_allclose(first("struve", 1, v, x), (v - 1) * value / x, rtol=1e-11)
    np.testing.assert_allclose(
        first("struve", 0, v, x), value * (np.log(x / 2) - sc.psi(v + 0.5)), rtol=1e-11
    )


@pytest.mark.parametrize("many", [1e20, 1e289, 1e292, 1e297, 1e305])
def test_the_f_distribution_of_ever_more_degrees_of_freedom_stays_the_limit(many):
    """That of a chi-squared variable over its degrees of freedom, or the inverse of one."""
    k, f = 9.5, 2.2
    a, x = k / 2, k * f / 2
    in_a = jax.grad(special.gammainc, 0)(a, x)
    in_x = jax.grad(special.gammainc, 1)(a, x)
    np.testing.assert_allclose(first("fdtr", 0, k, many, f), in_a / 2 + in_x * f / 2, rtol=1e-10)
    np.testing.assert_allclose(first("fdtrc", 0, k, many, f), -(in_a + in_x * f) / 2, rtol=1e-10)
    np.testing.assert_allclose(first("fdtrc", 1, many, k, 1 / f), (in_a + in_x * f) / 2, rtol=1e-10)


@pytest.mark.parametrize("v", [1e-150, 1e-170, 4.7e-247, 1e-300])
def test_hyp0f1_next_to_its_pole_though_the_other_derivative_leaves_the_doubles(v):
    np.testing.assert_allclose(first("hyp0f1", 1, v, -22.1) * v, sc.hyp0f1(1.0, -22.1), rtol=1e-11)


@pytest.mark.parametrize("v", [1e31, 1e99, 1e152, 1e157, 1e300])
@pytest.mark.parametrize("x", [2.0, 1e-3, 30.0])
def test_hyp0f1_of_large_order_is_an_exponential(v, x):
    """exp(z / v) for z = v x; SciPy's own value is 0, 1 or infinite here."""
    size = np.exp(x) / v
    np.testing.assert_allclose(first("hyp0f1", 0, v, v * x), -x * size, rtol=1e-13)
    np.testing.assert_allclose(first("hyp0f1", 1, v, v * x), size, rtol=1e-13)
    if v < 1e153:
        twice = jax.jit(jax.grad(jax.grad(special.hyp0f1)))(v, v * x)
        np.testing.assert_allclose(twice, x * (2 + x) * size / v, rtol=1e-13)


@pytest.mark.parametrize("v", [0.047, 0.5, 0.9, 1.3, 1.99, 2.6])
def test_iv_at_0_has_the_limits_of_its_first_term(v):
    """(z / 2)^v / Gamma(v + 1)."""
    limit = lambda n: np.sign(sc.poch(v - n + 1, n)) * (0.0 if v > n else np.inf)
    assert first("iv", 1, v, 0.0) == limit(1)
    assert jax.jit(jax.grad(jax.grad(special.iv, 1), 1))(v, 0.0) == limit(2)


@pytest.mark.parametrize(
    "a, b", [(1.9e212, 1.1e249), (1e-3, 1e250), (3.7e180, 1e250), (2e10, 2.1e20), (1.0, 9e9)]
)
def test_agm_twice_in_the_larger_argument_far_out(a, b):
    """(pi / 2) b / L, with L = log(4 b / a), but for a factor 1 + O((a / b)^2)."""
    log = np.log(4) + np.log(b) - np.log(a)
    bend = np.pi / 2 * (2 / log - 1) / log**2 / b
    np.testing.assert_allclose(jax.jit(jax.grad(jax.grad(special.agm, 1), 1))(a, b), bend, rtol=1e-12)


@pytest.mark.parametrize("name, leading", [("erfcx", 1 / np.sqrt(np.pi)), ("dawsn", 0.5)])
def test_error_functions_fall_until_nothing_is_left(name, leading):
    for x in (1e149, 1e151, 1e153):
        np.testing.assert_allclose(first(name, 0, x), -leading / x / x, rtol=1e-12)
    assert abs(first(name, 0, 1e200)) == 0


@pytest.mark.parametrize("x", [1e-290, 1e-303, 2e-305])
def test_k0e_next_to_0(x):
    np.testing.assert_allclose(first("k0e", 0, x), -1 / x, rtol=1e-9)


@pytest.mark.parametrize("v", [0.0, 1.8e-304, 1e-9])
@pytest.mark.parametrize("x", [1e-150, 1e-292, 1.73e-304])
def test_kve_next_to_0_is_kv(v, x):
    np.testing.assert_allclose(first("kve", 1, v, x), -1 / x, rtol=1e-6 if v else 1e-13)
    np.testing.assert_allclose(first("kve", 1, v, x), first("kv", 1, v, x), rtol=1e-13)
    np.testing.assert_allclose(first("kve", 0, v, x), first("kv", 0, v, x), rtol=1e-9)


@pytest.mark.parametrize("a", [-1e-20, -1.2e-210, -1e-290])
def test_betaln_below_its_pole_at_0(a):
    np.testing.assert_allclose(first("betaln", 1, a, a), -1 / (2 * a), rtol=1e-12)


@pytest.mark.parametrize("a, b, c", [(-19.25, 1.0, -22.25), (2.0, 0.75, -1.25), (0.75, 3.0, -1.25)])
def test_hyp2f1_beyond_1_where_it_is_a_rational_function(a, b, c):
    z = 1.875
    with mpmath.workdps(30):
        rational = lambda t: (1 - t) ** int(c - a - b) * mpmath.hyp2f1(c - a, c - b, c, t)
        np.testing.assert_allclose(
            first("hyp2f1", 3, a, b, c, z), float(mpmath.diff(rational, z)), rtol=1e-13
        )


@pytest.mark.parametrize("x", [1e-170, 1e-300])
def test_shifted_legendre_functions_next_to_their_pole(x):
    np.testing.assert_allclose(
        first("eval_sh_legendre", 1, 0.3, x) * x, np.sin(0.3 * np.pi) / np.pi, rtol=1e-13
    )


def test_a_prolate_function_below_the_errors_of_its_sum_has_no_derivative():
    slope = jax.jit(jax.grad(lambda x, c: special.pro_ang1(3, 8, c, x)[0], (0, 1)))
    assert np.all(np.isnan(slope(-0.9953, 65.0)))
    np.testing.assert_allclose(slope(-0.5, 64.97), (-195.29319047, 0.78863825), rtol=1e-8)


@pytest.mark.parametrize("s", [30 + 1e12j, 0.5 + 1e12j, -3 + 1e9j, 1e300j])
def test_the_derivative_of_zeta_far_up_ends(s):
    """Sums of as many terms as |Im s| are not for 1e12: a number where few terms serve, else NaN."""
    slope = jax.grad(special.zeta, holomorphic=True)(s)
    if s.real > 5:  # -log(2) 2^-s; the phase of 2^-s has the rounding of s, 1e12 times 1e-16
        assert abs(slope / (-np.log(2) * 2.0**-s) - 1) < 1e-4
    else:
        assert np.isnan(slope)
