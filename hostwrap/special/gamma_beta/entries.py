"""The gamma function, its logarithm, its reciprocal and polygamma functions."""

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special._math import floor, iscomplexobj, nan, re, where
from hostwrap.special._orders import orders
from hostwrap.special.gamma_beta import gamma as gamma_kernels
from hostwrap.special.gamma_beta import psi_difference, twins

__all__ = [
    "digamma",
    "gamma",
    "gammaln",
    "gammasgn",
    "loggamma",
    "multigammaln",
    "polygamma",
    "psi",
    "rgamma",
]

psi_n = kernel(
    "psi_n(n, z)",  # polygamma, also for complex z, and accurate next to the negative integers
    host=gamma_kernels.polygamma,
    twin=twins.psi_n,
    loops=True,
    dn=discrete,
    dz=lambda y, n, z: psi_n(n + 1, z),
    ref=lambda mp, n, z: mp.psi(n, z),
    n=integer(0, 5),
    z=real(-5, 50, im=8),
    at=[(0, -2.999), (1, -20.3), (2, 1e-8)],
    see="DLMF 5.15",
)
psi_step = kernel(
    "psi_step(x, h, *, n)",  # psi_n(x + h) - psi_n(x)
    host=psi_difference.psi_step,
    loops=True,
    dx=lambda y, x, h, *, n: psi_step(x, h, n=n + 1),
    dh=lambda y, x, h, *, n: psi_n(n + 1, x + h),
    ref=lambda mp, x, h, *, n: mp.psi(n, x + h) - mp.psi(n, x),
    x=real(0.1, 50),
    h=real(0.01, 50),
    at=[(1e5, 1e-5), (0.001, 1e3), (3.0, -2.5)],
    see="DLMF 5.15.8",
)
multigamma_n = kernel(
    "multigamma_n(a, *, d, n)",  # (d/da)^(n + 1) of multigammaln
    host=gamma_kernels.multigamma_n,
    loops=True,
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
    orders=orders(gamma_kernels.rgamma_n, loops=True, at=[0.0, -3.0, -20.5]),
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


def pole_on_the_left(z):
    return (re(z) < 0) & (z == floor(re(z)))


def logarithmic_slope(name):
    """psi, under either of its names."""
    return special(
        f"{name}(z)",
        dz=lambda y, z: where(pole_on_the_left(z), nan * z, psi_n(1, z)),  # SciPy's psi is NaN there
        ref=lambda mp, z: mp.psi(0, z),
        z=real(-5, 50, im=8),
        at=[1e-10, -0.5, -20.3, 1e5],
        see="DLMF 5.15.1",
    )


psi, digamma = logarithmic_slope("psi"), logarithmic_slope("digamma")
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
