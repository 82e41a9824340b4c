"""The incomplete gamma functions, their inverses, and the kernels of all distributions that are made of them."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import inf, where
from hostwrap.special.gamma_incomplete import density, inverse, shape
from hostwrap.special.gamma_incomplete import mp as definitions
from hostwrap.special.gamma_incomplete.inverse import NORMAL

__all__ = ["gammainc", "gammaincc", "gammainccinv", "gammaincinv"]

# ---- the density p(a, x) = dP(a, x)/dx, and P differentiated in a

gamma_density = kernel(
    "gamma_density(a, x, *, i, j)",  # (d/da)^i (d/dx)^j p(a, x)
    host=density.gamma_density_ij,
    loops=True,  # for i = j = 0
    da=lambda y, a, x, *, i, j: gamma_density(a, x, i=i + 1, j=j),
    dx=lambda y, a, x, *, i, j: gamma_density(a, x, i=i, j=j + 1),
    ref=lambda mp, a, x, *, i, j: mp.diff(lambda s, t: definitions.density(mp, s, t), (a, x), (i, j)),
    a=real(0.05, 100),
    x=real(0.01, 200),
    at=[(1e3, 1.1e3)],
    see="DLMF 8.8.13",
)
gammainc_order = kernel(
    "gammainc_order(a, x, *, n)",  # (d/da)^n P(a, x)
    host=shape.gammainc_order,
    loops=True,  # for n = 1
    da=lambda y, a, x, *, n: gammainc_order(a, x, n=n + 1),
    dx=lambda y, a, x, *, n: gamma_density(a, x, i=n, j=0),
    ref=lambda mp, a, x, *, n: definitions.order(mp, a, x, n),
    a=real(0.05, 100),
    x=real(0.01, 200),
    see="DLMF 8.2.4, differentiated under the integral",
)

gammainc_growth = kernel(
    "gammainc_growth(a, x)",  # da/dP at constant x; its square overflows before it does
    host=shape.gammainc_growth,
    loops=True,
    da=lambda y, a, x: -(y * gammainc_order(a, x, n=2)) * y,
    dx=lambda y, a, x: -(y * gamma_density(a, x, i=1, j=0)) * y,
    ref=lambda mp, a, x: 1 / definitions.order(mp, a, x, 1),
    a=real(0.05, 100),
    x=real(0.01, 200),
    see="inverse function theorem",
)


shape_shift = kernel(
    "shape_shift(a, x, *, i=0, j=0)",  # (d/da)^i (d/du)^j of da/du at constant P(a, x), u = log x
    host=inverse.shape_shift_ij,
    loops=True,  # for i = j = 0
    da=lambda y, a, x, *, i, j: shape_shift(a, x, i=i + 1, j=j),
    dx=lambda y, a, x, *, i, j: shape_shift(a, x, i=i, j=j + 1) / x,
    ref=lambda mp, a, x, *, i, j: mp.diff(
        lambda s, u: definitions.shape_shift(mp, s, x * mp.exp(u)), (a, mp.zero), (i, j)
    ),
    a=real(0.05, 100),
    x=real(0.01, 200),
    at=[(1e3, 1.1e3), (1e20, 1e20), (1e-3, 1e-200)],
    see="implicit function theorem",
)
large_excess = kernel(
    "large_excess(p, x, *, i=0, j=0, upper=False)",  # (d/dp)^i (d/du)^j of a - x at P(a, x) or Q = p, u = log x
    host=inverse.large_excess_ij,
    loops=True,
    dp=lambda y, p, x, *, i, j, upper: large_excess(p, x, i=i + 1, j=j, upper=upper),
    dx=lambda y, p, x, *, i, j, upper: large_excess(p, x, i=i, j=j + 1, upper=upper) / x,
    ref=lambda mp, p, x, *, i, j, upper: mp.diff(
        lambda q, u: (
            (definitions.shape_upper if upper else definitions.shape)(mp, q, x * mp.exp(u)) - x * mp.exp(u)
        ),
        (p, mp.zero),
        (i, j),
    ),
    p=real(0.001, 0.999),
    x=real(NORMAL, 1e6),
    see="Abramowitz and Stegun 26.4.14, solved for the shape",
)


def slope_in_p(root, p, x, *, upper=False):
    """The derivative in p of the root a of P(a, x) = p or Q(a, x) = p.

    Where x is large, SciPy's root and the slopes at it have lost digits.
    """
    large, at = _large(p, x)
    growth = gammainc_growth(root, x)
    return where(large, large_excess(*at, i=1, j=0, upper=upper), -growth if upper else growth)


def slope_in_x(root, p, x, held, moved, *, upper=False):
    """The same in one factor of x = held * moved."""
    large, at = _large(p, x)
    return where(large, held + large_excess(*at, i=0, j=1, upper=upper) / moved, shape_shift(root, x) / moved)


def _large(p, x):
    large = (x >= NORMAL) & (x < inf) & (p > 0) & (p < 1)
    return large, (where(large, p, 0.5), where(large, x, NORMAL))


# ---- the inverses in x

gamma_quantile = kernel(
    "gamma_quantile(a, p, *, i=0, j=0, upper=False)",  # (d/da)^i (d/dp)^j of gammaincinv or gammainccinv
    host=inverse.gamma_quantile_ij,
    loops=True,
    da=lambda y, a, p, *, i, j, upper: gamma_quantile(a, p, upper=upper, i=i + 1, j=j),
    dp=lambda y, a, p, *, i, j, upper: gamma_quantile(a, p, upper=upper, i=i, j=j + 1),
    ref=lambda mp, a, p, *, i, j, upper: mp.diff(
        lambda s, t: (definitions.quantile_upper if upper else definitions.quantile)(mp, s, t), (a, p), (i, j)
    ),
    a=real(0.05, 100),
    p=real(0.001, 0.999),
    see="implicit function theorem",
)

# ---- the public functions

gammainc = special(
    "gammainc(a, x)",
    da=lambda y, a, x: gammainc_order(a, x, n=1),
    dx=lambda y, a, x: gamma_density(a, x, i=0, j=0),
    ref=lambda mp, a, x: definitions.lower(mp, a, x),
    a=real(0.01, 200),
    x=real(0, 300),
    at=[
        (0.0, 1.0),
        (1e-8, 0.5),
        (1e3, 1e3),
        (1e4, 1.02e4),
        (1e5, 1e5),
        (1.0, 1.0),
        (50.0, 1e-3),
        (0.5, 100.0),
    ],
    see="DLMF 8.8.13 and 8.2.4",
)
gammaincc = special(
    "gammaincc(a, x)",
    da=lambda y, a, x: -gammainc_order(a, x, n=1),
    dx=lambda y, a, x: -gamma_density(a, x, i=0, j=0),
    ref=lambda mp, a, x: definitions.upper(mp, a, x),
    a=real(0.01, 200),
    x=real(0, 300),
    at=[
        (0.0, 1.0),
        (1e-8, 0.5),
        (1e3, 1e3),
        (1e4, 1.02e4),
        (1e5, 1e5),
        (1.0, 1.0),
        (1e-3, 30.0),
        (0.5, 600.0),
    ],
    see="DLMF 8.8.14 and 8.2.4",
)
gammaincinv = special(
    "gammaincinv(a, y)",
    da=lambda x, a, y: gamma_quantile(a, y, i=1, j=0),
    dy=lambda x, a, y: gamma_quantile(a, y, i=0, j=1),
    ref=lambda mp, a, y: definitions.quantile(mp, a, y),
    a=real(0.05, 500),
    y=real(0, 1),
    at=[(1e4, 0.3), (2.0, 1e-300), (0.05, 1 - 1e-15), (1.0, 0.0), (0.25, 0.0), (1e-3, 0.5), (30.0, 1e-30)],
    see="implicit function theorem",
)
gammainccinv = special(
    "gammainccinv(a, y)",
    da=lambda x, a, y: gamma_quantile(a, y, upper=True, i=1, j=0),
    dy=lambda x, a, y: gamma_quantile(a, y, upper=True, i=0, j=1),
    ref=lambda mp, a, y: definitions.quantile_upper(mp, a, y),
    a=real(0.05, 500),
    y=real(0, 1),
    at=[(1e4, 0.3), (2.0, 1e-300), (0.05, 1 - 1e-15), (1.0, 1.0), (0.25, 1.0), (1e-3, 0.5), (30.0, 1e-30)],
    see="implicit function theorem",
)
