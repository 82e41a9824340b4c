"""Derivatives of the stable law, beside its characteristic function at 30 digits."""

import jax
import numpy as np
import pytest
import scipy.stats
from mpmath import mp

from hostwrap import stats

# x, alpha, beta, and the angle of another path than the one that hostwrap takes
POINTS = [
    (0.3, 1.5, 0.0, 0.1), (2.0, 1.5, 0.5, -0.5), (-5.0, 0.7, 0.3, 0.9), (6.0, 1.3, -0.6, -0.5), (2.0, 0.7, 1.0, -0.6),
    (0.5, 1.0, 0.0, -0.2), (-19.0, 1.02, 0.6, 0.05),
]  # fmt: skip


def path(kind, x, alpha, beta, angle):
    """The integral along a ray, by the trapezoid rule in log t; of the probability without a constant."""

    def term(v):
        t = mp.exp(v + 1j * angle)
        tau = mp.tan(mp.pi * alpha / 2) if beta else 0
        value = mp.exp(-1j * x * t - t**alpha * (1 - 1j * beta * tau))
        return mp.re(value * t) if kind == "pdf" else -mp.im(value)

    step = mp.mpf(1) / 16
    first, last = int(-60 / min(1, alpha) / step), int((12 + 6 / alpha) / step)
    return mp.fsum(term(step * j) for j in range(first, last)) * step / mp.pi


@pytest.mark.parametrize("kind", ["pdf", "cdf"])
@pytest.mark.parametrize("point", POINTS)
@pytest.mark.rotating
def test_derivatives_of_a_stable_law(kind, point):
    *arguments, angle = point
    got = jax.grad(getattr(stats.levy_stable, kind), (0, 1, 2))(*arguments)
    with mp.workdps(30):
        step = mp.mpf(10) ** -9
        for i in range(3):
            if arguments[1] == 1 and i == 2:
                assert np.isnan(got[2])  # the parametrization jumps there
                continue
            up, down = (
                [x + s * step * (i == j) for j, x in enumerate(map(mp.mpf, arguments))] for s in (1, -1)
            )
            right = (path(kind, *up, angle) - path(kind, *down, angle)) / (2 * step)
            assert abs(mp.mpf(float(got[i])) - right) <= 1e-12 * abs(right)


def test_a_tail_like_a_power_keeps_its_digits():
    # f is C (1 + beta) x^-(1 + alpha) there, with C = alpha sin(pi alpha / 2) Gamma(alpha) / pi
    in_x, in_beta = jax.grad(stats.levy_stable.logpdf, (0, 2))(1e8, 1.6, 0.4)
    np.testing.assert_allclose([in_x, in_beta], [-2.6e-8, 1 / 1.4], rtol=1e-4)


@pytest.mark.parametrize(("x", "alpha"), [(1.4e10, 1.8), (3e9, 0.81), (3e6, 1.4)])
def test_far_out_where_scipys_density_has_no_digits(x, alpha):
    """By the first terms for a large x: f is C x^-(1 + alpha), 1 - F is C x^-alpha / alpha, C like (1 + beta)."""
    got = jax.grad(stats.levy_stable.logpdf, (0, 2))(x, alpha, 0.0)
    np.testing.assert_allclose(got, [-(1 + alpha) / x, 1.0], rtol=1e-6)
    tail = jax.grad(stats.levy_stable.logcdf, (0, 2))(-x, alpha, 0.0)
    np.testing.assert_allclose(tail, [alpha / x, -1.0], rtol=1e-6)


def test_no_digits_no_derivative():
    f = stats.levy_stable
    assert np.isnan(jax.grad(f.logpdf)(-30.0, 1.5, 1.0))  # a tail like exp(-x^3)
    assert np.isnan(jax.grad(f.pdf)(0.3, 1.0, 0.5))  # SciPy's location depends on the scale there
    assert jax.grad(f.pdf, 1)(-1.0, 0.5, 1.0) == 0  # no probability on this side


def test_another_parametrization_is_refused(monkeypatch):
    monkeypatch.setattr(scipy.stats.levy_stable, "parameterization", "S0")
    with pytest.raises(Exception, match="parametrization S1"):
        jax.grad(stats.levy_stable.cdf, 1)(0.3, 1.5, 0.5)
