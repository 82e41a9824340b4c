"""The weighted integral of a Bessel function of continuous order."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special.definitions import besselpoly as definitions
from hostwrap.special.families._known import known
from hostwrap.special.kernels.integrals import besselpoly as kernels

__all__ = ["besselpoly"]

besselpoly_hij = kernel(
    "besselpoly_hij(a, lmb, nu, *, h, i, j)",  # (d/da)^h (d/dlmb)^i (d/dnu)^j of besselpoly
    host=kernels.besselpoly_hij,
    da=lambda y, a, lmb, nu, *, h, i, j: besselpoly_hij(a, lmb, nu, h=h + 1, i=i, j=j),
    dlmb=lambda y, a, lmb, nu, *, h, i, j: besselpoly_hij(a, lmb, nu, h=h, i=i + 1, j=j),
    dnu=lambda y, a, lmb, nu, *, h, i, j: besselpoly_hij(a, lmb, nu, h=h, i=i, j=j + 1),
    ref=lambda mp, a, lmb, nu, *, h, i, j: definitions.besselpoly_hij(mp, a, lmb, nu, h, i, j),
    a=real(0.01, 20),
    lmb=real(-0.4, 5),
    nu=real(0.01, 10),
    at=[(0.99, 0.5, 1.0), (1.01, 0.5, 1.0)],
    see="Abramowitz and Stegun 1964, 11.1.1",
)
besselpoly = special(
    "besselpoly(a, lmb, nu)",
    da=lambda y, a, lmb, nu: known(y, besselpoly_hij(a, lmb, nu, h=1, i=0, j=0)),
    dlmb=lambda y, a, lmb, nu: known(y, besselpoly_hij(a, lmb, nu, h=0, i=1, j=0)),
    dnu=lambda y, a, lmb, nu: known(y, besselpoly_hij(a, lmb, nu, h=0, i=0, j=1)),
    ref=lambda mp, a, lmb, nu: definitions.besselpoly(mp, a, lmb, nu),
    a=real(0, 8),
    lmb=real(-0.4, 5),
    nu=real(0, 10),
    at=[(0.0, 0.0, 0.0), (0.0, 1.0, 1.0), (20.0, 0.5, 0.0), (20.0, 5.0, 0.3), (3.0, 0.0, 0.3)],
    see="Abramowitz and Stegun 1964, 11.1.1",
)
