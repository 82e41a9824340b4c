"""The binomial distribution: 1 - I_p(k + 1, n - k)."""

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special._math import floor, where
from hostwrap.special.beta_incomplete import mp_distributions as definitions
from hostwrap.special.beta_incomplete import roots
from hostwrap.special.beta_incomplete.entries import (
    beta_density,
    beta_quantile,
    beta_shift,
    betainc_parameter,
    other_shift,
    sharp,
    sharp_density,
)

__all__ = ["bdtr", "bdtrc", "bdtri", "bdtrik", "bdtrin"]


def binomial_slope(y, k, n, p):
    """d/dp of bdtrc; 0 at k = n, and for bdtrc at k < 0. SciPy takes the floor of k and n."""
    k, n = floor(1.0 * k), floor(1.0 * n)
    inside = (k >= 0) & (k < n)
    a, b = where(inside, k + 1, 1.0), where(inside, n - k, 1.0)
    return where(inside, beta_density(a, b, p, 1 - p, i=0, j=0, k=0), 0 * y)


bdtr = special(
    "bdtr(k, n, p)",
    dk=discrete,
    dn=discrete,
    dp=lambda y, k, n, p: -binomial_slope(y, k, n, p),
    ref=lambda mp, k, n, p: definitions.upper(mp, mp.mpf(k + 1), mp.mpf(n - k), p),
    k=integer(0, 20),
    n=integer(21, 60),
    p=real(0, 1),
    at=[(0, 5, 0.3), (5, 5, 0.3), (400, 1000, 0.41), (39, 40, 0.45), (3, 4, 1e-6), (1, 5, 1.0)],
    see="DLMF 8.17.5",
)
bdtrc = special(
    "bdtrc(k, n, p)",
    dk=discrete,
    dn=discrete,
    dp=lambda y, k, n, p: binomial_slope(y, k, n, p),
    ref=lambda mp, k, n, p: definitions.lower(mp, mp.mpf(k + 1), mp.mpf(n - k), p),
    k=integer(0, 20),
    n=integer(21, 60),
    p=real(0, 1),
    at=[(0, 5, 0.3), (5, 5, 0.3), (400, 1000, 0.41), (10, 40, 0.99), (0, 3, 1e-20), (1, 5, 0.0)],
    see="DLMF 8.17.5",
)


def p_by_y(p, a, b, y):
    return sharp_density(a, b, p, 1 - p) * beta_quantile(a, b, y, upper=True, wrt="p")


bdtri = special(
    "bdtri(k, n, y)",
    dk=discrete,
    dn=discrete,
    dy=lambda p, k, n, y: p_by_y(p, floor(1.0 * k) + 1, floor(1.0 * n) - floor(1.0 * k), y),
    ref=lambda mp, k, n, y: definitions.quantile(mp, mp.mpf(k + 1), mp.mpf(n - k), 1 - y, y),
    k=integer(0, 20),
    n=integer(21, 60),
    y=real(0, 1),
    at=[(0, 5, 0.3), (2, 5, 1e-6), (400, 1000, 0.3), (3, 9, 1 - 1e-12), (4, 5, 0.0), (0, 1, 1.0)],
    see="inverse function theorem",
)


def binomial_change(k, n, p):
    """What k does to I_(1-p)(n - k, k + 1), as a shift of the logit of 1 - p."""
    return other_shift(n - k, k + 1, 1 - p, p) - beta_shift(n - k, k + 1, 1 - p, p)


def k_by_y(k, n, p):
    parameter = betainc_parameter(n - k, k + 1, 1 - p, p, wrt="b")
    return sharp_density(n - k, k + 1, 1 - p, p) / (
        parameter - betainc_parameter(n - k, k + 1, 1 - p, p, wrt="a")
    )


def k_by_n(k, n, p):
    return -sharp(n - k, k + 1, 1 - p, p) * beta_shift(n - k, k + 1, 1 - p, p) / binomial_change(k, n, p)


def k_by_p(k, n, p):
    return sharp(n - k, k + 1, 1 - p, p) / (p * (1 - p) * binomial_change(k, n, p))


def n_by_y(k, n, p):
    return sharp_density(n - k, k + 1, 1 - p, p) / betainc_parameter(n - k, k + 1, 1 - p, p, wrt="a")


def n_by_p(k, n, p):
    return sharp(n - k, k + 1, 1 - p, p) / (p * (1 - p) * beta_shift(n - k, k + 1, 1 - p, p))


binomial_k = kernel(
    "binomial_k(y, n, p)",  # bdtrik, with all digits
    host=roots.binomial_k,
    loops=True,
    dy=lambda k, y, n, p: k_by_y(k, n, p),
    dn=lambda k, y, n, p: k_by_n(k, n, p),
    dp=lambda k, y, n, p: k_by_p(k, n, p),
    ref=lambda mp, y, n, p: definitions.binomial_k(mp, y, n, p),
    y=real(0.3, 0.9),
    n=real(5, 50),
    p=real(0.2, 0.8),
    see="implicit function theorem",
)
bdtrik = special(
    "bdtrik(y, n, p)",
    dy=lambda k, y, n, p: where(k == 0, 0 * k, k_by_y(binomial_k(y, n, p), n, p)),
    dn=lambda k, y, n, p: where(k == 0, 0 * k, k_by_n(binomial_k(y, n, p), n, p)),
    dp=lambda k, y, n, p: where(k == 0, 0 * k, k_by_p(binomial_k(y, n, p), n, p)),
    ref=lambda mp, y, n, p: definitions.binomial_k(mp, y, n, p),
    y=real(0.001, 0.999),
    n=real(1, 200),
    p=real(0.02, 0.98),
    at=[(0.4, 100.0, 0.8), (1e-8, 40.0, 0.5), (0.05, 5.0, 0.1), (0.3, 1e4, 0.3), (1 - 1e-9, 30.5, 0.2)],
    see="implicit function theorem; 0 where the root would be negative",
)
binomial_n = kernel(
    "binomial_n(k, y, p)",  # bdtrin, with all digits
    host=roots.binomial_n,
    loops=True,
    dk=lambda n, k, y, p: 1 / k_by_n(k, n, p),
    dy=lambda n, k, y, p: n_by_y(k, n, p),
    dp=lambda n, k, y, p: n_by_p(k, n, p),
    ref=lambda mp, k, y, p: definitions.binomial_n(mp, k, y, p),
    k=real(0, 20),
    y=real(0.1, 0.9),
    p=real(0.2, 0.8),
    see="implicit function theorem",
)
bdtrin = special(
    "bdtrin(k, y, p)",
    dk=lambda n, k, y, p: 1 / k_by_n(k, binomial_n(k, y, p), p),
    dy=lambda n, k, y, p: n_by_y(k, binomial_n(k, y, p), p),
    dp=lambda n, k, y, p: n_by_p(k, binomial_n(k, y, p), p),
    ref=lambda mp, k, y, p: definitions.binomial_n(mp, k, y, p),
    k=real(0, 60),
    y=real(0.001, 0.999),
    p=real(0.02, 0.98),
    at=[(7.0, 1e-8, 0.2), (20.5, 0.9, 0.5), (0.0, 0.05, 0.1), (1e3, 0.3, 0.4)],
    see="implicit function theorem",
)
