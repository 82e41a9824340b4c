"""The beta distribution, solved for its parameters."""

from hostwrap.special._entry import real, special
from hostwrap.special.beta_incomplete import mp as definitions
from hostwrap.special.beta_incomplete.entries import (
    betainc_parameter,
    moved_by_other,
    moved_by_x,
    sharp,
    sharp_density,
)

__all__ = ["btdtria", "btdtrib"]

btdtria = special(
    "btdtria(p, b, x)",
    dp=lambda a, p, b, x: sharp_density(a, b, x, 1 - x) / betainc_parameter(a, b, x, 1 - x, wrt="a"),
    db=lambda a, p, b, x: sharp(a, b, x, 1 - x) * moved_by_other(a, b, x, 1 - x),
    dx=lambda a, p, b, x: sharp(a, b, x, 1 - x) * moved_by_x(a, b, x, 1 - x),
    ref=lambda mp, p, b, x: definitions.parameter(
        mp, lambda tail, a: tail(mp, a, b, x), p, 1 - p, definitions.guess("btdtria", p, b, x)
    ),
    p=real(1e-6, 1 - 1e-6),
    b=real(0.1, 100),
    x=real(0.001, 0.999),
    at=[(1e-300, 2.0, 0.4), (0.999, 30.0, 0.01), (1e-6, 2.0, 0.9), (1 - 1e-12, 1.0, 0.5), (0.4, 1e4, 0.3)],
    see="implicit function theorem",
)
btdtrib = special(
    "btdtrib(a, p, x)",
    da=lambda b, a, p, x: sharp(a, b, x, 1 - x) * moved_by_other(b, a, 1 - x, x),
    dp=lambda b, a, p, x: sharp_density(a, b, x, 1 - x) / betainc_parameter(a, b, x, 1 - x, wrt="b"),
    dx=lambda b, a, p, x: -sharp(a, b, x, 1 - x) * moved_by_x(b, a, 1 - x, x),
    ref=lambda mp, a, p, x: definitions.parameter(
        mp, lambda tail, b: tail(mp, a, b, x), p, 1 - p, definitions.guess("btdtrib", a, p, x)
    ),
    a=real(0.1, 100),
    p=real(1e-6, 1 - 1e-6),
    x=real(0.001, 0.999),
    at=[(2.0, 1 - 1e-15, 0.4), (30.0, 0.999, 0.01), (2.0, 1e-6, 0.9), (1.0, 1e-60, 0.5), (1e4, 0.4, 0.7)],
    see="implicit function theorem",
)
