"""Derivatives of Riemann's zeta function, real and complex; for real arguments made of loops alone."""

import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.jets import product, sine
from hostwrap.special._numerics.pointwise import piecewise, pointwise
from hostwrap.special.gamma_beta.gamma import psi_n
from hostwrap.special.zeta_functions.hurwitz import hurwitz_jet

REFLECTED = -0.25  # on the left of this


@pointwise
def zeta_n(s, *, dx):
    """(d/ds)^n zeta(s)."""
    direct = lambda s: hurwitz_jet(s, np.ones_like(s.real), dx)[dx]
    return piecewise((s,), [(s.real < REFLECTED, lambda s: _reflected(s, dx)), (None, direct)])


def _reflected(s, n):
    """zeta(s) = 2 (2 pi)^-u Gamma(u) sin(pi s / 2) zeta(u), u = 1 - s (DLMF 25.4.1).

    The first factors are (pi^(-u/2) Gamma(u/2)) (pi^(-(u+1)/2) Gamma((u+1)/2)), of which neither overflows early.
    """
    u = 1 - s
    jets = (_gamma_ratio(u, n), hurwitz_jet(u, np.ones_like(u.real), n))
    gammas, zetas = ([(-1) ** k * f for k, f in enumerate(jet)] for jet in jets)
    rest = product(product(gammas, zetas), [0.5**k * f for k, f in enumerate(sine(s / 2, n))])
    return _half_gamma(u / 2) * _half_gamma((u + 1) / 2) * rest[n]


def _half_gamma(v):
    return np.float_power(np.pi, -v) * sc.gamma(v)


def _gamma_ratio(u, n):
    """The jet of (2 pi)^-u Gamma(u), divided by its value."""
    slopes = [psi_n(u, k) - (np.log(2 * np.pi) if k == 0 else 0) for k in range(n)]
    jet = [np.ones_like(u)]
    for k in range(n):
        jet.append(sum(math.comb(k, j) * jet[k - j] * slopes[j] for j in range(k + 1)))
    return jet
