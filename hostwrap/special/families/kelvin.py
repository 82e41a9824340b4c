"""Kelvin functions and their derivatives."""

from hostwrap.special._entry import kernel, real, special
from hostwrap.special._math import imag, re
from hostwrap.special.definitions import kelvin as definitions
from hostwrap.special.kernels.bessel import kelvin as kernels

__all__ = ["bei", "beip", "ber", "berp", "kei", "keip", "kelvin", "ker", "kerp"]

# SciPy's primed functions have lost six digits next to x = 10, so derivatives do not come from them.

be_n = kernel(
    "be_n(x, *, n)",  # (d/dx)^n of ber + i bei
    host=kernels.be_n,
    complex_result=True,
    dx=lambda y, x, *, n: be_n(x, n=n + 1),
    ref=lambda mp, x, *, n: mp.diff(lambda t: definitions.first(mp, t)[1], x, n - 1),
    x=real(-50, 100),
    at=[0.0, 2.0, 10.1],
    see="DLMF 10.61.1",
)
ke_n = kernel(
    "ke_n(x, *, n)",  # (d/dx)^n of ker + i kei
    host=kernels.ke_n,
    complex_result=True,
    dx=lambda y, x, *, n: ke_n(x, n=n + 1),
    ref=lambda mp, x, *, n: mp.diff(lambda t: definitions.second(mp, t)[1], x, n - 1),
    x=real(0, 100),
    at=[1.0, 9.9],
    see="DLMF 10.61.2",
)

ber = special(
    "ber(x)",
    dx=lambda y, x: re(be_n(x, n=1)),
    ref=lambda mp, x: mp.re(definitions.first(mp, x)[0]),
    x=real(-50, 100),
    at=[0.0, 1e-8, 10.1, 800.0],
    see="DLMF 10.61.1",
)
bei = special(
    "bei(x)",
    dx=lambda y, x: imag(be_n(x, n=1)),
    ref=lambda mp, x: mp.im(definitions.first(mp, x)[0]),
    x=real(-50, 100),
    at=[0.0, 1e-8, 10.1, 800.0],
    see="DLMF 10.61.1",
)
ker = special(
    "ker(x)",
    dx=lambda y, x: re(ke_n(x, n=1)),
    ref=lambda mp, x: mp.re(definitions.second(mp, x)[0]),
    x=real(0, 100),
    at=[1e-8, 9.9],
    see="DLMF 10.61.2",
)
kei = special(
    "kei(x)",
    dx=lambda y, x: imag(ke_n(x, n=1)),
    ref=lambda mp, x: mp.im(definitions.second(mp, x)[0]),
    x=real(0, 100),
    at=[1e-8, 9.9],
    see="DLMF 10.61.2",
)
berp = special(
    "berp(x)",
    dx=lambda y, x: re(be_n(x, n=2)),
    ref=lambda mp, x: mp.re(definitions.first(mp, x)[1]),
    x=real(-50, 100),
    at=[0.0, 1e-8, 10.1, 800.0],
    see="DLMF 10.61.1",
)
beip = special(
    "beip(x)",
    dx=lambda y, x: imag(be_n(x, n=2)),
    ref=lambda mp, x: mp.im(definitions.first(mp, x)[1]),
    x=real(-50, 100),
    at=[0.0, 1e-8, 10.1, 800.0],
    see="DLMF 10.61.1",
)
kerp = special(
    "kerp(x)",
    dx=lambda y, x: re(ke_n(x, n=2)),
    ref=lambda mp, x: mp.re(definitions.second(mp, x)[1]),
    x=real(0, 100),
    at=[1e-8, 9.9],
    see="DLMF 10.61.2",
)
keip = special(
    "keip(x)",
    dx=lambda y, x: imag(ke_n(x, n=2)),
    ref=lambda mp, x: mp.im(definitions.second(mp, x)[1]),
    x=real(0, 100),
    at=[1e-8, 9.9],
    see="DLMF 10.61.2",
)


def whole(mp, x):
    (be, bep), (ke, kep) = definitions.first(mp, x), definitions.second(mp, x)
    return be, ke, bep, kep


kelvin = special(
    "kelvin(x) -> Be, Ke, Bep, Kep",
    dx=lambda y, x: (be_n(x, n=1), ke_n(x, n=1), be_n(x, n=2), ke_n(x, n=2)),
    ref=lambda mp, x: whole(mp, x),
    x=real(0, 100),
    at=[1e-8, 9.9, 10.1],
    see="DLMF 10.61.1, 10.61.2",
)
