"""The Poisson distribution: Q(k + 1, m), of which pdtr, pdtrc and pdtri take the floor of k."""

from hostwrap.special._entry import discrete, integer, real, special
from hostwrap.special._known import known
from hostwrap.special._math import floor, where
from hostwrap.special.gamma_incomplete import mp as definitions
from hostwrap.special.gamma_incomplete.entries import (
    gamma_density,
    gamma_quantile,
    slope_in_p,
    slope_in_x,
)

__all__ = ["pdtr", "pdtrc", "pdtri", "pdtrik"]


def shape_of(k):
    return floor(1.0 * k) + 1


pdtr = special(
    "pdtr(k, m)",
    dk=discrete,
    dm=lambda y, k, m: -gamma_density(shape_of(k), m, i=0, j=0),
    ref=lambda mp, k, m: definitions.upper(mp, mp.mpf(k + 1), m),
    k=integer(0, 60),
    m=real(0, 80),
    at=[(0, 0.0), (2, 0.0), (1000, 990.0), (3, 600.0)],
    see="DLMF 8.8.14",
)
pdtrc = special(
    "pdtrc(k, m)",
    dk=discrete,
    dm=lambda y, k, m: gamma_density(shape_of(k), m, i=0, j=0),
    ref=lambda mp, k, m: definitions.lower(mp, mp.mpf(k + 1), m),
    k=integer(0, 60),
    m=real(0, 80),
    at=[(0, 0.0), (2, 0.0), (1000, 990.0), (30, 1e-3)],
    see="DLMF 8.8.13",
)
pdtri = special(
    "pdtri(k, y)",
    dk=discrete,
    dy=lambda m, k, y: known(m, gamma_quantile(shape_of(k), y, upper=True, i=0, j=1)),
    ref=lambda mp, k, y: definitions.quantile_upper(mp, mp.mpf(k + 1), y),
    k=integer(0, 60),
    y=real(0, 1),
    at=[(0, 0.5), (2, 1e-300), (5, 1 - 1e-12), (1000, 0.3)],
    see="inverse function theorem",
)
pdtrik = special(
    "pdtrik(p, m)",
    dp=lambda k, p, m: where(k == 0, 0, slope_in_p(k + 1, p, m, upper=True)),
    dm=lambda k, p, m: where(k == 0, 0, slope_in_x(k + 1, p, m, 1.0, m, upper=True)),
    ref=lambda mp, p, m: definitions.poisson_order(mp, p, m),
    p=real(0, 1),
    m=real(0.05, 100),
    at=[(0.1, 2.0), (1e-10, 60.0), (1 - 1e-15, 1.0), (0.3, 1e4)],
    see="implicit function theorem; 0 where P(k, m) > p for all k >= 0",
)
