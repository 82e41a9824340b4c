"""What real users compute, against mpmath at 50 digits: value and derivatives, jitted and vmapped."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special

from bench.matern import loss, matern, sample
from hostwrap import special

CLOSE = functools.partial(np.testing.assert_allclose, rtol=1e-10, atol=0)


def everywhere(f, args, value, slopes):
    """f at `args`, and `slopes[i]` in argument i: under jit, and in a batch of three under vmap."""
    both = jax.value_and_grad(f, tuple(slopes))
    batch = tuple(jnp.full(3, x) for x in args)
    for got, gradient in (jax.jit(both)(*args), jax.jit(jax.vmap(both))(*batch)):
        CLOSE(got, np.full_like(got, value))
        for slope, expected in zip(gradient, slopes.values(), strict=True):
            CLOSE(slope, np.full_like(slope, expected))
    for i, expected in slopes.items():
        CLOSE(jax.jit(jax.jacfwd(f, i))(*args), expected)


# ---- the rational-quadratic kernel of a Hilbert-space Gaussian process: its spectral density has a learned order


def spectral_density(w, alpha, length, dimension=1):
    """Fourier transform of (1 + r²/c²)^-α, c² = 2αℓ², in D dimensions: with ν = α - D/2 it is
    2 π^(D/2)/Γ(α) c^(2α) (w/2c)^ν K_ν(cw)  (Rasmussen & Williams, Gaussian Processes, section 4.2; DLMF 10.32.11)."""
    nu, c = alpha - dimension / 2, jnp.sqrt(2 * alpha) * length
    log_factor = dimension / 2 * jnp.log(jnp.pi) - special.gammaln(alpha) + 2 * alpha * jnp.log(c)
    return 2 * jnp.exp(log_factor + nu * jnp.log(w / (2 * c))) * special.kv(nu, c * w)


def test_rational_quadratic_spectral_density():
    slopes = {1: 0.0705660026448687944, 2: -0.227374687928117871}
    everywhere(spectral_density, (1.3, 2.2, 0.7), 1.0201994119280585, slopes)


# ---- a Matérn kernel with learned smoothness


def test_matern_kernel():
    slopes = {0: -0.487298709886967729, 1: 0.061538222696853785, 2: 0.29987612916121091}
    everywhere(matern, (0.8, 1.7, 1.3), 0.72530048528136874, slopes)


@pytest.mark.parametrize(("nu", "slope"), [(2.0, 0.045538141065374490), (2.5, 0.029490988933633763)])
def test_matern_kernel_at_integer_and_half_integer_smoothness(nu, slope):
    CLOSE(jax.jit(jax.grad(matern, 1))(0.8, nu, 1.3), slope)


@pytest.mark.rotating
def test_matern_gram_matrix_is_finite_with_finite_derivatives_on_the_diagonal():
    x, y = sample(nu=1.7, length=1.3, count=12)
    gram, slopes = jax.jit(lambda r, *p: (matern(r, *p), jax.jacfwd(lambda *p: matern(r, *p), (0, 1))(*p)))(
        np.abs(x[:, None] - x), 1.7, 1.3
    )
    assert all(np.isfinite(a).all() for a in (gram, *slopes))
    np.testing.assert_array_equal(np.diag(gram), 1.0)
    for slope in slopes:
        np.testing.assert_array_equal(np.diag(slope), 0.0)
    log_parameters = jnp.log(jnp.array([1.1, 0.9]))
    gradient = jax.jit(jax.grad(loss))(log_parameters, x, y)
    step = 1e-5 * gradient / jnp.linalg.norm(gradient)
    difference = (loss(log_parameters + step, x, y) - loss(log_parameters - step, x, y)) / 2e-5
    np.testing.assert_allclose(jnp.linalg.norm(gradient), difference, rtol=1e-6)


# ---- the visibility of a uniform disk


def visibility(x):
    """2 J1(x)/x, which is J0(x) + J2(x) (DLMF 10.6.1) and so needs no case at x = 0."""
    return special.jv(0, x) + special.jv(2, x)


def quotient(x):
    safe = jnp.where(x == 0, 1.0, x)
    return jnp.where(x == 0, 1.0, 2 * special.j1(safe) / safe)


@pytest.mark.parametrize("f", [visibility, quotient])
def test_uniform_disk(f):
    everywhere(f, (3.1,), 0.19414266651681137, {0: -0.31368194462419930})
    CLOSE(jax.jit(jax.hessian(f))(3.1), 0.109420505700155696)


def test_uniform_disk_at_the_centre():
    for order, expected in enumerate((1.0, 0.0, -0.25)):
        f = visibility
        for _ in range(order):
            f = jax.grad(f)
        np.testing.assert_allclose(jax.jit(f)(0.0), expected, rtol=0, atol=1e-15)


def test_subnormals_inside_scipy_are_not_flushed_under_jit():
    expected = scipy.special.binom(169.378, 0.19335)
    assert 2.93 < expected < 2.94
    assert jax.jit(special.binom)(169.378, 0.19335) == expected
