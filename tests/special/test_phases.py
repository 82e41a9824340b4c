"""Factors sin(pi (x + y)) of a large and a small argument: the phase is that of the exact sum, not the rounded one."""

import jax
import mpmath
import numpy as np
import pytest

from hostwrap import special

STEP = mpmath.mpf(10) ** -40
DEFINITIONS = {
    special.binom: lambda n, k: mpmath.gamma(n + 1) * mpmath.rgamma(k + 1) * mpmath.rgamma(n - k + 1),
    special.beta: lambda a, b: mpmath.gamma(a) * mpmath.gamma(b) * mpmath.rgamma(a + b),
    special.poch: lambda z, m: mpmath.gamma(z + m) * mpmath.rgamma(z),
}
POINTS = [
    (special.binom, 0.3, 1e17),
    (special.binom, 0.3, 12345678901.0),
    (special.binom, 0.1, 1.12e61),
    (special.binom, 2.7, 1e20),
    (special.beta, 0.3, -12345678.25),
    (special.beta, 2.7, -1e9 - 0.5),
    (special.beta, 0.3, -1e14 - 0.5),
    (special.poch, -12345678.25, 0.3),
    (special.poch, -1e9 - 0.5, 2.7),
    (special.poch, -1e14 - 0.5, 0.3),
]


@pytest.mark.parametrize("function, x, y", POINTS)
def test_derivatives_see_the_small_argument_beside_the_large_one(function, x, y):
    f = DEFINITIONS[function]
    with mpmath.workdps(160):
        true = [
            mpmath.diff(lambda t: f(t, mpmath.mpf(y)), mpmath.mpf(x), h=STEP),
            mpmath.diff(lambda t: f(mpmath.mpf(x), t), mpmath.mpf(y), h=STEP),
        ]
    got = jax.jit(jax.grad(function, (0, 1)))(x, y)
    np.testing.assert_allclose(got, np.array(true, float), rtol=1e-11, atol=0)


def dawson(z):
    """Beyond the origin: DLMF 7.12.1 and the wave exp(-z^2), which is all of it where both parts are equal."""
    wave = 1j * mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-z * z) * (1 if mpmath.im(z) > 0 else -1)
    return wave + sum(mpmath.fac2(2 * k - 1) / (2 ** (k + 1) * z ** (2 * k + 1)) for k in range(6))


def faddeeva(z):
    wave = mpmath.exp(-z * z) if mpmath.im(z) < 0 else 0
    rest = dawson(z) - 1j * mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-z * z) * (1 if mpmath.im(z) > 0 else -1)
    return 2 * wave + 2j / mpmath.sqrt(mpmath.pi) * rest


@pytest.mark.parametrize("function, definition", [(special.dawsn, dawson), (special.wofz, faddeeva)])
@pytest.mark.parametrize(
    "z",
    [
        1234567.891 - 1234567.891j,
        -3.3e12 - 3.3e12j,
        7e12 - 7e12j,
        1e100 - 1e100j,
        3e150 - 1e140j,
        -2e151 + 2e130j,
    ],
)
@pytest.mark.rotating
def test_waves_of_equal_parts_and_what_is_left_far_out(function, definition, z):
    """exp(-z^2) is a wave where both parts are equal, whose phase is an exact product."""
    with mpmath.workdps(700):
        exact = mpmath.mpc(z)
        true = [complex(mpmath.diff(definition, exact, n, h=mpmath.mpf(10) ** -250)) for n in (1, 2)]
    once = jax.grad(function, holomorphic=True)
    got = [complex(jax.jit(f)(z)) for f in (once, jax.grad(once, holomorphic=True))]
    for a, b in zip(got, true, strict=True):
        assert abs(a - b) <= 1e-10 * abs(b) or abs(b) < 1e-300


def test_a_wave_whose_square_is_no_number_has_no_derivative():
    assert np.isnan(jax.grad(special.dawsn, holomorphic=True)(1e155 + 1e155j))


