"""Bessel functions J, Y, I, K of integer order. The derivative of one is made of others, at x = 0 too.

The derivatives of order 1 use f(0) and f(1) alone (DLMF 10.6.2, 10.29.2), which SciPy computes ten times as fast as
f(2). The exceptions are J and I next to 0, where the derivative of that recurrence would cancel.
"""

from hostwrap.special._entry import discrete, integer, kernel, real, special
from hostwrap.special._math import abs, isinf, where
from hostwrap.special.bessel import twins
from hostwrap.special.bessel.entries import iv, jv
from hostwrap.special.bessel.order_two import order_two_near

__all__ = ["i0", "i1", "j0", "j1", "k0", "k1", "kn", "y0", "y1", "yn"]

yn = special(
    "yn(n, x)",
    dn=discrete,
    dx=lambda y, n, x: where(isinf(y), -y, (yn(n - 1, x) - yn(n + 1, x)) / 2),
    ref=lambda mp, n, x: mp.bessely(n, x),
    n=integer(0, 20),
    x=real(0.1, 50),
    at=[(0, 1.0), (-3, 2.0), (1, 1e-3)],
    see="DLMF 10.6.1",
)
kn = special(
    "kn(n, x)",
    dn=discrete,
    dx=lambda y, n, x: -(kn(n - 1, x) + kn(n + 1, x)) / 2,
    ref=lambda mp, n, x: mp.besselk(n, x),
    n=integer(0, 20),
    x=real(0.1, 50),
    at=[(0, 1.0), (-3, 2.0), (1, 1e-3)],
    see="DLMF 10.29.1",
)


def over(y, x):
    """y / x for |x| > 1."""
    return y / where(abs(x) > 1, x, 1)


def i1_slope(y, x):
    beyond = where(isinf(y), abs(y), i0(x) - over(y, x))
    return where(abs(x) > 1, beyond, (i0(x) + second_near(x, modified=True)) / 2)


second_near = kernel(
    "second_near(x, *, modified=False)",  # J_2 or I_2 for |x| <= 1
    host=order_two_near,
    twin=twins.order_two_near,
    loops=True,
    dx=lambda y, x, *, modified: (i1(x) + iv(3.0, x)) / 2 if modified else (j1(x) - jv(3.0, x)) / 2,
    ref=lambda mp, x, *, modified: mp.besseli(2, x) if modified else mp.besselj(2, x),
    x=real(-1, 1),
    at=[1e-10, 1e-100],
    see="DLMF 10.2.2, 10.25.2",
)
j0 = special(
    "j0(x)",
    dx=lambda y, x: -j1(x),
    ref=lambda mp, x: mp.besselj(0, x),
    x=real(-20, 50),
    at=[0.0, 1e-10],
    see="DLMF 10.6.3",
)
j1 = special(
    "j1(x)",
    dx=lambda y, x: where(abs(x) > 1, j0(x) - over(y, x), (j0(x) - second_near(x)) / 2),
    ref=lambda mp, x: mp.besselj(1, x),
    x=real(-20, 50),
    at=[0.0, 1e-10],
    see="DLMF 10.6.1",
)
y0 = special(
    "y0(x)",
    dx=lambda y, x: -y1(x),
    ref=lambda mp, x: mp.bessely(0, x),
    x=real(0.1, 50),
    at=[1e-10],
    see="DLMF 10.6.3",
)
y1 = special(
    "y1(x)",
    dx=lambda y, x: where(isinf(y), -y, y0(x) - y / x),
    ref=lambda mp, x: mp.bessely(1, x),
    x=real(0.1, 50),
    at=[1e-10],
    see="DLMF 10.6.1",
)
i0 = special(
    "i0(x)",
    twin=twins.i0,
    dx=lambda y, x: i1(x),
    ref=lambda mp, x: mp.besseli(0, x),
    x=real(-20, 50),
    at=[0.0, 1e-10],
    see="DLMF 10.29.3",
)
i1 = special(
    "i1(x)",
    twin=twins.i1,
    dx=lambda y, x: i1_slope(y, x),
    ref=lambda mp, x: mp.besseli(1, x),
    x=real(-20, 50),
    at=[0.0, 1e-10],
    see="DLMF 10.29.1",
)
k0 = special(
    "k0(x)",
    dx=lambda y, x: -k1(x),
    ref=lambda mp, x: mp.besselk(0, x),
    x=real(0.1, 50),
    at=[1e-10],
    see="DLMF 10.29.3",
)
k1 = special(
    "k1(x)",
    dx=lambda y, x: where(isinf(y), -y, -(k0(x) + y / x)),
    ref=lambda mp, x: mp.besselk(1, x),
    x=real(0.1, 50),
    at=[1e-10],
    see="DLMF 10.29.1",
)
