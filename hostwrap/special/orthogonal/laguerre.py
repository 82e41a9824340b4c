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
from hostwrap.special.hypergeometric._series import asymptotic
from hostwrap.special.hypergeometric.hyp1f1 import LARGE, hyp1f1_jet, hyp1f1_scaled, principal
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
    if not any(orders):
        return value
    lost, below = cancelled(first, second), (np.real(x) < 0) & (np.real(x) > -MOST) & (np.imag(x) == 0)
    far = (np.abs(x) >= LARGE) & (np.abs(x) < np.inf)
    value = elsewhere(
        value, ~(lost <= SURE) & far, in_python(lambda *at: _far(*at, orders, dx)), n, alpha, x, value
    )
    if sum(orders) < 3:
        return value
    value = np.where((lost > WORST) & ~below & ~far, np.nan, value)
    mean = lambda n, alpha, x: _mean(n, alpha, x, orders, dx)
    return elsewhere(value, (lost > SURE) & below & ~far, in_python(mean), n, alpha, x)


def _far(n, alpha, x, value, orders, dx):
    """By the asymptotic expansion of 1F1, DLMF 13.7.2, where it is good; else the value.

    Of its two terms one has (-x)^n / Gamma(n + 1) as its factor, without alpha. The expansion of a product of binomial
    and 1F1 has it as a quotient of Gamma functions of alpha, which cancel, and with them the leading digits of
    derivatives in alpha. The dx-th derivative in x is (-1)^dx L(n - dx, alpha + dx; x).
    """
    n, alpha = n - dx, alpha + dx
    growing, one = asymptotic((n + 1, n + alpha + 1), x, orders)
    falling, two = asymptotic((-n, -n - alpha), -x, orders)
    first = principal(x, x, np.log(x + 0j), -n - alpha - 1, ((n + alpha + 1,), (n + 1, -n)), growing, orders)
    if not orders[0]:  # of a polynomial 1 / (Gamma(n + 1) Gamma(-n)) is 0, and e^x may be no number
        first = np.where(n.value == np.round(n.value), 0.0, first)
    second = principal(x, 0.0, np.log(0j - x), n, ((), (n + 1,)), falling, orders)
    return np.where(one & two, (-1) ** dx * derivative(first + second, orders), value)


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
