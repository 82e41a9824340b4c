"""Derivatives in the order of the power series of J and I (DLMF 10.2.2, 10.25.2), relative to its sum."""

from math import comb, factorial

import numpy as np
import scipy.special as sc

from hostwrap.special._numerics.until import until

MOST_TERMS = 200


def relative_jet(v, x, n, sign):
    """[f^(k)(v) / f(v), k = 0..n] for f = J (sign = -1) or I (sign = 1); v >= 0, x^2 / (v + 1) moderate.

    The derivatives of a term's logarithm (v + 2m) log(x/2) - log Gamma(v + m + 1) are
    log(x/2) - psi(v + m + 1), -psi'(v + m + 1), ...
    """

    if n == 0:
        return np.stack([np.ones_like(x)])

    def add_term(turn, term, *rest):
        polygammas, totals, (log_half, square, v) = rest[:n], rest[n:-3], rest[-3:]
        jet = exponential_jet([log_half - polygammas[0], *(-p for p in polygammas[1:])], n)
        totals = [total + term * j for total, j in zip(totals, jet, strict=True)]
        m = turn + 1
        polygammas = [p - factorial(k) / (-(v + m)) ** (k + 1) for k, p in enumerate(polygammas)]
        term = term * square / (m * (v + m))
        return term, *polygammas, *totals, ~(np.abs(term) < 1e-18 * np.abs(totals[0]))

    signed = [(-1) ** (k + 1) * factorial(k) for k in range(n)]
    polygammas = [sc.digamma(v + 1), *(signed[k] * sc.zeta(k + 1, v + 1) for k in range(1, n))]
    start = [1.0, *polygammas, *[0.0] * (n + 1)]
    totals = until(add_term, start, [np.log(x / 2), sign * x * x / 4, v], MOST_TERMS)[1 + n :]
    return np.stack([total / totals[0] for total in totals])


def exponential_jet(slopes, n):
    """[exp(g)^(k) / exp(g), k = 0..n] from the derivatives g', g'', ...: Bell's polynomials."""
    jet = [np.ones_like(slopes[0])]
    for k in range(n):
        jet.append(sum(comb(k, m) * jet[k - m] * slopes[m] for m in range(k + 1)))
    return np.stack(jet)
