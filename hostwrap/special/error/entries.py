"""Error functions, Faddeeva's function, the Voigt profile and Fresnel's integrals."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import abs, exp2, imag, isinf, log2, maximum, pi, re, round, sqrt, where
from hostwrap.special._orders import orders
from hostwrap.special.error import faddeeva, gauss, twins, voigt

__all__ = ["dawsn", "erf", "erfc", "erfcx", "erfi", "fresnel", "voigt_profile", "wofz"]


def faddeeva_w(mp, z):
    """At a precision at which the square of a large z has the digits that its exponential needs."""
    with mp.extradps(max(0, mp.mag(z))):
        return mp.exp(-z * z) * mp.erfc(-1j * z)


def voigt_w(mp, x, sigma, gamma):
    """The function whose real part is the Voigt profile; a Lorentz profile's for sigma = 0."""
    zeta = x + 1j * gamma
    if sigma == 0:
        return 1j / (mp.pi * zeta)
    return faddeeva_w(mp, zeta / (sigma * mp.sqrt(2))) / (sigma * mp.sqrt(2 * mp.pi))


# ---- Gaussians: exp(c z^2 / 2) and its derivatives

gaussian = kernel(
    "gaussian(z, *, c, n)",
    host=gauss.gaussian,
    twin=twins.gaussian,
    loops=True,
    dz=lambda y, z, *, c, n: gaussian(z, c=c, n=n + 1),
    ref=lambda mp, z, *, c, n: mp.diff(lambda t: mp.exp(c * t * t / 2), z, n),
    z=real(-6, 6, im=6),
    see="DLMF 18.5.5",
)

erf = special(
    "erf(z)",
    twin=twins.erf,
    dz=lambda y, z: 2 / sqrt(pi) * gaussian(z, c=-2, n=0),
    ref=lambda mp, z: mp.erf(z),
    z=real(-8, 8, im=8),
    at=[0.0, 26.0],
    see="DLMF 7.2.1",
)

erfc = special(
    "erfc(x)",
    dx=lambda y, x: -2 / sqrt(pi) * gaussian(x, c=-2, n=0),
    ref=lambda mp, x: mp.erfc(x),
    x=real(-8, 26, im=8),
    at=[0.0, -20.0],
    see="DLMF 7.2.2",
)

erfi = special(
    "erfi(z)",
    dz=lambda y, z: 2 / sqrt(pi) * gaussian(z, c=2, n=0),
    ref=lambda mp, z: mp.erfi(z),
    z=real(-26, 26, im=8),
    at=[0.0],
    see="DLMF 7.2.1, erfi(z) = -i erf(iz)",
)

# ---- Faddeeva's function and its relatives

wofz = special(
    "wofz(z)",
    orders=orders(faddeeva.wofz_n, loops=True, complex_result=True),
    ref=lambda mp, z: faddeeva_w(mp, z),
    z=real(-20, 20, im=8),
    at=[0.0, 1e6],
    see="DLMF 7.10.2",
)


erfcx = special(
    "erfcx(x)",
    orders=orders(faddeeva.erfcx_n, loops=True),
    ref=lambda mp, x: mp.exp(x * x) * mp.erfc(x),
    x=real(-20, 100, im=8),
    at=[0.0, 1e8],
    see="DLMF 7.10.2, erfcx(x) = w(ix)",
)


dawsn = special(
    "dawsn(x)",
    orders=orders(faddeeva.dawsn_n, loops=True),
    ref=lambda mp, x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x),
    x=real(-50, 50, im=8),
    at=[0.0, 1e8],
    see="DLMF 7.5.1 and 7.10.2",
)


# ---- The Voigt profile: heat equation in sigma, Cauchy-Riemann in x + i gamma


def unit(x, sigma, gamma):
    """A power of 2 by which the three are multiplied where their powers might overflow or underflow."""
    size = maximum(maximum(abs(x), abs(gamma)), sigma)
    far = (size > 1e30) | (size < 1e-30) & (size > 0)
    return where(far & ~isinf(size), exp2(-round(log2(where(far, size, 1.0)))), 1.0)


def by_place(x, sigma, gamma):
    """W_1. Its derivatives in sigma are W_3, ..., each times sigma."""
    c = unit(x, sigma, gamma)
    return voigt_n(x * c, sigma * c, gamma * c, n=1) * c * c


def by_width(x, sigma, gamma):
    c = unit(x, sigma, gamma)
    return sigma * c * re(voigt_n(x * c, sigma * c, gamma * c, n=2)) * c * c


voigt_profile = special(
    "voigt_profile(x, sigma, gamma)",
    dx=lambda y, x, sigma, gamma: re(by_place(x, sigma, gamma)),
    dsigma=lambda y, x, sigma, gamma: by_width(x, sigma, gamma),
    dgamma=lambda y, x, sigma, gamma: -imag(by_place(x, sigma, gamma)),
    ref=lambda mp, x, sigma, gamma: mp.re(voigt_w(mp, x, sigma, gamma)),
    x=real(-20, 20),
    sigma=real(0.1, 5),
    gamma=real(0.01, 5),
    at=[(0.0, 1.0, 1.0), (0.5, 0.0, 1.0), (0.5, 1.0, 0.0), (1e4, 1.0, 1e-8), (30.0, 1.0, 0.0)],
    see="DLMF 7.19.3 and 7.10.2",
)

voigt_n = kernel(
    "voigt_n(x, sigma, gamma, *, n)",
    host=voigt.voigt_n,
    loops=True,
    dx=lambda y, x, sigma, gamma, *, n: voigt_n(x, sigma, gamma, n=n + 1),
    dsigma=lambda y, x, sigma, gamma, *, n: sigma * voigt_n(x, sigma, gamma, n=n + 2),
    dgamma=lambda y, x, sigma, gamma, *, n: 1j * voigt_n(x, sigma, gamma, n=n + 1),
    ref=lambda mp, x, sigma, gamma, *, n: mp.diff(lambda t: voigt_w(mp, t, sigma, gamma), x, n),
    complex_result=True,
    x=real(-20, 20),
    sigma=real(0.1, 5),
    gamma=real(0.01, 5),
    see="DLMF 7.19.3",
)

# ---- Fresnel's integrals

fresnel = special(
    "fresnel(z) -> s, c",
    dz=lambda y, z: fresnel_wave(z),
    ref=lambda mp, z: (mp.fresnels(z), mp.fresnelc(z)),
    z=real(-30, 30, im=4),
    at=[0.0, 1234.5],
    see="DLMF 7.2.7 and 7.2.8",
)

fresnel_wave = kernel(
    "fresnel_wave(z) -> s, c",
    host=gauss.fresnel_wave,
    loops=True,
    dz=lambda y, z: (pi * z * y.c, -pi * z * y.s),
    ref=lambda mp, z: (mp.sin(mp.pi * z * z / 2), mp.cos(mp.pi * z * z / 2)),
    z=real(-30, 30, im=4),
    see="DLMF 7.2.7 and 7.2.8",
)
