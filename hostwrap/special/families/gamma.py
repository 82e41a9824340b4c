"""The gamma function and its kin: logarithm, reciprocal, polygamma, beta, binomial."""

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special._math import iscomplexobj, isnan, nan, where
from hostwrap.special.kernels import beta as beta_kernels
from hostwrap.special.kernels import binomial, pochhammer, psi_difference
from hostwrap.special.kernels import gamma as gamma_kernels

psi_n = kernel(
    "psi_n(n, z)",  # polygamma, also for complex z, and accurate next to the negative integers
    host=gamma_kernels.polygamma,
    dn=discrete,
    dz=lambda y, n, z: psi_n(n + 1, z),
    ref=lambda mp, n, z: mp.psi(n, z),
    n=integer(0, 5),
    z=real(-5, 50, im=8),
    at=[(0, -2.999), (1, -20.3), (2, 1e-8)],
    see="DLMF 5.15",
)
rgamma_n = kernel(
    "rgamma_n(z, *, n)",  # (d/dz)^n of rgamma
    host=gamma_kernels.rgamma_n,
    dz=lambda y, z, *, n: rgamma_n(z, n=n + 1),
    ref=lambda mp, z, *, n: mp.diff(mp.rgamma, z, n),
    z=real(-5, 50, im=8),
    at=[0.0, -3.0, -20.5],
    see="DLMF 5.5.3",
)
psi_step = kernel(
    "psi_step(x, h, *, n)",  # psi_n(x + h) - psi_n(x)
    host=psi_difference.psi_step,
    dx=lambda y, x, h, *, n: psi_step(x, h, n=n + 1),
    dh=lambda y, x, h, *, n: psi_n(n + 1, x + h),
    ref=lambda mp, x, h, *, n: mp.psi(n, x + h) - mp.psi(n, x),
    x=real(0.1, 50),
    h=real(0.01, 50),
    at=[(1e5, 1e-5), (0.001, 1e3), (3.0, -2.5)],
    see="DLMF 5.15.8",
)
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
multigamma_n = kernel(
    "multigamma_n(a, *, d, n)",  # (d/da)^(n + 1) of multigammaln
    host=gamma_kernels.multigamma_n,
    da=lambda y, a, *, d, n: multigamma_n(a, d=d, n=n + 1),
    ref=lambda mp, a, *, d, n: mp.fsum(mp.psi(n, a - mp.mpf(j) / 2) for j in range(d)),
    a=real(3, 100),
    see="DLMF 35.3.4",
)

gamma = special(
    "gamma(z)",
    dz=lambda y, z: y * psi_n(0, z),
    ref=lambda mp, z: mp.gamma(z),
    z=real(-5, 50, im=8),
    at=[1e-10, -0.5, -20.3, 170.0, 1.4616321449683623],
    see="DLMF 5.2.2",
)
gammaln = special(
    "gammaln(x)",
    dx=lambda y, x: psi_n(0, x),
    ref=lambda mp, x: mp.log(abs(mp.gamma(x))),
    x=real(-5, 100),
    at=[1e-10, -0.5, -20.3, 1e5],
    see="DLMF 5.2.2",
)
loggamma = special(
    "loggamma(z)",
    dz=lambda y, z: psi_n(0, z) if iscomplexobj(z) else psi_n(0, where(z < 0, nan, z)),
    ref=lambda mp, z: mp.loggamma(z),
    z=real(0.01, 100, im=8),
    at=[1e-10, 1e5],
    see="DLMF 5.2.2; real negative arguments are on the branch cut, NaN as in SciPy",
)
rgamma = special(
    "rgamma(z)",
    dz=lambda y, z: rgamma_n(z, n=1),
    ref=lambda mp, z: mp.rgamma(z),
    z=real(-5, 50, im=8),
    at=[0.0, -1.0, -5.0, -20.3, 100.0],
    see="DLMF 5.2.2",
)
gammasgn = special(
    "gammasgn(x)",
    dx=lambda y, x: 0 * y,
    ref=lambda mp, x: mp.sign(mp.gamma(x)),
    x=real(-5, 50),
    at=[-0.5, -1.5],
    see="DLMF 5.4(i): constant between the poles",
)
psi = special(
    "psi(z)",
    dz=lambda y, z: where(isnan(y), y, psi_n(1, z)),  # SciPy's psi is NaN at its poles z < 0
    ref=lambda mp, z: mp.psi(0, z),
    z=real(-5, 50, im=8),
    at=[1e-10, -0.5, -20.3, 1e5],
    see="DLMF 5.15.1",
)
digamma = special(
    "digamma(z)",
    dz=lambda y, z: where(isnan(y), y, psi_n(1, z)),  # SciPy's psi is NaN at its poles z < 0
    ref=lambda mp, z: mp.psi(0, z),
    z=real(-5, 50, im=8),
    at=[1e-10, -0.5, -20.3, 1e5],
    see="DLMF 5.15.1",
)
polygamma = special(
    "polygamma(n, x)",
    dn=discrete,
    dx=lambda y, n, x: psi_n(n + 1, x),
    ref=lambda mp, n, x: mp.psi(n, x),
    n=integer(0, 5),
    x=real(0.1, 50),
    at=[(0, -0.5), (1, -20.3), (2, 1e-8), (3, 1e5)],
    see="DLMF 5.15",
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
    "binom(n, k)",
    dn=lambda y, n, k: binom_ij(n, k, i=1, j=0),
    dk=lambda y, n, k: binom_ij(n, k, i=0, j=1),
    ref=lambda mp, n, k: mp.binomial(n, k),
    n=real(0.1, 50),
    k=real(0.1, 20),
    at=[(3.0, 5.0), (-2.5, 2.0), (5.7, -1.0), (1e5, 7.0)],
    see="DLMF 1.2.6",
)
multigammaln = special(
    "multigammaln(a, *, d)",
    host=gamma_kernels.multigammaln,
    da=lambda y, a, *, d: multigamma_n(a, d=d, n=0),
    ref=lambda mp, a, *, d: (
        mp.mpf(d * (d - 1)) / 4 * mp.log(mp.pi) + mp.fsum(mp.loggamma(a - mp.mpf(j) / 2) for j in range(d))
    ),
    a=real(3, 100),
    see="DLMF 35.3.4; NaN outside the domain a > (d - 1)/2",
)
