"""The negative binomial distribution: I_p(n, k + 1)."""

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special._math import ceil, floor, where
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

__all__ = ["nbdtr", "nbdtrc", "nbdtri", "nbdtrik", "nbdtrin"]


def whole(k):
    """What SciPy takes for a number that is no integer."""
    return where(k < 0, ceil(1.0 * k), floor(1.0 * k))


nbdtr = special(
    "nbdtr(k, n, p)",
    dk=discrete,
    dn=discrete,
    dp=lambda y, k, n, p: beta_density(whole(n), whole(k) + 1, p, 1 - p, i=0, j=0, k=0),
    ref=lambda mp, k, n, p: definitions.lower(mp, mp.mpf(n), mp.mpf(k + 1), p),
    k=integer(0, 40),
    n=integer(1, 40),
    p=real(0, 1),
    at=[(300, 200, 0.4), (0, 1, 0.3), (0, 1, 0.0), (40, 10, 1e-4), (3, 2, 1.0)],
    see="DLMF 8.17.5",
)
nbdtrc = special(
    "nbdtrc(k, n, p)",
    dk=discrete,
    dn=discrete,
    dp=lambda y, k, n, p: -beta_density(whole(n), whole(k) + 1, p, 1 - p, i=0, j=0, k=0),
    ref=lambda mp, k, n, p: definitions.upper(mp, mp.mpf(n), mp.mpf(k + 1), p),
    k=integer(0, 40),
    n=integer(1, 40),
    p=real(0, 1),
    at=[(300, 200, 0.4), (0, 1, 0.3), (0, 1, 0.0), (40, 10, 0.9), (3, 2, 1.0)],
    see="DLMF 8.17.5",
)


def p_by_y(p, a, b, y):
    return sharp_density(a, b, p, 1 - p) * beta_quantile(a, b, y, wrt="p")


nbdtri = special(
    "nbdtri(k, n, y)",
    dk=discrete,
    dn=discrete,
    dy=lambda p, k, n, y: p_by_y(p, whole(n), whole(k) + 1, y),
    ref=lambda mp, k, n, y: definitions.quantile(mp, mp.mpf(n), mp.mpf(k + 1), y, 1 - y),
    k=integer(0, 40),
    n=integer(1, 40),
    y=real(0, 1),
    at=[(300, 200, 0.4), (0, 1, 0.3), (0, 1, 0.0), (40, 10, 1e-300), (3, 2, 1 - 1e-12)],
    see="inverse function theorem",
)


def order_by_y(k, n, p):
    return sharp_density(n, k + 1, p, 1 - p) / betainc_parameter(n, k + 1, p, 1 - p, wrt="b")


def order_by_n(k, n, p):
    return -sharp(n, k + 1, p, 1 - p) * beta_shift(n, k + 1, p, 1 - p) / other_shift(n, k + 1, p, 1 - p)


def order_by_p(k, n, p):
    return -sharp(n, k + 1, p, 1 - p) / (p * (1 - p) * other_shift(n, k + 1, p, 1 - p))


def size_by_y(k, n, p):
    return sharp_density(n, k + 1, p, 1 - p) / betainc_parameter(n, k + 1, p, 1 - p, wrt="a")


def size_by_p(k, n, p):
    return -sharp(n, k + 1, p, 1 - p) / (p * (1 - p) * beta_shift(n, k + 1, p, 1 - p))


negative_k = kernel(
    "negative_k(y, n, p)",  # nbdtrik, with all digits
    host=roots.negative_k,
    loops=True,
    dy=lambda k, y, n, p: order_by_y(k, n, p),
    dn=lambda k, y, n, p: order_by_n(k, n, p),
    dp=lambda k, y, n, p: order_by_p(k, n, p),
    ref=lambda mp, y, n, p: definitions.negative_k(mp, y, n, p),
    y=real(0.3, 0.9),
    n=real(2, 20),
    p=real(0.1, 0.5),
    see="implicit function theorem",
)
nbdtrik = special(
    "nbdtrik(y, n, p)",
    dy=lambda k, y, n, p: where(k == 0, 0 * k, order_by_y(negative_k(y, n, p), n, p)),
    dn=lambda k, y, n, p: where(k == 0, 0 * k, order_by_n(negative_k(y, n, p), n, p)),
    dp=lambda k, y, n, p: where(k == 0, 0 * k, order_by_p(negative_k(y, n, p), n, p)),
    ref=lambda mp, y, n, p: definitions.negative_k(mp, y, n, p),
    y=real(0.001, 0.999),
    n=real(0.5, 100),
    p=real(0.02, 0.98),
    at=[(0.9, 22.0, 0.5), (0.2, 40.0, 0.5), (1e-8, 8.5, 0.2), (1e-8, 8.5, 1e-3), (0.3, 1e3, 0.4)],
    see="implicit function theorem; 0 where the root would be negative",
)
negative_n = kernel(
    "negative_n(k, y, p)",  # nbdtrin, with all digits
    host=roots.negative_n,
    loops=True,
    dk=lambda n, k, y, p: 1 / order_by_n(k, n, p),
    dy=lambda n, k, y, p: size_by_y(k, n, p),
    dp=lambda n, k, y, p: size_by_p(k, n, p),
    ref=lambda mp, k, y, p: definitions.negative_n(mp, k, y, p),
    k=real(0, 20),
    y=real(0.1, 0.9),
    p=real(0.2, 0.8),
    see="implicit function theorem",
)
nbdtrin = special(
    "nbdtrin(k, y, p)",
    dk=lambda n, k, y, p: 1 / order_by_n(k, negative_n(k, y, p), p),
    dy=lambda n, k, y, p: size_by_y(k, negative_n(k, y, p), p),
    dp=lambda n, k, y, p: size_by_p(k, negative_n(k, y, p), p),
    ref=lambda mp, k, y, p: definitions.negative_n(mp, k, y, p),
    k=real(0, 60),
    y=real(0.001, 0.999),
    p=real(0.02, 0.98),
    at=[(7.0, 1e-8, 0.2), (20.5, 0.9, 0.5), (0.0, 0.05, 0.1), (1e3, 0.3, 0.4)],
    see="implicit function theorem",
)
