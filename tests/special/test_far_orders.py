"""Derivatives of Bessel functions in the order for arguments at which SciPy's values have lost their phase."""

import jax
import mpmath
import numpy as np
import pytest

import hostwrap.special as hs

POINTS = [(0.3, 2e12), (0.3, 1e17), (-30.3, 1e30), (1e5, 1e17), (-501.2, 1e283), (900.0, 1e14)]


def wave(v, x, phase):
    """DLMF 10.18.17-18, which have no further terms here."""
    angle = mpmath.mpf(x) - (v / 2 + mpmath.mpf(1) / 4) * mpmath.pi + (4 * v**2 - 1) / (8 * mpmath.mpf(x))
    return mpmath.sqrt(2 / (mpmath.pi * mpmath.mpf(x))) * phase(angle)


@pytest.mark.parametrize("f, phase", [(hs.jv, mpmath.cos), (hs.yv, mpmath.sin)])
@pytest.mark.parametrize("n", [1, 2])
def test_derivatives_in_the_order_far_out(f, phase, n):
    derivative = jax.grad(f) if n == 1 else jax.grad(jax.grad(f))
    got = jax.jit(jax.vmap(derivative))(*np.array(POINTS).T)
    with mpmath.workdps(700):
        want = [float(mpmath.diff(lambda t: wave(t, x, phase), mpmath.mpf(v), n)) for v, x in POINTS]  # noqa: B023
    np.testing.assert_allclose(got, want, rtol=1e-11)


def test_beyond_they_are_nan_and_never_zero():
    assert np.isnan(jax.grad(hs.jv)(3e9, 1e16))
    assert jax.grad(hs.struve)(-501.0, 1e283) != 0
