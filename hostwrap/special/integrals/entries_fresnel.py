"""The modified Fresnel integrals."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._known import known
from hostwrap.special.integrals import chirp

__all__ = ["modfresnelm", "modfresnelp"]


def wave_integral(mp, x, c):
    """int_x^inf exp(i c t^2) dt; the erfc of a large argument needs the digits of its square."""
    root = mp.expj(c * mp.pi / 4)
    with mp.extradps(2 * max(0, mp.mag(x))):
        return mp.sqrt(mp.pi) / 2 * root * mp.erfc(x / root)


def wave_rest(mp, x, c):
    """The same without its wave: exp(-i c (x^2 + pi/4)) / sqrt(pi) times the integral."""
    return mp.expj(-c * (x * x + mp.pi / 4)) / mp.sqrt(mp.pi) * wave_integral(mp, x, c)


chirp_n = kernel(
    "chirp_n(x, *, c, n)",  # (d/dx)^n exp(i c x^2), c = +-1
    host=chirp.chirp_n,
    loops=True,
    complex_result=True,
    dx=lambda y, x, *, c, n: chirp_n(x, c=c, n=n + 1),
    ref=lambda mp, x, *, c, n: mp.diff(lambda t: mp.expj(c * t * t), x, n),
    x=real(-30, 30),
    at=[0.0, 1234.5, 1234567.8, 1e8],
    see="DLMF 18.5.5",
)
chirp_rest_n = kernel(
    "chirp_rest_n(x, *, c, n)",  # (d/dx)^n of the integral without its wave
    host=chirp.chirp_rest_n,
    loops=True,
    complex_result=True,
    dx=lambda y, x, *, c, n: chirp_rest_n(x, c=c, n=n + 1),
    ref=lambda mp, x, *, c, n: mp.diff(lambda t: wave_rest(mp, t, c), x, n),
    x=real(-30, 30),
    at=[0.0, 6.9, 1234.5],
    see="DLMF 7.2.3 and 7.10.3",
)

modfresnelp = special(
    "modfresnelp(x) -> fp, kp",
    dx=lambda y, x: (known(y.fp, -chirp_n(x, c=1, n=0)), known(y.kp, chirp_rest_n(x, c=1, n=1))),
    ref=lambda mp, x: (wave_integral(mp, x, 1), wave_rest(mp, x, 1)),
    x=real(0, 30),
    at=[0.0, 1e-8, 6.9, 1234.5, 1234567.8, -1.3],
    see="DLMF 7.2(iii)",
)
modfresnelm = special(
    "modfresnelm(x) -> fm, km",
    dx=lambda y, x: (known(y.fm, -chirp_n(x, c=-1, n=0)), known(y.km, chirp_rest_n(x, c=-1, n=1))),
    ref=lambda mp, x: (wave_integral(mp, x, -1), wave_rest(mp, x, -1)),
    x=real(0, 30),
    at=[0.0, 1e-8, 6.9, 1234.5, 1234567.8, -1.3],
    see="DLMF 7.2(iii)",
)
