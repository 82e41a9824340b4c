"""The gamma and chi-square distributions: incomplete gamma functions of rescaled arguments."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special._math import log, where
from hostwrap.special.gamma_beta.entries import psi
from hostwrap.special.gamma_incomplete import density
from hostwrap.special.gamma_incomplete import mp as definitions
from hostwrap.special.gamma_incomplete.entries import (
    gamma_density,
    gamma_quantile,
    gammainc_order,
    slope_in_p,
    slope_in_x,
)

__all__ = [
    "chdtr",
    "chdtrc",
    "chdtri",
    "chdtriv",
    "gdtr",
    "gdtrc",
    "gdtria",
    "gdtrib",
    "gdtrix",
]


# ---- gamma: P(b, a x)

TINY, NEXT = 1e-290, 1e-100  # of a density, a root or a x; of c x to 0
LEAST = 1e-300  # of a and x


def _by_logarithm(y, c, x, slope, otherwise):
    """y times the slope of log y, next to c x = 0: powers of c x, and so what lies between, may leave the doubles."""
    return where((c * x > 0) & (c * x < NEXT) & (abs(y) > TINY), y * slope, otherwise)


rate_density = kernel(
    "rate_density(c, b, x)",  # dP(b, c x)/dx = c p(b, c x)
    host=density.rate_density,
    loops=True,
    dc=lambda y, c, b, x: _by_logarithm(  # c p(b, c x) = b p(b + 1, c x) / x
        y, c, x, (b - c * x) / c, b * gamma_density(b + 1, c * x, i=0, j=1)
    ),
    db=lambda y, c, b, x: _by_logarithm(
        y, c, x, log(c) + log(x) - psi(b), where(c == 0, 0, c * gamma_density(b, c * x, i=1, j=0))
    ),
    dx=lambda y, c, b, x: where(  # c * c may leave the range of numbers, and so may the density
        (c * x > 0) & (abs(y) > TINY) & ((c < NEXT) | (c > 1 / NEXT) | (c * x < NEXT)),
        y * ((b - 1 - c * x) / x),
        where(c == 0, 0, c * (c * gamma_density(b, c * x, i=0, j=1))),
    ),
    ref=lambda mp, c, b, x: c * definitions.density(mp, b, c * x),
    c=real(0.1, 5),
    b=real(0.1, 50),
    x=real(0.1, 50),
    see="DLMF 8.8.13",
)


def by_shape(p, a, b, x):
    """dp/db of p = P(b, a x). Of a tiny a x the slope in a x may be infinite, and that in a or x a number.

    P(b, z) is z^b / Gamma(b + 1) there, DLMF 8.7.1.
    """
    tiny = (a * x > 0) & (a * x < TINY) & (a > LEAST) & (x > LEAST)  # of subnormal numbers 1 / x is none
    plain = gammainc_order(where(tiny, 1.0, b), where(tiny, 1.0, a * x), n=1)
    p, a, b, x = (where(tiny, s, 1.0) for s in (p, a, b, x))
    return where(tiny, p * (log(a) + log(x) - psi(b + 1)), plain)


gdtr = special(
    "gdtr(a, b, x)",
    da=lambda y, a, b, x: known(y, rate_density(x, b, a)),
    db=lambda y, a, b, x: known(y, by_shape(y, a, b, x)),
    dx=lambda y, a, b, x: known(y, rate_density(a, b, x)),
    ref=lambda mp, a, b, x: definitions.lower(mp, b, a * x),
    a=real(0.1, 5),
    b=real(0.1, 100),
    x=real(0, 50),
    at=[(1.0, 0.01, 3.0), (1e-3, 2.0, 1e4), (2.0, 1e3, 480.0)],
    see="DLMF 8.8.13 and 8.2.4",
)
gdtrc = special(
    "gdtrc(a, b, x)",
    da=lambda y, a, b, x: known(y, -rate_density(x, b, a)),
    db=lambda y, a, b, x: known(y, -by_shape(gdtr(a, b, x), a, b, x)),
    dx=lambda y, a, b, x: known(y, -rate_density(a, b, x)),
    ref=lambda mp, a, b, x: definitions.upper(mp, b, a * x),
    a=real(0.1, 5),
    b=real(0.1, 100),
    x=real(0, 50),
    at=[(1.0, 0.01, 3.0), (1e-3, 2.0, 1e4), (2.0, 1e3, 480.0)],
    see="DLMF 8.8.14 and 8.2.4",
)


def scaled_quantile(root, scale, b, p, *, i, j):
    """The derivative of root = q / scale in b or p, where q is the quantile; the root may be a number and q be none.

    P(b, q) is q^b / Gamma(b + 1) there, DLMF 8.7.1.
    """
    tiny = (root > 0) & (root * scale < TINY)
    root, scale_there, b_there, p_there = (where(tiny, x, 1.0) for x in (root, scale, b, p))
    slope = 1 / p_there if j else psi(b_there + 1) - log(scale_there) - log(root)
    return where(tiny, root * (slope / b_there), gamma_quantile(b, p, i=i, j=j) / scale)


gdtria = special(
    "gdtria(p, b, x)",
    dp=lambda a, p, b, x: known(a, scaled_quantile(a, x, b, p, i=0, j=1)),
    db=lambda a, p, b, x: known(a, scaled_quantile(a, x, b, p, i=1, j=0)),
    dx=lambda a, p, b, x: -a / x,
    ref=lambda mp, p, b, x: definitions.quantile(mp, b, p) / x,
    p=real(0, 1),
    b=real(0.1, 100),
    x=real(0.05, 50),
    at=[(1e-300, 2.0, 3.0), (1 - 1e-15, 0.1, 1.0), (0.3, 1e4, 2.0)],
    see="implicit function theorem",
)
gdtrib = special(
    "gdtrib(a, p, x)",
    da=lambda b, a, p, x: slope_in_x(b, p, a * x, x, a),
    dp=lambda b, a, p, x: slope_in_p(b, p, a * x),
    dx=lambda b, a, p, x: slope_in_x(b, p, a * x, a, x),
    ref=lambda mp, a, p, x: definitions.shape(mp, p, a * x),
    a=real(0.1, 5),
    p=real(0, 1),
    x=real(0.05, 50),
    at=[(1.0, 1e-30, 3.0), (1.0, 1 - 1e-15, 0.1), (2.0, 0.3, 1e4)],
    see="implicit function theorem",
)
gdtrix = special(
    "gdtrix(a, b, p)",
    da=lambda x, a, b, p: -x / a,
    db=lambda x, a, b, p: known(x, scaled_quantile(x, a, b, p, i=1, j=0)),
    dp=lambda x, a, b, p: known(x, scaled_quantile(x, a, b, p, i=0, j=1)),
    ref=lambda mp, a, b, p: definitions.quantile(mp, b, p) / a,
    a=real(0.1, 5),
    b=real(0.1, 100),
    p=real(0, 1),
    at=[(3.0, 2.0, 1e-300), (1.0, 0.1, 1 - 1e-15), (2.0, 1e4, 0.3)],
    see="implicit function theorem",
)

# ---- chi-square: P(v/2, x/2)

chdtr = special(
    "chdtr(v, x)",
    dv=lambda y, v, x: gammainc_order(v / 2, x / 2, n=1) / 2,
    dx=lambda y, v, x: gamma_density(v / 2, x / 2, i=0, j=0) / 2,
    ref=lambda mp, v, x: definitions.lower(mp, v / 2, x / 2),
    v=real(0.1, 200),
    x=real(0, 300),
    at=[(1.0, 1e-8), (2.0, 2.0), (1e4, 1.02e4)],
    see="DLMF 8.8.13 and 8.2.4",
)
chdtrc = special(
    "chdtrc(v, x)",
    dv=lambda y, v, x: -gammainc_order(v / 2, x / 2, n=1) / 2,
    dx=lambda y, v, x: -gamma_density(v / 2, x / 2, i=0, j=0) / 2,
    ref=lambda mp, v, x: definitions.upper(mp, v / 2, x / 2),
    v=real(0.1, 200),
    x=real(0, 300),
    at=[(1.0, 1e-8), (2.0, 2.0), (1e4, 1.02e4), (1.0, 1200.0)],
    see="DLMF 8.8.14 and 8.2.4",
)
chdtri = special(
    "chdtri(v, p)",
    dv=lambda x, v, p: known(x, gamma_quantile(v / 2, p, upper=True, i=1, j=0)),
    dp=lambda x, v, p: known(x, 2 * gamma_quantile(v / 2, p, upper=True, i=0, j=1)),
    ref=lambda mp, v, p: 2 * definitions.quantile_upper(mp, v / 2, p),
    v=real(0.1, 500),
    p=real(0, 1),
    at=[(4.0, 1e-300), (0.1, 1 - 1e-15), (2e4, 0.3), (2.0, 1.0)],
    see="implicit function theorem",
)
chdtriv = special(
    "chdtriv(p, x)",
    dp=lambda v, p, x: 2 * slope_in_p(v / 2, p, x / 2),
    dx=lambda v, p, x: 2 * slope_in_x(v / 2, p, x / 2, 0.5, x),
    ref=lambda mp, p, x: 2 * definitions.shape(mp, p, x / 2),
    p=real(0, 1),
    x=real(0.05, 200),
    at=[(1e-30, 3.0), (1 - 1e-15, 0.1), (0.3, 1e4)],
    see="implicit function theorem",
)
