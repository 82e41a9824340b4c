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
