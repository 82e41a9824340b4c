"""Mixed derivatives of the Laguerre functions of real degree, L(n, alpha; x) = binom(n + alpha, n) M(-n, alpha + 1, x).

DLMF 13.6.19.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.pointwise import LARGE_CHUNK, elsewhere, in_chunks, in_python
from hostwrap.special.hypergeometric._forms import Form, derivative, parameters
from hostwrap.special.hypergeometric._gammas import cancelled, product, unscaled
from hostwrap.special.hypergeometric.hyp1f1 import hyp1f1_jet, hyp1f1_scaled
from hostwrap.special.orthogonal._binomial import scaled_rising

SURE, WORST = 1e5, 1e7  # a sum of terms that are so much larger may be off by 1e-10, and by 1e-8
MOST = 100.0


@in_chunks(LARGE_CHUNK)
def genlaguerre_n(n, alpha, x, *, dn, dalpha, dx):
    """(d/dn)^i (d/dalpha)^j (d/dx)^l of eval_genlaguerre."""
    n, alpha = parameters(n, alpha)
    orders = dn, dalpha
    first, second = scaled_rising(n, alpha + 1, alpha, orders), hyp1f1_scaled(-n, alpha + 1, x, orders, dx)
    jet, exponents = product(first, second)
    value = derivative(unscaled(jet, exponents), orders)
    if sum(orders) < 3:
        return value
    lost, below = cancelled(first, second), (np.real(x) < 0) & (np.real(x) > -MOST) & (np.imag(x) == 0)
    value = np.where((lost > WORST) & ~below, np.nan, value)
    mean = lambda n, alpha, x: _mean(n, alpha, x, orders, dx)
    return elsewhere(value, (lost > SURE) & below, in_python(mean), n, alpha, x)


def _mean(n, alpha, x, orders, dx):
    """For x < 0 the mean of binom(n + alpha + k, n) over k, which has Poisson's distribution of mean -x.

    This is Kummer's transformation of 1F1 (DLMF 13.2.39), each term with its own Gamma functions: so its derivatives
    do not cancel, as those of one quotient of Gamma functions for all terms do.
    """
    mean, jet = -np.real(x), 0.0
    for k in range(math.ceil(np.max(mean) + 12 * math.sqrt(np.max(mean))) + 40):
        share = np.exp(k * np.log(mean) - mean - sc.gammaln(k + 1))
        jet = jet + share * unscaled(*scaled_rising(n - dx, alpha + (k + 1 + dx), alpha + (k + dx), orders))
    return (-1) ** dx * derivative(jet, orders)


@in_chunks(LARGE_CHUNK)
def laguerre_n(n, x, *, dn, dx):
    """(d/dn)^i (d/dx)^l of eval_laguerre."""
    jet = hyp1f1_jet(Form(-n, (-1,)), Form(1 + 0 * n, (0,)), x, (dn,), dx)
    return derivative(jet, (dn,))
