"""Quotients of gamma functions: the beta function, binomial coefficients, the Pochhammer symbol."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special.families.gamma import psi_step
from hostwrap.special.kernels.gamma import beta as beta_kernels
from hostwrap.special.kernels.gamma import binomial, pochhammer

__all__ = ["beta", "betaln", "binom", "poch"]

poch_ij = kernel(
    "poch_ij(z, m, *, i, j)",  # (d/dz)^i (d/dm)^j of poch
    host=pochhammer.poch_ij,
    dz=lambda y, z, m, *, i, j: poch_ij(z, m, i=i + 1, j=j),
    dm=lambda y, z, m, *, i, j: poch_ij(z, m, i=i, j=j + 1),
    ref=lambda mp, z, m, *, i, j: mp.diff(lambda a, b: mp.rf(a, b), (z, m), (i, j)),
    z=real(0.1, 50),
    m=real(-2, 10),
    at=[(-3.5, 2.0), (1e4, 0.5), (-7.3, 20.3)],
    see="DLMF 5.2.5",
)
beta_ij = kernel(
    "beta_ij(a, b, *, i, j)",  # (d/da)^i (d/db)^j of beta
    host=beta_kernels.beta_ij,
    da=lambda y, a, b, *, i, j: beta_ij(a, b, i=i + 1, j=j),
    db=lambda y, a, b, *, i, j: beta_ij(a, b, i=i, j=j + 1),
    ref=lambda mp, a, b, *, i, j: mp.diff(mp.beta, (a, b), (i, j)),
    a=real(0.05, 50),
    b=real(0.05, 50),
    at=[(1e-3, 100.0), (-1.3, 3.0), (-2.5, -0.7)],
    see="DLMF 5.12.1",
)
binom_ij = kernel(
    "binom_ij(n, k, *, i, j)",  # (d/dn)^i (d/dk)^j of binom
    host=binomial.binom_ij,
    dn=lambda y, n, k, *, i, j: binom_ij(n, k, i=i + 1, j=j),
    dk=lambda y, n, k, *, i, j: binom_ij(n, k, i=i, j=j + 1),
    ref=lambda mp, n, k, *, i, j: mp.diff(mp.binomial, (n, k), (i, j)),
    n=real(0.1, 50),
    k=real(0.1, 20),
    at=[(3.0, 5.0), (-2.5, 2.0), (1e5, 7.0), (5.7, -1.0)],
    see="DLMF 1.2.6",
)
poch = special(
    "poch(z, m)",
    dz=lambda y, z, m: poch_ij(z, m, i=1, j=0),
    dm=lambda y, z, m: poch_ij(z, m, i=0, j=1),
    ref=lambda mp, z, m: mp.rf(z, m),
    z=real(0.1, 50),
    m=real(-2, 10),
    at=[(-3.5, 2.0), (-7.3, 20.3), (1e4, 0.5), (-3.0, 5.0), (-3.0, 0.5)],
    see="DLMF 5.2.5",
)
beta = special(
    "beta(a, b)",
    da=lambda y, a, b: beta_ij(a, b, i=1, j=0),
    db=lambda y, a, b: beta_ij(a, b, i=0, j=1),
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
    dx=lambda b, x, y: binom_ij(x, y, i=1, j=0),
    dy=lambda b, x, y: binom_ij(x, y, i=0, j=1),
    ref=lambda mp, x, y: mp.binomial(x, y),
    x=real(0.1, 50),
    y=real(0.1, 20),
    at=[(3.0, 5.0), (-2.5, 2.0), (5.7, -1.0), (1e5, 7.0)],
    see="DLMF 1.2.6",
)
