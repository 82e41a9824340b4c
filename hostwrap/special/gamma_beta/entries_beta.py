"""Quotients of gamma functions: the beta function, binomial coefficients, the Pochhammer symbol."""

from hostwrap.special._entry import real, special
from hostwrap.special._orders import orders
from hostwrap.special.gamma_beta import beta as beta_kernels
from hostwrap.special.gamma_beta import binomial, pochhammer
from hostwrap.special.gamma_beta.entries import psi_step

__all__ = ["beta", "betaln", "binom", "poch"]

poch = special(
    "poch(z, m)",
    orders=orders(pochhammer.poch_n, guarded=True, loops=True, at=[(-3.5, 2.0), (1e4, 0.5), (-7.3, 20.3)]),
    ref=lambda mp, z, m: mp.rf(z, m),
    z=real(0.1, 50),
    m=real(-2, 10),
    at=[(-3.5, 2.0), (-7.3, 20.3), (1e4, 0.5), (-3.0, 5.0), (-3.0, 0.5)],
    see="DLMF 5.2.5",
)
beta = special(
    "beta(a, b)",
    orders=orders(beta_kernels.beta_n, loops=True, at=[(1e-3, 100.0), (-1.3, 3.0), (-2.5, -0.7)]),
    ref=lambda mp, a, b: mp.beta(a, b),
    a=real(0.05, 50),
    b=real(0.05, 50),
    at=[(1e-3, 100.0), (-1.3, 3.0), (-2.5, -0.7)],
    see="DLMF 5.12.1",
)
betaln = special(
    "betaln(a, b)",
    da=lambda y, a, b: -psi_step(a, b, n=0),
    db=lambda y, a, b: -psi_step(b, a, n=0),
    ref=lambda mp, a, b: mp.log(abs(mp.beta(a, b))),
    a=real(0.05, 100),
    b=real(0.05, 100),
    at=[(1e-3, 1e5), (-1.3, 3.0), (1e-10, 1e-10)],
    see="DLMF 5.12.1",
)
binom = special(
    "binom(x, y)",
    orders=orders(binomial.binom_n, loops=True, at=[(3.0, 5.0), (-2.5, 2.0), (1e5, 7.0), (5.7, -1.0)]),
    ref=lambda mp, x, y: mp.binomial(x, y),
    x=real(0.1, 50),
    y=real(0.1, 20),
    at=[(3.0, 5.0), (-2.5, 2.0), (5.7, -1.0), (1e5, 7.0)],
    see="DLMF 1.2.6",
)
