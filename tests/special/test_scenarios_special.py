"""What real users compute with quantiles and elliptic integrals, against mpmath at 50 digits."""

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
import scipy.special

from hostwrap import special
from tests.special.test_catalogue import same_bits
from tests.special.test_scenarios import CLOSE, everywhere

# ---- the Sérsic profile of galaxies: half of the light is within the effective radius


def sersic_b(n):
    return special.gammaincinv(2 * n, 0.5)


def test_sersic_profile():
    everywhere(sersic_b, (4.0,), 7.6692494425008039, {0: 1.9993257361567061})


def test_sersic_profile_has_the_slope_of_its_defining_equation():
    """P(2n, b(n)) = 1/2 for every n, so its derivative through both arguments vanishes."""
    half = jax.jit(jax.jacfwd(lambda n: special.gammainc(2 * n, sersic_b(n))))
    for n in (0.5, 1.0, 2.7, 10.0):
        assert abs(half(n)) < 1e-14


# ---- a copula of Student's t


def test_student_t():
    everywhere(special.stdtr, (3.3, 1.2), 0.84542782194912498, {0: 0.010889831404730318})
    everywhere(special.stdtrit, (3.3, 0.9), 1.5983669585600863, {0: -0.11690704858805975})


@pytest.mark.parametrize("exponent", [2, 5, 12, 20, 36])
def test_student_t_in_its_tail(exponent):
    """Down to 1e-120, where the probability is a power of the quantile."""
    df, t = 3.3, -(10.0**exponent)

    def probability(df):
        return (
            mpmath.betainc(df / 2, mpmath.mpf(1) / 2, 0, df / (df + mpmath.mpf(t) ** 2), regularized=True) / 2
        )

    with mpmath.workdps(50):
        value, slope = probability(mpmath.mpf(df)), mpmath.diff(probability, df)
    got = jax.jit(jax.value_and_grad(special.stdtr))(df, t)
    CLOSE(got, [float(value), float(slope)])
    assert got[0] > 1e-130
    if scipy.special.stdtrit(df, float(value)) == pytest.approx(t, rel=1e-9):
        quantile, steepness = jax.jit(jax.value_and_grad(special.stdtrit, 1))(df, got[0])
        CLOSE(steepness * jax.jit(jax.grad(special.stdtr, 1))(df, quantile), 1.0)


# ---- the field of a current loop


def axial_field(a, R, z):
    """Of a loop of radius a, in units of mu0 I / 2, at radius R and height z (Jackson, section 5.5)."""
    far, near = (a + R) ** 2 + z**2, (a - R) ** 2 + z**2
    m = 4 * a * R / far
    bracket = special.ellipk(m) + (a**2 - R**2 - z**2) / near * special.ellipe(m)
    return bracket / (jnp.pi * jnp.sqrt(far))


def test_field_of_a_current_loop():
    slopes = {0: -0.66245216585940139, 2: -1.4340481850254885}
    everywhere(axial_field, (1.0, 0.5, 0.3), 0.96063776656057327, slopes)


def test_field_on_the_axis_of_a_current_loop():
    """There it is a^2/(a^2 + z^2)^(3/2), elementary, and m = 0."""
    closed = lambda a, z: a**2 / (a**2 + z**2) ** 1.5
    got = jax.jit(jax.value_and_grad(axial_field, (0, 2)))(1.0, 0.0, 0.3)
    want = jax.value_and_grad(closed, (0, 1))(1.0, 0.3)
    np.testing.assert_allclose(jax.tree.leaves(got), jax.tree.leaves(want), rtol=1e-14)


# ---- the same bits as SciPy where subnormal numbers are flushed to zero inside a callback

FLUSHED = {
    "binom": (169.378, 0.19335),
    "stdtrit": (0.415, 8.3e-122),
    "betaincinv": (6.84, 0.00723, 2.7e-183),
    "fdtri": (6.84, 0.00723, 1e-150),
}


@pytest.mark.parametrize("name", FLUSHED)
def test_tails_have_the_bits_of_scipy_under_jit(name):
    args = FLUSHED[name]
    assert same_bits(jax.jit(getattr(special, name))(*args), getattr(scipy.special, name)(*args)).all()
