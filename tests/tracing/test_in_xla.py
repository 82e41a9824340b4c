"""Functions of scipy.special that XLA computes in traced code."""

import jax
import mpmath
import numpy as np
import pytest
import scipy.special

import hostwrap as hw
from hostwrap._tracing.calls import twin_of_ufunc

X = np.array([-36.0, -20.0, -7.5, -1.0, -0.5, -1e-9, 0.0, 1e-200, 0.3, 1.0, 2.0, 6.5, 13.0, 24.0])
DEFINITIONS = {"erf": mpmath.erf, "erfc": mpmath.erfc, "ndtr": mpmath.ncdf}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_they_have_all_digits(name):
    found = jax.jit(twin_of_ufunc(getattr(scipy.special, name)))(X)
    with mpmath.workdps(40):
        want = [float(DEFINITIONS[name](mpmath.mpf(float(x)))) for x in X]
    np.testing.assert_allclose(found, want, rtol=1e-15, atol=1e-307)
    slope = jax.jit(jax.vmap(jax.grad(twin_of_ufunc(getattr(scipy.special, name)))))(X)
    sign, c = {"erf": (1, 2), "erfc": (-1, 2), "ndtr": (1, 1)}[name]
    with mpmath.workdps(40):
        bell = [mpmath.exp(-c * mpmath.mpf(float(x)) ** 2 / 2) for x in X]
        want = [float(sign * b / mpmath.sqrt(mpmath.pi * {1: 2, 2: 0.25}[c])) for b in bell]
    np.testing.assert_allclose(slope, want, rtol=1e-15, atol=1e-307)


def test_such_code_needs_no_host():
    f = hw.to_jax(
        hw.wrap(lambda x, y: scipy.special.ndtr(x) * scipy.special.expit(y) + scipy.special.xlogy(x, y))
    )
    g = jax.grad(f, argnums=(0, 1))
    want = (
        np.exp(-0.125) / np.sqrt(2 * np.pi) * scipy.special.expit(0.7) + np.log(0.7),
        scipy.special.ndtr(0.5) * scipy.special.expit(0.7) * scipy.special.expit(-0.7) + 0.5 / 0.7,
    )
    np.testing.assert_allclose(g(0.5, 0.7), want, rtol=1e-14)
    second = jax.hessian(lambda x: f(x, 0.7))(0.5)
    np.testing.assert_allclose(
        second, -0.5 * np.exp(-0.125) / np.sqrt(2 * np.pi) * scipy.special.expit(0.7), rtol=1e-14
    )


def test_single_precision_stays_the_hosts():
    x = np.float32(0.4)
    assert twin_of_ufunc(scipy.special.erf)(x).dtype == np.float32


def test_a_branch_that_is_not_taken_gives_no_nan():
    f = hw.wrap(lambda x: np.where(x > 0, np.sqrt(scipy.special.erf(np.maximum(x, 0))), 0.0))
    assert jax.grad(f)(-1.0) == 0
