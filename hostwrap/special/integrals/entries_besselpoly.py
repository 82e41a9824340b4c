"""The weighted integral of a Bessel function of continuous order."""

from hostwrap.special._entry import real, special
from hostwrap.special._orders import orders
from hostwrap.special.integrals import besselpoly as kernels
from hostwrap.special.integrals import mp_besselpoly as definitions

__all__ = ["besselpoly"]

besselpoly = special(
    "besselpoly(a, lmb, nu)",
    orders=orders(
        kernels.besselpoly_n,
        loops=True,
        a=real(0.01, 20),
        nu=real(0.01, 10),
        at=[(0.99, 0.5, 1.0), (1.01, 0.5, 1.0)],
    ),
    ref=lambda mp, a, lmb, nu: definitions.besselpoly(mp, a, lmb, nu),
    a=real(0, 8),
    lmb=real(-0.4, 5),
    nu=real(0, 10),
    at=[(0.0, 0.0, 0.0), (0.0, 1.0, 1.0), (20.0, 0.5, 0.0), (20.0, 5.0, 0.3), (3.0, 0.0, 0.3)],
    see="Abramowitz and Stegun 1964, 11.1.1",
)