@pytest.mark.parametrize("kind", ["jv", "jn", "yv"])
@pytest.mark.parametrize("v", [0.0, 0.5, -2.3, 1e-100])
@pytest.mark.parametrize("x", [1.1e16, 5e18, 1e100, 1e200])
@pytest.mark.rotating
def test_bessel_functions_have_no_slope_where_scipys_have_no_phase(kind, v, x):
    """The recurrences would make it 0 from two values that are the same."""
    slope = jax.grad(getattr(special, kind), 1)
    assert np.isnan(jax.jit(slope)(v, x)) and np.isnan(jax.jit(jax.grad(slope, 1))(v, x))
    assert np.isfinite(jax.grad(getattr(special, kind), 0)(v, x))  # by the true phase


KUMMER = [
    (3.2, 1.7, 1.1e9j),
    (3.2, 1.7, -1.1e20j),
    (3.2, 1.7, 1e100j),
    (0.5, 2.5, 1e152j),
    (1e-5, 2.3, -1e280j),
]


@pytest.mark.parametrize("at", KUMMER)
def test_kummers_function_far_out_on_the_imaginary_axis(at):
    """e^z z^(a - b) has two phases, of which one is small; where the function or its derivative is, digits are kept."""
    got = jax.jit(jax.grad(lambda z: special.hyp1f1(*at[:2], z), holomorphic=True))(at[2])
    with mpmath.workdps(30):
        a, b, z = map(mpmath.mpmathify, at)
        true = complex(a / b * mpmath.hyp1f1(a + 1, b + 1, z))
    np.testing.assert_allclose(complex(got), true, rtol=1e-11, atol=0)


@pytest.mark.parametrize("argument", [0, 1])
def test_its_parameters_there(argument):
    step, at = mpmath.mpf(10) ** -15, [3.2, 1.7, 1.1e20j]
    moved = lambda s: [mpmath.mpmathify(x) + s * step * (i == argument) for i, x in enumerate(at)]
    with mpmath.workdps(50):
        true = complex((mpmath.hyp1f1(*moved(1)) - mpmath.hyp1f1(*moved(-1))) / (2 * step))
    tangents = [float(i == argument) for i in range(2)]
    got = jax.jvp(lambda a, b: special.hyp1f1(a, b, at[2]), tuple(at[:2]), tuple(tangents))[1]
    np.testing.assert_allclose(got, true, rtol=1e-11, atol=0)


LAGUERRE = [
    (3.0, 0.0, -1e12),
    (3.0, 0.7, 1.1e20j),
    (2.3, 0.7, -1e9),
    (0.0043, 0.0, -9 + 7e11j),
    (2.3, 0.0, -9 + 1e15j),
    (2.0, 12.2, 1.6e32),  # polynomials: e^x overflows, but has no part in them
    (2.0, 12.2, 1.6e32 + 9.4e31j),
]


@pytest.mark.parametrize("at", LAGUERRE)
def test_laguerre_functions_far_out_where_their_parameter_hardly_matters(at):
    """L(n, alpha; x) is (-x)^n / Gamma(n + 1) (1 + n (n + alpha) / -x ..) there."""
    with mpmath.workdps(90):
        step, (n, _, x) = mpmath.mpf(10) ** -25, map(mpmath.mpmathify, at)
        f = lambda a: mpmath.binomial(n + a, n) * mpmath.hyp1f1(-n, a + 1, x)
        true = complex((f(at[1] + step) - f(at[1] - step)) / (2 * step))
    got = jax.jvp(lambda a: special.eval_genlaguerre(at[0], a, at[2]), (at[1],), (1.0,))[1]
    np.testing.assert_allclose(complex(got), true, rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    "z", [1.3e12, 10936999999999.998, 1.1e18, -1.1e100, 1.1e18j, 7e12 + 1e-13j, 1e18 + 1e-19j]
)
def test_fresnels_waves_are_those_of_the_exact_square(z):
    with mpmath.workdps(500):
        phase = mpmath.pi * mpmath.mpmathify(z) ** 2 / 2
        true = np.array([complex(mpmath.sin(phase)), complex(mpmath.cos(phase))])
    got = jax.jvp(special.fresnel, (np.array(z),), (np.ones_like(np.array(z)),))[1]
    np.testing.assert_allclose(np.real(got), np.real(true), rtol=1e-14, atol=1e-25)
    np.testing.assert_allclose(np.imag(got), np.imag(true), rtol=1e-14, atol=1e-25)
